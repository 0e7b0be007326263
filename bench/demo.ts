/**
 * `npm run demo`: melds and compiles bitonic sort, a real divergent kernel, with the public API, and prints what became
 * of its divergent branches. It does so three times: with bitcode as clang has optimised it (late), with bitcode before
 * LLVM's optimiser (early), and from source. The code of the last is written to build/bitonic.hsaco, an AMD code
 * object, and build/bitonic.bc.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createCompiler, type JobOptions, type SourceCompileOptions } from '../src/index.js';
import { kernel, printTable, REPOSITORY } from './support.js';

const BUILD = path.join(REPOSITORY, 'build');

const SOURCE = path.join(REPOSITORY, 'kernels', 'bitonic.hip');

const FORMS: readonly {
  title: string;
  input: () => Promise<Uint8Array>;
  options: Partial<JobOptions> | SourceCompileOptions;
}[] = [
  { title: 'late: after -O3', input: () => kernel('bitonic.gfx906.O3'), options: {} },
  {
    title: 'early: before -O3',
    input: () => kernel('bitonic.gfx906.early'),
    options: { optimize: 'O3', meldPoint: 'early' },
  },
  {
    title: 'from source: bitonic.hip',
    input: () => readFile(SOURCE),
    options: { language: 'hip', mcpu: 'gfx906', name: 'kernels/bitonic.hip' },
  },
];

const columns = ['', 'melds', 'profit', 'divergent branches', 'IR instructions', 'machine instructions'];
const rows: string[][] = [];

await mkdir(BUILD, { recursive: true });
const compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
try {
  for (const { title, input, options } of FORMS) {
    const { artifacts, functions } = await compiler.compile(await input(), {
      ...options,
      emit: ['hsaco', 'bc'],
      stats: true,
    });
    for (const { kind, bytes } of artifacts) await writeFile(path.join(BUILD, `bitonic.${kind}`), bytes);
    for (const { melds, before, after } of functions) {
      const profits = [...new Set(melds.map(({ profit }) => profit.toFixed(2)))].join(' ');
      rows.push([
        title,
        String(melds.length),
        profits,
        `${before?.divergentBranches} → ${after.divergentBranches}`,
        `${before?.instructions} → ${after.instructions}`,
        `${before?.machineInstructions} → ${after.machineInstructions}`,
      ]);
    }
  }
} finally {
  await compiler.close();
}

console.log('Bitonic sort for gfx906, without → with melding of divergent control flow\n');
printTable(columns, rows);
console.log('\nwritten: build/bitonic.hsaco (AMD code object), build/bitonic.bc (melded LLVM bitcode)');
