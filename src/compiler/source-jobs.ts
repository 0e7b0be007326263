/** Jobs that begin with source. clang makes bitcode of it, and `compile` goes on with that as with a user's. */
import type { Make } from '../binding/load.js';
import { DarmError } from '../errors.js';
import { sniffInput, type InputKind } from '../formats/bitcode.js';
import { isBytes } from '../formats/bytes.js';
import type { SourceCompileOptions, SourceRequest } from '../frontend/options.js';
import type { JobOptions } from '../job/options.js';
import { NO_KERNEL, type CompileResult } from '../job/results.js';
import type { Lookup, SourceJob, Translation } from '../job/source.js';
import type { Executor } from '../workers/executor.js';
import type { TaskLimits } from '../workers/task-limits.js';
import type { CompiledSource, PreprocessedSource, SourceCallOptions, SourceResult, TranslatedSource } from './api.js';
import type { CompileCache } from './compile-cache.js';
import { SourceTranslator } from './compile-source.js';
import type { Keepable } from './stored-result.js';

type CompileBitcode = (bitcode: Uint8Array, job: JobOptions, limits: TaskLimits) => Promise<CompileResult>;

/** What the compiler gives these jobs. */
export interface SourceSetup {
  /** The longest source, in bytes or characters. */
  readonly maxInput: number;
  /** How clang's parts are compiled; undefined: lazily. */
  readonly make: () => Promise<Make | undefined>;
  readonly start: () => Promise<Executor>;
  readonly compile: CompileBitcode;
  /** The same, where the remote cache does not have it. */
  readonly compileUnlessShared: CompileBitcode;
  /** The folder for results of source; null without one. */
  readonly cache: () => Promise<CompileCache | null>;
}

/** As the cache keeps it. */
interface KeptSource extends CompileResult {
  readonly source: SourceResult;
  readonly lookups: readonly Lookup[];
}

/** A translation as the cache keeps it: `artifacts` has the bitcode. */
interface KeptTranslation extends Keepable, Omit<Translation, 'product' | 'time'> {}

/** What clang would take for text, and quote. */
const BINARY: Readonly<Partial<Record<InputKind, string>>> = {
  bitcode: 'LLVM bitcode',
  'bitcode-wrapper': 'LLVM bitcode',
  elf: 'an ELF file (machine code)',
  'offload-bundle': 'an offload bundle',
};

/** What is to be translated, and how. */
interface SourceQuestion {
  readonly input: string | Uint8Array;
  readonly options: SourceCompileOptions;
  readonly product: 'bitcode' | 'text';
  readonly colors: boolean | undefined;
}

type Translated = Awaited<ReturnType<SourceTranslator['translate']>>;

export class SourceJobs {
  /** clang, also for jobs that begin with bitcode. */
  readonly translator: SourceTranslator;

  constructor(private readonly setup: SourceSetup) {
    this.translator = new SourceTranslator(setup.make);
  }

  /**
   * Both steps. The folder keeps the result of both, and that of the first for other options of the second. What clang
   * looked up on this disk says nothing on another machine: from the remote cache comes the second step.
   */
  async compile(
    input: string | Uint8Array,
    options: SourceCompileOptions,
    limits: TaskLimits,
    { colors }: SourceCallOptions,
  ): Promise<CompiledSource> {
    const asked = { input, options, product: 'bitcode' as const, colors };
    const { request, source, translate } = await this.#prepare('compile()', asked, limits);
    const started = performance.now();
    const compileBitcode = async (): Promise<KeptSource> => {
      const translation = await translate();
      const compiled = await this.translator.keepingLog(
        translation,
        this.setup.compileUnlessShared(translation.product, request.job, limits).catch(async (error: unknown) => {
          throw await this.#placed(error, request, limits);
        }),
      );
      const { total = 0 } = compiled.timings;
      const timings = { ...compiled.timings, translate: translation.time, total: total + translation.time };
      const left = this.translator.result(request, translation);
      // A source of HIP may be for the host alone.
      const diagnostics = compiled.diagnostics.filter((line) => line !== NO_KERNEL || request.language !== 'hip');
      return { ...compiled, diagnostics, timings, source: left, lookups: translation.lookups };
    };
    const asResult = ({ lookups: _, ...result }: KeptSource, cached: boolean): CompiledSource => ({
      ...result,
      cached,
    });
    const cache = await this.setup.cache();
    if (cache === null) return asResult(await compileBitcode(), false);
    const { isCurrent, sourceKey } = await import('./source-key.js');
    const key = await sourceKey(source, request, request.job);
    const kept = await cache.get<KeptSource>(key, ({ lookups }) => isCurrent(lookups));
    if (kept !== null) return asResult({ ...kept, timings: { total: performance.now() - started } }, true);
    const result = await compileBitcode();
    await cache.put(key, result);
    return asResult(result, false);
  }

