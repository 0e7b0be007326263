// Irregular graphs and heterogeneous computing: sets, shortest paths, triangulations, trees, images, streams, mixtures.
#include <hip/hip_runtime.h>

// One round of a maximal independent set: a node is in it if its priority beats that of every undecided neighbour.
extern "C" __global__ void mis_round(int *next, int *undecided, const int *state, const unsigned *priority, const int *starts,
                                     const int *edges, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  int mine = state[node];
  if (mine == 0) {
    bool best = true, beside = false;
    const unsigned key = priority[node];
    for (int k = starts[node]; k < starts[node + 1]; ++k) {
      const int other = edges[k];
      if (other == node)
        continue;
      const int theirs = state[other];
      if (theirs == 1) {
        beside = true;
        break;
      }
      if (theirs == 0) {
        const unsigned rival = priority[other];
        if (rival > key || (rival == key && other > node))
          best = false;
      }
    }
    if (beside)
      mine = 2;
    else if (best)
      mine = 1;
    else
      atomicAdd(undecided, 1);
  }
  next[node] = mine;
}

// Betweenness, on the way back: what the nodes of one level get from their successors. The source itself gets nothing.
extern "C" __global__ void bc_dependencies(float *centrality, float *dependency, const float *below, const int *depth,
                                           const float *paths, const int *starts, const int *edges, int level, int source,
                                           int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  if (depth[node] == level) {
    const float mine = paths[node];
    float sum = 0;
    for (int k = starts[node]; k < starts[node + 1]; ++k) {
      const int other = edges[k];
      if (depth[other] == level + 1)
        sum += mine / paths[other] * (1.0f + below[other]);
    }
    dependency[node] = sum;
    if (node != source)
      centrality[node] += sum;
  }
}

// Relaxes a work list by buckets: short edges of the nodes in the bucket, long ones where the bucket is finished. What
// becomes nearer goes to this bucket or to a later one.
extern "C" __global__ void sssp_near_far(unsigned *distance, unsigned char *near, unsigned char *far, const int *work,
                                         const unsigned *known, const unsigned char *settled, const int *starts, const int *edges,
                                         const unsigned *weights, unsigned delta, unsigned limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int node = work[i];
  const unsigned here = known[node];
  if (here == 0xffffffffu)
    return;
  const bool heavy = settled[node] != 0;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const unsigned weight = weights[k];
    if ((weight > delta) != heavy)
      continue;
    const int other = edges[k];
    const unsigned length = here + weight;
    if (length < known[other]) {
      atomicMin(&distance[other], length);
      if (length < limit)
        near[other] = 1;
      else
        far[other] = 1;
    }
  }
}

// All shortest paths in tiles: the panels left and right of the pivot tile, and those above and below, one tile a
// block.
extern "C" __global__ void floyd_panels(int *distances, int pivot, int tiles) {
  __shared__ int diagonal[16][17];
  __shared__ int panel[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, width = tiles * 16;
  const bool row = blockIdx.y == 0;
  int tile = blockIdx.x;
  if (tile >= pivot)
    ++tile;
  int place;
  if (row)
    place = (pivot * 16 + ty) * width + tile * 16 + tx;
  else
    place = (tile * 16 + ty) * width + pivot * 16 + tx;
  diagonal[ty][tx] = distances[(pivot * 16 + ty) * width + pivot * 16 + tx];
  panel[ty][tx] = distances[place];
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    const int first = row ? diagonal[ty][k] : panel[ty][k];
    const int second = row ? panel[k][tx] : diagonal[k][tx];
    int best = panel[ty][tx];
    if (first >= 0 && second >= 0) { // -1 where there is no way
      const int way = first + second;
      if (best < 0 || way < best)
        best = way;
    }
    __syncthreads();
    panel[ty][tx] = best;
    __syncthreads();
  }
  distances[place] = panel[ty][tx];
}

