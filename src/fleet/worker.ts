/** Takes compilations and launches from a queue, and does them. Workers on any number of machines share the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import { checkLaunch, type LaunchCheck, type LaunchQuestion } from '../compiler/check-launch.js';
import { cacheComplaint } from '../compiler/cache-complaint.js';
import { compileKey } from '../compiler/compile-key.js';
import type { Compiler, ModuleCompiler } from '../compiler/api.js';
import { encodeShared } from '../compiler/stored-result.js';
import { DarmError, isErrorOfJob } from '../errors.js';
import { completeJobOptions, type JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import { NoWay, type Carrier } from './carrier.js';
import { KEEP, reasonOf, type Job, type QueueConnection } from './connection.js';
import { checkKey, encodeCheck, questionOf } from './check.js';
import { CHECK, COMPILE, idOf, readCheckTask, readCompileTask, reasonText, SCHEMA, type TaskResult } from './task.js';

/**
 * A worker that has not been heard for so long has lost its job, in milliseconds. Its jobs run on other threads, so
 * LLVM keeps no worker from being heard.
 */
const LOCK_MS = 15_000;
/** So many workers may end with a job: not the job is at fault, as compiling it apart has shown. */
const MOST_STALLED = 20;
const AGAIN_MS = 1000;
/** How long the queue may take for the last results, and how often it is looked whether it has them. */
const TAKE_MS = 10_000;
const LOOK_MS = 100;
/** What BullMQ says of the job that was to end. */
const TAKEN_AWAY = /^(Missing (lock|key) for job|Lock mismatch for job|Job \S+ is not in the active state)/;
/** Jobs that are not darm's are left in the queue, and looked at again after that time. */
const FOREIGN_MS = 3_600_000;

export interface WorkerLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Does jobs in a process of their own. Times are milliseconds, 0 for no limit. */
export interface Apart {
  compile(module: Uint8Array, options: JobOptions, timeout: number): Promise<CompileResult>;
  check(question: LaunchQuestion, timeout: number): Promise<LaunchCheck>;
}

export interface FleetWorkerOptions {
  readonly connection: QueueConnection;
  readonly carrier: Carrier;
  /** With threads: on this one, the worker says that it lives. */
  readonly compiler: ModuleCompiler & Pick<Compiler, 'simulate' | 'cacheCounts'>;
  /** A job whose worker ended may have ended it: so the next one shows whether it was the job or the machine. */
  readonly apart: Apart;
  /** Jobs at the same time. */
  readonly concurrency: number;
  /** After how many milliseconds a worker that is not heard has lost its job. Default: 15,000. */
  readonly lockMs?: number;
  readonly log: WorkerLog;
}

export interface WorkerCounts {
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly foreign: number;
}

export class FleetWorker {
  readonly #options: FleetWorkerOptions;
  readonly #worker: Worker;
  readonly #counts = { done: 0, failed: 0, running: 0, foreign: 0 };
  #away = false;

