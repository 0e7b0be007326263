// Loop nests with triangular or bordered spaces, and irregular programs: meshes, trees, formulas, pointers.
#include <hip/hip_runtime.h>

// Tridiagonal systems, one a block, by parallel cyclic reduction: outside the borders there is nothing to eliminate.
extern "C" __global__ void tridiagonal_pcr(float *x, const float *lower, const float *diagonal, const float *upper,
                                           const float *right, const int *sizes, int stride) {
  __shared__ float a[128], b[128], c[128], d[128];
  const int i = threadIdx.x, n = sizes[blockIdx.x], at = blockIdx.x * stride + i;
  if (i < n) {
    a[i] = i > 0 ? lower[at] : 0.0f;
    b[i] = diagonal[at];
    c[i] = i < n - 1 ? upper[at] : 0.0f;
    d[i] = right[at];
  }
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    float na = 0, nb = 1, nc = 0, nd = 0;
    if (i < n) {
      nb = b[i];
      nd = d[i];
      if (i >= step) {
        const float k = a[i] / b[i - step];
        na = -k * a[i - step];
        nb -= k * c[i - step];
        nd -= k * d[i - step];
      }
      if (i + step < n) {
        const float k = c[i] / b[i + step];
        nc = -k * c[i + step];
        nb -= k * a[i + step];
        nd -= k * d[i + step];
      }
    }
    __syncthreads();
    if (i < n) {
      a[i] = na;
      b[i] = nb;
      c[i] = nc;
      d[i] = nd;
    }
    __syncthreads();
  }
  if (i < n)
    x[at] = d[i] / b[i];
}

// Small triangular systems, one a thread: lower ones forwards, upper ones backwards, unit diagonals are not divided by.
extern "C" __global__ void triangular_batch(float *solution, const float *matrices, const float *right,
                                            const unsigned char *flags, const unsigned char *orders, int most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int order = orders[i];
  const bool unit = (flags[i] & 2) != 0;
  if (flags[i] & 1) {
    for (int row = 0; row < order; ++row) {
      float sum = right[row * n + i];
      for (int k = 0; k < row; ++k)
        sum -= matrices[(row * most + k) * n + i] * solution[k * n + i];
      if (!unit)
        sum /= matrices[(row * most + row) * n + i];
      solution[row * n + i] = sum;
    }
  } else {
    for (int row = order - 1; row >= 0; --row) {
      float sum = right[row * n + i];
      for (int k = row + 1; k < order; ++k)
        sum -= matrices[(row * most + k) * n + i] * solution[k * n + i];
      if (!unit)
        sum /= matrices[(row * most + row) * n + i];
      solution[row * n + i] = sum;
    }
  }
}

// Most pairs of bases that a strand can fold into, one strand a block, span after span.
extern "C" __global__ void nussinov_spans(int *pairs, unsigned char *table_out, const unsigned char *strands, const int *lengths,
                                          int stride) {
  __shared__ int table[40 * 40];
  __shared__ unsigned char bases[40];
  const int t = threadIdx.x, n = lengths[blockIdx.x];
  if (t < n)
    bases[t] = strands[blockIdx.x * stride + t];
  for (int k = t; k < 40 * 40; k += blockDim.x)
    table[k] = 0;
  __syncthreads();
  for (int span = 1; span < n; ++span) {
    const int i = t, j = t + span;
    if (j < n) {
      int best = max(table[i * 40 + j - 1], table[(i + 1) * 40 + j]);
      if (span > 1) {
        int inner = table[(i + 1) * 40 + j - 1];
        // A hairpin needs room for three.
        if (bases[i] + bases[j] == 3 && span > 3)
          ++inner;
        best = max(best, inner);
      }
      for (int k = i + 1; k < j; ++k) {
        const int both = table[i * 40 + k] + table[(k + 1) * 40 + j];
        if (both > best)
          best = both;
      }
      table[i * 40 + j] = best;
    }
    __syncthreads();
  }
  if (t == 0)
    pairs[blockIdx.x] = table[n - 1];
  for (int k = t; k < n * n; k += blockDim.x)
    table_out[blockIdx.x * stride * stride + k] = (unsigned char)table[k / n * 40 + k % n];
}

