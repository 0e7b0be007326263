/**
 * `darm check`: simulates the same launches with and without melding, or with two code objects. It reports whether the
 * memory afterwards is the same, and how the counters differ.
 */
import pLimit from 'p-limit';
import { checkLaunch, type CheckedLaunch, type LaunchCheck, type LaunchQuestion } from '../compiler/check-launch.js';
import type { Compiler } from '../compiler/api.js';
import { DarmError } from '../errors.js';
import { sniffInput } from '../formats/bitcode.js';
import { inspectCodeObject, type KernelInfo } from '../formats/code-object.js';
import type { Difference, Tolerance } from '../simulator/compare.js';
import { sumCounters } from '../simulator/counters.js';
import { defaultSpec } from '../simulator/launch/default-spec.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import type { CheckFlags } from './arguments.js';
import { visibleLine } from '../report/visible.js';
import { simulationOptions } from './option-groups.js';
import type { Estimate, Measured } from '../report/counter-rows.js';
import { counterText } from './counter-table.js';
import { readInput, writeStandardOutput } from '../process/files.js';
import { readSpec } from './launch-spec.js';
import { remoteCacheOption } from './cache-arguments.js';
import { warnOfRemoteCache } from './caches.js';
import { openFleet, warnOfFleet } from './fleet.js';
import { reportError, warn } from './messages.js';
import { checkOutputs } from './outputs.js';
import { withPlanText } from './plan.js';
import { profileForm, writeProfile } from './profile.js';
import { checkCodeObject, simulatingCompiler } from './run.js';
import { exitCodeOf, stoppedBySignal } from './signals.js';
import { moduleOf, sourceLanguage } from './source.js';
import { hasFastMath, toleranceOf } from './tolerance.js';

/** Limit for made-up inputs, with which a kernel may never end. */
const MADE_UP_INSTRUCTIONS = 5_000_000;

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
  /** The headers that it includes. */
  readonly dependencies: readonly string[];
}

/** What is compared, how, and where. */
interface Comparison {
  readonly pair: Pair;
  readonly tolerance: Tolerance;
  readonly flags: CheckFlags;
  readonly check: (question: LaunchQuestion) => Promise<LaunchCheck>;
}

interface KernelCheck {
  readonly kernel: string;
  /** Number of inputs with which both code objects were compared. */
  readonly inputs: number;
  /** Why made-up inputs do not fit the kernel. */
  readonly unfit: readonly string[];
  readonly before: readonly CheckedLaunch[];
  readonly after: readonly CheckedLaunch[];
  readonly differences: readonly (Difference & { readonly input: number })[];
  /** Races of the first code object with inputs for which there are differences. */
  readonly races: readonly string[];
  /** Errors of the second code object with inputs for which the first had none. */
  readonly failures: readonly string[];
}

