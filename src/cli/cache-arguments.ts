/** The options that say where the compile caches are, and the subcommand `darm cache`. */
import { Argument, Option, type Command } from 'commander';
import { DarmError } from '../errors.js';
import { parseAddress } from '../http/address.js';
import { REMOTE_CACHE_FLAG, type RemoteCacheSetting } from '../remote-cache/setting.js';
import { mebibytes, portNumber, seconds } from './option-flags.js';

export interface CacheFlags {
  /** A folder; false: none; not given: where it is by default. */
  readonly cache?: string | false;
  /** Bytes. */
  readonly cacheSize: number;
}

export interface RemoteCacheFlags {
  readonly remoteCache?: string;
  readonly remoteCacheMode: 'read' | 'read-write';
  /** Milliseconds. */
  readonly remoteCacheTimeout: number;
}

export interface CacheCommandFlags {
  readonly cache?: string;
  readonly json: boolean;
  readonly host: string;
  readonly port: number;
  /** Bytes. */
  readonly cacheSize: number;
  /** Bytes. */
  readonly maxEntry: number;
  readonly readOnly: boolean;
}

const ACTIONS = ['stats', 'clean', 'verify', 'serve'] as const;
export type CacheAction = (typeof ACTIONS)[number];

export function addCacheOptions(command: Command): Command {
  return command
    .option(
      '--cache <folder>',
      'keep results there (default: $DARM_CACHE_DIR, else beside the outputs, or in the folder for temporary files)',
    )
    .option('--no-cache', 'keep no results')
    .addOption(mebibytes('--cache-size <MiB>', 'most that the cache holds; the oldest go first', 2048, 1, 2 ** 30));
}

export function addRemoteCacheOptions(command: Command): Command {
  return command
    .option(
      `${REMOTE_CACHE_FLAG} <url>`,
      "also take results from a server with Bazel's HTTP cache protocol (docs/fleet.md; default: $DARM_REMOTE_CACHE)",
    )
    .addOption(
      new Option('--remote-cache-mode <mode>', 'whether results are brought there as well')
        .choices(['read', 'read-write'])
        .default('read'),
    )
    .addOption(
      seconds(
        '--remote-cache-timeout <seconds>',
        'most time for a lookup; then the job is compiled here',
        1,
        0.01,
        600,
      ),
    );
}

/**
 * The remote cache that the flags ask for, as an option of the compiler. The environment is for addresses with a
 * password: everybody on the machine can read command lines.
 *
 * @throws DarmError `usage`
 */
export function remoteCacheOption(flags: RemoteCacheFlags): { readonly remoteCache?: RemoteCacheSetting } {
  const url = flags.remoteCache ?? process.env['DARM_REMOTE_CACHE'];
  if (!url) return {};
  parseAddress(url, REMOTE_CACHE_FLAG);
  return { remoteCache: { url, mode: flags.remoteCacheMode, timeout: flags.remoteCacheTimeout } };
}

/** The folder that the flags ask for; null for none. */
export function cacheFolder({ cache }: Pick<CacheFlags, 'cache'>, byDefault: string | null): string | null {
  if (cache === false) return null;
  return cache ?? (process.env['DARM_CACHE_DIR'] || byDefault);
}

export function addCache(program: Command, run: (action: CacheAction, flags: CacheCommandFlags) => void): void {
  program
    .command('cache')
    .description('look at, empty or check a compile cache, or serve one to other machines (docs/fleet.md)')
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .option('--cache <folder>', 'the cache (default: $DARM_CACHE_DIR)')
    .option('--json', 'print one JSON document on standard output', false)
    .option('--host <address>', 'with serve: address to listen on', '127.0.0.1')
    .option('-p, --port <n>', 'with serve: port; 0: any that is free', portNumber, 8090)
    .addOption(
      mebibytes('--cache-size <MiB>', 'with serve: most that the cache holds; the oldest go first', 10_240, 1, 2 ** 30),
    )
    .addOption(mebibytes('--max-entry <MiB>', 'with serve: largest content; then 413', 256, 1, 2048))
    .option('--read-only', 'with serve: take nothing', false)
    .action(run);
}

/** @throws DarmError `usage` when neither says */
export function namedCache({ cache }: CacheCommandFlags): string {
  const folder = cache ?? process.env['DARM_CACHE_DIR'];
  if (!folder) throw new DarmError('usage', 'which cache? name it with --cache or DARM_CACHE_DIR');
  return folder;
}
