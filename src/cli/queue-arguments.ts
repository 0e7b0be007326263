/** The options that name a queue, and the subcommand `darm worker`. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { QUEUE_FLAG } from '../fleet/address.js';
import { addCacheOptions, addRemoteCacheOptions, type CacheFlags, type RemoteCacheFlags } from './cache-arguments.js';
import { mebibytes, numeric, portNumber, seconds } from './option-flags.js';
import { addAllJobsOption, addLogLevelOption } from './option-groups.js';

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
  /** Not given: no metrics. */
  readonly metricsPort?: number;
  readonly logLevel: string;
}

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
    .description('do what darm batch and darm check hand out with --queue, until SIGTERM or SIGINT');
  addAllJobsOption(worker, 'worker threads, which is how many jobs run at the same time')
    .addOption(
      seconds(
        '--timeout <seconds>',
        'most time for each step of a job, when the batch does not want it shorter; 0: no limit',
        600,
      ),
    )
    .addOption(mebibytes('--memory-limit <MiB>', "most memory of a thread's LLVM, 64 to 4096", 4096, 64, 4096))
    .option('--metrics-port <n>', 'serve /metrics and /healthz there; 0: any that is free', portNumber)
    .option('--host <address>', 'address of the metrics', '127.0.0.1');
  addLogLevelOption(worker);
  addQueueOptions(worker, 'takes jobs from there: redis://HOST:6379/0, rediss://HOST or postgres://HOST/DB');
  worker.options.find(({ long }) => long === QUEUE_FLAG)!.makeOptionMandatory();
  addRemoteCacheOptions(addCacheOptions(worker)).action(chosen);
}