// Correlation of columns with gaps: the upper triangle is computed and mirrored, the diagonal is known.
extern "C" __global__ void correlation_gaps(float *correlation, const float *data, const unsigned char *present, int rows,
                                            int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= columns || j >= columns || j < i)
    return;
  if (i == j) {
    correlation[i * columns + i] = 1.0f;
    return;
  }
  float si = 0, sj = 0, sii = 0, sjj = 0, sij = 0;
  int count = 0;
  for (int row = 0; row < rows; ++row) {
    if (!present[row * columns + i] || !present[row * columns + j])
      continue;
    const float a = data[row * columns + i], b = data[row * columns + j];
    si += a;
    sj += b;
    sii += a * a;
    sjj += b * b;
    sij += a * b;
    ++count;
  }
  float value = 0;
  if (count > 2) {
    const float m = 1.0f / (float)count;
    float di = sqrtf(fmaxf(sii * m - si * si * m * m, 0.0f)), dj = sqrtf(fmaxf(sjj * m - sj * sj * m * m, 0.0f));
    if (di <= 0.1f)
      di = 1.0f;
    if (dj <= 0.1f)
      dj = 1.0f;
    value = (sij * m - si * sj * m * m) / (di * dj);
  }
  correlation[i * columns + j] = value;
  correlation[j * columns + i] = value;
}

// Delaunay refinement: the cavity of each bad triangle's circumcentre, a walk over neighbours that stops at the border.
extern "C" __global__ void delaunay_cavity(int *cavity, int *outcome, float *centres, const float *points, const int *corners,
                                           const int *neighbours, float least_quality, int most, int triangles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= triangles)
    return;
  const float ax = points[2 * corners[3 * i]], ay = points[2 * corners[3 * i] + 1];
  const float bx = points[2 * corners[3 * i + 1]] - ax, by = points[2 * corners[3 * i + 1] + 1] - ay;
  const float cx = points[2 * corners[3 * i + 2]] - ax, cy = points[2 * corners[3 * i + 2] + 1] - ay;
  const float area = bx * cy - by * cx;
  const float b2 = bx * bx + by * by, c2 = cx * cx + cy * cy, a2 = (bx - cx) * (bx - cx) + (by - cy) * (by - cy);
  if (area * area >= least_quality * (b2 * c2 + c2 * a2 + a2 * b2)) {
    outcome[i] = 0;
    return;
  }
  if (fabsf(area) < 1e-6f) {
    outcome[i] = -1;
    return;
  }
  const float px = ax + (cy * b2 - by * c2) / (2.0f * area), py = ay + (bx * c2 - cx * b2) / (2.0f * area);
  int *const queue = cavity + most * i;
  queue[0] = i;
  int size = 1;
  int state = 1;
  for (int next = 0; next < size && state == 1; ++next) {
    const int triangle = queue[next];
    for (int side = 0; side < 3; ++side) {
      const int other = neighbours[3 * triangle + side];
      if (other < 0) {
        // On the border: is the point beyond it, or too near?
        const int u = corners[3 * triangle + side], v = corners[3 * triangle + (side + 1) % 3];
        const float ux = points[2 * u] - px, uy = points[2 * u + 1] - py, vx = points[2 * v] - px, vy = points[2 * v + 1] - py;
        if (ux * vx + uy * vy < 0 || ux * vy - uy * vx <= 0) {
          state = 2;
          break;
        }
        continue;
      }
      bool known = false;
      for (int k = 0; k < size; ++k)
        if (queue[k] == other) {
          known = true;
          break;
        }
      if (known)
        continue;
      const int p = corners[3 * other], q = corners[3 * other + 1], r = corners[3 * other + 2];
      const float x0 = points[2 * p] - px, y0 = points[2 * p + 1] - py, x1 = points[2 * q] - px, y1 = points[2 * q + 1] - py,
                  x2 = points[2 * r] - px, y2 = points[2 * r + 1] - py;
      const float inside = (x0 * x0 + y0 * y0) * (x1 * y2 - x2 * y1) - (x1 * x1 + y1 * y1) * (x0 * y2 - x2 * y0) +
                           (x2 * x2 + y2 * y2) * (x0 * y1 - x1 * y0);
      if (inside > 0) {
        if (size == most) {
          state = 3;
          break;
        }
        queue[size++] = other;
      }
    }
  }
  outcome[i] = state == 1 ? 10 + size : state;
  centres[2 * i] = px;
  centres[2 * i + 1] = py;
}

