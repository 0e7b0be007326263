// SRAD: the first step of speckle reducing anisotropic diffusion: derivatives of an image in four directions and the diffusion
// coefficient of every pixel. A workgroup has one tile of SIZE x SIZE pixels; at the image's edge a pixel is its own neighbour.
//
// Patterns: (1) a chain of branches on the position in the tile: at its border, neighbours come from global memory instead of from
// the tile. No LDS in it. (2) a data-dependent three-way branch with LDS accesses: the coefficient is below 0, above 1 or between.
// It cannot be below 0 with a positive `speckle`, so only two of the ways are taken.
// A thread writes its own element of the arrays of LDS only, and reads others after a barrier.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(SIZE *SIZE) void KERNEL(float *coefficients, float *flows, const float *image,
                                                                unsigned width, unsigned height, float speckle, float rate) {
  __shared__ float tile[SIZE][SIZE];
  __shared__ float coefficient[SIZE][SIZE];
  __shared__ float flow[SIZE][SIZE];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * SIZE + tx, y = blockIdx.y * SIZE + ty;
  const unsigned at = y * width + x;
  const unsigned up = y == 0 ? at : at - width, down = y == height - 1 ? at : at + width;
  const unsigned before = x == 0 ? at : at - 1, after = x == width - 1 ? at : at + 1;

  const float mine = image[at];
  tile[ty][tx] = mine;
  __syncthreads();

  // Neighbours in the tile; at its border, the pixel itself.
  float north = tile[ty == 0 ? 0 : ty - 1][tx], south = tile[ty == SIZE - 1 ? ty : ty + 1][tx];
  float west = tile[ty][tx == 0 ? 0 : tx - 1], east = tile[ty][tx == SIZE - 1 ? tx : tx + 1];
  if (ty == 0 && tx == 0) {
    north = image[up];
    west = image[before];
  } else if (ty == 0 && tx == SIZE - 1) {
    north = image[up];
    east = image[after];
  } else if (ty == SIZE - 1 && tx == SIZE - 1) {
    south = image[down];
    east = image[after];
  } else if (ty == SIZE - 1 && tx == 0) {
    south = image[down];
    west = image[before];
  } else if (ty == 0) {
    north = image[up];
  } else if (tx == SIZE - 1) {
    east = image[after];
  } else if (ty == SIZE - 1) {
    south = image[down];
  } else if (tx == 0) {
    west = image[before];
  }
  north -= mine;
  south -= mine;
  west -= mine;
  east -= mine;

  const float gradient = (north * north + south * south + west * west + east * east) / (mine * mine);
  const float laplacian = (north + south + west + east) / mine;
  const float scale = 1.0f + 0.25f * laplacian;
  const float variation = (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (scale * scale);
  const float c = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));

  if (c < 0.0f) {
    coefficient[ty][tx] = 0.0f;
    flow[ty][tx] = 0.0f;
  } else if (c > 1.0f) {
    coefficient[ty][tx] = 1.0f;
    flow[ty][tx] = rate * laplacian * tile[ty][tx];
  } else {
    coefficient[ty][tx] = c;
    flow[ty][tx] = rate * c * laplacian * tile[ty][tx];
  }
  __syncthreads();
  coefficients[at] = coefficient[ty][tx];
  flows[at] = flow[ty][tx];
}
