/** The process that src/fleet/apart.ts starts: does one job, sends the result, and waits to be ended. */
import { checkLaunch } from '../src/compiler/check-launch.js';
import { createCompiler } from '../src/compiler/compiler.js';
import { typedError } from '../src/process/files.js';
import type { ApartAnswer, ApartTask } from '../src/fleet/apart.js';

process.on('disconnect', () => process.exit());
process.once('message', (task: ApartTask) => {
  void answer(task).then((found) => process.send!(found));
});

async function answer(task: ApartTask): Promise<ApartAnswer> {
  const { timeout, memoryLimit } = task;
  const compiler = createCompiler({ threads: 1, timeout, memoryLimit, tierPolicy: 'short' });
  try {
    if ('question' in task) return { result: await checkLaunch(compiler, task.question) };
    const { cached: _, ...result } = await compiler.compile(new Uint8Array(task.module), task.options);
    return { result };
  } catch (error) {
    return { error: typedError(error).toJSON() };
  }
}
