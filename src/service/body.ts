/**
 * Reads a request's body within limits on size and time. A body that exceeds them is not read any further. Bodies with
 * a content coding are refused, because a small one could unpack to any size.
 */
import { abortedError, DarmError } from '../errors.js';
import { Refusal } from './problem.js';

export interface BodyLimits {
  /** Largest size in bytes. */
  readonly maxBody: number;
  /** Longest time for the whole body, in milliseconds; 0 for no limit. */
  readonly bodyTimeout: number;
}

export interface BodyReading extends BodyLimits {
  /** Told how many bytes have come; what it throws ends the reading. */
  readonly received: (bytes: number) => void;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** @throws Refusal `body-too-large`, `body-timeout`, `unsupported-media-type`; DarmError `aborted` */
export async function readBody(
  request: Request,
  { maxBody, bodyTimeout, received, signal }: BodyReading,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = request.headers.get('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new Refusal('unsupported-media-type', 'the body must not have a content coding');
  const tooLarge = (): Refusal => new Refusal('body-too-large', `the body is larger than ${maxBody} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBody) throw tooLarge();
  if (request.body === null) return new Uint8Array(0);

  const reader = request.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  const tooLate = bodyTimeout === 0 ? null : AbortSignal.timeout(bodyTimeout);
  const ended = AbortSignal.any(tooLate === null ? [signal] : [signal, tooLate]);
  ended.addEventListener('abort', cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (tooLate?.aborted) throw new Refusal('body-timeout', `the body did not arrive within ${bodyTimeout / 1000} s`);
      if (signal.aborted) throw abortedError();
      if (done) break;
      size += value.byteLength;
      if (size > maxBody) throw tooLarge();
      received(value.byteLength);
      chunks.push(value);
    }
  } catch (error) {
    cancel();
    if (error instanceof Refusal) throw error;
    // The stream breaks when the client goes away.
    throw new DarmError('aborted', 'the client closed the connection');
  } finally {
    ended.removeEventListener('abort', cancel);
  }
  return joined(chunks, size);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
