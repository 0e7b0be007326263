/**
 * What worker threads are asked and what they answer, as plain data. A task is one piece of work of one thread; a job
 * of a caller is one task or several.
 */
import type { LlvmCode } from '../binding/load.js';
import type { FrontendCode } from '../binding/load-frontend.js';
import type { ErrorData } from '../errors.js';
import type { Disassembly } from '../formats/disassembly.js';
import type { EditLog } from '../job/edit-log.js';
import type { FunctionSubset } from '../job/function-subset.js';
import type { LibraryUser } from '../job/library-user.js';
import type { JobOptions } from '../job/options.js';
import type { AnalyzeResult, CompileResult, ModuleInfo } from '../job/results.js';
import type { SourceJob, Translation } from '../job/source.js';
import type { Policy, Subject, Trial } from '../job/tuning.js';
import type { CompiledPart, DividedModule } from '../pipeline/compile-parts.js';
import type { Settled } from '../pipeline/settle.js';
import type { LaunchPart, LaunchPartResult } from '../simulator/launch/run-workgroups.js';

interface ModuleTask {
  /** Bitcode or IR text. */
  readonly bytes: Uint8Array;
  readonly options: JobOptions;
}

export type Task =
  | { readonly kind: 'info'; readonly bytes: Uint8Array }
  /** Asks whether AMD's device libraries are lacking. */
  | ({ readonly kind: 'library-user' } & ModuleTask)
  | ({ readonly kind: 'compile' } & ModuleTask)
  | ({ readonly kind: 'meld'; readonly subset: FunctionSubset } & ModuleTask)
  | ({ readonly kind: 'emit'; readonly logs: readonly EditLog[] } & ModuleTask)
  /** Melds, or carries out what others melded, and divides the module into parts. */
  | ({ readonly kind: 'divide'; readonly logs: readonly EditLog[] | null } & ModuleTask)
  /** Generates the code of a part: of these definitions, and what they need. */
  | ({ readonly kind: 'part'; readonly names: readonly string[] } & ModuleTask)
  | { readonly kind: 'link'; readonly objects: readonly Uint8Array[] }
  | ({ readonly kind: 'analyze' } & ModuleTask)
  | ({ readonly kind: 'settle' } & ModuleTask)
  /** Takes kernels out of their module, at the meld point. */
  | ({ readonly kind: 'take-out'; readonly kernels: readonly string[] } & ModuleTask)
  /** Compiles what was taken out. */
  | ({
      readonly kind: 'try';
      readonly kernel: string;
      readonly policy: Policy;
      /** Hashes of edits whose code is known. */
      readonly known: readonly string[];
    } & ModuleTask)
  | {
      readonly kind: 'disassemble';
      /** The bytes of a text section. */
      readonly code: Uint8Array;
      readonly cpu: string;
      readonly waveSize: 32 | 64;
    }
  /** Source to bitcode. It needs clang, not LLVM. */
  | { readonly kind: 'translate'; readonly source: SourceJob; readonly clang: FrontendCode }
  /** A part of a simulated launch: some of its workgroups. Does not need LLVM. */
  | { readonly kind: 'simulate'; readonly part: LaunchPart };

export interface TaskResults {
  info: ModuleInfo;
  'library-user': LibraryUser | null;
  compile: CompileResult;
  meld: EditLog[];
  emit: CompileResult;
  divide: DividedModule;
  part: CompiledPart;
  link: Uint8Array<ArrayBuffer>;
  analyze: AnalyzeResult;
  settle: Settled;
  'take-out': Subject;
  try: Trial;
  disassemble: Disassembly;
  translate: Translation;
  simulate: LaunchPartResult;
}

export type TaskResult<T extends Task> = TaskResults[T['kind']];

/** Results cross threads as plain data: error classes would lose their code and location. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorData };

/** What the main thread hands to every worker (`workerData`). */
export interface WorkerSetup {
  readonly code: LlvmCode;
  readonly memoryLimitBytes: number;
}
