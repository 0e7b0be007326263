/**
 * Makes Chromium keep the code that it optimised, for the next visit. Of each module that is compiled from a URL it
 * writes once what is optimised by then, about the first megabyte; what it optimises later it would write only for
 * another answer to the same request. So when the reader has looked at a result for a while, the modules are requested
 * once more (V8 knows that they are the same, and compiles nothing), and the kernel is compiled once more, which makes
 * V8 optimise the little that lets it write everything.
 */
import type { Explored, ExploreOutcome, ExploreQuestion } from '../src/explorer/protocol.js';
import { isQuick } from './kept-results.js';
import { stream } from './platform.js';

/**
 * How long nothing is asked before the first rehearsal, and before the second: by then, slow machines are done, too.
 */
const QUIET_MS = [3000, 10_000];

type Compilation = Extract<ExploreQuestion, { kind: 'compile' }>;

export class Rehearsal {
  readonly #compile: (question: Compilation) => Promise<unknown>;
  #asked = 0;
  #last: { readonly question: Compilation; readonly isQuick: boolean } | null = null;
  /** Other browsers have no `userAgentData`. */
  #left: readonly number[] = 'userAgentData' in navigator ? QUIET_MS : [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param compile whatever was compiled before */
  constructor(compile: (question: Compilation) => Promise<unknown>) {
    this.#compile = compile;
  }

  asked(): void {
    this.#asked++;
    clearTimeout(this.#timer);
  }

  answered(question: ExploreQuestion, outcome: ExploreOutcome): void {
    this.#asked--;
    if (question.kind === 'compile' && outcome.ok) {
      this.#last = { question, isQuick: isQuick(outcome.value as Explored) };
    }
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const [quiet, ...left] = this.#left;
    const last = this.#last;
    if (this.#asked > 0 || last === null || quiet === undefined) return;
    const rehearse = async (): Promise<void> => {
      this.#left = left;
      await stream();
      // Otherwise the reader's next edit does it.
      if (last.isQuick) await this.#compile(last.question);
      this.#wait();
    };
    this.#timer = setTimeout(() => void rehearse().catch(() => {}), quiet);
  }
}
