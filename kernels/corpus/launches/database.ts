import type { Inputs } from '../inputs.js';
import { i32, line, out } from '../launch.js';
import type { Family } from '../family.js';

const day = (d: Inputs): number => d.whole(1992, 1998) * 10000 + d.whole(1, 12) * 100 + d.whole(1, 28);

/** A header of the fourth version with a right checksum. */
function header4(d: Inputs): number[] {
  const words = [
    0x45000000 + d.whole(40, 1500),
    d.whole(0, 2 ** 32 - 1),
    0x40060000,
    d.whole(0, 2 ** 32 - 1),
    d.whole(0, 2 ** 32 - 1),
  ];
  let sum = 0;
  for (const word of words) sum += (word >>> 16) + (word & 0xffff);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  words[2] = (words[2]! + (0xffff - sum)) >>> 0;
  return [...words, 0, 0, 0, 0, 0];
}

export const database: Family = {
  filter_orders: (d) => {
    const n = d.count(4000);
    // In the order of the dates, nearly, as orders come.
    const dates = Int32Array.from({ length: n }, () => day(d)).sort();
    const discounts = Float32Array.from({ length: n }, () => d.whole(0, 10) / 100);
    return line(n, 256, out.u8(n), dates, discounts, d.ints(n, 1, 50), i32(n));
  },
  sum_by_case: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.u32(3), d.bytes(n, 0, 40), d.uints(n, 100, 9999), d.uints(n, 0, 10), i32(n));
  },
  nullable_expression: (d) => {
    const n = d.count(4000);
    const valid = () =>
      Uint32Array.from({ length: Math.ceil(n / 32) }, () => (d.chance(0.7) ? 2 ** 32 - 1 : d.whole(0, 2 ** 32 - 1)));
    const b = d.normals(n).map((v) => (d.chance(0.02) ? 0 : v));
    const a = d.normals(n).map((v) => (d.chance(0.05) ? 0 : v));
    return line(n, 256, out.f32(n), out.u8(n), a, b, valid(), valid(), i32(n));
  },
  merge_join_counts: (d) => {
    const [n, rows] = [d.count(1500), 2000];
    const keys = (length: number) => Int32Array.from({ length }, () => d.skewed(800)).sort();
    return line(
      n,
      128,
      out.i32(n),
      keys(n).map((key) => (d.chance(0.2) ? 900 : key)),
      d.ints(rows, 0, 1200).sort(),
      i32(rows),
      i32(n),
    );
  },
  round_decimals: (d) => {
    const [n, columns] = [d.count(4000), 4];
    const values = d.ints(n, -99999, 99999).map((v) => (d.chance(0.1) ? Math.floor(v / 100) * 100 + 50 : v));
    return line(n, 256, out.i32(n), values, Uint8Array.from([1, 0, 0, 1]), i32(columns), i32(n));
  },
  dictionary_decode: (d) => {
    const [n, known] = [d.count(4000), 256];
    const codes = Uint16Array.from({ length: n }, () =>
      d.chance(0.02) ? known + d.whole(0, 99) : d.skewed(known - 1),
    );
    return line(n, 256, out.u32(n), codes, d.uints(known), d.uints(100), i32(known), i32(n));
  },
  match_rules: (d) => {
    const [n, count] = [d.count(800), 16];
    const mask = (bits: number) => (bits === 0 ? 0 : (2 ** 32 - 2 ** (32 - bits)) >>> 0);
    const rules = Uint32Array.from(
      Array.from({ length: count }, (_, k) => {
        if (k === count - 1) return [0, 0, 0, 0, 0, 2];
        const [a, b] = [mask(d.pick([0, 2, 4])), mask(d.pick([0, 1, 3]))];
        const port = d.chance(0.4) ? d.pick([22, 53, 80, 443]) << 8 : 0;
        return [
          (d.whole(0, 2 ** 32 - 1) & a) >>> 0,
          a,
          (d.whole(0, 2 ** 32 - 1) & b) >>> 0,
          b,
          d.pick([0, 6, 17]),
          port | d.whole(1, 2),
        ];
      }).flat(),
    );
    const ports = Uint16Array.from({ length: n }, () => d.pick([80, 443, 443, 443, 53, 22, 8080]));
    const protocols = Uint8Array.from(ports, (port) => (port === 53 ? 17 : 6));
    return line(n, 128, out.u8(n), d.uints(n), d.uints(n), ports, protocols, rules, i32(count), i32(n));
  },
  check_packets: (d) => {
    const n = d.count(1500);
    const headers = Array.from({ length: n }, () => {
      if (d.chance(0.2))
        return [0x60000000, (d.chance(0.03) ? 9500 : d.whole(40, 1400)) * 65536 + 0x640, ...d.uints(8)];
      const header = header4(d);
      if (d.chance(0.01)) header[3]! ^= 1;
      if (d.chance(0.01)) header[0]! -= 0x01000000;
      if (d.chance(0.01)) header[0] = 0;
      return header;
    });
    return line(n, 128, out.u8(n), out.i32(4), Uint32Array.from(headers.flat().map((word) => word >>> 0)), i32(n));
  },
  connection_states: (d) => {
    const [n, count] = [d.count(800), 16];
    // Mostly what is usual at that time: opening, data, closing, now and then a reset.
    const flags = Uint8Array.from({ length: n * count }, (_, k) => {
      const at = Math.floor(k / n);
      if (d.chance(0.02)) return 4;
      return at === 0 ? (d.chance(0.8) ? 2 : 18) : at === 1 ? 18 : at > 12 && d.chance(0.4) ? 17 : 16;
    });
    return line(n, 128, out.u8(n), flags, i32(count), i32(n));
  },
  decision_forest: (d) => {
    const [n, trees] = [d.count(500), 8];
    const nodes = Int32Array.from({ length: 31 * trees }, (_, k) =>
      k % 31 >= 15 || (k % 31 > 2 && d.chance(0.2)) ? -1 : d.whole(0, 7) + (d.chance(0.2) ? 24 : 0),
    );
    const limits = Float32Array.from(nodes, (node) => (node >= 16 ? d.whole(0, 3) : d.real(-1, 1)));
    const features = Float32Array.from({ length: 16 * n }, (_, k) => (k >= 8 * n ? d.whole(0, 3) : d.normal()));
    return line(n, 64, out.f32(n), features, nodes, limits, i32(trees), i32(n));
  },
  nearest_centre: (d) => {
    const [n, count, width] = [d.count(600), 12, 8];
    const centres = d.normals(count * width, 0, 2);
    const of = d.ints(n, 0, count - 1);
    const points = Float32Array.from(
      { length: n * width },
      (_, k) => centres[of[k % n]! * width + Math.floor(k / n)]! + d.normal(),
    );
    return line(n, 64, out.i32(n), out.f32(n), points, centres, i32(count), i32(width), i32(n));
  },
  stack_machine: (d) => {
    const [n, length] = [d.count(300), 32];
    // Many threads run the same few programs with other numbers.
    const programs = Array.from({ length: 8 }, () => d.bytes(length, 0, 7));
    const code = Uint8Array.from(
      { length: n * length },
      (_, k) => programs[(k % n) % 8]![Math.floor(k / n)]! | (d.whole(0, 31) << 3),
    );
    return line(n, 64, out.i32(n), code, i32(length), i32(n));
  },
};
