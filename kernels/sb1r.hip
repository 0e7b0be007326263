// SB1-R: the control flow of SB1 (sb1.hip), but A2 and A3 are different sequences of instructions, drawn at random when this
// file was written. They align in part only; what is left over is unpredicated or predicated with selects. The sides are
// longer than SB1's: most of a step is spent in them.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL sb1r
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *out, const unsigned *in, unsigned rounds, unsigned steps) {
  __shared__ unsigned left[4][SIZE];
  __shared__ unsigned right[4][SIZE];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * SIZE + tid;

  for (unsigned row = 0; row < 4; ++row) {
    left[row][tid] = in[gid] + row;
    right[row][tid] = in[gid] ^ row;
  }
  __syncthreads();

  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned step = 0; step < steps; ++step) {
      if ((tid >> (step & 3)) & 1) { // A2
        unsigned a = left[0][tid];
        unsigned b = left[1][tid];
        unsigned c = left[2][tid];
        unsigned d = left[3][tid];
        d = (d | 8) * c;
        b = b * 13 + c;
        c = c < a ? c : a + 37;
        a = (a | 16) * b;
        b += a;
        b ^= c >> 19;
        a -= ~b >> 7;
        d += a ^ step;
        d = d * 37 + b;
        d = (d | 1) * b;
        d += b;
        a = a * 5 + b;
        a = d - (a & 0x37316c00u);
        c += a;
        b = a - (b & 0x7bf464ddu);
        b += d ^ step;
        a += d ^ step;
        a -= ~b >> 15;
        d ^= a >> 7;
        c = (c << 4) | (c >> 28);
        a = (a << 5) | (a >> 27);
        c -= ~a >> 8;
        d = (d | 2) * b;
        a ^= b + 3;
        c += a ^ step;
        b ^= a >> 7;
        left[0][tid] = a;
        left[1][tid] = b;
        left[2][tid] = c;
        left[3][tid] = d;
      } else { // A3
        unsigned a = right[0][tid];
        unsigned b = right[1][tid];
        unsigned c = right[2][tid];
        unsigned d = right[3][tid];
        a = (a << 9) | (a >> 23);
        c += d << 10;
        b = (b << 10) | (b >> 22);
        d = d * 37 + a;
        a = c - a;
        d ^= c + 19;
        d = (d << 14) | (d >> 18);
        d ^= c + 11;
        a += b << 12;
        c += b << 3;
        a = a < d ? a : d + 9;
        a = c - a;
        d ^= c + 3;
        b -= ~c >> 14;
        a = (a << 19) | (a >> 13);
        b = (b << 16) | (b >> 16);
        c ^= b + 11;
        b = (b << 17) | (b >> 15);
        c = a - c;
        c += a << 8;
        c = b - c;
        right[0][tid] = a;
        right[1][tid] = b;
        right[2][tid] = c;
        right[3][tid] = d;
      }
      __syncthreads();
    }
    left[1][tid] += right[2][tid ^ 1] + round;
    __syncthreads();
  }

  unsigned sum = 0;
  for (unsigned row = 0; row < 4; ++row)
    sum = sum * 31 + (left[row][tid] ^ (right[row][tid] + row));
  out[gid] = sum;
}
