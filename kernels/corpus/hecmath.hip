// Special functions by ranges, roots, quadrature, geodesy, orbits and spectra.
#include <hip/hip_runtime.h>

#define PI 3.14159265f

__device__ static float cosine(float x) { return __sinf(x + 0.5f * PI); }

__device__ static float arc_tangent(float y, float x) {
  const float ax = fabsf(x), ay = fabsf(y), larger = fmaxf(ax, ay);
  const float q = larger > 0 ? fminf(ax, ay) / larger : 0.0f, s = q * q;
  float angle = q * (0.99997726f + s * (-0.33262347f + s * (0.19354346f + s * (-0.11643287f + s * (0.05265332f - 0.0117212f * s)))));
  if (ay > ax)
    angle = 0.5f * PI - angle;
  if (x < 0)
    angle = PI - angle;
  return y < 0 ? -angle : angle;
}

// Distance on the ellipsoid by iteration; points nearly opposite each other do not converge and get the sphere's.
extern "C" __global__ void geodesic_distance(float *metres, unsigned char *how, const float2 *from, const float2 *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float2 a = from[i], b = to[i];
  if (a.x == b.x && a.y == b.y) {
    metres[i] = 0;
    how[i] = 1;
    return;
  }
  const float flat = 1.0f / 298.257224f, major = 6378137.0f, minor = major * (1.0f - flat);
  const float u1 = arc_tangent((1.0f - flat) * __sinf(a.x), cosine(a.x));
  const float u2 = arc_tangent((1.0f - flat) * __sinf(b.x), cosine(b.x));
  const float s1 = __sinf(u1), c1 = cosine(u1), s2 = __sinf(u2), c2 = cosine(u2);
  float span = b.y - a.y;
  if (span > PI)
    span -= 2.0f * PI;
  else if (span < -PI)
    span += 2.0f * PI;
  float lambda = span, sin_sigma = 0, cos_sigma = 1, sigma = 0, squared = 0, middle = 0;
  bool settled = false;
  for (int k = 0; k < 12 && !settled; ++k) {
    const float sl = __sinf(lambda), cl = cosine(lambda);
    const float p = c2 * sl, q = c1 * s2 - s1 * c2 * cl;
    sin_sigma = sqrtf(p * p + q * q);
    cos_sigma = s1 * s2 + c1 * c2 * cl;
    if (sin_sigma < 1e-7f)
      break;
    sigma = arc_tangent(sin_sigma, cos_sigma);
    const float sin_alpha = c1 * c2 * sl / sin_sigma;
    squared = 1.0f - sin_alpha * sin_alpha;
    if (squared > 1e-6f)
      middle = cos_sigma - 2.0f * s1 * s2 / squared;
    else
      middle = 0; // along the equator
    const float c = flat / 16.0f * squared * (4.0f + flat * (4.0f - 3.0f * squared));
    const float next = span + (1.0f - c) * flat * sin_alpha *
                                  (sigma + c * sin_sigma * (middle + c * cos_sigma * (2.0f * middle * middle - 1.0f)));
    if (fabsf(next) > PI)
      break;
    settled = fabsf(next - lambda) < 2e-6f;
    lambda = next;
  }
  if (settled) {
    const float u = squared * (major * major - minor * minor) / (minor * minor);
    const float big = 1.0f + u / 16384.0f * (4096.0f + u * (-768.0f + u * (320.0f - 175.0f * u)));
    const float small = u / 1024.0f * (256.0f + u * (-128.0f + u * (74.0f - 47.0f * u)));
    const float correction = small * sin_sigma * (middle + 0.25f * small * cos_sigma * (2.0f * middle * middle - 1.0f));
    metres[i] = minor * big * (sigma - correction);
    how[i] = 2;
  } else {
    const float h1 = __sinf(0.5f * (b.x - a.x)), h2 = __sinf(0.5f * span);
    const float h = fminf(1.0f, h1 * h1 + cosine(a.x) * cosine(b.x) * h2 * h2);
    metres[i] = 2.0f * 6371008.8f * arc_tangent(sqrtf(h), sqrtf(1.0f - h));
    how[i] = 3;
  }
}

struct span {
  float low, high;
};

