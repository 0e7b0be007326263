// Simulations: cross sections, heat, flows, spins, cloth, flights, tours, chemistry.
#include <hip/hip_runtime.h>

#define PI 3.14159265f

__device__ static float cosine(float x) { return __sinf(x + 0.5f * PI); }

__device__ static unsigned next_random(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ static float unit_random(unsigned &state) { return (float)(next_random(state) >> 8) * (1.0f / 16777216.0f); }

// Macroscopic cross sections of a material at an energy: each of its nuclides has a grid of energies of its own.
extern "C" __global__ void cross_section_lookup(float *sections, unsigned *reaction, const float *energies,
                                                const unsigned char *material, const int *starts, const int *nuclides,
                                                const float *density, const float *grid, const float *tables, int points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float e = energies[i];
  const int m = material[i];
  float sum[4] = {0, 0, 0, 0};
  for (int k = starts[m]; k < starts[m + 1]; ++k) {
    const int nuclide = nuclides[k];
    const float *mine = grid + nuclide * points;
    int low = 0;
    float f;
    if (e <= mine[0])
      f = 0;
    else if (e >= mine[points - 1]) {
      low = points - 2;
      f = 1.0f;
    } else {
      int high = points - 1;
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (mine[middle] > e)
          high = middle;
        else
          low = middle;
      }
      f = (e - mine[low]) / (mine[low + 1] - mine[low]);
    }
    const float *table = tables + (nuclide * points + low) * 4;
    for (int channel = 0; channel < 4; ++channel)
      sum[channel] += density[k] * (table[channel] + f * (table[channel + 4] - table[channel]));
  }
  int largest = 0;
  for (int channel = 0; channel < 4; ++channel) {
    sections[4 * i + channel] = sum[channel];
    if (sum[channel] > sum[largest])
      largest = channel;
  }
  atomicAdd(&reaction[largest], 1u);
}

// The same from poles: the Faddeeva function of a complex number by three ranges, and a fit as background.
extern "C" __global__ void pole_windows(float2 *sections, const float *energies, const int *starts, const float4 *poles,
                                        const float2 *residues, const float *fit, float doppler, int windows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float root = sqrtf(energies[i]);
  int window = (int)(root * (float)windows);
  if (window >= windows)
    window = windows - 1;
  float total = fit[2 * window] + fit[2 * window + 1] * root, absorbed = 0;
  for (int k = starts[window]; k < starts[window + 1]; ++k) {
    const float4 pole = poles[k];
    float x = (root - pole.x) * doppler, y = fabsf(pole.y) * doppler, re, im;
    const float size = x * x + y * y;
    if (size > 36.0f) {
      // i z / (sqrt(pi) (z z - 1/2))
      const float a = x * x - y * y - 0.5f, b = 2.0f * x * y, d = 0.56418958f / (a * a + b * b);
      re = d * (x * b - y * a);
      im = d * (x * a + y * b);
    } else if (size > 6.0f) {
      const float a = x * x - y * y, b = 2.0f * x * y;
      const float pr = a - 2.5f, qr = a * (a - 3.0f) - b * b + 0.75f, qi = b * (a - 3.0f) + a * b;
      const float nr = x * pr - y * b, ni = x * b + y * pr, d = 0.56418958f / (qr * qr + qi * qi);
      re = -d * (ni * qr - nr * qi);
      im = d * (nr * qr + ni * qi);
    } else {
      // Powers of i z over the gamma function of half numbers.
      float tr = 1.0f, ti = 0;
      float even = 1.0f, odd = 1.12837917f;
      re = 1.0f;
      im = 0;
      for (int p = 1; p < 32; ++p) {
        const float next = -y * tr - x * ti;
        ti = x * tr - y * ti;
        tr = next;
        float weight;
        if (p & 1) {
          if (p > 1)
            odd /= 0.5f * (float)p;
          weight = odd;
        } else {
          even /= 0.5f * (float)p;
          weight = even;
        }
        re += weight * tr;
        im += weight * ti;
        if (p > 4 && weight * (fabsf(tr) + fabsf(ti)) < 1e-5f)
          break;
      }
    }
    const float2 residue = residues[k];
    total += residue.x * re - residue.y * im;
    if (pole.z > 0)
      absorbed += pole.z * re - pole.w * im;
  }
  sections[i] = {total, absorbed};
}

