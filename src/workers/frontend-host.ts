/** clang's instance of a thread, and what the thread translates with it. */
import { instantiateFrontend, type Frontend, type Translated } from '../binding/frontend.js';
import type { FrontendCode } from '../binding/load-frontend.js';
import type { RuntimeLimits } from '../binding/runtime.js';
import { leanArguments } from '../frontend/cc1.js';
import { DarmError } from '../errors.js';
import { JobFiles } from '../frontend/files.js';
import { PackageImage } from '../frontend/image.js';
import { leanHeaders, MentionedNames } from '../frontend/lean.js';
import { ownHeaders } from '../frontend/own-headers.js';
import type { SourceJob, Translation } from '../job/source.js';
import { platform } from '../platform/index.js';

/** As for LLVM's: an instance that has grown beyond this is given up with its memory. */
const KEPT_BYTES = 512 * 2 ** 20;

/** The second knows what is mentioned by headers that the first read and nobody expected. */
const MOST_ROUNDS = 2;

type Within = <R>(work: () => R) => R;

type TranslatedFiles = Translated & { readonly files: JobFiles };

export class FrontendHost {
  readonly #limits: RuntimeLimits;
  #frontend: Frontend | null = null;
  #hasMadeOne = false;
  #image: PackageImage | null = null;

  constructor(limits: RuntimeLimits) {
    this.#limits = limits;
  }

  /** @param within calls the function that does the work, perhaps with a time limit */
  async translate(clang: FrontendCode, job: SourceJob, within: Within): Promise<Translation> {
    const started = performance.now();
    const image = (this.#image ??= new PackageImage(clang.image));
    const { isDone, product, log, diagnostics, loweredNames, files } =
      (await this.#translateLean(clang, job, image, within)) ??
      (await this.#run(clang, job.arguments, new JobFiles(job, image, new Map()), job, within));
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

  /**
   * With as few of the headers as it takes. Null where that fails, in whatever way: what is told is to be what clang
   * says with all headers.
   */
  async #translateLean(
    clang: FrontendCode,
    job: SourceJob,
    image: PackageImage,
    within: Within,
  ): Promise<TranslatedFiles | null> {
    const words = leanArguments(job.arguments);
    const own = words === null ? null : ownHeaders(job);
    // Libraries of C++ take so long by themselves that a second translation is never worth the risk.
    if (words === null || own === null) return null;
    const mentioned = new MentionedNames();
    // Macros, and headers in front of the source.
    mentioned.addText(job.arguments.join(' ').replace(/-include (\S+)/g, '\n#include <$1>\n'));
    for (const content of [job.source, ...job.headers.values()]) mentioned.addSource(content);
    mentioned.addText(own);
    // Debug information names headers and their hashes.
    const hasLines = words.some((word) => word.startsWith('-debug-info-kind='));
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const lean = hasLines ? new Map<string, Uint8Array>() : leanHeaders(image, mentioned);
        const translated = await this.#run(clang, words, new JobFiles(job, image, lean), job, within);
        // What it read mentions more than what was known of it.
        if (!hasLines && mentioned.addFiles(translated.files.files())) continue;
        return translated.isDone ? translated : null;
      }
    } catch (error) {
      if (!(error instanceof DarmError) || error.code === 'timeout') throw error;
    }
    return null;
  }

  async #run(
    clang: FrontendCode,
    words: readonly string[],
    files: JobFiles,
    job: SourceJob,
    within: Within,
  ): Promise<TranslatedFiles> {
    const frontend = await this.#prepare(clang);
    return { ...within(() => frontend.translate(words, files, job.colors)), files };
  }

  async #prepare(clang: FrontendCode): Promise<Frontend> {
    if (!this.#isUsable()) {
      this.#frontend = null;
      if (this.#hasMadeOne) await platform.dropMemory();
      this.#hasMadeOne = true;
      this.#frontend = await instantiateFrontend(clang, this.#limits);
      // LLVM is compiled meanwhile, on other threads. V8 starts that on this one, and clang will keep it for long.
      await platform.nextTurn();
    }
    return this.#frontend!;
  }

  /** As for LLVM's: see llvm-host.ts. */
  #isUsable(): boolean {
    return this.#frontend !== null && !this.#frontend.poisoned && this.#frontend.memoryBytes <= KEPT_BYTES;
  }

  /** Gives up what was stopped in the middle of something. */
  discard(): void {
    this.#frontend = null;
  }
}
