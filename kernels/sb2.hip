// SB2: the paper's second synthetic pattern, an if-then region on either side of the divergent branch, in two nested loops.
//
//        B1            B2 and B3 are if-then regions (condition, then-block, join). Their then-blocks perform identical
//       /  \           computations on different LDS arrays; their conditions and the code before and after them differ,
//      B2   B3         so the pair is found by its structure and aligns only in part.
//       \  /
//        B4            Branch fusion cannot meld it: the sides are no single blocks.
//
// The conditions depend on the data. Columns and barriers as in sb1.hip. The arithmetic is
// binary32 and every value stays finite: each update halves what it adds to.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif

extern "C" __global__ __launch_bounds__(SIZE) void sb2(float *out, const float *in, unsigned rounds, unsigned steps) {
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
          a = a * 0.5f + b * 0.25f;
          b = (b - a) * 0.5f;
          a = a + b * 0.125f;
          b = a * 0.375f - b;
          left[0][tid] = a;
          left[1][tid] = b;
        }
        left[2][tid] = limit - left[1][tid] * 0.5f;
      } else {
        const float limit = 1.0f - right[2][tid] * 0.5f;
        if (right[0][tid] > limit) { // B3
          float a = right[0][tid];
          float b = right[1][tid];
          a = a * 0.5f + b * 0.25f;
          b = (b - a) * 0.5f;
          a = a + b * 0.125f;
          b = a * 0.375f - b;
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
