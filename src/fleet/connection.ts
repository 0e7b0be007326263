/**
 * The way to the queue: BullMQ on Redis or PostgreSQL. Its packages are no dependencies of darm, since they bring an
 * optional native add-on along: who wants a fleet installs them beside it.
 */
import type { BackendFactory, Queue, QueueEvents, Worker, WorkerOptions } from 'bullmq';
import { DarmError } from '../errors.js';
import { QUEUE_FLAG, type QueueAddress } from './address.js';

export interface QueueSetting {
  readonly address: QueueAddress;
  /** What users call the queue. */
  readonly name: string;
  /** Only workers with the same toolchain may take a job: it is part of the queue's name. */
  readonly toolchain: string;
}

/**
 * Results are kept for other batches, and for the one that waits if its connection breaks: for so many seconds, and so
 * many of them.
 */
export const KEEP = { age: 3600, count: 2000 };
/** BullMQ removes old ones when a job ends in the same way. Where none does, workers see to it that often, in ms. */
const EXPIRE_MS = 600_000;
const MOST_EXPIRED = 1000;
/** A result stands in an event, too. So many are kept, and who misses one asks for the state of the job. */
const MOST_EVENTS = 1000;
/** How long the first connection may take, in milliseconds. */
const FIRST_MS = 7000;
/**
 * On PostgreSQL, BullMQ tells by the workers' clocks which of them are not heard any more. A clock that is further off
 * than that would take jobs from those that live, or leave them with those that do not.
 */
const MOST_SKEW_MS = 5000;

/** What is needed here of the package `pg`. */
interface PostgresDriver {
  readonly Client: new (config: object) => {
    connect(): Promise<void>;
    query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
    end(): Promise<void>;
    on(event: 'error', listener: (error: Error) => void): void;
  };
}

/** Opens queues, listeners and workers of one queue. */
export class QueueConnection {
  readonly shown: string;
  readonly queueName: string;
  readonly #bullmq: typeof import('bullmq');
  readonly #options: { connection: object };
  readonly #backend: BackendFactory<never, never> | undefined;
  readonly #address: QueueAddress;

  private constructor({ address, name, toolchain }: QueueSetting, bullmq: typeof import('bullmq')) {
    this.shown = address.shown;
    this.queueName = `darm-${name}-${toolchain.slice(0, 16)}`;
    this.#bullmq = bullmq;
    this.#address = address;
    this.#options = { connection: address.connection };
    this.#backend = address.kind === 'postgres' ? (bullmq.createPostgresBackend as never) : undefined;
  }

