/**
 * The body of an answer: pieces that are made only as fast as the client reads. Once an answer has begun, its status
 * cannot change any more. An error from then on breaks the stream, so that the client sees an answer without its end.
 */
import type { Pieces } from './answers.js';

/** How an answer ended: `sent` to its end, or broken off because of what. */
export type Ending =
  | { readonly kind: 'sent' | 'stalled' | 'gone' | 'shutting-down' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface AnswerStreaming {
  /** How long the client may take to read a piece, in milliseconds; 0 for no limit. */
  readonly stallMs: number;
  /** Called when the rest of the answer is not wanted any more. */
  readonly stop: () => void;
  /** Called once, when no more pieces are made. */
  readonly ended: (ending: Ending) => void;
}

/** Nothing is read ahead: when a piece is asked for, those before it have been taken. */
const NOTHING_AHEAD = { highWaterMark: 0 };

export function answerStream(pieces: Pieces, { stallMs, stop, ended }: AnswerStreaming): ReadableStream<Uint8Array> {
  const iterator = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces[Symbol.asyncIterator]();
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  const end = async (ending: Ending): Promise<void> => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    if (ending.kind !== 'sent') {
      stop();
      await Promise.resolve(iterator.return?.()).catch(() => {});
    }
    ended(ending);
  };
  const awaitClient = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (stallMs === 0) return;
    timer = setTimeout(() => {
      controller.error(new Error('the client does not read'));
      void end({ kind: 'stalled' });
    }, stallMs).unref();
  };
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start: awaitClient,
    async pull(controller) {
      clearTimeout(timer);
      try {
        const { done, value } = (await iterator.next()) as IteratorResult<Uint8Array, unknown>;
        if (over) return;
        if (done === true) {
          controller.close();
          await end({ kind: 'sent' });
        } else {
          controller.enqueue(value);
          awaitClient(controller);
        }
      } catch (error) {
        await end({ kind: 'failed', error });
        controller.error(error);
      }
    },
    cancel: () => end({ kind: 'gone' }),
  };
  return new ReadableStream(source, NOTHING_AHEAD);
}
