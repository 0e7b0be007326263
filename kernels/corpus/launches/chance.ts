import { f32, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

/** Never zero, which the generator would not leave. */
const seeds = (d: Inputs, n: number): Uint32Array => d.uints(n, 1);

export const chance: Family = {
  normal_polar: (d) => {
    const n = d.count(2000);
    return line(n, 256, out.f32(2 * n), seeds(d, n), i32(n));
  },
  gamma_rejection: (d) => {
    const n = d.count(1000);
    return line(n, 128, out.f32(n), out.i32(n), seeds(d, n), d.floats(n, 0.5, 4), i32(n));
  },
  photon_slab: (d) => {
    const n = d.count(600);
    return line(n, 64, out.i32(4), seeds(d, n), f32(2), f32(0.8), i32(n));
  },
  ising_checkerboard: (d) => {
    const [w, h] = [2 * d.side(32), 2 * d.side(20)];
    // Domains of equal spins, as below the critical temperature.
    const spins = Int8Array.from(d.picture(w, h), (v) => (v > 0.5 !== d.chance(0.1) ? 1 : -1));
    const acceptance = Float32Array.from([1, 0.17, 0.03]);
    return plane([w, h], [32, 8], inOut(spins), inOut(seeds(d, w * h)), acceptance, i32(0), i32(w), i32(h));
  },
  anneal_tours: (d) => {
    const n = d.count(200);
    return line(n, 64, out.f32(n), d.floats(48, 0, 10), seeds(d, n), i32(40), i32(n));
  },
  walk_sat: (d) => {
    const [n, count] = [d.count(100), 50];
    const clauses = Int8Array.from({ length: 3 * count }, () => d.whole(1, 16) * d.pick([-1, 1]));
    return line(n, 64, out.u32(n), out.i32(n), clauses, seeds(d, n), i32(count), i32(10), i32(n));
  },
  random_walks: (d) => {
    const [n, side] = [d.count(600), 32];
    return line(n, 128, out.i32(n), out.i32(n), seeds(d, n), d.flags(side * side, 0.15), i32(side), i32(40), i32(n));
  },
  queue_events: (d) => {
    const n = d.count(400);
    return line(n, 64, out.i32(n), out.f32(n), seeds(d, n), f32(0.8), i32(40), i32(n));
  },
  cross_over: (d) => {
    const [n, words] = [d.count(1000), 6];
    return line(n, 128, out.u32(words * n), d.uints(words * n), d.uints(words * n), seeds(d, n), i32(words), i32(n));
  },
};