/** @returns the exit code: 0 if both do the same, 1 if they differ or nothing could be checked */
export async function runCheck(input: string, other: string | null, given: CheckFlags): Promise<number> {
  const flags = await withPlanText(given);
  if (flags.spec === '-') throw new DarmError('usage', 'darm check cannot read a launch spec from standard input');
  if (flags.profile !== undefined) profileForm(flags.profile);
  const outputs = { '--profile': flags.profile };
  checkOutputs(outputs, [input, other ?? undefined, flags.spec, given.plan]);
  const fleet = await openFleet(flags);
  const compiler = simulatingCompiler(flags, remoteCacheOption(flags));
  const stop = fleet === null ? new AbortController() : stoppedBySignal();
  // A launch here has all threads for itself.
  const limit = pLimit(fleet === null ? 1 : flags.queueWindow);
  const limits = { signal: stop.signal, timeoutMs: flags.timeout };
  const check = (question: LaunchQuestion): Promise<LaunchCheck> =>
    limit(async () => {
      stop.signal.throwIfAborted();
      return (await fleet?.check(question, limits)) ?? checkLaunch(compiler, question, { signal: stop.signal });
    });
  let pair: Pair;
  let tolerance: Tolerance;
  let kernels: KernelCheck[];
  try {
    pair = await makePair(compiler, input, other, flags, stop.signal);
    checkOutputs(outputs, pair.dependencies);
    tolerance = toleranceOf(flags.tolerance, pair.fastMath);
    const comparison: Comparison = { pair, tolerance, flags, check };
    if (flags.spec === undefined) kernels = await checkMadeUp(comparison);
    else {
      const { spec, files } = await readSpec(flags.spec, flags.kernel ?? null, flags.timeout);
      checkOutputs(outputs, files);
      kernels = await checkSpec(comparison, spec);
    }
  } catch (error) {
    if (stop.signal.aborted) return exitCodeOf(stop.signal);
    stop.abort();
    throw error;
  } finally {
    await Promise.all([fleet?.close(), compiler.close()]);
  }
  warnOfRemoteCache(compiler);
  warnOfFleet(fleet);
  if (flags.profile !== undefined) await writeProfiles(flags.profile, input, kernels, pair);
  const equal = kernels.every(
    (kernel) => kernel.inputs > 0 && kernel.differences.length === 0 && kernel.failures.length === 0,
  );
  await writeStandardOutput(
    flags.json
      ? JSON.stringify(checkDocument(kernels, tolerance, equal)) + '\n'
      : kernels.map((kernel) => kernelText(kernel, pair.titles, simulationOptions(flags))).join('\n') +
          toleranceText(tolerance),
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

async function makePair(
  compiler: Compiler,
  input: string,
  other: string | null,
  flags: CheckFlags,
  signal: AbortSignal,
): Promise<Pair> {
  const bytes = await readInput(input, flags.timeout);
  if (other !== null) {
    const after = await readInput(other, flags.timeout);
    for (const each of [bytes, after]) checkCodeObject(each);
    return { before: bytes, after, titles: ['first', 'second'], fastMath: false, source: null, dependencies: [] };
  }
  if (sniffInput(bytes) === 'elf')
    throw new DarmError('usage', 'darm check compares two code objects, or compiles a module twice; one is missing');
  const isSource = sourceLanguage(input, flags.clang) !== null;
  // A profile shows lines. What the command line says about debug information comes later, and wins.
  const lines = isSource && flags.profile !== undefined ? ['-gline-tables-only'] : [];
  const given = { ...flags, clang: [...lines, ...flags.clang] };
  const { module, options, dependencies } = await moduleOf(compiler, input, bytes, given);
  const before = await compiler.compile(
    module,
    { ...options, emit: ['hsaco', 'll'], meld: 'off', plan: null },
    { signal },
  );
  const after = await compiler.compile(module, { ...options, emit: ['hsaco'] }, { signal });
  for (const { name, bailout } of after.functions)
    if (bailout !== null) warn(`function '${name}' is not melded, or only in part: ${bailout}`);
  return {
    before: before.artifacts[0]!.bytes,
    after: after.artifacts[0]!.bytes,
    titles: ['meld off', 'melded'],
    fastMath: hasFastMath(new TextDecoder().decode(before.artifacts[1]!.bytes)),
    source: isSource ? new TextDecoder().decode(bytes) : null,
    dependencies,
  };
}

async function checkSpec({ check, flags, ...rest }: Comparison, spec: LaunchSpec): Promise<KernelCheck[]> {
  const found = await check(questionOf({ ...rest, check, flags }, spec, { madeUp: false, profiled: true }));
  return [summed(found.kernels.join(', '), [found])];
}

async function checkMadeUp(comparison: Comparison): Promise<KernelCheck[]> {
  const { pair, flags, check } = comparison;
  const { kernels } = inspectCodeObject(pair.before);
  const wanted = kernels.filter(({ name }) => flags.kernel === undefined || name === flags.kernel);
  if (wanted.length === 0)
    throw new DarmError(
      'bad-input',
      flags.kernel === undefined ? 'there is no kernel to check' : `there is no kernel '${flags.kernel}'`,
    );
  const limited = { ...flags, maxInstructions: Math.min(flags.maxInstructions, MADE_UP_INSTRUCTIONS) };
  const checkInput = (kernel: KernelInfo, input: number, profiled: boolean): Promise<LaunchCheck> =>
    check(questionOf({ ...comparison, flags: limited }, defaultSpec(kernel, input), { madeUp: true, profiled }));
  const checkKernel = async (kernel: KernelInfo): Promise<KernelCheck> => {
    const found: LaunchCheck[] = [];
    // A profile is made of the first input that fits.
    if (flags.profile !== undefined)
      while (found.length < flags.seeds && !found.some(({ unfit }) => unfit === null))
        found.push(await checkInput(kernel, found.length, true));
    const rest = Array.from({ length: flags.seeds - found.length }, (_, n) => found.length + n);
    found.push(...(await Promise.all(rest.map((input) => checkInput(kernel, input, false)))));
    return summed(kernel.name, found);
  };
  return Promise.all(wanted.map(checkKernel));
}

function questionOf(
  { pair, tolerance, flags }: Comparison,
  spec: LaunchSpec,
  { madeUp, profiled }: { readonly madeUp: boolean; readonly profiled: boolean },
): LaunchQuestion {
  const { maxInstructions } = flags;
  const options = { ...simulationOptions(flags), maxInstructions, profile: profiled && flags.profile !== undefined };
  return { before: pair.before, after: pair.after, spec, options, tolerance, madeUp };
}

/** @param found by input */
function summed(kernel: string, found: readonly LaunchCheck[]): KernelCheck {
  return {
    kernel,
    inputs: found.filter(({ unfit }) => unfit === null).length,
    unfit: found.flatMap(({ unfit }) => unfit ?? []),
    before: found.flatMap(({ before }) => before),
    after: found.flatMap(({ after }) => after),
    differences: found.flatMap(({ differences }, input) => differences.map((each) => ({ ...each, input }))),
    races: found.flatMap(({ race }) => race ?? []),
    failures: found.flatMap(({ failure }) => failure ?? []),
  };
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
            `${difference.after} (${second})${raceText(check, first)}`,
        ]),
  ];
}

function raceText({ races: [race] }: KernelCheck, first: string): string {
  if (race === undefined) return '';
  return `; that may be chance, because '${first}' has ${race}`;
}

function kernelText(check: KernelCheck, titles: readonly [string, string], estimate: Estimate): string {
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
  const counters =
    check.before.length === 0 ? '' : counterText([sum(check.before), sum(check.after)], estimate, titles);
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
      races: check.races,
    })),
  };
}
