// Sparse matrices.
#include <hip/hip_runtime.h>

// A row per thread.
extern "C" __global__ void csr_scalar(float *y, const int *starts, const int *columns, const float *values, const float *x,
                                      int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}

// Short rows by one thread, long rows by all threads of the block together.
extern "C" __global__ void csr_adaptive(float *y, const int *starts, const int *columns, const float *values, const float *x,
                                        int rows) {
  __shared__ float partial[64];
  const int first = blockIdx.x * 64, t = threadIdx.x;
  const int row = first + t;
  if (row < rows) {
    const int length = starts[row + 1] - starts[row];
    if (length <= 16) {
      float sum = 0;
      for (int k = starts[row]; k < starts[row + 1]; ++k)
        sum += values[k] * x[columns[k]];
      y[row] = sum;
    }
  }
  const int last = min(first + 64, rows);
  for (int r = first; r < last; ++r) {
    if (starts[r + 1] - starts[r] <= 16)
      continue;
    float sum = 0;
    for (int k = starts[r] + t; k < starts[r + 1]; k += 64)
      sum += values[k] * x[columns[k]];
    partial[t] = sum;
    __syncthreads();
    for (int step = 32; step > 0; step >>= 1) {
      if (t < step)
        partial[t] += partial[t + step];
      __syncthreads();
    }
    if (t == 0)
      y[r] = partial[0];
    __syncthreads();
  }
}

// ELLPACK with padding of -1 for missing entries.
extern "C" __global__ void ell_padded(float *y, const int *columns, const float *values, const float *x, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    const int column = columns[k * rows + row];
    if (column >= 0)
      sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}

// Gauss-Seidel style sweep: lower part with new values, upper part with old ones, the diagonal apart.
extern "C" __global__ void split_sweep(float *next, const int *starts, const int *columns, const float *values,
                                       const float *now, const float *b, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float lower = 0, upper = 0, diagonal = 1;
  for (int k = starts[row]; k < starts[row + 1]; ++k) {
    const int column = columns[k];
    if (column < row)
      lower += values[k] * b[column];
    else if (column > row)
      upper += values[k] * now[column];
    else
      diagonal = values[k] + 2.0f;
  }
  next[row] = (b[row] - lower - upper) / diagonal;
}

// Sparse vectors: dot product by merging two sorted lists of indices.
extern "C" __global__ void sparse_dot(float *result, const int *starts, const int *columns, const float *values, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs)
    return;
  int a = starts[2 * i], b = starts[2 * i + 1];
  const int end_a = b, end_b = starts[2 * i + 2];
  float sum = 0;
  while (a < end_a && b < end_b) {
    const int p = columns[a], q = columns[b];
    if (p == q)
      sum += values[a++] * values[b++];
    else if (p < q)
      ++a;
    else
      ++b;
  }
  result[i] = sum;
}

// Sum of two sparse rows into a third, sorted.
extern "C" __global__ void sparse_add(int *out_columns, float *out_values, int *lengths, const int *starts, const int *columns,
                                      const float *values, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs)
    return;
  int a = starts[2 * i], b = starts[2 * i + 1], at = a;
  const int end_a = b, end_b = starts[2 * i + 2];
  while (a < end_a || b < end_b) {
    if (b >= end_b || (a < end_a && columns[a] < columns[b])) {
      out_columns[at] = columns[a];
      out_values[at] = values[a];
      ++a;
    } else if (a >= end_a || columns[b] < columns[a]) {
      out_columns[at] = columns[b];
      out_values[at] = values[b];
      ++b;
    } else {
      out_columns[at] = columns[a];
      out_values[at] = values[a] + values[b];
      ++a;
      ++b;
    }
    ++at;
  }
  lengths[i] = at - starts[2 * i];
}

// Drops small entries: absolute below the diagonal, relative above it.
extern "C" __global__ void threshold_entries(float *kept, int *counts, const int *starts, const int *columns,
                                             const float *values, const float *norms, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  int count = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k) {
    const float value = values[k];
    bool keep;
    if (columns[k] < row)
      keep = fabsf(value) > 0.1f;
    else if (columns[k] == row)
      keep = true;
    else
      keep = fabsf(value) > 0.1f * norms[row];
    if (keep) {
      kept[k] = value;
      ++count;
    }
  }
  counts[row] = count;
}