__device__ static span times_plus(span a, span b, float c) {
  const float p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  return {fminf(fminf(p, q), fminf(r, s)) + c, fmaxf(fmaxf(p, q), fmaxf(r, s)) + c};
}

// All roots of a quintic in an interval: boxes without a zero are dropped, where the slope has one sign Newton's method
// finishes, and the others are halved.
extern "C" __global__ void interval_roots(int *count, float *roots, int *boxes, const float *coefficients, float low, float high,
                                          int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float c[6];
  for (int k = 0; k < 6; ++k)
    c[k] = coefficients[k * n + i];
  float left[12], right[12];
  int depth = 1, found = 0, looked = 0;
  left[0] = low;
  right[0] = high;
  while (depth > 0 && looked < 36 && found < 5) {
    --depth;
    ++looked;
    const float a = left[depth], b = right[depth];
    const span x = {a, b};
    span value = {c[5], c[5]}, slope = {5.0f * c[5], 5.0f * c[5]};
    for (int k = 4; k >= 0; --k) {
      value = times_plus(value, x, c[k]);
      if (k > 0)
        slope = times_plus(slope, x, (float)k * c[k]);
    }
    if (value.low > 0 || value.high < 0)
      continue;
    if (slope.low > 0 || slope.high < 0) {
      float at_a = c[5], at_b = c[5];
      for (int k = 4; k >= 0; --k) {
        at_a = at_a * a + c[k];
        at_b = at_b * b + c[k];
      }
      if ((at_a < 0) == (at_b < 0))
        continue;
      float r = 0.5f * (a + b);
      for (int step = 0; step < 10; ++step) {
        float f = c[5], g = 0;
        for (int k = 4; k >= 0; --k) {
          g = g * r + f;
          f = f * r + c[k];
        }
        const float move = f / g;
        r = fminf(b, fmaxf(a, r - move));
        if (fabsf(move) < 1e-6f)
          break;
      }
      roots[5 * i + found++] = r;
    } else if (b - a < 0.02f) {
      roots[5 * i + found++] = 0.5f * (a + b);
    } else if (depth < 11) {
      const float half = 0.5f * (a + b);
      left[depth] = half;
      right[depth++] = b;
      left[depth] = a;
      right[depth++] = half;
    }
  }
  count[i] = found;
  boxes[i] = looked;
}

__device__ static float bessel_series(float x, int order) {
  float term = 1.0f;
  for (int k = 1; k <= order; ++k)
    term *= 0.5f * x / (float)k;
  const float quarter = -0.25f * x * x;
  float sum = term;
  for (int k = 1; k < 40; ++k) {
    term *= quarter / (float)(k * (k + order));
    sum += term;
    if (fabsf(term) < 1e-7f * fabsf(sum))
      break;
  }
  return sum;
}

__device__ static float bessel_far(float x, int order) {
  const float m = 4.0f * (float)(order * order), y = 1.0f / (8.0f * x);
  const float p = 1.0f - 0.5f * (m - 1.0f) * (m - 9.0f) * y * y;
  const float q = (m - 1.0f) * y - (m - 1.0f) * (m - 9.0f) * (m - 25.0f) / 6.0f * y * y * y;
  const float phase = x - (0.5f * (float)order + 0.25f) * PI;
  return sqrtf(2.0f / (PI * x)) * (p * cosine(phase) - q * __sinf(phase));
}

// Bessel functions of whole order: series, recurrence upwards, or downwards from beyond and normalised.
extern "C" __global__ void bessel_order(float *result, const float *argument, const unsigned char *order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int m = order[i];
  const float x = fabsf(argument[i]);
  float j;
  if (x < 3.0f)
    j = bessel_series(x, m);
  else if (m < 2) {
    j = x < 9.0f ? bessel_series(x, m) : bessel_far(x, m);
  } else if (x > (float)m) {
    float before = x < 9.0f ? bessel_series(x, 0) : bessel_far(x, 0);
    j = x < 9.0f ? bessel_series(x, 1) : bessel_far(x, 1);
    for (int k = 1; k < m; ++k) {
      const float next = 2.0f * (float)k / x * j - before;
      before = j;
      j = next;
    }
  } else {
    int k = 2 * ((m + 14) / 2);
    float above = 0, here = 1e-20f, even = 0;
    j = 0;
    for (; k > 0; --k) {
      const float below = 2.0f * (float)k / x * here - above;
      above = here;
      here = below;
      if (fabsf(here) > 1e15f) {
        here *= 1e-15f;
        above *= 1e-15f;
        even *= 1e-15f;
        j *= 1e-15f;
      }
      if (k == m + 1)
        j = here;
      if ((k & 1) != 0 && k > 1)
        even += here;
    }
    j /= 2.0f * even + here;
  }
  if (argument[i] < 0 && (m & 1) != 0)
    j = -j;
  result[i] = j;
}

