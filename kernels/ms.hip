// MS: bottom-up merge sort in global memory. Every pass merges neighbouring runs into runs of twice the length, from one buffer
// to the other; a thread merges one pair of runs after the other. A workgroup sorts runs of `longest` elements in its part of the
// array, which has SIZE * perThread elements.
//
// Pattern: in the merge loop a data-dependent branch on a short-circuit condition (is there an element left in the left run, and
// none in the right one or a larger one); both sides copy an element and advance an index.
// perThread and longest are powers of two. `sorted` is the buffer of the last pass, whichever that is.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(int *values, int *spare, unsigned perThread, unsigned longest) {
  const unsigned tid = threadIdx.x, count = SIZE * perThread;
  int *from = values + blockIdx.x * count;
  int *to = spare + blockIdx.x * count;

  for (unsigned width = 2; width <= longest; width *= 2) {
    for (unsigned start = tid * width; start < count; start += SIZE * width) {
      const unsigned middle = start + width / 2, end = start + width;
      unsigned left = start, right = middle;
      for (unsigned k = start; k < end; k++) {
        if (left < middle && (right >= end || from[left] < from[right])) {
          to[k] = from[left];
          left++;
        } else {
          to[k] = from[right];
          right++;
        }
      }
    }
    __syncthreads();
    int *last = from;
    from = to;
    to = last;
  }
}
