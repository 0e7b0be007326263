import { f32, groups, i32, inOut, line, out, plane, u32 } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

/** The sixteen bits of a number as half, without what is too small. */
function half(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 255) - 112;
  if (exponent <= 0) return sign;
  return exponent >= 31 ? sign | 0x7c00 : sign | (exponent << 10) | ((bits >>> 13) & 1023);
}

const halves = (length: number, value: (at: number) => number): Uint16Array =>
  Uint16Array.from({ length }, (_, at) => half(value(at)));

/** The upper sixteen bits of a single. */
const brain = (values: Float32Array): Uint16Array =>
  Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16);

/** Frequencies of rotary positions: each is the one before times a constant. */
function frequencies(pairs: number, ratio: number): Float32Array {
  let frequency = 1 / ratio;
  return Float32Array.from({ length: pairs }, () => (frequency *= ratio));
}

/** Probabilities of what comes next: some models are sure, others not. Sums to 1. */
function distribution(d: Inputs, size: number): Float32Array {
  const sharp = d.pick([0.3, 0.6, 0.8, 0.9]);
  let weight = 1;
  const weights = Float32Array.from({ length: size }, () => (weight *= sharp * d.real(0.7, 1.2)) + 1e-4);
  const sum = weights.reduce((all, each) => all + each, 0);
  return weights.map((each) => each / sum);
}

/** Boxes as a detector proposes them: many around few objects. */
function turnedBoxes(d: Inputs, n: number): Float32Array {
  const boxes = new Float32Array(5 * n);
  const objects = Array.from({ length: 12 }, () => [d.real(0, 100), d.real(0, 100), d.real(6, 30), d.real(3, 12)]);
  for (let i = 0; i < n; i++) {
    const [x, y, w, h] = d.pick(objects) as [number, number, number, number];
    boxes.set(
      [x + 2 * d.normal(), y + 2 * d.normal(), w * d.real(0.8, 1.2), h * d.real(0.8, 1.2), d.real(-1.5, 1.5)],
      5 * i,
    );
  }
  return boxes;
}

const LEVELS = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

