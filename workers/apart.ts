/** The process that src/fleet/apart.ts starts: compiles one module, sends the result, and waits to be ended. */
import { createCompiler } from '../src/compiler/compiler.js';
import { typedError } from '../src/files.js';
import type { ApartAnswer, ApartTask } from '../src/fleet/apart.js';

process.on('disconnect', () => process.exit());
process.once('message', (task: ApartTask) => {
  void answer(task).then((found) => process.send!(found));
});

async function answer({ module, options, timeout, memoryLimit }: ApartTask): Promise<ApartAnswer> {
  const compiler = createCompiler({ threads: 1, timeout, memoryLimit, tierPolicy: 'short' });
  try {
    const { cached: _, ...result } = await compiler.compile(new Uint8Array(module), options);
    return { result };
  } catch (error) {
    return { error: typedError(error).toJSON() };
  }
}
