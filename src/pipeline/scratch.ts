/**
 * What an early meld point may cost. Passes run in front of the melds, and after them LLVM's -O3 may no longer unroll a
 * loop that it would have unrolled. Then a private array stays in scratch memory instead of registers, which costs more
 * than melds gain. It can happen in a kernel in which nothing melds. A late meld point comes after an unchanged -O3.
 */
import type { LlvmModule } from '../binding/module.js';
import { inspectCodeObject } from '../formats/code-object.js';

/** Whether the code is for ROCm, and not for a graphics driver. */
export const isForRocm = ({ triple }: Pick<LlvmModule, 'triple'>): boolean => /^amdgcn-\w*-amdhsa/.test(triple);

/** Whether objects of a module say how much scratch memory kernels need. */
export const notesScratch = (module: Pick<LlvmModule, 'triple' | 'cpu'>): boolean =>
  isForRocm(module) && module.cpu !== '';

/** Bytes of scratch memory per thread, by the name of the kernel; without the kernels that need none. */
export type Scratch = ReadonlyMap<string, number>;

export function scratchOf(object: Uint8Array): Scratch {
  const { kernels } = inspectCodeObject(object);
  return new Map(
    kernels.flatMap(({ name, privateSegmentSize: bytes }) => (bytes === null || bytes === 0 ? [] : [[name, bytes]])),
  );
}

/** The kernels that need more than before. */
export const gainedScratch = (before: Scratch, after: Scratch): string[] =>
  [...after].flatMap(([name, bytes]) => (bytes > (before.get(name) ?? 0) ? [name] : []));
