/**
 * What an early meld point may cost: LLVM's -O3 no longer unrolls a loop as it would have without the passes in front of
 * the melds, and an array of a thread's own, which would have been in registers, is in memory. That is slower than
 * anything that melds gain, and may be in a kernel in which nothing melds. A late meld point comes after -O3, which is
 * then what it always is.
 */
import { inspectCodeObject } from '../formats/code-object.js';
import type { LlvmModule } from '../binding/module.js';

/** Bytes of scratch memory per thread, by the name of the kernel; without the kernels that need none. */
export type Scratch = ReadonlyMap<string, number>;

/** @param module of which an object was generated last */
export function scratchOf(module: LlvmModule): Scratch {
  const { kernels } = inspectCodeObject(module.generated());
  return new Map(
    kernels.flatMap(({ name, privateSegmentSize: bytes }) => (bytes === null || bytes === 0 ? [] : [[name, bytes]])),
  );
}

/** The kernels that need more than before. */
export const gainedScratch = (before: Scratch, after: Scratch): string[] =>
  [...after].flatMap(([name, bytes]) => (bytes > (before.get(name) ?? 0) ? [name] : []));
