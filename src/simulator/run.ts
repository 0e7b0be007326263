/**
 * The simulator's entry: a code object and a launch spec in, buffers and counters out.
 *
 *     code object ─ readCodeObject ─▶ segments, kernels ─┐
 *     spec ─ parseSpec ─▶ launches, buffers ─────────────┴▶ memory ─ runWorkgroups ─▶ counts ─▶ counters
 *
 * runWorkgroups runs on one thread or on several. LLVM decodes the code elsewhere: the caller passes the disassembly of
 * `LoadableCodeObject.code`, so that nothing here needs LLVM.
 */
import { DarmError } from '../errors.js';
import type { Disassembly } from '../formats/disassembly.js';
import { readLineTable, type LineTable } from '../formats/line-table.js';
import { countersOf, instructionRows, type Counters, type InstructionRow } from './counters.js';
import {
  checkLaunch,
  dispatchPacket,
  explicitArguments,
  kernargSize,
  queueDescriptor,
  totalWorkgroups,
  writeKernarg,
} from './launch/arguments.js';
import type { LoadableCodeObject, LoadableKernel } from './launch/code-object.js';
import { ELEMENT_BYTES, type ElementType } from './launch/elements.js';
import { fillBuffer } from './launch/fill.js';
import { planImage, writeImage } from './launch/loader.js';
import {
  runWorkgroups,
  type InstructionListener,
  type LaunchPart,
  type LaunchPartResult,
  type PlacedLaunch,
} from './launch/run-workgroups.js';
import type { KernelLaunch, LaunchSpec } from './launch/spec.js';
import { GlobalMemory, MemoryPlan, sharedMemory, type Region } from './memory.js';
import type { SimulationOptions } from './options.js';
import { addProfiles, makeProfile, type CodeFunction } from './profile/make-profile.js';
import type { LaunchProfile } from './profile/profile.js';
import { makeProgram, type Program } from './program.js';
import { ExecutionCounts } from './workgroup.js';

export interface SimulationInput {
  readonly object: LoadableCodeObject;
  /** Of `object.code`; for each wave size that the kernels of the spec have. */
  readonly disassembly: (waveSize: 32 | 64) => Disassembly;
  readonly spec: LaunchSpec;
  readonly options: SimulationOptions;
  /** Told of every instruction before it is executed; everything then runs on the calling thread. */
  readonly onInstruction?: ((launch: TracedLaunch, ...event: Parameters<InstructionListener>) => void) | undefined;
}

export interface TracedLaunch {
  readonly kernel: string;
  readonly program: Program;
}

export interface LaunchResult {
  readonly kernel: string;
  readonly counters: Counters;
  /** The estimate for one compute unit; null if none was asked for, or if the workgroups are too long for one. */
  readonly cycles: number | null;
  /** The instructions that ran. */
  readonly instructions: readonly InstructionRow[];
  /** Null unless `SimulationOptions.profile` is set. */
  readonly profile: LaunchProfile | null;
}

export interface SimulatedBuffer {
  readonly name: string;
  readonly element: ElementType;
  readonly out: boolean;
  /** After the last launch. */
  readonly bytes: Uint8Array;
}

