/**
 * The page's first worker. main.ts imports this before all else, so the worker's scripts load before the page's others,
 * which are larger, are evaluated. In a first visit, when no service worker has the page's files yet, nothing can be
 * known: the compiler is loaded at once.
 */
import type { WorkerRequest } from './worker.js';

/** @param isLoading whether it loads the compiler, before it is asked anything */
export function startWorker(isLoading: boolean): Worker {
  const worker = new Worker(new URL('worker.js', location.href), { type: 'module' });
  if (isLoading) worker.postMessage({ id: null, question: null } satisfies WorkerRequest);
  return worker;
}

const isFirstVisit = !navigator.serviceWorker?.controller;

let first = document.documentElement.dataset['backend'] === 'server' ? null : startWorker(isFirstVisit);

/** Once: the worker that has been started. */
export function takeFirstWorker(): Worker | null {
  const taken = first;
  first = null;
  return taken;
}
