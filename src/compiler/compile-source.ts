/** From source to bitcode by clang, in a worker; what follows is the way of all bitcode. */
import type { Make } from '../binding/load.js';
import { compileFrontend, frontendManifest, type FrontendCode } from '../binding/load-frontend.js';
import { DarmError } from '../errors.js';
import { driverDiagnostics, driverLog } from '../frontend/driver-warnings.js';
import { completeSource, isError, refusal, translationJob, type SourceCompileOptions, type SourceRequest } from '../frontend/options.js'; // prettier-ignore
import { linkingJob } from '../frontend/link-libraries.js';
import type { LibraryUser } from '../job/library-user.js';
import type { SourceJob, Translation } from '../job/source.js';
import type { Executor } from '../workers/executor.js';
import type { TaskLimits } from '../workers/task-limits.js';
import type { SourceResult } from './api.js';
import { Retried } from './retried.js';

/** Loads clang once; translates on the compiler's workers. */
export class SourceTranslator {
  readonly #clang: Retried<FrontendCode>;

  /** @param make how clang's parts are compiled; by default, lazily */
  constructor(make: () => Promise<Make | undefined> = () => Promise.resolve(undefined)) {
    this.#clang = new Retried(async () => compileFrontend(await make()));
  }

  async request(where: string, source: string | Uint8Array, options: SourceCompileOptions): Promise<SourceRequest> {
    return completeSource(where, source, options);
  }

  async job(request: SourceRequest, product: 'bitcode' | 'text', colors: boolean): Promise<SourceJob> {
    const { processors } = await frontendManifest();
    return translationJob(request, product, processors, colors);
  }

  /** @throws DarmError `compile-failed` with clang's messages */
  async translate(
    executor: Executor,
    request: SourceRequest,
    source: SourceJob,
    limits: TaskLimits,
  ): Promise<Translation & { product: Uint8Array<ArrayBuffer> }> {
    const { warnings, cc1, folders } = request.flags;
    const said = driverDiagnostics(Object.values(warnings), cc1);
    if (said.some(({ severity }) => severity === 'error'))
      throw refusal({ log: driverLog(said), diagnostics: said }, folders);
    const clang = await this.#clang.get();
    const translated = await executor.run({ kind: 'translate', source, clang }, { ...limits, events: null });
    const translation = {
      ...translated,
      log: driverLog(said) + translated.log,
      diagnostics: [...said, ...translated.diagnostics],
    };
    const { product } = translation;
    if (product === null) throw refusal(translation, folders);
    return { ...translation, product };
  }

  /**
   * A module with AMD's device libraries.
   *
   * @throws DarmError `bad-target` without libraries for the processor, `link-failed`
   */
  async link(executor: Executor, user: LibraryUser, limits: TaskLimits): Promise<Uint8Array<ArrayBuffer>> {
    const { processors } = await frontendManifest();
    const source = linkingJob(user, processors);
    const clang = await this.#clang.get();
    const linked = await executor.run({ kind: 'translate', source, clang }, { ...limits, events: null });
    if (linked.product !== null) return linked.product;
    const { message = 'clang gave no reason' } = linked.diagnostics.find(isError) ?? {};
    throw new DarmError(
      'link-failed',
      `AMD's device libraries cannot be linked: ${message.replace(/\s+/g, ' ').trim()}`,
    );
  }

  /** What fails behind clang still tells what clang said: a warning is often about the same mistake. */
  async keepingLog<T>({ log, diagnostics }: Translation, compiling: Promise<T>): Promise<T> {
    return compiling.catch((error: unknown) => {
      if (!(error instanceof DarmError) || log === '') throw error;
      const { code, message, location, stack } = error;
      const told = new DarmError(code, message, location, { log, diagnostics, isRefusal: false });
      throw Object.assign(told, { stack });
    });
  }

  /** What is told about a translation. */
  result(request: SourceRequest, translation: Translation): SourceResult {
    const { log, diagnostics, dependencies, loweredNames } = translation;
    const expressions = request.options.nameExpressions ?? [];
    const names = expressions.map((expression, index) => [expression, loweredNames[index] ?? '']);
    return { log, diagnostics, dependencies, loweredNames: Object.fromEntries(names) as Record<string, string> };
  }

  async close(): Promise<void> {
    await this.#clang.take();
  }
}
