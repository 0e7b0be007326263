/**
 * Bodies that are larger than an event of AWS Lambda may be: the request names objects in a store by presigned URLs,
 * one to get the module from and one to put the answer to. Plain HTTP; the function needs no rights of its own.
 */
import { createHash } from 'node:crypto';
import { DarmError } from '../errors.js';
import { Refusal } from './problem.js';

export interface ObjectOptions {
  /**
   * The stores that may be named, `https://BUCKET.s3.REGION.amazonaws.com` for instance. Whoever sends requests could
   * otherwise let the function ask whatever it can reach.
   */
  readonly origins: readonly string[];
  /** Most bytes of a module. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/** The body of a request that names objects, `application/json`. */
export interface NamedObjects {
  /** Where the body of the request is. */
  readonly get: URL;
  /** Where the answer goes; null: into the event. */
  readonly put: URL | null;
}

export const OBJECTS_TYPE = 'application/json';
const MOST_URL = 8192;

/** @throws Refusal */
export function readNamedObjects(text: string, origins: ReadonlySet<string>): NamedObjects {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('malformed-request', 'the body is no JSON');
  }
  const { get, put = null, ...rest } = Object(value) as Record<string, unknown>;
  if (Object.keys(rest).length > 0)
    throw new Refusal('malformed-request', `the body has "${Object.keys(rest)[0]}": it may have "get" and "put"`);
  return { get: objectUrl('get', get, origins), put: put === null ? null : objectUrl('put', put, origins) };
}

/** What is signed is not repeated. */
function objectUrl(name: string, value: unknown, origins: ReadonlySet<string>): URL {
  if (typeof value !== 'string' || value.length > MOST_URL || !URL.canParse(value))
    throw new Refusal('malformed-request', `"${name}" must be a presigned URL`);
  const url = new URL(value);
  if (!origins.has(url.origin) || url.username !== '' || url.password !== '')
    throw new Refusal('malformed-request', `"${name}" is not at a store that this function uses`);
  return url;
}

/** @throws Refusal, or DarmError `timeout` */
export async function getObject(url: URL, maxBytes: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await exchange('get', url, { signal });
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    // Node's streams of the web can be iterated.
    for await (const piece of (answer.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > maxBytes)
        throw new Refusal('body-too-large', `the object has more than the ${maxBytes} bytes that are taken`);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : broken('get', error);
  }
  return new Uint8Array(Buffer.concat(pieces, size));
}

/** @throws Refusal, or DarmError `timeout` */
export async function putObject(url: URL, answer: Response, signal: AbortSignal): Promise<object> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const type = answer.headers.get('content-type') ?? 'application/octet-stream';
  const put = await exchange('put', url, { method: 'PUT', body: bytes, headers: { 'Content-Type': type }, signal });
  await put.body?.cancel();
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), type };
}

async function exchange(name: string, url: URL, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    // A redirect could lead anywhere.
    answer = await fetch(url, { ...init, redirect: 'error' });
  } catch (error) {
    throw broken(name, error);
  }
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new Refusal('malformed-request', `the store answers ${answer.status} to "${name}"`);
}

function broken(name: string, error: unknown): Error {
  if ((error as Error).name === 'TimeoutError')
    return new DarmError('timeout', `the store took longer for "${name}" than the function has time`);
  return new Refusal('malformed-request', `the store gives no whole answer to "${name}"`);
}
