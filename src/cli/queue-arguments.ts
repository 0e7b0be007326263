/** The options that name a queue, and the subcommand `darm worker`. */
import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { QUEUE_FLAG } from '../fleet/address.js';
import { addCacheOptions, addRemoteCacheOptions, type CacheFlags, type RemoteCacheFlags } from './cache-arguments.js';
import { numeric } from './option-flags.js';

export interface QueueFlags {
  readonly queueName: string;
}

export interface WorkerFlags extends QueueFlags, CacheFlags, RemoteCacheFlags {
  readonly queue: string;
  readonly jobs: number;
  /** Milliseconds; 0: no limit. */
  readonly timeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
  readonly host: string;
  /** null: no metrics. */
  readonly metricsPort?: number;
  readonly logLevel: string;
}

const MIB = 2 ** 20;

function queueName(given: string): string {
  if (!/^[\w-]{1,64}$/.test(given)) throw new InvalidArgumentError('It must be letters, digits, _ and -, at most 64.');
  return given;
}

function addQueueOptions(command: Command, about: string): Command {
  return command
    .option(`${QUEUE_FLAG} <url>`, `${about}; $DARM_QUEUE_PASSWORD is its password (docs/fleet.md)`)
    .addOption(new Option('--queue-name <name>', 'which queue of that server').argParser(queueName).default('darm'));
}

/** @param work what the workers are to do */
export function addFleetOptions(command: Command, work: string): Command {
  const about = `let the workers of a fleet ${work}: redis://HOST:6379/0, rediss://HOST or postgres://HOST/DB`;
  return addQueueOptions(command, about).option(
    '--queue-window <n>',
    'with --queue: most jobs that are handed out at the same time',
    numeric(1, 100_000, { whole: true }),
    512,
  );
}

export function addWorkerCommand(program: Command, chosen: (flags: WorkerFlags) => void): void {
  const worker = program
    .command('worker')
    .description('do what darm batch and darm check hand out with --queue, until SIGTERM or SIGINT')
    .addOption(
      new Option('-j, --jobs <n>', 'worker threads, which is how many jobs run at the same time')
        .argParser(numeric(1, 256, { whole: true }))
        .default(availableParallelism(), 'number of processors'),
    )
    .addOption(
      new Option('--timeout <seconds>', 'most time for a job, when the batch does not want it shorter; 0: no limit')
        .argParser(numeric(0, 2_000_000, { scale: 1000 }))
        .default(600_000, '600'),
    )
    .addOption(
      new Option('--memory-limit <MiB>', "most memory of a thread's LLVM, 64 to 4096")
        .argParser(numeric(64, 4096, { whole: true, scale: MIB }))
        .default(4096 * MIB, '4096'),
    )
    .option(
      '--metrics-port <n>',
      'serve /metrics and /healthz there; 0: any that is free',
      numeric(0, 65535, { whole: true }),
    )
    .option('--host <address>', 'address of the metrics', '127.0.0.1')
    .addOption(
      new Option('--log-level <level>', 'what is logged, as JSON on standard error')
        .choices(['info', 'error', 'silent'])
        .default('info'),
    );
  addQueueOptions(worker, 'takes jobs from there: redis://HOST:6379/0, rediss://HOST or postgres://HOST/DB');
  worker.options.find(({ long }) => long === QUEUE_FLAG)!.makeOptionMandatory();
  addRemoteCacheOptions(addCacheOptions(worker)).action(chosen);
}
