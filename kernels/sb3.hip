// SB3: the paper's third synthetic pattern, several if-then regions in sequence on each side, in two nested loops.
//
//        C1            C2, C3, C4, C5 and C6 are if-then regions. The then-blocks of C2 and C3 perform identical computations,
//       /  \           and so do those of C6 and C5; C4 stands between and has no partner. Aligning the two sequences
//      C2   C3         pairs C2-C3 and C6-C5 and leaves C4 a gap: pairing in order (C4-C5) would be worse.
//      |     |
//      C4    |
//      |     |
//      C6   C5         Every region has its own piece of LDS.
//       \  /
//        C7
//
// Columns and barriers as in sb1.hip.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif

extern "C" __global__ __launch_bounds__(SIZE) void sb3(unsigned *out, const unsigned *in, unsigned rounds, unsigned steps) {
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
          a = a * 5 + b;
          b = (b ^ a) + step;
          a ^= b >> 5;
          b = b * 9 - (a & 0xffff);
          first[0][0][tid] = a;
          first[0][1][tid] = b;
        }
        if (middle[0][tid] > middle[1][tid]) { // C4
          unsigned a = middle[0][tid];
          unsigned b = middle[1][tid];
          b |= a >> 11;
          a = (a << 7) | (a >> 25);
          middle[0][tid] = b & ~(a << 2);
          middle[1][tid] = a | 64;
        }
        if ((last[0][0][tid] ^ step) & 4) { // C6
          unsigned a = last[0][0][tid];
          unsigned b = last[0][1][tid];
          b = b - (a << 2);
          a = (a | 3) * (b >> 1);
          b += a ^ 0x9e3779b9u;
          a -= b >> 9;
          last[0][0][tid] = a + round;
          last[0][1][tid] = b;
        }
      } else {
        if ((first[1][0][tid] - step) & 1) { // C3
          unsigned a = first[1][0][tid];
          unsigned b = first[1][1][tid];
          a = a * 5 + b;
          b = (b ^ a) + step;
          a ^= b >> 5;
          b = b * 9 - (a & 0xffff);
          first[1][0][tid] = a;
          first[1][1][tid] = b;
        }
        if ((last[1][1][tid] + step) & 8) { // C5
          unsigned a = last[1][0][tid];
          unsigned b = last[1][1][tid];
          b = b - (a << 2);
          a = (a | 3) * (b >> 1);
          b += a ^ 0x9e3779b9u;
          a -= b >> 9;
          last[1][0][tid] = a + round;
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
