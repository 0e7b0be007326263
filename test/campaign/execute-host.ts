/**
 * Runs GPU kernels on the host: rewrites textual LLVM IR for x86-64, builds shared objects with the system's clang 22,
 * and lets driver.c execute and compare them. It is an oracle for melding that has nothing in common with it: every
 * thread is executed by itself, so results do not depend on waves, lanes or divergence.
 *
 * The rewriting strips address spaces (all memory is flat), calling conventions and target attributes, replaces
 * `llvm.amdgcn.*` by functions of the driver, and puts LDS into one section that the driver overwrites before each
 * workgroup. An operand that is `undef` or `poison` becomes a wild value, and so does the result of a scalar operation
 * that violates its `nuw`, `nsw`, `exact`, `disjoint`, `nneg` or `samesign`: in a correct program such a value never
 * reaches memory, an address, a divisor or a branch. Addresses in LDS and private memory are 64 bits wide instead of
 * 32; programs in which they wrap around are not supported, nor are inline asm and dynamic LDS. A cross-lane operation
 * behaves as in a wave of one lane: that is enough to compare two forms of a kernel, but does not give its real result.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withFlagsChecked, withoutPoison } from './execute-poison.js';

const run = promisify(execFile);
const CLANG = process.env['CLANG'] ?? 'clang-22';
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
export const SCRATCH = path.join(REPOSITORY, 'build', 'campaign');

/**
 * `junk`: -O0, with wild values for poison. `exploit`: -O2, with poison left in, so that the host's optimiser uses it.
 */
export type HostMode = 'junk' | 'exploit';

// --- Rewriting
// ------------------------------------------------------------------------------------------------------------

const INTRINSICS: Readonly<Record<string, string>> = {
  'llvm.amdgcn.workitem.id.x': 'host_workitem_id_x',
  'llvm.amdgcn.workitem.id.y': 'host_workitem_id_y',
  'llvm.amdgcn.workitem.id.z': 'host_workitem_id_z',
  'llvm.amdgcn.workgroup.id.x': 'host_workgroup_id_x',
  'llvm.amdgcn.workgroup.id.y': 'host_workgroup_id_y',
  'llvm.amdgcn.workgroup.id.z': 'host_workgroup_id_z',
  'llvm.amdgcn.implicitarg.ptr': 'host_implicitarg_ptr',
  'llvm.amdgcn.dispatch.ptr': 'host_dispatch_ptr',
  'llvm.amdgcn.readfirstlane.i32': 'host_readfirstlane',
  'llvm.amdgcn.s.barrier': 'host_barrier',
};

/** Cross-lane operations in a wave of one lane: their parameters and results. */
const LANES: Readonly<Record<string, string>> = {
  'readlane.i32': 'i32 (i32 %r, i32 %lane)',
  'ds.bpermute': 'i32 (i32 %lane, i32 %r)',
  'ds.permute': 'i32 (i32 %lane, i32 %r)',
  'ds.swizzle': 'i32 (i32 %r, i32 %pattern)',
  'update.dpp.i32': 'i32 (i32 %old, i32 %r, i32 %control, i32 %rows, i32 %banks, i1 %bound)',
  'mbcnt.lo': 'i32 (i32 %mask, i32 %r)',
  'mbcnt.hi': 'i32 (i32 %mask, i32 %r)',
  'wave.reduce.umin.i32': 'i32 (i32 %r, i32 %strategy)',
  'wave.reduce.umax.i32': 'i32 (i32 %r, i32 %strategy)',
  'ballot.i32': 'i32 (i1 %bit)',
  'ballot.i64': 'i64 (i1 %bit)',
};

/** The name of a function, added to `helpers`, for a cross-lane operation; null for other intrinsics. */
function laneFunction(intrinsic: string, helpers: Map<string, string>): string | null {
  const operation = intrinsic.slice('llvm.amdgcn.'.length);
  const signature = LANES[operation];
  if (signature === undefined) return null;
  const name = `lanes.${operation}`;
  const [result, list] = [signature.slice(0, 3), signature.slice(4)];
  const isBallot = operation.startsWith('ballot.');
  const body = isBallot ? `  %r = zext i1 %bit to ${result}\n  ret ${result} %r` : '  ret i32 %r';
  helpers.set(name, `define internal ${result} @${name}${list} {\n${body}\n}`);
  return name;
}

