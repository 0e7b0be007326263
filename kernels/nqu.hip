// NQU: n queens by backtracking. A thread counts the ways to complete one placement of the first two queens, with the stack of its
// search in LDS; a workgroup adds up what its threads found.
//
// Pattern: a loop around a divergent if-then-elseif-then: if no column of this row is left, a row back; else the next column, and
// if that completes the board, a solution and a row back, else a row further. That the next column is on the board is asked once
// more, as common GPU versions do it, which leaves a third way back. Sets of columns and of diagonals are bit masks; the stack's
// rows are arrays over the threads, so a thread's accesses stay in its bank of LDS.
//
// A start is a number: first = start mod n, second = first + 2 + (start / n) mod (n - 3), modulo n, which never attacks the
// first. 4 <= n <= ROWS + 2.
#include <hip/hip_runtime.h>

#define ROWS 10

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *solutions, const unsigned *starts, unsigned n) {
  __shared__ unsigned columns[ROWS][SIZE];    // taken, above this row
  __shared__ unsigned falling[ROWS][SIZE];    // diagonals that are taken, where they meet this row
  __shared__ unsigned rising[ROWS][SIZE];
  __shared__ unsigned closed[ROWS][SIZE];     // attacked, or tried already
  __shared__ unsigned sums[SIZE];
  const unsigned tid = threadIdx.x;
  const unsigned board = (1u << n) - 1;
  const int rows = n - 2;

  const unsigned start = starts[blockIdx.x * SIZE + tid];
  const unsigned first = start % n;
  const unsigned one = 1u << first, two = 1u << ((first + 2 + start / n % (n - 3)) % n);
  columns[0][tid] = one | two;
  falling[0][tid] = one << 2 | two << 1;
  rising[0][tid] = one >> 2 | two >> 1;
  closed[0][tid] = columns[0][tid] | falling[0][tid] | rising[0][tid];

  unsigned found = 0;
  int row = 0;
  while (row >= 0) {
    const unsigned none = closed[row][tid];
    if ((none & board) == board) {
      row--;
    } else {
      const unsigned queen = (none + 1) & ~none;
      closed[row][tid] = none | queen;
      if ((queen & board) != 0) {
        if (row + 1 == rows) {
          found++;
          row--;
        } else {
          const unsigned column = columns[row][tid] | queen;
          const unsigned fall = (falling[row][tid] | queen) << 1;
          const unsigned rise = (rising[row][tid] | queen) >> 1;
          row++;
          columns[row][tid] = column;
          falling[row][tid] = fall;
          rising[row][tid] = rise;
          closed[row][tid] = column | fall | rise;
        }
      } else {
        row--;
      }
    }
  }

  sums[tid] = found;
  __syncthreads();
  for (unsigned width = SIZE; width > 1; width = (width + 1) / 2) {
    const unsigned other = tid + (width + 1) / 2;
    if (other < width)
      sums[tid] += sums[other];
    __syncthreads();
  }
  if (tid == 0)
    solutions[blockIdx.x] = sums[0];
}