// Gravity by a tree of squares: a node far enough acts as one, others are opened; a stack for each thread.
extern "C" __global__ void barnes_hut_force(float *force, int *visits, const float *bodies, const int *children,
                                            const float *nodes, float theta2, int n) {
  __shared__ int stack[48 * 64];
  const int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x;
  if (i >= n)
    return;
  const float x = bodies[3 * i], y = bodies[3 * i + 1];
  float fx = 0, fy = 0;
  int depth = 1, seen = 0;
  stack[t] = 0;
  while (depth > 0) {
    const int node = stack[64 * --depth + t];
    ++seen;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const int child = children[4 * node + quarter];
      if (child == -1)
        continue;
      float ox, oy, mass, width2;
      if (child < -1) {
        const int body = -2 - child;
        if (body == i)
          continue;
        ox = bodies[3 * body];
        oy = bodies[3 * body + 1];
        mass = bodies[3 * body + 2];
        width2 = 0;
      } else {
        ox = nodes[4 * child];
        oy = nodes[4 * child + 1];
        mass = nodes[4 * child + 2];
        width2 = nodes[4 * child + 3];
      }
      const float dx = ox - x, dy = oy - y, r2 = dx * dx + dy * dy + 1e-4f;
      if (width2 < theta2 * r2) {
        const float pull = mass * rsqrtf(r2) / r2;
        fx += pull * dx;
        fy += pull * dy;
      } else if (depth < 48) {
        stack[64 * depth++ + t] = child;
      }
    }
  }
  force[2 * i] = fx;
  force[2 * i + 1] = fy;
  visits[i] = seen;
}

// Survey propagation: what each clause warns its variables of, from the surveys of their other clauses.
extern "C" __global__ void survey_messages(float *next, int *unsettled, const float *survey, const int *literals,
                                           const unsigned char *fixed, const int *starts, const int *occurrences, float limit,
                                           int clauses) {
  const int clause = blockIdx.x * blockDim.x + threadIdx.x;
  if (clause >= clauses)
    return;
  float warn[3];
  int free = 0;
  for (int k = 0; k < 3; ++k) {
    const int literal = literals[3 * clause + k], variable = abs(literal) - 1;
    warn[k] = 1.0f;
    if (fixed[variable])
      continue;
    ++free;
    float same = 1.0f, opposite = 1.0f;
    for (int e = starts[variable]; e < starts[variable + 1]; ++e) {
      const int edge = occurrences[e];
      if (edge / 3 == clause)
        continue;
      if ((literals[edge] > 0) == (literal > 0))
        same *= 1.0f - survey[edge];
      else
        opposite *= 1.0f - survey[edge];
    }
    const float unsatisfied = (1.0f - opposite) * same, satisfied = (1.0f - same) * opposite, neither = same * opposite;
    const float total = unsatisfied + satisfied + neither;
    warn[k] = total > 1e-12f ? unsatisfied / total : 0.0f;
  }
  if (free == 0)
    return;
  for (int k = 0; k < 3; ++k) {
    float product = 1.0f;
    for (int other = 0; other < 3; ++other)
      if (other != k)
        product *= warn[other];
    next[3 * clause + k] = product;
    if (fabsf(product - survey[3 * clause + k]) > limit)
      atomicAdd(unsettled, 1);
  }
}

