// Scalable computing: digests, clusters, combustion, stencils, sorting, levels of a graph.
#include <hip/hip_runtime.h>

__device__ static unsigned turn(unsigned x, unsigned by) { return x << by | x >> (32u - by); }

// The digest of the lower case word of seven letters that `index` counts: the first three words of state, compared later.
extern "C" __global__ void md5_search(unsigned *found, unsigned *smallest, const unsigned *sines, const unsigned char *turns,
                                      const unsigned *target, unsigned first, int per_thread, unsigned keys) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned least = 0xffffffffu;
  for (int k = 0; k < per_thread; ++k) {
    const unsigned number = thread * (unsigned)per_thread + (unsigned)k;
    if (number >= keys)
      break;
    unsigned rest = first + number, w0 = 0, w1 = 0x80000000u;
    for (unsigned shift = 0; shift < 32; shift += 8) {
      w0 |= ('a' + rest % 26u) << shift;
      rest /= 26u;
    }
    for (unsigned shift = 0; shift < 24; shift += 8) {
      w1 |= ('a' + rest % 26u) << shift;
      rest /= 26u;
    }
    unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    for (unsigned step = 0; step < 64; ++step) {
      unsigned mixed, word;
      switch (step / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = step;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = (5 * step + 1) & 15;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = (3 * step + 5) & 15;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = (7 * step) & 15;
      }
      const unsigned message = word == 0 ? w0 : word == 1 ? w1 : word == 14 ? 56u : 0u;
      mixed += a + sines[step] + message;
      a = d;
      d = c;
      c = b;
      b += turn(mixed, turns[step / 16 * 4 + (step & 3)]);
    }
    a += 0x67452301u;
    b += 0xefcdab89u;
    c += 0x98badcfeu;
    d += 0x10325476u;
    if (a == target[0]) {
      if (b == target[1] && c == target[2] && d == target[3]) {
        atomicMin(found, first + number);
        break;
      }
    } else if (a < least) {
      least = a;
    }
  }
  smallest[thread] = least;
}

// Quality threshold clustering: the cluster that each seed would get, grown by the point that widens it least.
extern "C" __global__ void qtc_candidate(int *size, unsigned *members, float *diameter, float *farthest, const float *points,
                                         const unsigned char *taken, const int *starts, const int *near, float threshold, int n) {
  const int seed = blockIdx.x * blockDim.x + threadIdx.x;
  if (seed >= n)
    return;
  if (taken[seed]) {
    size[seed] = 0;
    return;
  }
  const int first = starts[seed], count = min(32, starts[seed + 1] - first);
  unsigned open = 0;
  for (int k = 0; k < count; ++k) {
    const int other = near[first + k];
    if (taken[other] || other == seed)
      continue;
    const float dx = points[2 * other] - points[2 * seed], dy = points[2 * other + 1] - points[2 * seed + 1];
    farthest[first + k] = sqrtf(dx * dx + dy * dy);
    open |= 1u << k;
  }
  unsigned chosen = 0;
  float wide = 0;
  while (open != 0) {
    float least = threshold;
    int best = -1;
    for (unsigned rest = open; rest != 0; rest &= rest - 1) {
      const int k = __ffs(rest) - 1;
      const float d = farthest[first + k];
      if (d < least) {
        least = d;
        best = k;
      }
    }
    if (best < 0)
      break;
    chosen |= 1u << best;
    open &= ~(1u << best);
    if (least > wide)
      wide = least;
    const int added = near[first + best];
    for (unsigned rest = open; rest != 0; rest &= rest - 1) {
      const int k = __ffs(rest) - 1, other = near[first + k];
      const float dx = points[2 * other] - points[2 * added], dy = points[2 * other + 1] - points[2 * added + 1];
      const float d = sqrtf(dx * dx + dy * dy);
      if (d >= threshold)
        open &= ~(1u << k);
      else if (d > farthest[first + k])
        farthest[first + k] = d;
    }
  }
  size[seed] = 1 + __popc(chosen);
  members[seed] = chosen;
  diameter[seed] = wide;
}

