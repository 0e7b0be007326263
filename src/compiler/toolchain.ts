/**
 * What decides, beside input and options, which bytes come out: the package's version, the compiled module and darm's
 * own code. Build systems and caches put this into their keys.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManifest } from '../binding/load.js';
import { Retried } from './retried.js';

const DIST = fileURLToPath(new URL('../..', import.meta.url));

const digest = new Retried(computeDigest);

/** SHA-256 in hexadecimal; read once per process. */
export const toolchainDigest = (): Promise<string> => digest.get();

async function computeDigest(): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(DIST, '..', 'package.json'), 'utf8')) as { version: string };
  const { module, rest, memory, loader, frontend } = await readManifest();
  const parts = [module, rest, memory, loader].map((part) => part?.sha256);
  const hash = createHash('sha256').update(JSON.stringify([version, ...parts, frontend]));
  // The command is a bundle of the same code. The library counts it in, so that both share their results.
  for (const folder of ['command', 'src', 'workers']) {
    const root = path.join(DIST, folder);
    const all = await readdir(root, { recursive: true }).catch((error: NodeJS.ErrnoException) =>
      folder === 'command' && error.code === 'ENOENT' ? [] : Promise.reject(error),
    );
    const files = all.filter((file) => file.endsWith('.js')).sort();
    // One after the other: there are hundreds, and a process may not have so many files open.
    for (const file of files) {
      const code = await readFile(path.join(root, file));
      hash.update(`\0${folder}/${file.split(path.sep).join('/')}\0`).update(code);
    }
  }
  return hash.digest('hex');
}
