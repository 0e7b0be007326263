import { f32, i32, inOut, line, out, plane, u32 } from '../launch.js';
import type { Family } from '../family.js';
import { concatenate, latin1, type Inputs } from '../inputs.js';

const PRIME = 2147483647;

/** Rules as lists of the best ones have them: four operations of two bytes. */
const RULES = [
  ':',
  'l',
  'c',
  'u',
  'r',
  'd',
  'c$1',
  '$1$2$3',
  'c$!',
  'sa',
  'se$1',
  'lso$0',
  '^1',
  '$2$0$1$9',
  'c]$1',
  'rd',
  ']]',
  'csa$1',
  'd^x',
  'u$7',
];

function ruleBytes(rule: string): Uint8Array {
  const bytes = new Uint8Array(8);
  let made = 0;
  for (let k = 0; k < rule.length; k++) {
    bytes[made] = rule.charCodeAt(k);
    if ('$^s'.includes(rule[k]!)) bytes[made + 1] = rule.charCodeAt(++k);
    made += 2;
  }
  return bytes;
}

/** Lines of a program. */
function source(d: Inputs): string {
  const name = () =>
    d.pick(['i', 'n', 'count', 'buffer_size', 'x1', 'row', 'total', 'node', 'tmp', 'kMax', 'is_valid']);
  const number = () => d.pick(['0', '1', '42', '3.14159', '0xff', '0x1F00', '1000', '.5', '7']);
  const value = () => (d.chance(0.6) ? name() : number());
  const operator = () => d.pick(['+', '-', '*', '<', '<=', '==', '&&', '<<', '/', '!=']);
  switch (d.whole(0, 9)) {
    case 0:
      return `// ${Buffer.from(d.prose(d.whole(10, 60))).toString('latin1')}`;
    case 1:
      return `  ${name()}("${d.pick(['%d items\\n', 'done', 'error: \\"%s\\"', 'x = %f, y = %f'])}", ${value()});`;
    case 2:
      return '    }';
    case 3:
      return `  if (${name()} ${operator()} ${value()} && ${name()} ${operator()} ${value()}) {`;
    case 4:
      return `for (int ${name()} = 0; ${name()} < ${name()}; ++${name()})`;
    case 5:
      return `  return ${value()}; /* ${d.pick(['never', 'see above', 'the rest'])} */`;
    case 6:
      return d.chance(0.2) ? `"not closed` : `case '${d.pick(['a', 'x', '\\n', '0'])}':`;
    default:
      return `  ${name()}->${name()} = ${value()} ${operator()} ${name()}[${value()}];`;
  }
}

const KEYWORDS = ['if', 'for', 'int', 'return', 'case', 'while', 'else', 'const'];

function multiplicative(word: string): number {
  let hash = 0;
  for (const byte of latin1(word)) hash = (Math.imul(hash, 31) + byte) >>> 0;
  return hash;
}

/** An address as logs and lists have them; some are wrong. */
function address(d: Inputs): string {
  if (d.chance(0.6)) {
    const parts = Array.from({ length: d.chance(0.04) ? d.pick([3, 5]) : 4 }, () =>
      d.whole(0, d.chance(0.02) ? 400 : 255),
    );
    return parts.join('.') + (d.chance(0.02) ? d.pick(['x', '.', ' ']) : '');
  }
  const group = () => d.whole(0, d.chance(0.3) ? 255 : 65535).toString(16);
  const groups = (count: number) => Array.from({ length: count }, group).join(':');
  const kind = d.fraction();
  if (kind < 0.35) return groups(8);
  if (kind < 0.4) return '::1';
  if (kind < 0.85) return `2001:db8::${groups(d.whole(1, 4))}`;
  if (kind < 0.93) return `${groups(d.whole(1, 4))}::`;
  return d.pick([
    `${groups(3)}:::1`,
    groups(9),
    groups(5),
    `${groups(2)}::${groups(2)}::1`,
    'fe80::g1',
    '12345::1',
    ':1:2',
  ]);
}