// Combustion: rates forward and back of a list of reactions, with third bodies and fall-off, where the gas reacts at all.
extern "C" __global__ void s3d_rates(float *net, const float *temperature, const float *concentration, const float *low_fit,
                                     const float *high_fit, const int *kind, const int *parts, const float *arrhenius,
                                     int reactions, int species, int cells) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells)
    return;
  const float t = temperature[cell], log_t = logf(t), inverse = 1.0f / t;
  float third = 0;
  for (int s = 0; s < species; ++s)
    third += concentration[s * cells + cell];
  for (int r = 0; r < reactions; ++r) {
    const float *fit = arrhenius + 6 * r;
    const int a = parts[3 * r], b = parts[3 * r + 1], c = parts[3 * r + 2];
    const float ca = concentration[a * cells + cell], cb = concentration[b * cells + cell], cc = concentration[c * cells + cell];
    float rate = 0;
    if (ca > 1e-9f || cc > 1e-9f) {
      float k = expf(fit[0] + fit[1] * log_t - fit[2] * inverse);
      if (kind[r] == 1)
        k *= third;
      else if (kind[r] >= 2) {
        const float k_low = expf(fit[3] + fit[4] * log_t - fit[5] * inverse);
        const float reduced = k_low * third / k;
        float broad = 1.0f;
        if (kind[r] == 3) {
          const float centre = log2f(fmaxf(0.6f * expf(-t * 0.001f) + 0.4f * expf(-t * 0.0005f), 1e-20f)) * 0.30103f;
          const float x = log2f(fmaxf(reduced, 1e-20f)) * 0.30103f - 0.4f - 0.67f * centre;
          const float y = x / (0.75f - 1.27f * centre - 0.14f * x);
          broad = exp2f(3.3219281f * centre / (1.0f + y * y));
        }
        k *= reduced / (1.0f + reduced) * broad;
      }
      // Gibbs energies by the fits below and above 1000 K.
      const float *fits = t < 1000.0f ? low_fit : high_fit;
      float gibbs = 0;
      for (int s = 0; s < 3; ++s) {
        const float *g = fits + 5 * parts[3 * r + s];
        const float one = g[0] * (1.0f - log_t) - t * (g[1] + t * (g[2] + t * g[3])) + g[4] * inverse;
        gibbs += s == 2 ? one : -one;
      }
      const float back = gibbs < 40.0f ? k * expf(fminf(gibbs, 10.0f)) : 0.0f;
      rate = k * ca * cb - back * cc;
    }
    net[r * cells + cell] = rate;
  }
}

// Nine points on a sheet: the edge threads of a block load the halo too.
extern "C" __global__ void stencil9_halo(float *after, const float *before, float centre, float cardinal, float diagonal,
                                         int width, int height) {
  __shared__ float tile[10][34];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int u = min(x, width - 1), v = min(y, height - 1);
  const int left = max(u - 1, 0), right = min(u + 1, width - 1), up = max(v - 1, 0), down = min(v + 1, height - 1);
  tile[ty][tx] = before[v * width + u];
  if (tx == 1)
    tile[ty][0] = before[v * width + left];
  if (tx == 32)
    tile[ty][33] = before[v * width + right];
  if (ty == 1) {
    tile[0][tx] = before[up * width + u];
    if (tx == 1)
      tile[0][0] = before[up * width + left];
    else if (tx == 32)
      tile[0][33] = before[up * width + right];
  } else if (ty == 8) {
    tile[9][tx] = before[down * width + u];
    if (tx == 1)
      tile[9][0] = before[down * width + left];
    else if (tx == 32)
      tile[9][33] = before[down * width + right];
  }
  __syncthreads();
  if (x >= width || y >= height)
    return;
  float value = tile[ty][tx];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    value = centre * value + cardinal * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]) +
            diagonal * (tile[ty - 1][tx - 1] + tile[ty - 1][tx + 1] + tile[ty + 1][tx - 1] + tile[ty + 1][tx + 1]);
  after[y * width + x] = value;
}

