/** Requests that a server cannot read: what is known of them, why they are refused, and the bytes of the answer. */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { problemHeaders, problemOf, Refusal } from './problem.js';

export interface Unreadable {
  readonly refusal: Refusal;
  /** Null where the parser did not come so far. */
  readonly method: string | null;
  readonly path: string | null;
  readonly requestId: string | null;
}

/** A head that the parser takes, but not the adapter. */
export const aboutHead = ({ method, url = '', headers }: IncomingMessage, detail: string): Unreadable => ({
  refusal: new Refusal('malformed-http', detail),
  method: method ?? null,
  path: url.split('?')[0]!,
  requestId: (headers['x-request-id'] as string | undefined) ?? null,
});

export const aboutNothing = (refusal: Refusal): Unreadable => ({ refusal, method: null, path: null, requestId: null });

/** Why Node's parser, or a time limit of its server, ends a connection; null when it is the connection that ended. */
export function refusalOfParser({ code = '', message }: NodeJS.ErrnoException): Refusal | null {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request-timeout', 'the request did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('head-too-large', 'the head of the request is too large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('body-too-large', 'the chunks of the body have too many extensions');
    default:
      return code.startsWith('HPE_') ? new Refusal('malformed-http', message) : null;
  }
}

/** For a service that does not refuse. */
export function withoutService({ refusal, requestId }: Unreadable): Response {
  const problem = problemOf(refusal, requestId ?? '');
  return new Response(JSON.stringify(problem), { status: problem.status, headers: problemHeaders(problem) });
}

/** As HTTP sends it. */
export async function answerText(answer: Response): Promise<string> {
  const text = await answer.text();
  const own = { Date: new Date().toUTCString(), 'Content-Length': String(Buffer.byteLength(text)) };
  const head = [...answer.headers, ...Object.entries(own)].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head.join('')}\r\n${text}`;
}
