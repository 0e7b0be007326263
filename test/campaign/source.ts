/**
 * Every source of kernels/, from source.
 *
 * Without melding, beside native clang of the same LLVM with the same headers and libraries: are machine code and
 * kernel descriptors the same bytes? That is of HIP; opencl.ts compares OpenCL.
 *
 * Melded at either point, without contraction: does the simulator leave what the kernels' references say? The kernels
 * of the corpus that have no reference are compared with themselves, unmelded. gfx1201 is not simulated.
 *
 *   node dist/test/campaign/source.js [--targets gfx906,gfx1100] [--only parity|results|standards]
 *     [--meld-point late|early] [--level 0] [NAME...]
 *
 * And is all of the C++ library accepted in every standard?
 *
 * `build.sh --native` makes the native tools. Exit code 1 on any difference.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CORPUS, corpusLaunch, corpusSource } from '../../kernels/corpus/index.js';
import { launchSpec } from '../../kernels/corpus/launch.js';
import { CORPUS_REFERENCES } from '../../kernels/corpus/references.js';
import { expectedOutputs } from '../../kernels/references/index.js';
import { readSpecs, type KernelLaunch } from '../../kernels/references/specs.js';
import { createCompiler, type LaunchSpec } from '../../src/index.js';
import { complaintsOfAll } from '../support/all-headers.js';
import { REPOSITORY } from '../support/llvm.js';
import { compileNative, differingSections, hipFlags, unpackImage } from '../support/native-clang.js';

const TARGETS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201'];
const NOT_SIMULATED = ['gfx1201'];
const MELD_POINTS = ['late', 'early'] as const;
/** Two correct compilations give the same bytes only without contraction. */
const EXACT = ['-ffp-contract=off'];

type Defines = Readonly<Record<string, string | number>>;
/** Of the symbol that both would name after a hash of what they know, whose length moves what follows it. */
const UNIT_ID = '-cuid=unit';
/** One that all sources that are written for a size take. */
const ANY_SIZE: Defines = { SIZE: 64, KERNEL: 'kernel_64' };

const words = process.argv.slice(2);
const option = (name: string): string | undefined => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const targets = option('targets')?.split(',') ?? TARGETS;
const only = option('only');
const point = option('meld-point');
/** Of the parity. */
const level = `-O${option('level') ?? 3}`;
const points = MELD_POINTS.filter((each) => point === undefined || each === point);
const sources: string[] = [];
for (const folder of ['kernels', 'kernels/corpus'])
  for (const name of (await readdir(path.join(REPOSITORY, folder))).sort())
    if (/\.(hip|cl)$/.test(name) && (words.length === 0 || words.includes(path.parse(name).name)))
      sources.push(path.join(REPOSITORY, folder, name));

const folder = await mkdtemp(path.join(tmpdir(), 'darm-parity-'));
const image = path.join(folder, 'image');
await unpackImage(image);
const compiler = createCompiler({ threads: 2, tierPolicy: 'long' });

if (only === undefined || only === 'parity') {
  const totals = { same: 0, different: 0 };
  const hip = sources.filter((file) => file.endsWith('.hip'));
  for (const file of hip)
    for (const target of targets) {
      const defines = definesOf(file);
      const words = Object.entries(defines).map(([name, value]) => `-D${name}=${value}`);
      const [ours, theirs] = await Promise.all([
        compile(file, target, { meld: 'off', defines, flags: [UNIT_ID, level] }),
        compileNative([...hipFlags(image, target), UNIT_ID, ...words, file], target, folder, true, level),
      ]);
      const differing = differingSections(ours, theirs);
      totals[differing.length === 0 ? 'same' : 'different']++;
      if (differing.length > 0) console.log(`DIFFERENT ${nameOf(file)} ${target}: ${differing.join(', ')}`);
    }
  console.log(`${hip.length} sources, ${targets.length} targets: ${totals.same} the same, ${totals.different} not`);
  if (totals.different > 0) process.exitCode = 1;
}

if (only === undefined || only === 'results') {
  const totals = { equal: 0, different: 0 };
  const count = (target: string, kernel: string, complaint: string | null): void => {
    totals[complaint === null ? 'equal' : 'different']++;
    if (complaint !== null) console.log(`DIFFERENT ${target} ${kernel}: ${complaint}`);
  };
  const simulated = targets.filter((target) => !NOT_SIMULATED.includes(target));
  for (const file of sources)
    for (const target of simulated)
      for (const meldPoint of points)
        await (isCorpus(file) ? checkFamily : checkKernel)(file, target, meldPoint, count);
  const all = `${totals.equal} results equal, ${totals.different} not`;
  console.log(`${sources.length} sources, melded ${points.join(' and ')}, ${simulated.length} targets: ${all}`);
  if (totals.different > 0) process.exitCode = 1;
}
if (only === undefined || only === 'standards')
  for (const standard of ['c++11', 'c++14', 'c++17', 'c++20', 'c++23', 'c++26']) {
    const complaints = await complaintsOfAll(compiler, standard);
    console.log(`<bits/stdc++.h> in ${standard}: ${complaints === '' ? 'accepted' : `REFUSED\n${complaints}`}`);
    if (complaints !== '') process.exitCode = 1;
  }
await compiler.close();
await rm(folder, { recursive: true });

function nameOf(file: string): string {
  return path.parse(file).name;
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
  readonly meldPoint?: Point;
  readonly defines?: Defines;
  readonly flags?: readonly string[];
  readonly language?: 'opencl' | 'hip';
}

async function compile(file: string, mcpu: string, options: Options): Promise<Uint8Array> {
  const { artifacts } = await compiler.compile(await readFile(file), { language: 'hip', name: file, mcpu, ...options });
  return artifacts[0]!.bytes;
}

type Point = (typeof MELD_POINTS)[number];
type Count = (target: string, kernel: string, complaint: string | null) => void;

async function checkKernel(file: string, target: string, meldPoint: Point, count: Count): Promise<void> {
  let code: Uint8Array | null = null;
  for (const { kernel, spec } of launchesOf(file)) {
    const size = sizeOf(kernel);
    const defines: Defines = isSized(file) ? { SIZE: size!, KERNEL: kernel } : {};
    if (code === null || isSized(file)) code = await compile(file, target, { meldPoint, defines, flags: EXACT });
    count(target, kernel, difference(await outputs(code, spec), expectedOutputs(spec)));
  }
}

async function checkFamily(file: string, target: string, meldPoint: Point, count: Count): Promise<void> {
  const { options } = corpusSource(nameOf(file));
  const [melded, plain] = await Promise.all([
    compile(file, target, { ...options, meldPoint }),
    compile(file, target, { ...options, meld: 'off' }),
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
