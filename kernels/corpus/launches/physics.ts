import { f32, i32, inOut, line, out } from '../launch.js';
import type { Family } from '../family.js';

export const physics: Family = {
  nasa_polynomials: (d) => {
    const [n, species] = [d.count(1500), 5];
    // A flame front: cold on one side, hot on the other.
    const temperature = d.picture(n, 1).map((v) => 300 + 1700 * v);
    const scales = [1, 1e-3, 1e-6, 1e-9, 1e-12, 100];
    const coefficients = Float32Array.from({ length: 12 * species }, (_, k) => scales[k % 6]! * d.real(0.5, 2));
    return line(n, 128, out.f32(n), out.f32(n), temperature, coefficients, i32(species), i32(n));
  },
  reaction_rates: (d) => {
    const [cells, reactions] = [d.count(80), 20];
    const n = cells * reactions;
    const kind = Uint8Array.from({ length: reactions }, (_, k) => (k < 12 ? 0 : k < 16 ? 1 : 2));
    const [a, b, e] = [d.floats(reactions, 1, 9), d.floats(reactions, 0, 1.5), d.floats(reactions, 500, 5000)];
    return line(n, 128, out.f32(n), d.floats(cells, 400, 2000), a, b, e, kind, f32(100), i32(reactions), i32(n));
  },
  return_mapping: (d) => {
    const n = d.count(2500);
    // Most of a body is elastic, a zone yields, little is broken.
    const zone = d.picture(n, 1);
    const strain = Float32Array.from({ length: 3 * n }, (_, k) => 0.02 * zone[k % n]! ** 2 * d.normal());
    return line(n, 128, out.f32(3 * n), inOut(new Float32Array(n)), strain, d.flags(n, 0.03), i32(n));
  },
  neutron_collisions: (d) => {
    const [n, points, nuclides] = [d.count(600), 256, 8];
    const grid = Float32Array.from({ length: points }, (_, k) => ((k + 0.01) / points) ** 2 * 20);
    const tables = Float32Array.from({ length: 2 * points * nuclides }, (_, k) =>
      k % 2 === 0 ? d.real(2, 5) : d.real(0.2, 2),
    );
    const energies = Float32Array.from({ length: n }, () => 19.8 * d.fraction() ** 2);
    const materials = Int32Array.from([4, 8, 12, 24]);
    return line(
      n,
      64,
      out.f32(n),
      out.u8(n),
      energies,
      d.uints(n),
      grid,
      tables,
      materials,
      i32(points),
      i32(nuclides),
      i32(n),
    );
  },
  cloud_physics: (d) => {
    const n = d.count(2500);
    const temperature = d.picture(n, 1).map((v) => 250 + 45 * v);
    const some = (probability: number, most: number) =>
      inOut(Float32Array.from({ length: n }, () => (d.chance(probability) ? d.real(0, most) : 0)));
    const vapour = inOut(d.floats(n, 0, 0.01));
    return line(n, 128, vapour, some(0.5, 0.002), some(0.3, 0.002), some(0.3, 0.002), inOut(temperature), i32(n));
  },
  adaptive_steps: (d) => {
    const n = d.count(500);
    const stiffness = Float32Array.from({ length: n }, () => 0.5 + d.skewed(30));
    return line(n, 64, out.f32(n), out.i32(n), d.floats(n, -1, 1), stiffness, f32(3), i32(n));
  },
  element_stiffness: (d) => {
    const n = d.count(1500);
    // A mesh is made of triangles here and of quadrilaterals there.
    const isQuad = Uint8Array.from(d.runs(n, 60, 0, 1));
    const corners = Float32Array.from(
      { length: 8 * n },
      (_, k) => [0, 0, 1, 0, 1, 1, 0, 1][k % 8]! + d.real(-0.2, 0.2),
    );
    return line(n, 128, out.f32(n), corners, isQuad, i32(n));
  },
  tree_gravity: (d) => {
    const [n, levels] = [d.count(400), 7];
    const size = 2 ** levels - 1;
    const cells = new Float32Array(2 * size);
    for (let node = size - 1; node >= 0; node--) {
      const depth = 31 - Math.clz32(node + 1);
      const first = 2 ** depth - 1;
      const isLeaf = 2 * node + 1 >= size;
      const place = (node - first + (isLeaf ? d.fraction() : 0.5)) / 2 ** depth;
      const mass = isLeaf ? d.real(0.1, 1) : cells[4 * node + 3]! + cells[4 * node + 5]!;
      cells.set([place, mass], 2 * node);
    }
    return line(n, 64, out.f32(n), d.floats(n, 0, 1).sort(), cells, i32(levels), f32(0.7), i32(n));
  },
  surface_energy: (d) => {
    const n = d.count(3000);
    // A map: half is at night, snow lies where it is cold.
    const temperature = d.picture(n, 1).map((v) => 255 + 40 * v);
    const sun = Float32Array.from({ length: n }, (_, i) => (i % 500 < 250 ? 0 : d.real(100, 900)));
    const ground = Uint8Array.from(temperature, (t) => (t < 274 ? 2 : d.chance(0.2) ? 1 : 0));
    return line(n, 256, out.f32(n), sun, temperature, d.floats(n, 0, 1), ground, i32(n));
  },
};
