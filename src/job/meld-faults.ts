import { DarmError, type ErrorCode } from '../errors.js';

/** Errors that melds may be the cause of. Any other has to do with the input, the options or the caller. */
const MAY_COME_FROM_MELDS: ReadonlySet<ErrorCode> = new Set([
  'compile-failed',
  'link-failed',
  'out-of-memory',
  'internal',
]);

export const mayComeFromMelds = (error: unknown): error is DarmError =>
  error instanceof DarmError && MAY_COME_FROM_MELDS.has(error.code);
