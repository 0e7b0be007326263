/** Compiles kernels of the corpus with and without melding, and measures the code on the simulator. */
import { createHash } from 'node:crypto';
import { corpusModule, corpusSource, corpusSpec, type CorpusKernel, type Setting } from '../../kernels/corpus/index.js';
import { disassemble } from '../../src/binding/disassemble.js';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import type { Compiler, FunctionReport, JobOptions, SimulationResult } from '../../src/index.js';
import { sumCounters } from '../../src/simulator/counters.js';
import type { LaunchResult } from '../../src/simulator/run.js';
import { readCodeObject } from '../../src/simulator/launch/code-object.js';
import { sum } from '../support.js';
import { codeWithoutMelds } from '../without-melds.js';

/** What one launch of a kernel costs. */
export interface Cost {
  readonly cycles: number;
  /** Executed wavefront instructions. */
  readonly instructions: number;
}

/** Cost of the kernel's code in each setting, and a hash of the memory that each launch leaves. */
interface Run extends Cost {
  readonly memory: string;
  /** Places in the kernel's own code that were executed: functions that it calls are not a part of it. */
  readonly executed: number;
}

export interface Measurement {
  readonly kernel: string;
  readonly family: string;
  readonly half: string;
  readonly target: string;
  /** The kinds of melds; without any, `switch` where a switch has changed, and `hoist` where a side was hoisted. */
  readonly melds: readonly string[];
  /** Share of the unmelded code's instructions that the first setting executes, 0 to 1. */
  readonly covered: number;
  readonly settings: readonly SettingMeasurement[];
}

export interface SettingMeasurement extends Setting {
  readonly O3: Cost;
  /** See without-melds.ts. */
  readonly plain: Cost;
  readonly melded: Cost;
}

/** Runs of code that is known: most changes of options leave most kernels as they are. */
type RunCache = Map<string, Run>;

export interface Bench {
  readonly rt: LlvmRuntime;
  readonly compiler: Compiler;
  readonly settings: readonly Setting[];
  /** Whether cycles are of launches that fill a compute unit. */
  readonly fullUnit: boolean;
  readonly cache: RunCache;
}

/** The code of one family for one target, in three versions. */
export interface Versions {
  readonly O3: Uint8Array;
  readonly plain: Uint8Array;
  readonly melded: Uint8Array;
  readonly melds: ReadonlyMap<string, readonly string[]>;
}

/** @param fromSource instead of from bitcode that -O3 has optimised */
export async function compileFamily(
  { rt, compiler }: Pick<Bench, 'rt' | 'compiler'>,
  family: string,
  target: string,
  options: Partial<JobOptions>,
  fromSource = false,
): Promise<Versions> {
  const source = corpusSource(family);
  const input = fromSource ? source.text : corpusModule(family, target);
  const all = fromSource ? { ...options, ...source.options, mcpu: target, name: family } : options;
  const [unmelded, melded] = await Promise.all([
    compiler.compile(input, { ...all, meld: 'off' }),
    compiler.compile(input, all),
  ]);
  const broken = melded.functions.find(({ bailout }) => bailout !== null);
  if (broken !== undefined) throw new Error(`${target}: '${broken.name}' is melded only in part: ${broken.bailout}`);
  const melds = new Map(melded.functions.map((each) => [each.name, kindsOf(each)] as const));
  const names = [...melds].filter(([, kinds]) => kinds.length > 0).map(([name]) => name);
  const O3 = unmelded.artifacts[0]!.bytes;
  const versions = { O3, melded: melded.artifacts[0]!.bytes, melds };
  if (names.length === 0) return { ...versions, plain: O3 };
  if (!fromSource) return { ...versions, plain: codeWithoutMelds(rt, corpusModule(family, target), {}, names) };
  if (options.meldPoint === 'early') {
    const { bitcode } = await compiler.translate(input, { ...source.options, mcpu: target, name: family });
    return { ...versions, plain: codeWithoutMelds(rt, bitcode, { optimize: 'O3', meldPoint: 'early' }, names) };
  }
  const optimized = await compiler.compile(input, { ...all, meld: 'off', emit: ['bc'] });
  return { ...versions, plain: codeWithoutMelds(rt, optimized.artifacts[0]!.bytes, {}, names) };
}

interface Changes extends Pick<FunctionReport, 'switchesLowered' | 'sidesHoisted'> {
  readonly melds: readonly { readonly kind: string }[];
}

