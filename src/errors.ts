/**
 * One error type for everything a caller may see. It is plain data at heart (`toJSON`), because custom classes do not
 * survive the way from a worker thread; `fromJSON` rebuilds it on the other side.
 */
export type ErrorCode =
  /** The bytes are no bitcode, IR, wrapper or code object, or are damaged. */
  | 'bad-input'
  /** The module is for a host, for another GPU target than asked for, or for a processor LLVM does not know. */
  | 'bad-target'
  /** LLVM's verifier, linker or code generator refused the module. */
  | 'compile-failed'
  /** lld refused the object (an undefined function, for instance). */
  | 'link-failed'
  /** Options or arguments that make no sense. */
  | 'usage'
  /** A file could not be read or written. */
  | 'io'
  | 'timeout'
  | 'out-of-memory'
  | 'aborted'
  /** A simulated kernel did something wrong, or the simulator lacks an operation that it reached. */
  | 'simulation-failed'
  /** A trap, a failed invariant, an edit that LLVM's verifier rejects: our fault. */
  | 'internal';

export interface SourceLocation {
  readonly file?: string;
  /** 1-based; absent when unknown. */
  readonly line?: number;
  /** 1-based; absent when unknown. */
  readonly column?: number;
}

export interface SourceDiagnostic {
  readonly severity: 'note' | 'remark' | 'warning' | 'error' | 'fatal';
  readonly message: string;
  readonly file: string | null;
  /** 1-based; null when unknown. */
  readonly line: number | null;
  readonly column: number | null;
  /** The warning's flag without `-W`; null when it has none. */
  readonly option: string | null;
}

/** What clang said about a source. */
export interface SourceMessages {
  /** As clang prints it, several lines. */
  readonly log: string;
  readonly diagnostics: readonly SourceDiagnostic[];
  /** Whether the error is clang's own, and so in the log; what fails later has only clang's warnings there. */
  readonly isRefusal: boolean;
}

export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  readonly location?: SourceLocation;
  readonly source?: SourceMessages;
}

const EXIT_CODES: Record<ErrorCode, 1 | 2 | 3> = {
  'bad-input': 1,
  'bad-target': 1,
  'compile-failed': 1,
  'link-failed': 1,
  'simulation-failed': 1,
  usage: 2,
  io: 1,
  timeout: 1,
  'out-of-memory': 1,
  aborted: 1,
  internal: 3,
};

export class DarmError extends Error {
  override readonly name = 'DarmError';
  readonly code: ErrorCode;
  readonly location: SourceLocation | undefined;
  /** Of an error in source. */
  readonly source: SourceMessages | undefined;

  constructor(code: ErrorCode, message: string, location?: SourceLocation, source?: SourceMessages) {
    super(message);
    this.code = code;
    this.location = location;
    this.source = source;
  }

  /** 1 the input was at fault, 2 the command line, 3 we were. */
  get exitCode(): 1 | 2 | 3 {
    return EXIT_CODES[this.code];
  }

  toJSON(): ErrorData {
    return {
      code: this.code,
      message: this.message,
      ...(this.location && { location: this.location }),
      ...(this.source && { source: this.source }),
    };
  }

  static fromJSON(data: ErrorData): DarmError {
    return new DarmError(data.code, data.message, data.location, data.source);
  }
}

/** Faults of the job itself, or of darm: no other machine would do better. */
const OF_JOBS: ReadonlySet<string> = new Set<ErrorCode>([
  'bad-input',
  'bad-target',
  'compile-failed',
  'link-failed',
  'simulation-failed',
  'usage',
  'timeout',
  'out-of-memory',
  'internal',
]);

/** Whether a code that came from elsewhere is that of a job's own error. */
export const isErrorOfJob = (code: string): code is ErrorCode => OF_JOBS.has(code);

/** Of a job that was ended, perhaps by a signal of its caller's: the signal's reason is the cause. */
export function abortedError(signal?: AbortSignal): DarmError {
  const error = new DarmError('aborted', 'the job was aborted');
  if (signal !== undefined) error.cause = signal.reason;
  return error;
}

/** A time limit as messages tell it: in seconds, or in milliseconds where it is less than a millisecond. */
export const limitText = (milliseconds: number): string =>
  milliseconds < 1 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;

/** For what can only be false through a mistake of ours. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new DarmError('internal', message);
}
