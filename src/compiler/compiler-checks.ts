/** What the options of a compiler, and of its calls, may be. */
import { boolean, numberIn, wholeNumberIn, type Check, type Checks } from '../job/option-table.js';
import { complaintAboutRemoteCache } from '../remote-cache/setting.js';
import type { CallOptions, CompilerOptions, SimulationCall, SourceCallOptions, TuneCall, TuneOptions } from './api.js';

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

const callback: Check = (value) => (typeof value === 'function' ? null : 'must be a function');

export const CALL_CHECKS: Checks<CallOptions & SourceCallOptions & SimulationCall & TuneCall> = {
  signal: (value) => (value instanceof AbortSignal ? null : 'must be an AbortSignal'),
  timeout: COMPILER_CHECKS.timeout,
  onProgress: callback,
  onDiagnostic: callback,
  colors: boolean,
  onInstruction: callback,
  onTrial: callback,
};

export const TUNE_CHECKS: Checks<TuneOptions> = {
  specs: (value) => (Array.isArray(value) ? null : 'must be an array'),
  budget: wholeNumberIn(1, 1_000_000),
  tolerance: (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => each === undefined || Number(each) >= 0)
      ? null
      : 'must be an object of numbers, 0 or more',
  fullUnit: boolean,
};
