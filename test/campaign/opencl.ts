/**
 * OpenCL kernels of real programs, as Debian ships them: what native clang compiles, ours compiles, with as many
 * messages; and what is compiled is melded and optimised without a crash.
 *
 *   node dist/test/campaign/opencl.js [--codegen N] [--limit N] FOLDER...
 *
 * A folder is an unpacked package: `apt-get download hashcat-data darktable python3-silx pyfai`, then
 * `dpkg-deb -x PACKAGE.deb FOLDER`. `--codegen` is of how many files code is made, too (all; it takes far longer),
 * `--limit` how many files of each folder are taken. `build.sh --native` makes the native clang. Exit code 1 on any
 * difference.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createCompiler, DarmError, type SourceDiagnostic } from '../../src/index.js';
import { REPOSITORY } from '../support/llvm.js';

const words = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(words.splice(at, 2)[1]);
};
const codegen = option('codegen', Infinity);
const limit = option('limit', Infinity);
const TARGET = 'gfx906';

/** What hashcat defines when it compiles a kernel. */
const HASHCAT = [
  '-DKERNEL_STATIC', '-DXM2S(x)=#x', '-DM2S(x)=XM2S(x)', '-DLOCAL_MEM_TYPE=1', '-DVENDOR_ID=1', '-DDEVICE_TYPE=4', '-DHAS_SHFW=0',
  '-DVECT_SIZE=1', '-DDGST_R0=0', '-DDGST_R1=3', '-DDGST_R2=2', '-DDGST_R3=1', '-DDGST_ELEM=4', '-DKERN_TYPE=0', '-DATTACK_EXEC=11',
  '-DATTACK_KERN=0', '-DATTACK_MODE=0', '-DFIXED_LOCAL_SIZE_COMP=64', '-DFIXED_LOCAL_SIZE=64',
]; // prettier-ignore

const compiler = createCompiler({ threads: 1, tierPolicy: 'long', timeout: 300_000 });
const totals = {
  files: 0,
  compiled: 0,
  refusedByBoth: 0,
  differentOutcome: 0,
  differentMessages: 0,
  code: 0,
  failed: 0,
};

for (const folder of words) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.cl')).sort();
  for (const file of files.slice(0, limit)) await compare(path.join(folder, file));
}
console.log(Object.entries(totals).map(([name, count]) => `${name} ${count}`).join(', ')); // prettier-ignore
await compiler.close();
process.exitCode = totals.differentOutcome + totals.differentMessages + totals.failed > 0 ? 1 : 0;

function flagsFor(file: string): string[] {
  // hashcat's kernels include by this path: one that is not from the root would be looked for beside each of them.
  const folder = path.resolve(path.dirname(file));
  const own = /hashcat/.test(file) ? [...HASHCAT, `-DINCLUDE_PATH=${folder}`] : [];
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
  if (ours.isDone && totals.code + totals.failed < codegen) await generate(file, flags);
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
    const all = (error.source?.diagnostics ?? []) as readonly SourceDiagnostic[];
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
    totals.failed++;
    console.log(`${file}: ${(error as Error).message}`);
  }
}
