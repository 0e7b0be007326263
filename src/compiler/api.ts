/**
 * The types of the public API: see compiler.ts. They lead to no type of the inside, which a program that uses this
 * package would have to be able to compile.
 */
import type { SourceDiagnostic } from '../errors.js';
import type { CodeObjectInfo } from '../formats/code-object.js';
import type { ContainerInfo } from '../formats/offload/describe.js';
import type { SourceCompileOptions } from '../frontend/options.js';
import type { Phase } from '../job/events.js';
import type { JobOptions, MeldPoint } from '../job/options.js';
import type { AnalyzeResult, CompileResult, ModuleInfo } from '../job/results.js';
import type { RemoteCacheReport, RemoteCacheSetting } from '../remote-cache/setting.js';
import type { Tolerance } from '../simulator/compare.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { SimulationInput, SimulationResult } from '../simulator/run.js';
import type { TierPolicy } from '../workers/tier-policy.js';
import type { CacheCounts, CacheOptions } from './compile-cache.js';

export interface CompilerOptions {
  /**
   * Worker threads; by default, as many as the machine runs at once. 0: everything on the calling thread, which it
   * blocks. That starts soonest, but `signal` counts only before a job starts, and several jobs wait for each other.
   */
  readonly threads?: number;
  /** Most memory of one worker's LLVM in bytes, 64 MiB to 4 GiB (the default). */
  readonly memoryLimit?: number;
  /**
   * Most milliseconds that each step of a job may run (clang's, LLVM's, that of a part or a trial), not counting the
   * time it waits for a worker; 0 (the default): no limit.
   */
  readonly timeout?: number;
  /** Most bytes of one module; what is larger is `bad-input`. Default: 1 GiB. */
  readonly maxInput?: number;
  /** Keeps results of `compile` in a folder and takes them from there. Off by default. */
  readonly cache?: CacheOptions;
  /** Also takes results of `compile` from a server, and brings them there (docs/fleet.md). Off by default. */
  readonly remoteCache?: RemoteCacheSetting;
  /** Sets V8's flags for WebAssembly, for the whole process: see tier-policy.ts. Left alone by default. */
  readonly tierPolicy?: TierPolicy;
}

export interface Progress {
  readonly phase: Phase;
  readonly function?: string;
}

export interface CallOptions {
  /** Ends the job with `DarmError('aborted')`, whose `cause` is the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds, when shorter than the compiler's `timeout`; 0: the compiler's. */
  readonly timeout?: number;
  /** What a callback throws, the call fails with; a worker thread ends the job. */
  readonly onProgress?: (progress: Progress) => void;
  /** What goes wrong with plans and melds, as it comes, one line each. The result has all other warnings, too. */
  readonly onDiagnostic?: (line: string) => void;
}

export interface SourceCallOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Escape sequences for a terminal in clang's log. */
  readonly colors?: boolean;
}

/** What clang left, beside bitcode. */
export interface SourceResult {
  /** What clang prints: warnings and notes. */
  readonly log: string;
  readonly diagnostics: readonly SourceDiagnostic[];
  /** Files of the disk that were included. */
  readonly dependencies: readonly string[];
  /** The symbol of each name expression. */
  readonly loweredNames: Readonly<Record<string, string>>;
}

export interface TranslatedSource extends SourceResult {
  /** Bitcode that nothing has optimised yet, with the device libraries linked. */
  readonly bitcode: Uint8Array;
  /** For compiling it. */
  readonly options: JobOptions;
  /** Milliseconds. */
  readonly time: number;
}

export interface PreprocessedSource extends SourceResult {
  readonly text: Uint8Array;
}

export interface SimulationCall extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Told of every instruction before it is executed; the simulation then runs on the calling thread. */
  readonly onInstruction?: SimulationInput['onInstruction'];
}

/** An operation of a code object that the simulator lacks. */
export interface UnsupportedOperation {
  readonly mnemonic: string;
  /** One of its instructions, as LLVM prints it. */
  readonly example: string;
}

type TunedPoint = Exclude<MeldPoint, 'auto'>;

export interface TuneOptions {
  /** What is launched; the cycles of all specs are added up. */
  readonly specs: readonly LaunchSpec[];
  /** Most trials per kernel and meld point. */
  readonly budget: number;
  /** How far floats may differ from those of the unmelded code; by default, not at all. */
  readonly tolerance: Tolerance;
  /** Cycles are of launches that fill a compute unit (`SimulationOptions`); by default, of the specs as they are. */
  readonly fullUnit: boolean;
}

export interface TuneProgress {
  readonly kernel: string;
  readonly meldPoint: TunedPoint;
  /** Trials so far, and the most there can be, of all kernels and meld points. */
  readonly trials: number;
  readonly budget: number;
  /** Cycles of the unmelded kernel, and of the best code so far, which may be the unmelded one. */
  readonly unmelded: number;
  readonly best: number;
}

