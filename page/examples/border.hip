// A stencil with a border: threads at the edge of the image mark their pixel, all others compute a mean.
//
// The branch is divergent, but its sides have next to nothing in common. Melding them would make the threads of the
// border wait for selects that save no instruction. darm looks at the branch, and leaves it alone: see "Remarks".
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(64) void border(float *out, unsigned char *edge, const float *in, int width,
                                                        int height) {
  const int x = blockIdx.x * 64 + threadIdx.x;
  const int y = blockIdx.y;
  const int at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
    edge[at] = 1;
  else
    out[at] = 0.25f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
}
