/**
 * Makes Chromium keep the code that it optimised, for the next visit. Of each module that is compiled from a URL it
 * writes once what is optimised by then, about the first megabyte; what it optimises later it would write only for
 * another answer to the same request. So when the reader has looked at a result for a while, the modules are requested
 * once more (V8 knows that they are the same, and compiles nothing), and the kernel is compiled once more, which makes
 * V8 optimise the little that lets it write everything.
 */
import type { Explored, ExploreOutcome, ExploreQuestion } from '../src/explorer/protocol.js';
import { streamAgain } from './platform.js';

/** How long nothing is asked: by then, V8 is done with what it began. */
const QUIET_MS = 3000;
/** A compilation that took longer is not done again: the reader's next question would have to wait. */
const QUICK_MS = 5000;

type Compilation = Extract<ExploreQuestion, { kind: 'compile' }>;

export class Rehearsal {
  readonly #compile: (question: Compilation) => Promise<unknown>;
  #asked = 0;
  #last: Compilation | null = null;
  #isOver = !('userAgentData' in navigator);
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
      const { translate, compile } = (outcome.value as Explored).time;
      this.#last = translate + compile < QUICK_MS ? question : null;
    }
    if (this.#asked === 0 && this.#last !== null && !this.#isOver)
      this.#timer = setTimeout(() => void this.#rehearse(this.#last!).catch(() => {}), QUIET_MS);
  }

  async #rehearse(question: Compilation): Promise<void> {
    this.#isOver = true;
    await streamAgain();
    await this.#compile(question);
  }
}
