// Throughput computing: lattices, grids, histograms, video, sparse matrices.
#include <hip/hip_runtime.h>

// Potential on a slice of lattice points by atoms in cells: inside the cut-off only, none within an atom.
extern "C" __global__ void cutcp_lattice(float *potential, const float *atoms, const int *starts, float spacing, float cell_size,
                                         float cutoff2, float exclusion2, int cells, int width, int height) {
  const int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= width || iy >= height)
    return;
  const float x = (float)ix * spacing, y = (float)iy * spacing;
  const int cx = (int)(x / cell_size), cy = (int)(y / cell_size);
  float energy = 0;
  bool excluded = false;
  for (int v = max(0, cy - 1); v <= min(cells - 1, cy + 1) && !excluded; ++v)
    for (int u = max(0, cx - 1); u <= min(cells - 1, cx + 1) && !excluded; ++u) {
      const int cell = v * cells + u;
      for (int k = starts[cell]; k < starts[cell + 1]; ++k) {
        const float dx = atoms[4 * k] - x, dy = atoms[4 * k + 1] - y, dz = atoms[4 * k + 2];
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < exclusion2) {
          excluded = true;
          break;
        }
        if (r2 < cutoff2) {
          const float s = 1.0f - r2 / cutoff2;
          energy += atoms[4 * k + 3] * rsqrtf(r2) * s * s;
        }
      }
    }
  potential[iy * width + ix] = excluded ? 0.0f : energy;
}

// Sums of absolute differences, one macroblock a block: candidates within its range, given up when they are too large.
extern "C" __global__ void sad_search(unsigned *best, int *tried, const unsigned char *current, const unsigned char *reference,
                                      const unsigned char *ranges, int width, int height) {
  __shared__ unsigned least;
  __shared__ int evaluated;
  const int t = threadIdx.x, across = width / 8, block = blockIdx.x;
  const int x0 = block % across * 8, y0 = block / across * 8;
  const int range = ranges[block], side = 2 * range + 1;
  if (t == 0) {
    least = 0xffffffffu;
    evaluated = 0;
  }
  __syncthreads();
  unsigned mine = 0xffffffffu;
  for (int candidate = t; candidate < side * side; candidate += blockDim.x) {
    const int dx = candidate % side - range, dy = candidate / side - range;
    if (x0 + dx < 0 || y0 + dy < 0 || x0 + dx + 8 > width || y0 + dy + 8 > height)
      continue;
    unsigned sad = (unsigned)(abs(dx) + abs(dy));
    bool kept = true;
    for (int row = 0; row < 8; ++row) {
      const unsigned char *a = current + (y0 + row) * width + x0;
      const unsigned char *b = reference + (y0 + dy + row) * width + x0 + dx;
      for (int column = 0; column < 8; ++column)
        sad += (unsigned)abs((int)a[column] - (int)b[column]);
      if (sad > 2000u || sad >= mine >> 16) {
        kept = false;
        break;
      }
    }
    atomicAdd(&evaluated, 1);
    if (kept)
      mine = sad << 16 | (unsigned)candidate;
  }
  if (mine != 0xffffffffu)
    atomicMin(&least, mine);
  __syncthreads();
  if (t == 0) {
    best[block] = least;
    tried[block] = evaluated;
  }
}

// Angles between galaxies: each set of points is a block's, bins are found by binary search.
extern "C" __global__ void tpacf_pairs(unsigned *histograms, const float *data, const float *random, const float *limits,
                                       int bins, int points) {
  __shared__ float set[3 * 128];
  __shared__ unsigned counts[32];
  const int t = threadIdx.x, block = blockIdx.x / 2;
  const bool same_set = (blockIdx.x & 1) == 0;
  const float *theirs = random + 3 * points * block;
  for (int k = t; k < 3 * points; k += blockDim.x)
    set[k] = theirs[k];
  if (t < bins)
    counts[t] = 0;
  __syncthreads();
  if (t < points) {
    float x, y, z;
    if (same_set) {
      x = set[3 * t];
      y = set[3 * t + 1];
      z = set[3 * t + 2];
    } else {
      x = data[3 * t];
      y = data[3 * t + 1];
      z = data[3 * t + 2];
    }
    for (int k = same_set ? t + 1 : 0; k < points; ++k) {
      const float dot = x * set[3 * k] + y * set[3 * k + 1] + z * set[3 * k + 2];
      int low = 0, high = bins;
      if (dot >= limits[0])
        high = 0;
      while (low < high - 1) {
        const int middle = (low + high) / 2;
        if (dot >= limits[middle])
          high = middle;
        else
          low = middle;
      }
      if (dot > limits[bins])
        atomicAdd(&counts[low], 1u);
    }
  }
  __syncthreads();
  if (t < bins)
    histograms[blockIdx.x * bins + t] = counts[t];
}

