/**
 * How the functions of a module are divided among workers. Any division gives the same result, a balanced one gives it
 * sooner.
 */
import type { FunctionSubset } from '../job/function-subset.js';
import type { ModuleInfo } from '../job/results.js';

/**
 * At most `count` subsets of about equal numbers of instructions: the largest function first, each to the subset that
 * has the fewest instructions so far (the longest-processing-time rule of R. L. Graham, 1969). Each subset is in module
 * order.
 *
 * The first subset is "all but the others": passes in front of the meld point may make functions that are not known
 * yet.
 */
export function divideFunctions(functions: ModuleInfo['functions'], count: number): FunctionSubset[] {
  const subsets = Array.from({ length: Math.min(count, functions.length) }, () => ({
    instructions: 0,
    members: [] as number[],
  }));
  const largestFirst = functions
    .map((_, i) => i)
    .sort((a, b) => functions[b]!.instructions - functions[a]!.instructions || a - b);
  for (const index of largestFirst) {
    const least = subsets.reduce((best, subset) => (subset.instructions < best.instructions ? subset : best));
    least.instructions += functions[index]!.instructions;
    least.members.push(index);
  }
  const names = subsets.map(({ members }) => members.sort((a, b) => a - b).map((index) => functions[index]!.name));
  return names.map((only, k) => (k > 0 ? { only } : { except: names.slice(1).flat() }));
}
