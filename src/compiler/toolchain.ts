/**
 * What decides, beside input and options, which bytes come out: the package's version, the compiled module and darm's
 * own code. Build systems and caches put this into their keys.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
  const { module, further, memory, loader, frontend } = await readManifest();
  const parts = [module, ...Object.values(further), memory, loader].map((part) => part?.sha256);
  const hash = createHash('sha256').update(JSON.stringify([version, ...parts, frontend]));
  // What users install is the bundle alone. Where what it was made of lies beside it, all of it counts, so that both
  // share their results.
  for (const folder of ['bundle', 'command', 'src', 'workers']) {
    const root = path.join(DIST, folder);
    const all = existsSync(root) ? readdirSync(root, { recursive: true }).map(String) : [];
    // At once: there are hundreds of small files, and promises take eight times as long.
    for (const file of all.filter((each) => each.endsWith('.js')).sort()) {
      const code = readFileSync(path.join(root, file));
      hash.update(`\0${folder}/${file.split(path.sep).join('/')}\0`).update(code);
    }
  }
  return hash.digest('hex');
}
