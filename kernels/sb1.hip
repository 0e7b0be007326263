// SB1: the paper's first synthetic pattern, a diamond in two nested loops.
//
//        A1           A2 and A3 are single blocks: loads from LDS, a run of arithmetic, stores to LDS.
//       /  \          They perform identical computations on different pieces of LDS: `left` and `right`.
//      A2   A3        The branch depends on the thread and on the inner loop's counter, so it is divergent in every
//       \  /          iteration and can be neither unswitched nor hoisted.
//        A4
//
// Inside the inner loop a thread uses only its own column of the arrays, and what it reads of its neighbour's it reads
// between barriers: no races, the same result in any order. The barrier in the inner loop also keeps the data where the
// pattern wants it: without one LLVM holds a thread's own column in registers and the accesses to LDS are gone.
// The trip counts are arguments, so that the loops stay loops.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif

extern "C" __global__ __launch_bounds__(SIZE) void sb1(unsigned *out, const unsigned *in, unsigned rounds, unsigned steps) {
  __shared__ unsigned left[3][SIZE];
  __shared__ unsigned right[3][SIZE];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * SIZE + tid;

  for (unsigned row = 0; row < 3; ++row) {
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
        a = a * 5 + b;
        b = (b ^ a) + step;
        c = (c << 3) - (a & b);
        a ^= c >> 7;
        b = b * 9 + (c | a);
        c += a ^ (b >> 3);
        left[0][tid] = a;
        left[1][tid] = b;
        left[2][tid] = c;
      } else { // A3
        unsigned a = right[0][tid];
        unsigned b = right[1][tid];
        unsigned c = right[2][tid];
        a = a * 5 + b;
        b = (b ^ a) + step;
        c = (c << 3) - (a & b);
        a ^= c >> 7;
        b = b * 9 + (c | a);
        c += a ^ (b >> 3);
        right[0][tid] = a;
        right[1][tid] = b;
        right[2][tid] = c;
      }
      __syncthreads();
    }
    left[1][tid] += right[2][tid ^ 1] + round;
    __syncthreads();
  }

  out[gid] = left[0][tid] + left[1][tid] + left[2][tid] + (right[0][tid] ^ right[1][tid] ^ right[2][tid]);
}
