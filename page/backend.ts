/** What answers the page: a Web Worker with the whole compiler, or the server that the page comes from. */
import { decode, encode } from '@msgpack/msgpack';
import { DarmError } from '../src/errors.js';
import type { Explored, ExploreAnswers, ExploreOutcome, ExploreQuestion, ExploreQuestions, QuestionKind } from '../src/explorer/protocol.js'; // prettier-ignore
import { startWorker, takeFirstWorker } from './first-worker.js';
import { findResult, isQuick, type KeptKind } from './kept-results.js';
import type { WorkerMessage, WorkerRequest } from './worker.js';

export interface Backend {
  /** @throws DarmError */
  ask<K extends QuestionKind>(kind: K, question: ExploreQuestions[K]): Promise<ExploreAnswers[K]>;
  /** The answer, if an earlier visit, or this one, has it; null: it must be asked for. */
  recall<K extends KeptKind>(kind: K, question: ExploreQuestions[K]): Promise<ExploreAnswers[K] | null>;
  /** Ends what is being answered with `aborted`. */
  stop(): void;
}

export interface LoadProgress {
  /** Bytes. */
  readonly loaded: number;
  readonly total: number;
}

/** @param progress null when the compiler is there */
export type ProgressListener = (progress: LoadProgress | null) => void;

/** The page draws what it knows; then the compiler may have the processors. */
const SHOWING_MS = 200;

const stopped = (): DarmError => new DarmError('aborted', 'stopped');

function valueOf<K extends QuestionKind>(outcome: ExploreOutcome): ExploreAnswers[K] {
  if (outcome.ok) return outcome.value as ExploreAnswers[K];
  throw DarmError.fromJSON(outcome.error);
}

interface Waiting {
  readonly resolve: (outcome: ExploreOutcome) => void;
  readonly reject: (error: DarmError) => void;
}

export class WorkerBackend implements Backend {
  readonly #listener: ProgressListener;
  readonly #waiting = new Map<number, Waiting>();
  /** Null: the last one could not even be loaded, and the next question starts another. */
  #worker: Worker | null;
  #count = 0;
  /** Whether it has had something to compile. */
  #isWarm = false;

  constructor(listener: ProgressListener) {
    this.#listener = listener;
    this.#worker = this.#start();
  }

  #start(): Worker {
    this.#isWarm = false;
    const worker = takeFirstWorker() ?? startWorker(true);
    const files = new Map<string, LoadProgress>();
    let hasSpoken = false;
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      hasSpoken = true;
      switch (data.kind) {
        case 'loading': {
          files.set(data.name, data);
          const sum = (field: keyof LoadProgress) =>
            [...files.values()].reduce((total, each) => total + each[field], 0);
          const progress = { loaded: sum('loaded'), total: sum('total') };
          this.#listener(progress.loaded === progress.total ? null : progress);
          break;
        }
        case 'ready':
          this.#listener(null);
          break;
        case 'answer':
          this.#waiting.get(data.id)?.resolve(data.outcome);
          this.#waiting.delete(data.id);
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker !== this.#worker) return;
      this.#end(new DarmError('internal', `the compiler ended: ${event.message || 'its worker cannot be loaded'}`));
      if (hasSpoken) this.#worker = this.#start();
    };
    return worker;
  }

  /** What it had compiled is lost; the code is in the browser's storage. */
  #end(error: DarmError): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#listener(null);
  }

  async ask<K extends QuestionKind>(kind: K, question: ExploreQuestions[K]): Promise<ExploreAnswers[K]> {
    const id = this.#count++;
    this.#isWarm ||= kind === 'compile';
    const outcome = new Promise<ExploreOutcome>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id, question: { kind, ...question } } as WorkerRequest);
    return valueOf<K>(await outcome);
  }

  /** What is known is compiled behind it, so that the compiler is ready for the first edit. */
  async recall<K extends KeptKind>(kind: K, question: ExploreQuestions[K]): Promise<ExploreAnswers[K] | null> {
    const found = await findResult<ExploreAnswers[K]>({ kind, ...question });
    if (kind === 'compile' && found !== null && !this.#isWarm) {
      this.#isWarm = true;
      const known = isQuick(found as Explored) ? ({ kind, ...question } as ExploreQuestion) : null;
      const worker = this.#worker;
      setTimeout(() => worker?.postMessage({ id: null, question: known } satisfies WorkerRequest), SHOWING_MS);
    }
    return found;
  }

  stop(): void {
    if (this.#waiting.size === 0) return;
    this.#end(stopped());
    this.#worker = this.#start();
  }
}

export class ServerBackend implements Backend {
  #abort = new AbortController();

  async ask<K extends QuestionKind>(kind: K, question: ExploreQuestions[K]): Promise<ExploreAnswers[K]> {
    const { signal } = this.#abort;
    try {
      const response = await fetch(new URL('ask', location.href), {
        method: 'POST',
        headers: { 'content-type': 'application/vnd.msgpack' },
        body: encode({ kind, ...question }) as BodyInit,
        signal,
      });
      if (response.headers.get('content-type') !== 'application/vnd.msgpack') {
        const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
        throw new DarmError('io', detail ?? `the server answered ${response.status}`);
      }
      return valueOf<K>(decode(new Uint8Array(await response.arrayBuffer())) as ExploreOutcome);
    } catch (error) {
      if (error instanceof DarmError) throw error;
      if (signal.aborted) throw stopped();
      throw new DarmError('io', `the server does not answer: ${(error as Error).message}`);
    }
  }

  async recall(): Promise<null> {
    return null;
  }

  stop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }
}
