/**
 * What some kernels of the corpus must leave in their output buffers, written from what they are to compute and in
 * another way than they do, where there is one. The others are compared with themselves only: melded with unmelded.
 */
import type { Argument, Elements, Output, Scalar } from './launch.js';

/** From the arguments to the contents of the output buffers, in their order. */
export type CorpusReference = (args: readonly Argument[]) => readonly Elements[];

/** The buffer of an argument, which is an input or an output. */
const buffer = <T extends Elements>(args: readonly Argument[], at: number): T => {
  const argument = args[at]!;
  return ('contents' in argument ? argument.contents : argument) as T;
};
const ints = (args: readonly Argument[], at: number): Int32Array => buffer(args, at);
const floats = (args: readonly Argument[], at: number): Float32Array => buffer(args, at);
const bytes = (args: readonly Argument[], at: number): Uint8Array => buffer(args, at);
const words = (args: readonly Argument[], at: number): Uint32Array => buffer(args, at);
const value = (args: readonly Argument[], at: number): number => (args[at] as Scalar).value;
const length = (args: readonly Argument[], at: number): number => (args[at] as Output).contents.length;

/** Calls `text` with each piece of a text and collects numbers. */
const pieces = <T>(text: Uint8Array, starts: Int32Array, each: (piece: Uint8Array) => T): T[] =>
  Array.from({ length: starts.length - 1 }, (_, i) => each(text.subarray(starts[i], starts[i + 1])));

const latin1 = (piece: Uint8Array): string => Buffer.from(piece).toString('latin1');

/** The number of code points, or -1 where the bytes are not valid. */
function codePoints(piece: Uint8Array): number {
  try {
    // Without `ignoreBOM`, a byte order mark at the beginning would not count.
    return [...new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(piece)].length;
  } catch {
    return -1;
  }
}

function parseInteger(piece: Uint8Array): { value: number; error: number } {
  const [, sign, hex, rest] = /^([-+]?)(0x(?=.))?(.*)$/s.exec(latin1(piece))!;
  if (rest === '') return { value: 0, error: 1 };
  const digits = (hex === undefined ? /^[0-9]*/ : /^[0-9a-f]*/).exec(rest!)![0];
  const magnitude = digits === '' ? 0n : BigInt((hex ?? '') + digits);
  const error = digits === rest ? 0 : hex === undefined ? 3 : 2;
  return { value: Number(BigInt.asIntN(32, sign === '-' ? -magnitude : magnitude)), error };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (exponent === 0n) return 1n;
  const half = power(base, exponent / 2n, modulus);
  return (half * half * (exponent % 2n === 1n ? base : 1n)) % modulus;
}

/** In double precision, for the distance of two words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, k) => k);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let k = 0; k < b.length; k++)
      next.push(Math.min(row[k]! + (letter === b[k] ? 0 : 1), row[k + 1]! + 1, next[k]! + 1));
    row = next;
  }
  return row[b.length]!;
}

/** Where half-words of 16 bits are summed and what overflows is added again, that is the remainder by 65535. */
function onesComplementSum(packet: Uint8Array, protocol: number): number {
  const sum = packet.reduce((all, byte, at) => all + byte * (at % 2 === 0 ? 256 : 1), protocol + packet.length);
  return 65535 - (sum % 65535 || 65535);
}

/** The remainder of the reversed bits by Castagnoli's polynomial, with the usual inversions at both ends. */
function crc32c(packet: Uint8Array): number {
  const bits = Array.from(packet, (byte) => byte.toString(2).padStart(8, '0').split('').reverse().join('')).join('');
  let rest = (BigInt(`0b0${bits}`) << 32n) ^ (0xffffffffn << BigInt(bits.length));
  for (let at = BigInt(bits.length) + 31n; at >= 32n; at--) if ((rest >> at) & 1n) rest ^= 0x11edc6f41n << (at - 32n);
  const mirrored = (rest ^ 0xffffffffn).toString(2).padStart(32, '0').split('').reverse().join('');
  return Number.parseInt(mirrored, 2);
}

const LETTER_OF_BASE64 = /[A-Za-z0-9+/]/;

