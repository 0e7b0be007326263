/**
 * Hands compilations and launches to a queue and waits for what the workers of the fleet make of them.
 *
 * The id of a job says what it does, so equal work is done once, also for several batches. Whatever is lost on the way
 * (an event, a job or a part of it, everything in the queue when its server starts without its memory) is found
 * missing by asking for the state of what is waited for, and handed out again: at least once becomes exactly one
 * result, because results depend on the job alone.
 */
import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue, QueueEvents } from 'bullmq';
import type { LaunchCheck, LaunchQuestion } from '../compiler/check-launch.js';
import { compileKey } from '../compiler/compile-key.js';
import type { Elsewhere } from '../compiler/elsewhere.js';
import { decodeShared } from '../compiler/stored-result.js';
import { abortedError, DarmError } from '../errors.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { TaskLimits } from '../workers/task-limits.js';
import type { Carrier } from './carrier.js';
import { KEEP, reasonOf, troubleOf, type QueueConnection } from './connection.js';
import { checkKey, decodeCheck, encodeRest } from './check.js';
import { CHECK, COMPILE, idOf, isTask, readReason, readTaskResult, SCHEMA, type Task } from './task.js';

const LOOK_MS = 5000;
const LOOKS_SIDE_BY_SIDE = 64;
/** How long to wait until the queue may take a job that it does not take now. */
const AGAIN_MS = 1000;
/** What is removed then at a time: older jobs that are done, and all events but some. */
const MOST_REMOVED = 1000;
const FEW_EVENTS = 100;
/** Delays are measured with the clock of the worker that asked for them, which may be wrong. */
const LONGEST_DELAY_MS = 60_000;
/** As many attempts, with pauses that double, for what is no fault of the job. */
const ATTEMPTS = 5;
const BACKOFF_MS = 1000;
const CANCEL_MS = 3000;

export interface FleetClientOptions {
  readonly connection: QueueConnection;
  readonly carrier: Carrier;
  /** Told what keeps the batch waiting. */
  readonly say: (what: string) => void;
  /** How often the state of what is waited for is asked, in milliseconds. Default: 5000. */
  readonly lookMs?: number;
}

export interface FleetReport {
  /** Jobs that were handed out. */
  readonly sent: number;
  /** Jobs that came back with a result or with a failure of their own. */
  readonly done: number;
  /** Jobs that were compiled here after all, because workers or store were at fault. */
  readonly here: number;
  /** Results with wrong bytes; part of `here`. */
  readonly refused: number;
  /** Why the last job was compiled here. */
  readonly complaint: string | null;
}

type Ending = { readonly value: unknown } | { readonly reason: string } | { readonly error: DarmError };

interface Waiting {
  readonly id: string;
  readonly name: string;
  readonly task: Task;
  readonly ended: Promise<Ending>;
  readonly end: (ending: Ending) => void;
  delayedSince: number | null;
}

export class FleetClient implements Elsewhere {
  readonly #connection: QueueConnection;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #carrier: Carrier;
  readonly #say: (what: string) => void;
  readonly #lookMs: number;
  readonly #me = randomUUID();
  readonly #waiting = new Map<string, Waiting>();
  readonly #counts = { sent: 0, done: 0, here: 0, refused: 0 };
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;
  #complaint: string | null = null;
  /** What is said once until it is over. */
  #trouble: string | null = null;
  #saidIdle: string | null = null;
  #makingRoom = false;

