// Escape-time fractals: a workgroup draws one row of pixels, and each pixel says which formula it shows, the Mandelbrot set's or
// the burning ship's. Divergent: the formula, with a loop on either side, and the loops' trip counts.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 128
#endif
#ifndef KERNEL
#define KERNEL mandelbrot
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *iterations, float *radii, const unsigned char *ships, float left,
                                                          float top, float pitch, unsigned limit) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  const float cx = left + pitch * threadIdx.x;
  const float cy = top + pitch * blockIdx.x;
  float x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
  unsigned n = 0;
  if (ships[gid]) {
    while (n < limit && xx + yy <= 4.0f) {
      y = 2.0f * __builtin_fabsf(x * y) + cy;
      x = xx - yy + cx;
      xx = x * x;
      yy = y * y;
      ++n;
    }
  } else {
    while (n < limit && xx + yy <= 4.0f) {
      y = 2.0f * (x * y) + cy;
      x = xx - yy + cx;
      xx = x * x;
      yy = y * y;
      ++n;
    }
  }
  iterations[gid] = n;
  radii[gid] = xx + yy;
}
