/**
 * Compiles modules and executes their kernels in the simulator, with one LLVM instance that is replaced when it breaks.
 */
import type { LlvmCode } from '../../src/binding/load.js';
import { disassemble } from '../../src/binding/disassemble.js';
import { LlvmModule } from '../../src/binding/module.js';
import { instantiateLlvm, type LlvmRuntime } from '../../src/binding/runtime.js';
import { DarmError } from '../../src/errors.js';
import type { Disassembly } from '../../src/formats/disassembly.js';
import { NO_EVENTS } from '../../src/job/events.js';
import { DEFAULT_OPTIONS, type Emit, type JobOptions } from '../../src/job/options.js';
import { compileModule } from '../../src/pipeline/compile.js';
import { readCodeObject, type LoadableCodeObject } from '../../src/simulator/launch/code-object.js';
import type { LaunchSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { settle } from '../../src/pipeline/settle.js';
import type { CompileResult, FunctionReport } from '../../src/job/results.js';
import type { Launch } from '../campaign/execute-host.js';
import { RANDOM, randomPlan } from './random-plan.js';

const MEMORY_LIMIT = 2 ** 31;
/** Limit for one workgroup; random kernels execute some thousands. */
const MOST_INSTRUCTIONS = 2e6;
const NO_INSTRUCTION = -1;

export interface Code {
  readonly bytes: Uint8Array;
  readonly functions: readonly FunctionReport[];
  readonly object: LoadableCodeObject;
  readonly disassembly: Disassembly;
}

/** The buffers after a launch, or a description of the failure. */
export type Memory = readonly Uint8Array[] | string;

export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 3).join(' | ').slice(0, 400);

export class Bench {
  #runtime: LlvmRuntime | null = null;

  constructor(private readonly llvm: LlvmCode) {}

  async #llvm(): Promise<LlvmRuntime> {
    if (this.#runtime === null || this.#runtime.poisoned)
      this.#runtime = await instantiateLlvm(this.llvm, { memoryLimitBytes: MEMORY_LIMIT });
    return this.#runtime;
  }

  /** Throws when an LLVM instance cannot be made. */
  async ready(): Promise<void> {
    await this.#llvm();
  }

  async compile(ir: string, options: Partial<JobOptions>): Promise<CompileResult> {
    const llvm = await this.#llvm();
    const bytes = new TextEncoder().encode(ir);
    const given = { ...DEFAULT_OPTIONS, ...options };
    if (given.plan !== RANDOM || given.meld === 'off')
      return compileModule(llvm, bytes, { ...given, plan: null }, NO_EVENTS);
    const plan = randomPlan(llvm, bytes, { ...given, plan: null });
    const { options: settled, warnings } = settle(llvm, bytes, { ...given, plan });
    const result = compileModule(llvm, bytes, settled, NO_EVENTS);
    // A plan fits what it was made for.
    const misfit = [...warnings, ...result.diagnostics].find((line) => line.includes('is ignored'));
    if (misfit !== undefined) throw new Error(misfit);
    return result;
  }

  async text(ir: string, options: Partial<JobOptions>, emit: Emit = 'll'): Promise<string> {
    const { artifacts } = await this.compile(ir, { ...options, emit: [emit] });
    return new TextDecoder().decode(artifacts[0]!.bytes);
  }

  /** Runs LLVM passes over a module. */
  async passes(ir: string, pipeline: string): Promise<string> {
    const llvm = await this.#llvm();
    llvm.reset();
    return llvm.run(() => {
      using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu: '', features: '' }, 2);
      module.runPasses(pipeline);
      return new TextDecoder().decode(module.text());
    });
  }

  async code(ir: string, options: Partial<JobOptions>): Promise<Code> {
    const { artifacts, functions } = await this.compile(ir, { ...options, emit: ['hsaco'] });
    const { bytes } = artifacts[0]!;
    const object = readCodeObject(bytes);
    const decoder = await this.#llvm();
    decoder.reset();
    const features = `+wavefrontsize${object.target.defaultWaveSize}`;
    const disassembly = decoder.run(() => disassemble(decoder, object.code.bytes, object.target.cpu, features));
    return { bytes, functions, object, disassembly };
  }

  async execute({ object, disassembly }: Code, launch: Launch): Promise<Memory> {
    const spec = specOf(launch);
    const options = { ...DEFAULT_SIMULATION, maxInstructions: MOST_INSTRUCTIONS, cycles: false };
    const own = withoutOtherKernels(disassembly, object, launch.kernel);
    try {
      const { buffers } = await simulate({ object, spec, options, disassembly: () => own });
      return buffers.map(({ bytes }) => bytes);
    } catch (error) {
      if (!(error instanceof DarmError)) throw error;
      return `${error.code}: ${error.message}`;
    }
  }
}

/** Marks the instructions of other kernels as unknown: preparing them for the simulator takes longer than a launch. */
function withoutOtherKernels(all: Disassembly, { kernels, code }: LoadableCodeObject, name: string): Disassembly {
  if (kernels.length === 1) return all;
  const opcode = Int32Array.from(all.opcode);
  for (const { info, entryAddress, endAddress } of kernels) {
    if (info.name === name || endAddress === null) continue;
    const [from, to] = [entryAddress - code.address, endAddress - code.address];
    for (const [index, offset] of all.offset.entries())
      if (offset >= from && offset < to) opcode[index] = NO_INSTRUCTION;
  }
  return { ...all, opcode };
}

export function specOf({ kernel, grid, block, args }: Launch): LaunchSpec {
  const buffers: LaunchSpec['buffers'][number][] = [];
  const list = args.map((each): LaunchSpec['launches'][number]['args'][number] => {
    if ('scalar' in each) return { kind: 'bytes', name: null, bytes: scalarBytes(each) };
    const fill = { kind: 'bytes', bytes: each.bytes } as const;
    const name = `b${buffers.length}`;
    const buffer = buffers.push({ name, element: 'u8', length: each.bytes.length, fill, out: true }) - 1;
    return { kind: 'buffer', name: null, buffer, offset: 0 };
  });
  return { buffers, launches: [{ kernel, grid, block, dynamicLds: 0, args: list }] };
}

export function scalarBytes({ scalar, bytes = 4 }: { readonly scalar: bigint; readonly bytes?: number }): Uint8Array {
  const all = new Uint8Array(8);
  new DataView(all.buffer).setBigUint64(0, scalar, true);
  return all.subarray(0, bytes);
}

/** The place where two memories differ, or null. */
export function difference(expected: readonly Uint8Array[], found: Memory): string | null {
  if (typeof found === 'string') return found;
  for (const [index, bytes] of found.entries()) {
    const want = expected[index]!;
    if (Buffer.compare(bytes, want) === 0) continue;
    const at = bytes.findIndex((byte, offset) => byte !== want[offset]);
    const hex = (of: Uint8Array): string => Buffer.from(of.subarray(at & ~7, (at & ~7) + 8)).toString('hex');
    return `buffer ${index} differs from byte ${at} on: at ${at & ~7} expected ${hex(want)}, got ${hex(bytes)}`;
  }
  return null;
}
