/** Requests written by hand to a socket, as `fetch` would never send them. */
import { connect, type Socket } from 'node:net';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A connection to the service whose errors are expected. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
  return socket;
}

export interface Answers {
  readonly text: string;
  /** Statuses of the answers in their order. */
  readonly statuses: readonly number[];
  /** Whether the service closed the connection. */
  readonly closed: boolean;
}

/** How long to wait for more after something has come. */
const QUIET_MS = 700;

/** Sends pieces, then reads until the connection ends, nothing more comes, or nothing at all has come for `firstMs`. */
export async function exchange(
  port: number,
  pieces: string | Uint8Array | readonly (string | Uint8Array)[],
  firstMs = 6000,
): Promise<Answers> {
  const socket = await open(port);
  let text = '';
  let last = performance.now();
  let closed = false;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    last = performance.now();
  });
  socket.on('close', () => (closed = true));
  for (const piece of typeof pieces === 'string' || pieces instanceof Uint8Array ? [pieces] : pieces)
    if (!socket.destroyed) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  while (!closed && performance.now() - last < (text === '' ? firstMs : QUIET_MS)) await pause(10);
  socket.destroy();
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { text, statuses, closed };
}

/** A head with a line for each entry. */
export const head = (start: string, ...lines: readonly string[]): string =>
  [start, 'Host: service', ...lines].join('\r\n') + '\r\n\r\n';

export const chunked = (data: string): string => `${Buffer.byteLength(data, 'latin1').toString(16)}\r\n${data}\r\n0\r\n\r\n`; // prettier-ignore

/** The bytes of an answer as they come. */
export async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array> {
  const reader = answer.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
