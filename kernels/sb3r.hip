// SB3-R: the control flow of SB3 (sb3.hip), but no two of the then-blocks C2 to C6 are alike: their sequences of instructions
// were drawn at random when this file was written. Which pairs align best is for the alignment of subgraphs to find.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL sb3r
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *out, const unsigned *in, unsigned rounds, unsigned steps) {
  __shared__ unsigned first[2][2][SIZE];  // [side][row]: C2 and C3
  __shared__ unsigned middle[2][SIZE];    // [row]: C4
  __shared__ unsigned last[2][2][SIZE];   // [side][row]: C6 and C5
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * SIZE + tid;

  for (unsigned row = 0; row < 2; ++row) {
    for (unsigned side = 0; side < 2; ++side) {
      first[side][row][tid] = in[gid] + row * 2 + side;
      last[side][row][tid] = in[gid] * 3 + row + side;
    }
    middle[row][tid] = in[gid] ^ row;
  }
  __syncthreads();

  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned step = 0; step < steps; ++step) {
      if ((tid ^ (step >> 1)) & 1) {
        if ((first[0][0][tid] + step) & 2) { // C2
          unsigned a = first[0][0][tid];
          unsigned b = first[0][1][tid];
          a = a * 13 + b;
          b += a ^ step;
          a = a < b ? a : b + 13;
          b = a - b;
          a ^= b >> 14;
          b = a - b;
          a += b;
          b = b < a ? b : a + 9;
          b = a - b;
          first[0][0][tid] = a;
          first[0][1][tid] = b;
        }
        if (middle[0][tid] > middle[1][tid]) { // C4
          unsigned a = middle[0][tid];
          unsigned b = middle[1][tid];
          b = (b << 9) | (b >> 23);
          b ^= a + 5;
          b = b < a ? b : a + 11;
          a += b ^ step;
          b = a - (b & 0xb0db10aau);
          b += a ^ step;
          middle[0][tid] = a;
          middle[1][tid] = b;
        }
        if ((last[0][0][tid] ^ step) & 4) { // C6
          unsigned a = last[0][0][tid];
          unsigned b = last[0][1][tid];
          b += a << 18;
          a = a < b ? a : b + 11;
          a ^= b >> 19;
          a -= ~b >> 18;
          a ^= b >> 6;
          b ^= a >> 16;
          a = (a | 8) * b;
          b += a;
          a += b;
          b = (b | 8) * a;
          a -= ~b >> 3;
          last[0][0][tid] = a;
          last[0][1][tid] = b;
        }
      } else {
        if ((first[1][0][tid] - step) & 1) { // C3
          unsigned a = first[1][0][tid];
          unsigned b = first[1][1][tid];
          a ^= b + 37;
          b = a - b;
          b ^= a >> 3;
          a = a * 37 + b;
          b = a - (b & 0xf39cfaa7u);
          b += a ^ step;
          b += a << 5;
          b -= ~a >> 14;
          first[1][0][tid] = a;
          first[1][1][tid] = b;
        }
        if ((last[1][1][tid] + step) & 8) { // C5
          unsigned a = last[1][0][tid];
          unsigned b = last[1][1][tid];
          a = (a << 19) | (a >> 13);
          a = (a | 2) * b;
          b ^= a + 37;
          a -= ~b >> 18;
          a ^= b + 11;
          b = a - b;
          b ^= a + 25;
          a = a * 13 + b;
          b = (b << 11) | (b >> 21);
          b ^= a + 7;
          last[1][0][tid] = a;
          last[1][1][tid] = b;
        }
      }
      __syncthreads();
    }
    middle[0][tid] += first[1][1][tid ^ 1] ^ last[0][1][tid ^ 1];
    __syncthreads();
  }

  unsigned sum = middle[0][tid] ^ middle[1][tid];
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned row = 0; row < 2; ++row)
      sum = sum * 31 + (first[side][row][tid] ^ last[side][row][tid]);
  out[gid] = sum;
}
