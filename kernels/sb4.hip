// SB4: the paper's fourth synthetic pattern, a three-way branch `if / else if / else`, in two nested loops.
//
//        D1            D2, D4 and D5 are single blocks that perform identical computations on different LDS arrays.
//       /  \           D2 meets the region D3-D4-D5: melding them takes region replication.
//      D2   D3
//      |   /  \        All conditions compare one value, so LLVM makes the chain a `switch`. Columns and barriers as in
//      |  D4  D5       sb1.hip. Half of the threads are in D5, a quarter each in D2 and D4. In sb4c.hip the chain stays a chain.
//       \  \  /
//        D6
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL sb4
#endif
#ifndef IS_D2 // sb4c.hip has others
#define IS_D2 (((tid + step) & 3) == 0)
#define IS_D4 (((tid + step) & 3) == 1)
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *out, const unsigned *in, unsigned rounds, unsigned steps) {
  __shared__ unsigned left[3][SIZE];
  __shared__ unsigned middle[3][SIZE];
  __shared__ unsigned right[3][SIZE];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * SIZE + tid;

  for (unsigned row = 0; row < 3; ++row) {
    left[row][tid] = in[gid] + row;
    middle[row][tid] = in[gid] ^ row;
    right[row][tid] = in[gid] - row;
  }
  __syncthreads();

  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned step = 0; step < steps; ++step) {
      if (IS_D2) { // D2
        unsigned a = left[0][tid];
        unsigned b = left[1][tid];
        unsigned c = left[2][tid];
        a = a * 5 + b;
        b = (b ^ a) + step;
        c = (c << 3) - (a & b);
        a ^= c >> 7;
        b = b * 9 + (c | a);
        c += a ^ (b >> 3);
        a = a * 3 - (c >> 11);
        left[0][tid] = a;
        left[1][tid] = b;
        left[2][tid] = c;
      } else if (IS_D4) { // D4
        unsigned a = middle[0][tid];
        unsigned b = middle[1][tid];
        unsigned c = middle[2][tid];
        a = a * 5 + b;
        b = (b ^ a) + step;
        c = (c << 3) - (a & b);
        a ^= c >> 7;
        b = b * 9 + (c | a);
        c += a ^ (b >> 3);
        a = a * 3 - (c >> 11);
        middle[0][tid] = a;
        middle[1][tid] = b;
        middle[2][tid] = c;
      } else { // D5
        unsigned a = right[0][tid];
        unsigned b = right[1][tid];
        unsigned c = right[2][tid];
        a = a * 5 + b;
        b = (b ^ a) + step;
        c = (c << 3) - (a & b);
        a ^= c >> 7;
        b = b * 9 + (c | a);
        c += a ^ (b >> 3);
        a = a * 3 - (c >> 11);
        right[0][tid] = a;
        right[1][tid] = b;
        right[2][tid] = c;
      }
      __syncthreads();
    }
    left[1][tid] += middle[2][tid ^ 1] ^ (right[0][tid ^ 1] + round);
    __syncthreads();
  }

  unsigned sum = 0;
  for (unsigned row = 0; row < 3; ++row)
    sum = sum * 31 + (left[row][tid] ^ (middle[row][tid] + 3 * right[row][tid]));
  out[gid] = sum;
}
