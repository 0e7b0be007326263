/**
 * Every HIP source of kernels/, from source.
 *
 * Without melding, beside native clang of the same LLVM with the same headers and libraries: are machine code and
 * kernel descriptors the same bytes? Native clang makes optimised bitcode and then an object of it, and lld links that.
 *
 * Melded, at the default options but for contraction: does the simulator leave what the kernels' references say? The
 * kernels of the corpus that have no reference are compared with themselves, unmelded. gfx1201 is not simulated.
 *
 *   node dist/test/campaign/source.js [--targets gfx906,gfx1100] [--only parity|results] [NAME...]
 *
 * `build.sh --native` makes the native tools. Exit code 1 on any difference.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CORPUS, corpusLaunch } from '../../kernels/corpus/index.js';
import { launchSpec } from '../../kernels/corpus/launch.js';
import { CORPUS_REFERENCES } from '../../kernels/corpus/references.js';
import { expectedOutputs } from '../../kernels/references/index.js';
import { readSpecs, type KernelLaunch } from '../../kernels/references/specs.js';
import { frontendManifest } from '../../src/binding/load-frontend.js';
import { readPart } from '../../src/binding/load.js';
import { elfSectionBytes, parseElf } from '../../src/formats/elf.js';
import { createCompiler, type LaunchSpec } from '../../src/index.js';
import { REPOSITORY } from '../support/llvm.js';

const TARGETS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201'];
const NOT_SIMULATED = ['gfx1201'];
/** Two correct compilations give the same bytes only without contraction. */
const EXACT = ['-ffp-contract=off'];

type Defines = Readonly<Record<string, string | number>>;
/** One that all sources that are written for a size take. */
const ANY_SIZE: Defines = { SIZE: 64, KERNEL: 'kernel_64' };

const words = process.argv.slice(2);
const option = (name: string): string | undefined => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const targets = option('targets')?.split(',') ?? TARGETS;
const only = option('only');
const sources: string[] = [];
for (const folder of ['kernels', 'kernels/corpus'])
  for (const name of (await readdir(path.join(REPOSITORY, folder))).sort())
    if (name.endsWith('.hip') && (words.length === 0 || words.includes(name.slice(0, -4))))
      sources.push(path.join(REPOSITORY, folder, name));

const folder = await mkdtemp(path.join(tmpdir(), 'darm-parity-'));
const image = path.join(folder, 'image');
await unpackImage(image);
const compiler = createCompiler({ threads: 2, tierPolicy: 'long' });

if (only !== 'results') {
  const totals = { same: 0, different: 0 };
  for (const file of sources)
    for (const target of targets) {
      const ours = compile(file, target, { meld: 'off', defines: definesOf(file) });
      const [mine, theirs] = await Promise.all([ours, compileNative(file, target)]);
      const differing = ['.text', '.rodata'].filter((section) => !isSame(mine, theirs, section));
      totals[differing.length === 0 ? 'same' : 'different']++;
      if (differing.length > 0) console.log(`DIFFERENT ${nameOf(file)} ${target}: ${differing.join(', ')}`);
    }
  console.log(`${sources.length} sources, ${targets.length} targets: ${totals.same} the same, ${totals.different} not`);
  if (totals.different > 0) process.exitCode = 1;
}

if (only !== 'parity') {
  const totals = { equal: 0, different: 0 };
  const count = (target: string, kernel: string, complaint: string | null): void => {
    totals[complaint === null ? 'equal' : 'different']++;
    if (complaint !== null) console.log(`DIFFERENT ${target} ${kernel}: ${complaint}`);
  };
  const simulated = targets.filter((target) => !NOT_SIMULATED.includes(target));
  for (const file of sources)
    for (const target of simulated) await (isCorpus(file) ? checkFamily : checkKernel)(file, target, count);
  const all = `${totals.equal} results equal, ${totals.different} not`;
  console.log(`${sources.length} sources, melded, ${simulated.length} targets: ${all}`);
  if (totals.different > 0) process.exitCode = 1;
}
await compiler.close();
await rm(folder, { recursive: true });

function nameOf(file: string): string {
  return path.basename(file, '.hip');
}

function isCorpus(file: string): boolean {
  return path.basename(path.dirname(file)) === 'corpus';
}

/** A source that is written for a size is compiled once for each. */
function launchesOf(file: string): readonly KernelLaunch[] {
  return readSpecs([nameOf(file)]);
}

function isSized(file: string): boolean {
  return !isCorpus(file) && launchesOf(file).every(({ kernel }) => sizeOf(kernel) !== null);
}

function sizeOf(kernel: string): number | null {
  const size = /_(\d+)(?:x\d+)?$/.exec(kernel)?.[1];
  return size === undefined ? null : Number(size);
}

function definesOf(file: string): Defines {
  return isSized(file) ? ANY_SIZE : {};
}

interface Options {
  readonly meld?: 'off';
  readonly defines?: Defines;
  readonly flags?: readonly string[];
}

async function compile(file: string, mcpu: string, options: Options): Promise<Uint8Array> {
  const { artifacts } = await compiler.compile(await readFile(file), { language: 'hip', name: file, mcpu, ...options });
  return artifacts[0]!.bytes;
}

