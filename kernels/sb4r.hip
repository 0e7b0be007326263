// SB4-R: the control flow of SB4 (sb4.hip), but D2, D4 and D5 are different sequences of instructions, drawn at random when
// this file was written.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL sb4r
#endif
#ifndef IS_D2 // sb4cr.hip has others
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
        b = a - (b & 0x4f6ceb77u);
        b = (b << 9) | (b >> 23);
        c ^= a >> 8;
        b -= ~a >> 6;
        c += a ^ step;
        a -= ~b >> 3;
        a = (a | 1) * c;
        a ^= c >> 17;
        c = a - (c & 0x940588a1u);
        c ^= b >> 14;
        c += a;
        a += c ^ step;
        b = b < c ? b : c + 37;
        b += a;
        c = (c << 5) | (c >> 27);
        a = (a | 16) * c;
        left[0][tid] = a;
        left[1][tid] = b;
        left[2][tid] = c;
      } else if (IS_D4) { // D4
        unsigned a = middle[0][tid];
        unsigned b = middle[1][tid];
        unsigned c = middle[2][tid];
        a += b;
        a = a * 11 + c;
        a = a < c ? a : c + 9;
        b = a - (b & 0xf7b4c6c5u);
        a = (a << 5) | (a >> 27);
        c = a - c;
        c = (c | 4) * a;
        c ^= a + 25;
        a += c;
        b = c - b;
        c = c < b ? c : b + 37;
        b = (b | 2) * c;
        c ^= a + 11;
        middle[0][tid] = a;
        middle[1][tid] = b;
        middle[2][tid] = c;
      } else { // D5
        unsigned a = right[0][tid];
        unsigned b = right[1][tid];
        unsigned c = right[2][tid];
        c = (c << 11) | (c >> 21);
        c ^= b >> 10;
        c -= ~a >> 18;
        c = (c << 4) | (c >> 28);
        b = (b | 4) * c;
        c ^= b >> 3;
        b = b * 11 + c;
        a ^= b >> 7;
        c = (c << 12) | (c >> 20);
        c += b ^ step;
        b += c ^ step;
        c = b - (c & 0x0a34c60bu);
        b = b * 3 + a;
        b += a ^ step;
        a = (a << 17) | (a >> 15);
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
