/** Reference of raytri.hip: finds the nearest of a leaf's primitives that a ray hits. */
import { f32, perThread } from '../reference.js';

type Vector = readonly [number, number, number];

const FAR = f32(1e30);

const minus = (a: Vector, b: Vector): Vector => [f32(a[0] - b[0]), f32(a[1] - b[1]), f32(a[2] - b[2])];
const dot = (a: Vector, b: Vector): number => f32(f32(f32(a[0] * b[0]) + f32(a[1] * b[1])) + f32(a[2] * b[2]));
const minor = (a: Vector, b: Vector, i: number, j: number): number => f32(f32(a[i]! * b[j]!) - f32(a[j]! * b[i]!));
const cross = (a: Vector, b: Vector): Vector => [minor(a, b, 1, 2), minor(a, b, 2, 0), minor(a, b, 0, 1)];
const vectorAt = (from: ArrayLike<number>, at: number): Vector => [from[at]!, from[at + 1]!, from[at + 2]!];

function triangle(origin: Vector, direction: Vector, [vertex, first, second]: readonly Vector[]): number {
  const p = cross(direction, second!);
  const determinant = dot(first!, p);
  if (Math.abs(determinant) < f32(1e-6)) return FAR;
  const scale = f32(1 / determinant);
  const from = minus(origin, vertex!);
  const q = cross(from, first!);
  const u = f32(dot(from, p) * scale);
  const v = f32(dot(direction, q) * scale);
  return u < 0 || u > 1 || v < 0 || f32(u + v) > 1 ? FAR : f32(dot(second!, q) * scale);
}

function sphere(origin: Vector, direction: Vector, [centre, [radius]]: readonly [Vector, Vector]): number {
  const from = minus(origin, centre);
  const a = dot(direction, direction);
  const b = dot(from, direction);
  const discriminant = f32(f32(b * b) - f32(a * f32(dot(from, from) - f32(radius * radius))));
  if (discriminant < 0) return FAR;
  const root = f32(Math.sqrt(discriminant));
  const near = f32(f32(-b - root) / a);
  return near > 0 ? near : f32(f32(root - b) / a);
}

export const raytri = perThread({ distances: 'f32', hits: 'u32' }, (thread, { buffers }) => {
  const origin = vectorAt(buffers['origins']!, 3 * thread);
  const direction = vectorAt(buffers['directions']!, 3 * thread);
  const first = buffers['leaves']![thread]!;
  let [distances, hits] = [FAR, 0xffffffff];
  for (let at = first; at < first + buffers['counts']![thread]!; at++) {
    const [a, b, c] = [0, 3, 6].map((part) => vectorAt(buffers['primitives']!, 9 * at + part)) as [
      Vector,
      Vector,
      Vector,
    ];
    const t = buffers['spheres']![at] ? sphere(origin, direction, [a, b]) : triangle(origin, direction, [a, b, c]);
    if (t > 0 && t < distances) [distances, hits] = [t, at];
  }
  return { distances, hits };
});
