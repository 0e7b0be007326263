/**
 * Random damage in the files of a cache: no wrong byte comes out, and what was damaged is there again after the next
 * compilation.
 */
import { copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createCompiler } from '../../../../src/index.js';
import { drawFor, type Draw } from '../../../support/draw.js';
import type { Check } from './check.js';
import { sha256, type Corpus } from './corpus.js';
import { inFolder } from './kills.js';

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name)).sort(); // prettier-ignore
}

type Damage = (file: string, draw: Draw, other: string) => Promise<void>;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'a flipped bit': async (file, draw) => {
    const bytes = await readFile(file);
    if (bytes.length > 0) bytes[draw.below(bytes.length)]! ^= 1 << draw.below(8);
    await writeFile(file, bytes);
  },
  'a file cut off': async (file, draw) => truncate(file, draw.below((await stat(file)).size + 1)),
  'an empty file': (file) => truncate(file, 0),
  'zeros instead of contents': async (file) => writeFile(file, Buffer.alloc((await stat(file)).size)),
  'a file that is gone': (file) => rm(file),
  'the contents of another file': (file, _, other) => copyFile(other, file),
  'more behind the end': async (file) => writeFile(file, '\n{"key":"x"}\n\xff', { flag: 'a' }),
};

/** Compiles everything with the cache; the result is how many came from it, or a complaint. */
async function compileAll(folder: string, { inputs, expected }: Corpus): Promise<number | string> {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short', cache: { path: folder } });
  let hits = 0;
  for (const [name, bytes] of inputs) {
    const { artifacts, cached } = await compiler.compile(bytes);
    if (sha256(artifacts[0]!.bytes) !== expected.get(name)) return `${name} has wrong bytes`;
    if (cached) hits++;
  }
  return hits;
}

/** Each damage to some files, again and again on one cache. */
export const caches = (corpus: Corpus, seed: number, rounds: number): readonly Check[] =>
  Object.entries(DAMAGES).map(([name, damage], index) => ({
    name: `a cache with ${name}`,
    run: () =>
      inFolder(async (folder) => {
        await compileAll(folder, corpus);
        for (let round = 0; round < rounds; round++) {
          const draw = drawFor(seed + index, round);
          const files = await filesOf(folder);
          for (let i = 1 + draw.below(4); i > 0; i--) await damage(draw.pick(files), draw, draw.pick(files)).catch(gone);
          const after = await compileAll(folder, corpus);
          if (typeof after === 'string') return `round ${round}: ${after}`;
          const again = await compileAll(folder, corpus);
          if (again !== corpus.inputs.size) return `round ${round}: not healed: ${again} of ${corpus.inputs.size} from the cache`;
        }
        return null;
      }),
  })); // prettier-ignore

/** The same file was drawn twice and removed before. */
function gone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
