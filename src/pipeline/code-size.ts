/**
 * The promise of `--profit size`: no function gets larger. The planner counts bytes by a table, and code generation
 * decides what they are: what it shares, spills, joins and skips. So code is generated with the first rounds of edits
 * of every function, none to all, and each function keeps as many as make it smallest. One may be larger than it
 * was all the same, because functions depend on each other. Then none keeps any.
 */
import { hasEdits, type EditLog } from '../job/edit-log.js';
import type { CodeFigures, Emitted } from './emit.js';
import { cutBack } from './take-back.js';

type Sizes = CodeFigures['sizes'];

export interface SizedEmission {
  /** Emits with these edits, and says what the code comes to. */
  readonly emitWith: (logs: readonly EditLog[]) => Emitted;
  /** The sizes of the code with these edits. */
  readonly sizesWith: (logs: readonly EditLog[]) => Sizes;
}

/** Emits with those of the edits that make functions smallest. @param logs the first that `emitWith` is called with */
export function smallestCode(
  logs: readonly EditLog[],
  { emitWith, sizesWith }: SizedEmission,
): { readonly logs: readonly EditLog[]; readonly emitted: Emitted } {
  const all = { logs, emitted: emitWith(logs) };
  const most = Math.max(...logs.map(({ rounds }) => rounds.length));
  const first = (count: number): EditLog[] => logs.map((log) => ({ ...log, rounds: log.rounds.slice(0, count) }));
  const sizes: Sizes[] = [...Array(most).keys()].map((count) => sizesWith(first(count)));
  sizes.push(all.emitted.code!.sizes);
  const { unit } = all.emitted.code!;
  const kept = logs.map((log) => smallest(log, sizes, unit));
  const chosen = kept.every((log, index) => log === logs[index]) ? all : { logs: kept, emitted: emitWith(kept) };
  const larger = gained(sizes[0]!, chosen.emitted.code!);
  if (larger === null) return chosen;
  const none = kept.map((log) => (hasEdits(log) ? cutBack(log, 0, larger) : log));
  return { logs: none, emitted: emitWith(none) };
}

/** @param sizes by the number of rounds that are carried out */
function smallest(log: EditLog, sizes: readonly Sizes[], unit: CodeFigures['unit']): EditLog {
  const name = log.function;
  const last = log.rounds.length;
  if (last > 0 && !sizes.every((each) => each.has(name)))
    return cutBack(log, 0, 'nothing says how large its code is: it is part of other functions, or has no symbol');
  const sizeWith = (count: number): number => sizes[count]!.get(name)!;
  let best = 0;
  for (let count = 1; count <= last; count++) if (sizeWith(count) < sizeWith(best)) best = count;
  if (best === last) return log;
  return cutBack(log, best, `the code would be no smaller: ${sizeWith(last)} ${unit} instead of ${sizeWith(best)}`);
}

/** Which function is larger, in words; null if none is. */
function gained(before: Sizes, { sizes, unit }: CodeFigures): string | null {
  for (const [name, size] of sizes) {
    const was = before.get(name);
    if (was !== undefined && size > was) return `the code of '${name}' would be ${size} ${unit} instead of ${was}`;
  }
  return null;
}
