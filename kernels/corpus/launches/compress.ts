import { concatenate, type Inputs } from '../inputs.js';
import { i32, line, out } from '../launch.js';
import type { Family } from '../family.js';

/** A line of a drawing, packed: runs where it is plain, literals where it is not. */
function packbits(d: Inputs, width: number): Uint8Array {
  const packed: number[] = [];
  for (let length = 0; length < width;) {
    const count = Math.min(width - length, d.chance(0.6) ? d.whole(3, 40) : d.whole(1, 10));
    if (d.chance(0.5)) packed.push(128 + count - 1, d.whole(0, 255));
    else packed.push(count - 1, ...d.bytes(count));
    length += count;
  }
  return Uint8Array.from(packed);
}

/** A canonical code: lengths by symbol, most symbols of a text are short. */
const CODE_LENGTHS = [2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 8];

function canonicalCode() {
  const counts = new Int32Array(16);
  for (const length of CODE_LENGTHS) counts[length]!++;
  const [firstCode, firstSymbol] = [new Int32Array(16), new Int32Array(16)];
  for (let width = 1, code = 0, symbol = 0; width < 16; width++) {
    code = (code + (counts[width - 1] ?? 0)) << 1;
    firstCode[width] = code;
    firstSymbol[width] = symbol;
    symbol += counts[width]!;
  }
  return { counts, firstCode, firstSymbol, order: Uint8Array.from(CODE_LENGTHS, (_, k) => 65 + k) };
}

export const compress: Family = {
  rle_encode: (d) => {
    const [n, length] = [d.count(400), 64];
    const samples = new Uint8Array(n * length);
    for (let i = 0; i < n; i++)
      d.runs(length, d.chance(0.5) ? 12 : 2, 0, 7).forEach((v, k) => (samples[k * n + i] = v));
    return line(n, 64, out.u16(n * (length + 1)), out.i32(n), samples, i32(length), i32(n));
  },
  packbits_decode: (d) => {
    const [n, width] = [d.count(250), 80];
    const { text, starts } = concatenate(Array.from({ length: n }, () => packbits(d, width)));
    return line(n, 64, out.u8(n * width), text, starts, i32(width), i32(n));
  },
  longest_match: (d) => {
    const n = d.count(700);
    return line(n, 128, out.u32(n), d.prose(n), i32(48), i32(n));
  },
  huffman_decode: (d) => {
    const [n, words, length] = [d.count(250), 4, 24];
    const { counts, firstCode, firstSymbol, order } = canonicalCode();
    const bits = d.uints(n * words);
    return line(
      n,
      64,
      out.u8(n * length),
      bits,
      firstCode,
      firstSymbol,
      counts,
      order,
      i32(words),
      i32(length),
      i32(n),
    );
  },
  varint_encode: (d) => {
    const n = d.count(3000);
    const values = Uint32Array.from({ length: n }, () => d.skewed(2 ** 31));
    return line(n, 256, out.u8(5 * n), out.u8(n), values, i32(n));
  },
  delta_classes: (d) => {
    const n = d.count(3000);
    let value = 0;
    const values = Int32Array.from(
      { length: n },
      () => (value += d.chance(0.85) ? d.whole(-100, 100) : d.chance(0.9) ? d.whole(-9999, 9999) : d.whole(-1e6, 1e6)),
    );
    return line(n, 256, out.u8(4 * n), out.u8(n), values, i32(n));
  },
  unpack_bits: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.u32(n), d.uints(Math.ceil((n * 11) / 32) + 1), i32(11), i32(n));
  },
  patched_decode: (d) => {
    const n = d.count(3000);
    const blocks = Math.ceil(n / 32);
    const widths = Uint8Array.from({ length: blocks }, () => d.pick([0, 4, 7, 8, 8, 12, 16, 20]));
    const patches = Int32Array.from({ length: n }, () => (d.chance(0.03) ? d.whole(0, 99) : -1));
    return line(n, 256, out.u32(n), d.uints(n), d.uints(blocks, 0, 1e6), widths, patches, d.uints(100), i32(n));
  },
  rice_decode: (d) => {
    const [n, words, count] = [d.count(200), 6, 16];
    // Most bits are zero, so most quotients are small.
    const bits = Uint32Array.from({ length: n * words }, () => d.whole(0, 2 ** 32 - 1) & d.whole(0, 2 ** 32 - 1));
    for (let k = 0; k < n; k++) if (d.chance(0.2)) bits[k] = 0x3ff;
    return line(n, 64, out.i32(n * count), bits, i32(words), i32(2), i32(count), i32(n));
  },
  texture_blocks: (d) => {
    const count = d.count(200);
    return line(count * 16, 128, out.u32(count * 16), d.uints(2 * count), i32(count));
  },
};
