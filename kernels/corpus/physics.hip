// Simulations of matter: chemistry, plasticity, transport, weather, adaptive steps.
#include <hip/hip_runtime.h>

// Thermodynamic polynomials with one set of coefficients below and one above a temperature.
extern "C" __global__ void nasa_polynomials(float *heat, float *enthalpy, const float *temperature, const float *coefficients,
                                            int species, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float t = temperature[i];
  float cp = 0, h = 0;
  for (int s = 0; s < species; ++s) {
    const float *c = coefficients + 12 * s;
    if (t < 1000.0f) {
      cp += c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
      h += c[0] + t * (c[1] / 2 + t * (c[2] / 3 + t * (c[3] / 4 + t * c[4] / 5))) + c[5] / t;
    } else {
      cp += c[6] + t * (c[7] + t * (c[8] + t * (c[9] + t * c[10])));
      h += c[6] + t * (c[7] / 2 + t * (c[8] / 3 + t * (c[9] / 4 + t * c[10] / 5))) + c[11] / t;
    }
  }
  heat[i] = cp;
  enthalpy[i] = h;
}

// Rates of reactions: plain, with third bodies, with fall-off.
extern "C" __global__ void reaction_rates(float *rates, const float *temperature, const float *a, const float *b, const float *e,
                                          const unsigned char *kind, float pressure, int reactions, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float t = temperature[i / reactions];
  const int r = i % reactions;
  const float k = a[r] * expf(b[r] * logf(t) - e[r] / t);
  float rate;
  if (kind[r] == 0)
    rate = k;
  else if (kind[r] == 1)
    rate = k * pressure / t;
  else {
    const float low = 0.1f * a[r] * expf((b[r] - 1) * logf(t) - 0.5f * e[r] / t);
    const float reduced = low * pressure / (t * k);
    const float l = log2f(reduced) * 0.30103f;
    rate = k * reduced / (1 + reduced) * exp2f(-0.7f / (1 + l * l));
  }
  rates[i] = rate;
}

// Elastic or plastic: a step beyond the yield surface is returned to it; broken material only takes pressure.
extern "C" __global__ void return_mapping(float *stress, float *plastic, const float *strain, const unsigned char *broken, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float exx = strain[i], eyy = strain[n + i], exy = strain[2 * n + i];
  const float mean = 0.5f * (exx + eyy), dx = exx - mean;
  float p = 100.0f * mean, sxx = 0, sxy = 0, more = 0;
  if (!broken[i]) {
    sxx = 80.0f * dx;
    sxy = 40.0f * exy;
    const float equivalent = sqrtf(3 * (sxx * sxx + sxy * sxy)), yield = 0.5f + 10.0f * plastic[i];
    if (equivalent > yield) {
      more = (equivalent - yield) / (120.0f + 10.0f);
      const float factor = 1 - 120.0f * more / equivalent;
      sxx *= factor;
      sxy *= factor;
    }
  } else if (p > 0)
    p = 0;
  stress[i] = p + sxx;
  stress[n + i] = p - sxx;
  stress[2 * n + i] = sxy;
  plastic[i] += more;
}

// Cross sections of neutrons: a search in an energy grid for every nuclide of a material, then the kind of collision.
extern "C" __global__ void neutron_collisions(float *sections, unsigned char *kinds, const float *energies, const unsigned *seeds,
                                              const float *grid, const float *tables, const int *materials, int points, int nuclides,
                                              int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float energy = energies[i];
  int low = 0, high = points - 1;
  while (high - low > 1) {
    const int middle = (low + high) >> 1;
    if (grid[middle] > energy)
      high = middle;
    else
      low = middle;
  }
  const float f = (energy - grid[low]) / (grid[high] - grid[low]);
  const int count = materials[i % 4];
  float total = 0, absorbed = 0;
  for (int k = 0; k < count; ++k) {
    const float *row = tables + (k % nuclides * points + low) * 2;
    total += row[0] + f * (row[2] - row[0]);
    absorbed += row[1] + f * (row[3] - row[1]);
  }
  const float u = (float)((seeds[i] * 1664525u + 1013904223u) >> 8) * (1.0f / 16777216.0f) * total;
  unsigned char kind;
  if (u < 0.3f * absorbed)
    kind = 2;
  else if (u < absorbed)
    kind = 1;
  else
    kind = 0;
  sections[i] = total;
  kinds[i] = kind;
}

