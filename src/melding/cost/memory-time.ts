/** How long the accesses of a wave keep the memory unit busy, and what a wave spends where others wait for it, too. */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId, InstrId } from '../../ir/ids.js';
import { FunctionFlag, isAmd, type FunctionSnapshot } from '../../ir/snapshot.js';
import { exposedShare, isConstantLike, isVector } from './latency.js';
import { WORDS_OF_LINE, mayScatter, type MemoryAccesses } from './memory-accesses.js';
import type { Strides } from './strides.js';
import { costsOf } from './target-costs.js';

/** What the accesses of a function are known by. */
export interface Accesses extends Pick<Analyses, 'divergence'> {
  readonly fn: FunctionSnapshot;
  readonly memory: MemoryAccesses;
  readonly strides: Strides;
  /** By instruction. */
  readonly latency: Float64Array;
}

/** The accesses of a function with these costs. */
export const accessesOf = ({
  fn,
  divergence,
  memory,
  strides,
  costs: { latency },
}: Omit<Accesses, 'latency'> & { readonly costs: Pick<Accesses, 'latency'> }): Accesses => ({
  fn,
  divergence,
  memory,
  strides,
  latency,
});

/**
 * In cycles: the longer, the further apart threads are.
 *
 * @param runs how often a wave runs a block
 */
export const memoryTime = (of: Accesses, runs: (b: BlockId) => number): number =>
  timeAt(of, runs, (i) => of.strides.ofAccess(i));

/** The most that it may be. How far apart threads are takes time to find out. */
export const mostMemoryTime = (of: Accesses, runs: (b: BlockId) => number): number =>
  timeAt(of, runs, () => WORDS_OF_LINE);

function timeAt(
  { fn, divergence, memory }: Accesses,
  runs: (b: BlockId) => number,
  strideOf: (i: InstrId) => number,
): number {
  const { issue } = costsOf(fn.cpu);
  let sum = 0;
  for (let i = 0 as InstrId; i < fn.instrCount; i++)
    if (mayScatter(fn, divergence, i)) {
      const lines = Math.min(WORDS_OF_LINE, Math.max(1, strideOf(i)));
      sum += (issue * lines * runs(fn.instrBlock[i] as BlockId)) / memory.joined[i]!;
    }
  return sum;
}

/**
 * How long a wave that is alone waits for loads, beyond what their costs say: code generation finds other work for it.
 * That of a kernel waits for the arguments first, which code generation loads at the entry.
 */
export function hiddenWaits({ fn, memory, latency, divergence }: Accesses, runs: (b: BlockId) => number): number {
  const target = costsOf(fn.cpu);
  let sum = isAmd(fn.cpu) && fn.argCount > 0 && (fn.flags & FunctionFlag.Kernel) !== 0 ? target.scalarMemory : 0;
  for (let i = 0 as InstrId; i < fn.instrCount; i++)
    if (memory.depth[i]! > 0) {
      const space = fn.instrAddressSpace[i]!;
      const waits = isConstantLike(space) && !isVector(fn, divergence, i) ? target.scalarMemory : latency[i]!;
      sum += (waits * (1 - exposedShare(space, target)) * runs(fn.instrBlock[i] as BlockId)) / memory.batched[i]!;
    }
  return sum;
}

/**
 * What a wave spends that takes `alone` cycles, without hidden waits, where nobody else wants the memory unit. Where
 * the few waves of a small launch already want it for longer than they run, each spends that time, and what it gains
 * elsewhere spares none of it.
 */
export function cyclesSpent(of: Accesses, alone: number, runs: (b: BlockId) => number): number {
  const { residentAtLeast } = costsOf(of.fn.cpu);
  const whole = alone + hiddenWaits(of, runs);
  if (mostMemoryTime(of, runs) * residentAtLeast <= whole) return alone;
  return alone * Math.max(1, (memoryTime(of, runs) * residentAtLeast) / whole);
}
