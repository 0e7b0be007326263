// Random numbers: rejection, walks, annealing, satisfiability.
#include <hip/hip_runtime.h>

__device__ static unsigned step(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
__device__ static float uniform(unsigned &state) { return (float)(step(state) >> 8) * (1.0f / 16777216.0f); }

// Polar method: pairs outside the circle are drawn again.
extern "C" __global__ void normal_polar(float *out, const unsigned *seeds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  float u, v, s;
  do {
    u = 2 * uniform(state) - 1;
    v = 2 * uniform(state) - 1;
    s = u * u + v * v;
  } while (s >= 1.0f || s == 0.0f);
  const float factor = sqrtf(-2.0f * logf(s) / s);
  out[2 * i] = u * factor;
  out[2 * i + 1] = v * factor;
}

// Gamma variates: a squeeze that mostly accepts, the exact test otherwise; shapes below one need a power.
extern "C" __global__ void gamma_rejection(float *out, int *tries, const unsigned *seeds, const float *shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  const float shape = shapes[i], a = shape < 1 ? shape + 1 : shape, d = a - 0.33333333f, c = 1 / sqrtf(9 * d);
  float result = 0;
  int k = 0;
  for (; k < 32; ++k) {
    float x = -6;
    for (int j = 0; j < 12; ++j)
      x += uniform(state);
    const float t = 1 + c * x;
    if (t <= 0)
      continue;
    const float v = t * t * t, u = uniform(state);
    if (u < 1 - 0.0331f * x * x * x * x) {
      result = d * v;
      break;
    }
    if (logf(u) < 0.5f * x * x + d * (1 - v + logf(v))) {
      result = d * v;
      break;
    }
  }
  if (shape < 1)
    result *= __powf(uniform(state), 1 / shape);
  out[i] = result;
  tries[i] = k;
}

// Photons in a slab: scattered or absorbed, out at the front or the back, with roulette for weak ones.
extern "C" __global__ void photon_slab(int *counts, const unsigned *seeds, float thickness, float albedo, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  float z = 0, direction = 1, weight = 1;
  int fate = 3;
  for (int k = 0; k < 40; ++k) {
    z += direction * -logf(uniform(state) + 1e-7f);
    if (z < 0) {
      fate = 0;
      break;
    }
    if (z > thickness) {
      fate = 1;
      break;
    }
    weight *= albedo;
    if (weight < 0.1f) {
      if (uniform(state) < 0.5f)
        weight *= 2;
      else {
        fate = 2;
        break;
      }
    }
    direction = 2 * uniform(state) - 1;
  }
  atomicAdd(&counts[fate], 1);
}

// Spins on a checkerboard: flips that lower the energy always, others sometimes.
extern "C" __global__ void ising_checkerboard(signed char *spins, unsigned *states, const float *acceptance, int colour, int width,
                                              int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height || ((x + y) & 1) != colour)
    return;
  const int i = y * width + x;
  const int left = x > 0 ? i - 1 : i + width - 1, right = x < width - 1 ? i + 1 : i - width + 1;
  const int up = y > 0 ? i - width : i + width * (height - 1), down = y < height - 1 ? i + width : x;
  const int field = spins[left] + spins[right] + spins[up] + spins[down];
  const int change = 2 * spins[i] * field;
  if (change <= 0)
    spins[i] = -spins[i];
  else {
    unsigned state = states[i];
    if (uniform(state) < acceptance[change / 4])
      spins[i] = -spins[i];
    states[i] = state;
  }
}

// Annealing of tours: two cities change places if that is shorter, or by chance.
extern "C" __global__ void anneal_tours(float *lengths, const float *cities, const unsigned *seeds, int steps, int n) {
  __shared__ unsigned char tours[24 * 64];
  unsigned char *tour = tours + threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < 24; ++k)
    tour[k * 64] = k;
  unsigned state = seeds[i];
  float temperature = 2;
  for (int s = 0; s < steps; ++s) {
    const int a = 1 + step(state) % 22, b = 1 + step(state) % 22;
    float before = 0, after = 0;
    const int ca = tour[a * 64], cb = tour[b * 64];
    const int pa = tour[(a - 1) * 64], na = tour[(a + 1) * 64], pb = tour[(b - 1) * 64], nb = tour[(b + 1) * 64];
    before += fabsf(cities[2 * ca] - cities[2 * pa]) + fabsf(cities[2 * ca] - cities[2 * na]);
    before += fabsf(cities[2 * cb] - cities[2 * pb]) + fabsf(cities[2 * cb] - cities[2 * nb]);
    after += fabsf(cities[2 * cb] - cities[2 * pa]) + fabsf(cities[2 * cb] - cities[2 * na]);
    after += fabsf(cities[2 * ca] - cities[2 * pb]) + fabsf(cities[2 * ca] - cities[2 * nb]);
    bool accept = after < before;
    if (!accept)
      accept = uniform(state) < expf((before - after) / temperature);
    if (accept) {
      tour[a * 64] = cb;
      tour[b * 64] = ca;
    }
    temperature *= 0.95f;
  }
  float length = 0;
  for (int k = 0; k < 23; ++k)
    length += fabsf(cities[2 * tour[k * 64]] - cities[2 * tour[(k + 1) * 64]]);
  lengths[i] = length;
}

