// Layers of neural networks.
#include <hip/hip_runtime.h>

// Activations of a network with a kind for each channel.
extern "C" __global__ void activations(float *out, const float *in, const unsigned char *kind, int channels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = in[i];
  switch (kind[i % channels]) {
  case 0:
    out[i] = x > 0 ? x : 0.0f;
    break;
  case 1:
    out[i] = x > 0 ? x : 0.01f * x;
    break;
  case 2:
    out[i] = x > 0 ? x : expf(x) - 1.0f;
    break;
  default:
    out[i] = x / (1.0f + expf(-x));
  }
}

// Scaled exponential unit with its derivative.
extern "C" __global__ void selu_with_gradient(float *out, float *gradient, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = in[i];
  if (x > 0) {
    out[i] = 1.0507f * x;
    gradient[i] = 1.0507f;
  } else {
    const float e = expf(x);
    out[i] = 1.7580993f * (e - 1.0f);
    gradient[i] = 1.7580993f * e;
  }
}

// Hard swish: zero, identity, or a parabola between.
extern "C" __global__ void hard_swish(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = in[i];
  if (x <= -3.0f)
    out[i] = 0.0f;
  else if (x >= 3.0f)
    out[i] = x;
  else
    out[i] = x * (x + 3.0f) / 6.0f;
}

// Error function by two approximations, for small and for large arguments (as libraries have it).
extern "C" __global__ void gelu_exact(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = in[i], t = fabsf(0.70710678f * x);
  float e;
  if (t < 0.921875f) {
    const float s = t * t;
    e = t + t * (0.128379f + s * (-0.376123f + s * (0.112819f + s * (-0.026795f + s * 0.005187f))));
  } else {
    const float p = 0.0217f + t * (-1.0974f + t * (-0.6441f + t * (-0.1006f + t * 0.0088f)));
    e = 1.0f - expf(p - 0.05f);
  }
  out[i] = 0.5f * x * (1.0f + copysignf(e, x));
}

// Convolution of three by three with zero padding.
extern "C" __global__ void convolve_padded(float *out, const float *in, const float *weights, int width, int height, int channels) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    for (int ky = 0; ky < 3; ++ky)
      for (int kx = 0; kx < 3; ++kx) {
        const int u = x + kx - 1, v = y + ky - 1;
        if (u >= 0 && u < width && v >= 0 && v < height)
          sum += in[(c * height + v) * width + u] * weights[(c * 3 + ky) * 3 + kx];
      }
  out[y * width + x] = sum;
}

// Largest or mean value of a window, by channel.
extern "C" __global__ void pool_mixed(float *out, const float *in, const unsigned char *take_mean, int width, int height, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int ow = width / 2, oh = height / 2;
  const int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
  const float *p = in + (c * height + 2 * y) * width + 2 * x;
  if (take_mean[c])
    out[i] = 0.25f * (p[0] + p[1] + p[width] + p[width + 1]);
  else
    out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}

// The largest value and its place in windows that overlap and may hang over the border.
extern "C" __global__ void max_pool_index(float *out, int *where, const float *in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int ow = (width + 1) / 2, oh = (height + 1) / 2;
  if (x >= ow || y >= oh)
    return;
  float best = -1e30f;
  int place = -1;
  for (int v = 2 * y - 1; v <= 2 * y + 1; ++v)
    for (int u = 2 * x - 1; u <= 2 * x + 1; ++u) {
      if (u < 0 || v < 0 || u >= width || v >= height)
        continue;
      const float value = in[v * width + u];
      if (value > best) {
        best = value;
        place = v * width + u;
      }
    }
  out[y * ow + x] = best;
  where[y * ow + x] = place;
}

// Drops values at random and scales the others.
extern "C" __global__ void dropout(float *out, unsigned char *mask, const float *in, unsigned seed, float keep, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seed + i * 0x9e3779b9u;
  state = (state ^ state >> 16) * 0x7feb352du;
  state = (state ^ state >> 15) * 0x846ca68bu;
  const float u = (float)(state >> 8) * (1.0f / 16777216.0f);
  if (u < keep) {
    out[i] = in[i] / keep;
    mask[i] = 1;
  } else {
    out[i] = 0.0f;
    mask[i] = 0;
  }
}

// Softmax of a row with a mask and causal order, a row a thread.
extern "C" __global__ void softmax_causal(float *out, const float *scores, const unsigned char *padding, int length, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  const int position = row % length;
  float most = -1e30f;
  for (int k = 0; k <= position; ++k)
    if (!padding[row / length * length + k])
      most = fmaxf(most, scores[k * rows + row]);
  float sum = 0;
  for (int k = 0; k <= position; ++k)
    if (!padding[row / length * length + k])
      sum += expf(scores[k * rows + row] - most);
  for (int k = 0; k < length; ++k) {
    float p = 0;
    if (k <= position && !padding[row / length * length + k] && sum > 0)
      p = expf(scores[k * rows + row] - most) / sum;
    out[k * rows + row] = p;
  }
}