export interface SimulationResult {
  readonly launches: readonly LaunchResult[];
  readonly buffers: readonly SimulatedBuffer[];
  /** Module variables that kernels may write, after the last launch. */
  readonly variables: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** What runs the parts of a launch: the calling thread, or a pool. */
export interface PartRunner {
  /** Parts that can run side by side. */
  readonly width: number;
  run(part: LaunchPart): Promise<LaunchPartResult>;
}

const INLINE: PartRunner = { width: 1, run: async (part) => runWorkgroups(part) };

/**
 * Scratch per lane of a kernel with calls that the compiler could not follow, beyond what the kernel itself declares.
 */
const DYNAMIC_STACK_BYTES = 16 * 1024;

/**
 * @throws DarmError `bad-input` (spec and code object do not fit), `simulation-failed` (the kernel did something wrong)
 */
export async function simulate(input: SimulationInput, runner: PartRunner = INLINE): Promise<SimulationResult> {
  const { object, spec, options } = input;
  if (options.fullUnit && options.profile)
    throw new DarmError(
      'usage',
      'a profile shows a launch as it is: fullUnit (--full-unit) and profile (--profile) exclude each other',
    );
  if (options.fullUnit && !options.cycles)
    throw new DarmError(
      'usage',
      'fullUnit (--full-unit) says how cycles are estimated, and there are none without them',
    );
  const kernels = spec.launches.map((launch) => {
    const kernel = findKernel(object, launch.kernel);
    checkLaunch(kernel, launch);
    return kernel;
  });
  const names = bufferNames(spec, kernels);
  const programs = new Map<number, Program>();
  const programOf = (kernel: LoadableKernel): Program => {
    const size = waveSizeOf(kernel);
    const known = programs.get(size) ?? makeProgram(input.disassembly(size));
    programs.set(size, known);
    return known;
  };
  const widths = spec.launches.map((launch, index) =>
    input.onInstruction !== undefined ||
    input.options.detectRaces ||
    hasAtomics(programOf(kernels[index]!), object, kernels[index]!)
      ? 1
      : Math.min(runner.width, totalWorkgroups(launch)),
  );

  // Buffers come first: their addresses are then the same for two code objects that are to be compared.
  const plan = new MemoryPlan();
  const buffers = spec.buffers.map(({ element, length }, index) =>
    plan.add(`buffer '${names[index]}'`, length * ELEMENT_BYTES[element], true),
  );
  const places = planLaunches(plan, spec, kernels, widths);
  const base = planImage(plan, object);
  const memory = new GlobalMemory(plan.regions, sharedMemory(plan.end));
  spec.buffers.forEach(({ element, fill }, index) => fillBuffer(memory.bytesOf(buffers[index]!), element, fill));
  memory.bytesOf(places.queue).set(queueDescriptor());
  writeImage(memory, object, base);

  const launches: LaunchResult[] = [];
  const profiling = input.options.profile ? readProfiling(object) : null;
  for (const [index, launch] of spec.launches.entries()) {
    const kernel = kernels[index]!;
    const placed = placeLaunch(input, { kernel, launch, index }, { memory, plan, places, base, buffers, profiling });
    const program = programOf(kernel);
    const run = partRunner(input, { kernel: placed.kernel, program }, runner);
    const ran = await runParts(placed, memory, widths[index]!, run);
    launches.push(launchResult(placed, program, ran, profiling));
  }
  return {
    launches,
    buffers: spec.buffers.map(({ element, out }, index) => ({
      name: names[index]!,
      element,
      out,
      bytes: Uint8Array.from(memory.bytesOf(buffers[index]!)),
    })),
    variables: object.variables.map(({ name, address, size }) => ({
      name,
      bytes: Uint8Array.from(memory.u8.subarray(base + address, base + address + size)),
    })),
  };
}

/** What runs the parts of one launch: who wants to be told of every instruction is on the calling thread. */
function partRunner({ onInstruction }: SimulationInput, traced: TracedLaunch, runner: PartRunner): PartRunner['run'] {
  if (onInstruction === undefined) return (part) => runner.run(part);
  return async (part) => runWorkgroups(part, (...event) => onInstruction(traced, ...event));
}

function launchResult(
  launch: PlacedLaunch,
  program: Program,
  { counts, bankConflicts, cycles, profile: recorded }: RanLaunch,
  profiling: Profiling | null,
): LaunchResult {
  const { kernel, waveSize, grid, block, target } = launch;
  const waves = totalWorkgroups(launch) * launch.wavesPerWorkgroup;
  const launched = { kernel, processor: target.cpu, grid, block, waveSize, waves };
  return {
    kernel,
    counters: countersOf(program, counts, { waves, waveSize, ldsBankConflicts: bankConflicts }),
    cycles,
    instructions: instructionRows(program, counts),
    profile: profiling && recorded && makeProfile({ ...launched, ...profiling, program, counts, cycles, recorded }),
  };
}

/** What profiles say beside counts: where functions begin, and which lines of source instructions are of. */
interface Profiling {
  readonly functions: readonly CodeFunction[];
  readonly lines: LineTable | null;
}

const readProfiling = ({ functions, lineSections, code }: LoadableCodeObject): Profiling => ({
  functions: functions.map(({ name, address, size }) => ({ name, offset: address - code.address, size })),
  lines: lineSections && readLineTable(lineSections, code.address),
});

const waveSizeOf = ({ descriptor }: LoadableKernel): 32 | 64 => (descriptor.wave32 ? 32 : 64);

function findKernel({ kernels }: LoadableCodeObject, name: string | null): LoadableKernel {
  const names = kernels.map(({ info }) => info.name).join(', ');
  if (name === null) {
    if (kernels.length === 1) return kernels[0]!;
    throw new DarmError('bad-input', `the launch spec names no kernel; the code object has ${names || 'none'}`);
  }
  const found = kernels.find(({ info }) => info.name === name);
  if (found === undefined)
    throw new DarmError('bad-input', `the code object has no kernel '${name}'; it has ${names || 'none'}`);
  return found;
}

/** Names of the buffers: from the spec, else from the argument's metadata, else `argN`. */
function bufferNames(spec: LaunchSpec, kernels: readonly LoadableKernel[]): string[] {
  const names: string[] = spec.buffers.map(({ name }) => name ?? '');
  spec.launches.forEach(({ args }, launch) => {
    const explicit = explicitArguments(kernels[launch]!);
    args.forEach((argument, index) => {
      if (argument.kind === 'buffer') names[argument.buffer] ||= explicit[index]!.name ?? `arg${index}`;
    });
  });
  const twice = names.find((name, index) => spec.buffers[index]!.out && names.indexOf(name) !== index);
  if (twice !== undefined) throw new DarmError('bad-input', `two buffers of the launch spec are called '${twice}'`);
  return names;
}

/**
 * With atomics, what a workgroup sees in global memory depends on which workgroups ran before it. Such launches run one
 * workgroup after the other, so that the result is the same every time. Looks at the kernel's own code, or at all code
 * if the kernel calls functions.
 */
function hasAtomics({ instructions }: Program, { code }: LoadableCodeObject, kernel: LoadableKernel): boolean {
  const calls = /^s_(swappc|setpc|call)/;
  const atomic = /^(global|flat|buffer|tbuffer|s)(_buffer)?_atomic/;
  const [start, end] = [kernel.entryAddress, kernel.endAddress ?? Infinity].map((address) => address - code.address);
  const own = instructions.filter((each) => each !== null && each.offset >= start! && each.offset < end!);
  const reached = own.some((each) => calls.test(each!.mnemonic)) ? instructions : own;
  return reached.some((each) => each !== null && atomic.test(each.mnemonic));
}

interface Places {
  readonly queue: Region;
  readonly launches: readonly { readonly packet: Region; readonly kernarg: Region }[];
  readonly scratch: Region;
  readonly scratchPerThread: readonly number[];
}

function planLaunches(
  plan: MemoryPlan,
  spec: LaunchSpec,
  kernels: readonly LoadableKernel[],
  widths: readonly number[],
): Places {
  const queue = plan.add('the queue descriptor', queueDescriptor().length, false);
  const launches = kernels.map((kernel) => ({
    packet: plan.add('the dispatch packet', 64, false),
    kernarg: plan.add('the kernel arguments', kernargSize(kernel), false),
  }));
  const scratchPerThread = kernels.map(
    (kernel, index) => scratchSizes(kernel).perWave * wavesPerWorkgroup(kernel, spec.launches[index]!),
  );
  const most = Math.max(...scratchPerThread.map((bytes, index) => bytes * widths[index]!));
  return { queue, launches, scratch: plan.add('scratch', most, true), scratchPerThread };
}

/** The hardware gives scratch to waves in steps of 1 KiB. */
function scratchSizes(kernel: LoadableKernel): { perLane: number; perWave: number } {
  const { privateSegmentBytes, dynamicStack } = kernel.descriptor;
  const perLane = Math.ceil((privateSegmentBytes + (dynamicStack ? DYNAMIC_STACK_BYTES : 0)) / 4) * 4;
  return { perLane, perWave: Math.ceil((perLane * waveSizeOf(kernel)) / 1024) * 1024 };
}

const wavesPerWorkgroup = (kernel: LoadableKernel, { block }: KernelLaunch): number =>
  Math.ceil((block[0] * block[1] * block[2]) / waveSizeOf(kernel));

/** For occupancy. What the metadata leaves out is assumed to be small. */
function registersOf({ info }: LoadableKernel): { vgprs: number; sgprs: number } {
  // Where there are AGPRs, `.vgpr_count` counts them too.
  return { vgprs: info.vgprs ?? 1, sgprs: info.sgprs ?? 1 };
}

interface Placement {
  readonly memory: GlobalMemory;
  readonly plan: MemoryPlan;
  readonly places: Places;
  readonly base: number;
  readonly buffers: readonly Region[];
  readonly profiling: Profiling | null;
}

function placeLaunch(
  { object, disassembly, options }: SimulationInput,
  { kernel, launch, index }: { kernel: LoadableKernel; launch: KernelLaunch; index: number },
  { memory, plan, places, base, buffers, profiling }: Placement,
): PlacedLaunch {
  const { packet, kernarg } = places.launches[index]!;
  const { descriptor } = kernel;
  const argumentBytes = memory.bytesOf(kernarg);
  writeKernarg(argumentBytes, kernel, launch, {
    buffer: (buffer) => buffers[buffer]!.start,
    queue: places.queue.start,
  });
  memory
    .bytesOf(packet)
    .set(dispatchPacket(kernel, launch, { descriptor: base + kernel.descriptorAddress, kernarg: kernarg.start }));
  const waveSize = waveSizeOf(kernel);
  const { perLane, perWave } = scratchSizes(kernel);
  return {
    kernel: kernel.info.name,
    target: object.target,
    waveSize,
    descriptor,
    grid: launch.grid,
    block: launch.block,
    wavesPerWorkgroup: wavesPerWorkgroup(kernel, launch),
    disassembly: disassembly(waveSize),
    codeAddress: base + object.code.address,
    // Code that uses preloaded arguments begins 256 bytes later. The code in front of it is for hardware that preloads
    // nothing.
    entryAddress: base + kernel.entryAddress + (descriptor.preload.length > 0 ? 256 : 0),
    ldsBytes: descriptor.groupSegmentBytes + launch.dynamicLds,
    regions: plan.regions,
    addresses: {
      dispatchPacket: packet.start,
      queue: places.queue.start,
      kernarg: kernarg.start,
      scratch: places.scratch.start,
    },
    scratchPerLane: perLane,
    scratchBytesPerWave: perWave,
    scratchPerThread: places.scratchPerThread[index]!,
    kernarg: new Uint32Array(Uint8Array.from(argumentBytes.subarray(0, argumentBytes.length & ~3)).buffer),
    maxInstructions: options.maxInstructions,
    checkUninitializedLds: options.checkUninitializedLds,
    unalignedLds: options.unalignedLds,
    detectRaces: options.detectRaces,
    profiled: profiling && profiling.functions,
    fullUnit: options.fullUnit,
    timing: options.cycles ? registersOf(kernel) : null,
  };
}

type RanLaunch = Omit<LaunchPartResult, 'failure'>;

/** Runs a launch in `width` parts and adds up what they counted. */
async function runParts(
  launch: PlacedLaunch,
  memory: GlobalMemory,
  width: number,
  run: PartRunner['run'],
): Promise<RanLaunch> {
  const progress = new Int32Array(sharedMemory(8));
  const results = await Promise.all(
    Array.from({ length: width }, async (_, index) => {
      try {
        return await run({ launch, memory: memory.buffer, progress, index });
      } catch (error) {
        // The other parts need not go on.
        Atomics.store(progress, 1, 1);
        throw error;
      }
    }),
  );
  const failures = results.flatMap(({ failure }) => (failure === null ? [] : [failure]));
  const [first] = failures.sort((a, b) => a.workgroup - b.workgroup);
  if (first !== undefined) throw DarmError.fromJSON(first.error);
  const counts = new ExecutionCounts(launch.disassembly.offset.length);
  let bankConflicts = 0;
  let cycles: number | null = 0;
  for (const result of results) {
    for (const field of ['executed', 'lanes', 'transactions'] as const)
      result.counts[field].forEach((value, index) => (counts[field][index]! += value));
    bankConflicts += result.bankConflicts;
    cycles = cycles === null || result.cycles === null ? null : cycles + result.cycles;
  }
  const profiles = results.flatMap(({ profile }) => profile ?? []);
  return { counts, bankConflicts, cycles, profile: profiles.length === 0 ? null : addProfiles(profiles) };
}