  async translate(
    input: string | Uint8Array,
    options: SourceCompileOptions,
    limits: TaskLimits,
    { colors }: SourceCallOptions,
  ): Promise<TranslatedSource> {
    const asked = { input, options, product: 'bitcode' as const, colors };
    const { request, translate } = await this.#prepare('translate()', asked, limits);
    const translation = await translate();
    const { product: bitcode, time } = translation;
    return { ...this.translator.result(request, translation), bitcode, options: request.job, time };
  }

  async preprocess(
    input: string | Uint8Array,
    options: SourceCompileOptions,
    limits: TaskLimits,
    { colors }: SourceCallOptions,
  ): Promise<PreprocessedSource> {
    const asked = { input, options, product: 'text' as const, colors };
    const { request, translate } = await this.#prepare('preprocess()', asked, limits);
    const translation = await translate();
    return { ...this.translator.result(request, translation), text: translation.product };
  }

  async close(): Promise<void> {
    await this.translator.close();
  }

  /** A source, checked, and what translates it. */
  async #prepare(where: string, { input, options, product, colors = false }: SourceQuestion, limits: TaskLimits) {
    const { maxInput, start } = this.setup;
    if (typeof input !== 'string' && !isBytes(input))
      throw new DarmError('usage', 'the source must be a string or a Uint8Array');
    if (input.length > maxInput)
      throw new DarmError(
        'bad-input',
        `the source has ${input.length} ${typeof input === 'string' ? 'characters' : 'bytes'}, the limit is ${maxInput}`,
      );
    const binary = typeof input === 'string' ? undefined : BINARY[sniffInput(input)];
    if (binary !== undefined) throw new DarmError('bad-input', `the source is ${binary}, not text`);
    const request = await this.translator.request(where, input, options);
    const source = await this.translator.job(request, product, colors);
    const translate = async () => this.translator.translate(await start(), request, source, limits);
    if (product === 'text') return { request, source, translate };
    return { request, source, translate: () => this.#keptTranslation(request, source, translate) };
  }

  /** What clang has made of a source before, where all that it looked up is as it was. */
  async #keptTranslation(
    request: SourceRequest,
    source: SourceJob,
    translate: () => Promise<Translated>,
  ): Promise<Translated> {
    const cache = await this.setup.cache();
    if (cache === null) return translate();
    const started = performance.now();
    const { isCurrent, sourceKey } = await import('./source-key.js');
    const key = await sourceKey(source, request, null);
    const kept = await cache.find<KeptTranslation>(key, ({ lookups }) => isCurrent(lookups));
    if (kept !== null) {
      const { artifacts, timings: _, ...rest } = kept;
      return { ...rest, product: new Uint8Array(artifacts[0]!.bytes), time: performance.now() - started };
    }
    const { product, time, ...rest } = await translate();
    await cache.keep<KeptTranslation>(key, { ...rest, artifacts: [{ kind: 'bc', bytes: product }], timings: {} });
    return { ...rest, product, time };
  }

  /**
   * What LLVM refuses is compiled once more, with line tables: by them alone LLVM knows the place in the source. It is
   * not melded, since LLVM refuses hardly anything for what melding has made of it, and nobody hears of it.
   */
  async #placed(error: unknown, request: SourceRequest, limits: TaskLimits) {
    if (!(error instanceof DarmError) || error.code !== 'compile-failed' || error.location !== undefined) return error;
    const lined: SourceRequest = { ...request, flags: { ...request.flags, debug: 'lines' } };
    const silent = { ...limits, events: null };
    try {
      const source = await this.translator.job(lined, 'bitcode', false);
      const { product } = await this.translator.translate(await this.setup.start(), lined, source, silent);
      await this.setup.compile(product, { ...request.job, meld: 'off', plan: null }, silent);
    } catch (second) {
      if (!(second instanceof DarmError)) return error;
      if (second.code === 'aborted') return second;
      if (second.message === error.message && second.location !== undefined) return second;
    }
    return error;
  }
}
