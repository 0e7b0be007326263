// Dequantisation of weights in mixed precision: each group of 32 is either INT4 with scale and zero point or FP8 with a scale.
// A thread expands eight weights, four threads a group. Divergent: the group's format.
//
// FP8 is E4M3 with all codes finite (largest 480): seven bits moved to where binary32 has exponent and mantissa, and a product
// with 2^120 for the difference of the biases, which also makes its subnormals right.
// Codes: 32 bytes a group, of which INT4 uses the first 16.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 128
#endif
#ifndef KERNEL
#define KERNEL dequant
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(float *out, const unsigned *codes, const float *scales,
                                                          const unsigned char *zeros, const unsigned char *formats) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  const unsigned group = gid / 4, part = gid % 4;
  const unsigned *code = codes + group * 8;
  const float scale = scales[group];
  float *target = out + gid * 8;
  if (formats[group] == 0) { // INT4
    const unsigned word = code[part];
    const int zero = zeros[group];
    for (unsigned k = 0; k < 8; ++k)
      target[k] = (float)((int)(word >> 4 * k & 15) - zero) * scale;
  } else { // FP8
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned word = code[part * 2 + half];
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned byte = word >> 8 * k & 255;
        const float magnitude = __builtin_bit_cast(float, (byte & 127) << 20) * 0x1p120f;
        target[half * 4 + k] = (byte & 128 ? -magnitude : magnitude) * scale;
      }
    }
  }
}
