/**
 * Executes melded and unmelded kernels on the host and compares memory: first the kernels of kernels/ir, then random
 * ones until the time is up.
 *
 *   node dist/test/campaign/execute.js [--seconds N] [--seed S] [--kernel F] [--batch N] [--mode NAME] [--size N]
 *                                      [--no-shrink]
 *
 * `--kernel F` runs only the files of kernels/ir (or the path) whose name contains F, and no random kernels. A random
 * batch depends only on its seed. For a failure the command that repeats it is printed, and the smallest kernel that
 * still fails is written to build/campaign/. Needs clang-22 and opt-22 (CLANG and OPT give other names). Exit code 1 on
 * any failure.
 *
 * Failures are: other memory, a crash or a hang of the melded code; a function that the pipeline gave up (`bailout`);
 * an error of the pipeline, which for every fourth seed also compares its analyses with LLVM's. If the code that LLVM
 * compiles from the same input without melding already differs, the generator is at fault, and the message says so.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { readSpecs } from '../../kernels/references/specs.js';
import { compileLlvm, type LlvmCode } from '../../src/binding/load.js';
import { instantiateLlvm, type LlvmRuntime } from '../../src/binding/runtime.js';
import { NO_EVENTS } from '../../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../../src/job/options.js';
import { compileModule } from '../../src/pipeline/compile.js';
import { ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import { fillBuffer } from '../../src/simulator/launch/fill.js';
import type { ArgumentSpec, LaunchSpec } from '../../src/simulator/launch/spec.js';
import { setTierPolicy } from '../../src/workers/tier-policy.js';
import type { FunctionReport } from '../../src/job/results.js';
import { SCRATCH, build, execute, type Argument, type HostMode, type Launch, type Outcome } from './execute-host.js';
import { FAMILIES } from './families.js';
import { draw, smallest, type Drawn, type Kernel } from './random-kernel.js';
import { PREPARATIONS } from './random-module.js';

const OPT = process.env['OPT'] ?? 'opt-22';
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    kernel: { type: 'string' },
    batch: { type: 'string', default: '12' },
    mode: { type: 'string' },
    size: { type: 'string' },
    only: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
  },
});

// --- Compiling
// ------------------------------------------------------------------------------------------------------------

interface Mode {
  readonly name: string;
  readonly options: Partial<JobOptions>;
}
const paper = { profit: 'paper', threshold: 0.05 } as const;
const MODES: readonly Mode[] = [
  { name: 'late-paper', options: { ...paper } },
  { name: 'late-net', options: { profit: 'net' } },
  { name: 'early-paper', options: { ...paper, optimize: 'O3', meldPoint: 'early' } },
  { name: 'early-net', options: { profit: 'net', optimize: 'O3', meldPoint: 'early' } },
];
const OFF: Partial<JobOptions> = { meld: 'off' };

let wasm: LlvmCode | undefined;
let runtime: LlvmRuntime | undefined;

interface Compiled {
  readonly text: string;
  readonly functions: readonly FunctionReport[];
}

async function compile(input: Uint8Array, options: Partial<JobOptions>): Promise<Compiled> {
  wasm ??= await compileLlvm();
  if (!runtime || runtime.poisoned) runtime = await instantiateLlvm(wasm, { memoryLimitBytes: 2 ** 31 });
  const result = compileModule(runtime, input, { ...DEFAULT_OPTIONS, emit: ['ll'], ...options }, NO_EVENTS);
  return { text: new TextDecoder().decode(result.artifacts[0]!.bytes), functions: result.functions };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function prepare(text: string, passes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(OPT, ['-S', `-passes=${passes}`, '-o', '-', '-'], { maxBuffer: 1 << 28 }, (error, stdout) =>
      error ? reject(new Error(error.message)) : resolve(stdout),
    );
    child.stdin!.end(text);
  });
}

// --- Counting
// -------------------------------------------------------------------------------------------------------------

const totals = { passed: 0, failed: 0, kernels: 0, invalid: 0 };
const meldCounts = new Map<string, number>();
let meldedKernels = 0;

function count(mode: string, functions: readonly FunctionReport[]): void {
  for (const { melds } of functions)
    for (const { kind } of melds) meldCounts.set(`${mode} ${kind}`, (meldCounts.get(`${mode} ${kind}`) ?? 0) + 1);
  meldedKernels += functions.filter(({ melds }) => melds.length > 0).length;
}

function fail(what: string, how: string, repeat: string): void {
  totals.failed++;
  console.log(`FAIL ${what}: ${how}\n     ${repeat}`);
}

const started = performance.now();
const elapsed = (): number => (performance.now() - started) / 1000;
const firstLine = (error: unknown): string =>
  (error as Error).message.split('\n').slice(0, 3).join(' | ').slice(0, 400);

// --- The kernels of the repository
// ------------------------------------------------------------------------------------------

function argumentOf(spec: LaunchSpec, argument: ArgumentSpec): Argument {
  if (argument.kind === 'bytes') {
    const word = new Uint8Array(8);
    word.set(argument.bytes);
    return { scalar: new DataView(word.buffer).getBigUint64(0, true) };
  }
  const { element, length, fill } = spec.buffers[argument.buffer]!;
  const bytes = new Uint8Array(length * ELEMENT_BYTES[element]);
  fillBuffer(bytes, element, fill);
  return { bytes, out: true };
}

async function repositoryKernels(): Promise<void> {
  const folder = path.join(REPOSITORY, 'kernels');
  const specs: Launch[] = [];
  for (const { kernel, spec } of readSpecs()) {
    const { grid, block, args: list } = spec.launches[0]!;
    specs.push({ kernel, grid, block, args: list.map((each) => argumentOf(spec, each)) });
  }
  const files = (await readdir(path.join(folder, 'ir')))
    .filter((name) => /\.gfx\w+\.(O3|early|O3-g)\.bc$/.test(name))
    .sort();
  for (const file of files.filter((name) => !args.kernel || name.includes(args.kernel))) {
    const bytes = await readFile(path.join(folder, 'ir', file));
    const repeat = `npm run test:execute -- --kernel ${file}`;
    try {
      const reference = await compile(bytes, OFF);
      const mine = specs.filter(({ kernel }) => reference.functions.some(({ name }) => name === kernel));
      const modes = MODES.filter(({ name }) => !args.mode || name === args.mode);
      const builds = [await build('reference', reference.text, 'junk')];
      const names = ['reference'];
      for (const mode of modes) {
        const melded = await compile(bytes, mode.options);
        count(mode.name, melded.functions);
        for (const fn of melded.functions)
          if (fn.bailout !== null) fail(`${file} ${mode.name} ${fn.name}`, `bailout: ${fn.bailout}`, repeat);
        for (const host of ['junk', 'exploit'] as const) {
          builds.push(await build(`${mode.name}-${host}`, melded.text, host));
          names.push(`${mode.name} ${host}`);
        }
      }
      for (const { kernel, build: index, verdict } of await execute(builds, mine)) {
        if (index === 0) totals.kernels++;
        if (verdict === 'same') totals.passed++;
        else fail(`${file} ${kernel} ${names[index]}`, verdict, repeat);
      }
    } catch (error) {
      fail(file, firstLine(error), repeat);
    }
  }
}

// --- Random kernels
// -------------------------------------------------------------------------------------------------------

const { body: bodyOfSize, module: emitModule, launch: launchOf } = FAMILIES.plain;
const BODIES = [1, 2, 3, 4].map(bodyOfSize);

interface Case {
  readonly seed: number;
  readonly preparation: string;
  readonly host: HostMode;
}

/** The parts of a batch, which depend on its seed. */
function caseOf(seed: number): Case {
  return { seed, preparation: PREPARATIONS[seed % PREPARATIONS.length]!, host: seed % 4 === 3 ? 'exploit' : 'junk' };
}

