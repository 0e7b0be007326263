/**
 * How the functions of a module are divided among workers. Any division gives the same result, a balanced one gives it
 * sooner.
 */
import type { FunctionSubset } from '../job/function-subset.js';
import type { ModuleInfo } from '../job/results.js';
import { shareOut } from '../job/share-out.js';

/**
 * At most `count` subsets of about equal numbers of instructions, each in module order. The first subset is "all but
 * the others": passes in front of the meld point may make functions that are not known yet.
 */
export function divideFunctions(functions: ModuleInfo['functions'], count: number): FunctionSubset[] {
  const shares = shareOut(functions.map(({ instructions }) => instructions), count); // prettier-ignore
  const names = shares.map((members) => members.map((index) => functions[index]!.name));
  return names.map((only, k) => (k > 0 ? { only } : { except: names.slice(1).flat() }));
}
