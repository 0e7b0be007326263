/** The page's Web Worker: the explorer with the page's own compiler. */
import { DarmError } from '../src/errors.js';
import { Explorer } from '../src/explorer/explorer.js';
import type { ExploreOutcome, ExploreQuestion } from '../src/explorer/protocol.js';
import { loadLayout } from '../src/report/graph/layout.js';
import { createPageCompiler } from './compiler.js';
import { isKeptKind, keepResult } from './kept-results.js';
import { keepUnpacked, onLoad } from './platform.js';
import { Rehearsal } from './rehearsal.js';

/** What the page sends. */
export interface WorkerRequest {
  /** Null: nothing is answered, and the compiler is to be ready for the next question. */
  readonly id: number | null;
  /** Null: the compiler is to be loaded. */
  readonly question: ExploreQuestion | null;
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
/** Takes nothing from before. */
const newExplorer = (): Explorer => new Explorer(compiler.afresh, loadLayout);
const rehearsal = new Rehearsal((question) => newExplorer().answer(question));

onLoad((name, loaded, total) => send({ kind: 'loading', name, loaded, total }));
/** Not at once: what the page knows already, it shows before. */
let isLoading = false;
/** Questions without an answer. */
let asked = 0;

function load(): void {
  if (isLoading) return;
  isLoading = true;
  // What fails here fails again with the first question, which is told.
  compiler.prepare().then(
    () => {
      send({ kind: 'ready' });
      if (asked === 0) void keepUnpacked();
    },
    () => {},
  );
}

async function outcomeOf(answer: ReturnType<Explorer['answer']>): Promise<ExploreOutcome> {
  try {
    return { ok: true, value: await answer };
  } catch (thrown) {
    const error =
      thrown instanceof DarmError
        ? thrown
        : new DarmError('internal', thrown instanceof Error ? thrown.message : String(thrown));
    return { ok: false, error: error.toJSON() };
  }
}

self.onmessage = async ({ data: { id, question } }: MessageEvent<WorkerRequest>) => {
  load();
  if (question === null) return;
  rehearsal.asked();
  asked++;
  const outcome = await outcomeOf((id === null ? newExplorer() : explorer).answer(question));
  asked--;
  if (id !== null) send({ kind: 'answer', id, outcome });
  if (outcome.ok && isKeptKind(question.kind)) await keepResult(question, outcome.value);
  void keepUnpacked();
  rehearsal.answered(question, outcome);
};
