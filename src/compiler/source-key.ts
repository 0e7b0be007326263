/**
 * How the cache knows results of source again: by everything that was asked, together with all that clang looked up on
 * the disk. A file that changed, went or came in front of another makes a miss.
 */
import { createHash } from 'node:crypto';
import type { SourceRequest } from '../frontend/options.js';
import type { JobOptions } from '../job/options.js';
import type { Lookup, SourceJob } from '../job/source.js';
import { platform } from '../platform/index.js';
import { toolchainDigest } from './toolchain.js';

/**
 * The key of a compilation from source: everything but what lies on the disk. What the driver says of flags is no part
 * of the arguments: `-O4` has those of `-O3`.
 *
 * @param job null for clang's translation alone
 */
export async function sourceKey(
  source: SourceJob,
  { options, flags }: SourceRequest,
  job: JobOptions | null,
): Promise<string> {
  const hash = createHash('sha256').update(await toolchainDigest());
  const { arguments: words, name, disk, colors } = source;
  const sorted = job && Object.entries(job).sort(([a], [b]) => (a < b ? -1 : 1));
  const headers = [...source.headers].map(([header, content]) => [header, contentHash(content)]);
  const folder = disk ? process.cwd() : '';
  const asked = [options.nameExpressions ?? [], flags.warnings];
  hash.update(JSON.stringify(['source', words, name, disk, colors, folder, sorted, headers, ...asked]));
  return hash.update(source.source).digest('hex');
}

/** Whether everything that clang looked up is as it was. */
export const isCurrent = (lookups: readonly Lookup[]): boolean =>
  lookups.every((lookup) => platform.disk?.isUnchanged(lookup) ?? false);

const contentHash = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