/** Three bytes of four letters, or the number of those that are none. */
function base64Quad(quad: string): Uint8Array | number {
  const wrong = [...quad].filter((letter) => !LETTER_OF_BASE64.test(letter)).length;
  const isEnd = quad[3] === '=' && LETTER_OF_BASE64.test(quad[0]!) && LETTER_OF_BASE64.test(quad[1]!);
  if (wrong > 0 && !isEnd) return wrong;
  const third = LETTER_OF_BASE64.test(quad[2]!) ? quad[2]! : 'A';
  const [a, b, c] = Buffer.from(quad.slice(0, 2) + third + (isEnd ? 'A' : quad[3]!), 'base64');
  return Uint8Array.of(a!, b!, isEnd ? 0 : c!);
}

/** A word of a dictionary after the rules of hashcat that the kernel knows. */
const RULES: Readonly<Record<string, (word: string) => string>> = {
  l: (word) => word.toLowerCase(),
  u: (word) => word.toUpperCase(),
  r: (word) => [...word].reverse().join(''),
  $: (word) => `${word}1`.slice(0, 16),
  '[': (word) => word.slice(1),
};

function digestOf(word: string): number {
  const block = new Uint32Array(Uint8Array.from(Buffer.from(word.padEnd(16, '\0'), 'latin1')).buffer);
  block[3]! ^= word.length;
  let [a, b, c, d] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let k = 0; k < 32; k++) {
    const [isFirst, early] = [k < 16, block[k % 4]!];
    const mixed = isFirst ? (b & c) | (~b & d) : (d & b) | (~d & c);
    const sum = (a + mixed + (isFirst ? early : block[(5 * k + 1) % 4]!) + 0x5a827999) >>> 0;
    const turn = isFirst ? 7 : 5;
    [a, b, c, d] = [d, (b + ((sum << turn) | (sum >>> (32 - turn)))) >>> 0, b, c];
  }
  return (a ^ b ^ c ^ d) >>> 0;
}

const sortedCopy = (values: Int32Array): Int32Array => values.slice().sort();