// Which edges of a triangulation must flip: not constrained or outer ones; the circle test is repeated in double
// precision where its sign is uncertain, and a flip needs a convex quadrilateral.
extern "C" __global__ void delaunay_flips(unsigned char *flip, int *uncertain, const float2 *points, const int2 *ends,
                                          const int2 *apexes, const unsigned char *constrained, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char result = 0;
  const int2 apex = apexes[i];
  if (apex.x < 0 || apex.y < 0 || constrained[i]) {
    flip[i] = 2;
    return;
  }
  const float2 a = points[ends[i].x], b = points[ends[i].y], c = points[apex.x], d = points[apex.y];
  const float adx = a.x - d.x, ady = a.y - d.y, bdx = b.x - d.x, bdy = b.y - d.y, cdx = c.x - d.x, cdy = c.y - d.y;
  const float al = adx * adx + ady * ady, bl = bdx * bdx + bdy * bdy, cl = cdx * cdx + cdy * cdy;
  const float bc = bdx * cdy - bdy * cdx, ca = cdx * ady - cdy * adx, ab = adx * bdy - ady * bdx;
  const float sum = al * bc + bl * ca + cl * ab;
  const float bound = (al * fabsf(bc) + bl * fabsf(ca) + cl * fabsf(ab)) * 1e-5f;
  bool inside;
  if (fabsf(sum) > bound) {
    inside = sum > 0;
  } else {
    atomicAdd(uncertain, 1);
    const double adx2 = (double)a.x - d.x, ady2 = (double)a.y - d.y, bdx2 = (double)b.x - d.x, bdy2 = (double)b.y - d.y;
    const double cdx2 = (double)c.x - d.x, cdy2 = (double)c.y - d.y;
    const double exact = (adx2 * adx2 + ady2 * ady2) * (bdx2 * cdy2 - bdy2 * cdx2) +
                         (bdx2 * bdx2 + bdy2 * bdy2) * (cdx2 * ady2 - cdy2 * adx2) +
                         (cdx2 * cdx2 + cdy2 * cdy2) * (adx2 * bdy2 - ady2 * bdx2);
    inside = exact > 0;
  }
  if (inside) {
    const float left = (a.x - c.x) * (d.y - c.y) - (a.y - c.y) * (d.x - c.x);
    const float right = (b.x - c.x) * (d.y - c.y) - (b.y - c.y) * (d.x - c.x);
    if (left * right < 0)
      result = 1;
  }
  flip[i] = result;
}

// Matching of a graph that gets coarser: nodes that chose each other match, all others choose their heaviest free
// neighbour.
extern "C" __global__ void handshake_matching(int *match, int *choice, const int *chosen, const int *matched, const int *starts,
                                              const int *edges, const int *weights, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  int partner = matched[node], next = -1;
  if (partner < 0) {
    const int wish = chosen[node];
    if (wish >= 0 && chosen[wish] == node) {
      partner = wish;
    } else {
      int heaviest = 0;
      for (int k = starts[node]; k < starts[node + 1]; ++k) {
        const int other = edges[k];
        if (other == node || matched[other] >= 0)
          continue;
        const int theirs = chosen[other];
        if (theirs >= 0 && chosen[theirs] == other)
          continue; // they have just found each other
        if (weights[k] > heaviest || (weights[k] == heaviest && other < next)) {
          heaviest = weights[k];
          next = other;
        }
      }
      if (next < 0)
        partner = node; // alone for good
    }
  }
  match[node] = partner;
  choice[node] = next;
}

// Where bodies go in a tree of octants: down to an empty place or to the leaf that has to be split.
extern "C" __global__ void octree_descend(int *cell, int *octant, int *depths, float *size, const float *x, const float *y,
                                          const float *z, const int *children, float centre, float radius, int bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float px = x[i], py = y[i], pz = z[i];
  float cx = centre, cy = centre, cz = centre, r = radius * 0.5f;
  int node = 0, depth = 1, path = 0, child;
  for (;;) {
    path = 0;
    float dx = -r, dy = -r, dz = -r;
    if (cx < px) {
      path |= 1;
      dx = r;
    }
    if (cy < py) {
      path |= 2;
      dy = r;
    }
    if (cz < pz) {
      path |= 4;
      dz = r;
    }
    child = children[node * 8 + path];
    if (child < bodies)
      break;
    node = child - bodies;
    cx += dx;
    cy += dy;
    cz += dz;
    r *= 0.5f;
    ++depth;
  }
  if (child >= 0) { // a body is there: how much smaller the cells must become
    const float bx = x[child], by = y[child], bz = z[child];
    if (child != i && (bx != px || by != py || bz != pz)) {
      int mine, theirs;
      do {
        cx += path & 1 ? r : -r;
        cy += path & 2 ? r : -r;
        cz += path & 4 ? r : -r;
        r *= 0.5f;
        mine = (cx < px) | (cy < py) << 1 | (cz < pz) << 2;
        theirs = (cx < bx) | (cy < by) << 1 | (cz < bz) << 2;
        path = mine;
        ++depth;
      } while (mine == theirs && depth < 24);
    }
  }
  cell[i] = child < 0 ? -node - 1 : child;
  octant[i] = path;
  depths[i] = depth;
  size[i] = r;
}

