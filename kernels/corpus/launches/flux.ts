import type { Inputs } from '../inputs.js';
import { f32, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

/** A flow: smooth, of both signs. */
const flow = (d: Inputs, w: number, h: number): Float32Array => d.picture(w, h).map((v) => 2 * v - 1);

export const flux: Family = {
  upwind_advection: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    return plane([w, h], [16, 16], out.f32(w * h), d.picture(w, h), flow(d, w, h), flow(d, w, h), i32(w), i32(h));
  },
  hll_shallow_water: (d) => {
    const faces = d.count(3000);
    // A river: a third is dry.
    const depth = d.picture(faces + 1, 1).map((v) => Math.max(0, v - 0.35));
    return line(
      faces,
      256,
      out.f32(faces),
      out.f32(faces),
      depth,
      depth.map((h) => h * d.real(-1, 4)),
      i32(faces),
    );
  },
  hllc_euler: (d) => {
    const faces = d.count(2000);
    const some = () => d.picture(faces + 1, 1).map((v) => 0.2 + v);
    const speed = d.picture(faces + 1, 1).map((v) => 5 * v - 2.5);
    return line(faces, 128, out.f32(faces), out.f32(faces), out.f32(faces), some(), speed, some(), i32(faces));
  },
  limited_slopes: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), d.picture(n, 1), Uint8Array.from(d.runs(n, 150, 0, 2)), i32(n));
  },
  weno_faces: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.f32(n), out.f32(n), d.picture(n, 1), flow(d, n, 1), i32(n));
  },
  ghost_cells: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    const n = w * h;
    // The kinds of the border: periodic on the left, outflow on the right, a wall below, inflow above.
    const kind = Uint8Array.from({ length: n }, (_, i) => {
      const [x, y] = [i % w, Math.floor(i / w)];
      return y === 0 ? 1 : x === 0 ? 4 : y === h - 2 ? 2 : x === w - 1 && y < h - 2 ? 3 : 0;
    });
    return line(n, 256, out.f32(n), d.normals(n), kind, d.normals(n), i32(n), i32(w));
  },
  equations_of_state: (d) => {
    const cells = d.count(3000);
    const material = Uint8Array.from(d.runs(cells, 100, 0, 2));
    const density = Float32Array.from(material, (m) => [1, 1, 2.7][m]! * d.real(0.8, 1.2));
    return line(cells, 256, out.f32(cells), out.f32(cells), density, d.floats(cells, 0.5, 2), material, i32(cells));
  },
  level_set_distance: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    const phi = flow(d, w, h);
    return plane(
      [w, h],
      [16, 16],
      out.f32(w * h),
      phi.map((v) => v + d.real(-0.1, 0.1)),
      phi,
      i32(w),
      i32(h),
    );
  },
  wall_function: (d) => {
    const n = d.count(4000);
    // Cells in the order of a mesh: distances grow, again and again.
    return line(
      n,
      256,
      out.f32(n),
      Float32Array.from({ length: n }, (_, i) => 1 + 1.1 ** (i % 60) * d.real(0.8, 1.2)),
      i32(n),
    );
  },
  wetting_drying: (d) => {
    const cells = d.count(3000);
    const depth = d.picture(cells, 1).map((v) => Math.max(0, v - 0.4) ** 2);
    return line(
      cells,
      256,
      inOut(depth),
      inOut(d.normals(cells)),
      inOut(d.normals(cells)),
      d.normals(cells),
      f32(0.02),
      i32(cells),
    );
  },
};
