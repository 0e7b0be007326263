/** The options that say where the compile cache is, and the subcommand `darm cache`. */
import { Argument, Option, type Command } from 'commander';
import { DarmError } from '../errors.js';
import { numeric } from './option-flags.js';

export interface CacheFlags {
  /** A folder; false: none; not given: where it is by default. */
  readonly cache?: string | false;
  /** Bytes. */
  readonly cacheSize: number;
}

export interface CacheCommandFlags {
  readonly cache?: string;
  readonly json: boolean;
}

const ACTIONS = ['stats', 'clean', 'verify'] as const;
export type CacheAction = (typeof ACTIONS)[number];

const MIB = 2 ** 20;

export function addCacheOptions(command: Command): Command {
  return command
    .option(
      '--cache <folder>',
      'keep results there (default: $DARM_CACHE_DIR, else beside the outputs, or in the folder for temporary files)',
    )
    .option('--no-cache', 'keep no results')
    .addOption(
      new Option('--cache-size <MiB>', 'most that the cache holds; the oldest go first')
        .argParser(numeric(1, 2 ** 30, { whole: true, scale: MIB }))
        .default(2048 * MIB, '2048'),
    );
}

/** The folder that the flags ask for; null for none. */
export function cacheFolder({ cache }: Pick<CacheFlags, 'cache'>, byDefault: string | null): string | null {
  if (cache === false) return null;
  return cache ?? (process.env['DARM_CACHE_DIR'] || byDefault);
}

export function addCache(program: Command, run: (action: CacheAction, flags: CacheCommandFlags) => void): void {
  program
    .command('cache')
    .description('look at, empty or check a compile cache')
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .option('--cache <folder>', 'the cache (default: $DARM_CACHE_DIR)')
    .option('--json', 'print one JSON document on standard output', false)
    .action(run);
}

/** @throws DarmError `usage` when neither says */
export function namedCache({ cache }: CacheCommandFlags): string {
  const folder = cache ?? process.env['DARM_CACHE_DIR'];
  if (!folder) throw new DarmError('usage', 'which cache? name it with --cache or DARM_CACHE_DIR');
  return folder;
}