/** Where nothing melds but switches have become chains of branches, or sides are hoisted, that is the kind. */
export const kindsOf = ({ melds, switchesLowered, sidesHoisted }: Changes): readonly string[] => {
  if (melds.length > 0) return melds.map(({ kind }) => kind);
  return [...(switchesLowered > 0 ? ['switch'] : []), ...(sidesHoisted > 0 ? ['hoist'] : [])];
};

/** @throws Error when the versions do not leave the same memory */
export async function measureKernel(
  bench: Bench,
  kernel: CorpusKernel,
  target: string,
  versions: Versions,
): Promise<Measurement> {
  const melds = versions.melds.get(kernel.name) ?? [];
  const settings: SettingMeasurement[] = [];
  let covered = 0;
  for (const setting of bench.settings) {
    const O3 = await runKernel(bench, versions.O3, kernel, setting);
    if (settings.length === 0) covered = O3.executed / instructionsOf(bench.rt, versions.O3, kernel.name);
    const rest = { plain: O3, melded: O3 };
    // What nothing changed is compared with -O3 alone: from that, `plain` differs by chance.
    const others = melds.length > 0 ? (['plain', 'melded'] as const) : (['melded'] as const);
    for (const version of others) {
      rest[version] = await runKernel(bench, versions[version], kernel, setting);
      if (rest[version].memory !== O3.memory)
        throw new Error(`${kernel.name}, ${target}, ${version}: leaves other memory than -O3`);
    }
    settings.push({ ...setting, O3: cost(O3), plain: cost(rest.plain), melded: cost(rest.melded) });
  }
  const { name, family, half } = kernel;
  return { kernel: name, family, half, target, melds, covered, settings };
}

const cost = ({ cycles, instructions }: Run): Cost => ({ cycles, instructions });

async function runKernel(
  { compiler, cache, fullUnit }: Bench,
  code: Uint8Array,
  kernel: CorpusKernel,
  setting: Setting,
) {
  const key = `${keyOf(code, kernel.name)} ${JSON.stringify(setting)}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const result = await compiler.simulate(code, corpusSpec(kernel, setting), { cycles: true, fullUnit });
  const run = runOf(result, codeOf(code, kernel.name));
  if (Number.isNaN(run.cycles)) throw new Error(`${kernel.name}: is too long for an estimate of cycles`);
  cache.set(key, run);
  return run;
}

function runOf({ launches, buffers, variables }: SimulationResult, { start, bytes }: KernelCode): Run {
  const memory = createHash('sha256');
  for (const each of [...buffers.filter(({ out }) => out), ...variables]) memory.update(each.bytes);
  return {
    cycles: sum(launches.map(({ cycles }) => cycles ?? NaN)),
    instructions: sumCounters(launches.map(({ counters }) => counters)).instructions,
    executed: placesWithin(launches, start, start + bytes.length),
    memory: memory.digest('hex'),
  };
}

/** A kernel in its code object. */
type KernelCode = ReturnType<typeof codeOf>;

/** How many places from `start` to `end` were executed, in any of the launches. */
export function placesWithin(launches: readonly Pick<LaunchResult, 'instructions'>[], start: number, end: number) {
  const places = launches.flatMap(({ instructions }) => instructions.map(({ pc }) => pc));
  return new Set(places.filter((pc) => pc >= start && pc < end)).size;
}

function codeOf(code: Uint8Array, name: string) {
  const object = readCodeObject(code);
  const kernel = object.kernels.find(({ info }) => info.name === name);
  if (kernel === undefined) throw new Error(`there is no kernel '${name}'`);
  const start = kernel.entryAddress - object.code.address;
  const end = kernel.endAddress === null ? undefined : kernel.endAddress - object.code.address;
  return { object, kernel, start, bytes: object.code.bytes.subarray(start, end) };
}

/** Tells the code of two kernels apart, with the registers that decide how many waves are resident. */
function keyOf(code: Uint8Array, name: string): string {
  const { object, kernel, bytes } = codeOf(code, name);
  const { vgprs, sgprs } = kernel.info;
  // Where the descriptor is depends on the other kernels.
  const about = JSON.stringify([object.target.cpu, name, vgprs, sgprs, { ...kernel.descriptor, entryOffset: 0 }]);
  return createHash('sha256').update(about).update(bytes).digest('hex');
}

/** Number of a kernel's instructions. */
function instructionsOf(rt: LlvmRuntime, code: Uint8Array, name: string): number {
  const { object, kernel, bytes } = codeOf(code, name);
  const waveSize = kernel.descriptor.wave32 ? 32 : 64;
  rt.reset();
  return rt.run(() => disassemble(rt, bytes, object.target.cpu, `+wavefrontsize${waveSize}`).offset.length);
}
