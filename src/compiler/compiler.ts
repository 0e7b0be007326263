/**
 * The public API: a compiler is a set of worker threads with an LLVM each. Jobs of one compiler run side by side, and
 * one job melds its functions side by side; the bytes that come out do not depend on either.
 *
 *     await using compiler = createCompiler({ threads: 2 });
 *     const { artifacts } = await compiler.compile(bitcode, { emit: ['hsaco'], mcpu: 'gfx906' });
 */
import { availableParallelism } from 'node:os';
import { checkOptions, requireOptions } from '../job/option-table.js';
import { asForCodeObject, completeJobOptions } from '../job/options.js';
import type { Make } from '../binding/load.js';
import type { CacheCounts, CacheOptions } from './compile-cache.js';
import type { CompileCaches } from './compile-caches.js';
import { NOTHING_REMOTE, type RemoteCacheReport, type RemoteCacheSetting } from '../remote-cache/setting.js';
import { abortedError, DarmError } from '../errors.js';
import { goneError, type Executor } from '../workers/executor.js';
import { Callbacks, type TaskLimits } from '../workers/task-limits.js';
import { unwrapModule, sniffInput } from '../formats/bitcode.js';
import { isBytes, isGone } from '../formats/bytes.js';
import type { CodeObjectInfo } from '../formats/code-object.js';
import type { ContainerInfo } from '../formats/offload/describe.js';
import type { JobOptions } from '../job/options.js';
import { isForSource, type SourceCompileOptions } from '../frontend/options.js';
import type { Events } from '../job/events.js';
import type {
  CallOptions,
  CompiledModule,
  CompiledSource,
  Compiler,
  CompilerOptions,
  InspectedModule,
  ModuleSession,
  PreprocessedSource,
  SimulationCall,
  SourceCallOptions,
  TranslatedSource,
  TuneCall,
  TuneOptions,
  TuneProgress,
  TuneResult,
  UnsupportedOperation,
} from './api.js';
import { CALL_CHECKS, COMPILER_CHECKS, TUNE_CHECKS } from './compiler-checks.js';
import { compileOn } from './compile-on.js';
import type { SourceTranslator } from './compile-source.js';
import type { Elsewhere } from './elsewhere.js';
import { withDeviceLibraries } from './link-libraries.js';
import { LlvmLoader } from './llvm-code.js';
import { checkPackage } from '../platform/node.js';
import { Retried } from './retried.js';
import type { SourceJobs } from './source-jobs.js';
import { DEFAULT_BUDGET } from './tune/budget.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { SimulationResult } from '../simulator/run.js';
import type { TierPolicy } from '../workers/tier-policy.js';
import type { AnalyzeResult, CompileResult } from '../job/results.js';

const MIB = 2 ** 20;
/** How long a lookup takes as a rule, also of a server that is somewhat away. */
const LOOKUP_MS = 100;
const DEFAULT_MEMORY_LIMIT = 4096 * MIB;
const DEFAULT_MAX_INPUT = 1024 * MIB;

/** Nothing starts before the first job. */
export function createCompiler(options: CompilerOptions = {}): Compiler {
  return createCompilerWith(null, options);
}

/** A compiler whose modules are compiled elsewhere, as far as that takes them. What it does not take is done here. */
export function createCompilerWith(elsewhere: Elsewhere | null, options: CompilerOptions): Compiler {
  checkOptions('createCompiler()', options, COMPILER_CHECKS);
  checkPackage();
  return new ThreadedCompiler(options, elsewhere);
}

function checkBytes(bytes: Uint8Array, what = 'module'): void {
  if (!isBytes(bytes)) throw new DarmError('usage', `the ${what} must be a Uint8Array`);
  if (isGone(bytes)) throw goneError();
}

async function checkSpec(spec: LaunchSpec): Promise<void> {
  const { isLaunchSpec } = await import('../simulator/launch/spec.js');
  if (!isLaunchSpec(spec)) throw new DarmError('usage', 'the launch spec must be a result of parseSpec()');
}

class ThreadedCompiler implements Compiler {
  readonly #threads: number;
  readonly #timeoutMs: number;
  readonly #memoryLimitBytes: number;
  readonly #tierPolicy: TierPolicy | undefined;
  readonly #maxInput: number;
  readonly #cacheOptions: CacheOptions | undefined;
  readonly #remoteCache: RemoteCacheSetting | undefined;
  #caches: CompileCaches | null = null;
  #sourceJobs: SourceJobs | null = null;
  readonly #sessions = new Set<{ close(): Promise<void> }>();
  readonly #llvm: LlvmLoader;
  readonly #executor = new Retried(() => this.#makeExecutor());
  /** Whether the last lookup in the caches has found something. */
  #hasFound = false;
  /** Jobs of `compile` that are not done. */
  #compiling = 0;
  #closed = false;
  #ended: Promise<void> | null = null;

