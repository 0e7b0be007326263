// BIT: bitonic sort of one bucket per workgroup in LDS; the paper's running example.
//
// Pattern: inside the two loops of the sorting network a branch on the thread's id chooses the direction; both sides are an
// if-then region (compare two LDS elements, swap). One thread per element; NUM is the bucket size and the workgroup size.
// Sorts ascending. No two threads touch the same pair between two barriers, so the result does not depend on scheduling.
#include <hip/hip_runtime.h>

#ifndef NUM
#define NUM 64
#endif
static_assert((NUM & (NUM - 1)) == 0, "bitonic sort needs a power of two");

static __device__ __forceinline__ void exchange(int &a, int &b) {
  int old = a;
  a = b;
  b = old;
}

extern "C" __global__ __launch_bounds__(NUM) void bitonic(int *values) {
  __shared__ int bucket[NUM];
  const unsigned tid = threadIdx.x;
  int *mine = values + blockIdx.x * NUM + tid;

  bucket[tid] = *mine;
  __syncthreads();

  for (unsigned size = 2; size <= NUM; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned other = tid ^ stride;
      if (other > tid) {
        if ((tid & size) == 0) {
          if (bucket[tid] > bucket[other])
            exchange(bucket[tid], bucket[other]);
        } else {
          if (bucket[tid] < bucket[other])
            exchange(bucket[tid], bucket[other]);
        }
      }
      __syncthreads();
    }
  }

  *mine = bucket[tid];
}
