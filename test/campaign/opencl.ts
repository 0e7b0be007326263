/**
 * OpenCL kernels of real programs, as Debian ships them: what native clang compiles, ours compiles, with as many
 * messages; and what is compiled is melded and optimised without a crash. With the device libraries as AMD made them,
 * of which the package has OpenCL's in parts: without melding, are machine code and descriptors the same bytes?
 *
 *   node dist/test/campaign/opencl.js [--codegen N] [--first N] [--limit N] [--libraries FOLDER] FOLDER...
 *
 * A folder is an unpacked package: `apt-get download hashcat-data darktable python3-silx pyfai`, then
 * `dpkg-deb -x PACKAGE.deb FOLDER`; or a source, `apt-get source --tar-only opencv`. `--codegen` is of how many files
 * code is made, too (all; it takes far longer), `--limit` how many files of each folder are taken, from the one with
 * the number `--first`. `--libraries` is the folder of libraries in an unpacked `rocm-device-libs-22`. `build.sh
 * --native` makes the native tools. Exit code 1 on any difference.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCompiler, DarmError, type SourceDiagnostic } from '../../src/index.js';
import { REPOSITORY } from '../support/llvm.js';
import { compileNative, differingSections, openclFlags } from '../support/native-clang.js';

const words = process.argv.slice(2);
const option = (name: string): string | undefined => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const codegen = Number(option('codegen') ?? Infinity);
const first = Number(option('first') ?? 0);
const limit = Number(option('limit') ?? Infinity);
const libraries = option('libraries') ?? null;
if (words.length === 0) throw new Error('which folders? See the header of test/campaign/opencl.ts');
const work = await mkdtemp(path.join(tmpdir(), 'darm-opencl-'));
const TARGET = 'gfx906';

/** What hashcat defines when it compiles a kernel. */
const HASHCAT = [
  '-DKERNEL_STATIC', '-DXM2S(x)=#x', '-DM2S(x)=XM2S(x)', '-DLOCAL_MEM_TYPE=1', '-DVENDOR_ID=1', '-DDEVICE_TYPE=4', '-DHAS_SHFW=0',
  '-DVECT_SIZE=1', '-DDGST_R0=0', '-DDGST_R1=3', '-DDGST_R2=2', '-DDGST_R3=1', '-DDGST_ELEM=4', '-DKERN_TYPE=0', '-DATTACK_EXEC=11',
  '-DATTACK_KERN=0', '-DATTACK_MODE=0', '-DFIXED_LOCAL_SIZE_COMP=64', '-DFIXED_LOCAL_SIZE=64',
]; // prettier-ignore

/** What OpenCV defines, by value: one type, one channel, small sizes. Each kernel takes some of them. */
const OPENCV: Readonly<Record<string, string>> = {
  '1': 'ANX ANY CN GET_A INPUTS KERCN PAD_H PAD_W PX_LOAD_X_ITERATIONS PX_LOAD_Y_ITERATIONS PX_PER_WI_X PX_PER_WI_Y RADIUS RADIUSX RADIUSY STRIDE_H STRIDE_W anX anY cn dcn histdims kercn kercnX lcn nx ny rowsPerWI scn',
  float:
    'Dtype FLOAT FT SRCTYPE ST T T1 TN WT WT1 WTV dstT dstT1 dstT2 dstTC dstTK float_t sqddepthT sqdstT srcT srcT1 srcT1_C1 srcT2 sumSQT sumT wdepthT workT',
  '16': 'BLK_X BLK_Y BLOCK_COLS BLOCK_SIZE DIS_BORDER_SIZE LOCAL_SIZE LOCAL_SIZE_X LOCAL_SIZE_Y LSIZE0 LSIZE1 PATCH_RADIUS_DOUBLED TILE_DIM',
  '4': 'DIS_PATCH_SIZE_HALF DIS_PATCH_STRIDE HISTS_COUNT KERNEL_SIZE_Y2_ALIGNED NUM PX_LOAD_NUM_PX PX_LOAD_VEC_SIZE STRIDE_SIZE WSZ maxk',
  '3': 'DCN KERNEL_H KERNEL_SIZE_X KERNEL_SIZE_Y KERNEL_W KSIZE SCN ksX ksY',
  '': 'BINARY_OP BORDER_REPLICATE OP_ADD OP_CALC2 OP_ERODE OP_MERGE OP_SUM',
  convert_float: 'CONVERT_TO_FT CONVERT_TO_T convertToWT1 convertToWT2 convert_Dtype convert_T',
  noconvert: 'convertToDT convertToDstT convertToSDT convertToSqdepthT convertToT convertToWT',
  'DIG(1.0f)': 'COEFF KERNEL_MATRIX KERNEL_MATRIX_X KERNEL_MATRIX_Y',
  '5': 'DEPTH_dst DEPTH_src NMIXTURES',
  '8': 'BLOCK_ROWS DIS_PATCH_SIZE MINMAX_STRUCT_ALIGNMENT',
  FLT_MAX: 'DTYPE_MAX MAX_VAL VAL',
  '0': 'BIDX bidx',
  '128': 'WGS2 WGS2_ALIGNED',
  '256': 'BINS WGS',
  '-FLT_MAX': 'MIN_VAL',
  '2': 'radius',
  '3.14f': 'CV_PI',
  '6': 'greenbits',
  '7': 'NSAMPLES',
  convert_float4: 'PX_LOAD_FLOAT_VEC_CONV',
  float2: 'CT',
  float4: 'Dtype4',
};

const opencv = Object.entries(OPENCV).flatMap(([value, names]) => names.split(' ').map((name) => `-D${name}=${value}`));