  private constructor(queue: Queue, { connection, carrier, say, lookMs = LOOK_MS }: FleetClientOptions) {
    this.#connection = connection;
    this.#queue = queue;
    this.#carrier = carrier;
    this.#say = say;
    this.#lookMs = lookMs;
    // All jobs that wait listen.
    setMaxListeners(0, this.#stop.signal);
    this.#events = connection.openEvents();
    this.#events.on('completed', ({ jobId, returnvalue }) => this.#end(jobId, { value: returnvalue as unknown }));
    this.#events.on('failed', ({ jobId, failedReason }) => this.#end(jobId, { reason: failedReason }));
    const lost = (error: Error): void => this.#isAway(`the connection is lost (${reasonOf(error)})`);
    this.#queue.on('error', lost);
    this.#events.on('error', lost);
    this.#watching = this.#watch();
  }

  /** @throws DarmError `io` when the queue cannot be reached */
  static async open(options: FleetClientOptions): Promise<FleetClient> {
    return new FleetClient(await options.connection.openQueue(), options);
  }

  get report(): FleetReport {
    return { ...this.#counts, complaint: this.#complaint };
  }

  async compile(module: Uint8Array, job: JobOptions, limits: TaskLimits): Promise<CompileResult | null> {
    const key = await compileKey(module, job);
    const pack = async (): Promise<object> => ({ module: await this.#carrier.pack(module), options: job });
    return this.#ask({ name: COMPILE, key, pack }, limits, (bytes) => {
      const { result, milliseconds } = decodeShared(bytes, key, job);
      return { ...result, timings: { total: milliseconds } };
    });
  }

  /**
   * @returns null when the launch is to be checked here
   * @throws DarmError as `checkLaunch` does
   */
  async check(question: LaunchQuestion, limits: Pick<TaskLimits, 'signal' | 'timeoutMs'>): Promise<LaunchCheck | null> {
    const rest = encodeRest(question);
    const key = await checkKey(question.before, question.after, rest);
    const pack = async (): Promise<object> => {
      const parts = [question.before, question.after, rest].map((bytes) => this.#carrier.pack(bytes));
      const [before, after, text] = await Promise.all(parts);
      return { before, after, question: text };
    };
    return this.#ask({ name: CHECK, key, pack }, limits, (bytes) => decodeCheck(bytes, key));
  }

  /** @param read makes something of what a worker sent, and throws when it does not belong to the job */
  async #ask<T>(
    { name, key, pack }: { readonly name: string; readonly key: string; readonly pack: () => Promise<object> },
    { timeoutMs, signal }: Pick<TaskLimits, 'signal' | 'timeoutMs'>,
    read: (bytes: Uint8Array) => T,
  ): Promise<T | null> {
    try {
      const task = { schema: SCHEMA, ...(await pack()), timeout: timeoutMs, from: this.#me } as Task;
      const ending = await this.#handOut(idOf(key, timeoutMs), name, task, signal);
      if ('error' in ending) throw ending.error;
      const result =
        'value' in ending ? await this.#read(idOf(key, timeoutMs), ending.value, read) : failed(ending.reason);
      this.#counts.done++;
      return result;
    } catch (error) {
      if (error instanceof DarmError && error.code !== 'io') {
        if (error.code !== 'aborted') this.#counts.done++;
        throw error;
      }
      this.#counts.here++;
      this.#complaint = (error as Error).message;
      return null;
    }
  }

  /** Takes back what nobody has begun, and ends the connections. Idempotent. */
  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    await this.#watching;
    const left = [...this.#waiting.keys()];
    // What runs is left to its worker: its result may be of use to others. What others wait for, they hand out again.
    const takenBack = Promise.allSettled(left.map((id) => this.#queue.remove(id)));
    const closed = takenBack.then(() =>
      Promise.allSettled([this.#queue.close(), this.#events.close(), this.#carrier.close()]),
    );
    // Without its server, a queue does not close.
    await Promise.race([closed, sleep(CANCEL_MS, undefined, { ref: false })]);
  }

  async #handOut(id: string, name: string, task: Task, signal: AbortSignal | undefined): Promise<Ending> {
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      let end!: (ending: Ending) => void;
      const ended = new Promise<Ending>((resolve) => (end = resolve));
      waiting = { id, name, task, ended, end, delayedSince: null };
      this.#waiting.set(id, waiting);
      this.#counts.sent++;
      void this.#begin(waiting);
    }
    // A batch waits for many jobs with one signal.
    if (signal) setMaxListeners(0, signal);
    let abort!: () => void;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(abortedError(signal));
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
    });
    try {
      return await Promise.race([waiting.ended, aborted]);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #begin(waiting: Waiting): Promise<void> {
    try {
      await this.#add(waiting);
    } catch (error) {
      this.#end(waiting.id, { error: error as DarmError });
    }
    // It may have been done for another batch: then there is no event.
    await this.#look(waiting).catch(() => {});
  }

  /** Adds a job to the queue, which leaves it alone if it has it already. */
  async #add({ id, name, task }: Waiting): Promise<void> {
    while (!this.#stop.signal.aborted)
      try {
        await this.#queue.add(name, task, {
          jobId: id,
          attempts: ATTEMPTS,
          backoff: { type: 'exponential', delay: BACKOFF_MS },
          removeOnComplete: KEEP,
          removeOnFail: KEEP,
          stackTraceLimit: 0,
        });
        this.#isBack();
        return;
      } catch (error) {
        const reason = reasonOf(error);
        const trouble = troubleOf(error);
        if (trouble === null) throw new DarmError('io', `the queue ${this.#connection.shown}: ${reason}`);
        this.#isAway(reason);
        if (trouble === 'full') await this.#makeRoom().catch(() => {});
        await sleep(AGAIN_MS * (0.5 + Math.random()), undefined, { signal: this.#stop.signal }).catch(() => {});
      }
  }

  /** Results that are kept for others may be what the server is full of: nobody but a queue's clients removes them. */
  async #makeRoom(): Promise<void> {
    if (this.#makingRoom) return;
    this.#makingRoom = true;
    try {
      for (const state of ['completed', 'failed'] as const)
        await this.#queue.clean(2 * this.#lookMs, MOST_REMOVED, state);
      await this.#queue.trimEvents(FEW_EVENTS);
    } finally {
      this.#makingRoom = false;
    }
  }

  /** Asks what has become of a job, and does what is to be done. */
  async #look(waiting: Waiting): Promise<void> {
    const { id } = waiting;
    const state = await this.#queue.getJobState(id);
    if (!this.#waiting.has(id)) return;
    if (state !== 'delayed') waiting.delayedSince = null;
    switch (state) {
      case 'unknown':
        return this.#addAnew(waiting);
      case 'delayed':
        waiting.delayedSince ??= performance.now();
        if (performance.now() - waiting.delayedSince < LONGEST_DELAY_MS) return;
        waiting.delayedSince = null;
        return (await this.#queue.getJob(id))?.promote();
      case 'completed':
      case 'failed': {
        const job = await this.#queue.getJob(id);
        // Its content is lost, or was, and it has been added again since.
        if (job?.finishedOn === undefined) return this.#addAnew(waiting);
        if (state === 'completed') return this.#end(id, { value: job.returnvalue as unknown });
        // A failure of an earlier batch: it may have been of its workers, or of its time.
        if (isTask(job.data) && job.data.from === this.#me) return this.#end(id, { reason: job.failedReason });
        return this.#addAnew(waiting);
      }
    }
  }

  /** A part of the job may be left in the queue, and what has an id there is not added. */
  async #addAnew(waiting: Waiting): Promise<void> {
    await this.#queue.remove(waiting.id);
    // It may have ended meanwhile.
    if (this.#waiting.get(waiting.id) === waiting) await this.#add(waiting);
  }

  #end(id: string, ending: Ending): void {
    if (!('error' in ending)) this.#isBack();
    this.#waiting.get(id)?.end(ending);
    this.#waiting.delete(id);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const stopped = once(signal, 'abort');
    for (;;) {
      await sleep(this.#lookMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      // While the server is away, commands wait for it. It may also be there and not answer.
      const silent = setTimeout(() => this.#isAway('it does not answer'), 2 * this.#lookMs);
      const look = this.#lookAtAll(() => silent.refresh()).catch((error: unknown) => this.#isAway(reasonOf(error)));
      await Promise.race([look, stopped]).finally(() => clearTimeout(silent));
    }
  }

  /** @param answers is told whenever the server has answered */
  async #lookAtAll(answers: () => void): Promise<void> {
    const all = [...this.#waiting.values()];
    while (all.length > 0 && !this.#stop.signal.aborted) {
      await Promise.all(all.splice(0, LOOKS_SIDE_BY_SIDE).map((each) => this.#look(each)));
      answers();
    }
    const idle = this.#waiting.size === 0 ? null : await this.#whyIdle();
    if (idle !== null && idle !== this.#saidIdle) this.#say(idle);
    this.#saidIdle = idle;
    this.#isBack();
  }

  /** Why nobody takes jobs; null: somebody may. */
  async #whyIdle(): Promise<string | null> {
    const { shown } = this.#connection;
    if (await this.#queue.isPaused()) return `the queue ${shown} is paused: no job begins until it is resumed`;
    // Some servers do not list who is connected; then nothing can be said.
    const workers = await this.#queue.getWorkersCount().catch(() => 1);
    return workers > 0 ? null : `no worker with this version of darm is at the queue ${shown}: waiting for one`;
  }

  #isAway(why: string): void {
    if (this.#trouble === null && !this.#stop.signal.aborted)
      this.#say(`the queue ${this.#connection.shown}: ${why}; waiting`);
    this.#trouble ??= why;
  }

  #isBack(): void {
    if (this.#trouble !== null) this.#say(`the queue ${this.#connection.shown} is there again`);
    this.#trouble = null;
  }

  async #read<T>(id: string, value: unknown, read: (bytes: Uint8Array) => T): Promise<T> {
    const found = readTaskResult(value);
    if (found === null) throw this.#refused(id);
    const bytes = await this.#carrier.unpack(found.result);
    try {
      return read(bytes);
    } catch {
      throw this.#refused(id);
    }
  }

  #refused(id: string): DarmError {
    this.#counts.refused++;
    // Other batches would refuse it again.
    void this.#queue.remove(id).catch(() => {});
    return new DarmError('io', `the queue ${this.#connection.shown}: a result is not what belongs to its job`);
  }
}

/** @throws the job's own error; `io` when the fleet is at fault */
function failed(reason: string): never {
  throw readReason(reason) ?? new DarmError('io', `the fleet has failed: ${messageOf(reason)}`);
}

function messageOf(reason: string): string {
  try {
    return String((JSON.parse(reason) as { message: unknown }).message).slice(0, 500);
  } catch {
    return reason.slice(0, 500);
  }
}
