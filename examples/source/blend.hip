// Mixes two images, by one rule where the mask is set and by another elsewhere: a branch that darm melds.
#include <hip/hip_runtime.h>
#include "blend.h"

__global__ void blend(float4 *out, const float4 *a, const float4 *b, const int *mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (mask[i])
    out[i] = a[i] * WEIGHT + b[i] * (1.0f - WEIGHT);
  else
    out[i] = b[i] * WEIGHT + a[i] * (1.0f - WEIGHT);
}

int main() {
  float4 *image;
  if (hipMalloc(&image, 1024 * sizeof(float4)) != hipSuccess)
    return 1;
  blend<<<4, 256>>>(image, image, image, reinterpret_cast<int *>(image), 1024);
  return hipDeviceSynchronize() != hipSuccess;
}
