import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';
import { f32, inOut, line, out, u32 } from '../launch.js';

const usual = (d: Inputs): number => d.count(4000);

/** Curves of 33 points that rise. */
const curve = (d: Inputs): Float32Array => {
  let value = 0;
  return Float32Array.from({ length: 33 }, () => (value += d.real(0, 0.2)));
};

export const control: Family = {
  pi_bank: (d) => {
    const n = usual(d);
    const plants = Float32Array.from({ length: 4 * n }, (_, k) => (k % 4 === 0 ? d.real(20, 80) : d.real(0.1, 2)));
    const [measured, manual] = [d.floats(n, 20, 80), d.floats(n, 0, 100)];
    const automatic = d.flags(n, 0.9);
    return line(n, 256, out.f32(n), inOut(d.floats(n, -10, 10)), plants, measured, manual, automatic, f32(0.1), u32(n));
  },
  thermocouple: (d) => {
    const n = usual(d);
    return line(n, 256, out.f32(n), d.normals(n, 1, 2), u32(n));
  },
  encoders: (d) => {
    const n = usual(d);
    const before = d.bytes(n, 0, 3);
    const turns = [1, 3, 0, 2];
    const now = before.map((a) =>
      d.chance(0.6) ? a : d.chance(0.02) ? 3 - a : d.chance(0.5) ? turns[a]! : turns.indexOf(a),
    );
    return line(n, 256, inOut(d.ints(n, 0, 1000)), out.i32(n), before, now, u32(n));
  },
  gait: (d) => {
    const n = usual(d);
    return line(n, 128, out.f32(3 * n), d.floats(n, 0, 1), d.floats(n, 0.1, 0.4), d.floats(n, 0.02, 0.1), u32(n));
  },
  stribeck: (d) => {
    const n = usual(d);
    const velocity = Float32Array.from({ length: n }, () => (d.chance(0.4) ? 0.005 * d.normal() : 0.3 * d.normal()));
    return line(n, 256, out.f32(n), velocity, d.normals(n, 0, 5), d.floats(n, 5, 20), u32(n));
  },
  voting: (d) => {
    const n = usual(d);
    const truth = d.normals(n, 50, 10);
    const sensor = () => truth.map((x) => x + d.normal() + (d.chance(0.01) ? 20 : 0));
    const valid = Uint8Array.from({ length: n }, () => (d.chance(0.92) ? 7 : d.whole(0, 6)));
    return line(n, 256, out.f32(n), out.u32(n), sensor(), sensor(), sensor(), valid, u32(n));
  },
  valve_curve: (d) => {
    const n = usual(d);
    const old = d.floats(n, 0.05, 0.95);
    const stem = old.map((s) => Math.min(0.99, Math.max(0, s + 0.02 * d.normal())));
    return line(n, 256, out.f32(n), stem, old, curve(d), curve(d), u32(n));
  },
  battery: (d) => {
    const n = usual(d);
    const current = d.normals(n, -2, 8);
    const temperature = d.normals(n, 22, 8);
    return line(n, 256, inOut(d.floats(n, 0.1, 0.9)), out.f32(n), current, temperature, f32(0.1), u32(n));
  },
  two_link: (d) => {
    const n = usual(d);
    return line(n, 128, out.f32(2 * n), d.normals(2 * n), d.flags(n, 0.5), f32(1), f32(0.8), u32(n));
  },
  field_bus: (d) => {
    const n = usual(d);
    const codes = [3, 3, 3, 3, 6, 6, 22, 4];
    const frames = Uint8Array.from({ length: 4 * n }, (_, k) => (k % 4 === 0 ? d.pick(codes) : d.whole(0, 255)));
    return line(n, 256, inOut(Uint16Array.from(d.ints(4 * n, 0, 65535))), out.u16(n), frames, u32(n));
  },
  elevators: (d) => {
    const n = usual(d);
    const calls = Uint32Array.from({ length: n }, () =>
      d.chance(0.3) ? 0 : (1 << d.whole(0, 31)) | (1 << d.whole(0, 31)),
    );
    return line(n, 128, inOut(d.ints(n, -1, 1)), out.i32(n), calls, d.ints(n, 0, 31), u32(n));
  },
  springs: (d) => {
    const n = usual(d);
    const places = 1000;
    const ends = d.ints(2 * n, 0, places - 1);
    const rest = [d.floats(n, 0.5, 2), d.floats(n, 1, 10), Uint8Array.from(d.runs(n, 12, 0, 1))];
    return line(n, 256, out.f32(2 * n), d.normals(2 * places), ends, ...rest, u32(n));
  },
  oscillators: (d) => {
    const n = usual(d);
    const setting = Uint32Array.from(d.runs(n, 20, 0, 3), (mode) => (d.whole(1, 2 ** 26) * 4 + mode) >>> 0);
    return line(n, 256, out.f32(n), inOut(d.uints(n)), setting, d.floats(64, -1, 1), u32(n));
  },
};
