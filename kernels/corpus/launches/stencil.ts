import { i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

const TILE = [16, 16] as const;
const WIDE = [32, 8] as const;

export const stencil: Family = {
  heat_fixed_border: (d) => {
    const [w, h] = [d.side(60), d.side(44)];
    return plane([w, h], TILE, out.f32(w * h), d.picture(w, h), i32(w), i32(h));
  },
  heat_no_flux: (d) => {
    const [w, h] = [d.side(64), d.side(40)];
    return plane([w, h], WIDE, out.f32(w * h), d.picture(w, h), d.picture(w, h), i32(w), i32(h));
  },
  wave_absorbing: (d) => {
    const n = d.count(2000);
    return line(n, 256, out.f32(n), d.normals(n), d.normals(n), i32(n));
  },
  lattice_boltzmann: (d) => {
    const [w, h] = [d.side(64), d.side(24)];
    // A channel with walls above and below and a round obstacle.
    const wall = Uint8Array.from({ length: w * h }, (_, i) => {
      const [x, y] = [i % w, Math.floor(i / w)];
      return Number(y === 0 || y === h - 1 || (x - w / 4) ** 2 + (y - h / 2) ** 2 < (h / 5) ** 2);
    });
    return line(w * h, 256, out.f32(9 * w * h), d.floats(9 * w * h, 0.02, 0.12), wall, i32(w * h));
  },
  life_torus: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    return plane([w, h], WIDE, out.u8(w * h), d.flags(w * h, 0.3), i32(w), i32(h));
  },
  wireworld: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    // Mostly empty, wires along some rows and columns, a few electrons on them.
    const cells = Uint8Array.from({ length: w * h }, (_, i) =>
      i % 7 === 0 || Math.floor(i / w) % 9 === 4 ? (d.chance(0.1) ? d.whole(1, 2) : 3) : 0,
    );
    return plane([w, h], TILE, out.u8(w * h), cells, i32(w), i32(h));
  },
  fdtd_layer: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    const profile = Float32Array.from({ length: 8 }, (_, k) => 0.3 * ((8 - k) / 8) ** 3);
    return plane(
      [w, h],
      TILE,
      inOut(d.normals(w * h)),
      d.normals(w * h),
      d.normals(w * h),
      profile,
      i32(w),
      i32(h),
      i32(8),
    );
  },
  red_black_sor: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    return plane([w, h], TILE, inOut(d.normals(w * h)), d.normals(w * h), d.flags(w * h, 0.1), i32(w), i32(h), i32(1));
  },
  gray_scott_mirror: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    return plane([w, h], WIDE, out.f32(w * h), out.f32(w * h), d.picture(w, h), d.picture(w, h), i32(w), i32(h));
  },
  laplace_column: (d) => {
    const [w, h, depth] = [d.side(32), d.side(32), 6];
    return plane([w, h], [16, 8], out.f32(w * h * depth), d.picture(w, h * depth), i32(w), i32(h), i32(depth));
  },
};