// Bessel function of order zero, modified.
__device__ static float bessel(float x) {
  if (x < 3.75f) {
    const float y = x / 3.75f, s = y * y;
    return 1.0f + s * (3.5156229f + s * (3.0899424f + s * (1.2067492f + s * (0.2659732f + s * (0.0360768f + s * 0.0045813f)))));
  }
  const float y = 3.75f / x;
  return expf(x) / sqrtf(x) *
         (0.39894228f + y * (0.01328592f + y * (0.00225319f + y * (-0.00157565f + y * (0.00916281f + y * -0.02057706f)))));
}

// Samples of a scanner onto a grid: each point gathers from the bins around it what is within the window.
extern "C" __global__ void mri_gridding(float *real, float *imaginary, float *density, const float *samples, const int *starts,
                                        float reach, float beta, int side) {
  const int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;
  if (gx >= side || gy >= side)
    return;
  float re = 0, im = 0, total = 0;
  for (int v = gy - 1; v <= gy + 1; ++v) {
    if (v < 0 || v >= side)
      continue;
    for (int u = gx - 1; u <= gx + 1; ++u) {
      if (u < 0 || u >= side)
        continue;
      for (int k = starts[v * side + u]; k < starts[v * side + u + 1]; ++k) {
        const float dx = samples[4 * k] - (float)gx, dy = samples[4 * k + 1] - (float)gy;
        const float d2 = dx * dx + dy * dy;
        if (d2 < reach * reach) {
          const float weight = bessel(beta * sqrtf(1.0f - d2 / (reach * reach)));
          re += weight * samples[4 * k + 2];
          im += weight * samples[4 * k + 3];
          total += weight;
        }
      }
    }
  }
  const int at = gy * side + gx;
  if (total > 0) {
    real[at] = re / total;
    imaginary[at] = im / total;
  }
  density[at] = total;
}

// A histogram of bytes, four to a word, that stay at 255; runs of a value are counted together.
extern "C" __global__ void histo_saturate(unsigned *histogram, const unsigned short *image, int bins, int per_thread, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
  if (first >= n)
    return;
  const int end = min(n, first + per_thread);
  int i = first;
  while (i < end) {
    const int value = image[i];
    unsigned run = 1;
    while (i + (int)run < end && image[i + run] == value)
      ++run;
    i += (int)run;
    if (value >= bins)
      continue;
    unsigned *const word = histogram + value / 4;
    const unsigned shift = 8 * ((unsigned)value & 3);
    unsigned seen = atomicCAS(word, 0u, 0u);
    for (;;) {
      const unsigned count = seen >> shift & 255u;
      if (count == 255u)
        break;
      const unsigned more = min(255u, count + run);
      const unsigned before = atomicCAS(word, seen, (seen & ~(255u << shift)) | more << shift);
      if (before == seen)
        break;
      seen = before;
    }
  }
}

// Lattice Boltzmann, nine directions, pulled: obstacles bounce back, the left edge feeds, the right one lets out.
extern "C" __global__ void lbm_obstacles(float *after, const float *before, const unsigned char *kind, float relaxation,
                                         float inflow, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int cells = width * height, at = y * width + x;
  const int up = y + 1 < height ? at + width : at - y * width, down = y > 0 ? at - width : at + (height - 1) * width;
  const int left = x > 0 ? -1 : 0, right = x + 1 < width ? 1 : 0;
  const float f0 = before[at];
  float f1 = before[cells + at + left], f2 = before[2 * cells + down], f3 = before[3 * cells + at + right],
        f4 = before[4 * cells + up], f5 = before[5 * cells + down + left], f6 = before[6 * cells + down + right],
        f7 = before[7 * cells + up + right], f8 = before[8 * cells + up + left];
  if (kind[at] == 1) {
    // An obstacle: everything goes back where it came from.
    after[at] = f0;
    after[cells + at] = f3;
    after[2 * cells + at] = f4;
    after[3 * cells + at] = f1;
    after[4 * cells + at] = f2;
    after[5 * cells + at] = f7;
    after[6 * cells + at] = f8;
    after[7 * cells + at] = f5;
    after[8 * cells + at] = f6;
    return;
  }
  if (x == 0) {
    const float density = (f0 + f2 + f4 + 2.0f * (f3 + f6 + f7)) / (1.0f - inflow);
    const float along = density * inflow;
    f1 = f3 + 2.0f / 3.0f * along;
    f5 = f7 - 0.5f * (f2 - f4) + along / 6.0f;
    f8 = f6 + 0.5f * (f2 - f4) + along / 6.0f;
  } else if (x == width - 1) {
    const float along = f0 + f2 + f4 + 2.0f * (f1 + f5 + f8) - 1.0f;
    f3 = f1 - 2.0f / 3.0f * along;
    f7 = f5 + 0.5f * (f2 - f4) - along / 6.0f;
    f6 = f8 - 0.5f * (f2 - f4) - along / 6.0f;
  }
  const float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  float ux = (f1 + f5 + f8 - f3 - f6 - f7) / density, uy = (f2 + f5 + f6 - f4 - f7 - f8) / density;
  if (kind[at] == 2) {
    // Porous: slowed down.
    ux *= 0.5f;
    uy *= 0.5f;
  }
  const float square = 1.5f * (ux * ux + uy * uy), axis = density / 9.0f, diagonal = density / 36.0f;
  const float a = ux + uy, b = uy - ux;
  after[at] = f0 + relaxation * (4.0f * axis * (1.0f - square) - f0);
  after[cells + at] = f1 + relaxation * (axis * (1.0f + 3.0f * ux + 4.5f * ux * ux - square) - f1);
  after[2 * cells + at] = f2 + relaxation * (axis * (1.0f + 3.0f * uy + 4.5f * uy * uy - square) - f2);
  after[3 * cells + at] = f3 + relaxation * (axis * (1.0f - 3.0f * ux + 4.5f * ux * ux - square) - f3);
  after[4 * cells + at] = f4 + relaxation * (axis * (1.0f - 3.0f * uy + 4.5f * uy * uy - square) - f4);
  after[5 * cells + at] = f5 + relaxation * (diagonal * (1.0f + 3.0f * a + 4.5f * a * a - square) - f5);
  after[6 * cells + at] = f6 + relaxation * (diagonal * (1.0f + 3.0f * b + 4.5f * b * b - square) - f6);
  after[7 * cells + at] = f7 + relaxation * (diagonal * (1.0f - 3.0f * a + 4.5f * a * a - square) - f7);
  after[8 * cells + at] = f8 + relaxation * (diagonal * (1.0f - 3.0f * b + 4.5f * b * b - square) - f8);
}

