/**
 * The page's first worker. main.ts imports this before all else, so the worker begins to load the compiler before the
 * page's other scripts, which are larger, are evaluated.
 */
export const startWorker = (): Worker => new Worker(new URL('worker.js', location.href), { type: 'module' });

let first = document.documentElement.dataset['backend'] === 'server' ? null : startWorker();

/** Once: the worker that has been started. */
export function takeFirstWorker(): Worker | null {
  const taken = first;
  first = null;
  return taken;
}
