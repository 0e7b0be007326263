/** What the options of a compiler may be. */
import { numberIn, wholeNumberIn, type Checks } from '../job/option-table.js';
import { complaintAboutRemoteCache } from '../remote-cache/setting.js';
import type { CompilerOptions } from './api.js';

const MIB = 2 ** 20;

export const COMPILER_CHECKS: Checks<CompilerOptions> = {
  threads: wholeNumberIn(0, 1024),
  memoryLimit: wholeNumberIn(64 * MIB, 4096 * MIB),
  timeout: numberIn(0, 2 ** 31 - 1),
  maxInput: wholeNumberIn(1, 2 ** 31),
  cache: (value) => {
    if (typeof value !== 'object' || value === null) return 'must be an object';
    const { path, maxBytes, ...rest } = value as Record<string, unknown>;
    if (typeof path !== 'string' || path === '') return 'must have a path';
    if (maxBytes !== undefined && !(typeof maxBytes === 'number' && maxBytes > 0))
      return 'must have a positive maxBytes';
    return Object.keys(rest).length > 0 ? `must not have ${Object.keys(rest).join(', ')}` : null;
  },
  remoteCache: complaintAboutRemoteCache,
  tierPolicy: (value) => (value === 'short' || value === 'long' ? null : 'must be "short" or "long"'),
};