// Heat in tissue with blood flow: by kinds of tissue, vessels keep their temperature, coagulated tissue has no flow.
extern "C" __global__ void tissue_heat(float *next, float *damage, const float *temperature, const unsigned char *kind, float source_x,
                                       float source_y, float power, float dt, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  const float t = temperature[i];
  float conductivity, flow, absorption;
  switch (kind[i]) {
  case 0: // skin
    conductivity = 0.37f;
    flow = t > 39.0f ? 1.6f + 0.8f * (t - 39.0f) : 1.6f;
    absorption = 0.8f;
    break;
  case 1: // fat
    conductivity = 0.21f;
    flow = t < 45.0f ? 0.36f + 0.36f * expf(-(t - 45.0f) * (t - 45.0f) / 12.0f) : 0.72f;
    absorption = 0.3f;
    break;
  case 2: // muscle
    conductivity = 0.49f;
    flow = t < 45.0f ? 0.45f + 3.55f * expf(-(t - 45.0f) * (t - 45.0f) / 12.0f) : 4.0f;
    absorption = 0.5f;
    break;
  case 3: // tumour
    conductivity = 0.55f;
    flow = t < 37.0f ? 0.833f : t < 42.0f ? 0.833f - (t - 37.0f) * 0.083f : 0.416f;
    absorption = 1.2f;
    break;
  default: // vessel
    next[i] = t + 0.9f * (37.0f - t);
    return;
  }
  float dose = damage[i];
  if (t > 43.0f)
    dose += dt * exp2f(t - 43.0f);
  else if (t > 39.0f)
    dose += dt * exp2f(2.0f * (t - 43.0f));
  if (dose > 4.0f)
    flow = 0;
  float exchange = 0;
  if (x > 0)
    exchange += temperature[i - 1] - t;
  if (x + 1 < width)
    exchange += temperature[i + 1] - t;
  if (y > 0)
    exchange += temperature[i - width] - t;
  else
    exchange += 0.2f * (24.0f - t); // air
  if (y + 1 < height)
    exchange += temperature[i + width] - t;
  else
    exchange += 37.0f - t; // body
  const float dx = (float)x - source_x, dy = (float)y - source_y, r2 = dx * dx + dy * dy;
  float heat = 0;
  if (r2 < 144.0f)
    heat = power * absorption * expf(-r2 / 36.0f);
  next[i] = t + dt * (conductivity * exchange + 0.1f * flow * (37.0f - t) + heat);
  damage[i] = dose;
}

// Systems of three diagonals, one a thread: fixed ends, free ends, or ends that meet.
extern "C" __global__ void thomas_systems(float *solution, float *upper, float *corner, unsigned char *singular, const float *below,
                                          const float *middle, const float *above, const float *right, const unsigned char *ends,
                                          int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int kind = ends[i], last = (length - 1) * n + i;
  float first = middle[i], final = middle[last], next = above[i], alpha = 0, beta = 0, gamma = 0;
  if (kind == 1) {
    next += below[i];
    alpha = above[last];
  } else if (kind == 2) {
    alpha = above[last];
    beta = below[i];
    gamma = -first;
    first -= gamma;
    final -= alpha * beta / gamma;
  }
  singular[i] = 0;
  float pivot = first, value = right[i] / pivot, extra = gamma / pivot, factor = next / pivot;
  upper[i] = factor;
  solution[i] = value;
  corner[i] = extra;
  for (int k = 1; k < length; ++k) {
    const int at = k * n + i;
    float lower = below[at];
    if (k == length - 1) {
      pivot = final;
      if (kind == 1)
        lower += alpha;
    } else
      pivot = middle[at];
    pivot -= lower * factor;
    if (fabsf(pivot) < 1e-4f) {
      singular[i] = 1;
      pivot = copysignf(1e-4f, pivot);
    }
    factor = above[at] / pivot;
    value = (right[at] - lower * value) / pivot;
    upper[at] = factor;
    solution[at] = value;
    if (kind == 2) {
      const float unit = k == length - 1 ? alpha : 0.0f;
      extra = (unit - lower * extra) / pivot;
      corner[at] = extra;
    }
  }
  for (int k = length - 2; k >= 0; --k) {
    const int at = k * n + i;
    value = solution[at] - upper[at] * value;
    solution[at] = value;
    if (kind == 2) {
      extra = corner[at] - upper[at] * extra;
      corner[at] = extra;
    }
  }
  if (kind == 2) {
    const float ratio = beta / gamma;
    const float scale = (solution[i] + ratio * solution[last]) / (1.0f + corner[i] + ratio * corner[last]);
    for (int k = 0; k < length; ++k)
      solution[k * n + i] -= scale * corner[k * n + i];
  }
}

