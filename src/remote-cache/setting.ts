/** How a compiler is told about a remote cache, and what it tells about it. */
import { parseAddress } from '../http/address.js';
import { DarmError } from '../errors.js';

export interface RemoteCacheSetting {
  /** `http://` or `https://`, with user and password where the server wants them. */
  readonly url: string;
  /** Whether results are brought there as well. Default: `read`. */
  readonly mode?: 'read' | 'read-write';
  /** Most milliseconds for one lookup, and for a content beside its size at 1 MiB/s. Default: 1000. */
  readonly timeout?: number;
}

export interface RemoteCacheReport {
  readonly hits: number;
  readonly misses: number;
  /** Lookups without a proper answer. */
  readonly errors: number;
  /** Answers with wrong bytes. */
  readonly refused: number;
  /** Lookups that were not made, because the server is left alone. */
  readonly skipped: number;
  readonly uploads: number;
  /** Uploads that failed, or for which there was no room or time. */
  readonly uploadsLost: number;
  /** What went wrong last, with the server's address, but no password; null if nothing did. */
  readonly complaint: string | null;
}

export const NOTHING_REMOTE: RemoteCacheReport = {
  hits: 0,
  misses: 0,
  errors: 0,
  refused: 0,
  skipped: 0,
  uploads: 0,
  uploadsLost: 0,
  complaint: null,
};

export const REMOTE_CACHE_FLAG = '--remote-cache';

/** What is wrong with a setting, as the check of an option says it; null if nothing is. */
export function complaintAboutRemoteCache(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'must be an object';
  const { url, mode, timeout, ...rest } = value as Record<string, unknown>;
  if (typeof url !== 'string') return 'must have a url';
  if (mode !== undefined && mode !== 'read' && mode !== 'read-write')
    return 'must have the mode "read" or "read-write"';
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) return 'must have a positive timeout';
  if (Object.keys(rest).length > 0) return `must not have ${Object.keys(rest).join(', ')}`;
  try {
    parseAddress(url, REMOTE_CACHE_FLAG);
    return null;
  } catch (error) {
    if (error instanceof DarmError) return `is no remote cache: ${error.message}`;
    throw error;
  }
}
