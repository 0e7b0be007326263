import type { Inputs } from '../inputs.js';
import { f32, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

const TILE = [16, 16] as const;
const extent = (d: Inputs): [number, number] => [d.side(66), d.side(46)];

/** Vectors of four numbers, whose last one nobody reads. */
const directions = (d: Inputs, n: number): Float32Array => d.normals(4 * n);

/** Rays of a camera that looks along z. */
const cameraRays = (width: number, height: number): Float32Array =>
  Float32Array.from({ length: 4 * width * height }, (_, k) => {
    const pixel = k >> 2;
    return [(pixel % width) / width - 0.5, Math.floor(pixel / width) / height - 0.5, 1, 0][k % 4]!;
  });

export const scenes: Family = {
  path_bounces: (d) => {
    const n = d.count(2500);
    // Most of a room is matt; neighbouring rays often meet the same thing.
    const material = Uint8Array.from(d.runs(n, 6, 0, 7), (kind) => [0, 0, 0, 0, 1, 1, 2, 3][kind]!);
    const [incoming, normals, random] = [directions(d, n), directions(d, n), d.floats(2 * n, 0, 1)];
    const colour = d.floats(4 * n, 0.1, 0.9);
    return line(n, 128, out.f32(4 * n), out.f32(4 * n), incoming, normals, colour, material, random, i32(n));
  },
  sky_dome: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.f32(4 * n), directions(d, n), f32(0.48), f32(0.6), f32(0.64), i32(n));
  },
  octahedral_normals: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.i16(2 * n), out.f32(n), directions(d, n), i32(n));
  },
  leaf_shapes: (d) => {
    const n = d.count(1500);
    const [leaves, perLeaf] = [100, 6];
    const shapes = Float32Array.from({ length: 4 * leaves * perLeaf }, (_, k) =>
      k % 4 === 3 ? d.real(0.3, 1.5) : d.real(-4, 4),
    );
    const isBox = d.flags(leaves * perLeaf, 0.4);
    const origins = d.floats(4 * n, -6, 6);
    const toMiddle = origins.map((v) => d.real(-1, 1) - v);
    const [leaf, found] = [d.ints(n, 0, leaves - 1), [out.f32(n), out.i32(n)]];
    return line(n, 64, ...found, origins, toMiddle, shapes, isBox, leaf, i32(perLeaf), i32(n));
  },
  film_splats: (d) => {
    const [w, h] = extent(d);
    const n = 2 * w * h;
    const at = Float32Array.from({ length: 2 * n }, (_, k) => d.real(0, k % 2 === 0 ? w : h));
    const value = Float32Array.from({ length: n }, () => (d.chance(0.02) ? d.real(4, 40) : d.fraction()));
    return line(n, 256, out.u32(w * h), at, value, i32(w), i32(h), i32(n));
  },
  lattice_channel: (d) => {
    const [w, h] = extent(d);
    const weights = [16, 4, 4, 4, 4, 1, 1, 1, 1];
    const now = Float32Array.from({ length: 9 * w * h }, (_, k) => {
      return (weights[Math.floor(k / (w * h))]! / 36) * (1 + 0.05 * d.normal());
    });
    // Walls above and below, something round in the flow, an inlet on the left.
    const cell = Uint8Array.from({ length: w * h }, (_, k) => {
      const [x, y] = [k % w, Math.floor(k / w)];
      if (y === 0 || y === h - 1 || (x - w / 3) ** 2 + (y - h / 2) ** 2 < (h / 5) ** 2) return 1;
      return x === 0 ? 2 : 0;
    });
    return plane([w, h], TILE, out.f32(9 * w * h), now, cell, f32(1.2), i32(w), i32(h));
  },
  bonded_terms: (d) => {
    const [n, atoms] = [d.count(3000), d.count(800)];
    const kind = Uint8Array.from({ length: n }, (_, k) => [0, 0, 0, 1, 2, 2, 2, 2, 3, 3][Math.floor((10 * k) / n)]!);
    const at = d.normals(4 * atoms, 0, 2);
    // A chain: what is bound are neighbours in it.
    const list = Int32Array.from({ length: 4 * n }, (_, k) => ((k >> 2) + (k & 3)) % atoms);
    const constants = Float32Array.from({ length: 2 * n }, (_, k) => (k % 2 === 0 ? d.real(50, 400) : d.real(1, 2)));
    return line(n, 256, out.f32(n), at, list, kind, constants, i32(n));
  },
  pair_cutoffs: (d) => {
    const n = 64 * d.count(6);
    const kinds = 4;
    // Atoms are sorted by place, so that a tile is a neighbourhood.
    const charged = Float32Array.from({ length: 4 * n }, (_, k) => {
      if (k % 4 === 3) return d.pick([-0.8, 0, 0.4]);
      return (k % 4 === 0 ? (8 * (k >> 2)) / n : 0) + 0.5 * d.normal();
    });
    const types = d.ints(2 * n, 0, kinds - 1);
    const parameters = d.floats(2 * kinds * kinds, 0.01, 0.1);
    return line(n, 64, out.f32(4 * n), charged, types, parameters, i32(kinds), f32(1.6), f32(1.1), i32(n));
  },
  field_layers: (d) => {
    const [w, h] = extent(d);
    const n = w * h;
    const matter = d.picture(w, h).map((v) => (v > 0.6 ? v : 0));
    const [memory, field, magnetic] = [d.normals(n, 0, 0.1), d.normals(n), d.normals(2 * n)];
    return plane([w, h], TILE, out.f32(n), inOut(memory), field, magnetic, matter, i32(8), i32(w), i32(h));
  },
  gas_fluxes: (d) => {
    const n = d.count(3000);
    // Blasts: quiet gas, and gas that is fast.
    const fast = d.runs(n, 30, -2, 2);
    const cells = Float32Array.from({ length: 4 * n }, (_, k) => {
      const speed = 0.9 * fast[k >> 2]!;
      const [density, momentum] = [d.real(0.8, 1.2), speed + d.real(-0.1, 0.1)];
      return [density, momentum, d.real(-0.1, 0.1), d.real(1.5, 2) + (speed * speed) / 2][k % 4]!;
    });
    return line(n, 256, out.f32(4 * n), cells, f32(1.4), i32(n));
  },
  cloth_links: (d) => {
    const [w, h] = extent(d);
    // Hangs in folds: stretched above, slack below.
    const at = Float32Array.from({ length: 4 * w * h }, (_, k) => {
      const [x, y] = [(k >> 2) % w, Math.floor((k >> 2) / w)];
      return [x * (1.25 - (0.5 * y) / h) + 0.1 * d.normal(), -y, 0.1 * d.normal(), 0][k % 4]!;
    });
    const torn = inOut(d.flags(w * h, 0.02));
    return plane([w - 1, h], TILE, out.f32(4 * w * h), torn, out.i32(1), at, i32(w), i32(h), f32(1), f32(1.4));
  },
  julia_marches: (d) => {
    const side = d.side(32);
    const n = side * side;
    const part = Float32Array.of(-0.2, 0.6, 0.2, 0.2);
    return line(n, 64, out.f32(n), out.i32(n), cameraRays(side, side), part, i32(40), i32(n));
  },
};