export const CORPUS_REFERENCES: Readonly<Record<string, CorpusReference>> = {
  collatz: (args) => [
    Int32Array.from({ length: length(args, 0) }, (_, i) => {
      let steps = 0;
      for (let n = BigInt(value(args, 1) + i); n !== 1n; n = n % 2n === 1n ? 3n * n + 1n : n / 2n) steps++;
      return steps;
    }),
  ],
  binary_gcd: (args) => [words(args, 1).map((a, i) => greatestCommonDivisor(a, words(args, 2)[i]!))],
  power_montgomery: (args) => {
    const modulus = BigInt(value(args, 4));
    // Both base and result are in Montgomery's form: times 2³².
    const inverse = power(2n ** 32n % modulus, modulus - 2n, modulus);
    return [
      words(args, 1).map((base, i) => {
        const plain = power((BigInt(base) * inverse) % modulus, BigInt(words(args, 2)[i]!), modulus);
        return Number((plain * 2n ** 32n) % modulus);
      }),
    ];
  },
  convert_units: (args) => {
    const units = ints(args, 2).map((_, i) => [7, 12, 60][bytes(args, 3)[i]!]!);
    return [ints(args, 2).map((v, i) => Math.floor(v / units[i]!)), ints(args, 2).map((v, i) => v % units[i]!)];
  },
  add_months: (args) => [
    ints(args, 1).map((date, i) => {
      const month = Math.floor(date / 10000) * 12 + (Math.floor(date / 100) % 100) - 1 + ints(args, 2)[i]!;
      const [year, of] = [Math.floor(month / 12), month % 12];
      const last = new Date(Date.UTC(year, of + 1, 0)).getUTCDate();
      return year * 10000 + (of + 1) * 100 + Math.min(date % 100, last);
    }),
  ],
  working_days: (args) => [
    ints(args, 1).map((from, i) => {
      const to = ints(args, 2)[i]!;
      const holidays = Array.from(ints(args, 3));
      let days = 0;
      for (let day = Math.min(from, to); day < Math.max(from, to); day++)
        if (day % 7 < 5) days += 1 - holidays.filter((holiday) => holiday === day).length;
      return from > to ? -days : days;
    }),
  ],
  parse_instants: (args) => [
    Int32Array.from({ length: length(args, 0) }, (_, i) => {
      const text = latin1(bytes(args, 1).subarray(20 * i, 20 * i + 20));
      const time = Date.parse(text);
      // An engine takes the 30th of February for the 1st of March.
      return Number.isNaN(time) || new Date(time).getUTCDate() !== Number(text.slice(8, 10)) ? -1 : time / 1000;
    }),
  ],
  parse_integers: (args) => {
    const parsed = pieces(bytes(args, 2), ints(args, 3), parseInteger);
    return [Int32Array.from(parsed, ({ value }) => value), Uint8Array.from(parsed, ({ error }) => error)];
  },
  utf8_validate: (args) => [Int32Array.from(pieces(bytes(args, 1), ints(args, 2), codePoints))],
  csv_fields: (args) => {
    const lines = pieces(bytes(args, 2), ints(args, 3), latin1);
    const withoutQuoted = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, 'q'));
    return [
      Int32Array.from(withoutQuoted, (line) => line.split(',').length),
      Int32Array.from(withoutQuoted, (line) => line.split('q').length - 1),
    ];
  },
  title_case: (args) => {
    const text = latin1(bytes(args, 1));
    const cased = text.replace(/[A-Za-z]/g, (letter, at: number) =>
      at === 0 || ' \n.'.includes(text[at - 1]!) ? letter.toUpperCase() : letter.toLowerCase(),
    );
    return [Uint8Array.from(Buffer.from(cased, 'latin1'))];
  },
  match_wildcards: (args) => {
    const pattern = latin1(bytes(args, 3)).replaceAll('?', '.').replaceAll('*', '.*');
    return [
      Uint8Array.from(
        pieces(bytes(args, 1), ints(args, 2), (each) => +new RegExp(`^${pattern}$`, 's').test(latin1(each))),
      ),
    ];
  },
  run_automaton: (args) => {
    const accepted = pieces(bytes(args, 2), ints(args, 3), (each) => +/^ *[0-9]+(\.[0-9]+)? *$/.test(latin1(each)));
    // How far the automaton came is left to the comparison of both versions.
    return [Uint8Array.from(accepted)];
  },
  edit_distance: (args) => {
    const width = value(args, 4);
    const query = latin1(bytes(args, 2));
    return [
      Int32Array.from({ length: length(args, 0) }, (_, i) =>
        editDistance(latin1(bytes(args, 1).subarray(i * width, (i + 1) * width)).replace(/\0.*$/s, ''), query),
      ),
    ];
  },
  rank_sort: (args) => [sortedCopy(ints(args, 1))],
  merge_by_rank: (args) => [sortedCopy(Int32Array.from([...ints(args, 1), ...ints(args, 2)]))],
  merge_path: (args) => [sortedCopy(Int32Array.from([...ints(args, 1), ...ints(args, 2)]))],
  insertion_lists: (args) => [
    Int32Array.from(
      Array.from({ length: value(args, 2) }, (_, i) => [
        ...ints(args, 0)
          .slice(ints(args, 1)[i], ints(args, 1)[i + 1])
          .sort(),
      ]).flat(),
    ),
  ],
  life_torus: (args) => {
    const [now, width, height] = [bytes(args, 1), value(args, 2), value(args, 3)];
    return [
      now.map((alive, i) => {
        let around = 0;
        for (const dy of [height - 1, height, height + 1])
          for (const dx of [width - 1, width, width + 1])
            around += now[((Math.floor(i / width) + dy) % height) * width + (((i % width) + dx) % width)]!;
        // The cell itself is among them.
        return Number(around === 3 || (alive === 1 && around === 4));
      }),
    ];
  },
  csr_scalar: (args) => [
    Float32Array.from({ length: length(args, 0) }, (_, row) => {
      let sum = 0;
      for (let k = ints(args, 1)[row]!; k < ints(args, 1)[row + 1]!; k++)
        sum = Math.fround(sum + Math.fround(floats(args, 3)[k]! * floats(args, 4)[ints(args, 2)[k]!]!));
      return sum;
    }),
  ],
  triangles_search: (args) => [
    ints(args, 1).map((from, e) => {
      const of = (node: number) => ints(args, 4).subarray(ints(args, 3)[node], ints(args, 3)[node + 1]);
      return of(from).filter((node) => of(ints(args, 2)[e]!).includes(node)).length;
    }),
  ],
  components_jump: (args) => [
    ints(args, 1).map((_, node) => {
      while (ints(args, 1)[node] !== node) node = ints(args, 1)[node]!;
      return node;
    }),
  ],
  unpack_bits: (args) => {
    const bits = Array.from(words(args, 1), (word) =>
      word.toString(2).padStart(32, '0').split('').reverse().join(''),
    ).join('');
    const width = value(args, 2);
    return [
      Uint32Array.from({ length: length(args, 0) }, (_, i) =>
        Number.parseInt(
          bits
            .slice(i * width, (i + 1) * width)
            .split('')
            .reverse()
            .join(''),
          2,
        ),
      ),
    ];
  },
  huber_loss: (args) => {
    const delta = value(args, 4);
    const errors = floats(args, 2).map((predicted, i) => predicted - floats(args, 3)[i]!);
    const [inside, linear] = [
      Math.fround(0.5),
      (a: number) => Math.fround(delta * Math.fround(a - Math.fround(0.5 * delta))),
    ];
    return [
      errors.map((e) => (Math.abs(e) <= delta ? Math.fround(Math.fround(inside * e) * e) : linear(Math.abs(e)))),
      errors.map((e) => (Math.abs(e) <= delta ? e : Math.sign(e) * delta)),
    ];
  },
  histogram_bins: (args) => {
    const [sums, peaks] = [new Int32Array(512), new Int32Array(512)];
    for (const [i, v] of bytes(args, 2).entries()) {
      const [channel, weight] = bytes(args, 3)[i] === 1 ? [0, Math.max(255 - v, 1)] : [256, Math.max(v, 1)];
      const beside = channel + ((v + 1) % 256);
      sums[channel + v]! += weight;
      peaks[beside] = Math.max(peaks[beside]!, weight >> 1);
    }
    return [sums, peaks];
  },
  overlay_logo: (args) => {
    const [picture, logo] = [bytes(args, 1), bytes(args, 2)];
    const [width, , left, top, logoWidth, logoHeight] = [3, 4, 5, 6, 7, 8].map((at) => value(args, at));
    return [
      picture.map((below, i) => {
        const [u, v] = [((i >> 2) % width!) - left!, Math.floor((i >> 2) / width!) - top!];
        const isWithin = (shift: number, grown: number): boolean =>
          u >= shift && v >= shift && u < logoWidth! + grown && v < logoHeight! + grown;
        if (!isWithin(0, 0)) return isWithin(2, 4) ? below - (below >> 2) : below;
        const at = 4 * (v * logoWidth! + u);
        const opacity = logo[at + 3]!;
        return Math.round((logo[at + (i & 3)]! * opacity + below * (255 - opacity)) / 255);
      }),
    ];
  },
  rule_words: (args) => [
    Uint32Array.from({ length: length(args, 0) }, (_, i) => {
      const letters = new Uint8Array(words(args, 1).buffer).subarray(16 * i, 16 * i + bytes(args, 2)[i]!);
      const rules = latin1(bytes(args, 3).subarray(3 * i, 3 * i + 3));
      return digestOf([...rules].reduce((word, rule) => RULES[rule]?.(word) ?? word, latin1(letters)));
    }),
  ],
  utf8_widen: (args) => {
    const starts = ints(args, 3);
    const texts = pieces(bytes(args, 2), starts, (piece) => Buffer.from(piece).toString());
    const wide = new Uint16Array(length(args, 0));
    for (const [i, text] of texts.entries())
      for (let k = 0; k < text.length; k++) wide[starts[i]! + k] = text.charCodeAt(k);
    return [wide, Int32Array.from(texts, (text) => text.length)];
  },
  base64_quads: (args) => {
    const quads = latin1(bytes(args, 2))
      .match(/[^]{4}/g)!
      .map(base64Quad);
    const decoded = quads.flatMap((quad) => (typeof quad === 'number' ? [63, 63, 63] : [...quad]));
    const wrong = quads.reduce<number>((all, quad) => all + (typeof quad === 'number' ? quad : 0), 0);
    return [Uint8Array.from(decoded), Int32Array.of(wrong)];
  },
  packet_sums: (args) => [
    Uint32Array.from(
      pieces(bytes(args, 1), ints(args, 2), (packet) => packet),
      (packet, i) => {
        const protocol = bytes(args, 3)[i]!;
        return protocol === 132 ? crc32c(packet) : onesComplementSum(packet, protocol);
      },
    ),
  ],
};
