/** Reference of mandelbrot.hip: iterations of z → z² + c, or of (|x| + i|y|)² + c, until |z|² exceeds 4. */
import { f32, perThread } from '../reference.js';

export const mandelbrot = perThread(
  { iterations: 'u32', radii: 'f32' },
  (thread, { buffers: { ships }, scalars: { left, top, pitch, limit }, block: [width] }) => {
    const cx = f32(left! + f32(pitch! * (thread % width)));
    const cy = f32(top! + f32(pitch! * Math.floor(thread / width)));
    let [x, y, radius, iterations] = [0, 0, 0, 0];
    while (iterations < limit! && radius <= 4) {
      const product = f32(x * y);
      const real = f32(f32(f32(x * x) - f32(y * y)) + cx);
      y = f32(2 * (ships![thread] ? Math.abs(product) : product) + cy);
      x = real;
      radius = f32(f32(x * x) + f32(y * y));
      iterations++;
    }
    return { iterations, radii: radius };
  },
  { left: 'f32', top: 'f32', pitch: 'f32', limit: 'u32' },
);