const inputOf = (mode: Mode, raw: string, prepared: string): string =>
  mode.options.meldPoint === 'early' ? raw : prepared;

interface Finding {
  readonly kernel: string;
  readonly mode: Mode;
  readonly how: string;
}

/**
 * Compiles and runs kernels in some modes; with `judge` also without melding, to find out whose fault a difference is.
 */
async function check(
  kernels: readonly Kernel[],
  c: Case,
  modes: readonly Mode[],
  counting: boolean,
  judge: boolean,
): Promise<{ findings: Finding[]; invalid: string[] }> {
  const raw = emitModule(kernels);
  const findings: Finding[] = [];
  const invalid: string[] = [];
  const prepared =
    modes.some(({ options }) => options.meldPoint !== 'early') || judge ? await prepare(raw, c.preparation) : raw;
  const pending: Promise<string>[] = [build('raw', raw, 'junk', c.seed)];
  const names: (Mode | 'off')[] = ['off'];
  for (const mode of modes) {
    try {
      const options = { ...mode.options, verifyAnalyses: c.seed % 4 === 0 };
      const compiled = await compile(encode(inputOf(mode, raw, prepared)), options);
      if (counting) count(mode.name, compiled.functions);
      for (const fn of compiled.functions)
        if (fn.bailout !== null) findings.push({ kernel: fn.name, mode, how: `bailout: ${fn.bailout}` });
      pending.push(build(mode.name, compiled.text, c.host, c.seed));
      names.push(mode);
    } catch (error) {
      findings.push({ kernel: '', mode, how: `error: ${firstLine(error)}` });
    }
  }
  if (judge) {
    pending.push(
      build('off', prepared, c.host, c.seed),
      build('off-O3', await prepare(raw, 'default<O3>'), c.host, c.seed),
    );
    names.push('off', 'off');
  }
  const builds = await Promise.all(pending);
  const outcomes: Outcome[] = await execute(
    builds,
    kernels.map(({ name }, index) => launchOf(name, c.seed + index)),
  );
  for (const { kernel, build: index, verdict } of outcomes) {
    const mode = names[index]!;
    if (verdict === 'same') totals.passed += counting ? 1 : 0;
    else if (mode === 'off') invalid.push(`${kernel}: ${verdict}`);
    else findings.push({ kernel, mode, how: verdict });
  }
  return { findings, invalid };
}