// A sparse matrix in jagged diagonals: rows by length, entries by diagonal.
extern "C" __global__ void spmv_jds(float *y, const float *values, const int *columns, const int *diagonals, const int *lengths,
                                    const int *row_of, const float *x, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    float sum = 0;
    const int length = lengths[i];
    for (int k = 0; k < length; ++k) {
      const int at = diagonals[k] + i;
      sum += values[at] * x[columns[at]];
    }
    y[row_of[i]] = sum;
  }
}

// How much work a node of the next level is.
__device__ static void classify(int *classes, int degree) {
  if (degree == 0)
    atomicAdd(&classes[0], 1);
  else if (degree < 8)
    atomicAdd(&classes[1], 1);
  else if (degree < 24)
    atomicAdd(&classes[2], 1);
  else
    atomicAdd(&classes[3], degree);
}

// Breadth first with a queue: claims unseen neighbours by a bit, queues them in the block while there is room, and classifies
// what was found for the next level; what does not fit is dealt with at once.
extern "C" __global__ void bfs_queue(int *level, unsigned *seen, int *classes, const int *frontier, const int *starts,
                                     const int *edges, int depth, int capacity, int frontier_size) {
  __shared__ int queue[512];
  __shared__ int tail;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (t == 0)
    tail = 0;
  __syncthreads();
  if (i < frontier_size) {
    const int node = frontier[i];
    for (int k = starts[node]; k < starts[node + 1]; ++k) {
      const int other = edges[k];
      const unsigned bit = 1u << (other & 31);
      if ((atomicOr(&seen[other >> 5], bit) & bit) == 0) {
        level[other] = depth + 1;
        const int slot = atomicAdd(&tail, 1);
        if (slot < capacity)
          queue[slot] = other;
        else
          classify(classes, starts[other + 1] - starts[other]);
      }
    }
  }
  __syncthreads();
  const int queued = min(tail, capacity);
  for (int k = t; k < queued; k += blockDim.x) {
    const int node = queue[k];
    classify(classes, starts[node + 1] - starts[node]);
  }
}

// Seven points in space, plane by plane: a tile in LDS, its neighbours outside from memory, the hull is copied.
extern "C" __global__ void stencil_planes(float *after, const float *before, float centre, float sides, int width, int height,
                                          int depth) {
  __shared__ float tile[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  const bool inside = x < width && y < height;
  const bool hull = x == 0 || y == 0 || x >= width - 1 || y >= height - 1;
  const int plane = width * height, at = y * width + x;
  float below = 0, here = 0, over = 0;
  if (inside) {
    here = before[at];
    over = before[plane + at];
    after[at] = here;
  }
  for (int z = 1; z < depth - 1; ++z) {
    below = here;
    here = over;
    __syncthreads();
    tile[ty][tx] = here;
    if (inside)
      over = before[(z + 1) * plane + at];
    __syncthreads();
    if (inside) {
      const int place = z * plane + at;
      if (hull)
        after[place] = here;
      else {
        const float west = tx > 0 ? tile[ty][tx - 1] : before[place - 1];
        const float east = tx < 31 ? tile[ty][tx + 1] : before[place + 1];
        const float north = ty > 0 ? tile[ty - 1][tx] : before[place - width];
        const float south = ty < 7 ? tile[ty + 1][tx] : before[place + width];
        after[place] = sides * (west + east + north + south + below + over) - centre * here;
      }
    }
  }
  if (inside)
    after[(depth - 1) * plane + at] = over;
}
