/**
 * Flags of clang that would change the code in a way that is not possible here, and why. Most matter at some levels
 * only: where a flag says what the level does anyway, it is taken.
 */
import { DarmError } from '../errors.js';

interface Refusal {
  /** Of `0123sz`. */
  readonly levels: string;
  readonly why: string;
}

const always = (why: string): Refusal => ({ levels: '0123sz', why });
const pipeline = (levels: string): Refusal => ({ levels, why: "LLVM's pipeline of a level is run as it is" });

const REFUSED: ReadonlyMap<string, Refusal> = new Map([
  ['-fgpu-rdc', always('device code is linked source by source here; each must include all that its kernels call')],
  ['-fms-compatibility', always("the package's headers do not compile with it")],
  ['-###', always('there are no commands to show, as no other programs are called')],
  // At -Oz, functions ask for a size that keeps their loops from being vectorised.
  ['-fvectorize', pipeline('1')],
  ['-fno-vectorize', pipeline('23s')],
  ['-fslp-vectorize', pipeline('1')],
  ['-fno-slp-vectorize', pipeline('23sz')],
]);

export const isRefused = (flag: string): boolean => REFUSED.has(flag);

/** @throws DarmError `usage`, which names the first flag that would change the code at this level */
export function checkRefused(flags: ReadonlySet<string>, level: string): void {
  for (const flag of flags) {
    const { levels, why } = REFUSED.get(flag)!;
    if (levels.includes(level)) throw new DarmError('usage', `${flag} is not taken: ${why}`);
  }
}
