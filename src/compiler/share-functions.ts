/** How the functions of a module are shared out to workers; any way gives the same result, a balanced one sooner. */
import type { ModuleInfo } from '../job/results.js';

/**
 * At most `count` non-empty shares of about equal numbers of instructions: the largest function first, each to the share
 * that has least so far (Graham's LPT rule). Deterministic; each share in module order.
 */
export function shareFunctions(functions: ModuleInfo['functions'], count: number): string[][] {
  const shares = Array.from({ length: Math.min(count, functions.length) }, () => ({
    load: 0,
    members: [] as number[],
  }));
  const order = functions
    .map((_, i) => i)
    .sort((a, b) => functions[b]!.instructions - functions[a]!.instructions || a - b);
  for (const index of order) {
    const least = shares.reduce((best, share) => (share.load < best.load ? share : best));
    least.load += functions[index]!.instructions;
    least.members.push(index);
  }
  return shares.map(({ members }) => members.sort((a, b) => a - b).map((index) => functions[index]!.name));
}
