/**
 * How long a build waits for a remote cache.
 *
 * - Silence: while nothing was heard for a moment, nobody waits any longer, and nobody asks for a while. The lookups
 *   stay open beside the jobs; an answer that comes late says that the server lives, and how slow it is.
 * - Failures: a server that fails several times in a row is left alone for a while (a circuit breaker), then asked once
 *   before everybody asks again.
 * - An account of waiting: it begins with a little, hits pay in what they saved, compilations pay in a small part of
 *   what they took. While it is empty, nobody asks: so a server that answers, but slowly, costs a build no more than
 *   that part.
 */

export interface PatienceSettings {
  /** As many failures in a row, and the server is left alone. */
  readonly failures: number;
  /** For how long, in milliseconds. */
  readonly restMs: number;
  /** What the account begins with, in milliseconds. */
  readonly allowanceMs: number;
  /** How long nothing may be heard, in milliseconds, as long as no answer took long. */
  readonly silenceMs: number;
}

export const DEFAULT_PATIENCE: PatienceSettings = { failures: 3, restMs: 30_000, allowanceMs: 1000, silenceMs: 250 };

/** The part of the time for compiling that may go to waiting in vain. */
const PART_FOR_WAITING = 0.05;
/** What was saved long ago does not pay for any length of waiting. */
const MOST_SAVED_MS = 10_000;
/** Who took so long once may take twice as long. */
const SLOWER = 2;

export class Patience {
  readonly #settings: PatienceSettings;
  readonly #now: () => number;
  #failures = 0;
  #restUntil = -Infinity;
  #probing = false;
  #accountMs: number;
  /** Questions without an answer. */
  #open = 0;
  /** Since when nothing was heard, while there are open questions. */
  #quietSince = 0;
  #slowestMs = 0;

  constructor(settings: PatienceSettings, now: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#now = now;
    this.#accountMs = settings.allowanceMs;
  }

  /** Whether the server may be asked now. After a rest for failures only one asks, until it has its answer. */
  mayAsk(): boolean {
    if (this.#now() < this.#restUntil || this.#accountMs < 0) return false;
    if (this.#failures < this.#settings.failures) return true;
    if (this.#probing) return false;
    return (this.#probing = true);
  }

  /** Whether the last request was answered: whoever does not answer gets no uploads. */
  get isTrusted(): boolean {
    return this.#failures === 0 && this.#now() >= this.#restUntil;
  }

  /** A question is sent; `answered` or `failed` follows. */
  asked(): void {
    if (this.#open++ === 0) this.#quietSince = this.#now();
  }

  /** @param ms how long it took */
  answered(ms: number): void {
    this.#open--;
    this.#quietSince = this.#now();
    this.#slowestMs = Math.max(this.#slowestMs, ms);
    this.#failures = 0;
    this.#restUntil = -Infinity;
    this.#probing = false;
  }

  failed(): void {
    this.#open--;
    this.uploadFailed();
  }

  uploadFailed(): void {
    this.#failures++;
    this.#probing = false;
    if (this.#failures >= this.#settings.failures) this.#rest();
  }

  /** How many milliseconds the silence may still last; not positive: it lasted too long. */
  get silenceLeftMs(): number {
    const most = Math.max(this.#settings.silenceMs, SLOWER * this.#slowestMs);
    return this.#quietSince + most - this.#now();
  }

  /** For so many milliseconds this thread could not listen, which is no fault of the server's. */
  excuse(ms: number): void {
    this.#quietSince += ms;
  }

  /** It was silent for too long. */
  gaveUp(): void {
    this.#failures = Math.max(this.#failures, this.#settings.failures);
    this.#probing = false;
    this.#rest();
  }

  /** A job waited so long for an answer of whatever kind. */
  waited(ms: number): void {
    this.#accountMs -= ms;
  }

  saved(ms: number): void {
    this.#accountMs = Math.min(this.#accountMs + ms, MOST_SAVED_MS);
  }

  compiled(ms: number): void {
    this.saved(ms * PART_FOR_WAITING);
  }

  #rest(): void {
    this.#restUntil = this.#now() + this.#settings.restMs;
  }
}
