/** The families of random kernels: the shape of their trees, the module around them, and how they are launched. */
import type fc from 'fast-check';
import { SpecRandom } from '../../src/simulator/launch/random.js';
import type { Argument, Launch } from './execute-host.js';
import { gotoBody, mixedBody, plainBody, retryBody, wideBody, type Body, type Kernel } from './random-kernel.js';
import { IN_WORDS, PLAIN, emitFamily } from './random-module.js';
import { wideArguments, wideFamily } from './wide-module.js';

export interface KernelFamily {
  /** @param size 1 to 4 */
  body(size: number): fc.Arbitrary<Body>;
  module(kernels: readonly Kernel[]): string;
  /** A launch with memory and arguments that depend on `seed`. */
  launch(kernel: string, seed: number): Launch;
}

function family(
  body: (size: number) => fc.Arbitrary<Body>,
  module: KernelFamily['module'],
  { threads, cellBytes }: { readonly threads: number; readonly cellBytes: number },
  groups: number,
  more: (below: (n: number) => number) => Argument[],
): KernelFamily {
  return {
    body,
    module,
    launch(kernel, seed) {
      const random = new SpecRandom(seed);
      const below = (n: number): number => Math.floor((random.word() / 2 ** 32) * n);
      const input = new Uint8Array(IN_WORDS * 4);
      // No byte is 255 (loads of single bytes have a range attribute); every other word is small.
      for (let i = 0; i < input.length; i++) input[i] = i % 8 >= 5 ? 0 : below(255);
      const out = new Uint8Array(groups * threads * cellBytes);
      for (let i = 0; i < out.length; i++) out[i] = below(256);
      const common = [{ bytes: out, out: true }, { bytes: input, out: true }, { scalar: BigInt(below(8)) }];
      return { kernel, grid: [groups, 1, 1], block: [threads, 1, 1], args: [...common, ...more(below)] };
    },
  };
}

const [full, partial] = [wideFamily(64), wideFamily(100)];

export const FAMILIES = {
  /** Integers, small floats, all kinds of memory; no thread depends on another. */
  plain: family(
    plainBody,
    (kernels) => emitFamily(kernels, PLAIN),
    PLAIN,
    2,
    () => [],
  ),
  /** The same operations in loops with several back edges. */
  retry: family(
    retryBody,
    (kernels) => emitFamily(kernels, PLAIN),
    PLAIN,
    2,
    () => [],
  ),
  /** The same operations in loops that are entered at several places. */
  goto: family(
    gotoBody,
    (kernels) => emitFamily(kernels, PLAIN),
    PLAIN,
    2,
    () => [],
  ),
  /** All types and operations, in phases between which threads exchange values. */
  wide: family(wideBody, (kernels) => emitFamily(kernels, partial), partial, 2, wideArguments),
  /** The same operations in loops with several back edges. */
  'wide-retry': family(
    (size) => retryBody(size).map((body): Body => [{ kind: 'phase', body }]),
    (kernels) => emitFamily(kernels, partial),
    partial,
    2,
    wideArguments,
  ),
  /** The operations of `wide` in small kernels, with uniform control flow and cross-lane operations. */
  mixed: family(
    (size) => mixedBody(size, 2),
    (kernels) => emitFamily(kernels, full),
    full,
    1,
    wideArguments,
  ),
  /** The same with a last wave that is not full. */
  ragged: family(
    (size) => mixedBody(size, 2),
    (kernels) => emitFamily(kernels, partial),
    partial,
    1,
    wideArguments,
  ),
} satisfies Record<string, KernelFamily>;
export type FamilyName = keyof typeof FAMILIES;
