/** References of the kernels of today: kinds of code that current GPU programs contain. */
import { bySize } from '../reference.js';
import { dequant } from './dequant.js';
import { hashjoin } from './hashjoin.js';
import { interp } from './interp.js';
import { lz4ish } from './lz4ish.js';
import { mandelbrot } from './mandelbrot.js';
import { raytri } from './raytri.js';
import { rle } from './rle.js';
import { spmv } from './spmv.js';
import { tokenizer } from './tokenizer.js';

export const today = {
  ...bySize('dequant', [128], () => dequant),
  ...bySize('hashjoin', [128], () => hashjoin),
  ...bySize('interp', [64], () => interp),
  ...bySize('lz4ish', [64], () => lz4ish),
  ...bySize('mandelbrot', [128], () => mandelbrot),
  ...bySize('raytri', [64], () => raytri),
  ...bySize('rle', [64], () => rle),
  ...bySize('spmv', [128], () => spmv),
  ...bySize('tokenizer', [64], () => tokenizer),
};
