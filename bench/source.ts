/**
 * Source to code object without melding: HIP with its own headers and OpenCL C, in a fresh process and warm, beside
 * native clang (`build.sh --native`) with the same headers and libraries and, where it is installed, `@yowasp/clang`,
 * which has no code generator for AMD's processors, no HIP and no device libraries: it makes bitcode of OpenCL C.
 *
 * usage: node dist/bench/source.js [--rounds N] [--libraries FOLDER] [--yowasp FOLDER]
 *
 * `--libraries` is the folder of libraries in an unpacked package `rocm-device-libs-22`, for OpenCL by native clang;
 * `--yowasp` is `node_modules/@yowasp/clang`. Times of warm compilers are processor time, which says something on a
 * busy machine, too. A warm compiler has had `--rounds` compilations before. Of native clang the time to start is taken
 * away (`--version`), but for its fresh process.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCompiler } from '../src/index.js';
import { hipFlags, openclFlags, unpackImage } from '../test/support/native-clang.js';
import { median, ms, nativeTool, option, printTable, REPOSITORY, sum, timesOfProcess } from './support.js';

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

type Times = ReturnType<typeof timesOfProcess>;
const medians = (measure: () => Times): Times => {
  const all = Array.from({ length: rounds }, measure);
  return { wall: median(all.map(({ wall }) => wall)), processor: median(all.map(({ processor }) => processor)) };
};
const both = ({ wall, processor }: Times): [string, string] => [ms(wall), ms(processor)];
const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const rows: string[][] = [];
for (const [title, file, language] of [
  ['HIP with hip_runtime.h', hip, 'hip'],
  ['OpenCL C', cl, 'opencl'],
] as const) {
  const flags = ['--mcpu', TARGET, '--meld', 'off', '-o', inFolder('out/kernel.hsaco')];
  const fresh = (): Times =>
    timesOfProcess(process.execPath, [`${REPOSITORY}dist/command/main.js`, 'compile', file, ...flags]);
  fresh(); // unpacks
  rows.push([`${title}: darm`, ...both(medians(fresh)), ...(await warm(file, language))]);
  if (existsSync(nativeTool('clang-23'))) rows.push([`${title}: native clang`, ...(await native(file, language))]);
}
const yowasp = folderOf('yowasp');
if (yowasp !== null) rows.push(['OpenCL C: @yowasp/clang, bitcode', ...(await timeYowasp(yowasp))]);
console.log(`${TARGET}, -O3, not melded; medians of ${rounds}\n`);
printTable(['', 'fresh process', 'processor time', 'to unoptimised bitcode, warm', 'all of it, warm'], rows);

const dist = path.join(REPOSITORY, 'wasm', 'dist');
const sizes = await Promise.all(
  (await readdir(dist))
    .filter((name) => name.endsWith('.br'))
    .map(async (name) => (await stat(path.join(dist, name))).size),
);
console.log(`\ncompressed modules and headers: ${(sum(sizes) / 1e6).toFixed(1)} MB`);
await rm(folder, { recursive: true });

/** In V8's baseline code, as the command has it. */
async function warm(file: string, language: 'hip' | 'opencl'): Promise<string[]> {
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const source = await readFile(file);
  const translations: number[] = [];
  const totals: number[] = [];
  for (let round = 0; round < 2 * rounds; round++) {
    const options = { language, name: file, mcpu: TARGET } as const;
    const started = processorTime();
    await compiler.translate(source, options);
    const translated = processorTime();
    await compiler.compile(source, { ...options, meld: 'off' });
    totals.push(processorTime() - translated);
    translations.push(translated - started);
  }
  await compiler.close();
  return [ms(median(translations.slice(rounds))), ms(median(totals.slice(rounds)))];
}

/** In two processes, because clang's driver would start a third one for the linker. */
async function native(file: string, language: 'hip' | 'opencl'): Promise<string[]> {
  const libraries = folderOf('libraries');
  if (language === 'hip') await unpackImage(inFolder('image'));
  const flags =
    language === 'hip' ? hipFlags(inFolder('image'), TARGET) : openclFlags(libraries ?? inFolder('image'), TARGET);
  if (language === 'opencl' && libraries === null) flags.push('-nogpulib');
  const bitcode = inFolder('out/kernel.bc');
  const clang = (words: readonly string[]): Times => medians(() => timesOfProcess(nativeTool('clang-23'), words));
  const translate = [...flags, '-O3', '-emit-llvm', '-c', file, '-o', bitcode];
  const unoptimised = ['-Xclang', '-disable-llvm-passes'];
  const generate = ['-x', 'ir', '--target=amdgcn-amd-amdhsa', `-mcpu=${TARGET}`, '-nogpulib', '-O3', ...unoptimised];
  const start = clang(['--version']);
  const first = clang([...translate, ...unoptimised]);
  const optimised = clang(translate);
  const generated = clang([...generate, '-c', bitcode, '-o', inFolder('out/kernel.o')]);
  const all = optimised.processor + generated.processor - start.processor;
  return [
    ms(optimised.wall + generated.wall - start.wall),
    ms(all),
    ms(first.processor - start.processor),
    ms(all - start.processor),
  ];
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
  const started = process.cpuUsage();
  ${compile}
  const { user, system } = process.cpuUsage(started);
  times.push((user + system) / 1000);
}
export { times };
`,
  );
  const fresh = medians(() => timesOfProcess(process.execPath, [script, '1']));
  process.argv[2] = String(2 * rounds);
  const { times } = (await import(pathToFileURL(script).href)) as { times: number[] };
  return [...both(fresh), '', ms(median(times.slice(rounds)))];
}