// Lattice Boltzmann on cells with tags: fluid, wall, moving lid, inlet of known speed, outlet of known density.
extern "C" __global__ void lbm_tagged_cells(float *after, float *density, const float *before, const unsigned char *tags, float omega,
                                            float lid, float inflow, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int cells = width * height, i = y * width + x;
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  const float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
  const int tag = tags[i];
  if (tag == 1 || tag == 2) {
    for (int k = 0; k < 9; ++k)
      after[k * cells + i] = weight[k];
    density[i] = 0;
    return;
  }
  float f[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int u = x - cx[k];
    const int v = y - cy[k];
    if (u < 0)
      u += width;
    else if (u >= width)
      u -= width;
    if (v < 0 || v >= height || tags[v * width + u] == 1)
      f[k] = before[opposite[k] * cells + i];
    else if (tags[v * width + u] == 2)
      f[k] = before[opposite[k] * cells + i] + 6.0f * weight[k] * (float)cx[k] * lid;
    else
      f[k] = before[k * cells + v * width + u];
  }
  if (tag == 3) {
    const float rho = (f[0] + f[2] + f[4] + 2.0f * (f[3] + f[6] + f[7])) / (1.0f - inflow);
    f[1] = f[3] + 2.0f / 3.0f * rho * inflow;
    f[5] = f[7] - 0.5f * (f[2] - f[4]) + rho * inflow / 6.0f;
    f[8] = f[6] + 0.5f * (f[2] - f[4]) + rho * inflow / 6.0f;
  } else if (tag == 4) {
    const float speed = f[0] + f[2] + f[4] + 2.0f * (f[1] + f[5] + f[8]) - 1.0f;
    f[3] = f[1] - 2.0f / 3.0f * speed;
    f[7] = f[5] + 0.5f * (f[2] - f[4]) - speed / 6.0f;
    f[6] = f[8] - 0.5f * (f[2] - f[4]) - speed / 6.0f;
  }
  float rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    rho += f[k];
    ux += f[k] * (float)cx[k];
    uy += f[k] * (float)cy[k];
  }
  ux /= rho;
  uy /= rho;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float along = 3.0f * ((float)cx[k] * ux + (float)cy[k] * uy);
    const float rest = weight[k] * rho * (1.0f + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
    after[k * cells + i] = f[k] + omega * (rest - f[k]);
  }
  density[i] = rho;
}