const compiler = createCompiler({ threads: 1, tierPolicy: 'long', timeout: 300_000 });
const totals = {
  files: 0,
  compiled: 0,
  refusedByBoth: 0,
  differentOutcome: 0,
  differentMessages: 0,
  code: 0,
  notLinked: 0,
  failed: 0,
  sameCode: 0,
  sameThroughBitcode: 0,
  linkedByNeither: 0,
  differentCode: 0,
};

for (const folder of words) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.cl')).sort();
  for (const file of files.slice(first, first + limit)) await compare(path.join(folder, file));
}
console.log(Object.entries(totals).map(([name, count]) => `${name} ${count}`).join(', ')); // prettier-ignore
await compiler.close();
await rm(work, { recursive: true });
const bad = totals.differentOutcome + totals.differentMessages + totals.failed + totals.differentCode;
process.exitCode = bad > 0 ? 1 : 0;

function flagsFor(file: string): string[] {
  // hashcat's kernels include by this path: one that is not from the root would be looked for beside each of them.
  const folder = path.resolve(path.dirname(file));
  const own = /hashcat/.test(file) ? [...HASHCAT, `-DINCLUDE_PATH=${folder}`] : /opencv/.test(file) ? opencv : [];
  return ['-cl-std=CL2.0', `-I${folder}`, `-I${path.dirname(folder)}`, ...own];
}

async function compare(file: string): Promise<void> {
  totals.files++;
  const flags = flagsFor(file);
  const [ours, theirs] = await Promise.all([translated(file, flags), native(file, flags)]);
  if (ours.isDone !== theirs.isDone) {
    totals.differentOutcome++;
    console.log(`${file}: native clang ${theirs.isDone ? 'compiles' : 'refuses'} it, ours does not agree: ${ours.why}`);
    return;
  }
  if (ours.messages !== theirs.messages) {
    totals.differentMessages++;
    console.log(`${file}: ${theirs.messages} messages of native clang, ${ours.messages} of ours`);
  }
  totals[ours.isDone ? 'compiled' : 'refusedByBoth']++;
  if (ours.isDone && totals.code + totals.notLinked + totals.failed < codegen) await generate(file, flags);
  if (ours.isDone && libraries !== null) await compareCode(file, flags, libraries);
}

interface Outcome {
  readonly isDone: boolean;
  /** Errors and warnings. */
  readonly messages: number;
  readonly why: string;
}

async function translated(file: string, flags: readonly string[]): Promise<Outcome> {
  const count = (all: readonly SourceDiagnostic[]): number =>
    all.filter(({ severity }) => severity !== 'note' && severity !== 'remark').length;
  try {
    const { diagnostics } = await compiler.translate(await readFile(file), {
      language: 'opencl',
      name: file,
      mcpu: TARGET,
      flags,
    });
    return { isDone: true, messages: count(diagnostics), why: '' };
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    const all = error.source?.diagnostics ?? [];
    return { isDone: false, messages: count(all), why: error.message };
  }
}

function native(file: string, flags: readonly string[]): Promise<Outcome> {
  const clang = path.join(REPOSITORY, 'build', 'bin', 'clang-23');
  const own = ['-x', 'cl', '--target=amdgcn-amd-amdhsa', `-mcpu=${TARGET}`, '-nogpulib', '-O3', '-emit-llvm', '-c'];
  return new Promise((resolve) => {
    const words = [...own, '-Xclang', '-disable-llvm-passes', ...flags, file, '-o', '/dev/null'];
    execFile(clang, words, { maxBuffer: 2 ** 28 }, (error, _, log) => {
      const messages = [...log.matchAll(/^(?:.*: )?(?:fatal )?(?:error|warning): /gm)].length;
      resolve({ isDone: error === null, messages, why: '' });
    });
  });
}

async function generate(file: string, flags: readonly string[]): Promise<void> {
  try {
    const options = { language: 'opencl', name: file, mcpu: TARGET, flags } as const;
    const { functions } = await compiler.compile(await readFile(file), options);
    totals.code++;
    for (const { name, bailout } of functions)
      if (bailout !== null) console.log(`${file}: '${name}' is melded only in part: ${bailout}`);
  } catch (error) {
    // Such code calls what a host program would bring; `--libraries` shows whether native tools link it.
    totals[error instanceof DarmError && error.code === 'link-failed' ? 'notLinked' : 'failed']++;
    console.log(`${file}: ${(error as Error).message}`);
  }
}

async function compareCode(file: string, flags: readonly string[], folder: string): Promise<void> {
  const options = { language: 'opencl', name: file, mcpu: TARGET, flags, meld: 'off' } as const;
  const words = [...openclFlags(folder, TARGET), '-w', ...flags, file];
  const [ours, theirs] = await Promise.all([
    compiler.compile(await readFile(file), options).then(({ artifacts }) => artifacts[0]!.bytes, messageOf),
    compileNative(words, TARGET, work).catch(messageOf),
  ]);
  const isText = typeof ours === 'string' || typeof theirs === 'string';
  // What neither can link calls what a host program would bring.
  if (isText && typeof ours === typeof theirs) totals.linkedByNeither++;
  else if (isText) {
    totals.differentCode++;
    console.log(`${file}: other code: ${[ours, theirs].filter((each) => typeof each === 'string').join()}`);
  } else if (differingSections(ours, theirs).length === 0) totals.sameCode++;
  else if (differingSections(ours, await compileNative(words, TARGET, work, false)).length === 0) {
    totals.sameThroughBitcode++;
    console.log(`${file}: the code of native clang when it optimises what it has read from bitcode`);
  } else {
    totals.differentCode++;
    console.log(`${file}: other code: ${differingSections(ours, theirs).join(', ')}`);
  }
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}
