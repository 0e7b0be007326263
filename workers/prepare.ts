/** Entry point of the process that makes prepared code: it prints what it wrote, or its error, as JSON. */
import { readManifest, readPart } from '../src/binding/load.js';
import { DarmError } from '../src/errors.js';
import { typedError } from '../src/files.js';
import { writePrepared } from '../src/workers/prepared-code.js';

async function prepare(): Promise<{ file: string; bytes: number }> {
  const { module, rest } = await readManifest();
  if (rest === null) throw new DarmError('usage', 'a build for debugging has no part that could be prepared');
  return writePrepared(await readPart('llvm', module), module);
}

const outcome = await prepare().then(
  (value) => ({ ok: true, value }),
  (error: unknown) => ({ ok: false, error: typedError(error).toJSON() }),
);
process.stdout.write(JSON.stringify(outcome));