export const rocmx: Family = {
  mangled_words: (d) => {
    const [count, ruleCount] = [d.count(60), RULES.length];
    const words = new Uint8Array(16 * count);
    const lengths = Uint8Array.from({ length: count }, () => 4 + d.skewed(9));
    for (let k = 0; k < count; k++)
      words.set(
        Uint8Array.from({ length: lengths[k]! }, (_, at) =>
          d.chance(0.1) ? d.whole(65, 90) : at > 5 && d.chance(0.2) ? d.whole(48, 57) : 97 + d.skewed(25),
        ),
        16 * k,
      );
    const rules = new Uint8Array(8 * ruleCount);
    RULES.forEach((rule, k) => rules.set(ruleBytes(rule), 8 * k));
    const wanted = d.uints(500).sort();
    const n = count * ruleCount;
    const outs = [out.u32(n), out.i32(500)];
    return line(n, 64, ...outs, words, lengths, rules, wanted, i32(500), i32(ruleCount), i32(n));
  },
  base58_encode: (d) => {
    const n = d.count(560);
    const payload = d.bytes(25 * n);
    // Versions: mostly zero.
    for (let k = 0; k < n; k++)
      for (let zeros = d.chance(0.7) ? 1 + d.skewed(3) : 0; zeros > 0; zeros--) payload[25 * k + zeros - 1] = 0;
    const alphabet = latin1('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
    return line(n, 64, out.u8(40 * n), out.u8(n), payload, alphabet, i32(n));
  },
  narrow_text: (d) => {
    const [n, room] = [d.count(700), 120];
    const starts = [0];
    const units: number[] = [];
    for (let k = 0; k < n; k++) {
      const script = d.pick([0, 0, 0, 1, 2, 3]);
      for (let length = d.whole(8, 40); length > 0; length--) {
        if (d.chance(script === 0 ? 0.97 : 0.2)) units.push(d.whole(32, 126));
        else if (script === 1) units.push(d.whole(0x410, 0x44f));
        else if (script === 2) units.push(d.whole(0x4e00, 0x9fff));
        else if (script === 3) {
          units.push(d.whole(0xd83c, 0xd83e));
          if (!d.chance(0.05)) units.push(d.whole(0xdc00, 0xdfff));
        } else units.push(d.whole(0xc0, 0xff));
      }
      starts.push(units.length);
    }
    const outs = [out.u8(n * room), out.i32(n), out.i32(1)];
    return line(n, 64, ...outs, Uint16Array.from(units), Int32Array.from(starts), i32(room), i32(n));
  },
  curve_sums: (d) => {
    const n = d.count(1000);
    const [ax, ay, bx, by] = [0, 1, 2, 3].map(() => d.uints(n, 0, PRIME - 1)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    for (let k = 0; k < n; k++) {
      const kind = d.fraction();
      if (kind < 0.12) [ax[k], ay[k]] = [2 ** 32 - 1, 2 ** 32 - 1];
      else if (kind < 0.16) [bx[k], by[k]] = [2 ** 32 - 1, 2 ** 32 - 1];
      else if (kind < 0.45) [bx[k], by[k]] = [ax[k]!, ay[k]!];
      else if (kind < 0.48) [bx[k], by[k]] = [ax[k]!, PRIME - ay[k]!];
    }
    return line(n, 64, out.u32(n), out.u32(n), ax, ay, bx, by, u32(7), i32(n));
  },
  photon_transport: (d) => {
    const [n, side] = [d.count(700), 12];
    const voxels = new Uint8Array(side ** 3);
    for (let k = 0; k < voxels.length; k++) {
      const [x, y, z] = [k % side, Math.floor(k / side) % side, Math.floor(k / side / side)];
      const far = (x - 5.5) ** 2 + (y - 5.5) ** 2;
      // Soft tissue, a bone, air in a lung.
      voxels[k] = far > 30 ? 0 : (x - 4) ** 2 + (z - 6) ** 2 < 5 ? 2 : z > 7 && far < 9 ? 0 : 1;
    }
    const attenuation = Float32Array.from({ length: 24 }, (_, k) => [0.01, 0.45, 0.9][k >> 3]! / (1 + 0.3 * (k & 7)));
    const shares = new Float32Array(48);
    for (let k = 0; k < 24; k++) {
      const absorbed = [0.2, 0.25, 0.45][k >> 3]! / (1 + (k & 7));
      shares.set([absorbed, 1 - 0.12 / (1 + (k & 7))], 2 * k);
    }
    const outs = [out.i32(side ** 3), out.i32(n)];
    return line(n, 64, ...outs, d.uints(n), voxels, attenuation, shares, f32(0.3), f32(0.9), i32(side), i32(n));
  },
  queens_below: (d) => {
    const n = d.count(729);
    return line(n, 64, out.i32(n), out.i32(n), i32(9), i32(Math.min(n, 729)));
  },
  falling_sand: (d) => {
    const [w, h] = [d.side(96), d.side(88)];
    const ground = d.picture(w, h);
    const cells = Uint8Array.from({ length: w * h }, (_, k) => {
      const [x, y] = [k % w, Math.floor(k / w)];
      if (ground[k]! > 0.82 || (y % 29 === 20 && x % 23 < 14)) return 3;
      const full = y / h + 0.4 * d.fraction();
      return full > 0.75 ? 1 : d.chance(0.25) ? 2 : d.chance(0.15) ? 1 : 0;
    });
    return plane([Math.floor(w / 2), Math.floor(h / 2)], [16, 8], inOut(cells), u32(1), i32(w), i32(h));
  },
  lattice_points: (d) => {
    const n = d.count(1200);
    return line(n, 128, { contents: new Int8Array(8 * n) }, out.f32(n), d.normals(8 * n, 0, 2), i32(n));
  },
  stiff_oscillators: (d) => {
    const n = d.count(700);
    // A sweep of a parameter, from hardly to very stiff.
    const stiffness = Float32Array.from({ length: n }, (_, k) => 0.5 + 40 * (k / n) ** 3);
    const outs = [inOut(d.floats(n, -2, 2)), inOut(d.floats(n, -1, 1)), out.i32(n), out.i32(n)];
    return line(n, 64, ...outs, stiffness, f32(3), f32(0.004), i32(n));
  },
  cubic_roots: (d) => {
    const n = d.count(1500);
    const coefficients = new Float32Array(4 * n);
    for (let k = 0; k < n; k++) {
      const kind = d.fraction();
      const [p, q, r] = [d.real(-3, 3), d.real(-3, 3), d.real(-3, 3)];
      const lead = kind > 0.92 ? 0 : d.real(0.5, 2);
      // From three roots, from any numbers, or of a lower degree.
      const values =
        kind < 0.5 ? [1, -p - q - r, p * q + q * r + r * p, -p * q * r] : [lead, kind > 0.97 ? 0 : p, q, r];
      values.forEach((value, c) => (coefficients[c * n + k] = value));
    }
    return line(n, 128, out.f32(3 * n), out.u8(n), coefficients, i32(n));
  },
  monotone_spline: (d) => {
    const [n, each, knots] = [d.count(800), 6, 24];
    let [at, height] = [0, 0];
    const x = Float32Array.from({ length: knots }, () => (at += d.real(0.3, 2)));
    const y = Float32Array.from({ length: knots }, () => (height += d.chance(0.2) ? -d.real(0, 1) : d.real(0, 2)));
    const queries = new Float32Array(n * each);
    for (let k = 0; k < n; k++) {
      // Times of a track: they go on slowly.
      let t = d.real(-2, at + 2);
      for (let q = 0; q < each; q++) queries[q * n + k] = t += d.chance(0.1) ? d.real(-5, 5) : 0.3 * d.fraction();
    }
    return line(n, 64, out.f32(n * each), out.i32(n), queries, x, y, i32(knots), i32(each), i32(n));
  },
  lambert_branches: (d) => {
    const n = d.count(900);
    const x = Float64Array.from({ length: n }, () => {
      const kind = d.fraction();
      return kind < 0.02 ? -0.5 : kind < 0.5 ? d.real(-0.3678, 0) : kind < 0.8 ? d.real(0, 3) : d.real(3, 200);
    });
    return line(n, 64, inOut(new Float64Array(n)), out.i32(n), x, d.flags(n, 0.3), i32(n));
  },
  zone_offsets: (d) => {
    const n = d.count(2200);
    const rules = [[1, 3, 5, 10, 5, 2], [-5, 3, 2, 11, 1, 2], [10, 10, 1, 4, 1, 2], [9], [0], [-8, 3, 2, 11, 1, 2]];
    const rule = new Int8Array(8 * rules.length);
    const starts = [0];
    const changes: number[] = [];
    const minutes: number[] = [];
    rules.forEach((each, zone) => {
      rule.set(each, 8 * zone);
      rule[8 * zone + 7] = Number(each.length > 1);
      if (each.length > 1)
        for (let year = 0; year < 37; year++)
          for (const [summer, day] of [
            [1, 85 + d.whole(0, 6)],
            [0, 300 + d.whole(0, 6)],
          ] as const) {
            changes.push(year * 31556952 + day * 86400);
            minutes.push((each[0]! + summer) * 60);
          }
      starts.push(changes.length);
    });
    // Mostly of late.
    const seconds = Uint32Array.from({ length: n }, () =>
      d.chance(0.35) ? d.whole(100000, 1160000000) : d.whole(1200000000, 1800000000),
    );
    const zone = Uint8Array.from({ length: n }, () => d.pick([0, 0, 0, 1, 1, 2, 3, 4, 5]));
    return line(
      n,
      128,
      out.i32(n),
      out.u8(n),
      seconds,
      zone,
      Int32Array.from(starts),
      Uint32Array.from(changes),
      Int16Array.from(minutes),
      rule,
      i32(n),
    );
  },
  scan_source: (d) => {
    const n = d.count(700);
    const { text, starts } = concatenate(Array.from({ length: n }, () => latin1(source(d))));
    const keywords = Uint32Array.from(KEYWORDS, multiplicative);
    return line(n, 64, out.i32(7 * n), out.u32(n), text, starts, keywords, i32(keywords.length), i32(n));
  },
  parse_addresses: (d) => {
    const n = d.count(900);
    const { text, starts } = concatenate(Array.from({ length: n }, () => latin1(address(d))));
    return line(n, 64, out.u32(4 * n), out.u8(n), text, starts, i32(n));
  },
  gate_timing: (d) => {
    const [n, nets, cells] = [d.count(1300), d.count(900), 5];
    const starts = new Int32Array(n + 1);
    for (let k = 0; k < n; k++) starts[k + 1] = starts[k]! + d.pick([1, 1, 2, 2, 2, 3, 4]);
    const arcs = starts[n]!;
    const from = Int32Array.from({ length: arcs }, () => d.whole(0, nets - 1));
    const sense = new Uint8Array(arcs);
    const cell = new Int32Array(arcs);
    for (let k = 0; k < n; k++) {
      // Inverters and their kind, buffers, exclusive ors.
      const [kind, which] = [d.pick([1, 1, 1, 0, 0, 2]), d.whole(0, cells - 1)];
      sense.fill(kind, starts[k], starts[k + 1]);
      cell.fill(which, starts[k], starts[k + 1]);
    }
    const axes = new Float32Array(12 * cells);
    const tables = new Float32Array(144 * cells);
    for (let c = 0; c < cells; c++) {
      let [slew, load] = [0.01, 0.001];
      for (let k = 0; k < 6; k++) {
        axes[12 * c + k] = slew;
        axes[12 * c + 6 + k] = load;
        slew *= 2.1;
        load *= 2.4;
      }
      for (let k = 0; k < 144; k++)
        tables[144 * c + k] =
          0.01 + 0.3 * axes[12 * c + (Math.floor(k / 6) % 6)]! + 2 * axes[12 * c + 6 + (k % 6)]! + 0.004 * d.fraction();
    }
    const outs = [out.f32(2 * n), out.f32(2 * n)];
    const ins = [d.floats(2 * nets, 0, 1), d.floats(2 * nets, 0.008, 0.5), starts, from, sense, cell];
    const load = Float32Array.from({ length: n }, () => 0.001 + d.skewed(100) / 800);
    return line(n, 128, ...outs, ...ins, load, tables, axes, i32(nets), i32(n));
  },
  contact_pairs: (d) => {
    const [bodies, n] = [d.count(220), d.count(1500)];
    const [place, extent] = [new Float32Array(4 * bodies), new Float32Array(4 * bodies)];
    const shape = Uint8Array.from({ length: bodies }, () => d.pick([0, 0, 0, 1, 2, 2]));
    for (let k = 0; k < bodies; k++) {
      // A heap, body after body along a line, so that neighbours in number are near.
      place.set([0.35 * k + 0.4 * d.normal(), 0.6 * d.normal(), 0.6 * d.normal(), 0], 4 * k);
      extent.set([d.real(0.2, 0.7), d.real(0.2, 0.7), d.real(0.2, 0.7), 0], 4 * k);
    }
    const pairs = new Int32Array(2 * n);
    for (let k = 0; k < n; k++) {
      const first = d.whole(0, bodies - 1);
      pairs.set([first, Math.min(bodies - 1, first + d.whole(1, 5))], 2 * k);
    }
    return line(n, 128, inOut(new Float32Array(4 * n)), out.i32(1), place, extent, shape, pairs, i32(n));
  },
  water_and_walls: (d) => {
    const [columns, rows, spacing] = [d.side(18), d.side(14), 0.5];
    const places: (readonly [x: number, y: number, kind: number])[] = [];
    for (let y = 0.25; y < rows; y += spacing)
      for (let x = 0.25; x < columns; x += spacing) {
        const wall = x < 1 || y < 1 || x > columns - 1;
        if (wall) places.push([x, y, 1]);
        // A dam that has broken.
        else if (x < columns * 0.6 && y < rows * (0.8 - (0.6 * x) / columns))
          places.push([x + 0.1 * d.normal(), y + 0.1 * d.normal(), 0]);
        else if (y < 1.5) places.push([x, y, 2]);
      }
    const inside = places.filter(([x, y]) => x > 0 && y > 0 && x < columns && y < rows);
    const cellOf = ([x, y]: readonly [number, number, number]) => Math.floor(y) * columns + Math.floor(x);
    inside.sort((a, b) => cellOf(a) - cellOf(b));
    const n = inside.length;
    const starts = new Int32Array(columns * rows + 1);
    for (const each of inside) starts[cellOf(each) + 1]!++;
    for (let k = 0; k < columns * rows; k++) starts[k + 1]! += starts[k]!;
    return line(
      n,
      64,
      out.f32(n),
      out.f32(n),
      Float32Array.from(inside, ([x]) => x),
      Float32Array.from(inside, ([, y]) => y),
      d.normals(n),
      d.normals(n),
      d.floats(n, 0.9, 1.2),
      Uint8Array.from(inside, ([, , kind]) => kind),
      starts,
      f32(1),
      f32(50),
      f32(0.2),
      i32(columns),
      i32(rows),
      i32(n),
    );
  },
  pivoted_tridiagonal: (d) => {
    const [n, size] = [d.count(700), 14];
    const middle = d.normals(n * size);
    // Many have a strong diagonal.
    for (let k = 0; k < n; k++)
      if (d.chance(0.5)) for (let row = 0; row < size; row++) middle[row * n + k]! += middle[row * n + k]! < 0 ? -2 : 2;
    const [lower, upper] = [d.normals(n * size), d.normals(n * size)];
    for (let k = 0; k < n; k++) if (d.chance(0.01)) lower[n + k] = middle[k] = 0;
    return line(
      n,
      64,
      inOut(d.normals(n * size)),
      out.u8(n),
      inOut(lower),
      inOut(middle),
      inOut(upper),
      i32(size),
      i32(n),
    );
  },
  simplex_noise: (d) => {
    const [w, h] = [d.side(64), d.side(44)];
    // What is near gets more octaves.
    const finest = Float32Array.from({ length: w * h }, (_, k) => 0.12 + 0.9 * (Math.floor(k / w) / h) ** 2);
    const order = Uint8Array.from(d.permutation(256));
    return plane([w, h], [16, 8], out.f32(w * h), order, f32(0.045), f32(3.7), finest, i32(w), i32(h));
  },
  shared_postings: (d) => {
    const [lists, n] = [150, d.count(700)];
    const starts = [0];
    const postings: number[] = [];
    for (let k = 0; k < lists; k++) {
      let document = 0;
      const length = 2 + d.skewed(90);
      for (let left = length; left > 0; left--) postings.push((document += 1 + d.skewed(Math.floor(2000 / length))));
      starts.push(postings.length);
    }
    const pairs = d.ints(2 * n, 0, lists - 1);
    return line(n, 64, out.i32(n), out.i32(n), Int32Array.from(postings), Int32Array.from(starts), pairs, i32(n));
  },
};
