/**
 * Source to code object: HIP with its own headers and OpenCL C, in a fresh process and warm, beside native clang
 * (`build.sh --native`) and, where it is installed, `@yowasp/clang`. Native clang compiles with the same headers and
 * libraries.
 * usage: node dist/bench/source.js [--rounds N]
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCompiler } from '../src/index.js';
import { median, ms, nativeTool, option, printTable, REPOSITORY, sum, timeProcess } from './support.js';

const rounds = option('rounds', 5);
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const OPENCL = `kernel void scale(global float *out, global const float *in, float by) {
  size_t at = get_global_id(0);
  out[at] = at & 1 ? sin(in[at]) * by : fma(in[at], by, 1.0f);
}
`;
const hip = path.join(REPOSITORY, 'kernels', 'bitonic.hip');
const cl = path.join(folder, 'scale.cl');
await writeFile(cl, OPENCL);
await mkdir(path.join(folder, 'out'));
const output = path.join(folder, 'out', 'kernel.hsaco');

const cold = (file: string): number =>
  timeProcess(process.execPath, [
    `${REPOSITORY}dist/command/main.js`,
    'compile',
    file,
    '--mcpu',
    'gfx1100',
    '-o',
    output,
  ]);
const native = (flags: readonly string[]): number => timeProcess(nativeTool('clang-23'), [...flags, '-o', output]);

const rows: string[][] = [];
const hasNative = existsSync(nativeTool('clang-23'));
for (const [title, file, language] of [
  ['HIP with hip_runtime.h', hip, 'hip'],
  ['OpenCL C', cl, 'opencl'],
] as const) {
  cold(file); // unpacks
  const first = Array.from({ length: rounds }, () => cold(file));
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const source = await readFile(file);
  const translations: number[] = [];
  const totals: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const { timings } = await compiler.compile(source, { language, name: file, mcpu: 'gfx1100' });
    totals.push(performance.now() - started);
    translations.push(timings['translate']!);
  }
  await compiler.close();
  const row = [
    title,
    ms(median(first)),
    ms(translations[0]!),
    ms(median(translations.slice(1))),
    ms(median(totals.slice(1))),
  ];
  if (hasNative && language === 'opencl') {
    const image = ['-x', 'cl', '--target=amdgcn-amd-amdhsa', '-mcpu=gfx1100', '-nogpulib', '-O3', '-c', file];
    const whole = median(Array.from({ length: rounds }, () => native(image)));
    const start = median(Array.from({ length: rounds }, () => native(['--version'])));
    row.push(`${ms(whole - start)} and ${ms(start)} to start, without device libraries`);
  } else row.push('npm run test:source has the command');
  rows.push(row);
}
console.log(`gfx1100, -O3, melded; medians of ${rounds}\n`);
printTable(['', 'fresh process', 'clang, first', 'clang, warm', 'all of it, warm', 'native clang'], rows);

const dist = path.join(REPOSITORY, 'wasm', 'dist');
const sizes = await Promise.all(
  (await readdir(dist))
    .filter((name) => name.endsWith('.br'))
    .map(async (name) => (await stat(path.join(dist, name))).size),
);
console.log(`\ncompressed modules and headers: ${(sum(sizes) / 1e6).toFixed(1)} MB`);
await rm(folder, { recursive: true });
