/** The types of the public API: see compiler.ts. */
import type { CodeObjectInfo } from '../formats/code-object.js';
import type { ContainerInfo } from '../formats/offload/describe.js';
import type { SourceCompileOptions } from '../frontend/options.js';
import type { JobOptions } from '../job/options.js';
import type { AnalyzeResult, CompileResult, ModuleInfo } from '../job/results.js';
import type { RemoteCacheReport, RemoteCacheSetting } from '../remote-cache/setting.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { SimulationInput, SimulationResult } from '../simulator/run.js';
import type { TierPolicy } from '../workers/tier-policy.js';
import type { CacheCounts, CacheOptions } from './compile-cache.js';
import type { SourceResult, TranslatedSource } from './compile-source.js';
import type { UnsupportedOperation } from './simulate.js';
import type { TuneOptions, TuneProgress, TuneResult } from './tune/tune.js';

export interface CompilerOptions {
  /**
   * Worker threads; by default, as many as the machine runs at once. 0: everything on the calling thread, which it
   * blocks. That starts soonest, but `signal` counts only before a job starts, and several jobs wait for each other.
   */
  readonly threads?: number;
  /** Most memory of one worker's LLVM in bytes, 64 MiB to 4 GiB (the default). */
  readonly memoryLimit?: number;
  /** Most milliseconds that one job may run, not counting the time it waits for a worker; 0 (the default): no limit. */
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
  /** `meld`, `emit`. */
  readonly phase: string;
  readonly function?: string;
}

export interface CallOptions {
  /** Ends the job with `DarmError('aborted')`. */
  readonly signal?: AbortSignal;
  /** Milliseconds, when shorter than the compiler's `timeout`; 0: the compiler's. */
  readonly timeout?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Remarks and warnings as they come, one line each; those of LLVM are also in the result. */
  readonly onDiagnostic?: (line: string) => void;
}

export interface SourceCallOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Escape sequences for a terminal in clang's log. */
  readonly colors?: boolean;
}

export interface PreprocessedSource extends SourceResult {
  readonly text: Uint8Array;
}

export interface SimulationCall extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Told of every instruction before it is executed; the simulation then runs on the calling thread. */
  readonly onInstruction?: SimulationInput['onInstruction'];
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
  /** Source to bitcode, with the options that compile it: for everything that takes bitcode. */
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
