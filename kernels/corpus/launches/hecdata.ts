import type { Family } from '../family.js';
import { concatenate, latin1, type Inputs } from '../inputs.js';
import { i32, inOut, line, out, plane, u32 } from '../launch.js';

const texts = (d: Inputs, n: number, length: () => number): Uint8Array[] =>
  Array.from({ length: n }, () => d.prose(length()));

function fowler(word: string): number {
  let hash = 2166136261;
  for (const byte of latin1(word)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return hash;
}

/** Bits that are kept: eight flags, then letters, or distances and lengths. */
function lzss(text: Uint8Array): Uint8Array {
  const packed: number[] = [];
  let [at, flag, bit] = [0, 0, 8];
  while (at < text.length) {
    if (bit === 8) {
      [flag, bit] = [packed.length, 0];
      packed.push(0);
    }
    let [length, distance] = [0, 0];
    for (let back = 1; back <= at; back++) {
      let same = 0;
      while (same < 18 && at + same < text.length && text[at + same - back] === text[at + same]) same++;
      if (same > length) [length, distance] = [same, back];
    }
    if (length >= 3) {
      const pair = ((distance - 1) << 4) | (length - 3);
      packed.push(pair & 255, pair >> 8);
      at += length;
    } else {
      packed[flag]! |= 1 << bit;
      packed.push(text[at++]!);
    }
    bit++;
  }
  return Uint8Array.from(packed);
}

const parity = (word: number): number => {
  let odd = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) odd ^= 1;
  return odd;
};

/** What a program logs: flat, with now and then something nested, in changing order. */
function record(d: Inputs): string {
  const word = (): string => latin1Text(d.prose(d.whole(3, 12))).replace(/\n/g, '\\n');
  const scalar = (): string => {
    switch (d.whole(0, 5)) {
      case 0:
        return `"${word()}${d.chance(0.2) ? '\\"' : ''}"`;
      case 1:
        return d.pick(['true', 'false', 'null']);
      case 2:
        return `-${d.whole(0, 999)}.${d.whole(0, 9999)}`;
      default:
        return `${d.whole(0, 99999)}`;
    }
  };
  const list = (): string => `[${Array.from({ length: d.whole(1, 4) }, scalar).join(',')}]`;
  const nested = (): string => `{"id": ${scalar()}, "v": ${scalar()}${d.chance(0.4) ? ', "at": ' + list() : ''}}`;
  const any = (): string => (d.chance(0.75) ? scalar() : d.chance(0.5) ? list() : nested());
  const members = [`"id": ${d.whole(1, 9999)}`, `"name": "${word()}"`, `"sub": ${any()}`];
  if (d.chance(0.85)) members.splice(d.whole(0, 3), 0, `"v": ${any()}`);
  return `{${members.join(', ')}}`;
}

