/** Reference of lz4ish.hip: the LZ4 block format, for blocks that are well-formed. */
import { chunks } from '../reference.js';

/** Decodes a block. */
export function decodeBlock(block: readonly number[]): number[] {
  const out: number[] = [];
  let at = 0;
  /** Reads the rest of a length whose first four bits are `nibble`. */
  const length = (nibble: number): number => {
    let total = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = block[at++]!;
    return total;
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = length(token >> 4);
    out.push(...block.slice(at, at + literals));
    at += literals;
    if (at >= block.length) break;
    const offset = block[at]! + 256 * block[at + 1]!;
    at += 2;
    for (let left = length(token & 15) + 4; left > 0; left--) out.push(out.at(-offset)!);
  }
  return out;
}

export const lz4ish = chunks(
  (thread, { buffers, scalars: { room } }) =>
    decodeBlock(Array.from(buffers['in']!).slice(buffers['starts']![thread], buffers['starts']![thread + 1])).slice(
      0,
      room,
    ),
  { room: 'u32' },
);
