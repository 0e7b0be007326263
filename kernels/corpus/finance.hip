// Option pricing and fixed income.
#include <hip/hip_runtime.h>

__device__ static float normal_cdf(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail = 0.39894228f * expf(-0.5f * d * d) *
                     (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

// A book of calls and puts in arbitrary order: the type of the contract decides the formula.
extern "C" __global__ void black_scholes_book(float *price, const float *spot, const float *strike, const float *years,
                                              const unsigned char *is_call, float rate, float volatility, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float s = spot[i], x = strike[i], t = years[i];
  const float root = sqrtf(t);
  const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  const float d2 = d1 - volatility * root;
  const float discount = expf(-rate * t);
  if (is_call[i])
    price[i] = s * normal_cdf(d1) - x * discount * normal_cdf(d2);
  else
    price[i] = x * discount * normal_cdf(-d2) - s * normal_cdf(-d1);
}

// American option on a binomial tree in LDS, one option a block: early exercise where it is worth more.
extern "C" __global__ void binomial_american(float *price, const float *spot, const float *strike, int steps) {
  __shared__ float value[129];
  const int t = threadIdx.x;
  const float s = spot[blockIdx.x], x = strike[blockIdx.x];
  const float up = 1.03f, down = 1.0f / 1.03f, p = 0.52f, discount = 0.9995f;
  float leaf = s;
  for (int k = 0; k < steps; ++k)
    leaf *= k < t ? up : down;
  value[t] = x > leaf ? x - leaf : 0.0f;
  __syncthreads();
  for (int level = steps; level > 0; --level) {
    float kept = 0;
    if (t < level) {
      kept = discount * (p * value[t + 1] + (1.0f - p) * value[t]);
      leaf *= up;
      const float exercised = x - leaf;
      if (exercised > kept)
        kept = exercised;
    }
    __syncthreads();
    if (t < level)
      value[t] = kept;
    __syncthreads();
  }
  if (t == 0)
    price[blockIdx.x] = value[0];
}

// Monte Carlo with a knock-out barrier: a path ends when it touches the barrier.
extern "C" __global__ void barrier_paths(float *payoff, const unsigned *seeds, float spot, float strike, float barrier,
                                         int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  float s = spot;
  int alive = 1;
  for (int k = 0; k < steps; ++k) {
    state = state * 1664525u + 1013904223u;
    const float u = (float)(state >> 8) * (1.0f / 16777216.0f) - 0.5f;
    s *= 1.0f + 0.0004f + 0.06f * u;
    if (s >= barrier) {
      alive = 0;
      break;
    }
  }
  payoff[i] = alive && s > strike ? s - strike : 0.0f;
}

// Implied volatility: Newton's method, bisection where the derivative is too small or the step leaves the bracket.
extern "C" __global__ void implied_volatility(float *result, int *iterations, const float *price, const float *strike, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = strike[i], target = price[i];
  float low = 0.01f, high = 3.0f, v = 0.3f;
  int k = 0;
  for (; k < 24; ++k) {
    const float d1 = (logf(100.0f / x) + 0.5f * v * v) / v;
    const float value = 100.0f * normal_cdf(d1) - x * normal_cdf(d1 - v);
    const float difference = value - target;
    if (fabsf(difference) < 1e-3f)
      break;
    const float vega = 39.894228f * expf(-0.5f * d1 * d1);
    if (difference > 0)
      high = v;
    else
      low = v;
    const float newton = v - difference / vega;
    if (vega > 1e-2f && newton > low && newton < high)
      v = newton;
    else
      v = 0.5f * (low + high);
  }
  result[i] = v;
  iterations[i] = k;
}

// Accrued interest under the day count convention of each bond.
extern "C" __global__ void accrued_interest(float *accrued, const int *from, const int *to, const unsigned char *convention,
                                            const float *coupon, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int y1 = from[i] / 10000, m1 = from[i] / 100 % 100, y2 = to[i] / 10000, m2 = to[i] / 100 % 100;
  int d1 = from[i] % 100, d2 = to[i] % 100;
  float year;
  switch (convention[i]) {
  case 0: // 30/360 US
    if (d1 == 31)
      d1 = 30;
    if (d2 == 31 && d1 == 30)
      d2 = 30;
    year = (float)(360 * (y2 - y1) + 30 * (m2 - m1) + (d2 - d1)) / 360.0f;
    break;
  case 1: // 30E/360
    if (d1 == 31)
      d1 = 30;
    if (d2 == 31)
      d2 = 30;
    year = (float)(360 * (y2 - y1) + 30 * (m2 - m1) + (d2 - d1)) / 360.0f;
    break;
  case 2: // actual/365
    year = (float)(365 * (y2 - y1) + (153 * m2 + 2) / 5 - (153 * m1 + 2) / 5 + d2 - d1) / 365.0f;
    break;
  default: // actual/360
    year = (float)(365 * (y2 - y1) + (153 * m2 + 2) / 5 - (153 * m1 + 2) / 5 + d2 - d1) / 360.0f;
  }
  accrued[i] = coupon[i] * year;
}

// Income tax by brackets, with a surcharge above a limit and a credit below another.
extern "C" __global__ void progressive_tax(float *tax, const float *income, const unsigned char *married, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = income[i];
  float due;
  if (married[i]) {
    if (x < 20550.0f)
      due = 0.10f * x;
    else if (x < 83550.0f)
      due = 2055.0f + 0.12f * (x - 20550.0f);
    else
      due = 9615.0f + 0.22f * (x - 83550.0f);
  } else {
    if (x < 10275.0f)
      due = 0.10f * x;
    else if (x < 41775.0f)
      due = 1027.5f + 0.12f * (x - 10275.0f);
    else
      due = 4807.5f + 0.22f * (x - 41775.0f);
  }
  if (x > 200000.0f)
    due += 0.009f * (x - 200000.0f);
  tax[i] = due;
}
