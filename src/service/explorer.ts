/** The explorer of a service: the files of its page, and answers to the page's questions (src/explorer/protocol.ts). */
import { readFile } from 'node:fs/promises';
import { encode } from '@msgpack/msgpack';
import type { Compiler } from '../compiler/api.js';
import { DarmError } from '../errors.js';
import { checkQuestion } from '../explorer/check-question.js';
import { Explorer } from '../explorer/explorer.js';
import type { ExploreOutcome, ExploreQuestion } from '../explorer/protocol.js';
import { decodeMessagePack } from '../formats/message-pack.js';
import { loadLayout } from '../report/graph/layout.js';
import type { Answer } from './answers.js';
import { SITE } from './explorer-page.js';
import { Refusal } from './problem.js';

/** The page's files, without those of a page that compiles by itself. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['main.js', 'text/javascript'],
  ['page.css', 'text/css'],
  ['examples.json', 'application/json'],
  ['icon.svg', 'image/svg+xml'],
]);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Not a type that forms can send: pages of other sites would have to ask before, and are not answered. */
const QUESTION_TYPE = 'application/vnd.msgpack';

export class ServiceExplorer {
  readonly #explorer: Explorer;

  constructor(compiler: Compiler) {
    this.#explorer = new Explorer(compiler, loadLayout);
  }

  /** @throws Refusal `not-found` */
  async file(name: string): Promise<Response> {
    const type = FILES.get(name);
    const content = type === undefined ? null : await readFile(new URL(name, SITE)).catch(() => null);
    if (type === undefined || content === null) throw new Refusal('not-found', 'there is nothing under this path');
    const headers = {
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
    };
    const page = (): string =>
      // The page asks its server, and needs no WebAssembly.
      content
        .toString('utf8')
        .replace('<html lang="en">', '<html lang="en" data-backend="server">')
        .replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, '');
    return new Response(name === 'index.html' ? page() : new Uint8Array(content), { headers });
  }

  /** @throws Refusal `unsupported-media-type`; DarmError `usage`, `bad-input` */
  question(type: string | undefined, body: Uint8Array): ExploreQuestion {
    if (type !== QUESTION_TYPE) throw new Refusal('unsupported-media-type', `the body's type must be ${QUESTION_TYPE}`);
    return checkQuestion(decodeMessagePack(body, 'the question'));
  }

  /** What the kernel did wrong is an answer; what the server did wrong is thrown. */
  async answer(question: ExploreQuestion, signal: AbortSignal): Promise<ExploreOutcome> {
    try {
      return { ok: true, value: await this.#explorer.answer(question, { signal }) };
    } catch (error) {
      if (!(error instanceof DarmError) || SERVER_FAULTS.includes(error.code)) throw error;
      return { ok: false, error: error.toJSON() };
    }
  }
}

const SERVER_FAULTS: readonly string[] = ['internal', 'io', 'aborted', 'timeout'];

/** @throws Refusal `answer-too-large` */
export function outcomeAnswer(outcome: ExploreOutcome, limit: number): Answer {
  const bytes = encode(outcome, { ignoreUndefined: true });
  if (bytes.length > limit)
    throw new Refusal('answer-too-large', `the answer has ${bytes.length} bytes; the limit is ${limit}`);
  const headers = { 'Content-Type': QUESTION_TYPE, 'Content-Length': String(bytes.length) };
  return { headers, size: bytes.length, pieces: () => [bytes] };
}
