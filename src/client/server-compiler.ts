/**
 * Compiles at a `darm serve` that runs already (docs/service.md): the same results and errors as a compiler of one's
 * own. What concerns the server, and not the module, is `io`, or goes to the fallback.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledModule, ModuleCompiler } from '../compiler/api.js';
import { DarmError, isErrorOfJob, type SourceLocation } from '../errors.js';
import { parseAddress } from '../http/address.js';
import { ExchangeError, HttpClient, type HttpAnswer } from '../http/client.js';
import { completeJobOptions, type JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import { compileResultOf, type CompileDocument } from '../report/json/compile-document.js';
import { checkResult } from '../compiler/stored-result.js';
import { packageVersion } from '../compiler/version.js';

export interface ServerCompilerOptions {
  /** `http://…`, `https://…`, `unix:/…` */
  readonly server: string;
  /** Most milliseconds that a job may run; 0: the server's limit. */
  readonly timeout: number;
  /** Compiles what the server does not; it is told why. Null: that is an error. */
  readonly fallback: ((why: string) => Promise<ModuleCompiler>) | null;
}

const SERVER_FLAG = '--server';

/** The server, and not the module, is why there is no result. */
class Unavailable extends Error {}

/** The server asks to come again. */
const LATER: ReadonlySet<number> = new Set([429, 503]);
/** How long to come again, in milliseconds, and how long to wait in between. */
const COME_AGAIN_MS = 30_000;
const PAUSE_MS = 250;
/** How long a job may wait at the server for its turn, in addition to its own time. */
const WAIT_MS = 60_000;
/** A longer text could not be read at once. */
const MOST_ANSWER_BYTES = 500 * 2 ** 20;

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly location?: SourceLocation;
}

export class ServerCompiler implements ModuleCompiler {
  readonly #options: ServerCompilerOptions;
  readonly #client: HttpClient;
  readonly #shown: string;

  /** @throws DarmError `usage` for what is no address */
  constructor(options: ServerCompilerOptions) {
    const address = parseAddress(options.server, SERVER_FLAG);
    this.#options = options;
    this.#client = new HttpClient(address);
    this.#shown = address.shown;
  }

  async compile(bytes: Uint8Array, options: Partial<JobOptions> = {}): Promise<CompiledModule> {
    const job = completeJobOptions('compile()', options);
    try {
      return { ...(await this.#compileThere(bytes, job)), cached: false };
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const why = `the server ${this.#shown}: ${error.message}`;
      if (this.#options.fallback === null) throw new DarmError('io', why);
      return (await this.#options.fallback(why)).compile(bytes, job);
    }
  }

  async #compileThere(bytes: Uint8Array, job: JobOptions): Promise<CompileResult> {
    const answer = await this.#post(bytes, job);
    const theirs = answer.headers['darm-version'];
    if (theirs !== packageVersion())
      throw new Unavailable(
        theirs === undefined
          ? 'it is no darm serve'
          : `it has the version ${String(theirs)}, this is ${packageVersion()}`,
      );
    if (answer.status !== 200) throw errorOf(answer);
    const document = parsed<CompileDocument>(answer);
    const result = readResult(document, job);
    for (const [i, { bytes }] of result.artifacts.entries())
      if (createHash('sha256').update(bytes).digest('hex') !== document.artifacts[i]!.sha256)
        throw new Unavailable('an artifact does not have its hash');
    return result;
  }

  /** Sends the job, again if the server has no room for it. */
  async #post(bytes: Uint8Array, job: JobOptions): Promise<HttpAnswer> {
    const { timeout } = this.#options;
    const form = formOf(bytes, { ...job, ...(timeout > 0 && { timeout: Math.max(timeout, 1) }) });
    const until = performance.now() + COME_AGAIN_MS;
    for (;;) {
      try {
        const answer = await this.#client.exchange({
          method: 'POST',
          path: '/v1/compile',
          headers: { 'Content-Type': form.type, Accept: 'application/json' },
          body: form.body,
          timeoutMs: timeout === 0 ? 0 : timeout + WAIT_MS,
          maxAnswer: MOST_ANSWER_BYTES,
        });
        if (!LATER.has(answer.status) || performance.now() > until) return answer;
      } catch (error) {
        if (error instanceof ExchangeError) throw new Unavailable(error.message);
        throw error;
      }
      // Not all at the same time.
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

/** `multipart/form-data` (RFC 7578) with the module and the options. */
function formOf(module: Uint8Array, options: object): { readonly type: string; readonly body: Uint8Array } {
  const boundary = randomBytes(24).toString('hex');
  const head = (name: string, more: string): Buffer =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`);
  const body = Buffer.concat([
    head('options', ''),
    Buffer.from(JSON.stringify(options)),
    Buffer.from('\r\n'),
    head('module', '; filename="module"\r\nContent-Type: application/octet-stream'),
    module,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

/** @throws Unavailable */
function parsed<T>({ body }: HttpAnswer): T {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')) as T;
  } catch {
    throw new Unavailable('its answer cannot be read');
  }
}

/** @throws Unavailable */
function readResult(document: CompileDocument, { emit }: JobOptions): CompileResult {
  try {
    const result = compileResultOf(document);
    checkResult(result, emit);
    return result;
  } catch {
    throw new Unavailable('its answer is not what belongs to the job');
  }
}

/** What of it is there: the server may be anything. */
function problemIn(answer: HttpAnswer): Partial<Problem> {
  try {
    return Object(parsed<Problem>(answer)) as Partial<Problem>;
  } catch {
    return {};
  }
}

function errorOf(answer: HttpAnswer): Error {
  const { code, detail, location } = problemIn(answer);
  if (typeof code !== 'string' || typeof detail !== 'string') return new Unavailable(`it answers ${answer.status}`);
  // Others of the service's codes are refusals of its own.
  if (isErrorOfJob(code)) return new DarmError(code, detail, location);
  return new Unavailable(`it answers ${answer.status}: ${detail}`);
}