// ln |gamma|: poles, reflection on the left, shifts or a series around 1 and 2, and Stirling's on the right.
extern "C" __global__ void log_gamma(float *result, signed char *sign, const float *argument, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = argument[i], reflected = 0;
  int negative = 0;
  bool mirror = false;
  if (x <= 0) {
    const float whole = floorf(x);
    if (whole == x) {
      result[i] = 3.4e38f;
      sign[i] = 0;
      return;
    }
    const float s = __sinf(PI * (x - whole));
    reflected = logf(PI / s);
    negative = ((int)whole & 1) != 0;
    mirror = true;
    x = 1.0f - x;
  }
  float value;
  if (fabsf(x - 1.0f) < 0.2f) {
    const float t = x - 1.0f;
    value = t * (-0.57721566f + t * (0.82246703f + t * (-0.40068563f + t * (0.27058081f + t * (-0.20738555f + t * 0.16955718f)))));
  } else if (fabsf(x - 2.0f) < 0.2f) {
    const float t = x - 2.0f;
    value = t * (0.42278434f + t * (0.32246703f + t * (-0.06735230f + t * (0.02058081f + t * (-0.00738555f + t * 0.00289051f)))));
  } else {
    float product = 1.0f;
    while (x < 6.0f) {
      product *= x;
      x += 1.0f;
    }
    const float y = 1.0f / (x * x);
    value = (x - 0.5f) * logf(x) - x + 0.91893853f + (0.083333333f - y * (0.0027777778f - y * 0.00079365079f)) / x;
    if (product != 1.0f)
      value -= logf(product);
  }
  result[i] = mirror ? reflected - value : value;
  sign[i] = negative ? -1 : 1;
}

// Inverse error function: powers in the middle, logarithms and some of Newton's steps in the tails.
extern "C" __global__ void inverse_erf(float *result, int *steps, const float *argument, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float y = argument[i], size = fabsf(y);
  int taken = 0;
  float x;
  if (size > 1.0f) {
    x = 0;
    taken = -1;
  } else if (size == 1.0f) {
    x = 10.0f;
    taken = -2;
  } else if (size < 0.5f) {
    const float s = y * y;
    x = 0.88622693f * y * (1.0f + s * (0.26179939f + s * (0.14393173f + s * (0.09766362f + s * (0.07329908f + s * 0.05837250f)))));
    x = fabsf(x);
  } else {
    const float l = logf(1.0f - size * size), h = 4.3307467f + 0.5f * l;
    x = sqrtf(sqrtf(h * h - l / 0.147f) - h);
    for (; taken < 6; ++taken) {
      const float t = 1.0f / (1.0f + 0.3275911f * x), bell = expf(-x * x);
      const float complement =
          t * (0.25482959f + t * (-0.28449674f + t * (1.42141374f + t * (-1.45315203f + t * 1.06140543f)))) * bell;
      const float error = (1.0f - complement) - size;
      if (fabsf(error) < 3e-7f)
        break;
      const float step = error / (1.12837917f * bell);
      x -= step / (1.0f + x * step);
    }
  }
  result[i] = y < 0 ? -x : x;
  steps[i] = taken;
}

