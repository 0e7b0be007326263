/** What the commands say about their caches at their end. */
import type { Compiler } from '../compiler/api.js';
import { warn } from './messages.js';
import { table } from './table.js';

/** A remote cache that does not work is no error, but somebody may want to mend it. */
export function warnOfRemoteCache({ remoteCacheReport: report }: Compiler): void {
  if (report === null || report.complaint === null) return;
  const { errors, refused, skipped, uploadsLost } = report;
  const counts = [
    [errors + refused, 'lookups failed'],
    [skipped, 'lookups not made'],
    [uploadsLost, 'uploads failed'],
  ] as const;
  const text = counts.flatMap(([count, what]) => (count > 0 ? [`${what}: ${count}`] : [])).join(', ');
  warn(`${report.complaint} (${text})`);
}

/** A folder that keeps nothing is no error either. */
export function warnOfCache({ cacheCounts: counts }: Compiler): void {
  if (counts === null || counts.complaint === null) return;
  const { complaint, errors } = counts;
  warn(`${complaint}; ${errors} ${errors === 1 ? 'result is' : 'results are'} not in the cache`);
}

/** The table for a summary; empty without a remote cache. */
export function remoteCacheText({ remoteCacheReport: report }: Compiler): string {
  if (report === null) return '';
  const { hits, misses, errors, refused, skipped, uploads, uploadsLost } = report;
  return table(
    'rrrrrrr',
    ['remote cache: hits', 'misses', 'failed', 'refused', 'not asked', 'uploads', 'uploads failed'],
    [[hits, misses, errors, refused, skipped, uploads, uploadsLost].map(String)],
  );
}
