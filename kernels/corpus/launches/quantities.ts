import type { Inputs } from '../inputs.js';
import { f32, i32, line, out, u32 } from '../launch.js';
import type { Family } from '../family.js';

/** Vectors of four numbers. */
const vectors = (d: Inputs, n: number): Float32Array => d.normals(4 * n);

const doubles = (length: number, make: (k: number) => number): Float64Array =>
  Float64Array.from({ length }, (_, k) => make(k));

export const quantities: Family = {
  angle_parts: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), out.i32(n), d.normals(n, 0, 20), d.flags(n, 0.4), i32(n));
  },
  pole_rotation: (d) => {
    const n = d.count(3000);
    // Limbs, each of some points.
    const axis = Uint8Array.from(d.runs(n, 20, 0, 1));
    return line(n, 256, out.f32(2 * n), d.normals(2 * n, 0, 3), d.floats(n, -3, 3), axis, i32(n));
  },
  mesh_angles: (d) => {
    const n = d.count(4000);
    // Corners of triangles: a surface is flat in places.
    const flat = Uint8Array.from(d.runs(n, 12, 0, 2), (kind) => Number(kind > 0));
    return line(n, 256, out.f32(n), vectors(d, n), vectors(d, n), flat, i32(n));
  },
  geo_distance: (d) => {
    const n = d.count(3000);
    const from = doubles(2 * n, (k) => (k % 2 === 0 ? d.real(-1.5, 1.5) : d.real(-0.8, 1.2)));
    // Most trips are short.
    const to = from.map((v) => v + d.normal() * (d.chance(0.3) ? 0.4 : 0.01));
    const far = Uint8Array.from({ length: n }, (_, k) => Number(Math.abs(from[2 * k]! - to[2 * k]!) > 0.05));
    return line(n, 256, out.f64(n), from, to, far, i32(n));
  },
  option_prices: (d) => {
    const n = d.count(3000);
    const spot = d.normals(n, 100, 2);
    const strike = Float32Array.from({ length: n }, () => 5 * d.whole(14, 28));
    const data = [spot, strike, d.floats(n, 0.05, 2), d.flags(n, 0.45)];
    return line(n, 256, out.f32(n), out.f32(n), ...data, f32(0.03), f32(0.25), i32(n));
  },
  bond_yields: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.f32(n), d.floats(n, 0.01, 0.08), d.ints(n, 1, 30), d.flags(n, 0.7), i32(n));
  },
  synth_voices: (d) => {
    const n = d.count(4000);
    // Blocks of samples of one voice.
    const fm = Uint8Array.from({ length: n }, (_, k) => Number((k >> 5) % 3 === 0));
    return line(n, 256, out.f32(n), d.floats(n, -3, 3), d.floats(n, 0, 2), fm, i32(n));
  },
  mix_audio: (d) => {
    const n = d.count(4000);
    const loud = d.picture(n, 1);
    const samples = Int16Array.from({ length: 2 * n }, (_, k) => 14000 * loud[k >> 1]! * d.normal());
    const voice = Uint8Array.from(d.runs(n, 50, 0, 1));
    return line(n, 256, out.i16(2 * n), samples, voice, f32(1.2), i32(n));
  },
  hash_words: (d) => {
    const n = 4096;
    return line(n, 256, out.u32(n), d.uints(n), d.flags(n, 0.5), i32(n));
  },
  sensor_gaps: (d) => {
    const n = d.count(3000);
    const readings = d.picture(4 * n, 1).map((v) => (d.chance(0.03) ? NaN : 100 * v - 20));
    const kind = Uint8Array.from(d.runs(n, 15, 0, 1));
    return line(n, 256, out.f32(4 * n), readings, kind, i32(n));
  },
  ray_steps: (d) => {
    const n = d.count(3000);
    const glass = Uint8Array.from(d.runs(n, 6, 0, 3), (kind) => Number(kind === 0));
    return line(n, 256, out.f32(4 * n), out.f32(n), vectors(d, n), vectors(d, n), glass, i32(n));
  },
  pair_forces: (d) => {
    const n = 256 * d.count(4);
    const particles = d.floats(4 * n, -3, 3);
    // The tile is an argument.
    return { ...line(n, 256, out.f32(4 * n), particles, d.flags(n, 0.3), u32(0), i32(n)), dynamicLds: 4096 };
  },
  heat_tiles: (d) => {
    const n = 256 * d.count(16);
    const metal = Uint8Array.from(d.picture(n, 1), (v) => Number(v > 0.5));
    return line(n, 256, out.f32(n), d.floats(n, 10, 80), metal, i32(20));
  },
  generic_rows: (d) => {
    const n = 256 * d.count(16);
    return line(n, 256, out.f32(n), d.normals(n + 8), d.flags(n, 0.6));
  },
  group_shares: (d) => {
    const n = 256 * d.count(16);
    return line(n, 256, out.f32(n), d.floats(n, 0.1, 1), Uint8Array.from(d.runs(n, 8, 0, 1)));
  },
};