// Upper tail of chi-square: the incomplete gamma function by its series or its continued fraction.
extern "C" __global__ void chi_square_tail(float *tail, int *terms, const float *statistic, const int *freedom, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float a = 0.5f * (float)freedom[i], x = 0.5f * statistic[i];
  if (x <= 0) {
    tail[i] = 1.0f;
    terms[i] = 0;
    return;
  }
  float z = a, product = 1.0f;
  while (z < 5.0f) {
    product *= z;
    z += 1.0f;
  }
  const float log_gamma = (z - 0.5f) * logf(z) - z + 0.91893853f + (0.083333333f - 0.0027777778f / (z * z)) / z - logf(product);
  const float front = expf(a * logf(x) - x - log_gamma);
  int k = 1;
  if (x < a + 1.0f) {
    float term = 1.0f / a, sum = term;
    for (; k < 80; ++k) {
      term *= x / (a + (float)k);
      sum += term;
      if (term < 1e-6f * sum)
        break;
    }
    tail[i] = 1.0f - front * sum;
  } else {
    float b = x + 1.0f - a, c = 1e30f, d = 1.0f / b, h = d;
    for (; k < 80; ++k) {
      const float numerator = -(float)k * ((float)k - a);
      b += 2.0f;
      d = numerator * d + b;
      if (fabsf(d) < 1e-30f)
        d = 1e-30f;
      c = b + numerator / c;
      if (fabsf(c) < 1e-30f)
        c = 1e-30f;
      d = 1.0f / d;
      h *= c * d;
      if (fabsf(c * d - 1.0f) < 1e-6f)
        break;
    }
    tail[i] = front * h;
  }
  terms[i] = k;
}

// Periodogram of unevenly sampled stars, one thread for each star and frequency. Bad samples do not count.
extern "C" __global__ void lomb_scargle(float *power, const float *times, const float *values, const unsigned char *bad,
                                        const int *starts, const float *mean, float lowest, float step, int frequencies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int star = i / frequencies;
  const float omega = 2.0f * PI * (lowest + step * (float)(i % frequencies));
  const int first = starts[star], end = starts[star + 1];
  float twice_sin = 0, twice_cos = 0;
  int used = 0;
  for (int k = first; k < end; ++k) {
    if (bad[k])
      continue;
    twice_sin += __sinf(2.0f * omega * times[k]);
    twice_cos += cosine(2.0f * omega * times[k]);
    ++used;
  }
  if (used < 8) {
    power[i] = -1.0f;
    return;
  }
  const float delay = arc_tangent(twice_sin, twice_cos) / (2.0f * omega);
  float yc = 0, ys = 0, cc = 0, ss = 0, yy = 0;
  for (int k = first; k < end; ++k) {
    if (bad[k])
      continue;
    const float y = values[k] - mean[star], angle = omega * (times[k] - delay);
    const float c = cosine(angle), s = __sinf(angle);
    yc += y * c;
    ys += y * s;
    cc += c * c;
    ss += s * s;
    yy += y * y;
  }
  float p = 0;
  if (cc > 1e-4f)
    p += yc * yc / cc;
  if (ss > 1e-4f)
    p += ys * ys / ss;
  power[i] = yy > 0 ? p / yy : 0.0f;
}

// Quasi-random points in the order of the gray code, then the normal distribution's quantile.
extern "C" __global__ void sobol_normals(float *normals, const unsigned *directions, int dimensions, unsigned skip, unsigned scramble,
                                         int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, dimension = blockIdx.y;
  if (i >= n || dimension >= dimensions)
    return;
  const unsigned index = (unsigned)i + skip;
  unsigned gray = index ^ (index >> 1), x = scramble * (unsigned)(dimension + 1);
  while (gray != 0) {
    x ^= directions[32 * dimension + __ffs(gray) - 1];
    gray &= gray - 1;
  }
  const float p = ((float)(x >> 8) + 0.5f) * (1.0f / 16777216.0f);
  float z;
  if (p < 0.1f) {
    const float t = sqrtf(-2.0f * logf(p));
    z = -(t - (2.515517f + t * (0.802853f + t * 0.010328f)) / (1.0f + t * (1.432788f + t * (0.189269f + t * 0.001308f))));
  } else if (p > 0.9f) {
    const float t = sqrtf(-2.0f * logf(1.0f - p));
    z = t - (2.515517f + t * (0.802853f + t * 0.010328f)) / (1.0f + t * (1.432788f + t * (0.189269f + t * 0.001308f)));
  } else {
    const float u = p - 0.5f, s = 6.2831853f * u * u;
    z = 2.5066283f * u * (1.0f + s * (0.16666667f + s * (0.058333333f + s * (0.02519841f + s * (0.01203924f + s * 0.0060954f)))));
  }
  normals[dimension * n + i] = z;
}