// Spins in a cube, one colour of the board at a time, some sites empty; flips are accepted by their energy.
extern "C" __global__ void ising_cube(signed char *spins, unsigned *randoms, int *flips, float coupling, float field, int colour, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, half = side / 2;
  if (i >= half * side * side)
    return;
  const int y = i / half % side, z = i / (half * side), x = 2 * (i % half) + ((y + z + colour) & 1);
  const int at = (z * side + y) * side + x, spin = spins[at];
  if (spin == 0)
    return;
  int around = spins[(z * side + y) * side + (x + 1 == side ? 0 : x + 1)] + spins[(z * side + y) * side + (x == 0 ? side - 1 : x - 1)];
  around += spins[(z * side + (y + 1 == side ? 0 : y + 1)) * side + x] + spins[(z * side + (y == 0 ? side - 1 : y - 1)) * side + x];
  // Open at the bottom and the top.
  if (z > 0)
    around += spins[((z - 1) * side + y) * side + x];
  if (z + 1 < side)
    around += spins[((z + 1) * side + y) * side + x];
  const float cost = 2.0f * (float)spin * (coupling * (float)around + field);
  bool flip = cost <= 0;
  if (!flip) {
    unsigned state = randoms[i];
    flip = unit_random(state) < expf(-cost);
    randoms[i] = state;
  }
  if (flip) {
    spins[at] = (signed char)-spin;
    atomicAdd(&flips[z], 1);
  }
}

// Cloth against what is near each point: ball, rod, box or floor; out along the normal, and friction.
extern "C" __global__ void cloth_obstacles(float *position, const float *before, const int *starts, const int *near,
                                           const unsigned char *kinds, const float *shapes, const unsigned char *pinned, float skin,
                                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || pinned[i])
    return;
  float x = position[3 * i], y = position[3 * i + 1], z = position[3 * i + 2];
  for (int k = starts[i]; k < starts[i + 1]; ++k) {
    const float *s = shapes + 8 * near[k];
    float nx = 0, ny = 1.0f, nz = 0, depth = 0;
    switch (kinds[near[k]]) {
    case 0: {
      const float dx = x - s[0], dy = y - s[1], dz = z - s[2], reach = s[3] + skin, d2 = dx * dx + dy * dy + dz * dz;
      if (d2 < reach * reach && d2 > 1e-8f) {
        const float d = sqrtf(d2);
        depth = reach - d;
        nx = dx / d;
        ny = dy / d;
        nz = dz / d;
      }
      break;
    }
    case 1: {
      const float ax = s[4] - s[0], ay = s[5] - s[1], az = s[6] - s[2];
      float t = ((x - s[0]) * ax + (y - s[1]) * ay + (z - s[2]) * az) / (ax * ax + ay * ay + az * az);
      t = fminf(1.0f, fmaxf(0.0f, t));
      const float dx = x - s[0] - t * ax, dy = y - s[1] - t * ay, dz = z - s[2] - t * az;
      const float reach = s[3] + skin, d2 = dx * dx + dy * dy + dz * dz;
      if (d2 < reach * reach && d2 > 1e-8f) {
        const float d = sqrtf(d2);
        depth = reach - d;
        nx = dx / d;
        ny = dy / d;
        nz = dz / d;
      }
      break;
    }
    case 2: {
      const float dx = x - s[0], dy = y - s[1], dz = z - s[2];
      const float px = s[4] + skin - fabsf(dx), py = s[5] + skin - fabsf(dy), pz = s[6] + skin - fabsf(dz);
      if (px > 0 && py > 0 && pz > 0) {
        if (px < py && px < pz) {
          depth = px;
          nx = dx < 0 ? -1.0f : 1.0f;
          ny = 0;
        } else if (pz < py) {
          depth = pz;
          nz = dz < 0 ? -1.0f : 1.0f;
          ny = 0;
        } else {
          depth = py;
          ny = dy < 0 ? -1.0f : 1.0f;
        }
      }
      break;
    }
    default:
      if (y < s[1] + skin)
        depth = s[1] + skin - y;
    }
    if (depth <= 0)
      continue;
    x += depth * nx;
    y += depth * ny;
    z += depth * nz;
    float tx = x - before[3 * i], ty = y - before[3 * i + 1], tz = z - before[3 * i + 2];
    const float along = tx * nx + ty * ny + tz * nz;
    tx -= along * nx;
    ty -= along * ny;
    tz -= along * nz;
    const float slide = sqrtf(tx * tx + ty * ty + tz * tz), most = s[7] * depth;
    const float keep = slide <= most ? 1.0f : most / slide;
    x -= keep * tx;
    y -= keep * ty;
    z -= keep * tz;
  }
  position[3 * i] = x;
  position[3 * i + 1] = y;
  position[3 * i + 2] = z;
}

