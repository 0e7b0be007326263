// DCT: quantisation of a plane of coefficients of the discrete cosine transform, in place. A workgroup has one block of SIZE x SIZE
// coefficients, each with a quantum of its own, and rounds to the nearest multiple, halves away from zero.
//
// Pattern: a diamond on the coefficient's sign around an integer division; the side of the negative ones negates twice. No LDS.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(SIZE *SIZE) void KERNEL(int *plane, const int *quanta, unsigned width) {
  const unsigned x = threadIdx.x, y = threadIdx.y;
  int *mine = plane + (blockIdx.y * SIZE + y) * width + blockIdx.x * SIZE + x;
  const int quantum = quanta[y * SIZE + x];

  int level = *mine;
  if (level < 0) {
    level = -level;
    level += quantum / 2;
    level /= quantum;
    level = -level;
  } else {
    level += quantum / 2;
    level /= quantum;
  }
  *mine = level * quantum;
}
