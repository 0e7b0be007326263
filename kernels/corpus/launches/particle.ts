import { f32, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

export const particle: Family = {
  lennard_jones: (d) => {
    const n = d.count(400);
    // Neighbours of the last steps: near in the numbering, and a third is too far by now.
    const position = Float32Array.from({ length: 3 * n }, (_, k) =>
      k % 3 === 0 ? Math.floor(k / 3) / 30 : d.real(0, 3),
    );
    const starts = [0];
    const neighbours: number[] = [];
    for (let i = 0; i < n; i++) {
      for (let k = d.whole(8, 24); k > 0; k--) {
        const j = Math.min(n - 1, Math.max(0, i + d.whole(-40, 40)));
        if (j !== i) neighbours.push(j);
      }
      starts.push(neighbours.length);
    }
    const [first, list] = [Int32Array.from(starts), Int32Array.from(neighbours)];
    return line(n, 64, out.f32(3 * n), out.f32(n), position, first, list, f32(2), i32(n));
  },
  switched_coulomb: (d) => {
    const n = d.count(200);
    return line(n, 64, out.f32(n), d.floats(3 * n, 0, 4), d.floats(n, -1, 1), f32(1), f32(2), i32(n));
  },
  bounce_in_box: (d) => {
    const n = d.count(3000);
    const position = d.floats(2 * n, 0, 10);
    return line(n, 256, inOut(position), inOut(d.normals(2 * n)), d.normals(2 * n), f32(0.1), f32(10), i32(n));
  },
  cloth_springs: (d) => {
    const [w, h] = [d.side(48), d.side(36)];
    const position = Float32Array.from({ length: 2 * w * h }, (_, k) => {
      const [x, y] = [Math.floor(k / 2) % w, Math.floor(k / 2 / w)];
      return (k % 2 === 0 ? x : y) + d.real(-0.1, 0.1);
    });
    const pinned = Uint8Array.from({ length: w * h }, (_, i) => Number(i < w && i % 6 === 0));
    return plane([w, h], [16, 8], out.f32(2 * w * h), position, pinned, i32(w), i32(h));
  },
  collide_grid: (d) => {
    const [n, cells] = [d.count(500), 16];
    const position = d.floats(2 * n, 0, 16);
    const inCells: number[][] = Array.from({ length: cells * cells }, () => []);
    for (let i = 0; i < n; i++)
      inCells[Math.floor(position[2 * i + 1]!) * cells + Math.floor(position[2 * i]!)]!.push(i);
    const starts = [0];
    for (const { length } of inCells) starts.push(starts.at(-1)! + length);
    const discs = Int32Array.from(inCells.flat());
    return line(n, 64, out.f32(2 * n), position, Int32Array.from(starts), discs, i32(cells), f32(0.35), i32(n));
  },
  sph_density: (d) => {
    const n = d.count(200);
    return line(n, 64, out.f32(n), d.floats(2 * n, 0, 8), f32(1), i32(n));
  },
  contact_friction: (d) => {
    const n = d.count(3000);
    const overlap = d.floats(n, -0.02, 0.03);
    return line(n, 256, out.f32(n), out.f32(n), overlap, d.normals(n, 0, 0.1), d.normals(n, 0, 0.004), i32(n));
  },
  flocking: (d) => {
    const n = d.count(200);
    return line(n, 64, out.f32(2 * n), d.floats(4 * n, 0, 8), i32(n));
  },
  push_electrons: (d) => {
    const [n, cells] = [d.count(3000), 64];
    // Few reach the end in one step.
    const position = d.floats(n, 0, 10);
    const field = d.floats(cells, 0.5, 1.5);
    return line(
      n,
      256,
      inOut(position),
      inOut(d.normals(n, 1)),
      inOut(d.uints(n)),
      out.i32(1),
      field,
      f32(10),
      i32(cells),
      i32(n),
    );
  },
};
