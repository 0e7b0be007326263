// Linear algebra and transforms, on small problems.
#include <hip/hip_runtime.h>

// One step of Gaussian elimination: rows above and below the pivot, the pivot's own.
extern "C" __global__ void gauss_jordan_step(float *next, const float *a, int pivot, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n)
    return;
  const float p = a[pivot * n + pivot];
  if (row == pivot)
    next[row * n + column] = column == pivot ? 1.0f / p : a[row * n + column] / p;
  else if (column == pivot)
    next[row * n + column] = -a[row * n + column] / p;
  else
    next[row * n + column] = a[row * n + column] - a[row * n + pivot] * a[pivot * n + column] / p;
}

// Cholesky of one matrix a block, in LDS: the diagonal, below it, above it.
extern "C" __global__ void cholesky_block(float *factors, const float *matrices) {
  __shared__ float a[16 * 17];
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  a[row * 17 + column] = matrices[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    if (row == k && column == k)
      a[k * 17 + k] = sqrtf(a[k * 17 + k]);
    __syncthreads();
    if (column == k && row > k)
      a[row * 17 + k] /= a[k * 17 + k];
    __syncthreads();
    if (column > k && row >= column)
      a[row * 17 + column] -= a[row * 17 + k] * a[column * 17 + k];
    __syncthreads();
  }
  factors[blockIdx.x * 256 + threadIdx.x] = column <= row ? a[row * 17 + column] : 0.0f;
}

// LU with partial pivoting, a matrix of 8 by 8 a thread's column group: the largest of a column goes up.
extern "C" __global__ void lu_pivot_small(float *lu, int *swaps, int matrices) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= matrices)
    return;
  int count = 0;
  for (int k = 0; k < 6; ++k) {
    int best = k;
    float most = fabsf(lu[(k * 6 + k) * matrices + m]);
    for (int r = k + 1; r < 6; ++r) {
      const float v = fabsf(lu[(r * 6 + k) * matrices + m]);
      if (v > most) {
        most = v;
        best = r;
      }
    }
    if (best != k) {
      ++count;
      for (int c = 0; c < 6; ++c) {
        const float swap = lu[(k * 6 + c) * matrices + m];
        lu[(k * 6 + c) * matrices + m] = lu[(best * 6 + c) * matrices + m];
        lu[(best * 6 + c) * matrices + m] = swap;
      }
    }
    if (most < 1e-6f)
      continue;
    for (int r = k + 1; r < 6; ++r) {
      const float factor = lu[(r * 6 + k) * matrices + m] / lu[(k * 6 + k) * matrices + m];
      lu[(r * 6 + k) * matrices + m] = factor;
      for (int c = k + 1; c < 6; ++c)
        lu[(r * 6 + c) * matrices + m] -= factor * lu[(k * 6 + c) * matrices + m];
    }
  }
  swaps[m] = count;
}

// Rotations that make an element zero, without overflow: by which of the two is larger.
extern "C" __global__ void givens_rotations(float *cosines, float *sines, float *radii, const float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = a[i], y = b[i];
  float c, s, r;
  if (y == 0) {
    c = 1;
    s = 0;
    r = x;
  } else if (fabsf(y) > fabsf(x)) {
    const float t = x / y, u = copysignf(sqrtf(1 + t * t), y);
    s = 1 / u;
    c = s * t;
    r = y * u;
  } else {
    const float t = y / x, u = copysignf(sqrtf(1 + t * t), x);
    c = 1 / u;
    s = c * t;
    r = x * u;
  }
  cosines[i] = c;
  sines[i] = s;
  radii[i] = r;
}

// Eigenvalues of symmetric two by two matrices by Jacobi's rotation.
extern "C" __global__ void jacobi_two(float *low, float *high, const float *a, const float *b, const float *d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float p = a[i], q = d[i];
  const float o = b[i];
  if (fabsf(o) > 1e-6f) {
    const float tau = (q - p) / (2 * o);
    float t;
    if (tau >= 0)
      t = 1 / (tau + sqrtf(1 + tau * tau));
    else
      t = -1 / (-tau + sqrtf(1 + tau * tau));
    p -= t * o;
    q += t * o;
  }
  low[i] = fminf(p, q);
  high[i] = fmaxf(p, q);
}

// Cyclic reduction of tridiagonal systems: the first and the last row have one neighbour.
extern "C" __global__ void cyclic_reduction(float *a2, float *b2, float *c2, float *d2, const float *a, const float *b,
                                            const float *c, const float *d, int stride, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i < stride) {
    const float k = c[i] / b[i + stride];
    a2[i] = 0;
    b2[i] = b[i] - a[i + stride] * k;
    c2[i] = -c[i + stride] * k;
    d2[i] = d[i] - d[i + stride] * k;
  } else if (i >= n - stride) {
    const float k = a[i] / b[i - stride];
    a2[i] = -a[i - stride] * k;
    b2[i] = b[i] - c[i - stride] * k;
    c2[i] = 0;
    d2[i] = d[i] - d[i - stride] * k;
  } else {
    const float k1 = a[i] / b[i - stride], k2 = c[i] / b[i + stride];
    a2[i] = -a[i - stride] * k1;
    b2[i] = b[i] - c[i - stride] * k1 - a[i + stride] * k2;
    c2[i] = -c[i + stride] * k2;
    d2[i] = d[i] - d[i - stride] * k1 - d[i + stride] * k2;
  }
}

// A row of a triangular product: threads left of the diagonal, on it, right of it.
extern "C" __global__ void triangular_update(float *c, const float *a, const float *b, int unit, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n)
    return;
  float sum = 0;
  for (int k = 0; k <= row; ++k) {
    if (k == row && unit)
      sum += b[k * n + column];
    else
      sum += a[row * n + k] * b[k * n + column];
  }
  c[row * n + column] = sum;
}

// Butterflies of radix two, decimation in frequency, in LDS: the upper half of the threads multiplies.
extern "C" __global__ void fft_block(float *re, float *im, const float *cosines, const float *sines) {
  __shared__ float r[128], s[128];
  const int t = threadIdx.x, base = blockIdx.x * 128;
  r[t] = re[base + t];
  s[t] = im[base + t];
  for (int half = 64; half >= 1; half >>= 1) {
    __syncthreads();
    const int other = t ^ half;
    const float ar = r[t], ai = s[t], br = r[other], bi = s[other];
    __syncthreads();
    if (t & half) {
      const int k = (t & (half - 1)) * (64 / half);
      const float dr = br - ar, di = bi - ai;
      r[t] = dr * cosines[k] - di * sines[k];
      s[t] = dr * sines[k] + di * cosines[k];
    } else {
      r[t] = ar + br;
      s[t] = ai + bi;
    }
  }
  __syncthreads();
  const int to = __brev((unsigned)t) >> 25;
  re[base + to] = r[t];
  im[base + to] = s[t];
}

// Haar wavelet: even threads have sums, odd ones differences.
extern "C" __global__ void haar_step(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int pair = i / 2;
  if (i % 2 == 0)
    out[pair] = 0.70710678f * (in[i] + (i + 1 < n ? in[i + 1] : 0.0f));
  else
    out[(n + 1) / 2 + pair] = 0.70710678f * (in[i - 1] - in[i]);
}

// Conjugate gradients with boundary conditions: fixed points keep their value.
extern "C" __global__ void constrained_axpy(float *x, float *r, const float *p, const float *ap, const unsigned char *fixed,
                                            float alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (fixed[i])
    r[i] = 0;
  else {
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
  }
}