__device__ static float integrand(int kind, float parameter, float x) {
  switch (kind) {
  case 0:
    return expf(-parameter * x * x);
  case 1:
    return sqrtf(fabsf(x - parameter));
  case 2:
    return 1.0f / (0.01f + (x - parameter) * (x - parameter));
  default:
    return x < parameter ? x * x : 2.0f - x;
  }
}

// Simpson's rule, halving where two halves differ from the whole; the intervals to do are on a stack.
extern "C" __global__ void adaptive_quadrature(float *integral, int *evaluations, const unsigned char *kinds,
                                               const float *parameters, const float *from, const float *to, float tolerance, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int kind = kinds[i];
  const float parameter = parameters[i];
  float low[10], high[10];
  int depth = 1, calls = 0;
  low[0] = from[i];
  high[0] = to[i];
  float sum = 0;
  while (depth > 0) {
    --depth;
    const float a = low[depth], b = high[depth], h = 0.25f * (b - a);
    const float f0 = integrand(kind, parameter, a), f1 = integrand(kind, parameter, a + h);
    const float f2 = integrand(kind, parameter, a + 2.0f * h), f3 = integrand(kind, parameter, a + 3.0f * h);
    const float f4 = integrand(kind, parameter, b);
    calls += 5;
    const float whole = 2.0f * h / 3.0f * (f0 + 4.0f * f2 + f4);
    const float halves = h / 3.0f * (f0 + 4.0f * f1 + 2.0f * f2 + 4.0f * f3 + f4);
    const float difference = halves - whole;
    if (fabsf(difference) < tolerance * h || depth >= 8 || calls > 150)
      sum += halves + difference / 15.0f;
    else {
      low[depth] = a + 2.0f * h;
      high[depth++] = b;
      low[depth] = a;
      high[depth++] = a + 2.0f * h;
    }
  }
  integral[i] = sum;
  evaluations[i] = calls;
}

// Where a body is on its orbit: ellipse, parabola or hyperbola.
extern "C" __global__ void kepler_orbits(float2 *place, int *steps, const float *eccentricity, const float *anomaly,
                                         const float *nearest, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float e = eccentricity[i], m = anomaly[i], q = nearest[i];
  float x, y;
  int k = 0;
  if (fabsf(e - 1.0f) < 1e-3f) {
    const float w = 1.5f * fabsf(m), u = __powf(w + sqrtf(w * w + 1.0f), 1.0f / 3.0f);
    const float d = copysignf(u - 1.0f / u, m);
    x = q * (1.0f - d * d);
    y = 2.0f * q * d;
  } else if (e < 1.0f) {
    const float turns = rintf(m / (2.0f * PI)), mean = m - 2.0f * PI * turns;
    float angle = e < 0.8f ? mean : copysignf(PI, mean);
    for (; k < 16; ++k) {
      const float s = __sinf(angle), c = cosine(angle);
      const float move = (angle - e * s - mean) / (1.0f - e * c);
      angle -= fminf(1.0f, fmaxf(-1.0f, move));
      if (fabsf(move) < 1e-5f)
        break;
    }
    const float a = q / (1.0f - e);
    x = a * (cosine(angle) - e);
    y = a * sqrtf(1.0f - e * e) * __sinf(angle);
  } else {
    float angle = copysignf(logf(2.0f * fabsf(m) / e + 1.8f), m);
    for (; k < 16; ++k) {
      const float up = expf(angle), down = 1.0f / up;
      const float move = (0.5f * e * (up - down) - angle - m) / (0.5f * e * (up + down) - 1.0f);
      angle -= move;
      if (fabsf(move) < 1e-5f)
        break;
    }
    const float up = expf(angle), down = 1.0f / up, a = q / (e - 1.0f);
    x = a * (e - 0.5f * (up + down));
    y = a * sqrtf(e * e - 1.0f) * 0.5f * (up - down);
  }
  place[i] = {x, y};
  steps[i] = k;
}
