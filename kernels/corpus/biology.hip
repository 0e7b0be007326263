// Sequences, populations and cells.
#include <hip/hip_runtime.h>

typedef unsigned int uint;
typedef unsigned char byte;
#define FOR_EACH(i, n) int i = threadIdx.x + blockDim.x * blockIdx.x; if (i < (n))

// Forward or reverse complement, packed two bits a base.
extern "C" __global__ void strand_kmers(uint *out, const byte *bases, const byte *reverse, int k, int n) {
  FOR_EACH(i, n) {
    uint word = 0;
    if (reverse[i]) {
      for (int j = k - 1; j >= 0; --j) word = word << 2 | (3 - (bases[i + j] & 3));
    } else {
      for (int j = 0; j < k; ++j) word = word << 2 | (bases[i + j] & 3);
    }
    out[i] = word * 2654435761u >> 7;
  }
}

// One cell of an affine alignment: match, gap above or gap beside.
extern "C" __global__ void affine_cells(int *h, int *e, int *f, const int *diagonal, const int *above, const int *beside, const byte *a, const byte *b, int n) {
  FOR_EACH(i, n) {
    int score = diagonal[i] + (a[i] == b[i] ? 5 : -4);
    int up = e[i] - 1, left = f[i] - 1;
    int open_up = above[i] - 11, open_left = beside[i] - 11;
    if (open_up > up) up = open_up;
    if (open_left > left) left = open_left;
    e[i] = up;
    f[i] = left;
    if (score < up) score = up;
    if (score < left) score = left;
    h[i] = score > 0 ? score : 0;
  }
}

// Infection: susceptible, infected and recovered follow their own rule.
extern "C" __global__ void epidemic(byte *state, byte *days, const float *contact, const float *luck, float rate, int n) {
  FOR_EACH(i, n) {
    byte s = state[i];
    float p = luck[i];
    if (s == 0) {
      float q = 1 - expf(-rate * contact[i]);
      if (p < q) { state[i] = 1; days[i] = 0; }
    } else if (s == 1) {
      int d = days[i] + 1;
      if (d > 7 || p < 0.05f) { state[i] = 2; d = 0; }
      days[i] = d;
    } else if (s == 2) {
      int d = days[i] + 1;
      if (d > 90 && p < 0.02f) { state[i] = 0; d = 0; }
      days[i] = d > 200 ? 200 : d;
    }
  }
}

// Neurons: below the threshold the membrane leaks, above it resets (Izhikevich).
extern "C" __global__ void izhikevich(float *v, float *u, byte *spike, const float *input, const float4 *kind, int n) {
  FOR_EACH(i, n) {
    float a = v[i], b = u[i];
    float4 p = kind[i];
    if (a >= 30.0f) {
      spike[i] = 1;
      a = p.z;
      b += p.w;
    } else {
      spike[i] = 0;
      a += 0.5f * (0.04f * a * a + 5 * a + 140 - b + input[i]);
      b += p.x * (p.y * a - b);
    }
    v[i] = a;
    u[i] = b;
  }
}

// Hodgkin and Huxley's rates with their removable singularities.
extern "C" __global__ void gate_rates(float *alpha, float *beta, const float *voltage, const byte *gate, int n) {
  FOR_EACH(i, n) {
    float v = voltage[i], x, y;
    if (gate[i] == 0) {
      float d = 25.0f - v;
      x = fabsf(d) < 1e-4f ? 1.0f : 0.1f * d / (expf(d / 10) - 1);
      y = 4 * expf(-v / 18);
    } else if (gate[i] == 1) {
      float d = 10.0f - v;
      x = fabsf(d) < 1e-4f ? 0.1f : 0.01f * d / (expf(d / 10) - 1);
      y = 0.125f * expf(-v / 80);
    } else {
      x = 0.07f * expf(-v / 20);
      y = 1 / (expf((30 - v) / 10) + 1);
    }
    alpha[i] = x;
    beta[i] = y;
  }
}