export const llm: Family = {
  dequantise_by_type: (d) => {
    const [rows, blocks] = [d.count(40), 3];
    const n = rows * blocks * 32;
    const type = Uint8Array.from({ length: rows }, () => d.pick([0, 0, 1, 2, 3]));
    const scales = halves(2 * rows * blocks, (at) => (at % 2 === 0 ? d.real(0.002, 0.05) : d.real(-0.5, 0)));
    const high = d.uints(rows * blocks);
    return line(n, 256, out.f32(n), d.bytes(n), scales, high, type, LEVELS, i32(blocks), i32(n));
  },
  dot_superblocks: (d) => {
    const [rows, blocks] = [d.count(28), 9];
    const all = rows * blocks;
    const steps = halves(2 * all, () => d.real(0.0005, 0.004));
    const x = Int8Array.from({ length: blocks * 256 }, () =>
      Math.max(-127, Math.min(127, Math.round(40 * d.normal()))),
    );
    return groups(
      rows,
      64,
      out.f32(rows),
      d.bytes(all * 128),
      d.bytes(all * 12),
      steps,
      x,
      d.floats(blocks, 0.01, 0.05),
      i32(blocks),
    );
  },
  quantise_best_scale: (d) => {
    const n = d.count(600);
    const values = new Float32Array(16 * n);
    for (let i = 0; i < n; i++) {
      // A few blocks are pruned.
      const size = d.chance(0.08) ? 0 : d.real(0.01, 0.2);
      for (let k = 0; k < 16; k++) values[16 * i + k] = size * d.normal();
    }
    const outs = [{ contents: new Int8Array(16 * n) }, out.f32(n)];
    return line(n, 64, ...outs, values, d.floats(16 * n, 0.1, 2), i32(1), i32(n));
  },
  shift_cached_keys: (d) => {
    const [cells, layers, dimensions] = [d.count(220), 6, 16];
    const n = cells * layers;
    // The first tokens stay, the next ones are gone, the rest moves; other sequences stay.
    const moved = Int32Array.from({ length: cells }, (_, cell) => (cell < 24 || cell % 7 === 6 ? 0 : -64));
    const positions = Int32Array.from({ length: cells }, (_, cell) => (cell >= 24 && cell < 60 ? -1 : cell));
    const narrow = Int8Array.from({ length: n * dimensions }, () => d.whole(-127, 127));
    const wide = halves(n * dimensions, () => d.normal());
    const isNarrow = Uint8Array.from({ length: layers }, (_, layer) => Number(layer % 3 !== 0));
    return line(
      n,
      128,
      inOut(wide),
      inOut(narrow),
      inOut(d.floats(n, 0.005, 0.03)),
      moved,
      positions,
      isNarrow,
      frequencies(dimensions / 2, 0.4),
      i32(cells),
      i32(dimensions),
      i32(n),
    );
  },
  rotary_sections: (d) => {
    const [tokens, heads, pairs] = [d.count(30), 3, 32];
    const n = tokens * heads * pairs;
    const positions = Int32Array.from({ length: 3 * tokens }, (_, k) => {
      const token = k % tokens;
      return k < tokens ? 400 + token : k < 2 * tokens ? Math.floor(token / 6) : token % 6;
    });
    return line(
      n,
      128,
      out.f32(2 * n),
      d.normals(2 * n),
      positions,
      frequencies(pairs, 0.75),
      i32(pairs),
      i32(8),
      i32(12),
      f32(4),
      f32(6.5),
      f32(19.5),
      i32(1),
      i32(tokens),
      i32(n),
    );
  },
  softmax_with_sinks: (d) => {
    const [heads, rows, columns] = [4, d.count(8), 150];
    const mask = halves(rows * columns, (at) => (at % columns < 20 || d.chance(0.03) ? -100000 : -(at % columns) / 16));
    return groups(
      heads * rows,
      64,
      out.f32(heads * rows * columns),
      d.normals(heads * rows * columns, 0, 3),
      mask,
      d.normals(heads),
      Float32Array.of(0, 0.25, 0, 0.0625),
      Uint8Array.of(1, 1, 0, 1),
      f32(0.125),
      i32(1),
      i32(columns),
      i32(rows),
    );
  },
  sampler_chain: (d) => {
    const [n, candidates] = [d.count(900), 24];
    const kind = Uint8Array.from({ length: n }, () => d.pick([0, 1, 1, 1, 2, 3]));
    const setting = Float32Array.from(kind, (each) => (each === 1 ? 0.05 : each === 2 ? 1 : 0.1));
    const probability = new Float32Array(n * candidates);
    for (let i = 0; i < n; i++) probability.set(distribution(d, candidates).sort().reverse(), i * candidates);
    const ids = d.ints(n * candidates, 0, 31999);
    const seeds = d.uints(n, 1);
    return line(n, 64, out.i32(n), out.f32(n), probability, ids, kind, setting, seeds, i32(candidates), i32(n));
  },
  activation_backward: (d) => {
    const n = d.count(3600);
    const channels = 12;
    const kind = Uint8Array.of(0, 2, 3, 1, 4, 2, 5, 0, 3, 1, 2, 4);
    return line(
      n,
      256,
      out.f32(n),
      d.normals(n, 0, 0.1),
      d.normals(n, 0, 2.5),
      kind,
      d.floats(channels, 0.01, 0.3),
      i32(channels),
      i32(n),
    );
  },
  region_align: (d) => {
    const [regions, bins, levels, width] = [d.count(48), 7, 3, 64];
    const widths = Int32Array.of(width, width / 2, width / 4);
    const starts = Int32Array.of(0, width * width, width * width * 1.25);
    const pyramid = d.normals((width * width * 21) / 16);
    const boxes = new Float32Array(4 * regions);
    for (let r = 0; r < regions; r++) {
      const size = 4 + d.skewed(50);
      const [x, y] = [d.real(-4, 60), d.real(-4, 60)];
      boxes.set([x, y, x + size * d.real(0.7, 1.3), y + size * d.real(0.7, 1.3)], 4 * r);
    }
    const n = regions * bins * bins;
    return line(n, 128, out.f32(n), pyramid, starts, widths, boxes, i32(bins), i32(levels), i32(n));
  },
  turned_box_overlap: (d) => {
    const [boxes, n] = [120, d.count(1400)];
    return line(n, 64, out.f32(n), turnedBoxes(d, boxes), d.ints(2 * n, 0, boxes - 1), i32(n));
  },
  ctc_prefixes: (d) => {
    const [samples, most, classes] = [d.count(16), 40, 12];
    const lengths = Array.from({ length: samples }, () => d.whole(4, 26));
    const starts = Int32Array.from({ length: samples + 1 }, (_, k) =>
      lengths.slice(0, k).reduce((sum, length) => sum + length, 0),
    );
    const labels = d.runs(starts[samples]!, 1.2, 1, classes - 1);
    const frames = Int32Array.from(lengths, (length) => Math.min(most, length + d.whole(4, 20)));
    const logs = Float32Array.from({ length: samples * most * classes }, (_, k) =>
      k % classes === 0 ? -d.real(0.1, 2) : d.chance(0.12) ? -d.real(0.2, 1.5) : -d.real(3, 9),
    );
    return groups(samples, 64, out.f32(samples), logs, labels, starts, frames, i32(most), i32(classes));
  },
  resize_by_mode: (d) => {
    const [maps, w, h, inW, inH] = [d.count(7), 30, 22, 17, 13];
    const n = maps * w * h;
    const mode = Uint8Array.from({ length: maps }, () => d.whole(0, 2));
    return line(
      n,
      128,
      out.f32(n),
      d.normals(maps * inW * inH),
      mode,
      d.flags(maps, 0.4),
      i32(inW),
      i32(inH),
      i32(w),
      i32(h),
      i32(n),
    );
  },
  sparse_mask_scores: (d) => {
    const [tokens, width] = [d.side(72), 16];
    const global = Uint8Array.from({ length: tokens }, (_, k) => Number(k < 2 || d.chance(0.02)));
    const random = Uint32Array.from({ length: Math.ceil(tokens / 8) }, () => (1 << d.whole(0, 7)) | 1);
    return plane(
      [tokens, tokens],
      [16, 8],
      out.f32(tokens * tokens),
      out.i32(tokens),
      d.normals(tokens * width),
      d.normals(tokens * width),
      global,
      random,
      i32(5),
      i32(width),
      i32(tokens),
    );
  },
  philox_fill: (d) => {
    const n = d.count(6000);
    const tensors = 24;
    const starts = Int32Array.from({ length: tensors }, () => d.whole(0, n / 4 - 1) * 4).sort();
    starts[0] = 0;
    const kind = Uint8Array.from({ length: tensors }, () => d.whole(0, 3));
    const first = Float32Array.from(kind, (each) => [-0.1, 0, 0.9, 0][each]!);
    const second = Float32Array.from(kind, (each) => [0.1, 0.02, 0, 1000][each]!);
    return line(
      n / 4,
      128,
      out.f32(n),
      starts,
      kind,
      first,
      second,
      u32(d.whole(0, 2 ** 31)),
      u32(7),
      i32(tensors),
      i32(n),
    );
  },
  adam_half_weights: (d) => {
    const n = d.count(3000);
    const gradients = brain(d.normals(n, 0, 20));
    // Overflow in some of them.
    for (let k = 0; k < n; k++) if (d.chance(0.01)) gradients[k] = 0x7f80;
    const group = Uint8Array.from({ length: Math.ceil(n / 64) }, () => d.pick([0, 1, 1, 3]));
    return line(
      n,
      256,
      inOut(brain(d.normals(n, 0, 0.05))),
      inOut(d.normals(n, 0, 0.01)),
      inOut(d.floats(n, 0, 0.001)),
      out.i32(1),
      gradients,
      group,
      f32(0.001),
      f32(0.1),
      f32(1 / 1024),
      u32(d.whole(0, 2 ** 31)),
      i32(n),
    );
  },
  state_space_scan: (d) => {
    const [sequences, channels, length] = [d.count(10), 64, 20];
    const [n, tokens] = [sequences * channels, sequences * length];
    const begins = Uint8Array.from({ length: tokens }, (_, k) => Number(k % length === 0 || d.chance(0.06)));
    const step = Float32Array.from({ length: tokens * channels }, () => (d.chance(0.01) ? 24 : -1 + 2 * d.normal()));
    return line(
      n,
      64,
      out.f32(tokens * channels),
      out.f32(4 * n),
      d.normals(tokens * channels),
      step,
      d.floats(channels * 4, -4, -0.2),
      d.normals(tokens * 4),
      d.normals(tokens * 4),
      d.floats(channels, 0.5, 1.5),
      d.normals(tokens * channels),
      begins,
      i32(1),
      i32(channels),
      i32(length),
      i32(n),
    );
  },
  accept_drafts: (d) => {
    const [n, drafted, vocabulary] = [d.count(640), 4, 16];
    const draft = new Int32Array(n * drafted);
    const drafts = new Float32Array(n * drafted * vocabulary);
    const targets = new Float32Array(n * (drafted + 1) * vocabulary);
    for (let i = 0; i < n; i++)
      for (let k = 0; k <= drafted; k++) {
        const target = distribution(d, vocabulary);
        const turn = d.whole(0, vocabulary - 1);
        const turned = target.map((_, v) => target[(v + turn) % vocabulary]!);
        targets.set(turned, (i * (drafted + 1) + k) * vocabulary);
        if (k === drafted) continue;
        // The small model is mostly near the large one.
        const like = d.chance(0.8) ? turned.map((p) => 0.8 * p + 0.2 / vocabulary) : distribution(d, vocabulary);
        drafts.set(like, (i * drafted + k) * vocabulary);
        let left = d.fraction();
        let token = 0;
        while (token + 1 < vocabulary && left >= like[token]!) left -= like[token++]!;
        draft[i * drafted + k] = token;
      }
    return line(
      n,
      64,
      out.i32(n),
      out.i32(n * (drafted + 1)),
      draft,
      drafts,
      targets,
      d.floats(n * (drafted + 1), 0, 1),
      d.flags(n, 0.4),
      i32(drafted),
      i32(vocabulary),
      i32(n),
    );
  },
  take_with_mode: (d) => {
    const [which, rows, width] = [d.count(300), 64, 12];
    const n = which * width;
    const indices = Int32Array.from({ length: which }, () =>
      d.chance(0.75) ? d.whole(-rows, rows - 1) : d.whole(-3 * rows, 3 * rows),
    );
    const mode = Uint8Array.from({ length: Math.ceil(which / 16) }, () => d.whole(0, 2));
    return line(
      n,
      128,
      out.f32(n),
      out.i32(1),
      d.normals(rows * width),
      indices,
      mode,
      f32(-1),
      i32(rows),
      i32(width),
      i32(n),
    );
  },
};
