/**
 * LDS instructions that exchange registers between lanes and touch no memory: ds_swizzle_b32, ds_permute_b32 and
 * ds_bpermute_b32 (Vega and RDNA 3 ISA documents, their pseudocode). An inactive lane is read as 0.
 *
 * In the 64-lane waves of RDNA the permutes work within each half (LLVM: `supportsWaveWideBPermute`).
 */
import type { Wave } from '../wave.js';
import { globalDataShare } from './ds-access.js';
import type { Operation, OperationTable } from './operation.js';
import { rowOf } from './transfers.js';

const result = new Int32Array(64);

/** Results wait in `result`, because the destination may be one of the sources. */
function finish({ i32, lanes, active }: Wave, d: number): void {
  for (let k = 0; k < active; k++) i32[d + lanes[k]!] = result[lanes[k]!]!;
}

const FFT = 0xe000;
const ROTATE = 0xc000;
const QUADS = 0x8000;

/** For each lane the lane that ds_swizzle_b32 reads with an offset. */
function swizzleLanes(offset: number): Uint8Array {
  return Uint8Array.from({ length: 64 }, (_, lane) => (lane & 32) | swizzledLane(lane & 31, offset));
}

function swizzledLane(lane: number, offset: number): number {
  const mask = offset & 31;
  const middle = (offset >> 5) & 31;
  if (offset >= FFT) {
    let reversed = 0;
    let ones = 0;
    for (let bit = 0; bit < 5; bit++) {
      reversed |= ((lane >> bit) & 1) << (4 - bit);
      ones += (mask >> bit) & 1;
    }
    return (reversed >> ones) | (lane & mask);
  }
  if (offset >= ROTATE) {
    const by = (offset & 0x400) !== 0 ? -middle : middle;
    return (lane & mask) | ((lane + by) & ~mask & 31);
  }
  if (offset >= QUADS) return (lane & ~3) | ((offset >> (2 * (lane & 3))) & 3);
  return ((lane & mask) | middle) ^ ((offset >> 10) & 31);
}

const swizzle: Operation = (site) => {
  const from = swizzleLanes(site.instruction.immediate('offset') & 0xffff);
  const a = rowOf(site, 'addr');
  const d = rowOf(site, 'vdst');
  return (
    globalDataShare(site) ??
    site.step((w) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const source = from[lanes[k]!]!;
        result[lanes[k]!] = source < w.size && w.isActive(source) ? i32[a + source]! : 0;
      }
      finish(w, d);
    })
  );
};

interface Permute {
  readonly a: number;
  readonly data: number;
  readonly d: number;
  readonly offset: number;
  /** Lanes that can reach each other, less 1. */
  readonly mask: number;
}

const permutation =
  (run: (w: Wave, permute: Permute) => void): Operation =>
  (site) => {
    const wholeWave = site.size === 32 || site.target.permutesWholeWave;
    const permute: Permute = {
      a: rowOf(site, 'addr'),
      data: rowOf(site, 'data0'),
      d: rowOf(site, 'vdst'),
      offset: site.instruction.immediate('offset'),
      mask: wholeWave ? site.size - 1 : 31,
    };
    return site.step((w) => run(w, permute));
  };

/** Each lane reads the lane that its address names. */
const pull = permutation((w, { a, data, d, offset, mask }) => {
  const { i32, lanes, active } = w;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const source = (l & ~mask) | (((i32[a + l]! + offset) >> 2) & mask);
    result[l] = w.isActive(source) ? i32[data + source]! : 0;
  }
  finish(w, d);
});

/** Each lane writes to the lane that its address names; the highest one wins. */
const push = permutation((w, { a, data, d, offset, mask }) => {
  const { i32, lanes, active } = w;
  result.fill(0);
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    result[(l & ~mask) | (((i32[a + l]! + offset) >> 2) & mask)] = i32[data + l]!;
  }
  finish(w, d);
});

export const dsLanes: OperationTable = {
  ds_swizzle_b32: swizzle,
  ds_permute_b32: push,
  ds_bpermute_b32: pull,
};