// Predators and prey on a grid: who sits here decides how it changes.
extern "C" __global__ void predators(float *next, const float *prey, const float *hunters, const byte *land, int width, int height) {
  int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  int l = x > 0 ? i - 1 : i, r = x < width - 1 ? i + 1 : i;
  float value;
  if (land[i]) {
    float around = prey[l] + prey[r] - 2 * prey[i];
    value = prey[i] + 0.1f * around + prey[i] * (0.8f - 0.5f * hunters[i]);
  } else {
    float around = hunters[l] + hunters[r] - 2 * hunters[i];
    value = hunters[i] + 0.2f * around + hunters[i] * (0.3f * prey[i] - 0.6f);
  }
  next[i] = value;
}

// Codons to amino acids, in one of two genetic codes.
extern "C" __global__ void translate(byte *protein, const byte *bases, const byte *organelle, const byte *standard, const byte *other, int n) {
  FOR_EACH(i, n) {
    int c = (bases[3 * i] & 3) << 4 | (bases[3 * i + 1] & 3) << 2 | (bases[3 * i + 2] & 3);
    if (organelle[i >> 6]) protein[i] = other[c];
    else protein[i] = standard[c];
  }
}

// Qualities of reads: trim from the left until good, from the right until good.
extern "C" __global__ void trim_reads(int2 *kept, const byte *quality, const int *start, int least, int n) {
  FOR_EACH(i, n) {
    int a = start[i], b = start[i + 1];
    while (a < b && quality[a] < least) ++a;
    while (b > a && quality[b - 1] < least) --b;
    kept[i] = int2{a, b};
  }
}

// Metabolism by temperature: two branches of a response curve.
extern "C" __global__ void thermal_response(float *growth, const float *temperature, const float *best, const float *most, int n) {
  FOR_EACH(i, n) {
    float t = temperature[i], o = best[i], m = most[i];
    if (t < o) {
      float z = (t - o) / 7.0f;
      growth[i] = expf(-z * z);
    } else {
      float z = (t - o) / (m - o);
      growth[i] = fmaxf(1.0f - z * z, 0.0f);
    }
  }
}

// A genome browser's pixels: coverage by strand, drawn up or down.
extern "C" __global__ void coverage(int *up, int *down, const int *from, const int *to, const byte *minus, int bins, int n) {
  FOR_EACH(i, n) {
    int a = from[i] >> 4, b = to[i] >> 4;
    if (minus[i]) {
      for (int k = a; k <= b && k < bins; ++k) atomicAdd(&down[k], 1);
    } else {
      for (int k = a; k <= b && k < bins; ++k) atomicAdd(&up[k], 1);
    }
  }
}

// Genotypes: homozygous or heterozygous likelihoods from counts.
extern "C" __global__ void genotypes(float *likelihood, byte *call, const int2 *counts, const float *error, int n) {
  FOR_EACH(i, n) {
    int2 c = counts[i];
    float e = error[i], r = c.x, a = c.y, l;
    if (r > 4 * a) {
      l = r * logf(1 - e) + a * logf(e);
      call[i] = 0;
    } else if (a > 4 * r) {
      l = a * logf(1 - e) + r * logf(e);
      call[i] = 2;
    } else {
      l = (r + a) * -0.6931472f;
      call[i] = 1;
    }
    likelihood[i] = l;
  }
}

// Cells that divide or die: age, size and a random number.
extern "C" __global__ void life_cycle(float *size, int *age, byte *event, const float *food, const float *luck, int n) {
  FOR_EACH(i, n) {
    float s = size[i], f = food[i];
    int g = age[i];
    if (f > 0.3f) {
      s = s + 0.1f * s * (1 - s / 4) * f;
      g = g + 1;
      if (s > 2.0f && luck[i] < 0.3f) { event[i] = 1; s = 0.5f * s; g = 0; }
    } else {
      s = s - 0.05f * s * (1 + s / 8) * (1 - f);
      g = g + 2;
      if (s < 0.2f || luck[i] < 0.01f) { event[i] = 2; s = 0; g = -1; }
    }
    size[i] = s;
    age[i] = g;
  }
}
