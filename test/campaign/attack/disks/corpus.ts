/** Kernels for the phase `disks`, as files, and what the library makes of them. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createCompiler } from '../../../../src/index.js';
import { kernel } from '../../../support/llvm.js';
import { tinyKernel } from '../../../support/service.js';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export interface Corpus {
  readonly folder: string;
  /** Name without extension → digest of its `hsaco`. */
  readonly expected: ReadonlyMap<string, string>;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
}

export async function makeCorpus(folder: string, count: number): Promise<Corpus> {
  await mkdir(folder, { recursive: true });
  const inputs = new Map<string, Uint8Array>();
  for (let i = 0; i < count; i++) inputs.set(`tiny${i}`, tinyKernel(i));
  for (const name of ['sb1.gfx906.O3', 'dct.gfx1100.O3']) inputs.set(name.split('.')[0]!, await kernel(name));
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const expected = new Map<string, string>();
  for (const [name, bytes] of inputs) {
    const isText = name.startsWith('tiny');
    await writeFile(path.join(folder, `${name}.${isText ? 'll' : 'bc'}`), bytes);
    expected.set(name, sha256((await compiler.compile(bytes)).artifacts[0]!.bytes));
  }
  return { folder, expected, inputs };
}

/** What is wrong with the results in a folder: every one that is there must be whole; `all`: and all must be there. */
export async function resultsComplaint(folder: string, { expected }: Corpus, all: boolean): Promise<string | null> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.hsaco') && name[0] !== '.');
  for (const name of names) {
    const hash = sha256(await readFile(path.join(folder, name)));
    if (hash !== expected.get(name.slice(0, -'.hsaco'.length))) return `${name} has wrong bytes`;
  }
  return all && names.length !== expected.size ? `${names.length} results of ${expected.size}` : null;
}
