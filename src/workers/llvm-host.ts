/**
 * The tasks that a worker carries out, and the LLVM instance it carries them out with. Tasks are stateless: the pipeline
 * starts each from the heap of a fresh instance. An instance that LLVM has poisoned (a trap, a fatal error, out of
 * memory) is replaced before the next task.
 */
import { disassemble } from '../binding/disassemble.js';
import { instantiateLlvm, type LlvmRuntime } from '../binding/runtime.js';
import { DarmError, type ErrorData } from '../errors.js';
import type { JobOptions } from '../job/options.js';
import {
  analyzeModule,
  compileModule,
  emitModule,
  meldFunctions,
  moduleInfo,
  type Events,
  type FunctionShare,
} from '../pipeline/pipeline.js';
import type { Disassembly } from '../formats/disassembly.js';
import type { LaunchPart, LaunchPartResult } from '../simulator/launch/run-workgroups.js';
import type { AnalyzeResult, CompileResult, EditLog, ModuleInfo } from '../job/results.js';

/** What every task needs, and what only some do. */
export type Task =
  | { readonly kind: 'info'; readonly bytes: Uint8Array }
  | { readonly kind: 'compile'; readonly bytes: Uint8Array; readonly options: JobOptions }
  | {
      readonly kind: 'meld';
      readonly bytes: Uint8Array;
      readonly options: JobOptions;
      readonly share: FunctionShare;
    }
  | {
      readonly kind: 'emit';
      readonly bytes: Uint8Array;
      readonly options: JobOptions;
      readonly logs: readonly EditLog[];
    }
  | { readonly kind: 'analyze'; readonly bytes: Uint8Array; readonly options: JobOptions }
  | {
      readonly kind: 'disassemble';
      /** The bytes of a text section. */
      readonly code: Uint8Array;
      readonly cpu: string;
      readonly waveSize: 32 | 64;
    }
  /** A part of a simulated launch: some of its workgroups. Needs no LLVM. */
  | { readonly kind: 'simulate'; readonly part: LaunchPart };

interface TaskResults {
  info: ModuleInfo;
  compile: CompileResult;
  meld: EditLog[];
  emit: CompileResult;
  analyze: AnalyzeResult;
  disassemble: Disassembly;
  simulate: LaunchPartResult;
}

export type TaskResult<T extends Task> = TaskResults[T['kind']];

/** Results cross threads as plain data: error classes would lose their code and location. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorData };

/** What the main thread hands to every worker (`workerData`). */
export interface WorkerSetup {
  readonly module: WebAssembly.Module;
  readonly memoryLimitBytes: number;
}

/** WebAssembly's memory never shrinks: that of an instance which needed more than this for one job goes with the instance. */
const KEPT_BYTES = 512 * 2 ** 20;

export class LlvmHost {
  readonly #setup: WorkerSetup;
  #runtime: LlvmRuntime | null = null;

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
  }

  /** Makes an instance unless there is a sound one that has not grown beyond what is worth keeping. */
  async prepare(): Promise<LlvmRuntime> {
    const grown = (this.#runtime?.memory.buffer.byteLength ?? 0) > KEPT_BYTES;
    if (this.#runtime === null || this.#runtime.poisoned || grown) {
      this.#runtime = null;
      this.#runtime = await instantiateLlvm(this.#setup.module, this.#setup);
    }
    return this.#runtime;
  }

  async run<T extends Task>(task: T, events: Events): Promise<Outcome<TaskResult<T>>> {
    try {
      const value =
        task.kind === 'simulate'
          ? (await import('../simulator/launch/run-workgroups.js')).runWorkgroups(task.part)
          : perform(await this.prepare(), task, events);
      return { ok: true, value: value as TaskResult<T> };
    } catch (error) {
      return { ok: false, error: toDarmError(error).toJSON() };
    }
  }
}

function perform(
  runtime: LlvmRuntime,
  task: Exclude<Task, { kind: 'simulate' }>,
  events: Events,
): TaskResults[keyof TaskResults] {
  switch (task.kind) {
    case 'info':
      return moduleInfo(runtime, task.bytes);
    case 'compile':
      return compileModule(runtime, task.bytes, task.options, events);
    case 'meld':
      return meldFunctions(runtime, task.bytes, task.options, task.share, events);
    case 'emit':
      return emitModule(runtime, task.bytes, task.options, task.logs, events);
    case 'analyze':
      return analyzeModule(runtime, task.bytes, task.options);
    case 'disassemble':
      runtime.reset();
      return disassemble(runtime, task.code, task.cpu, `+wavefrontsize${task.waveSize}`);
  }
}

/** Whatever was thrown, as the one error type callers see; what is not ours already is our fault. */
export function toDarmError(error: unknown): DarmError {
  if (error instanceof DarmError) return error;
  return new DarmError('internal', error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

/** The buffers of a result, for moving them between threads instead of copying. */
export function buffersOf(outcome: Outcome<unknown>): ArrayBuffer[] {
  if (!outcome.ok || typeof outcome.value !== 'object' || outcome.value === null) return [];
  if (!('artifacts' in outcome.value)) return [];
  const { artifacts } = outcome.value as CompileResult;
  // Two kinds may share their bytes (`asm` and `ptx`): a buffer can be moved once only.
  return [...new Set(artifacts.map(({ bytes }) => bytes.buffer as ArrayBuffer))];
}
