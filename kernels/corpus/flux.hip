// Finite volumes: fluxes, limiters, boundaries, materials.
#include <hip/hip_runtime.h>

// Upwind advection: the neighbour that the wind comes from.
extern "C" __global__ void upwind_advection(float *next, const float *q, const float *u, const float *v, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  const int i = y * width + x;
  float change = 0;
  if (u[i] > 0)
    change += u[i] * (q[i] - q[i - 1]);
  else
    change += u[i] * (q[i + 1] - q[i]);
  if (v[i] > 0)
    change += v[i] * (q[i] - q[i - width]);
  else
    change += v[i] * (q[i + width] - q[i]);
  next[i] = q[i] - 0.1f * change;
}

// Flux between two states of the shallow water equations: three cases by the waves' speeds.
extern "C" __global__ void hll_shallow_water(float *mass, float *momentum, const float *depth, const float *discharge, int faces) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= faces)
    return;
  const float hl = depth[i], hr = depth[i + 1], ql = discharge[i], qr = discharge[i + 1];
  float f0 = 0, f1 = 0;
  if (hl > 1e-3f || hr > 1e-3f) {
    const float ul = hl > 1e-3f ? ql / hl : 0.0f, ur = hr > 1e-3f ? qr / hr : 0.0f;
    const float cl = sqrtf(9.81f * hl), cr = sqrtf(9.81f * hr);
    const float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
    const float fl1 = ql * ul + 4.905f * hl * hl, fr1 = qr * ur + 4.905f * hr * hr;
    if (sl >= 0) {
      f0 = ql;
      f1 = fl1;
    } else if (sr <= 0) {
      f0 = qr;
      f1 = fr1;
    } else {
      f0 = (sr * ql - sl * qr + sl * sr * (hr - hl)) / (sr - sl);
      f1 = (sr * fl1 - sl * fr1 + sl * sr * (qr - ql)) / (sr - sl);
    }
  }
  mass[i] = f0;
  momentum[i] = f1;
}

// HLLC flux of gas: left, left star, right star, right.
extern "C" __global__ void hllc_euler(float *mass, float *momentum, float *energy, const float *rho, const float *u,
                                      const float *p, int faces) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= faces)
    return;
  const float rl = rho[i], rr = rho[i + 1], ul = u[i], ur = u[i + 1], pl = p[i], pr = p[i + 1];
  const float cl = sqrtf(1.4f * pl / rl), cr = sqrtf(1.4f * pr / rr);
  const float el = pl / 0.4f + 0.5f * rl * ul * ul, er = pr / 0.4f + 0.5f * rr * ur * ur;
  const float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
  const float sm = (pr - pl + rl * ul * (sl - ul) - rr * ur * (sr - ur)) / (rl * (sl - ul) - rr * (sr - ur));
  float f0, f1, f2;
  if (sm >= 0) {
    f0 = rl * ul;
    f1 = rl * ul * ul + pl;
    f2 = ul * (el + pl);
    if (sl < 0) {
      const float factor = rl * (sl - ul) / (sl - sm);
      f0 += sl * (factor - rl);
      f1 += sl * (factor * sm - rl * ul);
      f2 += sl * (factor * (el / rl + (sm - ul) * (sm + pl / (rl * (sl - ul)))) - el);
    }
  } else {
    f0 = rr * ur;
    f1 = rr * ur * ur + pr;
    f2 = ur * (er + pr);
    if (sr > 0) {
      const float factor = rr * (sr - ur) / (sr - sm);
      f0 += sr * (factor - rr);
      f1 += sr * (factor * sm - rr * ur);
      f2 += sr * (factor * (er / rr + (sm - ur) * (sm + pr / (rr * (sr - ur)))) - er);
    }
  }
  mass[i] = f0;
  momentum[i] = f1;
  energy[i] = f2;
}

// Slopes with a limiter chosen by the kind of the cell.
extern "C" __global__ void limited_slopes(float *slopes, const float *q, const unsigned char *kind, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1)
    return;
  const float a = q[i] - q[i - 1], b = q[i + 1] - q[i];
  float s = 0;
  if (a * b > 0) {
    if (kind[i] == 0) { // minmod
      s = fabsf(a) < fabsf(b) ? a : b;
    } else if (kind[i] == 1) { // superbee
      const float s1 = fabsf(2 * a) < fabsf(b) ? 2 * a : b, s2 = fabsf(a) < fabsf(2 * b) ? a : 2 * b;
      s = fabsf(s1) > fabsf(s2) ? s1 : s2;
    } else // van Leer
      s = 2 * a * b / (a + b);
  }
  slopes[i] = s;
}

