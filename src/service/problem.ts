/**
 * How errors are sent: as problem details (RFC 9457, `application/problem+json`) with darm's error code in the member
 * `code`.
 *
 * Messages of `internal` and `io` errors may contain paths or stack traces of the server. Clients get the request id
 * instead, with which the details can be found in the log.
 */
import { DarmError, type ErrorCode, type SourceLocation } from '../errors.js';

/** Reasons for which the service itself, not the compiler, refuses a request. */
export type RefusalCode =
  | 'malformed-request'
  | 'malformed-http'
  | 'request-timeout'
  | 'head-too-large'
  | 'not-found'
  | 'method-not-allowed'
  | 'body-timeout'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'answer-too-large'
  | 'overloaded'
  | 'queue-timeout'
  | 'not-ready'
  | 'shutting-down';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: RefusalCode | ErrorCode;
  /** Line and column in IR text, where LLVM gives them. */
  readonly location?: SourceLocation;
  /** What clang printed about a source. */
  readonly log?: string;
  readonly requestId: string;
}

interface Kind {
  readonly status: number;
  readonly title: string;
  /** The connection is closed, because the request's body may not have been read. */
  readonly closes?: true;
  readonly retryAfterSeconds?: number;
}

const REFUSALS: Readonly<Record<RefusalCode, Kind>> = {
  'malformed-request': { status: 400, title: 'The request is malformed' },
  'malformed-http': { status: 400, title: 'The request cannot be read', closes: true },
  'not-found': { status: 404, title: 'There is no such resource' },
  'method-not-allowed': { status: 405, title: 'The resource does not support this method' },
  'body-timeout': { status: 408, title: 'The body came too slowly', closes: true },
  'request-timeout': { status: 408, title: 'The request came too slowly', closes: true },
  'body-too-large': { status: 413, title: 'The request is too large', closes: true },
  'unsupported-media-type': { status: 415, title: 'The body has a type that is not supported', closes: true },
  'head-too-large': { status: 431, title: 'The head of the request is too large', closes: true },
  'answer-too-large': { status: 422, title: 'The answer is larger than the service sends' },
  overloaded: { status: 429, title: 'The service is full', closes: true, retryAfterSeconds: 1 },
  'queue-timeout': { status: 503, title: 'No worker became free in time', retryAfterSeconds: 5 },
  'not-ready': { status: 503, title: 'The compiler cannot be loaded', retryAfterSeconds: 5 },
  'shutting-down': { status: 503, title: 'The service is shutting down', closes: true, retryAfterSeconds: 5 },
};

const ERRORS: Readonly<Record<ErrorCode, Kind>> = {
  usage: { status: 400, title: 'The options make no sense' },
  'bad-input': { status: 422, title: 'The module cannot be read' },
  'bad-target': { status: 422, title: 'The module is for another target' },
  'compile-failed': { status: 422, title: 'LLVM refused the module' },
  'link-failed': { status: 422, title: 'The linker refused the module' },
  'simulation-failed': { status: 422, title: 'The simulation failed' },
  'out-of-memory': { status: 422, title: 'The module needs more memory than the limit' },
  timeout: { status: 504, title: 'The job took longer than its limit' },
  /** No client is left to read it. 499 is what proxies write to their logs in this case. */
  aborted: { status: 499, title: 'The client has gone' },
  io: { status: 500, title: 'An internal error' },
  internal: { status: 500, title: 'An internal error' },
};

export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Most characters of a message. What a user sent may be quoted in it, once per module of a batch. */
const LONGEST_MESSAGE = 1000;
/** Most characters of clang's messages. */
const LONGEST_LOG = 100_000;
const cut = (text: string): string =>
  text.length <= LONGEST_MESSAGE
    ? text
    : `${text.slice(0, LONGEST_MESSAGE)}… (cut after ${LONGEST_MESSAGE} characters)`;

const isInternal = (code: string): boolean => code === 'internal' || code === 'io';

export function problemOf(error: unknown, requestId: string): Problem {
  const known =
    error instanceof Refusal || error instanceof DarmError ? error : new DarmError('internal', String(error));
  const { code } = known;
  const { status, title } = kindOf(code);
  const detail = isInternal(code) ? `the server's log has the details of request ${requestId}` : cut(known.message);
  const location = known instanceof DarmError ? known.location : undefined;
  const source = known instanceof DarmError ? known.source : undefined;
  return {
    type: `urn:darm:error:${code}`,
    title: source?.isRefusal ? 'clang refused the source' : title,
    status,
    detail,
    code,
    ...(location && { location }),
    ...(source && { log: source.log.slice(0, LONGEST_LOG) }),
    requestId,
  };
}

/** The headers of a response that is a problem. */
export function problemHeaders({ code }: Problem): Record<string, string> {
  const { closes, retryAfterSeconds } = kindOf(code);
  return {
    'Content-Type': 'application/problem+json',
    ...(closes && { Connection: 'close' }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  };
}

const kindOf = (code: RefusalCode | ErrorCode): Kind =>
  Object.hasOwn(REFUSALS, code) ? REFUSALS[code as RefusalCode] : ERRORS[code as ErrorCode];