/** Splits at commas that are not within brackets. */
function parameters(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= list.length; at++) {
    if ('([{<'.includes(list[at] ?? ' ')) depth++;
    if (')]}>'.includes(list[at] ?? ' ')) depth--;
    if (at === list.length || (list[at] === ',' && depth === 0)) {
      parts.push(list.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

/** A wrapper that loads its kernel's arguments from memory: `host.NAME(ptr to an array of pointers to arguments)`. */
function entryPoint(name: string, types: readonly string[]): string {
  const lines = types.flatMap((type, index) => [
    `  %s${index} = getelementptr ptr, ptr %slots, i64 ${index}`,
    `  %p${index} = load ptr, ptr %s${index}`,
    `  %a${index} = load ${type}, ptr %p${index}`,
  ]);
  const list = types.map((type, index) => `${type} %a${index}`).join(', ');
  return [`define void @host.${name}(ptr %slots) {`, ...lines, `  call void @${name}(${list})`, '  ret void', '}'].join(
    '\n',
  );
}

/**
 * A line of LLVM 23 as LLVM 22 writes it: the bits of floats, those of a `float` as a double's, and decimals that are
 * no `float` exactly; and without the memory that only the later one knows.
 */
function inOlderText(line: string): string {
  const ofDouble = (number: number): string => {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    return `0x${view.getBigUint64(0).toString(16).toUpperCase().padStart(16, '0')}`;
  };
  const ofSingle = (bits: string): string => {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, Number.parseInt(bits, 16));
    return ofDouble(view.getFloat32(0));
  };
  const short = line.includes('bfloat') ? '0xR' : '0xH';
  const older = line
    .replace(/, target_mem\d*: \w+/g, '')
    .replace(/\bf0x([0-9A-F]{16})\b/g, '0x$1')
    .replace(/\bf0x([0-9A-F]{8})\b/g, (_, bits: string) => ofSingle(bits))
    .replace(/\bf0x([0-9A-F]{4})\b/g, `${short}$1`);
  if (!/\bfloat\b/.test(older)) return older;
  return older.replace(/(?<=[ (])(?<!double )-?\d+\.\d+e[-+]\d+(?=[,\s)>\]]|$)/g, (text) =>
    ofDouble(Math.fround(Number(text))),
  );
}

export interface HostModule {
  readonly text: string;
  readonly kernels: readonly string[];
}

/** @param seed varies the wild values */
export function toHost(ir: string, mode: HostMode, seed = 0): HostModule {
  const kernels: { name: string; types: string[] }[] = [];
  const declared = new Set<string>();
  const helpers = new Map<string, string>();
  const lines: string[] = [];
  let stripped = ir
    .replace(/,? addrspace\(\d+\)/g, '')
    .replace(/ syncscope\("[^"]*"\)/g, '')
    .replace(/addrspacecast \((ptr [@%][\w.$]+) to ptr\)/g, (_, pointer: string) => pointer.slice(4))
    .replace(/addrspacecast (ptr .+?) to ptr/g, 'bitcast $1 to ptr');
  // The overloads that LLVM mangles by address space become one function.
  stripped = stripped.replace(/@llvm\.[\w.]+/g, (name) => name.replace(/\.p\d+(?=\.|$)/g, '.p0'));
  const original = ir.split('\n');
  for (const [index, text] of stripped.split('\n').entries()) {
    let line = text;
    if (
      /^target (datalayout|triple)/.test(line) ||
      /^@llvm\.(compiler\.)?used/.test(line) ||
      /^source_filename/.test(line)
    )
      continue;
    if (/ asm /.test(line)) throw new Error('inline asm does not run on the host');
    if (/^@/.test(line) && original[index]!.includes('addrspace(3)')) {
      if (/external/.test(line)) throw new Error('dynamic LDS is not supported on the host');
      line = line.replace(/ (undef|poison|zeroinitializer)(?=,|$)/, ' zeroinitializer, section "lds"');
    }
    if (/^attributes #/.test(line)) line = line.replace(/ "[^"]*"(="[^"]*")?/g, '');
    line = inOlderText(line);
    if (line.startsWith('define')) {
      if (line.includes('amdgpu_kernel')) {
        const [, name, list] = /@([\w.$]+)\((.*)\)[^()]*(?:\([^()]*\)[^()]*)*\{$/.exec(line)!;
        const types = parameters(list!).map((each) => /^(<[^>]*>|\S+)/.exec(each)![1]!);
        kernels.push({ name: name!, types });
      }
      line = line.replace(/ amdgpu_kernel/, '').replace(/ protected/, '');
    }
    // A copy of a register, made by wasm/select.cpp.
    if (/^declare .*@llvm\.amdgcn\.softwqm\./.test(line)) continue;
    line = line.replace(/ (?:tail )?call (.+) @llvm\.amdgcn\.softwqm\.[\w.]+\(\1 ([^)]+)\)/, ' freeze $1 $2');
    line = line.replace(/@(llvm\.amdgcn\.[\w.]+)/g, (_, name: string) => {
      const lanes = laneFunction(name, helpers);
      if (lanes !== null) return `@${lanes}`;
      if (!(name in INTRINSICS)) throw new Error(`${name} does not run on the host`);
      return `@${INTRINSICS[name]}`;
    });
    if (line.startsWith('declare')) {
      const name = /@[\w.$]+/.exec(line)![0];
      if (declared.has(name) || name.startsWith('@lanes.')) continue;
      declared.add(name);
      if (name.startsWith('@host_'))
        line = line.replace(/ #\d+$/, '').replace(/ (noundef|range\([^)]*\)|align \d+|dereferenceable\(\d+\))/g, '');
    }
    lines.push(mode === 'junk' ? withFlagsChecked(withoutPoison(line, index + seed), index + seed, helpers) : line);
  }
  const lds = `
@host.lds = internal global [16 x i8] zeroinitializer, section "lds", align 16
@__start_lds = external hidden global i8
@__stop_lds = external hidden global i8
@llvm.used = appending global [1 x ptr] [ptr @host.lds], section "llvm.metadata"
define ptr @host.lds.begin() {
  ret ptr @__start_lds
}
define ptr @host.lds.end() {
  ret ptr @__stop_lds
}`;
  const entries = kernels.map(({ name, types }) => entryPoint(name, types));
  const text = ['target triple = "x86_64-unknown-linux-gnu"', ...lines, lds, ...helpers.values(), ...entries, ''].join(
    '\n',
  );
  return { text, kernels: kernels.map(({ name }) => name) };
}

// --- Building and running
// -------------------------------------------------------------------------------------------------

let driver: Promise<string> | undefined;

async function buildDriver(): Promise<string> {
  await mkdir(SCRATCH, { recursive: true });
  const source = path.join(REPOSITORY, 'test', 'campaign', 'driver.c');
  const binary = path.join(SCRATCH, `driver-${process.pid}`);
  await run(CLANG, ['-O1', '-w', '-rdynamic', source, '-o', binary, '-ldl']);
  return binary;
}

/** Builds a shared object and returns its path. */
export async function build(name: string, ir: string, mode: HostMode, seed = 0): Promise<string> {
  await mkdir(SCRATCH, { recursive: true });
  const base = path.join(SCRATCH, `${process.pid}-${name}`);
  await writeFile(`${base}.host.ll`, toHost(ir, mode, seed).text);
  const level = mode === 'junk' ? '-O0' : '-O2';
  await run(
    CLANG,
    [
      level,
      '-w',
      '-ffp-contract=off',
      '-fPIC',
      '-shared',
      '-Wl,--build-id=none',
      `${base}.host.ll`,
      '-o',
      `${base}.so`,
      '-lm',
    ],
    {
      maxBuffer: 1 << 26,
    },
  );
  return `${base}.so`;
}

export type Argument =
  | { readonly bytes: Uint8Array; readonly out: boolean }
  | { /** Raw bits. */ readonly scalar: bigint; /** 4 if not given. */ readonly bytes?: number };

export interface Launch {
  readonly kernel: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly args: readonly Argument[];
}

export interface Outcome {
  readonly kernel: string;
  /** Index of the build. */
  readonly build: number;
  /** `same`, or a description of the failure. */
  readonly verdict: string;
}

/** Runs every launch in every build; build 0 is the reference for the others. */
export async function execute(builds: readonly string[], launches: readonly Launch[]): Promise<Outcome[]> {
  return drive(builds, launches, []);
}

/** The contents of the buffers after each launch of one build, or a description of the failure. */
export async function contentsAfter(
  build: string,
  launches: readonly Launch[],
): Promise<readonly (readonly Uint8Array[] | string)[]> {
  const file = path.join(SCRATCH, `${process.pid}-results.bin`);
  const outcomes = await drive([build], launches, [file]);
  const all = await readFile(file);
  let offset = 0;
  return launches.map(({ args }, index) => {
    const contents = args.flatMap((arg) => {
      if ('scalar' in arg) return [];
      offset += arg.bytes.length;
      return [Uint8Array.from(all.subarray(offset - arg.bytes.length, offset))];
    });
    const { verdict } = outcomes[index]!;
    return verdict === 'same' ? contents : verdict;
  });
}

async function drive(
  builds: readonly string[],
  launches: readonly Launch[],
  results: readonly string[],
): Promise<Outcome[]> {
  driver ??= buildDriver();
  const binary = await driver;
  const jobs = builds.map((file) => `lib ${file}`);
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (const { kernel, grid, block, args } of launches) {
    jobs.push(`kernel ${kernel} ${grid.join(' ')} ${block.join(' ')}`);
    for (const arg of args) {
      if ('scalar' in arg) {
        jobs.push(`scalar ${arg.scalar}`);
        continue;
      }
      jobs.push(`buffer ${offset} ${arg.bytes.length} ${arg.out ? 1 : 0}`);
      chunks.push(arg.bytes);
      offset += arg.bytes.length;
    }
    jobs.push('run');
  }
  const data = path.join(SCRATCH, `${process.pid}-data.bin`);
  await writeFile(data, Buffer.concat(chunks));
  const output = await new Promise<string>((resolve, reject) => {
    const child = spawn(binary, [data, ...results], { stdio: ['pipe', 'pipe', 'pipe'] });
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`driver: exit ${code}: ${errors}`))));
    child.stdin.end(`${jobs.join('\n')}\n`);
  });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [kernel, build, ...verdict] = line.split(' ');
      return { kernel: kernel!, build: Number(build), verdict: verdict.join(' ') };
    });
}