/** clang's own driver, but for the folders of headers. */
async function compileNative(file: string, target: string): Promise<Uint8Array> {
  const [bitcode, object, linked] = ['native.bc', 'native.o', 'native.hsaco'].map((name) => path.join(folder, name)) as [
    string, string, string,
  ]; // prettier-ignore
  const own = (flag: string, value: string): string[] => ['-Xclang', flag, '-Xclang', value];
  const run = (name: string, ...args: string[]): Promise<unknown> =>
    promisify(execFile)(path.join(REPOSITORY, 'build', 'bin', name), args);
  await run(
    'clang-23',
    ...['-x', 'hip', '--offload-device-only', '-nogpuinc', '-nostdinc', '-O3'],
    ...Object.entries(definesOf(file)).map(([name, value]) => `-D${name}=${value}`),
    ...[`--offload-arch=${target}`, `--rocm-device-lib-path=${image}/device`, '--target=x86_64-unknown-linux-musl'],
    ...own('-internal-isystem', `${image}/clang/include/cuda_wrappers`),
    ...['hip', 'darm', 'c++', 'clang/include'].flatMap((name) => own('-internal-isystem', `${image}/${name}`)),
    ...own('-internal-externc-isystem', `${image}/c`),
    ...own('-include', '__clang_hip_runtime_wrapper.h'),
    ...own('-include', 'darm_hip_declarations.h'),
    ...['-emit-llvm', '-c', file, '-o', bitcode],
  );
  const generate = ['-x', 'ir', '-nogpulib', '-O3', '-Xclang', '-disable-llvm-passes', '-c', bitcode, '-o', object];
  await run('clang-23', '--target=amdgcn-amd-amdhsa', `-mcpu=${target}`, ...generate);
  await run('ld.lld-23', '-shared', '--no-undefined', object, '-o', linked);
  return readFile(linked);
}

function isSame(ours: Uint8Array, theirs: Uint8Array, section: string): boolean {
  const [a, b] = [ours, theirs].map((bytes) => elfSectionBytes(parseElf(bytes), section));
  return a !== null && b !== null && Buffer.compare(a!, b!) === 0;
}

type Count = (target: string, kernel: string, complaint: string | null) => void;

async function checkKernel(file: string, target: string, count: Count): Promise<void> {
  let code: Uint8Array | null = null;
  for (const { kernel, spec } of launchesOf(file)) {
    const size = sizeOf(kernel);
    const defines: Defines = isSized(file) ? { SIZE: size!, KERNEL: kernel } : {};
    if (code === null || isSized(file)) code = await compile(file, target, { defines, flags: EXACT });
    count(target, kernel, difference(await outputs(code, spec), expectedOutputs(spec)));
  }
}

async function checkFamily(file: string, target: string, count: Count): Promise<void> {
  const [melded, plain] = await Promise.all([
    compile(file, target, { flags: EXACT }),
    compile(file, target, { flags: EXACT, meld: 'off' }),
  ]);
  for (const kernel of CORPUS.filter(({ family }) => family === nameOf(file))) {
    const launch = corpusLaunch(kernel, { seed: 1, size: 1 });
    const spec = launchSpec(kernel.name, launch);
    const found = await outputs(melded, spec);
    const reference = CORPUS_REFERENCES[kernel.name]?.(launch.args);
    const bytes = reference?.map((each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength));
    const names = [...found.keys()];
    const wanted = bytes && new Map(bytes.map((each, index) => [names[index]!, each]));
    count(target, kernel.name, difference(found, wanted ?? (await outputs(plain, spec))));
  }
}

async function outputs(code: Uint8Array, spec: LaunchSpec): Promise<ReadonlyMap<string, Uint8Array>> {
  const { buffers } = await compiler.simulate(code, spec, { cycles: false });
  return new Map(buffers.filter(({ out }) => out).map(({ name, bytes }) => [name, bytes]));
}

function difference(found: ReadonlyMap<string, Uint8Array>, wanted: ReadonlyMap<string, Uint8Array>): string | null {
  const differing = [...wanted].filter(([name, bytes]) => Buffer.compare(found.get(name)!, bytes) !== 0);
  return differing.length === 0 ? null : `'${differing.map(([name]) => name).join("', '")}' differ`;
}

/** The files of the image: see wasm/frontend/make-image.mjs. */
async function unpackImage(to: string): Promise<void> {
  const bytes = await readPart('headers', (await frontendManifest()).image, 'image');
  const words = new DataView(bytes.buffer, bytes.byteOffset);
  const part = (index: number): Uint8Array => {
    const start = words.getUint32(4 * index, true);
    return bytes.subarray(start, start + words.getUint32(4 * index + 4, true));
  };
  for (let file = 0; file < words.getUint32(0, true); file++) {
    const name = path.join(to, new TextDecoder().decode(part(1 + 4 * file)));
    await mkdir(path.dirname(name), { recursive: true });
    await writeFile(name, part(3 + 4 * file));
  }
}
