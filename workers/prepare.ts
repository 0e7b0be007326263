/** Entry point of the process that makes prepared code: it prints what it wrote, or its error, as JSON. */
import { readManifest, readPart } from '../src/binding/load.js';
import { DarmError } from '../src/errors.js';
import { typedError } from '../src/files.js';
import { writePrepared, type PreparedFile } from '../src/workers/prepared-code.js';

async function prepare(): Promise<PreparedFile[]> {
  const { module, further, frontend } = await readManifest();
  if (Object.keys(further).length === 0)
    throw new DarmError('usage', 'a build for debugging has no part that could be prepared');
  const written = [await writePrepared(await readPart('llvm', module), module)];
  if (frontend !== null) written.push(await writePrepared(await readPart('clang', frontend.module), frontend.module));
  return written;
}

const outcome = await prepare().then(
  (value) => ({ ok: true, value }),
  (error: unknown) => ({ ok: false, error: typedError(error).toJSON() }),
);
process.stdout.write(JSON.stringify(outcome));
