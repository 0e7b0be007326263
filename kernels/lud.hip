// LUD: the perimeter step of a blocked LU decomposition without pivoting. The matrix has tiles of TILE x TILE elements; the
// diagonal tile at `offset` has been decomposed, workgroup b solves the tile b + 1 tiles to its right (rows: L is known) and the
// one b + 1 tiles below (columns: U is known).
//
// Pattern: three branches on the thread's id, which half of the workgroup it is in: load, compute and store a row tile or a column
// tile, in different arrays of LDS. A thread owns a column of the row tile or a row of the column tile. SIZE is the number of
// threads, twice the tile's width, so the halves are in one wave of 64 up to SIZE 64.
#include <hip/hip_runtime.h>

#define TILE (SIZE / 2)

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(float *matrix, unsigned width, unsigned offset) {
  __shared__ float diagonal[TILE][TILE];
  __shared__ float rows[TILE][TILE];
  __shared__ float columns[TILE][TILE];
  const unsigned tid = threadIdx.x;
  const unsigned apart = (blockIdx.x + 1) * TILE;
  float *corner = matrix + offset * width + offset;
  float *right = corner + apart;
  float *below = corner + apart * width;

  if (tid < TILE) {
    const unsigned at = tid;
    for (unsigned i = 0; i < TILE / 2; i++)
      diagonal[i][at] = corner[i * width + at];
    for (unsigned i = 0; i < TILE; i++)
      rows[i][at] = right[i * width + at];
  } else {
    const unsigned at = tid - TILE;
    for (unsigned i = TILE / 2; i < TILE; i++)
      diagonal[i][at] = corner[i * width + at];
    for (unsigned i = 0; i < TILE; i++)
      columns[i][at] = below[i * width + at];
  }
  __syncthreads();

  if (tid < TILE) {
    const unsigned at = tid;
    for (unsigned i = 1; i < TILE; i++) {
      for (unsigned j = 0; j < i; j++)
        rows[i][at] -= diagonal[i][j] * rows[j][at];
    }
  } else {
    const unsigned at = tid - TILE;
    for (unsigned i = 0; i < TILE; i++) {
      for (unsigned j = 0; j < i; j++)
        columns[at][i] -= columns[at][j] * diagonal[j][i];
      columns[at][i] /= diagonal[i][i];
    }
  }
  __syncthreads();

  if (tid < TILE) {
    const unsigned at = tid;
    for (unsigned i = 1; i < TILE; i++)
      right[i * width + at] = rows[i][at];
  } else {
    const unsigned at = tid - TILE;
    for (unsigned i = 0; i < TILE; i++)
      below[i * width + at] = columns[i][at];
  }
}
