/** One attack on a running service, and how it may be answered. */
import { exchange, type Answers } from './raw.js';
import type { ServiceProcess } from './service-process.js';

export interface Attack {
  readonly name: string;
  /** Returns a complaint, or null when the service did what it should. */
  readonly run: (service: ServiceProcess) => Promise<string | null>;
}

/** A complaint unless an answer came with one of these statuses. */
export function statusComplaint(statuses: readonly number[], allowed: readonly number[]): string | null {
  if (statuses.length !== 1) return `${statuses.length} answers: ${statuses.join(', ')}`;
  return allowed.includes(statuses[0]!) ? null : `status ${statuses[0]}, not ${allowed.join(' or ')}`;
}

/** Bytes on a socket that must get exactly one answer, with one of these statuses; 0 allows that none comes. */
export const rawAttack = (
  name: string,
  bytes: string | Uint8Array | readonly (string | Uint8Array)[],
  allowed: readonly number[],
): Attack => ({
  name,
  run: async ({ port }) => {
    const answers: Answers = await exchange(port, bytes);
    if (answers.statuses.length === 0 && allowed.includes(0)) return null;
    return statusComplaint(answers.statuses, allowed);
  },
});

export interface FetchAttack {
  readonly path: string;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** What an answer with an allowed status has to hold besides. */
  readonly check?: (text: string, answer: Response) => string | null;
  /** Most bytes of the answer. */
  readonly most?: number;
}

/** Errors tell what is wrong, not all of what was sent. */
const MOST_ANSWER = 64 * 1024;

/**
 * A request that `fetch` can send. The answer must have one of these statuses, and errors must be problem documents.
 */
export const fetchAttack = (
  name: string,
  allowed: readonly number[],
  of: FetchAttack | (() => FetchAttack),
): Attack => ({
  // prettier-ignore
  name,
  run: async ({ url }) => {
    const { path, body, headers = {}, method = 'POST', check, most = MOST_ANSWER } = typeof of === 'function' ? of() : of; // prettier-ignore
    const answer = await fetch(url + path, { method, headers: { ...headers }, ...(body !== undefined && { body }), signal: AbortSignal.timeout(25_000) }); // prettier-ignore
    const text = await answer.text();
    if (!allowed.includes(answer.status)) return `status ${answer.status}, not ${allowed.join(' or ')}: ${text.slice(0, 200)}`; // prettier-ignore
    if (text.length > most) return `an answer of ${text.length} bytes`;
    if (answer.status >= 400 && answer.headers.get('content-type') !== 'application/problem+json')
      return `an error of type ${answer.headers.get('content-type')}`;
    if (/\/(work|home|root|usr|tmp)\/|node_modules|\.js:\d+/.test(text)) return `the answer shows the host: ${text.slice(0, 300)}`; // prettier-ignore
    return check?.(text, answer) ?? null;
  },
});