  constructor(
    { threads, timeout, memoryLimit, tierPolicy, maxInput, cache, remoteCache }: CompilerOptions,
    private readonly elsewhere: Elsewhere | null,
  ) {
    this.#threads = threads ?? availableParallelism();
    this.#llvm = new LlvmLoader(() => this.#make());
    this.#timeoutMs = timeout ?? 0;
    this.#memoryLimitBytes = memoryLimit ?? DEFAULT_MEMORY_LIMIT;
    this.#tierPolicy = tierPolicy;
    this.#maxInput = maxInput ?? DEFAULT_MAX_INPUT;
    this.#cacheOptions = cache;
    this.#remoteCache = remoteCache;
  }

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
  async compile(
    input: Uint8Array | string,
    options: Partial<JobOptions> | SourceCompileOptions = {},
    call: CallOptions & SourceCallOptions = {},
  ): Promise<CompiledModule> {
    const limits = this.#begin('compile()', call);
    if (isForSource(options)) return (await this.#forSource()).compile(input, options, limits, call);
    const job = completeJobOptions('compile()', options);
    const module = this.#moduleBytes(typeof input === 'string' ? new TextEncoder().encode(input) : input);
    return this.#compileCached(module, job, limits);
  }

  async #compileCached(module: Uint8Array, job: JobOptions, limits: TaskLimits): Promise<CompiledModule> {
    if (this.#cacheOptions === undefined && this.#remoteCache === undefined)
      return { ...(await this.#compile(module, job, limits)), cached: false };
    const started = performance.now();
    const { compileKey } = await import('./compile-key.js');
    const caches = await this.#openCaches();
    const key = await compileKey(module, job);
    // A lookup that takes long is made beside the start of LLVM, which the job will need if it is in vain. Where there
    // was something for an earlier job, there will be something for this one.
    const begin = (): void => void (this.elsewhere === null && !this.#hasFound && this.#start().catch(() => {}));
    const soon = setTimeout(begin, LOOKUP_MS);
    const kept = await caches.get(key, job).finally(() => clearTimeout(soon));
    this.#hasFound = kept !== null;
    if (kept !== null) return { ...kept, timings: { total: performance.now() - started }, cached: true };
    const result = await this.#compile(module, job, limits);
    await caches.put(key, result);
    return { ...result, cached: false };
  }

  async #openCaches(): Promise<CompileCaches> {
    const local = this.#cacheOptions && (await import('./compile-cache.js'));
    const { CompileCaches } = await import('./compile-caches.js');
    const remote = this.#remoteCache && (await import('../remote-cache/client.js'));
    return (this.#caches ??= new CompileCaches(
      local === undefined ? null : new local.CompileCache(this.#cacheOptions!),
      remote === undefined ? null : new remote.RemoteCache(this.#remoteCache!),
    ));
  }

  async translate(
    input: string | Uint8Array,
    options: SourceCompileOptions,
    call: SourceCallOptions = {},
  ): Promise<TranslatedSource> {
    const limits = this.#begin('translate()', call);
    return (await this.#forSource()).translate(input, options, limits, call);
  }

  async preprocess(
    input: string | Uint8Array,
    options: SourceCompileOptions,
    call: SourceCallOptions = {},
  ): Promise<PreprocessedSource> {
    const limits = this.#begin('preprocess()', call);
    return (await this.#forSource()).preprocess(input, options, limits, call);
  }

  /** Compiling bitcode loads nothing of it. */
  async #forSource(): Promise<SourceJobs> {
    const { SourceJobs } = await import('./source-jobs.js');
    return (this.#sourceJobs ??= new SourceJobs({
      maxInput: this.#maxInput,
      make: () => this.#make(),
      start: () => this.#start(),
      compile: (...job) => this.#compile(...job),
      compileUnlessShared: (...job) =>
        this.#remoteCache === undefined ? this.#compile(...job) : this.#compileCached(...job),
      cache: async () => (this.#cacheOptions === undefined ? null : (await this.#openCaches()).local),
    }));
  }

  get prepared(): boolean | null {
    return this.#llvm.prepared;
  }

  get cacheCounts(): CacheCounts | null {
    if (this.#cacheOptions === undefined) return null;
    return this.#caches?.counts ?? { hits: 0, misses: 0, errors: 0, complaint: null };
  }

  get remoteCacheReport(): RemoteCacheReport | null {
    if (this.#remoteCache === undefined) return null;
    return this.#caches?.remoteReport ?? NOTHING_REMOTE;
  }

  async #compile(module: Uint8Array, job: JobOptions, limits: TaskLimits): Promise<CompileResult> {
    const done = (await this.elsewhere?.compile(module, job, limits)) ?? null;
    if (done !== null) return done;
    const linked = await this.#withLibraries(module, job, limits);
    const executor = await this.#start();
    this.#compiling++;
    try {
      // To divide one job pays while there are workers to spare. Jobs side by side keep the workers busy without it.
      return await compileOn(executor, linked, job, limits, () => this.#compiling * 2 <= executor.width);
    } finally {
      this.#compiling--;
    }
  }

  #withLibraries(module: Uint8Array, job: JobOptions, limits: TaskLimits): Promise<Uint8Array> {
    const translator = async (): Promise<SourceTranslator> => (await this.#forSource()).translator;
    return withDeviceLibraries(module, job, { start: () => this.#start(), translator, limits });
  }

  async analyze(bytes: Uint8Array, options: Partial<JobOptions> = {}, call: CallOptions = {}): Promise<AnalyzeResult> {
    const limits = this.#begin('analyze()', call);
    const job = asForCodeObject(completeJobOptions('analyze()', options));
    const module = await this.#withLibraries(this.#moduleBytes(bytes), job, limits);
    const executor = await this.#start();
    return executor.run({ kind: 'analyze', bytes: module, options: job }, limits);
  }

  async inspect(bytes: Uint8Array, call: CallOptions = {}): Promise<CodeObjectInfo | InspectedModule | ContainerInfo> {
    const limits = this.#begin('inspect()', call);
    checkBytes(bytes);
    const kind = sniffInput(bytes);
    if (kind === 'elf') {
      const { inspectCodeObject } = await import('../formats/code-object.js');
      return inspectCodeObject(bytes);
    }
    if (kind === 'offload-bundle') {
      const [{ readContainer }, { describeContainer }] = await Promise.all([
        import('../formats/offload/container.js'),
        import('../formats/offload/describe.js'),
      ]);
      return describeContainer(await readContainer(bytes));
    }
    const module = this.#moduleBytes(bytes);
    const executor = await this.#start();
    const info = await executor.run({ kind: 'info', bytes: module }, limits);
    return { kind: 'module', ...info };
  }

  async simulate(
    codeObject: Uint8Array,
    spec: LaunchSpec,
    options: Partial<SimulationOptions> = {},
    call: SimulationCall = {},
  ): Promise<SimulationResult> {
    const limits = this.#begin('simulate()', call);
    checkBytes(codeObject, 'code object');
    await checkSpec(spec);
    const { simulateOn } = await import('./simulate.js');
    const { onInstruction: listener } = call;
    const callbacks = new Callbacks();
    const onInstruction: SimulationCall['onInstruction'] =
      listener && ((...event) => callbacks.now(() => listener(...event)));
    const result = await simulateOn(await this.#start(), codeObject, spec, options, { ...limits, onInstruction });
    callbacks.check();
    return result;
  }

  async unsupportedOperations(
    codeObject: Uint8Array,
    call: Pick<CallOptions, 'signal'> = {},
  ): Promise<UnsupportedOperation[]> {
    const limits = this.#begin('unsupportedOperations()', call);
    checkBytes(codeObject, 'code object');
    const { unsupportedOn } = await import('./simulate.js');
    return unsupportedOn(await this.#start(), codeObject, limits);
  }

  async tune(
    bytes: Uint8Array,
    options: Partial<JobOptions>,
    tuning: Pick<TuneOptions, 'specs'> & Partial<TuneOptions>,
    call: TuneCall = {},
  ): Promise<TuneResult> {
    const limits = this.#begin('tune()', call);
    const job = completeJobOptions('tune()', options);
    const module = this.#moduleBytes(bytes);
    checkOptions('tune()', tuning, TUNE_CHECKS);
    requireOptions('tune()', tuning, ['specs']);
    const { specs, budget = DEFAULT_BUDGET, tolerance = {}, fullUnit = false } = tuning;
    // A copy has no holes, which `forEach` leaves out.
    await Promise.all([...specs].map(checkSpec));
    const { tuneOn } = await import('./tune/tune.js');
    const linked = await this.#withLibraries(module, { ...job, emit: ['hsaco'] }, limits);
    const executor = await this.#start();
    const callbacks = new Callbacks();
    const setup = {
      executor,
      limits,
      compile: (input: Uint8Array, of: JobOptions) => this.#compile(input, of, limits),
      onProgress: (progress: TuneProgress) => callbacks.now(() => call.onTrial?.(progress)),
    };
    // What a trial compiles has the libraries already.
    const result = await tuneOn(setup, linked, { ...job, deviceLibs: 'never' }, { specs, budget, tolerance, fullUnit });
    callbacks.check();
    return result;
  }

  async open(bytes: Uint8Array): Promise<ModuleSession> {
    this.#checkOpen();
    const module = this.#moduleBytes(bytes);
    const [{ WorkerSession }, llvm] = await Promise.all([import('../workers/session.js'), this.#llvm.arrived()]);
    this.#checkNotEnded();
    const setup = { code: llvm, memoryLimitBytes: this.#memoryLimitBytes, bytes: module };
    const session = new WorkerSession(setup, this.#timeoutMs);
    this.#sessions.add(session);
    const close = (): Promise<void> => {
      this.#sessions.delete(session);
      return session.close();
    };
    return {
      info: async (call = {}) => {
        checkOptions('info()', call, CALL_CHECKS);
        return session.info(call);
      },
      analyze: async (options = {}, call = {}) => {
        checkOptions('analyze()', call, CALL_CHECKS);
        return session.analyze(completeJobOptions('analyze()', options), call);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    return (this.#ended ??= this.#end());
  }

  /** What cannot be closed keeps nothing else open. */
  async #end(): Promise<void> {
    const parts: (() => Promise<unknown> | undefined)[] = [
      ...[...this.#sessions].map((session) => () => session.close()),
      () => this.#caches?.close(),
      async () => (await this.#executor.take())?.close(),
      // The module is large, and V8 goes on optimising it while anything refers to it.
      () => this.#llvm.close(),
      () => this.#sourceJobs?.close(),
    ];
    const failures: unknown[] = [];
    for (const end of parts) await end()?.catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What goes to a worker: a view of a larger buffer would take the whole buffer with it. */
  #moduleBytes(bytes: Uint8Array): Uint8Array {
    checkBytes(bytes);
    if (bytes.length > this.#maxInput)
      throw new DarmError('bad-input', `the module has ${bytes.length} bytes, the limit is ${this.#maxInput}`);
    const module = unwrapModule(bytes);
    return module.byteLength === module.buffer.byteLength && module.constructor === Uint8Array
      ? module
      : new Uint8Array(module);
  }

  #checkOpen(): void {
    if (this.#closed) throw new DarmError('usage', 'the compiler is closed');
  }

  /** Of a job that began before the compiler was closed. */
  #checkNotEnded(): void {
    if (this.#closed) throw abortedError();
  }

  /** Checks what a call is made with. @returns what bounds its job */
  #begin(where: string, call: CallOptions): TaskLimits {
    this.#checkOpen();
    checkOptions(where, call, CALL_CHECKS);
    const { signal, timeout = 0, onProgress, onDiagnostic } = call;
    if (signal?.aborted) throw abortedError(signal);
    const events: Events = {
      progress: (phase, name) => onProgress?.(name === undefined ? { phase } : { phase, function: name }),
      diagnostic: (line) => onDiagnostic?.(line),
    };
    const timeoutMs =
      timeout > 0 && this.#timeoutMs > 0 ? Math.min(timeout, this.#timeoutMs) : timeout || this.#timeoutMs;
    return { signal, timeoutMs, events: onProgress || onDiagnostic ? events : null };
  }

  async #make(): Promise<Make | undefined> {
    if (this.#tierPolicy === undefined) return undefined;
    return (await import('../workers/make-under-policy.js')).underPolicy(this.#tierPolicy);
  }

  async #start(): Promise<Executor> {
    this.#checkNotEnded();
    return this.#executor.get();
  }

  async #makeExecutor(): Promise<Executor> {
    const memoryLimitBytes = this.#memoryLimitBytes;
    if (this.#threads > 0) {
      const [{ WorkerPool }, llvm] = await Promise.all([import('../workers/pool.js'), this.#llvm.arrived()]);
      return new WorkerPool(this.#threads, { code: llvm, memoryLimitBytes });
    }
    // What fails is reported where it is needed.
    this.#llvm.coming().catch(() => {});
    const { InlineExecutor } = await import('../workers/inline.js');
    return new InlineExecutor({ code: () => this.#llvm.coming(), memoryLimitBytes });
  }

  async ready(): Promise<void> {
    this.#checkOpen();
    await Promise.all([
      this.#start(),
      this.#llvm.arrived(),
      // What the other jobs import when they need it: Node keeps an import that failed as failed for good.
      import('../formats/code-object.js'),
      import('../formats/offload/container.js'),
      import('../formats/offload/describe.js'),
      import('./compile-cache.js'),
      import('./compile-key.js'),
      import('./compile-caches.js'),
      ...(this.#remoteCache === undefined ? [] : [import('../remote-cache/client.js')]),
      import('./simulate.js'),
      import('../workers/session.js'),
    ]);
  }
}