// Canny's last stage in a tile: strong edges spread to weak ones beside them until nothing changes.
extern "C" __global__ void canny_hysteresis(unsigned char *edge, int *rounds, const float *magnitude, float low, float high,
                                            int width, int height) {
  __shared__ unsigned char mark[18][18];
  __shared__ int changed;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  for (int k = ty * 16 + tx; k < 18 * 18; k += 256) {
    const int u = (int)blockIdx.x * 16 + k % 18 - 1, v = (int)blockIdx.y * 16 + k / 18 - 1;
    unsigned char kind = 0;
    if (u >= 0 && u < width && v >= 0 && v < height) {
      const float m = magnitude[v * width + u];
      if (m > high)
        kind = 2;
      else if (m > low)
        kind = 1;
    }
    mark[k / 18][k % 18] = kind;
  }
  int round = 0;
  for (;;) {
    __syncthreads();
    if (tx == 0 && ty == 0)
      changed = 0;
    __syncthreads();
    bool strong = false;
    if (mark[ty + 1][tx + 1] == 1) {
      for (int dy = 0; dy < 3 && !strong; ++dy)
        for (int dx = 0; dx < 3; ++dx)
          if (mark[ty + dy][tx + dx] == 2) {
            strong = true;
            break;
          }
    }
    __syncthreads();
    if (strong) {
      mark[ty + 1][tx + 1] = 2;
      atomicOr(&changed, 1);
    }
    __syncthreads();
    if (changed == 0 || round == 24)
      break;
    ++round;
  }
  if (x < width && y < height)
    edge[y * width + x] = mark[ty + 1][tx + 1] == 2 ? 255 : 0;
  if (tx == 0 && ty == 0)
    rounds[blockIdx.y * gridDim.x + blockIdx.x] = round;
}

// Pads rows of samples on both sides, by the kind of each row: a constant, the edge, mirrored, or around.
extern "C" __global__ void pad_rows_by_kind(float *padded, const float *rows, const unsigned char *kind, const float *fill, int before,
                                            int length, int stride, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int row = i / stride, at = i % stride - before;
  float value;
  if (at >= 0 && at < length) {
    value = rows[row * length + at];
  } else {
    switch (kind[row]) {
    case 0:
      value = fill[row];
      break;
    case 1:
      value = rows[row * length + (at < 0 ? 0 : length - 1)];
      break;
    case 2:
      value = rows[row * length + (at < 0 ? -at : 2 * length - 2 - at)];
      break;
    default:
      value = rows[row * length + (at < 0 ? at + length : at - length)];
    }
  }
  padded[i] = value;
}

// Tasks from a queue, one a block: histograms of bytes, sums, or scaled copies; some have a tail.
extern "C" __global__ void task_queue(int *bins, float *sums, float *copies, const int *kinds, const int *begins, const int *counts,
                                      const unsigned char *bytes, const float *values) {
  __shared__ int local[64];
  __shared__ float partial[128];
  const int t = threadIdx.x, task = blockIdx.x, begin = begins[task], count = counts[task];
  switch (kinds[task]) {
  case 0:
    if (t < 64)
      local[t] = 0;
    __syncthreads();
    for (int k = t; k < count; k += 128)
      atomicAdd(&local[bytes[begin + k] >> 2], 1);
    __syncthreads();
    if (t < 64 && local[t] != 0)
      atomicAdd(&bins[t], local[t]);
    break;
  case 1: {
    float sum = 0;
    for (int k = t; k < count; k += 128)
      sum += values[begin + k];
    partial[t] = sum;
    __syncthreads();
    for (int step = 64; step > 0; step >>= 1) {
      if (t < step)
        partial[t] += partial[t + step];
      __syncthreads();
    }
    if (t == 0)
      sums[task] = partial[0];
    break;
  }
  default:
    for (int k = t; k < count; k += 128) {
      const float value = values[begin + k];
      const int byte = bytes[begin + k];
      copies[begin + k] = byte > 127 ? value * (float)(byte - 127) : -value;
    }
  }
}