// Rain, snow and clouds in a column's cell: which processes run depends on temperature and on what there is.
extern "C" __global__ void cloud_physics(float *vapour, float *cloud, float *rain, float *ice, float *temperature, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float t = temperature[i], v = vapour[i], c = cloud[i], r = rain[i], s = ice[i];
  const float saturation = 0.0038f * exp2f(0.099f * (t - 273.15f) * 240.0f / (t - 35.86f));
  if (v > saturation) {
    const float more = (v - saturation) * 0.4f;
    v -= more;
    c += more;
    t += 2490.0f * more;
  } else if (c > 0) {
    const float gone = fminf(c, (saturation - v) * 0.4f);
    v += gone;
    c -= gone;
    t -= 2490.0f * gone;
  }
  if (t >= 273.15f) {
    if (s > 0) {
      const float melted = fminf(s, 0.001f * (t - 273.15f));
      s -= melted;
      r += melted;
      t -= 332.0f * melted;
    }
    if (c > 0.0005f) {
      const float fallen = 0.01f * (c - 0.0005f);
      c -= fallen;
      r += fallen;
    }
  } else {
    if (r > 0) {
      const float frozen = fminf(r, 0.001f * (273.15f - t));
      r -= frozen;
      s += frozen;
      t += 332.0f * frozen;
    }
    if (c > 0.0002f) {
      const float fallen = 0.02f * (c - 0.0002f);
      c -= fallen;
      s += fallen;
    }
  }
  vapour[i] = v;
  cloud[i] = c;
  rain[i] = r;
  ice[i] = s;
  temperature[i] = t;
}

// An equation of motion by steps that are tried, accepted or made smaller.
extern "C" __global__ void adaptive_steps(float *result, int *rejected, const float *start, const float *stiffness, float end, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = start[i], v = 0, t = 0, h = 0.1f;
  const float k = stiffness[i];
  int refused = 0;
  for (int step = 0; step < 60 && t < end; ++step) {
    const float a = -k * x - 0.1f * v;
    const float x1 = x + h * v, v1 = v + h * a;
    const float a1 = -k * x1 - 0.1f * v1;
    const float x2 = x + 0.5f * h * (v + v1), v2 = v + 0.5f * h * (a + a1);
    const float error = fabsf(x2 - x1) + 0.1f * fabsf(v2 - v1);
    if (error < 0.02f) {
      t += h;
      x = x2;
      v = v2;
      h *= error < 0.005f ? 1.6f : 1.1f;
    } else {
      h *= 0.5f;
      ++refused;
    }
  }
  result[i] = x;
  rejected[i] = refused;
}

// Stiffness of elements of two shapes: triangles have one point, quadrilaterals four.
extern "C" __global__ void element_stiffness(float *stiffness, const float *corners, const unsigned char *is_quad, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *c = corners + 8 * i;
  float sum = 0;
  if (is_quad[i]) {
    for (int g = 0; g < 4; ++g) {
      const float r = g & 1 ? 0.57735f : -0.57735f, s = g & 2 ? 0.57735f : -0.57735f;
      const float a = 0.25f * ((1 - s) * (c[2] - c[0]) + (1 + s) * (c[4] - c[6]));
      const float b = 0.25f * ((1 - s) * (c[3] - c[1]) + (1 + s) * (c[5] - c[7]));
      const float d = 0.25f * ((1 - r) * (c[6] - c[0]) + (1 + r) * (c[4] - c[2]));
      const float e = 0.25f * ((1 - r) * (c[7] - c[1]) + (1 + r) * (c[5] - c[3]));
      const float det = a * e - b * d;
      sum += (a * a + b * b + d * d + e * e) / det;
    }
  } else {
    const float a = c[2] - c[0], b = c[3] - c[1], d = c[4] - c[0], e = c[5] - c[1];
    const float det = a * e - b * d;
    sum = 0.5f * (a * a + b * b + d * d + e * e) / det;
  }
  stiffness[i] = sum;
}

// Gravity by a tree in heap order: far cells count as one, near ones are opened.
extern "C" __global__ void tree_gravity(float *force, const float *positions, const float *cells, int levels, float opening, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = positions[i];
  const int size = (1 << levels) - 1;
  float sum = 0;
  int node = 0, depth = 0;
  for (;;) {
    const float d = cells[2 * node] - x, width = 1.0f / (float)(1 << depth);
    bool down = false;
    if (2 * node + 1 >= size || width < opening * fabsf(d))
      sum += cells[2 * node + 1] * d / (fabsf(d) * d * d + 0.001f);
    else
      down = true;
    if (down) {
      node = 2 * node + 1;
      ++depth;
    } else {
      while (node > 0 && node % 2 == 0) {
        node = (node - 1) / 2;
        --depth;
      }
      if (node == 0)
        break;
      ++node;
    }
  }
  force[i] = sum;
}

// Light in a canopy or a snow pack: dry, wet and frozen ground have other formulas, and night has none.
extern "C" __global__ void surface_energy(float *flux, const float *sun, const float *temperature, const float *wetness,
                                          const unsigned char *ground, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float t = temperature[i], w = wetness[i];
  const float t2 = t * t * 1e-4f;
  float absorbed = 0, latent;
  if (sun[i] > 0) {
    const float albedo = ground[i] == 2 ? 0.8f : 0.25f - 0.1f * w;
    absorbed = sun[i] * (1 - albedo);
  }
  switch (ground[i]) {
  case 0:
    latent = 30.0f * w * (t - 270.0f) * 0.1f;
    break;
  case 1:
    latent = 55.0f * (t - 268.0f) * 0.1f;
    break;
  default:
    latent = t > 273.15f ? 90.0f * (t - 273.15f) : 5.0f;
  }
  flux[i] = absorbed - latent - 5.67f * t2 * t2 + 300.0f;
}