// Third-order reconstruction from three stencils: the one that is smoothest, by either side of the face.
extern "C" __global__ void weno_faces(float *left, float *right, const float *q, const float *speed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2 || i >= n - 2)
    return;
  float a, b, c;
  if (speed[i] >= 0) {
    a = q[i - 1];
    b = q[i];
    c = q[i + 1];
  } else {
    a = q[i + 2];
    b = q[i + 1];
    c = q[i];
  }
  const float b0 = (b - a) * (b - a), b1 = (c - b) * (c - b);
  const float w0 = 0.3333f / ((1e-6f + b0) * (1e-6f + b0)), w1 = 0.6667f / ((1e-6f + b1) * (1e-6f + b1));
  const float value = (w0 * (1.5f * b - 0.5f * a) + w1 * (0.5f * b + 0.5f * c)) / (w0 + w1);
  if (speed[i] >= 0)
    left[i] = value;
  else
    right[i] = value;
}

// Boundary cells by kind: wall, inflow, outflow, periodic; the inside is copied.
extern "C" __global__ void ghost_cells(float *q, const float *before, const unsigned char *kind, const float *inflow, int n,
                                       int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (kind[i]) {
  case 0:
    q[i] = before[i];
    break;
  case 1:
    q[i] = -before[i + stride];
    break;
  case 2:
    q[i] = 2.0f * inflow[i] - before[i + stride];
    break;
  case 3:
    q[i] = before[i + stride];
    break;
  default:
    q[i] = before[(i + n / 2) % n];
  }
}

// Pressure from density and energy with one equation of state a material.
extern "C" __global__ void equations_of_state(float *pressure, float *sound, const float *density, const float *energy,
                                              const unsigned char *material, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  const float rho = density[i], e = energy[i];
  float p, c2;
  if (material[i] == 0) { // gas
    p = 0.4f * rho * e;
    c2 = 1.4f * p / rho;
  } else if (material[i] == 1) { // stiffened gas: water
    p = 3.4f * rho * e - 4.4f * 0.6f;
    c2 = 4.4f * (p + 0.6f) / rho;
  } else { // solid
    const float mu = rho / 2.7f - 1.0f;
    p = 0.73f * mu + (mu > 0 ? 1.72f * mu * mu : 0.0f) + 2.0f * 2.7f * e;
    c2 = (0.73f + 3.44f * fmaxf(mu, 0.0f)) / 2.7f + 2.0f * p / rho;
  }
  pressure[i] = p;
  sound[i] = sqrtf(fmaxf(c2, 1e-6f));
}

// Distance to a front by Godunov's scheme: which differences count depends on the sign.
extern "C" __global__ void level_set_distance(float *next, const float *phi, const float *start, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  const int i = y * width + x;
  const float a = phi[i] - phi[i - 1], b = phi[i + 1] - phi[i], c = phi[i] - phi[i - width], d = phi[i + width] - phi[i];
  float gradient;
  if (start[i] > 0) {
    const float ap = fmaxf(a, 0.0f), bm = fminf(b, 0.0f), cp = fmaxf(c, 0.0f), dm = fminf(d, 0.0f);
    gradient = sqrtf(fmaxf(ap * ap, bm * bm) + fmaxf(cp * cp, dm * dm)) - 1.0f;
  } else {
    const float am = fminf(a, 0.0f), bp = fmaxf(b, 0.0f), cm = fminf(c, 0.0f), dp = fmaxf(d, 0.0f);
    gradient = 1.0f - sqrtf(fmaxf(am * am, bp * bp) + fmaxf(cm * cm, dp * dp));
  }
  next[i] = phi[i] - 0.3f * gradient;
}

// Wall functions: viscous sublayer, buffer, logarithmic layer.
extern "C" __global__ void wall_function(float *u_plus, const float *y_plus, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float y = y_plus[i];
  float u;
  if (y < 5.0f)
    u = y;
  else if (y < 30.0f)
    u = 5.0f * logf(y) - 3.05f;
  else
    u = 2.5f * logf(y) + 5.5f;
  u_plus[i] = u;
}

// A glacier's or a dam's cell dries: wet, shallow, dry.
extern "C" __global__ void wetting_drying(float *depth, float *u, float *v, const float *inflow, float step, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  float h = depth[i] + step * inflow[i];
  if (h <= 0) {
    h = 0;
    u[i] = 0;
    v[i] = 0;
  } else if (h < 0.05f) {
    const float damping = h / 0.05f;
    u[i] *= damping;
    v[i] *= damping;
  } else {
    const float speed = sqrtf(u[i] * u[i] + v[i] * v[i]);
    const float friction = 1.0f + step * 0.025f * speed / h;
    u[i] /= friction;
    v[i] /= friction;
  }
  depth[i] = h;
}