const latin1Text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export const hecdata: Family = {
  rainflow_cycles: (d) => {
    const [n, length] = [d.count(512), 40];
    const loads = new Float32Array(length * n);
    for (let i = 0; i < n; i++) {
      const [level, size] = [d.real(-1, 1), d.real(0.4, 1.6)];
      let slow = level;
      for (let k = 0; k < length; k++) {
        if (d.chance(0.1)) slow = level + d.real(-1.5, 1.5);
        if (k > 0 && d.chance(0.15)) loads[k * n + i] = loads[(k - 1) * n + i]!;
        else loads[k * n + i] = slow + size * d.normal();
      }
    }
    return line(n, 64, out.f32(n), out.i32(n), out.i32(n), loads, i32(length), i32(n));
  },
  tokenise_words: (d) => {
    const [n, most] = [d.count(600), 32];
    const { text, starts } = concatenate(texts(d, n, () => 20 + d.skewed(70)));
    const keys = new Uint32Array(2048);
    const ids = new Int32Array(keys.length);
    // Most words of the texts, and their syllables.
    const words = latin1Text(text).match(/[a-z]+/g)!;
    for (const word of words)
      for (const entry of d.chance(0.5) ? [word] : [word.slice(0, 3), word.slice(3, 6)]) {
        if (entry === '' || ids.filter((id) => id !== 0).length > 1200) continue;
        const hash = fowler(entry);
        let at = hash & 2047;
        while (keys[at] !== 0 && keys[at] !== hash) at = (at + 1) & 2047;
        keys[at] = hash;
        ids[at] = 100 + at;
      }
    return line(n, 128, out.i32(n * most), out.i32(n), text, starts, keys, ids, u32(2047), i32(most), i32(n));
  },
  lzss_decode: (d) => {
    const [n, room] = [d.count(600), 128];
    const vocabulary = latin1Text(d.prose(200)).split(' ');
    const packed = Array.from({ length: n }, () => {
      let text = '';
      const length = d.whole(40, 128);
      while (text.length < length) text += d.pick(vocabulary) + ' ';
      return lzss(latin1(text.slice(0, length)));
    });
    const { text, starts } = concatenate(packed);
    // Some streams are damaged.
    for (let k = 0; k < n; k++) if (d.chance(0.03)) text[starts[k]!] = 0;
    return line(n, 64, out.u8(n * room), out.i32(n), text, starts, i32(room), i32(n));
  },
  fpc_encode: (d) => {
    const [n, length] = [d.count(512), 20];
    const values = new Float64Array(n * length);
    for (let i = 0; i < n; i++) {
      const [kind, step] = [d.whole(0, 3), d.whole(1, 16) / 16];
      let value = d.whole(-400, 400) / 4;
      for (let k = 0; k < length; k++) {
        // Counters, plateaus, measurements of few digits, and noise.
        if (kind === 0) value += step;
        else if (kind === 1) value = d.chance(0.2) ? d.whole(0, 50) : value;
        else if (kind === 2) value += d.whole(-8, 8) / 32;
        else value += 0.001 * d.normal();
        values[i * length + k] = value;
      }
    }
    const words = new BigUint64Array(values.buffer);
    return line(n, 64, out.u8(n * length), out.u8(8 * n * length), out.i32(n), words, i32(length), i32(n));
  },
  ldpc_check_nodes: (d) => {
    const n = d.count(2000);
    const starts = new Int32Array(n + 1);
    for (let k = 0; k < n; k++) starts[k + 1] = starts[k]! + d.pick([3, 3, 6, 7, 7, 10]);
    const beliefs = Int32Array.from({ length: starts[n]! }, () => {
      const size = Math.min(127, Math.max(0, Math.round(20 + 14 * d.normal())));
      return d.chance(0.5) ? size : -size;
    });
    return line(n, 256, out.i32(beliefs.length), out.u8(n), beliefs, starts, i32(4), i32(n));
  },
  viterbi_frames: (d) => {
    const [blocks, most] = [d.count(14), 40];
    const frames = 4 * blocks;
    const symbols = new Int8Array(frames * most * 2);
    const lengths = Int32Array.from({ length: frames }, () => d.pick([16, 24, 40, 40]));
    for (let frame = 0; frame < frames; frame++) {
      const punctured = d.chance(0.5);
      let word = 0;
      for (let k = 0; k < lengths[frame]!; k++) {
        word = ((word << 1) | d.whole(0, 1)) & 31;
        for (const [at, taps] of [0x13, 0x1d].entries()) {
          const sent = parity(word & taps) === 1 ? 32 : -32;
          const missing = punctured && k % 3 === 2 && at === 1;
          symbols[(frame * most + k) * 2 + at] = missing
            ? 0
            : Math.max(-127, Math.min(127, Math.round(sent + 18 * d.normal())));
        }
      }
    }
    return line(64 * blocks, 64, out.u8(frames * most), out.i32(frames), symbols, lengths, i32(most));
  },
  window_entropy: (d) => {
    const [w, h] = [d.side(66), d.side(38)];
    return plane([w, h], [32, 4], out.f32(w * h), d.greyPicture(w, h), i32(w), i32(h));
  },
  epistasis_pairs: (d) => {
    const [markers, words] = [Math.min(63, d.side(46)), 3];
    const planes = (shift: number): Uint32Array => {
      const bits = new Uint32Array(markers * 2 * words);
      for (let marker = 0; marker < markers; marker++)
        for (let k = 0; k < words; k++)
          for (let bit = 0; bit < 32; bit++) {
            const common = marker % 9 === 4 ? 0.7 - shift : 0.7;
            const alleles = Number(!d.chance(common)) + Number(!d.chance(common));
            if (alleles < 2) bits[(marker * 2 + alleles) * words + k]! |= 1 << bit;
          }
      return bits;
    };
    const cases = planes(0.25);
    return plane(
      [markers, markers],
      [16, 8],
      out.f32(markers * markers),
      out.u32(1),
      cases,
      planes(0),
      i32(words),
      i32(markers),
    );
  },
  keccak_messages: (d) => {
    const n = d.count(512);
    const { text, starts } = concatenate(texts(d, n, () => (d.chance(0.7) ? d.whole(4, 50) : d.whole(50, 150))));
    return line(n, 64, out.u32(4 * n), text, starts, i32(n));
  },
  json_member: (d) => {
    const n = d.count(600);
    const { text, starts } = concatenate(Array.from({ length: n }, () => latin1(record(d))));
    const key = Math.imul(5381, 33) + 'v'.charCodeAt(0);
    return line(n, 64, out.u8(n), out.i32(n), text, starts, u32(key), i32(n));
  },
  weeks_and_holidays: (d) => {
    const n = d.count(2500);
    const days = Int32Array.from({ length: n }, () => {
      const day = d.whole(3650, 23000);
      // More around the turn of the year, as bookings are.
      return d.chance(0.2) ? Math.floor(Math.round(day / 365.2425) * 365.2425) + d.whole(-6, 6) : day;
    });
    const region = Uint8Array.from(d.runs(n, 20, 0, 2));
    return line(n, 256, out.i32(n), out.u8(n), days, region, i32(n));
  },
  quick_select_rows: (d) => {
    const [n, length] = [d.count(512), 31];
    const rows = Int32Array.from({ length: n * length }, () => d.skewed(2000));
    const wanted = Int32Array.from({ length: n }, () => (d.chance(0.6) ? 15 : d.whole(0, length - 1)));
    return line(n, 64, inOut(rows), out.i32(n), wanted, i32(length), i32(n));
  },
  segmented_sums: (d) => {
    const n = d.count(2300);
    const blocks = Math.ceil(n / 128);
    const first = new Int32Array(blocks).fill(128);
    const heads = Uint8Array.from(d.flags(n, 0.06));
    // Long segments in between.
    const from = d.whole(0, n - 1);
    heads.fill(0, from, from + 300);
    return line(n, 128, out.i32(n), out.i32(blocks), inOut(first), d.ints(n, 0, 100), heads, i32(n));
  },
};
