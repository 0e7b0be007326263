// Grids with borders.
#include <hip/hip_runtime.h>

// Heat: fixed temperature at the border, five points inside.
extern "C" __global__ void heat_fixed_border(float *next, const float *now, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
    next[i] = now[i];
  else
    next[i] = now[i] + 0.2f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4.0f * now[i]);
}

// The same where nothing flows through the border: each direction has a test of its own.
extern "C" __global__ void heat_no_flux(float *next, const float *now, const float *power, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  const float here = now[i];
  float flow = 0;
  if (x > 0)
    flow += now[i - 1] - here;
  if (x < width - 1)
    flow += now[i + 1] - here;
  if (y > 0)
    flow += now[i - width] - here;
  if (y < height - 1)
    flow += now[i + width] - here;
  next[i] = here + 0.15f * flow + 0.01f * power[i];
}

// Shock absorber: one-dimensional wave, Mur's condition at either end, twice the points by a tile with a halo.
extern "C" __global__ void wave_absorbing(float *next, const float *now, const float *before, int n) {
  __shared__ float tile[258];
  const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = i < n ? now[i] : 0.0f;
  if (threadIdx.x == 0)
    tile[0] = i > 0 ? now[i - 1] : 0.0f;
  if (threadIdx.x == 255)
    tile[257] = i + 1 < n ? now[i + 1] : 0.0f;
  __syncthreads();
  if (i >= n)
    return;
  if (i == 0)
    next[i] = tile[t + 1] - 0.333f * (tile[t + 1] - tile[t]);
  else if (i == n - 1)
    next[i] = tile[t - 1] - 0.333f * (tile[t - 1] - tile[t]);
  else
    next[i] = 2.0f * tile[t] - before[i] + 0.25f * (tile[t + 1] - 2.0f * tile[t] + tile[t - 1]);
}

// Lattice Boltzmann, nine directions: walls reflect, fluid collides.
extern "C" __global__ void lattice_boltzmann(float *next, const float *now, const unsigned char *wall, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  float f[9];
  for (int k = 0; k < 9; ++k)
    f[k] = now[k * cells + i];
  if (wall[i]) {
    const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    for (int k = 0; k < 9; ++k)
      next[k * cells + i] = f[opposite[k]];
    return;
  }
  const float density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
  const float ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density;
  const float uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density;
  const float square = 1.5f * (ux * ux + uy * uy);
  const float cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  for (int k = 0; k < 9; ++k) {
    const float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
    const float cu = 3.0f * (cx[k] * ux + cy[k] * uy);
    next[k * cells + i] = f[k] + 0.6f * (weight * density * (1.0f + cu + 0.5f * cu * cu - square) - f[k]);
  }
}

// Conway's life on a torus: rules for live and for dead cells.
extern "C" __global__ void life_torus(unsigned char *next, const unsigned char *now, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
  const int up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
  const int sum = now[up * width + left] + now[up * width + x] + now[up * width + right] + now[y * width + left] +
                  now[y * width + right] + now[down * width + left] + now[down * width + x] + now[down * width + right];
  if (now[y * width + x])
    next[y * width + x] = sum == 2 || sum == 3;
  else
    next[y * width + x] = sum == 3;
}

// Wireworld: empty, conductor, head, tail.
extern "C" __global__ void wireworld(unsigned char *next, const unsigned char *now, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x, state = now[i];
  if (state == 3) {
    int heads = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int u = x + dx, v = y + dy;
        if (u >= 0 && v >= 0 && u < width && v < height && now[v * width + u] == 1)
          ++heads;
      }
    next[i] = heads == 1 || heads == 2 ? 1 : 3;
  } else if (state == 1)
    next[i] = 2;
  else if (state == 2)
    next[i] = 3;
  else
    next[i] = 0;
}

// Maxwell's equations in two dimensions, electric field: a lossy layer at the border damps with a profile.
extern "C" __global__ void fdtd_layer(float *ez, const float *hx, const float *hy, const float *profile, int width,
                                      int height, int layer) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width || y >= height)
    return;
  const int i = y * width + x;
  const float curl = hy[i] - hy[i - 1] - hx[i] + hx[i - width];
  const int distance = min(min(x, width - 1 - x), min(y, height - 1 - y));
  if (distance < layer) {
    const float sigma = profile[distance];
    ez[i] = (1.0f - sigma) / (1.0f + sigma) * ez[i] + 0.5f / (1.0f + sigma) * curl;
  } else
    ez[i] = ez[i] + 0.5f * curl;
}

// Red-black relaxation with obstacles: a thread has a red or a black cell by its position.
extern "C" __global__ void red_black_sor(float *p, const float *source, const unsigned char *solid, int width, int height,
                                         int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  if (((x + y) & 1) != colour)
    return;
  const int i = y * width + x;
  if (solid[i])
    return;
  float sum = 0, weight = 0;
  if (!solid[i - 1]) {
    sum += p[i - 1];
    weight += 1.0f;
  }
  if (!solid[i + 1]) {
    sum += p[i + 1];
    weight += 1.0f;
  }
  if (!solid[i - width]) {
    sum += p[i - width];
    weight += 1.0f;
  }
  if (!solid[i + width]) {
    sum += p[i + width];
    weight += 1.0f;
  }
  if (weight > 0)
    p[i] += 1.7f * ((sum - source[i]) / weight - p[i]);
}

// Gray and Scott's reaction and diffusion; the border mirrors.
extern "C" __global__ void gray_scott_mirror(float *u2, float *v2, const float *u1, const float *v1, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  const int l = x > 0 ? i - 1 : i + 1, r = x < width - 1 ? i + 1 : i - 1;
  const int a = y > 0 ? i - width : i + width, b = y < height - 1 ? i + width : i - width;
  const float u = u1[i], v = v1[i], reaction = u * v * v;
  u2[i] = u + 0.16f * (u1[l] + u1[r] + u1[a] + u1[b] - 4 * u) - reaction + 0.035f * (1 - u);
  v2[i] = v + 0.08f * (v1[l] + v1[r] + v1[a] + v1[b] - 4 * v) + reaction - 0.1f * v;
}

// Three-dimensional seven points in a column, neighbours clamped at the faces of the box.
extern "C" __global__ void laplace_column(float *out, const float *in, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int slice = width * height;
  int i = y * width + x;
  for (int z = 0; z < depth; ++z, i += slice) {
    const float here = in[i];
    const float west = x == 0 ? here : in[i - 1], east = x == width - 1 ? here : in[i + 1];
    const float north = y == 0 ? here : in[i - width], south = y == height - 1 ? here : in[i + width];
    const float below = z == 0 ? here : in[i - slice], above = z == depth - 1 ? here : in[i + slice];
    out[i] = 0.4f * here + 0.1f * (west + east + north + south + below + above);
  }
}
