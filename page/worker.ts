/** The page's Web Worker: the explorer with the page's own compiler. */
import { DarmError } from '../src/errors.js';
import { Explorer } from '../src/explorer/explorer.js';
import type { ExploreOutcome, ExploreQuestion } from '../src/explorer/protocol.js';
import { loadLayout } from '../src/report/graph/layout.js';
import { createPageCompiler } from './compiler.js';
import { onLoad } from './platform.js';

/** What the page sends. */
export interface WorkerRequest {
  readonly id: number;
  readonly question: ExploreQuestion;
}

/** What the page gets. */
export type WorkerMessage =
  | { readonly kind: 'loading'; readonly name: string; readonly loaded: number; readonly total: number }
  /** LLVM is there. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly outcome: ExploreOutcome };

const send = (message: WorkerMessage): void => self.postMessage(message);

const compiler = createPageCompiler();
const explorer = new Explorer(compiler, loadLayout);

onLoad((name, loaded, total) => send({ kind: 'loading', name, loaded, total }));
// What fails here fails again with the first question, which is told.
compiler.prepare().then(
  () => send({ kind: 'ready' }),
  () => {},
);

self.onmessage = async ({ data: { id, question } }: MessageEvent<WorkerRequest>) => {
  const outcome: ExploreOutcome = await explorer.answer(question).then(
    (value) => ({ ok: true, value }),
    (thrown: unknown) => {
      const error =
        thrown instanceof DarmError
          ? thrown
          : new DarmError('internal', thrown instanceof Error ? thrown.message : String(thrown));
      return { ok: false, error: error.toJSON() };
    },
  );
  send({ kind: 'answer', id, outcome });
};
