/** The key of a compilation: it holds everything that decides the output. */
import { createHash } from 'node:crypto';
import type { JobOptions } from '../job/options.js';
import { toolchainDigest } from './toolchain.js';

/**
 * SHA-256 of the input's bytes, all options and the toolchain, as 64 hexadecimal digits.
 *
 * @param options complete
 */
export async function compileKey(bytes: Uint8Array, options: JobOptions): Promise<string> {
  const sorted = Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256')
    .update(await toolchainDigest())
    .update(`\0${JSON.stringify(sorted)}\0`)
    .update(bytes)
    .digest('hex');
}
