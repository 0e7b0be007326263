import type { Inputs } from '../inputs.js';
import { f32, i32, line, out } from '../launch.js';
import type { Family } from '../family.js';

/** Sound: slow waves that swell, with noise. */
function sound(d: Inputs, n: number, loud: number): Float32Array {
  let [phase, speed] = [0, 0.1];
  return Float32Array.from({ length: n }, (_, k) => {
    if (k % 300 === 0) speed = d.real(0.02, 0.15);
    phase = (phase + speed) % 4;
    const wave = phase < 2 ? 1 - (phase - 1) ** 2 : (phase - 3) ** 2 - 1;
    return loud * wave * (0.2 + (0.8 * (k % 700)) / 700) + 0.02 * d.normal();
  });
}

export const audio: Family = {
  mu_law_encode: (d) => {
    const n = d.count(4000);
    return line(
      n,
      256,
      out.u8(n),
      Int16Array.from(sound(d, n, 34000), (v) => Math.max(-32767, Math.min(32767, v))),
      i32(n),
    );
  },
  expand_two_laws: (d) => {
    const [n, channels] = [d.count(4000), 2];
    return line(n, 256, out.i16(n), d.bytes(n), Uint8Array.from([0, 1]), i32(channels), i32(n));
  },
  adpcm_decode: (d) => {
    const [n, length] = [d.count(400), 48];
    const steps = Int16Array.from({ length: 49 }, (_, k) => Math.floor(7 * 1.17 ** k));
    return line(n, 64, out.i16(n * length), d.bytes((n * length) / 2), steps, i32(length), i32(n));
  },
  soft_knee: (d) => {
    const n = d.count(4000);
    const levels = sound(d, n, 20).map((v) => v - 20);
    return line(n, 256, out.f32(n), levels, f32(-15), f32(4), f32(6), i32(n));
  },
  follow_envelopes: (d) => {
    const [n, length] = [d.count(400), 32];
    return line(n, 64, out.f32(n * length), d.normals(n * length, 0, 0.6), f32(0.3), f32(0.05), i32(length), i32(n));
  },
  distort: (d) => {
    const n = d.count(4000);
    return line(
      n,
      256,
      out.f32(n),
      sound(d, n, 1.3),
      Uint8Array.from(d.ints(Math.ceil(n / 500), 0, 2)),
      i32(500),
      i32(n),
    );
  },
  resample_taps: (d) => {
    const n = d.count(3000);
    const length = Math.floor(n * 0.9);
    return line(n, 256, out.f32(n), sound(d, length, 1), d.normals(128, 0.125, 0.05), f32(0.905), i32(length), i32(n));
  },
  note_envelopes: (d) => {
    const n = d.count(4000);
    // Frames of notes one after the other.
    const times = Float32Array.from({ length: n }, (_, k) => (k % 250) / 200 - 0.02);
    const lengths = Float32Array.from({ length: n }, (_, k) => 0.3 + (Math.floor(k / 250) % 5) / 8);
    return line(n, 256, out.f32(n), times, lengths, i32(n));
  },
};