export interface TunedKernel {
  readonly kernel: string;
  readonly cycles: {
    readonly unmelded: number;
    /** As the cost model decides at the meld point of the job. */
    readonly model: number;
    readonly tuned: number;
  };
}

export interface TuneResult {
  /** The plan's text. */
  readonly plan: string;
  readonly meldPoint: TunedPoint;
  readonly target: string;
  readonly kernels: readonly TunedKernel[];
  readonly trials: number;
}

export interface TuneCall extends Pick<CallOptions, 'signal' | 'timeout'> {
  readonly onTrial?: (progress: TuneProgress) => void;
}

export interface CompiledModule extends CompileResult {
  /** What clang left, for source. */
  readonly source?: SourceResult;
  /** Whether it was taken from the cache. The timings are then those of the cache. */
  readonly cached: boolean;
}

/** What comes of source. */
export interface CompiledSource extends CompiledModule {
  readonly source: SourceResult;
}

export interface InspectedModule extends ModuleInfo {
  readonly kind: 'module';
}

/** A module kept open in a worker of its own, for asking several things about it. */
export interface ModuleSession extends AsyncDisposable {
  info(call?: Pick<CallOptions, 'signal'>): Promise<ModuleInfo>;
  /** The module as it is, without device libraries that it lacks. */
  analyze(options?: Partial<JobOptions>, call?: Pick<CallOptions, 'signal'>): Promise<AnalyzeResult>;
  close(): Promise<void>;
}

/** What compiles one module after another; where it does so is its own affair. */
export interface ModuleCompiler {
  compile(
    input: Uint8Array | string,
    options?: Partial<JobOptions> | SourceCompileOptions,
    call?: CallOptions & SourceCallOptions,
  ): Promise<CompiledModule>;
}

export interface Compiler extends AsyncDisposable {
  /**
   * Melds and compiles a module: bitcode, wrapped bitcode or IR text; or, with a `language` among the options, source:
   * HIP C++ or OpenCL C (docs/source.md). Everything fails with a `DarmError`; what clang refuses is `compile-failed`.
   */
  compile(
    source: Uint8Array | string,
    options: SourceCompileOptions,
    call?: CallOptions & SourceCallOptions,
  ): Promise<CompiledSource>;
  compile(
    input: Uint8Array | string,
    options?: Partial<JobOptions> | SourceCompileOptions,
    call?: CallOptions & SourceCallOptions,
  ): Promise<CompiledModule>;
  /** Source to bitcode, with the options that compile it: for everything that takes bitcode. A cache keeps it, too. */
  translate(
    source: string | Uint8Array,
    options: SourceCompileOptions,
    call?: SourceCallOptions,
  ): Promise<TranslatedSource>;
  /** The preprocessed text. */
  preprocess(
    source: string | Uint8Array,
    options: SourceCompileOptions,
    call?: SourceCallOptions,
  ): Promise<PreprocessedSource>;
  /** Says what melding would do, function by function; changes nothing. */
  analyze(bytes: Uint8Array, options?: Partial<JobOptions>, call?: CallOptions): Promise<AnalyzeResult>;
  /** What a code object, a module, or a container of device images holds. */
  inspect(bytes: Uint8Array, call?: CallOptions): Promise<CodeObjectInfo | InspectedModule | ContainerInfo>;
  /**
   * Executes the launches of a spec (docs/launch-spec.md) in the simulator. Workgroups run side by side on the worker
   * threads; the result does not depend on how many there are.
   */
  simulate(
    codeObject: Uint8Array,
    spec: LaunchSpec,
    options?: Partial<SimulationOptions>,
    call?: SimulationCall,
  ): Promise<SimulationResult>;
  /** What `simulate` would stop at, if it came there. */
  unsupportedOperations(codeObject: Uint8Array, call?: Pick<CallOptions, 'signal'>): Promise<UnsupportedOperation[]>;
  /**
   * Searches for the melds that take the fewest cycles in the simulator, and gives the plan to repeat them with
   * (docs/tune.md). With the meld point `auto` both points are searched.
   */
  tune(
    bytes: Uint8Array,
    options: Partial<JobOptions>,
    tuning: Pick<TuneOptions, 'specs'> & Partial<TuneOptions>,
    call?: TuneCall,
  ): Promise<TuneResult>;
  open(bytes: Uint8Array): Promise<ModuleSession>;
  /**
   * Loads what jobs need, so that the first job does not have to. While that fails, so do jobs; each call tries again.
   *
   * @throws DarmError `io`
   */
  ready(): Promise<void>;
  /** Whether LLVM's code was prepared (`darm prepare`); null before it is loaded. */
  readonly prepared: boolean | null;
  /** Of this compiler's cache; null without one. */
  readonly cacheCounts: CacheCounts | null;
  /** About this compiler's remote cache; null without one. */
  readonly remoteCacheReport: RemoteCacheReport | null;
  /** Ends the workers; jobs that are not done fail with `aborted`. Idempotent. */
  close(): Promise<void>;
}
