// Sparse matrix times vector, one row per thread, rows of two kinds: a short row is read from an ELL part, column by column for
// the sake of coalescing, a long one from the CSR arrays. Divergent: the kind of the row, with a loop on either side, and
// the loops' trip counts.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 128
#endif
#ifndef KERNEL
#define KERNEL spmv
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(float *y, const float *x, const unsigned *starts, const unsigned *columns,
                                                          const float *values, const unsigned *ellColumns, const float *ellValues,
                                                          unsigned rows, unsigned width) {
  const unsigned row = blockIdx.x * SIZE + threadIdx.x;
  const unsigned first = starts[row], end = starts[row + 1];
  float sum = 0.0f;
  if (end - first <= width) {
    for (unsigned k = 0; k < end - first; ++k)
      sum += ellValues[k * rows + row] * x[ellColumns[k * rows + row]];
  } else {
    for (unsigned k = first; k < end; ++k)
      sum += values[k] * x[columns[k]];
  }
  y[row] = sum;
}