// Satisfiability by random walk: an unsatisfied clause flips a variable, greedily or at random.
extern "C" __global__ void walk_sat(unsigned *assignments, int *flips, const signed char *clauses, const unsigned *seeds, int count,
                                    int most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i], values = step(state);
  int k = 0;
  for (; k < most; ++k) {
    int open = -1;
    const int first = step(state) % count;
    for (int c = 0; c < count; ++c) {
      const int at = first + c < count ? first + c : first + c - count;
      bool satisfied = false;
      for (int l = 0; l < 3; ++l) {
        const int literal = clauses[3 * at + l];
        const unsigned bit = values >> (literal < 0 ? -literal : literal) & 1;
        satisfied |= literal < 0 ? bit == 0 : bit == 1;
      }
      if (!satisfied) {
        open = at;
        break;
      }
    }
    if (open < 0)
      break;
    int flip;
    if (uniform(state) < 0.5f) {
      const int literal = clauses[3 * open + step(state) % 3];
      flip = literal < 0 ? -literal : literal;
    } else {
      int best = 1000;
      flip = 1;
      for (int l = 0; l < 3; ++l) {
        const int literal = clauses[3 * open + l], variable = literal < 0 ? -literal : literal;
        const unsigned changed = values ^ 1u << variable;
        int broken = 0;
        for (int c = 0; c < count; c += 2) {
          bool satisfied = false;
          for (int m = 0; m < 3; ++m) {
            const int other = clauses[3 * c + m];
            const unsigned bit = changed >> (other < 0 ? -other : other) & 1;
            satisfied |= other < 0 ? bit == 0 : bit == 1;
          }
          if (!satisfied)
            ++broken;
        }
        if (broken < best) {
          best = broken;
          flip = variable;
        }
      }
    }
    values ^= 1u << flip;
  }
  assignments[i] = values;
  flips[i] = k;
}

// Walks on a grid with walls: a step into a wall is refused.
extern "C" __global__ void random_walks(int *position, int *blocked, const unsigned *seeds, const unsigned char *wall, int side,
                                        int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  int x = side / 2, y = side / 2, refused = 0;
  for (int k = 0; k < steps; ++k) {
    int u = x, v = y;
    switch (step(state) >> 30) {
    case 0:
      --u;
      break;
    case 1:
      ++u;
      break;
    case 2:
      --v;
      break;
    default:
      ++v;
    }
    if (u < 0 || v < 0 || u >= side || v >= side || wall[v * side + u])
      ++refused;
    else {
      x = u;
      y = v;
    }
  }
  position[i] = y * side + x;
  blocked[i] = refused;
}

// Queue at a counter: arrivals and services in the order of their times.
extern "C" __global__ void queue_events(int *served, float *waited, const unsigned *seeds, float load, int events, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  float arrival = 0, departure = 1e30f, area = 0, now = 0;
  int length = 0, done = 0;
  for (int k = 0; k < events; ++k) {
    if (arrival < departure) {
      area += (float)length * (arrival - now);
      now = arrival;
      ++length;
      arrival = now - logf(uniform(state) + 1e-7f) / load;
      if (length == 1)
        departure = now - logf(uniform(state) + 1e-7f);
    } else {
      area += (float)length * (departure - now);
      now = departure;
      --length;
      ++done;
      departure = length > 0 ? now - logf(uniform(state) + 1e-7f) : 1e30f;
    }
  }
  served[i] = done;
  waited[i] = area;
}

// Genetic search: crossing over at one point or uniformly, with few mutations.
extern "C" __global__ void cross_over(unsigned *children, const unsigned *a, const unsigned *b, const unsigned *seeds, int words,
                                      int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  if (step(state) & 1) {
    const int point = step(state) % (32 * words);
    for (int w = 0; w < words; ++w) {
      unsigned mask;
      if (32 * w + 32 <= point)
        mask = 0xffffffffu;
      else if (32 * w >= point)
        mask = 0;
      else
        mask = (1u << (point - 32 * w)) - 1;
      children[w * n + i] = (a[w * n + i] & mask) | (b[w * n + i] & ~mask);
    }
  } else {
    for (int w = 0; w < words; ++w) {
      const unsigned mask = step(state);
      children[w * n + i] = (a[w * n + i] & mask) | (b[w * n + i] & ~mask);
    }
  }
  if (uniform(state) < 0.05f)
    children[step(state) % words * n + i] ^= 1u << (step(state) & 31);
}
