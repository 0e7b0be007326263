/** Entry point of the process that makes prepared code: it prints what it wrote, or its error, as JSON. */
import { readManifest, readPart } from '../src/binding/load.js';
import { DarmError } from '../src/errors.js';
import { typedError } from '../src/process/files.js';
import { writePrepared, type PreparedFile } from '../src/workers/prepared-code.js';

async function prepare(): Promise<PreparedFile[]> {
  const { module, further, frontend } = await readManifest();
  if (Object.keys(further).length === 0)
    throw new DarmError('usage', 'a build for debugging has no part that could be prepared');
  const written: PreparedFile[] = [];
  const parts = { llvm: module, optimiser: further['optimiser'], clang: frontend?.module };
  for (const [part, facts] of Object.entries(parts))
    if (facts) written.push(await writePrepared(await readPart(part, facts), facts));
  return written;
}

const outcome = await prepare().then(
  (value) => ({ ok: true, value }),
  (error: unknown) => ({ ok: false, error: typedError(error).toJSON() }),
);
process.stdout.write(JSON.stringify(outcome));