// One pass of a radix sort of a block's keys, four bits at a time: count by thread, scan, scatter; parts may be short.
extern "C" __global__ void radix_pass(unsigned *keys_out, unsigned *digits, const unsigned *keys, const int *starts, int shift) {
  __shared__ unsigned short counts[16 * 64];
  __shared__ int sums[64];
  const int t = threadIdx.x, first = starts[blockIdx.x], n = starts[blockIdx.x + 1] - first;
  const int per_thread = (n + 63) / 64, begin = t * per_thread, end = min(n, begin + per_thread);
  for (int digit = 0; digit < 16; ++digit)
    counts[digit * 64 + t] = 0;
  for (int k = begin; k < end; ++k)
    ++counts[(keys[first + k] >> shift & 15u) * 64 + t];
  __syncthreads();
  // Each thread scans sixteen counters of one digit, then their sums are scanned.
  int sum = 0;
  for (int k = 0; k < 16; ++k) {
    const int count = counts[16 * t + k];
    counts[16 * t + k] = (unsigned short)sum;
    sum += count;
  }
  sums[t] = sum;
  __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
    int other = 0;
    if (t >= offset)
      other = sums[t - offset];
    __syncthreads();
    if (t >= offset)
      sums[t] += other;
    __syncthreads();
  }
  if (t < 16)
    digits[blockIdx.x * 16 + t] = (unsigned)(t == 0 ? sums[3] : sums[4 * t + 3] - sums[4 * t - 1]);
  for (int k = begin; k < end; ++k) {
    const unsigned key = keys[first + k];
    const int place = (int)(key >> shift & 15u) * 64 + t;
    const int before = place / 16 == 0 ? 0 : sums[place / 16 - 1];
    keys_out[first + before + counts[place]] = key;
    ++counts[place];
  }
}

// Breadth first through a small graph by one block, from a source of its own, until a level adds nothing.
extern "C" __global__ void bfs_in_block(int *depths, int *eccentricity, int *reached, const int *sources, const int *starts,
                                        const int *edges, int nodes) {
  __shared__ int depth[256];
  __shared__ int changed;
  __shared__ int total;
  const int t = threadIdx.x, source = sources[blockIdx.x];
  for (int node = t; node < nodes; node += blockDim.x)
    depth[node] = node == source ? 0 : 0x7fffffff;
  if (t == 0)
    total = 0;
  int level = 0;
  for (;;) {
    if (t == 0)
      changed = 0;
    __syncthreads();
    unsigned found = 0;
    int mine = 0;
    for (int node = t; node < nodes; node += blockDim.x, ++mine) {
      if (depth[node] <= level)
        continue;
      for (int k = starts[node]; k < starts[node + 1]; ++k)
        if (depth[edges[k]] == level) {
          found |= 1u << mine;
          break;
        }
    }
    if (found != 0)
      atomicOr(&changed, 1);
    __syncthreads();
    // Depths change only when everybody has read them.
    mine = 0;
    for (int node = t; node < nodes; node += blockDim.x, ++mine)
      if (found >> mine & 1u)
        depth[node] = level + 1;
    __syncthreads();
    const int more = changed;
    __syncthreads();
    if (!more)
      break;
    ++level;
  }
  for (int node = t; node < nodes; node += blockDim.x) {
    const int d = depth[node];
    if (d == 0x7fffffff)
      depths[blockIdx.x * nodes + node] = -1;
    else {
      depths[blockIdx.x * nodes + node] = d;
      atomicAdd(&total, 1);
    }
  }
  __syncthreads();
  if (t == 0) {
    eccentricity[blockIdx.x] = level;
    reached[blockIdx.x] = total;
  }
}