// The best exchange of two legs of a tour for each first leg; tours in a row, one a block.
extern "C" __global__ void two_opt_best(int *best_gain, int *best_pair, int *tour_gain, const float2 *cities, const short *tours,
                                        int length) {
  __shared__ float2 place[96];
  __shared__ int most;
  const int t = threadIdx.x, tour = blockIdx.x;
  if (t == 0)
    most = 0;
  if (t < length)
    place[t] = cities[tours[tour * length + t]];
  __syncthreads();
  int gain = 0, pair = -1;
  if (t < length - 2) {
    const float2 a = place[t], b = place[t + 1];
    const float leg = sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
    for (int k = t + 2; k < length; ++k) {
      const float2 c = place[k], d = place[k + 1 == length ? 0 : k + 1];
      if (t == 0 && k == length - 1)
        continue; // the same leg
      const float ac = sqrtf((a.x - c.x) * (a.x - c.x) + (a.y - c.y) * (a.y - c.y));
      if (ac >= leg + 4.0f)
        continue; // too far away to be worth it
      const float bd = sqrtf((b.x - d.x) * (b.x - d.x) + (b.y - d.y) * (b.y - d.y));
      const float cd = sqrtf((c.x - d.x) * (c.x - d.x) + (c.y - d.y) * (c.y - d.y));
      const int here = (int)(256.0f * (leg + cd - ac - bd));
      if (here > gain) {
        gain = here;
        pair = k;
      }
    }
    best_gain[tour * length + t] = gain;
    best_pair[tour * length + t] = pair;
    if (gain > 0)
      atomicMax(&most, gain);
  }
  __syncthreads();
  if (t == 0)
    tour_gain[tour] = most;
}

// Shots over hills: drag by the Mach number, wind above a height, and up to two ricochets.
extern "C" __global__ void projectile_flights(float *range, float *highest, unsigned char *fate, const float *speed, const float *angle,
                                              const float *mass, const float *ground, float cell, int cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float vx = speed[i] * cosine(angle[i]), vy = speed[i] * __sinf(angle[i]), x = 0, y = ground[0] + 1.0f, top = y;
  int bounces = 0;
  unsigned char end = 0;
  for (int k = 0; k < 90; ++k) {
    const float wind = y > 400.0f ? 12.0f : y > 100.0f ? 6.0f : 2.0f;
    const float rx = vx + wind, v = sqrtf(rx * rx + vy * vy), mach = v / (340.0f - 0.004f * y);
    float drag;
    if (mach < 0.8f)
      drag = 0.16f;
    else if (mach < 1.05f)
      drag = 0.16f + 1.0f * (mach - 0.8f);
    else
      drag = 0.18f + 0.24f / (mach * mach);
    float dt = 0.5f;
    if (v > 300.0f)
      dt = 0.25f;
    const float slow = 0.002f * drag * v * exp2f(-y / 6000.0f) / mass[i];
    vx -= dt * slow * rx;
    vy -= dt * (9.81f + slow * vy);
    x += dt * vx;
    y += dt * vy;
    if (y > top)
      top = y;
    if (x < 0) {
      end = 3;
      break;
    }
    const float at = x / cell;
    const int c = (int)at;
    if (c + 1 >= cells) {
      end = 2;
      break;
    }
    const float floor = ground[c] + (at - (float)c) * (ground[c + 1] - ground[c]);
    if (y < floor) {
      const float slope = (ground[c + 1] - ground[c]) / cell, length = sqrtf(1.0f + slope * slope);
      const float into = (vx * slope - vy) / length;
      if (bounces < 2 && into < 0.25f * v && into > 0) {
        ++bounces;
        vx = 0.6f * (vx - 1.6f * into * slope / length);
        vy = 0.6f * (vy + 1.6f * into / length);
        y = floor;
      } else {
        end = 1;
        break;
      }
    }
  }
  range[i] = x;
  highest[i] = top;
  fate[i] = (unsigned char)(end | bounces << 4);
}

