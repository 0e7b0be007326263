// SB2-R: the control flow of SB2 (sb2.hip), but the then-blocks of B2 and B3 are different sequences of instructions, drawn at
// random when this file was written. They align in part only. Every statement weighs values by less than one, so that all
// values stay finite.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL sb2r
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(float *out, const float *in, unsigned rounds, unsigned steps) {
  __shared__ float left[3][SIZE];
  __shared__ float right[3][SIZE];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * SIZE + tid;

  for (unsigned row = 0; row < 3; ++row) {
    left[row][tid] = in[gid] + row;
    right[row][tid] = in[gid] - row;
  }
  __syncthreads();

  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned step = 0; step < steps; ++step) {
      if ((tid + step) & 2) {
        const float limit = left[2][tid] * 0.25f + step; // differs from the other side
        if (left[0][tid] < limit) {                      // B2
          float a = left[0][tid];
          float b = left[1][tid];
          a = (a - b) * 0.5f;
          b = b * 0.75f + 3.0f;
          b = a * 0.25f - b * 0.5f;
          a = a < b ? a : b * 0.875f;
          b = (b + a) * 0.5f;
          a = a * 0.375f + step;
          a = a - b * 0.125f;
          b = 7.0f - b * 0.625f;
          a = a * a < 9.0f ? a + b : a * 0.5f;
          b = b * 0.25f + a * 0.5f;
          left[0][tid] = a;
          left[1][tid] = b;
        }
        left[2][tid] = limit - left[1][tid] * 0.5f;
      } else {
        const float limit = 1.0f - right[2][tid] * 0.5f;
        if (right[0][tid] > limit) { // B3
          float a = right[0][tid];
          float b = right[1][tid];
          b = b * 0.5f + a * 0.25f;
          a = 5.0f - a * 0.625f;
          a = a * 0.375f - b;
          b = b < a ? b * 0.75f : a;
          a = (a + b) * 0.5f;
          b = b * 0.25f + step;
          a = b - a * 0.125f;
          b = (b - a) * 0.5f;
          right[0][tid] = a;
          right[1][tid] = b;
        }
        right[2][tid] = right[0][tid] * 0.25f + limit;
      }
      __syncthreads();
    }
    left[0][tid] += right[1][tid ^ 1] * 0.125f + round;
    __syncthreads();
  }

  out[gid] = left[0][tid] + left[1][tid] * left[2][tid] - (right[0][tid] - right[1][tid] * right[2][tid]);
}