// Points-to analysis: each constraint widens the sets of one variable, or of all that a variable points to.
extern "C" __global__ void points_to_step(unsigned *sets, int *changed, const unsigned *before, const unsigned char *kind,
                                          const int *left, const int *right, int words, int constraints) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= constraints)
    return;
  const int to = left[i], from = right[i];
  int widened = 0;
  switch (kind[i]) {
  case 0: { // to = &from
    const unsigned bit = 1u << (from & 31);
    if ((before[to * words + from / 32] & bit) == 0) {
      atomicOr(&sets[to * words + from / 32], bit);
      widened = 1;
    }
    break;
  }
  case 1: // to = from
    for (int w = 0; w < words; ++w) {
      const unsigned more = before[from * words + w] & ~before[to * words + w];
      if (more != 0) {
        atomicOr(&sets[to * words + w], more);
        widened = 1;
      }
    }
    break;
  case 2: // to = *from
    for (int v = 0; v < words; ++v)
      for (unsigned rest = before[from * words + v]; rest != 0; rest &= rest - 1) {
        const int target = 32 * v + __ffs(rest) - 1;
        for (int w = 0; w < words; ++w) {
          const unsigned more = before[target * words + w] & ~before[to * words + w];
          if (more != 0) {
            atomicOr(&sets[to * words + w], more);
            widened = 1;
          }
        }
      }
    break;
  default: // *to = from
    for (int v = 0; v < words; ++v)
      for (unsigned rest = before[to * words + v]; rest != 0; rest &= rest - 1) {
        const int target = 32 * v + __ffs(rest) - 1;
        for (int w = 0; w < words; ++w) {
          const unsigned more = before[from * words + w] & ~before[target * words + w];
          if (more != 0) {
            atomicOr(&sets[target * words + w], more);
            widened = 1;
          }
        }
      }
  }
  if (widened)
    atomicAdd(changed, 1);
}

// Minimum spanning tree: the lightest edge out of each node's component, ties by the edge's number.
extern "C" __global__ void boruvka_lightest(unsigned *lightest, int *inner, const int *component, const int *starts,
                                            const int *edges, const unsigned short *weights, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  const int mine = component[node];
  unsigned best = 0xffffffffu;
  int within = 0;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    if (component[edges[k]] == mine) {
      ++within;
      continue;
    }
    const unsigned candidate = (unsigned)weights[k] << 20 | (unsigned)k;
    if (candidate < best)
      best = candidate;
  }
  inner[node] = within;
  if (best != 0xffffffffu)
    atomicMin(&lightest[mine], best);
}

// Implicit sweep along lines of both directions: coefficients forwards, then substitution backwards.
extern "C" __global__ void adi_sweep(float *field, float *work, const float *source, const unsigned char *across, float mobility,
                                     int lines, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines)
    return;
  // Lines with a closed end reflect, those with an open one are zero there.
  const bool closed = across[i] != 0;
  float c = closed ? 1.0f : 0.0f, d = 0;
  work[i] = c;
  work[length * lines + i] = d;
  for (int k = 1; k < length - 1; ++k) {
    const float west = i > 0 ? source[k * lines + i - 1] : source[k * lines + i];
    const float east = i < lines - 1 ? source[k * lines + i + 1] : source[k * lines + i];
    const float here = source[k * lines + i];
    const float given = here + 0.5f * mobility * (west - 2.0f * here + east);
    const float pivot = 1.0f / (1.0f + 2.0f * mobility - mobility * c);
    d = (given + mobility * d) * pivot;
    c = mobility * pivot;
    work[k * lines + i] = c;
    work[(length + k) * lines + i] = d;
  }
  float value = closed ? d / (1.0f - c) : 0.0f;
  field[(length - 1) * lines + i] = value;
  for (int k = length - 2; k >= 0; --k) {
    value = work[k * lines + i] * value + work[(length + k) * lines + i];
    field[k * lines + i] = value;
  }
}
