import type { Inputs } from '../inputs.js';
import { f32, i32, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

/** Directions of a camera's rays, in the order of its pixels. */
function cameraRays(n: number, wide: number): Float32Array {
  const side = Math.ceil(Math.sqrt(n));
  const rays = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) {
    const [x, y] = [wide * ((i % side) / side - 0.5), wide * (Math.floor(i / side) / side - 0.5)];
    const length = Math.sqrt(x * x + y * y + 1);
    rays.set([x / length, y / length, 1 / length], 3 * i);
  }
  return rays;
}

const groupsOf = (count: number, make: () => readonly number[]): Float32Array =>
  Float32Array.from(Array.from({ length: count }, make).flat());

/** A hierarchy of spheres over sorted places: node 0 is the root. */
function hierarchy(d: Inputs, leaves: number) {
  const nodes: number[] = [];
  const children: number[] = [];
  const build = (low: number[], size: number, depth: number): number => {
    const index = nodes.length / 4;
    nodes.push(low[0]! + size / 2, low[1]! + size / 2, low[2]! + size / 2, size * 0.87);
    children.push(-1, -1);
    if (2 ** depth < leaves) {
      const at = depth % 3;
      const [a, b] = [low.slice(), low.slice()];
      b[at]! += size * d.real(0.3, 0.6);
      const smaller = depth % 3 === 2 ? size * 0.6 : size * 0.85;
      children[2 * index] = build(a, smaller, depth + 1);
      children[2 * index + 1] = build(b, smaller, depth + 1);
    }
    return index;
  };
  build([0, 0, 0], 10, 0);
  return { nodes: Float32Array.from(nodes), children: Int32Array.from(children) };
}

/** Points as a complete k-d tree in heap order. */
function kdTree(d: Inputs, levels: number): Float32Array {
  const size = 2 ** levels - 1;
  const tree = new Float32Array(2 * size);
  const place = (points: number[][], node: number, axis: number): void => {
    if (points.length === 0) return;
    points.sort((a, b) => a[axis]! - b[axis]!);
    const middle = points.length >> 1;
    tree.set(points[middle]!, 2 * node);
    place(points.slice(0, middle), 2 * node + 1, 1 - axis);
    place(points.slice(middle + 1), 2 * node + 2, 1 - axis);
  };
  place(
    Array.from({ length: size }, () => [d.fraction(), d.fraction()]),
    0,
    0,
  );
  return tree;
}

export const ray: Family = {
  ray_spheres: (d) => {
    const [n, count] = [d.count(1000), 12];
    const spheres = groupsOf(count, () => [d.real(-3, 3), d.real(-3, 3), d.real(0, 9), d.real(0.5, 2)]);
    return line(n, 128, out.f32(n), out.i32(n), cameraRays(n, 1.5), spheres, i32(count), i32(n));
  },
  ray_boxes: (d) => {
    const [n, count] = [d.count(800), 8];
    const boxes = groupsOf(count, () => {
      const [x, y, z] = [d.real(-3, 3), d.real(-3, 3), d.real(2, 8)];
      return [x, y, z, x + d.real(0.5, 3), y + d.real(0.5, 3), z + d.real(0.5, 3)];
    });
    // Some rays are parallel to an axis.
    const directions = cameraRays(n, 1.5).map((v) => (d.chance(0.03) ? 0 : v));
    return line(n, 128, out.i32(n), new Float32Array(3 * n), directions, boxes, i32(count), i32(n));
  },
  traverse_hierarchy: (d) => {
    const n = d.count(400);
    const { nodes, children } = hierarchy(d, 64);
    return line(n, 64, out.i32(n), out.i32(n), d.floats(3 * n, 0, 10), nodes, children, f32(0.3), i32(n));
  },
  nearest_kd: (d) => {
    const n = d.count(400);
    return line(n, 64, out.i32(n), d.floats(2 * n, 0, 1), kdTree(d, 7), i32(127), i32(n));
  },
  march_volume: (d) => {
    const side = d.side(28);
    // A body in empty space.
    const density = Float32Array.from({ length: side ** 3 }, (_, i) => {
      const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)].map(
        (v) => (2 * v) / side - 1,
      );
      return Math.max(0, 1 - (x! * x! + y! * y! + z! * z!) + d.real(-0.1, 0.1));
    });
    return line(side * side, 128, out.f32(side * side), density, i32(side), f32(0.1), i32(side * side));
  },
  shade_materials: (d) => {
    const n = d.count(2000);
    const material = Uint8Array.from(d.runs(n, 25, 0, 3));
    const normals = groupsOf(n, () => {
      const [x, y, z] = [d.normal(), d.normal(), d.normal()];
      const length = Math.sqrt(x * x + y * y + z * z) + 1e-6;
      return [x / length, y / length, z / length];
    });
    return line(n, 128, out.f32(n), normals, material, d.floats(n, 0.2, 1), i32(n));
  },
  march_distances: (d) => {
    const [n, count] = [d.count(500), 6];
    const shapes = groupsOf(count, () => [
      d.real(-3, 3),
      d.real(-3, 3),
      d.real(3, 9),
      d.real(0.4, 1.2),
      d.pick([-1, 1]),
    ]);
    return line(n, 64, out.f32(n), cameraRays(n, 1.2), shapes, i32(count), i32(n));
  },
  julia_pair: (d) => {
    const [w, h] = [2 * d.side(26), d.side(36)];
    return plane([w, h], [16, 8], out.u8(w * h), i32(w), i32(h));
  },
  rasterise: (d) => {
    const [w, h, count] = [d.side(56), d.side(40), 14];
    const triangles = groupsOf(count, () => {
      const [x, y] = [d.real(0, w), d.real(0, h)];
      return [x, y, x + d.real(-15, 15), y + d.real(-15, 15), x + d.real(-15, 15), y + d.real(-15, 15), d.fraction()];
    });
    return plane([w, h], [16, 8], out.u32(w * h), triangles, i32(count), i32(w), i32(h));
  },
};