// Spectra of a scene to the material with the least angle; water vapour bands and dead pixels do not count.
extern "C" __global__ void spectral_angles(unsigned char *label, float *angle, const float *cube, const float *materials,
                                           const unsigned char *bad_band, int bands, int count, float most, int pixels) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels)
    return;
  float norm = 0;
  int good = 0;
  for (int b = 0; b < bands; ++b) {
    const float value = cube[b * pixels + pixel];
    if (bad_band[b] || value < 0)
      continue;
    norm += value * value;
    ++good;
  }
  int best = 255;
  float cosine = 0;
  if (good * 2 > bands && norm > 1e-4f) {
    for (int m = 0; m < count; ++m) {
      float dot = 0, other = 0;
      for (int b = 0; b < bands; ++b) {
        const float value = cube[b * pixels + pixel], material = materials[m * bands + b];
        if (bad_band[b] || value < 0)
          continue;
        dot += value * material;
        other += material * material;
      }
      const float c = dot * rsqrtf(norm * other);
      if (c > cosine) {
        cosine = c;
        best = m;
      }
    }
    if (cosine < most)
      best = 254;
  }
  label[pixel] = (unsigned char)best;
  angle[pixel] = cosine;
}

// Expectation step of a mixture of bells: diagonal, spherical or full covariance by component; components without
// weight are off.
extern "C" __global__ void mixture_expectation(float *responsibility, float *likelihood, const float *data, const float *mean,
                                               const float *inverse, const float *log_weight, const unsigned char *shape, int components,
                                               int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x[3];
  for (int d = 0; d < 3; ++d)
    x[d] = data[d * n + i];
  float most = -1e30f;
  for (int c = 0; c < components; ++c) {
    float score = -1e30f;
    if (log_weight[c] > -20.0f) {
      const float u = x[0] - mean[c * 3], v = x[1] - mean[c * 3 + 1], w = x[2] - mean[c * 3 + 2];
      const float *p = inverse + c * 6;
      float square;
      if (shape[c] == 0)
        square = p[0] * (u * u + v * v + w * w);
      else if (shape[c] == 1)
        square = p[0] * u * u + p[1] * v * v + p[2] * w * w;
      else
        square = p[0] * u * u + p[1] * v * v + p[2] * w * w + 2.0f * (p[3] * u * v + p[4] * u * w + p[5] * v * w);
      score = log_weight[c] - 0.5f * square;
    }
    responsibility[c * n + i] = score;
    most = fmaxf(most, score);
  }
  float sum = 0;
  for (int c = 0; c < components; ++c) {
    const float score = responsibility[c * n + i] - most;
    float r = 0;
    if (score > -30.0f) {
      r = expf(score);
      sum += r;
    }
    responsibility[c * n + i] = r;
  }
  for (int c = 0; c < components; ++c)
    if (responsibility[c * n + i] > 0)
      responsibility[c * n + i] /= sum;
  likelihood[i] = most + logf(sum);
}

__device__ static unsigned substitute(const unsigned char *box, unsigned word) {
  return box[word & 255] | box[word >> 8 & 255] << 8 | box[word >> 16 & 255] << 16 | (unsigned)box[word >> 24] << 24;
}

// Round keys from keys of 128, 192 or 256 bits, a key a thread; long keys substitute once more in the middle.
extern "C" __global__ void expand_keys(unsigned *round_keys, const unsigned *keys, const unsigned char *length, const unsigned char *box,
                                       int n) {
  __shared__ unsigned char table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x)
    table[k] = box[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int words = length[i], rounds = words + 6;
  unsigned *to = round_keys + i * 60;
  for (int k = 0; k < words; ++k)
    to[k] = keys[i * 8 + k];
  unsigned constant = 1;
  for (int k = words; k < 4 * (rounds + 1); ++k) {
    unsigned word = to[k - 1];
    if (k % words == 0) {
      word = substitute(table, word >> 8 | word << 24) ^ constant;
      constant = constant << 1 ^ (constant & 0x80 ? 0x11bu : 0u);
    } else if (words > 6 && k % words == 4) {
      word = substitute(table, word);
    }
    to[k] = to[k - words] ^ word;
  }
}

