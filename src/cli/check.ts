/**
 * `darm check`: simulates the same launches with and without melding, or with two code objects. It reports whether the
 * memory afterwards is the same, and how the counters differ.
 */
import type { Compiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { sniffInput } from '../formats/bitcode.js';
import { inspectCodeObject } from '../formats/code-object.js';
import { differences, type Difference, type Tolerance } from '../simulator/compare.js';
import { sumCounters } from '../simulator/counters.js';
import { defaultSpec } from '../simulator/launch/default-spec.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { LaunchResult, SimulationResult } from '../simulator/run.js';
import type { CheckFlags } from './arguments.js';
import { visibleLine } from '../report/visible.js';
import { simulationOptions } from './option-groups.js';
import type { Measured } from '../report/counter-rows.js';
import { counterText } from './counter-table.js';
import { readInput, writeStandardOutput } from '../files.js';
import { readSpec } from './launch-spec.js';
import { reportError, warn } from './messages.js';
import { withPlanText } from './plan.js';
import { profileForm, writeProfile } from './profile.js';
import { checkCodeObject, simulatingCompiler } from './run.js';
import { moduleOf, sourceLanguage } from './source.js';

/** Limit for made-up inputs, with which a kernel may never end. */
const MADE_UP_INSTRUCTIONS = 5_000_000;
export const FAST_MATH_TOLERANCE: Tolerance = { f16: 2e-3, f32: 1e-5, f64: 1e-12 };

/** Two code objects that should do the same. */
interface Pair {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** The names of the two in reports. */
  readonly titles: readonly [string, string];
  /** Whether results may rightly differ in their last bits. */
  readonly fastMath: boolean;
  /** What they were compiled from; null if that was no source. */
  readonly source: string | null;
}

/** What is compared, and how. */
interface Comparison {
  readonly compiler: Compiler;
  readonly pair: Pair;
  readonly tolerance: Tolerance;
  readonly flags: CheckFlags;
}

/** A launch of the first code object, to be repeated with the second. */
interface FirstRun {
  readonly result: SimulationResult;
  readonly spec: LaunchSpec;
  readonly input: number;
  readonly madeUp: boolean;
}

interface KernelCheck {
  readonly kernel: string;
  /** Number of inputs with which both code objects were compared. */
  inputs: number;
  /** Why made-up inputs do not fit the kernel. */
  readonly unfit: string[];
  readonly before: LaunchResult[];
  readonly after: LaunchResult[];
  readonly differences: (Difference & { readonly input: number })[];
  /** Errors of the second code object with inputs for which the first had none. */
  readonly failures: string[];
}

/** @returns the exit code: 0 if both do the same, 1 if they differ or nothing could be checked */
export async function runCheck(input: string, other: string | null, given: CheckFlags): Promise<number> {
  const flags = await withPlanText(given);
  if (flags.spec === '-') throw new DarmError('usage', 'darm check cannot read a launch spec from standard input');
  if (flags.profile !== undefined) profileForm(flags.profile);
  const compiler = simulatingCompiler(flags);
  const pair = await makePair(compiler, input, other, flags);
  const tolerance = toleranceOf(pair, flags);
  const comparison: Comparison = { compiler, pair, tolerance, flags };
  const kernels =
    flags.spec === undefined
      ? await checkMadeUp(comparison)
      : await checkSpec(comparison, await readSpec(flags.spec, flags.kernel ?? null, flags.timeout));
  if (flags.profile !== undefined) await writeProfiles(flags.profile, input, kernels, pair);
  const equal = kernels.every(
    (kernel) => kernel.inputs > 0 && kernel.differences.length === 0 && kernel.failures.length === 0,
  );
  await writeStandardOutput(
    flags.json
      ? JSON.stringify(checkDocument(kernels, tolerance, equal)) + '\n'
      : kernels.map((kernel) => kernelText(kernel, pair.titles)).join('\n') + toleranceText(tolerance),
  );
  for (const kernel of kernels) for (const line of complaints(kernel, pair.titles)) reportFailure(input, line);
  return equal ? 0 : 1;
}

/** Of what both code objects executed; one that fails where the other does not has no profile. */
async function writeProfiles(
  file: string,
  input: string,
  kernels: readonly KernelCheck[],
  { titles, source }: Pair,
): Promise<void> {
  const launches = [kernels.flatMap(({ before }) => before), kernels.flatMap(({ after }) => after)];
  const runs = titles.map((title, run) => ({ title, launches: launches[run]! }));
  await writeProfile(file, input, runs, source === null ? null : { name: input, text: source });
}

function reportFailure(input: string, line: string): void {
  reportError(new DarmError('simulation-failed', line), { file: input === '-' ? '<stdin>' : input });
}

async function makePair(compiler: Compiler, input: string, other: string | null, flags: CheckFlags): Promise<Pair> {
  const bytes = await readInput(input, flags.timeout);
  if (other !== null) {
    const after = await readInput(other, flags.timeout);
    for (const each of [bytes, after]) checkCodeObject(each);
    return { before: bytes, after, titles: ['first', 'second'], fastMath: false, source: null };
  }
  if (sniffInput(bytes) === 'elf')
    throw new DarmError('usage', 'darm check compares two code objects, or compiles a module twice; one is missing');
  const isSource = sourceLanguage(input, flags.clang) !== null;
  // A profile shows lines. What the command line says about debug information comes later, and wins.
  const lines = isSource && flags.profile !== undefined ? ['-gline-tables-only'] : [];
  const { module, options } = await moduleOf(compiler, input, bytes, { ...flags, clang: [...lines, ...flags.clang] });
  const before = await compiler.compile(module, { ...options, emit: ['hsaco', 'll'], meld: 'off' });
  const after = await compiler.compile(module, { ...options, emit: ['hsaco'] });
  for (const { name, bailout } of after.functions)
    if (bailout !== null) warn(`function '${name}' is not melded, or only in part: ${bailout}`);
  return {
    before: before.artifacts[0]!.bytes,
    after: after.artifacts[0]!.bytes,
    titles: ['meld off', 'melded'],
    fastMath: hasFastMath(new TextDecoder().decode(before.artifacts[1]!.bytes)),
    source: isSource ? new TextDecoder().decode(bytes) : null,
  };
}

/**
 * Whether an operation of the module may be rounded in several ways, so that two correct compilations may differ. The
 * flags follow the operation's name (LangRef, "Fast-Math Flags"); `nnan` and `ninf` alone do not change defined
 * results. `!fpmath` allows a larger error.
 */
export function hasFastMath(ir: string): boolean {
  const operation = '(?:fneg|fadd|fsub|fmul|fdiv|frem|fcmp|fptrunc|fpext|phi|select|(?:tail |musttail |notail )?call)';
  return new RegExp(`= ${operation}(?: nnan| ninf)* (?:fast|contract|reassoc|afn|arcp|nsz)\\b|, !fpmath !`).test(ir);
}

function toleranceOf({ fastMath }: Pair, { tolerance }: CheckFlags): Tolerance {
  if (tolerance !== undefined) return tolerance === 0 ? {} : { f16: tolerance, f32: tolerance, f64: tolerance };
  return fastMath ? FAST_MATH_TOLERANCE : {};
}

async function checkSpec(comparison: Comparison, spec: LaunchSpec): Promise<KernelCheck[]> {
  const { compiler, pair, flags } = comparison;
  const result = await compiler.simulate(pair.before, spec, simulation(flags, true));
  const names = [...new Set(result.launches.map(({ kernel }) => kernel))];
  const check = emptyCheck(names.join(', '));
  await compareWith(comparison, { result, spec, input: 0, madeUp: false }, check);
  return [check];
}

async function checkMadeUp(comparison: Comparison): Promise<KernelCheck[]> {
  const { compiler, pair, flags } = comparison;
  const { kernels } = inspectCodeObject(pair.before);
  const wanted = kernels.filter(({ name }) => flags.kernel === undefined || name === flags.kernel);
  if (wanted.length === 0)
    throw new DarmError(
      'bad-input',
      flags.kernel === undefined ? 'there is no kernel to check' : `there is no kernel '${flags.kernel}'`,
    );
  const checks: KernelCheck[] = [];
  const limited = { ...flags, maxInstructions: Math.min(flags.maxInstructions, MADE_UP_INSTRUCTIONS) };
  for (const kernel of wanted) {
    const check = emptyCheck(kernel.name);
    checks.push(check);
    for (let input = 0; input < flags.seeds; input++) {
      const spec = defaultSpec(kernel, input);
      let result: SimulationResult;
      try {
        result = await compiler.simulate(pair.before, spec, simulation(limited, check.inputs === 0));
      } catch (error) {
        if (!(error instanceof DarmError) || error.exitCode !== 1) throw error;
        check.unfit.push(error.message);
        continue;
      }
      await compareWith({ ...comparison, flags: limited }, { result, spec, input, madeUp: true }, check);
      if (check.differences.some((difference) => difference.input === input)) {
        // If the first code object has a data race with this input, a different result does not prove anything.
        const race = await raceOf(compiler, pair.before, spec, limited);
        if (race !== null) {
          check.inputs--;
          check.unfit.push(race);
          const rest = check.differences.filter((difference) => difference.input !== input);
          check.differences.splice(0, Infinity, ...rest);
        }
      }
    }
  }
  return checks;
}

/** @param profiled whether a profile is made if one is asked for: of made-up inputs, only of the first that fits */
const simulation = (flags: CheckFlags, profiled: boolean): Partial<SimulationOptions> => ({
  ...simulationOptions(flags),
  profile: profiled && flags.profile !== undefined,
});

/** The message of race detection for a launch that runs without an error otherwise; null when there is no race. */
async function raceOf(
  compiler: Compiler,
  object: Uint8Array,
  spec: LaunchSpec,
  flags: CheckFlags,
): Promise<string | null> {
  try {
    await compiler.simulate(object, spec, { ...simulationOptions(flags), detectRaces: true });
    return null;
  } catch (error) {
    if (!(error instanceof DarmError) || error.exitCode !== 1) throw error;
    return error.message;
  }
}

const emptyCheck = (kernel: string): KernelCheck => ({
  kernel,
  inputs: 0,
  unfit: [],
  before: [],
  after: [],
  differences: [],
  failures: [],
});

/** Repeats a launch with the second code object, and adds what it finds to `check`. */
async function compareWith(comparison: Comparison, run: FirstRun, check: KernelCheck): Promise<void> {
  const { compiler, pair, tolerance, flags } = comparison;
  check.inputs++;
  let after: SimulationResult;
  try {
    // The second code object may take a little longer, so its limit is higher.
    const profiled = run.result.launches.some(({ profile }) => profile !== null);
    const options = { ...simulation(flags, profiled), maxInstructions: 4 * flags.maxInstructions };
    after = await compiler.simulate(pair.after, run.spec, options);
  } catch (error) {
    if (!(error instanceof DarmError) || error.exitCode !== 1) throw error;
    check.failures.push(error.message);
    return;
  }
  check.before.push(...run.result.launches);
  check.after.push(...after.launches);
  for (const difference of differences(run.result, after, tolerance, run.madeUp))
    check.differences.push({ ...difference, input: run.input });
}

// --- reports ---

function complaints(check: KernelCheck, [first, second]: readonly [string, string]): string[] {
  const { kernel, inputs, unfit, failures } = check;
  if (inputs === 0)
    return [
      `kernel '${kernel}': no made-up input fits it, pass --spec; the first failed with: ${unfit[0] ?? 'none tried'}`,
    ];
  const [difference] = check.differences;
  return [
    ...failures.slice(0, 1).map((message) => `kernel '${kernel}': ${second} fails where ${first} does not: ${message}`),
    ...(difference === undefined
      ? []
      : [
          `kernel '${kernel}': ${difference.name}[${difference.index}] is ${difference.before} (${first}) and ` +
            `${difference.after} (${second})`,
        ]),
  ];
}

function kernelText(check: KernelCheck, titles: readonly [string, string]): string {
  const { kernel, inputs, unfit } = check;
  const verdict =
    inputs === 0
      ? 'not checked'
      : check.failures.length > 0
        ? `${titles[1]} fails`
        : check.differences.length > 0
          ? 'different memory'
          : 'same memory';
  const skipped = unfit.length === 0 ? '' : `, ${unfit.length} more did not fit the kernel`;
  const counters = check.before.length === 0 ? '' : counterText([sum(check.before), sum(check.after)], titles);
  return `${visibleLine(kernel)}: ${verdict} (${inputs} ${inputs === 1 ? 'input' : 'inputs'}${skipped})\n${counters}`;
}

function sum(all: readonly Measured[]): Measured {
  const cycles = all.reduce<number | null>(
    (total, each) => (total === null || each.cycles === null ? null : total + each.cycles),
    0,
  );
  return { counters: sumCounters(all.map(({ counters }) => counters)), cycles };
}

function toleranceText(tolerance: Tolerance): string {
  const parts = Object.entries(tolerance).map(([type, value]) => `${type} ${value}`);
  return parts.length === 0 ? '' : `\nfloats may differ by (relative): ${parts.join(', ')}\n`;
}

/** JSON has no NaN, and its large integers are not exact. */
const plain = (value: number | bigint): number | string =>
  typeof value === 'number' && Number.isFinite(value) ? value : String(value);

function checkDocument(kernels: readonly KernelCheck[], tolerance: Tolerance, equal: boolean): object {
  return {
    schema: 1,
    equal,
    tolerance,
    kernels: kernels.map((check) => ({
      kernel: check.kernel,
      inputs: check.inputs,
      unfit: check.unfit,
      ...(check.before.length > 0 && {
        counters: { before: sum(check.before).counters, after: sum(check.after).counters },
        cycles: { before: sum(check.before).cycles, after: sum(check.after).cycles },
      }),
      differences: check.differences.map(({ before, after, ...rest }) => ({
        ...rest,
        before: plain(before),
        after: plain(after),
      })),
      failures: check.failures,
    })),
  };
}
