import { groups, i32, line, out, u32 } from '../launch.js';
import type { Family } from '../family.js';

/** Logarithms and powers in the field of 256 elements with the generator 2 (polynomial 0x11d). */
function fieldTables(): { logarithms: Uint8Array; powers: Uint8Array } {
  const [logarithms, powers] = [new Uint8Array(256), new Uint8Array(256)];
  for (let k = 0, value = 1; k < 255; k++, value = value & 128 ? ((value << 1) ^ 0x11d) & 255 : value << 1) {
    powers[k] = value;
    logarithms[value] = k;
  }
  return { logarithms, powers };
}

const MODULUS = 998244353;
/** −1 / MODULUS modulo 2³². */
const INVERSE = 998244351;

export const numbers: Family = {
  add_256: (d) => {
    const n = d.count(1000);
    // Half of the high words are full, so that carries go far and numbers overflow.
    const some = () => d.uints(8 * n).map((word) => (d.chance(0.5) ? 0xffffffff : word));
    return line(n, 128, out.u32(8 * n), out.i32(1), some(), some(), i32(n));
  },
  signed_difference: (d) => {
    const n = d.count(1500);
    const a = d.uints(4 * n);
    const b = a.map((word, k) => (k >= 3 * n && d.chance(0.5) ? word : d.whole(0, 2 ** 32 - 1)));
    return line(n, 128, out.u32(4 * n), { contents: new Int8Array(n) }, a, b, i32(n));
  },
  power_montgomery: (d) => {
    const n = d.count(1000);
    const exponents = Uint32Array.from({ length: n }, () => d.whole(1, 2 ** d.whole(8, 30)));
    const one = Number(2n ** 32n % BigInt(MODULUS));
    return line(
      n,
      128,
      out.u32(n),
      d.uints(n, 1, MODULUS - 1),
      exponents,
      u32(one),
      u32(MODULUS),
      u32(INVERSE),
      i32(n),
    );
  },
  binary_gcd: (d) => {
    const n = d.count(800);
    const factor = d.uints(n, 1, 30);
    return line(
      n,
      128,
      out.u32(n),
      factor.map((f) => f * d.whole(1, 3000)),
      factor.map((f) => f * d.whole(1, 3000)),
      i32(n),
    );
  },
  collatz: (d) => {
    const n = d.count(700);
    return line(n, 128, out.i32(n), i32(d.whole(100, 9999)), i32(n));
  },
  crc_two_ways: (d) => {
    const [n, length] = [d.count(600), 4];
    return line(n, 128, out.u32(n), d.uints(n * length), Uint8Array.from(d.runs(n, 40, 0, 1)), i32(length), i32(n));
  },
  field_product: (d) => {
    const n = d.count(4000);
    const { logarithms, powers } = fieldTables();
    const some = () => d.bytes(n).map((v) => (d.chance(0.05) ? 0 : v));
    return line(n, 256, out.u8(n), some(), some(), logarithms, powers, i32(n));
  },
  cipher_rounds: (d) => {
    const blocks = d.count(6);
    const table = Uint8Array.from(d.permutation(256));
    return groups(blocks, 256, out.u8(256 * blocks), d.bytes(256 * blocks), table, d.bytes(176), i32(10));
  },
  digest_steps: (d) => {
    const n = d.count(600);
    return line(n, 128, out.u32(n), d.uints(16 * n), i32(n));
  },
  hamming_correct: (d) => {
    const n = d.count(4000);
    const words = Uint8Array.from({ length: n }, () => {
      const [a, b, c, e] = [d.whole(0, 1), d.whole(0, 1), d.whole(0, 1), d.whole(0, 1)];
      const word = (a ^ b ^ e) | ((a ^ c ^ e) << 1) | (a << 2) | ((b ^ c ^ e) << 3) | (b << 4) | (c << 5) | (e << 6);
      return d.chance(0.02) ? word ^ (1 << d.whole(0, 6)) : word;
    });
    return line(n, 256, out.u8(n), out.i32(1), words, i32(n));
  },
  add_months: (d) => {
    const n = d.count(3000);
    const dates = Int32Array.from(
      { length: n },
      () => d.whole(1990, 2030) * 10000 + d.whole(1, 12) * 100 + d.whole(1, 28) + (d.chance(0.1) ? 3 : 0),
    );
    return line(n, 256, out.i32(n), dates, d.ints(n, -6, 24), i32(n));
  },
  working_days: (d) => {
    const n = d.count(2000);
    const from = d.ints(n, 18000, 20000);
    const to = from.map((day) => day + (d.chance(0.05) ? -d.whole(1, 50) : d.whole(0, 60)));
    return line(n, 256, out.i32(n), from, to, d.ints(12, 18000, 20000), i32(12), i32(n));
  },
  hilbert_index: (d) => {
    const n = d.count(2500);
    return line(n, 256, out.u32(n), d.uints(n, 0, 1023), d.uints(n, 0, 1023), i32(n));
  },
  convert_units: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.i32(n), out.i32(n), d.ints(n, 0, 99999), d.bytes(n, 0, 2), i32(n));
  },
};