  /** The queue has been reached before: see QueueConnection. */
  constructor(options: FleetWorkerOptions) {
    const { connection, concurrency, log, lockMs = LOCK_MS } = options;
    this.#options = options;
    this.#worker = connection.openWorker((job) => this.#process(job), {
      concurrency,
      lockDuration: lockMs,
      // Lost jobs are looked for more often than they can be lost.
      stalledInterval: lockMs / 3,
      maxStalledCount: MOST_STALLED,
      runRetryDelay: AGAIN_MS,
      // For jobs that do not say so themselves any more.
      removeOnComplete: KEEP,
      removeOnFail: KEEP,
    });
    const noteCache = cacheComplaint(options.compiler, (reason, message) => log.error({ reason }, message));
    this.#worker.on('completed', () => {
      this.#counts.done++;
      noteCache();
      if (this.#away) log.info({}, 'the queue is there again');
      this.#away = false;
    });
    this.#worker.on('failed', (job, error) => {
      this.#counts.failed++;
      log.info({ job: job?.id, attempt: job?.attemptsMade, reason: error.message.slice(0, 500) }, 'a job failed');
    });
    this.#worker.on('stalled', (id) => log.info({ job: id }, 'a job whose worker was not heard any more'));
    this.#worker.on('error', (error) => {
      if (TAKEN_AWAY.test(error.message))
        return log.info({ reason: reasonOf(error) }, 'a job is not in the queue any more, or others do it');
      // Once, and not with every attempt to connect.
      if (!this.#away) log.error({ reason: reasonOf(error) }, 'the queue is in trouble');
      this.#away = true;
    });
  }

  get counts(): WorkerCounts {
    return { ...this.#counts };
  }

  /**
   * Takes no more jobs, and resolves when those that run are done. If the queue does not take what they came to,
   * because it is away or full, others will do them again.
   */
  async close(): Promise<void> {
    let closed = false;
    const closing = this.#worker.close().finally(() => (closed = true));
    for (let idleMs = 0; idleMs < TAKE_MS; idleMs = this.#counts.running > 0 ? 0 : idleMs + LOOK_MS) {
      await Promise.race([closing, sleep(LOOK_MS, undefined, { ref: false })]);
      if (closed) return closing;
    }
    this.#options.log.error({}, 'the queue does not take the last results');
    await Promise.race([this.#worker.disconnect().catch(() => {}), sleep(LOOK_MS)]);
  }

  async #process(job: Job): Promise<TaskResult> {
    const { connection, log } = this.#options;
    // Its id stood in the queue, and nothing under the id. The types leave that out.
    if ((job.name as string | undefined) === undefined) throw connection.failure(reasonText(lost()));
    if (job.name !== COMPILE && job.name !== CHECK) {
      this.#counts.foreign++;
      log.error({ job: job.id, name: job.name }, 'a job that is not of darm is left alone');
      await job.moveToDelayed(Date.now() + FOREIGN_MS, job.token);
      throw connection.leave();
    }
    this.#counts.running++;
    try {
      const bytes = await (job.name === COMPILE ? this.#compile(job) : this.#check(job));
      return { schema: SCHEMA, result: await this.#options.carrier.pack(bytes) };
    } catch (thrown) {
      const error =
        thrown instanceof DarmError ? thrown : new DarmError('internal', reasonOf(thrown) || 'an unknown error');
      // A machine that slept, or had too much to do, may have made it late.
      const isFinal = isErrorOfJob(error.code) || error instanceof NoWay;
      const mayRepeat = !isFinal || (error.code === 'timeout' && job.attemptsMade === 0);
      throw mayRepeat ? new Error(reasonText(error)) : connection.failure(reasonText(error));
    } finally {
      this.#counts.running--;
    }
  }

  async #compile(job: Job): Promise<Uint8Array> {
    const { carrier, compiler, apart } = this.#options;
    const task = readCompileTask(job.data);
    if (task === null) throw formless();
    const module = await carrier.unpack(task.module);
    const options = completeJobOptions('the job', task.options);
    const key = await compileKey(module, options);
    if (job.id !== idOf(key, task.timeout)) throw mixedUp();
    const result =
      job.stalledCounter > 0
        ? await apart.compile(module, options, task.timeout)
        : await compiler.compile(module, options, { timeout: task.timeout });
    return encodeShared(key, result);
  }

  async #check(job: Job): Promise<Uint8Array> {
    const { carrier, compiler, apart } = this.#options;
    const task = readCheckTask(job.data);
    if (task === null) throw formless();
    const blobs = [task.before, task.after, task.question];
    const [before, after, rest] = await Promise.all(blobs.map((blob) => carrier.unpack(blob)));
    const key = await checkKey(before!, after!, rest!);
    if (job.id !== idOf(key, task.timeout)) throw mixedUp();
    const question = questionOf(before!, after!, rest!);
    const check =
      job.stalledCounter > 0
        ? await apart.check(question, task.timeout)
        : await checkLaunch(compiler, question, { timeout: task.timeout });
    return encodeCheck(key, check);
  }
}

const lost = (): DarmError => new DarmError('io', 'the queue has lost what the job was to do');
const formless = (): DarmError => new DarmError('io', 'the job has another form than those of darm');
const mixedUp = (): DarmError => new DarmError('io', 'the bytes of the job are not those that its id names');
