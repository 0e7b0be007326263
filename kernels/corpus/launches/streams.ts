import { concatenate, halves, latin1, type Inputs } from '../inputs.js';
import { f32, groups, i32, line, out, u32 } from '../launch.js';
import type { Family } from '../family.js';

/** A line of one script; most are Latin. */
function lineOfText(d: Inputs): Uint8Array {
  const length = 5 + d.skewed(60);
  const script = d.fraction();
  if (script < 0.6) return d.prose(length);
  const [low, high] = script < 0.75 ? [0x430, 0x44f] : script < 0.95 ? [0x4e00, 0x9fff] : [0x1f600, 0x1f64f];
  const letters = Array.from({ length }, () => (d.chance(0.15) ? 32 : d.whole(low, high)));
  return Uint8Array.from(Buffer.from(String.fromCodePoint(...letters)));
}

export const streams: Family = {
  rule_words: (d) => {
    const n = d.count(2000);
    const words = new Uint8Array(16 * n);
    const lengths = d.bytes(n, 4, 14);
    for (let k = 0; k < n; k++) {
      const word = latin1('x'.repeat(lengths[k]!)).map(() => d.whole(97, 122));
      if (d.chance(0.3)) word[0]! -= 32;
      words.set(word, 16 * k);
    }
    // Most rules of a list are short: others are filled up with those that do nothing.
    const rules = Uint8Array.from({ length: 3 * n }, () => d.pick([...latin1('::::luu$$r[')]));
    return line(n, 256, out.u32(n), new Uint32Array(words.buffer), lengths, rules, i32(3), i32(n));
  },
  utf8_widen: (d) => {
    const lines = d.count(1500);
    const { text, starts } = concatenate(Array.from({ length: lines }, () => lineOfText(d)));
    return line(lines, 128, out.u16(text.length), out.i32(lines), text, starts, i32(lines));
  },
  base64_quads: (d) => {
    const n = d.count(4000);
    // Messages one after the other, each padded; a few letters are broken.
    let text = '';
    while (text.length < 4 * n) text += Buffer.from(d.prose(d.whole(20, 60))).toString('base64');
    const letters = latin1(text.slice(0, 4 * n)).map((letter) => (d.chance(0.002) ? d.whole(33, 126) : letter));
    return line(n, 256, out.u8(3 * n), out.i32(1), letters, i32(n));
  },
  fft_stage: (d) => {
    const quarter = d.count(32) * 64;
    return line(quarter, 256, out.f32(8 * quarter), d.normals(8 * quarter), i32(64), i32(quarter));
  },
  adpcm_blocks: (d) => {
    const n = d.count(1000);
    const blocks = Uint32Array.from({ length: 5 * n }, (_, k) => {
      if (k % 5 === 0) return (d.whole(0, 88) << 16) | d.whole(0, 65535);
      let word = 0;
      for (let place = 0; place < 8; place++) word = word * 16 + d.skewed(7) + (d.chance(0.5) ? 8 : 0);
      return word;
    });
    return line(n, 64, out.i16(32 * n), blocks, i32(n));
  },
  dynamics_knee: (d) => {
    const n = d.count(4000);
    // Notes that get louder and quieter.
    const envelope = d.picture(n, 1);
    const samples = envelope.map((loud, k) => loud ** 3 * (Math.abs((k % 50) / 25 - 1) * 2 - 1 + 0.1 * d.normal()));
    return line(n, 256, out.f32(n), out.f32(n), samples, f32(-24), f32(12), f32(4), i32(n));
  },
  philox_columns: (d) => {
    const n = d.count(4000);
    // Rows of a table.
    const kinds = [4, 0, 1, 1, 2, 1, 0, 3];
    const columns = Uint8Array.from({ length: n }, (_, k) => kinds[k % kinds.length]!);
    return line(n, 256, out.f32(n), columns, u32(d.whole(1, 2 ** 31)), i32(n));
  },
  viterbi_states: (d) => {
    const [messages, steps] = [d.count(12), 40];
    const symbols = Int8Array.from({ length: 2 * messages * steps }, () => d.pick([-32, 32]) + 12 * d.normal());
    return groups(messages, 64, out.u64(messages * steps), out.i16(64 * messages), symbols, i32(steps));
  },
  soft_bits: (d) => {
    const n = d.count(340) * 12;
    const order = Uint8Array.from(d.runs(n / 12, 4, 1, 3), (half) => 2 * half);
    const symbols = Float32Array.from({ length: 2 * n }, (_, k) => {
      const levels = 2 ** (order[Math.floor(k / 24)]! / 2);
      return (2 * d.whole(0, levels - 1) + 1 - levels) / levels + 0.05 * d.normal();
    });
    return line(n, 256, out.u8(8 * n), halves(symbols), order, f32(20), i32(n));
  },
  packet_sums: (d) => {
    const n = d.count(1500);
    const { text, starts } = concatenate(Array.from({ length: n }, () => d.bytes(20 + d.skewed(100))));
    const protocol = Uint8Array.from({ length: n }, () => d.pick([6, 6, 6, 6, 17, 17, 132]));
    return line(n, 256, out.u32(n), text, starts, protocol, i32(n));
  },
};
