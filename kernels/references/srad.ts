/**
 * Reference of srad.hip: computes each pixel of the whole image, without tiles. Neighbours are clamped to the image.
 */
import { bySize, f32, type Reference } from './reference.js';

export const srad = bySize('srad', ['16x16', '32x32'], (): Reference => ({
  scalars: { width: 'u32', height: 'u32', speckle: 'f32', rate: 'f32' },
  compute({ buffers, scalars }) {
    const { width, height, speckle, rate } = scalars as {
      width: number;
      height: number;
      speckle: number;
      rate: number;
    };
    const image = buffers['image']!;
    const pixel = (x: number, y: number): number =>
      image[Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)]!;
    const coefficients = new Float32Array(width * height);
    const flows = new Float32Array(width * height);
    const divisor = f32(speckle * f32(1 + speckle));
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const mine = pixel(x, y);
        const [north, south, west, east] = [pixel(x, y - 1), pixel(x, y + 1), pixel(x - 1, y), pixel(x + 1, y)].map(
          (neighbour) => f32(neighbour - mine),
        ) as [number, number, number, number];
        const square = (value: number): number => f32(value * value);
        const squares = f32(f32(f32(square(north) + square(south)) + square(west)) + square(east));
        const gradient = f32(squares / square(mine));
        const laplacian = f32(f32(f32(f32(north + south) + west) + east) / mine);
        const numerator = f32(f32(gradient * 0.5) - f32(square(laplacian) * 0.0625));
        const variation = f32(numerator / square(f32(1 + f32(laplacian * 0.25))));
        const c = Math.min(Math.max(f32(1 / f32(1 + f32(f32(variation - speckle) / divisor))), 0), 1);
        coefficients[y * width + x] = c;
        flows[y * width + x] = f32(f32(f32(rate * c) * laplacian) * mine);
      }
    return { coefficients, flows };
  },
}));
