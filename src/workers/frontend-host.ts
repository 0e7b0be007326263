/** clang's instance of a thread, and what the thread translates with it. */
import { instantiateFrontend, type Frontend } from '../binding/frontend.js';
import type { FrontendCode } from '../binding/load-frontend.js';
import type { RuntimeLimits } from '../binding/runtime.js';
import { JobFiles } from '../frontend/files.js';
import { PackageImage } from '../frontend/image.js';
import type { SourceJob, Translation } from '../job/source.js';
import { platform } from '../platform/index.js';

/** As for LLVM's: an instance that has grown beyond this is given up with its memory. */
const KEPT_BYTES = 512 * 2 ** 20;

export class FrontendHost {
  readonly #limits: RuntimeLimits;
  #frontend: Frontend | null = null;
  #image: PackageImage | null = null;

  constructor(limits: RuntimeLimits) {
    this.#limits = limits;
  }

  /** @param within calls the function that does the work, perhaps with a time limit */
  async translate(clang: FrontendCode, job: SourceJob, within: <R>(work: () => R) => R): Promise<Translation> {
    const started = performance.now();
    this.#image ??= new PackageImage(clang.image);
    const files = new JobFiles(job, this.#image);
    const frontend = await this.#prepare(clang);
    const { isDone, product, log, diagnostics, loweredNames } = within(() =>
      frontend.translate(job.arguments, files, job.colors),
    );
    return {
      product: isDone ? product : null,
      log,
      diagnostics,
      dependencies: files.dependencies(),
      lookups: files.lookups(),
      loweredNames,
      time: performance.now() - started,
    };
  }

  async #prepare(clang: FrontendCode): Promise<Frontend> {
    if (this.#frontend === null || this.#frontend.poisoned || this.#frontend.memoryBytes > KEPT_BYTES) {
      this.#frontend = null;
      this.#frontend = await instantiateFrontend(clang, this.#limits);
      // LLVM is compiled meanwhile, on other threads. V8 starts that on this one, and clang will keep it for long.
      await platform.nextTurn();
    }
    return this.#frontend;
  }
}
