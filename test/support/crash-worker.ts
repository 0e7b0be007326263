/**
 * A worker that fails in chosen ways: a task whose text starts with `; crash: KIND` fails in that way. The real worker
 * does all other tasks.
 */
import handle from '../../workers/task.js';
import { nodeEndpoint, wrap } from '../../src/workers/comlink.js';
import type { TaskListener, TaskMessage } from '../../src/workers/pool.js';

/** `(module (func unreachable) (start 0))` */
const TRAP = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 8, 1, 0, 10, 5, 1, 3, 0, 0, 11,
]);

export default async function crash(message: TaskMessage): Promise<unknown> {
  const { task, port } = message;
  const text = 'bytes' in task ? new TextDecoder().decode(task.bytes.subarray(0, 64)) : '';
  const kind = /^; crash: (\w+)/.exec(text)?.[1];
  if (kind === undefined) return handle(message);
  await wrap<TaskListener>(nodeEndpoint(port)).started();
  if (kind === 'exit') process.exit(7);
  if (kind === 'trap') new WebAssembly.Instance(new WebAssembly.Module(TRAP));
  if (kind === 'throw') {
    setImmediate(() => {
      throw new Error('thrown outside of any task');
    });
    await new Promise(() => {});
  }
  if (kind === 'heap') for (const all: unknown[] = []; ;) all.push(new Array(1_000_000).fill(0));
  for (;;);
}
