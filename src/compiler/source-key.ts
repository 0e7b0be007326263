/**
 * How the cache knows results of source again: by everything that was asked, together with all that clang looked up on
 * the disk. A file that changed, went or came in front of another makes a miss.
 */
import { createHash } from 'node:crypto';
import type { JobOptions } from '../job/options.js';
import type { Lookup, SourceJob } from '../job/source.js';
import { platform } from '../platform/index.js';
import { toolchainDigest } from './toolchain.js';

/**
 * The key of a compilation from source: everything but what lies on the disk.
 *
 * @param job null for clang's translation alone
 */
export async function sourceKey(
  source: SourceJob,
  job: JobOptions | null,
  expressions: readonly string[],
): Promise<string> {
  const hash = createHash('sha256').update(await toolchainDigest());
  const { arguments: words, name, disk, colors } = source;
  const sorted = job && Object.entries(job).sort(([a], [b]) => (a < b ? -1 : 1));
  const headers = [...source.headers].map(([header, content]) => [header, contentHash(content)]);
  const folder = disk ? process.cwd() : '';
  hash.update(JSON.stringify(['source', words, name, disk, colors, folder, sorted, headers, expressions]));
  return hash.update(source.source).digest('hex');
}

/** Whether everything that clang looked up is as it was. */
export const isCurrent = (lookups: readonly Lookup[]): boolean =>
  lookups.every((lookup) => platform.disk?.isUnchanged(lookup) ?? false);

const contentHash = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