  /** @throws DarmError `usage` when the packages are missing */
  static async load(setting: QueueSetting): Promise<QueueConnection> {
    const driver = setting.address.kind === 'redis' ? 'ioredis' : 'pg';
    try {
      // To say what is missing. BullMQ loads it itself.
      import.meta.resolve(driver);
      return new QueueConnection(setting, await import('bullmq'));
    } catch (error) {
      if (!/^(ERR_)?MODULE_NOT_FOUND$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
      throw new DarmError(
        'usage',
        `${QUEUE_FLAG} needs packages that darm does not bring along: npm install bullmq ${driver}`,
      );
    }
  }

  /** @throws DarmError `io` when the server cannot be reached, or does not want us */
  async openQueue(): Promise<Queue> {
    const queue = new this.#bullmq.Queue(
      this.queueName,
      { ...this.#options, streams: { events: { maxLen: MOST_EVENTS } } },
      this.#backend as never,
    );
    let timer: NodeJS.Timeout | undefined;
    const failed = new Promise<never>((_, reject) => {
      queue.on('error', reject);
      timer = setTimeout(() => reject(new Error('no connection in time')), FIRST_MS);
    });
    try {
      await Promise.race([queue.waitUntilReady(), failed]);
      if (this.#address.kind === 'postgres') await Promise.race([this.#checkClock(), failed]);
      return queue;
    } catch (error) {
      queue.on('error', () => {});
      void queue.disconnect().catch(() => {});
      if (error instanceof DarmError) throw error;
      throw new DarmError('io', `cannot reach the queue ${this.shown}: ${reasonOf(error)}`);
    } finally {
      clearTimeout(timer);
      failed.catch(() => {});
    }
  }

  async #checkClock(): Promise<void> {
    // Its types are no part of it.
    const name: string = 'pg';
    const { Client } = ((await import(name)) as { readonly default: PostgresDriver }).default;
    const client = new Client({ ...this.#address.connection, query_timeout: FIRST_MS });
    client.on('error', () => {});
    try {
      await client.connect();
      const asked = Date.now();
      const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
      const ahead = (asked + Date.now()) / 2 - Number(rows[0]?.['now']);
      if (Math.abs(ahead) <= MOST_SKEW_MS) return;
      const off = `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
      throw new DarmError(
        'io',
        `the clock here is ${off} that of the queue ${this.shown}; with PostgreSQL they must agree`,
      );
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Removes old results from time to time. @returns ends that */
  expire(queue: Queue, everyMs = EXPIRE_MS): () => void {
    const clean = (): void => {
      for (const state of ['completed', 'failed'] as const)
        // If the server is away, the next time will do.
        queue.clean(KEEP.age * 1000, MOST_EXPIRED, state).catch(() => {});
    };
    const timer = setInterval(clean, everyMs).unref();
    return () => clearInterval(timer);
  }

  openEvents(): QueueEvents {
    return new this.#bullmq.QueueEvents(this.queueName, this.#options, this.#backend as never);
  }

  openWorker(process: (job: Job) => Promise<unknown>, options: Omit<WorkerOptions, 'connection'>): Worker {
    return new this.#bullmq.Worker(
      this.queueName,
      process as never,
      { ...options, ...this.#options },
      this.#backend as never,
    );
  }

  /** Ends the processing of a job without success or failure: it stays in the queue. */
  leave(): Error {
    return new this.#bullmq.DelayedError();
  }

  /** A failure for good. */
  failure(reason: string): Error {
    return new this.#bullmq.UnrecoverableError(reason);
  }
}

export type Job = import('bullmq').Job<unknown, unknown>;

/** The server has no room: of Redis, and PostgreSQL's codes. */
const FULL = /^(OOM|MISCONF|53[12]00)\b/;
/** Redis is not ready, or may not write. */
const NOT_READY = /^(LOADING|READONLY|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/;
/**
 * The server is away; only the driver of Redis waits for it by itself. Node's codes, and PostgreSQL's: of connections,
 * of resources, of a server that may only read, of others' locks, and of operators that intervene.
 */
const AWAY =
  /^(E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND)|(08|40|53)\w+|25006|55P03|57014|57P0[1-3])$/;
/** What PostgreSQL's driver says, without a code, of connections that it has given up. */
const CONNECTION_GIVEN_UP = /\b(timeout|terminated|not queryable)\b/i;

/** Why the queue does not take now what it may take later; null: it will not. */
export function troubleOf(error: unknown): 'full' | 'away' | null {
  const { code, errors } = Object(error) as NodeJS.ErrnoException & { readonly errors?: readonly unknown[] };
  // Node tries several addresses.
  if (errors?.length) return troubleOf(errors[0]);
  const reason = reasonOf(error);
  if (FULL.test(reason) || FULL.test(code ?? '')) return 'full';
  return NOT_READY.test(reason) || AWAY.test(code ?? '') || CONNECTION_GIVEN_UP.test(reason) ? 'away' : null;
}

/** What a driver says, on one line. Node's own errors have several addresses, and sometimes only a code. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = Object(error) as NodeJS.ErrnoException & { errors?: unknown[] };
  if (errors?.length) return reasonOf(errors[0]);
  return (message || code || String(error)).replace(/\s+/g, ' ').slice(0, 200);
}
