/**
 * clang's instance of a thread, and what the thread translates with it. As with LLVM's, a thread starts with the part
 * that first compilations call; a translation that ends in a call into the rest is done again with all of clang.
 */
import { instantiateFrontend, type Frontend } from '../binding/frontend.js';
import { completeFrontend, type FrontendCode } from '../binding/load-frontend.js';
import type { RuntimeLimits } from '../binding/runtime.js';
import { JobFiles } from '../frontend/files.js';
import type { SourceJob, Translation } from '../job/source.js';

/** As for LLVM's: an instance that has grown beyond this is given up with its memory. */
const KEPT_BYTES = 512 * 2 ** 20;

export class FrontendHost {
  readonly #limits: RuntimeLimits;
  /** As it was given, or completed. */
  #clang: FrontendCode | null = null;
  #frontend: Frontend | null = null;

  constructor(limits: RuntimeLimits) {
    this.#limits = limits;
  }

  /** @param within calls the function that does the work, perhaps with a time limit */
  async translate(clang: FrontendCode, job: SourceJob, within: <R>(work: () => R) => R): Promise<Translation> {
    this.#clang ??= clang;
    const files = new JobFiles(job);
    const started = performance.now();
    const frontend = await this.#prepare();
    try {
      return this.#translateWith(frontend, files, job, started, within);
    } catch (error) {
      // A call into code that is not there traps.
      if (!frontend.poisoned || this.#clang.code.rest !== 'unread') throw error;
    }
    this.#clang = await completeFrontend(this.#clang);
    return this.translate(clang, job, within);
  }

  async #prepare(): Promise<Frontend> {
    if (this.#frontend === null || this.#frontend.poisoned || this.#frontend.memoryBytes > KEPT_BYTES) {
      this.#frontend = null;
      this.#frontend = await instantiateFrontend(this.#clang!, this.#limits);
    }
    return this.#frontend;
  }

  #translateWith(
    frontend: Frontend,
    files: JobFiles,
    job: SourceJob,
    started: number,
    within: <R>(work: () => R) => R,
  ): Translation {
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
}
