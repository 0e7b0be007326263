/**
 * A module in parts (partition.ts): one worker melds it and divides it, workers side by side generate the code of the
 * parts, and one links them. The bytes depend on the module and the options only: each part is compiled from the same
 * bitcode in the heap of a fresh instance.
 */
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import type { EditLog } from '../job/edit-log.js';
import type { Events } from '../job/events.js';
import type { JobOptions } from '../job/options.js';
import type { Artifact, CompileResult } from '../job/results.js';
import { parseTargetId } from '../job/target-id.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { chosenCode, meldInPlace, resultOf } from './compile.js';
import { checkKind, countFunctions, kernelWarnings } from './emit.js';
import { generateCode } from './generate-code.js';
import { spareBodies } from './kernel-bodies.js';
import { leftOutWarnings } from './left-out.js';
import { partitionModule } from './partition.js';

export interface DividedModule {
  /** Names of the definitions of each part. Fewer than two: the module is to be compiled as a whole. */
  readonly parts: readonly (readonly string[])[];
  /** What the melds were, for compiling it as a whole. */
  readonly logs: readonly EditLog[];
  /** The module where code generation starts, as bitcode. */
  readonly bitcode: Uint8Array;
  /** Names of the kernels, in module order. */
  readonly kernels: readonly string[];
  /** What is known before code is generated. */
  readonly result: CompileResult;
}

export interface CompiledPart {
  readonly object: Uint8Array;
  /** By function. */
  readonly machineInstructions: ReadonlyMap<string, number>;
  readonly diagnostics: readonly string[];
  readonly codegenMs: number;
}

/** @param given what other workers melded; null: melds all functions itself */
export function divideModule(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  given: readonly EditLog[] | null,
  events: Events,
): DividedModule {
  return inFreshHeap(runtime, () => {
    const compilation = new Compilation(runtime, bytes, options, events);
    const melded: { module?: LlvmModule; logs: readonly EditLog[] } =
      given === null ? meldInPlace(compilation) : { logs: given };
    // How large the code is shows where the module is whole.
    const { module: atHand, logs } =
      options.profit === 'size' ? { logs: chosenCode(compilation, melded.logs, melded.module).logs } : melded;
    const module = atHand ?? compilation.rebuild(logs);
    for (const kind of options.emit) checkKind(kind, module);
    const counts = countFunctions(module, options.stats);
    const text = module.text();
    const bitcode = module.bitcode();
    const parts = partitionModule(new TextDecoder().decode(text), options.partitions);
    const kernels = module.functions().flatMap(({ kernel, name }) => (kernel ? [name] : []));
    const artifacts: Artifact[] = [
      { kind: 'll', bytes: text },
      { kind: 'bc', bytes: bitcode },
    ];
    const noKernel = kernelWarnings(options.emit, module);
    const warnings = [...noKernel, ...leftOutWarnings(module, spareBodies(module)), ...module.warnings()];
    const emitted = { artifacts, counts, target: module.cpu || 'amdgcn', warnings, code: null };
    return { parts, logs, bitcode, kernels, result: resultOf(compilation, logs, emitted) };
  });
}

/** The code of some of a module's definitions and of what they need, as an object. */
export function compilePart(
  runtime: LlvmRuntime,
  bitcode: Uint8Array,
  { mcpu, codegenLevel }: JobOptions,
  names: readonly string[],
): CompiledPart {
  return inFreshHeap(runtime, () => {
    const started = performance.now();
    const module = LlvmModule.read(runtime, bitcode, parseTargetId(mcpu), codegenLevel);
    module.keepOnly(names);
    generateCode(module, 'obj');
    const object = module.generated();
    const machineInstructions = module.machineInstructions();
    return { object, machineInstructions, diagnostics: module.warnings(), codegenMs: performance.now() - started };
  });
}