// Points that jump: towards corners, towards corners other than the last, or by affine maps of different weights.
extern "C" __global__ void chaos_game(unsigned *counts, float2 *ends, const unsigned *seeds, const unsigned char *games, int jumps,
                                      int side, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i] | 1u;
  const int game = games[i];
  float x = unit_random(state), y = unit_random(state);
  int last = 0;
  for (int k = 0; k < jumps; ++k) {
    if (game == 0) {
      const int corner = next_random(state) % 3;
      x = 0.5f * (x + 0.5f * (float)corner);
      y = 0.5f * (y + (corner == 1 ? 1.0f : 0.0f));
    } else if (game == 1) {
      int corner = next_random(state) >> 30;
      if (corner == last)
        corner = (corner + 1) & 3;
      last = corner;
      x = 0.5f * (x + (corner == 1 || corner == 2 ? 1.0f : 0.0f));
      y = 0.5f * (y + (corner >= 2 ? 1.0f : 0.0f));
    } else {
      const float r = unit_random(state);
      const float u = 5.5f * x - 2.75f, v = 10.0f * y;
      float nu, nv;
      if (r < 0.01f) {
        nu = 0;
        nv = 0.16f * v;
      } else if (r < 0.86f) {
        nu = 0.85f * u + 0.04f * v;
        nv = -0.04f * u + 0.85f * v + 1.6f;
      } else if (r < 0.93f) {
        nu = 0.2f * u - 0.26f * v;
        nv = 0.23f * u + 0.22f * v + 1.6f;
      } else {
        nu = -0.15f * u + 0.28f * v;
        nv = 0.26f * u + 0.24f * v + 0.44f;
      }
      x = (nu + 2.75f) / 5.5f;
      y = nv * 0.1f;
    }
    if (k < 8)
      continue; // not on the attractor yet
    const int px = (int)(x * (float)side), py = (int)(y * (float)side);
    if (px >= 0 && px < side && py >= 0 && py < side)
      atomicAdd(&counts[py * side + px], 1u);
  }
  ends[i] = {x, y};
}

// Fuel that heats itself: two laws by temperature, smaller steps when it is fast, until it ignites or is used up.
extern "C" __global__ void ignition_delays(float *delay, float *left, unsigned char *fate, const float *start, const float *richness,
                                           float horizon, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float t = start[i], fuel = 1.0f, radicals = 1e-4f, time = 0;
  const float phi = richness[i];
  unsigned char end = 0;
  for (int k = 0; k < 120; ++k) {
    float rate;
    if (t < 900.0f)
      rate = 8.0e3f * expf(-7500.0f / t) * radicals;
    else if (t < 1100.0f)
      rate = 25.0f * expf(-2500.0f / t) * radicals; // slower when hotter
    else
      rate = 1.2e6f * expf(-13000.0f / t) * radicals;
    float burnt = rate * fuel;
    if (phi > 1.0f)
      burnt /= phi * phi;
    const float branching = t > 850.0f ? 8.0f : 3.0f;
    const float heating = 1800.0f * (phi < 1.0f ? phi : 1.0f) * burnt - 0.4f * (t - 600.0f);
    float dt = 0.2f;
    if (fabsf(heating) * dt > 20.0f)
      dt = 20.0f / fabsf(heating);
    t += dt * heating;
    fuel -= dt * burnt;
    radicals += dt * (branching * burnt + 0.02f * fuel - 0.3f * radicals);
    time += dt;
    if (t > 1500.0f) {
      end = 1;
      break;
    }
    if (fuel < 0.05f) {
      end = 2;
      break;
    }
    if (time > horizon) {
      end = 3;
      break;
    }
  }
  delay[i] = time;
  left[i] = fuel;
  fate[i] = end;
}
