/**
 * Source to code object without melding: HIP with its own headers and OpenCL C, in a fresh process and warm, beside native
 * clang (`build.sh --native`) with the same headers and libraries and, where it is installed, `@yowasp/clang`, which has
 * no code generator for AMD's processors, no HIP and no device libraries: it makes bitcode of OpenCL C.
 *
 * usage: node dist/bench/source.js [--rounds N] [--libraries FOLDER] [--yowasp FOLDER]
 *
 * `--libraries` is the folder of libraries in an unpacked package `rocm-device-libs-22`, for OpenCL by native clang;
 * `--yowasp` is `node_modules/@yowasp/clang`. A warm compiler has had `--rounds` compilations before. Of native clang
 * the time to start is taken away (`--version`), but for its fresh process.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCompiler } from '../src/index.js';
import { hipFlags, openclFlags, unpackImage } from '../test/support/native-clang.js';
import { median, ms, nativeTool, option, printTable, REPOSITORY, sum, timeProcess } from './support.js';

const TARGET = 'gfx1100';
const rounds = option('rounds', 5);
const folderOf = (name: string): string | null => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? null : path.resolve(process.argv[at + 1]!);
};
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const inFolder = (name: string): string => path.join(folder, name);
const OPENCL = `kernel void scale(global float *out, global const float *in, float by) {
  size_t at = get_global_id(0);
  out[at] = at & 1 ? sin(in[at]) * by : fma(in[at], by, 1.0f);
}
`;
const hip = path.join(REPOSITORY, 'kernels', 'bitonic.hip');
const cl = inFolder('scale.cl');
await writeFile(cl, OPENCL);
await mkdir(inFolder('out'));

const medianOf = (measure: () => number): number => median(Array.from({ length: rounds }, measure));
const rows: string[][] = [];
for (const [title, file, language] of [
  ['HIP with hip_runtime.h', hip, 'hip'],
  ['OpenCL C', cl, 'opencl'],
] as const) {
  const flags = ['--mcpu', TARGET, '--meld', 'off', '-o', inFolder('out/kernel.hsaco')];
  const fresh = (): number =>
    timeProcess(process.execPath, [`${REPOSITORY}dist/command/main.js`, 'compile', file, ...flags]);
  fresh(); // unpacks
  rows.push([`${title}: darm, baseline code`, ms(medianOf(fresh)), ...(await warm(file, language, 'short', rounds))]);
  // Hot code is optimised meanwhile.
  rows.push([`${title}: darm, optimised code`, '', ...(await warm(file, language, 'long', 20 * rounds))]);
  if (existsSync(nativeTool('clang-23'))) rows.push([`${title}: native clang`, ...(await native(file, language))]);
}
const yowasp = folderOf('yowasp');
if (yowasp !== null) rows.push(['OpenCL C: @yowasp/clang, bitcode', ...(await timeYowasp(yowasp))]);
console.log(`${TARGET}, -O3, not melded; medians of ${rounds}\n`);
printTable(['', 'fresh process', 'to unoptimised bitcode, warm', 'all of it, warm'], rows);

const dist = path.join(REPOSITORY, 'wasm', 'dist');
const sizes = await Promise.all(
  (await readdir(dist))
    .filter((name) => name.endsWith('.br'))
    .map(async (name) => (await stat(path.join(dist, name))).size),
);
console.log(`\ncompressed modules and headers: ${(sum(sizes) / 1e6).toFixed(1)} MB`);
await rm(folder, { recursive: true });

async function warm(
  file: string,
  language: 'hip' | 'opencl',
  tierPolicy: 'short' | 'long',
  before: number,
): Promise<string[]> {
  const compiler = createCompiler({ threads: 0, tierPolicy });
  const source = await readFile(file);
  const translations: number[] = [];
  const totals: number[] = [];
  for (let round = 0; round < before + rounds; round++) {
    const started = performance.now();
    const { timings } = await compiler.compile(source, { language, name: file, mcpu: TARGET, meld: 'off' });
    totals.push(performance.now() - started);
    translations.push(timings['translate']!);
  }
  await compiler.close();
  return [ms(median(translations.slice(before))), ms(median(totals.slice(before)))];
}

/** In two processes, because clang's driver would start a third one for the linker. */
async function native(file: string, language: 'hip' | 'opencl'): Promise<string[]> {
  const libraries = folderOf('libraries');
  if (language === 'hip') await unpackImage(inFolder('image'));
  const flags =
    language === 'hip' ? hipFlags(inFolder('image'), TARGET) : openclFlags(libraries ?? inFolder('image'), TARGET);
  if (language === 'opencl' && libraries === null) flags.push('-nogpulib');
  const bitcode = inFolder('out/kernel.bc');
  const clang = (words: readonly string[]): number => timeProcess(nativeTool('clang-23'), words);
  const translate = [...flags, '-O3', '-emit-llvm', '-c', file, '-o', bitcode];
  const unoptimised = ['-Xclang', '-disable-llvm-passes'];
  const generate = ['-x', 'ir', '--target=amdgcn-amd-amdhsa', `-mcpu=${TARGET}`, '-nogpulib', '-O3', ...unoptimised];
  const start = medianOf(() => clang(['--version']));
  const first = medianOf(() => clang([...translate, ...unoptimised])) - start;
  const optimised = medianOf(() => clang(translate)) - start;
  const generated = medianOf(() => clang([...generate, '-c', bitcode, '-o', inFolder('out/kernel.o')])) - start;
  return [ms(optimised + generated + start), ms(first), ms(optimised + generated)];
}

async function timeYowasp(where: string): Promise<string[]> {
  const bundle = pathToFileURL(path.join(where, 'gen', 'bundle.js')).href;
  const words = ['clang', '-x', 'cl', '-cl-std=CL2.0', '--target=amdgcn-amd-amdhsa', `-mcpu=${TARGET}`, '-nogpulib'];
  const compile = `await runClang(${JSON.stringify([...words, '-O3', '-emit-llvm', '-c', 'scale.cl', '-o', 'out.bc'])},
    { 'scale.cl': ${JSON.stringify(OPENCL)} }, { stdout: null, stderr: null, fetchProgress: null });`;
  const script = inFolder('yowasp.mjs');
  await writeFile(
    script,
    `import { runClang } from ${JSON.stringify(bundle)};
const times = [];
for (let round = 0; round < Number(process.argv[2]); round++) {
  const started = performance.now();
  ${compile}
  times.push(performance.now() - started);
}
export { times };
`,
  );
  const fresh = medianOf(() => timeProcess(process.execPath, [script, '1']));
  process.argv[2] = String(2 * rounds);
  const { times } = (await import(pathToFileURL(script).href)) as { times: number[] };
  return [ms(fresh), '', ms(median(times.slice(rounds)))];
}
