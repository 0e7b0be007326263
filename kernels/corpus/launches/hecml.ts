import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';
import { f32, groups, i32, line, out, plane, u32 } from '../launch.js';

/** The transformed weights of a kernel of three by three. */
function winograd(weights: Float32Array): number[] {
  const rows = [
    [1, 0, 0],
    [0.5, 0.5, 0.5],
    [0.5, -0.5, 0.5],
    [0, 0, 1],
  ];
  return rows.flatMap((left) =>
    rows.map((right) => {
      let sum = 0;
      for (let y = 0; y < 3; y++) for (let x = 0; x < 3; x++) sum += left[y]! * right[x]! * weights[3 * y + x]!;
      return sum;
    }),
  );
}

/** Values of weights: many near zero, a few large. */
const weightsOf = (d: Inputs, n: number, outlier: number): Float32Array =>
  Float32Array.from({ length: n }, () => d.normal() * (d.chance(outlier) ? 8 : 0.3));

export const hecml: Family = {
  winograd_tiles: (d) => {
    const [w, h, channels] = [d.side(71), d.side(47), 3];
    const input = Float32Array.from(Array.from({ length: channels }, () => Array.from(d.picture(w, h))).flat());
    const weights = Float32Array.from(Array.from({ length: channels }, () => winograd(d.floats(9, -0.4, 0.6))).flat());
    const tiles: [number, number] = [Math.ceil(w / 2), Math.ceil(h / 2)];
    return plane(tiles, [16, 8], out.f32(w * h), input, weights, i32(channels), i32(w), i32(h));
  },
  max_pool_volume: (d) => {
    const [w, h, depth] = [d.side(25), d.side(22), 18];
    const slices = Array.from({ length: depth }, () => Array.from(d.picture(w, h)));
    const [ow, oh, od] = [Math.ceil(w / 2), Math.ceil(h / 2), depth / 2];
    const n = ow * oh * od;
    const volume = Float32Array.from(slices.flat());
    return line(n, 128, out.f32(n), out.i32(n), volume, i32(w), i32(h), i32(depth), i32(ow), i32(oh), i32(n));
  },
  masked_layer_norm: (d) => {
    const [rows, width] = [d.count(14), 200];
    const valid = Int32Array.from({ length: rows }, () => Number(d.chance(0.8)));
    const mask = new Uint8Array(rows * width);
    // A prefix of each row, without some elements.
    for (let row = 0; row < rows; row++)
      for (let k = d.whole(width / 4, width) - 1; k >= 0; k--) mask[row * width + k] = Number(d.chance(0.93));
    const input = d.normals(rows * width, 0.5, 2);
    const rest = [d.floats(width, 0.5, 1.5), d.floats(width, -0.2, 0.2), i32(width)];
    return groups(rows, 128, out.f32(rows * width), out.f32(rows), input, mask, valid, ...rest);
  },
  causal_window_attention: (d) => {
    const [heads, length] = [d.count(8), 80];
    const n = heads * length;
    const document = d.runs(length, 30, 0, 9);
    const [queries, keys, values] = [d.normals(8 * n), d.normals(8 * n), d.floats(8 * n, -1, 1)];
    const outputs = [out.f32(8 * n), out.f32(n)];
    return line(n, 64, ...outputs, queries, keys, values, document, i32(40), i32(length), i32(n));
  },
  quantise_e4m3: (d) => {
    const [n, group] = [d.count(2600), 32];
    const sets = Math.ceil(n / group);
    const values = weightsOf(d, n, 0.03).map((value) => (d.chance(0.01) ? NaN : d.chance(0.2) ? value / 4096 : value));
    const scales = Float32Array.from({ length: sets }, () => d.pick([1, 4, 16, 128]));
    return line(n, 256, out.u8(n), out.i32(sets), values, scales, i32(group), i32(n));
  },
  quantise_quantiles: (d) => {
    const n = d.count(640);
    const values = weightsOf(d, 16 * n, 0.01);
    for (let k = 0; k < n; k++) if (d.chance(0.05)) values.fill(0, 16 * k, 16 * k + 16);
    return line(n, 64, out.u32(2 * n), out.f32(n), out.i32(n), values, f32(2), i32(n));
  },
  sample_nucleus: (d) => {
    const [n, vocabulary] = [d.count(512), 40];
    // Some are sure of the next token, some are not.
    const sure = d.floats(n, 0.3, 4);
    const logits = Float32Array.from({ length: n * vocabulary }, (_, k) => sure[k % n]! * d.normal());
    const temperature = Float32Array.from({ length: n }, () => d.pick([0, 0.7, 0.7, 1, 1.5]));
    const rest = [f32(0.9), i32(8), i32(vocabulary), i32(n)];
    return line(n, 64, out.i32(n), out.i32(n), logits, temperature, d.uints(n), ...rest);
  },
  perplexity_search: (d) => {
    const [n, neighbours] = [d.count(512), 16];
    const density = d.floats(n, 0.05, 6);
    const squares = new Float32Array(n * neighbours);
    for (let i = 0; i < n; i++)
      for (let k = 0; k < neighbours; k++)
        squares[k * n + i] = density[i]! * (k === 0 ? 0.3 : 1) * d.real(0.2, 1 + k / 4);
    const outputs = [out.f32(n), out.f32(n * neighbours), out.i32(n)];
    return line(n, 64, ...outputs, squares, f32(8), i32(neighbours), i32(n));
  },
  grid_sample_modes: (d) => {
    const [images, samples, w, h] = [d.count(10), 200, 24, 18];
    const n = images * samples;
    const pictures = Float32Array.from(Array.from({ length: images }, () => Array.from(d.picture(w, h))).flat());
    const places = new Float32Array(2 * n);
    for (let image = 0; image < images; image++) {
      // Turned and larger or smaller than the image.
      const [a, b] = [d.real(0.5, 1.3), d.real(-0.6, 0.6)];
      for (let k = 0; k < samples; k++) {
        const [x, y] = [(k % 20) / 9.5 - 1, Math.floor(k / 20) / 4.5 - 1];
        places.set([a * x - b * y, b * x + a * y], 2 * (image * samples + k));
      }
    }
    const modes = Uint8Array.from({ length: images }, (_, k) => d.pick([0, 1, 2]) + (k % 3 === 2 ? 4 : 0));
    return line(n, 128, out.f32(n), pictures, places, modes, i32(w), i32(h), i32(samples), i32(n));
  },
  embedding_bags: (d) => {
    const [bags, size] = [d.count(200), 300];
    const { starts, columns } = d.sparse(bags, size, () => d.skewed(30));
    const rows = columns.map((row) => (d.chance(0.1) ? 0 : row));
    const modes = Uint8Array.from(d.runs(bags, 5, 0, 2));
    const [table, weights] = [d.normals(8 * size), d.floats(rows.length, 0, 2)];
    return line(
      8 * bags,
      128,
      out.f32(8 * bags),
      out.i32(bags),
      table,
      starts,
      rows,
      weights,
      modes,
      i32(0),
      i32(bags),
    );
  },
  flow_colours: (d) => {
    const [w, h] = [d.side(64), d.side(40)];
    const [turn, grow] = [d.real(-0.04, 0.04), d.real(-0.05, 0.05)];
    const shapes = d.picture(w, h);
    const flow = new Float32Array(2 * w * h);
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const [dx, dy, k] = [x - w / 2, y - h / 2, y * w + x];
        const moving = shapes[k]! > 0.7 ? 1.5 : 0;
        if (shapes[k]! < 0.05) flow.set([1e9, 1e9], 2 * k);
        else flow.set([grow * dx - turn * dy + moving + 0.05 * d.normal(), grow * dy + turn * dx - moving / 2], 2 * k);
      }
    return plane([w, h], [32, 8], out.u8(4 * w * h), flow, f32(2), i32(w), i32(h));
  },
  ransac_circles: (d) => {
    const [n, count] = [d.count(640), 72];
    const [centreX, centreY, radius] = [d.real(-1, 1), d.real(-1, 1), d.real(1, 3)];
    const points = new Float32Array(2 * count);
    for (let k = 0; k < count; k++) {
      const [x, y] = [d.real(-1, 1), d.real(-1, 1)];
      const scale = (radius + 0.03 * d.normal()) / Math.max(0.01, Math.sqrt(x * x + y * y));
      const outlier = [d.real(-4, 4), k % 5 === 0 ? 1.5 : d.real(-4, 4)];
      points.set(d.chance(0.55) ? [centreX + scale * x, centreY + scale * y] : outlier, 2 * k);
    }
    const rest = [f32(0.1), i32(count), i32(24), i32(n)];
    return line(n, 64, out.f32(4 * n), out.u32(1), points, u32(d.whole(0, 2 ** 32 - 1)), ...rest);
  },
  breed_population: (d) => {
    const [n, length] = [d.count(640), 24];
    const genes = d.ints(n * length, 0, 99);
    const fitness = d.normals(n, 50, 12);
    return line(n, 64, out.i32(n * length), out.u8(n), genes, fitness, d.uints(n), f32(68), i32(length), i32(n));
  },
};
