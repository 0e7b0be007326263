/** The subcommand `serve` on the command line. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { DarmError } from '../errors.js';
import type { Place } from '../service/listen-on.js';
import { addCacheOptions, addRemoteCacheOptions, type CacheFlags, type RemoteCacheFlags } from './cache-arguments.js';
import { mebibytes, numeric, portNumber, seconds } from './option-flags.js';
import { addAllJobsOption, addLogLevelOption } from './option-groups.js';

export interface ServeFlags extends CacheFlags, RemoteCacheFlags {
  readonly host: string;
  readonly port: number;
  readonly listen?: Place;
  readonly jobs: number;
  readonly queue: number;
  /** Milliseconds. */
  readonly queueTimeout: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Milliseconds. */
  readonly bodyTimeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
  /** Bytes. */
  readonly maxBody: number;
  readonly maxBatch: number;
  /** Bytes. */
  readonly maxArtifact: number;
  /** Bytes. */
  readonly maxBuffered: number;
  /** Milliseconds. */
  readonly grace: number;
  readonly logLevel: string;
  readonly explore: boolean;
}

function placeOf(given: string): Place {
  const [, socketPath, descriptor] = /^unix:(?:\/\/(?=\/))?(\/.+)$|^fd:(\d{1,4})$/.exec(given) ?? [];
  if (socketPath !== undefined) return { socketPath };
  if (descriptor !== undefined) return { descriptor: Number(descriptor) };
  throw new InvalidArgumentError('It must be unix:/PATH or fd:N.');
}

export function addServeCommand(program: Command, chosen: (flags: ServeFlags) => void): void {
  const port = new Option('-p, --port <n>', 'port to listen on (also $PORT); 0: any that is free')
    .argParser(portNumber)
    .default(8080);
  // Platforms that run containers say so.
  if (process.env['PORT']) port.env('PORT');
  const serve = program
    .command('serve')
    .description('compile over HTTP (docs/service.md)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(port)
    .option('--listen <place>', 'listen there instead: unix:/PATH, or fd:N, a socket that systemd opened', placeOf);
  addAllJobsOption(serve)
    .option('--queue <n>', 'requests that may wait; further ones get 429', numeric(0, 100_000, { whole: true }), 64)
    .addOption(seconds('--queue-timeout <seconds>', 'longest wait for a worker, 0: no limit; then 503', 30))
    .addOption(seconds('--timeout <seconds>', 'most time of a job, 0: no limit; then 504', 60))
    .addOption(
      seconds(
        '--body-timeout <seconds>',
        'most time for a body to arrive, then 408, and for a client to read a MiB; 0: no limit',
        30,
      ),
    )
    .addOption(mebibytes('--memory-limit <MiB>', "most memory of a worker's LLVM, 64 to 4096", 1024, 64, 4096))
    .addOption(mebibytes('--max-body <MiB>', 'largest body, 1 to 2048; then 413', 32, 1, 2048))
    .addOption(mebibytes('--max-artifact <MiB>', 'largest result of a module, 1 to 4096; then 422', 128, 1, 4096))
    .addOption(
      mebibytes(
        '--max-buffered <MiB>',
        'most memory for bodies, then 429; and for answers that clients do not read, then no job starts',
        512,
        1,
        2 ** 20,
      ),
    )
    .option('--explore', 'the explorer under /explore/, for those who reach the server (docs/explorer.md)', false)
    .option('--max-batch <n>', 'most modules of a batch', numeric(1, 1_000_000, { whole: true }), 4096)
    .addOption(seconds('--grace <seconds>', 'most time for the last answers after SIGTERM, 0: no limit', 90));
  addRemoteCacheOptions(addCacheOptions(addLogLevelOption(serve))).action((flags: ServeFlags) => {
    // The container's image gives --host itself.
    if (flags.listen !== undefined && serve.getOptionValueSource('port') === 'cli')
      throw new DarmError('usage', '--listen says where to listen: leave --port out');
    chosen(flags);
  });
}