// Rows of a table by index; a thread has one number of a row. Unknown words and padding are apart.
extern "C" __global__ void embedding_rows(float *out, const int *tokens, const float *table, const float *unknown, int words,
                                          int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * width)
    return;
  const int token = tokens[i / width], k = i % width;
  if (token == 0)
    out[i] = 0.0f;
  else if (token < 0 || token >= words)
    out[i] = unknown[k];
  else
    out[i] = table[token * width + k];
}

// Gradients: clipped by value, then momentum with decay for weights and without for biases.
extern "C" __global__ void momentum_step(float *weights, float *momentum, const float *gradients, const unsigned char *is_bias,
                                         float rate, float limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float g = gradients[i];
  if (g > limit)
    g = limit;
  else if (g < -limit)
    g = -limit;
  if (!is_bias[i])
    g += 0.01f * weights[i];
  const float m = 0.9f * momentum[i] + g;
  momentum[i] = m;
  weights[i] -= rate * m;
}

// Huber's loss and its gradient: quadratic near zero, linear beyond.
extern "C" __global__ void huber_loss(float *loss, float *gradient, const float *predicted, const float *wanted, float delta, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float e = predicted[i] - wanted[i], a = fabsf(e);
  if (a <= delta) {
    loss[i] = 0.5f * e * e;
    gradient[i] = e;
  } else {
    loss[i] = delta * (a - 0.5f * delta);
    gradient[i] = copysignf(delta, e);
  }
}

// Cross entropy of two classes with a weight for hard examples.
extern "C" __global__ void focal_loss(float *loss, const float *logits, const unsigned char *labels, float gamma, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float p = 1.0f / (1.0f + expf(-logits[i]));
  if (labels[i])
    loss[i] = -0.25f * __powf(1.0f - p, gamma) * logf(fmaxf(p, 1e-6f));
  else
    loss[i] = -0.75f * __powf(p, gamma) * logf(fmaxf(1.0f - p, 1e-6f));
}

// Eight bits from floats with a scale by row; asymmetric rows have a zero point.
extern "C" __global__ void quantise_rows(signed char *out, const float *in, const float *scales, const int *zeros,
                                         const unsigned char *asymmetric, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int row = i / columns;
  int q;
  if (asymmetric[row]) {
    q = (int)rintf(in[i] / scales[row]) + zeros[row];
    q = q < 0 ? 0 : q > 255 ? 255 : q;
    q -= 128;
  } else {
    q = (int)rintf(in[i] / scales[row]);
    q = q < -127 ? -127 : q > 127 ? 127 : q;
  }
  out[i] = (signed char)q;
}

// Weights of four bits in blocks of 32 by two formats: with and without a minimum.
extern "C" __global__ void dequantise_blocks(float *out, const unsigned char *codes, const float *scales, const float *minima,
                                             const unsigned char *with_minimum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int block = i / 32, k = i % 32;
  const int byte = codes[block * 16 + k % 16];
  const int code = k < 16 ? byte & 15 : byte >> 4;
  if (with_minimum[block])
    out[i] = (float)code * scales[block] + minima[block];
  else
    out[i] = (float)(code - 8) * scales[block];
}

// Half precision by hand: normal, subnormal, infinite.
extern "C" __global__ void half_from_bits(float *out, const unsigned short *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned h = in[i], sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
  unsigned bits;
  if (exponent == 0) {
    if (mantissa == 0)
      bits = sign;
    else {
      const int shift = __clz(mantissa) - 21;
      bits = sign | (unsigned)(113 - shift) << 23 | (mantissa << shift & 1023) << 13;
    }
  } else if (exponent == 31)
    bits = sign | 0x7f800000u | mantissa << 13;
  else
    bits = sign | (exponent + 112) << 23 | mantissa << 13;
  out[i] = __uint_as_float(bits);
}

// Boxes that overlap a better one of the same class are dropped.
extern "C" __global__ void suppress_boxes(unsigned char *keep, const float *boxes, const float *scores, const int *classes,
                                          float limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x0 = boxes[4 * i], y0 = boxes[4 * i + 1], x1 = boxes[4 * i + 2], y1 = boxes[4 * i + 3];
  unsigned char kept = 1;
  for (int k = 0; k < n; ++k) {
    if (classes[k] != classes[i] || scores[k] <= scores[i])
      continue;
    const float w = fminf(x1, boxes[4 * k + 2]) - fmaxf(x0, boxes[4 * k]);
    const float h = fminf(y1, boxes[4 * k + 3]) - fmaxf(y0, boxes[4 * k + 1]);
    if (w <= 0 || h <= 0)
      continue;
    const float common = w * h;
    const float both = (x1 - x0) * (y1 - y0) + (boxes[4 * k + 2] - boxes[4 * k]) * (boxes[4 * k + 3] - boxes[4 * k + 1]);
    if (common > limit * (both - common)) {
      kept = 0;
      break;
    }
  }
  keep[i] = kept;
}
