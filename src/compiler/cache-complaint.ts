/** A cache that keeps nothing refuses no work, but somebody must see it. */
import type { Compiler } from './api.js';

/** @returns what is to be called from time to time: it tells of the cache's first complaint, once */
export function cacheComplaint(
  compiler: Pick<Compiler, 'cacheCounts'>,
  tell: (complaint: string, message: string) => void,
): () => void {
  let isTold = false;
  return () => {
    const complaint = compiler.cacheCounts?.complaint ?? null;
    if (complaint === null || isTold) return;
    isTold = true;
    tell(complaint, 'results are not in the cache');
  };
}
