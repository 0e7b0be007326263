// Language models: positions, attention with masks, routing, sampling, caches.
#include <hip/hip_runtime.h>

// Rotary positions, a number a thread: the first half of a head subtracts, the second adds; what is not rotated is copied.
extern "C" __global__ void rotary_halves(float *out, const float *in, const float *cosines, const float *sines, int width,
                                         int rotated, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int k = i % width, token = i / width, half = rotated / 2;
  if (k < half)
    out[i] = in[i] * cosines[token % 64 * half + k] - in[i + half] * sines[token % 64 * half + k];
  else if (k < rotated)
    out[i] = in[i] * cosines[token % 64 * half + k - half] + in[i - half] * sines[token % 64 * half + k - half];
  else
    out[i] = in[i];
}

// The same with neighbours as pairs: even threads subtract, odd ones add.
extern "C" __global__ void rotary_pairs(float *out, const float *in, const float *cosines, const float *sines, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int at = i / width % 64 * (width / 2) + i % width / 2;
  if (i % 2 == 0)
    out[i] = in[i] * cosines[at] - in[i + 1] * sines[at];
  else
    out[i] = in[i] * cosines[at] + in[i - 1] * sines[at];
}

// Scores of a query with keys in pages: causal, a window, and slopes for some heads.
extern "C" __global__ void paged_scores(float *scores, const float *query, const float *keys, const int *pages, const float *slopes,
                                        int position, int window, int width, int n) {
  const int key = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y;
  if (key >= n)
    return;
  float score = -1e30f;
  if (key <= position && key > position - window) {
    const float *k = keys + pages[key / 16] * 16 * width + key % 16 * width;
    score = 0;
    for (int d = 0; d < width; ++d)
      score += query[head * width + d] * k[d];
    score *= 0.25f;
    if (slopes[head] != 0)
      score += slopes[head] * (float)(key - position);
  }
  scores[head * n + key] = score;
}

// The two best experts of a token with their weights; a token without a good one goes nowhere.
extern "C" __global__ void route_experts(int *chosen, float *weights, int *loads, const float *logits, int experts, float least, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = -1e30f, b = -1e30f;
  int ia = 0, ib = 0;
  for (int e = 0; e < experts; ++e) {
    const float l = logits[e * n + i];
    if (l > a) {
      b = a;
      ib = ia;
      a = l;
      ia = e;
    } else if (l > b) {
      b = l;
      ib = e;
    }
  }
  const float second = expf(b - a), sum = 1 + second;
  if (second / sum < least) {
    chosen[2 * i] = ia;
    chosen[2 * i + 1] = -1;
    weights[2 * i] = 1;
    atomicAdd(&loads[ia], 1);
  } else {
    chosen[2 * i] = ia;
    chosen[2 * i + 1] = ib;
    weights[2 * i] = 1 / sum;
    weights[2 * i + 1] = second / sum;
    atomicAdd(&loads[ia], 1);
    atomicAdd(&loads[ib], 1);
  }
}

// Logits before sampling: tokens that were said are made less likely, forbidden ones impossible, all are scaled.
extern "C" __global__ void adjust_logits(float *logits, const unsigned char *count, const unsigned *forbidden, float repetition,
                                         float temperature, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float l = logits[i];
  if (forbidden[i / 32] >> i % 32 & 1)
    l = -1e30f;
  else {
    if (count[i] > 0) {
      if (l > 0)
        l /= repetition;
      else
        l *= repetition;
      l -= 0.1f * (float)count[i];
    }
    l /= temperature;
  }
  logits[i] = l;
}

// Weights of a matrix in eight bits where a column has an outlier, in four elsewhere; a column a thread.
extern "C" __global__ void mixed_precision_product(float *out, const float *x, const signed char *wide, const unsigned char *narrow,
                                                   const float *scales, const unsigned char *is_wide, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  float sum = 0;
  if (is_wide[c]) {
    for (int r = 0; r < rows; ++r)
      sum += x[r] * (float)wide[r * columns + c];
    sum *= scales[c];
  } else {
    for (int r = 0; r < rows; r += 2) {
      const int byte = narrow[r / 2 * columns + c];
      sum += x[r] * (float)((byte & 15) - 8);
      sum += x[r + 1] * (float)((byte >> 4) - 8);
    }
    sum *= scales[c] * 16.0f;
  }
  out[c] = sum;
}

// Gated units: the first half of the channels through one function, the second through another.
extern "C" __global__ void gated_unit(float *out, const float *gate, const float *up, const unsigned char *kind, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float g = gate[i], u = up[i];
  float a;
  if (kind[i / width] == 0)
    a = g / (1 + expf(-g));
  else
    a = 0.5f * g * (2 - 2 / (1 + expf(1.5957691f * (g + 0.044715f * g * g * g))));
  out[i] = a * u;
}

// Writes new keys into a cache of pages, in eight bits with saturation; padding is skipped.
extern "C" __global__ void write_cache(signed char *cache, const float *keys, const int *slots, float scale, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int slot = slots[i / width];
  if (slot < 0)
    return;
  const float v = keys[i] * scale;
  signed char q;
  if (v >= 127.0f)
    q = 127;
  else if (v <= -127.0f)
    q = -127;
  else
    q = (signed char)rintf(v);
  cache[slot * width + i % width] = q;
}
