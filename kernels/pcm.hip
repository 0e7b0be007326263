// PCM: partition and concurrent merge, a sort of one part per workgroup in LDS. Every thread owns a bucket of `length`
// elements, at most MOST, sorts it by insertion, and then Batcher's odd-even merge sort runs over the buckets, where a comparator of two elements has
// become a merge of two sorted buckets: the lower thread keeps the smaller half, the upper one the larger half.
//
// Pattern: in every step of the network a branch on the thread's id; both sides are a loop around a data-dependent branch, one
// merges upwards from the smallest element, the other downwards from the largest. One bucket per thread, SIZE threads.
// A thread reads its partner's bucket and writes its own `merged` column; buckets change between two barriers, by their owners.
// Buckets are columns, so a thread's accesses stay in its bank of LDS.
#include <hip/hip_runtime.h>

#define MOST 16
static_assert((SIZE & (SIZE - 1)) == 0, "the network needs a power of two");

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(int *values, int length) {
  __shared__ int bucket[MOST][SIZE];
  __shared__ int merged[MOST][SIZE];
  const unsigned tid = threadIdx.x;
  int *mine = values + blockIdx.x * SIZE * length;

  for (int i = 0; i < length; i++) {
    const int value = mine[i * SIZE + tid];
    int at = i;
    while (at > 0 && bucket[at - 1][tid] > value) {
      bucket[at][tid] = bucket[at - 1][tid];
      at--;
    }
    bucket[at][tid] = value;
  }
  __syncthreads();

  for (unsigned sorted = 1; sorted < SIZE; sorted *= 2) {
    for (unsigned stride = sorted; stride > 0; stride /= 2) {
      // Comparators join buckets `stride` apart within blocks of 2 * sorted; but in the first step of a block, the buckets at its
      // two ends have none.
      const unsigned offset = stride & (sorted - 1);
      const bool lower = tid >= offset && ((tid - offset) & stride) == 0;
      const unsigned other = lower ? tid + stride : tid - stride;
      const bool paired = tid >= offset && other / (2 * sorted) == tid / (2 * sorted);
      if (paired) {
        if (lower) {
          int a = 0, b = 0;
          for (int k = 0; k < length; k++) {
            const int x = bucket[a][tid], y = bucket[b][other];
            if (x <= y) {
              merged[k][tid] = x;
              a++;
            } else {
              merged[k][tid] = y;
              b++;
            }
          }
        } else {
          int a = length - 1, b = length - 1;
          for (int k = length - 1; k >= 0; k--) {
            const int x = bucket[a][other], y = bucket[b][tid];
            if (x > y) {
              merged[k][tid] = x;
              a--;
            } else {
              merged[k][tid] = y;
              b--;
            }
          }
        }
      }
      __syncthreads();
      if (paired) {
        for (int i = 0; i < length; i++)
          bucket[i][tid] = merged[i][tid];
      }
      __syncthreads();
    }
  }

  for (int i = 0; i < length; i++)
    mine[tid * length + i] = bucket[i][tid];
}