// Filter of finite length over blocks of a stream: taps before the block read what the last block left.
extern "C" __global__ void fir_history(float *filtered, float *left, const float *samples, const float *history, const float *taps,
                                       int order, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int channel = i / length, at = i % length;
  float sum = 0;
  for (int k = 0; k < order; ++k) {
    if (at >= k)
      sum += taps[k] * samples[channel * length + at - k];
    else
      sum += taps[k] * history[channel * order + order + at - k];
  }
  filtered[i] = sum;
  if (at >= length - order)
    left[channel * order + at - (length - order)] = samples[i];
}

// Repairs a colouring that was guessed: of two neighbours with one colour the one of fewer edges takes the first free
// colour.
extern "C" __global__ void first_fit_recolour(int *colour, int *conflicts, const int *guess, const int *starts, const int *edges,
                                              int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  const int mine = guess[node], begin = starts[node], end = starts[node + 1];
  bool loses = false;
  for (int k = begin; k < end && !loses; ++k) {
    const int other = edges[k];
    if (other != node && guess[other] == mine) {
      const int theirs = starts[other + 1] - starts[other];
      loses = end - begin < theirs || (end - begin == theirs && node > other);
    }
  }
  int result = mine;
  if (loses) {
    atomicAdd(conflicts, 1);
    int base = 0;
    for (;;) {
      unsigned used = 0;
      for (int k = begin; k < end; ++k) {
        const int c = guess[edges[k]] - base;
        if (c >= 0 && c < 32)
          used |= 1u << c;
      }
      if (used != 0xffffffffu) {
        result = base + __ffs(~used) - 1;
        break;
      }
      base += 32;
    }
  }
  colour[node] = result;
}

// Random walks of the second order: going back, staying near, and going far are of different likelihood.
extern "C" __global__ void biased_walks(int *visited, int *tries, const int *starts, const int *edges, const unsigned *seeds,
                                        unsigned back, unsigned near, unsigned far, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  int before = -1, at = i, count = 0;
  for (int step = 0; step < steps; ++step) {
    const int begin = starts[at], degree = starts[at + 1] - begin;
    int next = at;
    if (degree == 1) {
      next = edges[begin];
    } else if (degree > 1) {
      for (int attempt = 0; attempt < 16; ++attempt) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        next = edges[begin + (int)(state % (unsigned)degree)];
        ++count;
        if (before < 0)
          break;
        unsigned accept;
        if (next == before) {
          accept = back;
        } else {
          // Is it a neighbour of where we come from?
          int low = starts[before], high = starts[before + 1];
          while (low < high) {
            const int middle = (low + high) >> 1;
            if (edges[middle] < next)
              low = middle + 1;
            else
              high = middle;
          }
          accept = low < starts[before + 1] && edges[low] == next ? near : far;
        }
        if ((state >> 16 & 255) < accept)
          break;
      }
    }
    visited[step * n + i] = next;
    before = at;
    at = next;
  }
  tries[i] = count;
}

// Communities: the neighbouring one that gains most, with weights collected in a small table; nodes of many edges wait.
extern "C" __global__ void community_moves(int *best_of, float *gain_of, const int *community, const float *total, const int *starts,
                                           const int *edges, const float *weights, float all, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  const int begin = starts[node], end = starts[node + 1], home = community[node];
  if (end - begin > 24) {
    best_of[node] = -1;
    gain_of[node] = 0;
    return;
  }
  int keys[8];
  float sums[8];
  int used = 0;
  float degree = 0, at_home = 0;
  for (int k = begin; k < end; ++k) {
    const int other = edges[k];
    const float weight = weights[k];
    degree += weight;
    if (other == node)
      continue;
    const int theirs = community[other];
    if (theirs == home) {
      at_home += weight;
      continue;
    }
    int slot = 0;
    while (slot < used && keys[slot] != theirs)
      ++slot;
    if (slot < used) {
      sums[slot] += weight;
    } else if (used < 8) {
      keys[used] = theirs;
      sums[used++] = weight;
    }
  }
  int best = home;
  float most = 0;
  for (int slot = 0; slot < used; ++slot) {
    const float gain = (sums[slot] - at_home) / all + degree * (total[home] - degree - total[keys[slot]]) / (2.0f * all * all);
    if (gain > most || (gain == most && gain > 0 && keys[slot] < best)) {
      most = gain;
      best = keys[slot];
    }
  }
  best_of[node] = best;
  gain_of[node] = most;
}