const classOf = (how: string): string =>
  how.startsWith('bailout') || how.startsWith('error') ? how.replace(/[%@'"][\w.]+|\d+/g, '').slice(0, 60) : 'result';

async function shrink(kernel: Drawn, c: Case, finding: Finding, seconds: number): Promise<Kernel> {
  const isResult = classOf(finding.how) === 'result';
  return smallest(kernel, seconds, async (smaller) => {
    try {
      const { findings, invalid } = await check([smaller], c, [finding.mode], false, isResult);
      return invalid.length === 0 && findings.some(({ how }) => classOf(how) === classOf(finding.how));
    } catch {
      return false;
    }
  });
}

/** Writes the kernel, the input of melding and its output. */
async function save(kernel: Kernel, c: Case, finding: Finding): Promise<string> {
  const base = path.join(SCRATCH, `failure-${c.seed}-${kernel.name}-${finding.mode.name}`);
  const raw = emitModule([kernel]);
  const prepared = await prepare(raw, c.preparation);
  await writeFile(`${base}.raw.ll`, raw);
  await writeFile(`${base}.prepared.ll`, prepared);
  await writeFile(`${base}.tree.json`, JSON.stringify(kernel.body, null, 1));
  try {
    const { text, functions } = await compile(encode(inputOf(finding.mode, raw, prepared)), finding.mode.options);
    await writeFile(`${base}.melded.ll`, text);
    await writeFile(`${base}.melds.json`, JSON.stringify(functions, null, 1));
  } catch (error) {
    await writeFile(`${base}.error.txt`, (error as Error).stack ?? '');
  }
  return base;
}

async function investigate(kernels: readonly Drawn[], c: Case, finding: Finding): Promise<void> {
  const repeat = `npm run test:execute -- --seed ${c.seed} --seconds 1 --batch ${args.batch} --mode ${finding.mode.name}${args.size ? ` --size ${args.size}` : ''}`;
  const suspects = kernels.filter(
    ({ name }) => finding.kernel === '' || name === finding.kernel || !kernels.some((k) => k.name === finding.kernel),
  );
  for (const kernel of suspects) {
    const alone = await check([kernel], { ...c }, [finding.mode], false, true).catch((error: unknown) => ({
      findings: [{ ...finding, how: `error: ${firstLine(error)}` }],
      invalid: [] as string[],
    }));
    if (alone.invalid.length > 0) {
      totals.invalid++;
      console.log(`INVALID ${kernel.name}, seed ${c.seed}: LLVM alone differs: ${alone.invalid.join('; ')}`);
      return;
    }
    const again = alone.findings.find(({ how }) => classOf(how) === classOf(finding.how));
    if (!again) continue;
    const small = args['no-shrink'] ? kernel : await shrink(kernel, c, again, 60);
    const base = await save(small, c, again);
    fail(
      `${kernel.name} ${finding.mode.name} after ${c.preparation}`,
      again.how,
      `${repeat}\n     ${path.relative(REPOSITORY, base)}.*`,
    );
    return;
  }
  fail(`batch ${finding.mode.name} ${finding.kernel}`, `${finding.how} (only in the whole batch)`, repeat);
}

/** After this many failures something is broken in general. */
const MOST_FAILURES = 20;

async function randomKernels(): Promise<void> {
  const seconds = Number(args.seconds);
  const modes = MODES.filter(({ name }) => !args.mode || name === args.mode);
  for (let seed = Number(args.seed); elapsed() < seconds && totals.failed < MOST_FAILURES; seed++) {
    const c = caseOf(seed);
    let kernels = Array.from({ length: Number(args.batch) }, (_, index) => {
      const size = args.size ? Number(args.size) : 1 + ((seed + index) % 3);
      return draw(`k${seed}_${index}`, BODIES[size - 1]!, Math.imul(seed, 1009) + index);
    });
    if (args.only) kernels = kernels.filter(({ name }) => name === args.only);
    totals.kernels += kernels.length;
    try {
      const { findings, invalid } = await check(kernels, c, modes, true, false);
      for (const text of invalid) {
        totals.invalid++;
        console.log(`INVALID ${text}, seed ${seed}`);
      }
      const seen = new Set<string>();
      for (const finding of findings) {
        const key = `${finding.kernel} ${classOf(finding.how)}`;
        if (seen.has(key)) {
          totals.failed++;
          continue;
        }
        seen.add(key);
        await investigate(kernels, c, finding);
      }
    } catch (error) {
      fail(`seed ${seed}`, `of the campaign itself: ${firstLine(error)}`, '');
    }
  }
}

await mkdir(SCRATCH, { recursive: true });
setTierPolicy('long');
if (!args.only && !args.mode) await repositoryKernels();
if (!args.kernel) await randomKernels();
for (const file of await readdir(SCRATCH))
  if (file.startsWith(`${process.pid}-`) || file === `driver-${process.pid}`)
    await rm(path.join(SCRATCH, file), { force: true });
console.log(
  `${totals.kernels} kernels, ${meldedKernels} functions melded, ${totals.invalid} invalid, ${elapsed().toFixed(0)} s`,
);
for (const [kind, melds] of [...meldCounts].sort()) console.log(`  ${kind}: ${melds} melds`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
