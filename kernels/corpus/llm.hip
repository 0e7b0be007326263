// Inference and training of language and vision models: block formats, caches, masks, samplers, boxes, losses,
// optimisers.
#include <hip/hip_runtime.h>

__device__ static float half_at(const unsigned short *halves, int at) {
  return (float)__builtin_bit_cast(_Float16, halves[at]);
}

// Weights of rows in four formats of blocks of 32: four bits, five with the fifth apart, eight, or an index into a
// table.
extern "C" __global__ void dequantise_by_type(float *out, const unsigned char *data, const unsigned short *scales,
                                              const unsigned *high, const unsigned char *type, const signed char *levels,
                                              int blocks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int block = i / 32, k = i % 32, row = block / blocks;
  const float scale = half_at(scales, 2 * block);
  const unsigned char *bytes = data + block * 32;
  float value;
  switch (type[row]) {
  case 0: {
    const int byte = bytes[k & 15];
    value = scale * (float)((k < 16 ? byte & 15 : byte >> 4) - 8);
    break;
  }
  case 1: {
    const int byte = bytes[k & 15], fifth = (int)(high[block] >> k & 1) << 4;
    value = scale * (float)((k < 16 ? byte & 15 : byte >> 4) | fifth) + half_at(scales, 2 * block + 1);
    break;
  }
  case 2:
    value = scale * (float)(signed char)bytes[k];
    break;
  default: {
    const int byte = bytes[k & 15];
    value = scale * (float)levels[k < 16 ? byte & 15 : byte >> 4];
  }
  }
  out[i] = value;
}

// Product of a row in superblocks of 256 weights of four bits with quantised activations. The scales of its eight parts
// have six bits: the first four lie together, of the others the upper bits are elsewhere.
extern "C" __global__ void dot_superblocks(float *out, const unsigned char *weights, const unsigned char *packed,
                                           const unsigned short *steps, const signed char *x, const float *x_scale, int blocks) {
  __shared__ float partial[64];
  const int t = threadIdx.x, row = blockIdx.x, part = t & 7;
  float sum = 0;
  for (int b = t >> 3; b < blocks; b += 8) {
    const int block = row * blocks + b;
    const unsigned char *q = packed + block * 12;
    int scale, least;
    if (part < 4) {
      scale = q[part] & 63;
      least = q[part + 4] & 63;
    } else {
      scale = (q[part + 4] & 15) | (q[part - 4] >> 6) << 4;
      least = q[part + 4] >> 4 | (q[part] >> 6) << 4;
    }
    const unsigned char *w = weights + block * 128 + (part >> 1) * 32;
    const signed char *y = x + b * 256 + part * 32;
    int dot = 0, all = 0;
    for (int k = 0; k < 32; ++k) {
      const int code = part & 1 ? w[k] >> 4 : w[k] & 15;
      dot += code * y[k];
      all += y[k];
    }
    sum += x_scale[b] * (half_at(steps, 2 * block) * (float)(scale * dot) - half_at(steps, 2 * block + 1) * (float)(least * all));
  }
  partial[t] = sum;
  __syncthreads();
  for (int step = 32; step > 0; step >>= 1) {
    if (t < step)
      partial[t] += partial[t + step];
    __syncthreads();
  }
  if (t == 0)
    out[row] = partial[0];
}

// The best scale for blocks of sixteen in six bits: some candidates around the largest value, weighted by importance.
extern "C" __global__ void quantise_best_scale(signed char *codes, float *scales, const float *values, const float *importance,
                                               int weighted, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *x = values + i * 16;
  float largest = 0, with_sign = 0;
  for (int k = 0; k < 16; ++k) {
    const float size = fabsf(x[k]);
    if (size > largest) {
      largest = size;
      with_sign = x[k];
    }
  }
  if (largest < 1e-15f) {
    for (int k = 0; k < 16; ++k)
      codes[i * 16 + k] = 0;
    scales[i] = 0;
    return;
  }
  float best = -1.0f, best_inverse = -32.0f / with_sign, scale = 0;
  for (int candidate = -4; candidate <= 4; ++candidate) {
    const float inverse = -(32.0f + 0.1f * (float)candidate) / with_sign;
    float product = 0, squares = 0;
    for (int k = 0; k < 16; ++k) {
      const float weight = weighted ? importance[i * 16 + k] : x[k] * x[k];
      const float code = fminf(31.0f, fmaxf(-32.0f, rintf(inverse * x[k])));
      product += weight * x[k] * code;
      squares += weight * code * code;
    }
    if (squares > 0 && product * product > best * squares) {
      best = product * product / squares;
      best_inverse = inverse;
      scale = product / squares;
    }
  }
  for (int k = 0; k < 16; ++k)
    codes[i * 16 + k] = (signed char)fminf(31.0f, fmaxf(-32.0f, rintf(best_inverse * x[k])));
  scales[i] = scale;
}

// Context shift: keys that stay in the cache turn by how far they moved; some layers keep halves, others eight bits
// with a scale.
extern "C" __global__ void shift_cached_keys(unsigned short *wide, signed char *narrow, float *scales, const int *moved,
                                             const int *positions, const unsigned char *is_narrow, const float *frequency, int cells,
                                             int dimensions, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int cell = i % cells, layer = i / cells, by = moved[cell];
  if (positions[cell] < 0 || by == 0)
    return;
  const int half = dimensions / 2, at = i * dimensions;
  if (is_narrow[layer]) {
    const float scale = scales[i];
    float turned[16], most = 0;
    for (int k = 0; k < half; ++k) {
      const float angle = (float)by * frequency[k], c = __sinf(angle + 1.5707963f), s = __sinf(angle);
      const float a = scale * (float)narrow[at + k], b = scale * (float)narrow[at + half + k];
      turned[2 * k] = a * c - b * s;
      turned[2 * k + 1] = a * s + b * c;
      most = fmaxf(most, fmaxf(fabsf(turned[2 * k]), fabsf(turned[2 * k + 1])));
    }
    const float step = most / 127.0f, inverse = most > 0 ? 127.0f / most : 0.0f;
    for (int k = 0; k < half; ++k) {
      narrow[at + k] = (signed char)rintf(turned[2 * k] * inverse);
      narrow[at + half + k] = (signed char)rintf(turned[2 * k + 1] * inverse);
    }
    scales[i] = step;
  } else {
    for (int k = 0; k < half; ++k) {
      const float angle = (float)by * frequency[k], c = __sinf(angle + 1.5707963f), s = __sinf(angle);
      const float a = half_at(wide, at + k), b = half_at(wide, at + half + k);
      wide[at + k] = __builtin_bit_cast(unsigned short, (_Float16)(a * c - b * s));
      wide[at + half + k] = __builtin_bit_cast(unsigned short, (_Float16)(a * s + b * c));
    }
  }
}

// Rotary positions for long contexts: low frequencies are interpolated, high ones not, with a ramp between; sections of
// an image model take time, row or column as position.
extern "C" __global__ void rotary_sections(float *out, const float *in, const int *positions, const float *frequency, int pairs,
                                           int first_section, int second_section, float factor, float low, float high, int multi,
                                           int tokens, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int pair = i % pairs, token = i / pairs % tokens, at = i / pairs * pairs * 2;
  int position = positions[token];
  if (multi) {
    const int section = pair % (first_section + 2 * second_section);
    if (section >= first_section + second_section)
      position = positions[token + 2 * tokens];
    else if (section >= first_section)
      position = positions[token + tokens];
  }
  const float plain = (float)position * frequency[pair];
  float angle = plain / factor, magnitude = 1.0f;
  if ((float)pair < high) {
    float mix = 1.0f;
    if ((float)pair > low)
      mix = 1.0f - ((float)pair - low) / (high - low);
    angle = angle * (1.0f - mix) + plain * mix;
    magnitude += 0.1f * logf(factor);
  }
  const float c = __sinf(angle + 1.5707963f) * magnitude, s = __sinf(angle) * magnitude;
  const float a = in[at + pair], b = in[at + pair + pairs];
  out[at + pair] = a * c - b * s;
  out[at + pair + pairs] = a * s + b * c;
}

// Softmax of scores, one row a block: with a mask in halves, slopes of some heads, and a sink that only takes
// probability.
extern "C" __global__ void softmax_with_sinks(float *out, const float *scores, const unsigned short *mask, const float *sinks,
                                              const float *slopes, const unsigned char *causal, float scale, int has_sinks, int columns,
                                              int rows) {
  __shared__ float partial[64];
  const int t = threadIdx.x, head = blockIdx.x / rows, row = blockIdx.x % rows;
  const float *from = scores + blockIdx.x * columns;
  float *to = out + blockIdx.x * columns;
  const float slope = slopes[head];
  float most = has_sinks ? sinks[head] : -1e30f;
  for (int k = t; k < columns; k += 64) {
    float value = -1e30f;
    if (!causal[head] || k <= row + columns - rows) {
      const float bias = half_at(mask, row * columns + k);
      if (bias > -60000.0f)
        value = from[k] * scale + slope * bias;
    }
    to[k] = value;
    most = fmaxf(most, value);
  }
  partial[t] = most;
  __syncthreads();
  for (int step = 32; step > 0; step >>= 1) {
    if (t < step)
      partial[t] = fmaxf(partial[t], partial[t + step]);
    __syncthreads();
  }
  most = partial[0];
  __syncthreads();
  float sum = 0;
  for (int k = t; k < columns; k += 64) {
    float e = 0;
    if (to[k] > -1e29f)
      e = expf(to[k] - most);
    to[k] = e;
    sum += e;
  }
  partial[t] = sum;
  __syncthreads();
  for (int step = 32; step > 0; step >>= 1) {
    if (t < step)
      partial[t] += partial[t + step];
    __syncthreads();
  }
  sum = partial[0];
  if (has_sinks)
    sum += expf(sinks[head] - most);
  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;
  for (int k = t; k < columns; k += 64)
    to[k] *= inverse;
}

// Chain of samplers over sorted probabilities, a request a thread: least relative probability, typical ones, or leaving
// out the likeliest; then one is drawn.
extern "C" __global__ void sampler_chain(int *token, float *kept, const float *probability, const int *ids, const unsigned char *kind,
                                         const float *setting, const unsigned *seeds, int candidates, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *p = probability + i * candidates;
  int first = 0, last = candidates;
  unsigned state = seeds[i];
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  const float want = setting[i];
  switch (kind[i]) {
  case 0:
    last = 1;
    break;
  case 1: {
    const float least = p[0] * want;
    last = 1;
    while (last < candidates && p[last] >= least)
      ++last;
    break;
  }
  case 2: { // around the entropy
    float entropy = 0;
    for (int k = 0; k < candidates; ++k)
      if (p[k] > 1e-9f)
        entropy -= p[k] * logf(p[k]);
    while (first + 1 < candidates && -logf(p[first]) < entropy - want)
      ++first;
    last = first + 1;
    float sum = p[first];
    while (last < candidates && sum < 0.9f && -logf(p[last] + 1e-9f) < entropy + want)
      sum += p[last++];
    break;
  }
  default:
    if ((state & 255) < 128) {
      int above = 0;
      while (above < candidates && p[above] >= want)
        ++above;
      if (above >= 2)
        first = above - 1;
    }
  }
  float sum = 0;
  for (int k = first; k < last; ++k)
    sum += p[k];
  float left = sum * (float)(state >> 8) * (1.0f / 16777216.0f);
  int chosen = first;
  while (chosen + 1 < last && left >= p[chosen])
    left -= p[chosen++];
  token[i] = ids[i * candidates + chosen];
  kept[i] = sum;
}

// Gradients of a fused layer whose channels have different activations.
extern "C" __global__ void activation_backward(float *gradient, const float *upstream, const float *before, const unsigned char *kind,
                                               const float *slope, int channels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int channel = i / 16 % channels;
  const float x = before[i], g = upstream[i];
  float result;
  switch (kind[channel]) {
  case 0:
    result = x > 0 ? g : 0.0f;
    break;
  case 1:
    if (x > 0)
      result = g;
    else
      result = g * slope[channel];
    break;
  case 2: {
    const float s = 1.0f / (1.0f + expf(-x));
    result = g * s * (1.0f + x * (1.0f - s));
    break;
  }
  case 3: {
    const float u = 0.79788456f * (x + 0.044715f * x * x * x), e = expf(2.0f * u);
    const float t = 1.0f - 2.0f / (e + 1.0f);
    result = g * (0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.79788456f * (1.0f + 0.134145f * x * x));
    break;
  }
  case 4:
    if (x <= -3.0f)
      result = 0;
    else if (x < 3.0f)
      result = g * (x / 3.0f + 0.5f);
    else
      result = g;
    break;
  default:
    if (x > 20.0f)
      result = g;
    else
      result = g / (1.0f + expf(-x));
  }
  gradient[i] = result;
}

// Features of regions from a pyramid: the level by the region's size, four samples a bin, outside the image zero.
extern "C" __global__ void region_align(float *out, const float *pyramid, const int *level_start, const int *level_width,
                                        const float4 *regions, int bins, int levels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int bx = i % bins, by = i / bins % bins, region = i / (bins * bins);
  const float4 r = regions[region];
  const float w = r.z - r.x, h = r.w - r.y;
  int level = 0;
  for (float size = w * h; size > 576.0f && level < levels - 1; size *= 0.25f)
    ++level;
  const int width = level_width[level], height = width;
  const float *map = pyramid + level_start[level];
  const float shrink = 1.0f / (float)(1 << level);
  const float x0 = r.x * shrink - 0.5f, y0 = r.y * shrink - 0.5f;
  const float bin_w = w * shrink / (float)bins, bin_h = h * shrink / (float)bins;
  float sum = 0;
  for (int s = 0; s < 4; ++s) {
    float x = x0 + ((float)bx + ((s & 1) ? 0.75f : 0.25f)) * bin_w, y = y0 + ((float)by + ((s & 2) ? 0.75f : 0.25f)) * bin_h;
    if (y < -1.0f || y > (float)height || x < -1.0f || x > (float)width)
      continue;
    if (x <= 0)
      x = 0;
    if (y <= 0)
      y = 0;
    int left = (int)x, top = (int)y, right, bottom;
    if (left >= width - 1) {
      right = left = width - 1;
      x = (float)left;
    } else {
      right = left + 1;
    }
    if (top >= height - 1) {
      bottom = top = height - 1;
      y = (float)top;
    } else {
      bottom = top + 1;
    }
    const float fx = x - (float)left, fy = y - (float)top;
    sum += (1 - fy) * ((1 - fx) * map[top * width + left] + fx * map[top * width + right]) +
           fy * ((1 - fx) * map[bottom * width + left] + fx * map[bottom * width + right]);
  }
  out[i] = sum * 0.25f;
}

// Overlap of turned boxes: one is clipped by the sides of the other; pairs that are far apart have none.
extern "C" __global__ void turned_box_overlap(float *overlap, const float *boxes, const int2 *pairs, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *a = boxes + pairs[i].x * 5, *b = boxes + pairs[i].y * 5;
  const float dx = a[0] - b[0], dy = a[1] - b[1];
  const float reach = 0.5f * (sqrtf(a[2] * a[2] + a[3] * a[3]) + sqrtf(b[2] * b[2] + b[3] * b[3]));
  if (dx * dx + dy * dy > reach * reach) {
    overlap[i] = 0;
    return;
  }
  // Corners of the first in the frame of the second.
  const float cb = __sinf(b[4] + 1.5707963f), sb = __sinf(b[4]), c = __sinf(a[4] - b[4] + 1.5707963f), s = __sinf(a[4] - b[4]);
  const float mx = dx * cb + dy * sb, my = dy * cb - dx * sb;
  float px[8], py[8], qx[8], qy[8];
  int count = 4;
  for (int k = 0; k < 4; ++k) {
    const float u = (k == 0 || k == 3 ? -0.5f : 0.5f) * a[2], v = (k < 2 ? -0.5f : 0.5f) * a[3];
    px[k] = mx + u * c - v * s;
    py[k] = my + u * s + v * c;
  }
  for (int side = 0; side < 4 && count > 0; ++side) {
    const float limit = 0.5f * (side < 2 ? b[2] : b[3]), sign = side & 1 ? -1.0f : 1.0f;
    int made = 0;
    for (int k = 0; k < count; ++k) {
      const int next = k + 1 < count ? k + 1 : 0;
      const float here = limit - sign * (side < 2 ? px[k] : py[k]), there = limit - sign * (side < 2 ? px[next] : py[next]);
      if (here >= 0 && made < 8) {
        qx[made] = px[k];
        qy[made++] = py[k];
      }
      if (here * there < 0 && made < 8) {
        const float part = here / (here - there);
        qx[made] = px[k] + part * (px[next] - px[k]);
        qy[made++] = py[k] + part * (py[next] - py[k]);
      }
    }
    count = made;
    for (int k = 0; k < count; ++k) {
      px[k] = qx[k];
      py[k] = qy[k];
    }
  }
  float area = 0;
  for (int k = 2; k < count; ++k)
    area += (px[k - 1] - px[0]) * (py[k] - py[0]) - (px[k] - px[0]) * (py[k - 1] - py[0]);
  area = 0.5f * fabsf(area);
  overlap[i] = area / (a[2] * a[3] + b[2] * b[3] - area);
}

// Transcripts against frames: probability of every prefix with blanks between; a skip only between letters that differ.
// A transcript a block.
extern "C" __global__ void ctc_prefixes(float *loss, const float *log_probability, const int *labels, const int *label_start,
                                        const int *frames, int most_frames, int classes) {
  __shared__ float alpha[2][64];
  const int t = threadIdx.x, sample = blockIdx.x, begin = label_start[sample], length = label_start[sample + 1] - begin;
  const int states = 2 * length + 1, end = frames[sample];
  const float none = -1e30f;
  const float *p = log_probability + sample * most_frames * classes;
  int label = 0;
  bool skip = false;
  if (t < states && (t & 1)) {
    label = labels[begin + t / 2];
    skip = t > 1 && labels[begin + t / 2 - 1] != label;
  }
  alpha[0][t] = t < 2 && t < states ? p[label] : none;
  __syncthreads();
  for (int frame = 1; frame < end; ++frame) {
    const float *now = alpha[(frame - 1) & 1];
    float next = none;
    if (t < states) {
      const float stay = now[t], step = t > 0 ? now[t - 1] : none;
      float most = fmaxf(stay, step), sum;
      if (skip) {
        const float jump = now[t - 2];
        most = fmaxf(most, jump);
        if (most > none)
          sum = expf(stay - most) + expf(step - most) + expf(jump - most);
        else
          sum = 1.0f;
      } else {
        if (most > none)
          sum = expf(stay - most) + expf(step - most);
        else
          sum = 1.0f;
      }
      if (most > none)
        next = most + logf(sum) + p[frame * classes + label];
    }
    alpha[frame & 1][t] = next;
    __syncthreads();
  }
  if (t == 0) {
    const float *now = alpha[(end - 1) & 1];
    const float a = now[states - 1], b = states > 1 ? now[states - 2] : none, most = fmaxf(a, b);
    loss[sample] = most > none ? -(most + logf(expf(a - most) + expf(b - most))) : 0.0f;
  }
}

// Resizes feature maps: nearest, linear, or cubic by map, with aligned corners or half pixels, and borders clamped.
extern "C" __global__ void resize_by_mode(float *out, const float *in, const unsigned char *mode, const unsigned char *aligned,
                                          int in_width, int in_height, int width, int height, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int x = i % width, y = i / width % height, map = i / (width * height);
  const float *from = in + map * in_width * in_height;
  float u, v;
  if (aligned[map]) {
    u = (float)x * (float)(in_width - 1) / (float)(width - 1);
    v = (float)y * (float)(in_height - 1) / (float)(height - 1);
  } else {
    u = ((float)x + 0.5f) * (float)in_width / (float)width - 0.5f;
    v = ((float)y + 0.5f) * (float)in_height / (float)height - 0.5f;
  }
  float value = 0;
  if (mode[map] == 0) {
    const int a = min(max((int)rintf(u), 0), in_width - 1), b = min(max((int)rintf(v), 0), in_height - 1);
    value = from[b * in_width + a];
  } else if (mode[map] == 1) {
    u = fmaxf(u, 0.0f);
    v = fmaxf(v, 0.0f);
    const int a = (int)u, b = (int)v, right = a < in_width - 1, down = b < in_height - 1 ? in_width : 0;
    const float fu = u - (float)a, fv = v - (float)b;
    const float *p = from + b * in_width + a;
    value = (1 - fv) * ((1 - fu) * p[0] + fu * p[right]) + fv * ((1 - fu) * p[down] + fu * p[down + right]);
  } else {
    const float a = floorf(u), b = floorf(v);
    for (int dy = -1; dy <= 2; ++dy) {
      float line = 0, all = 0;
      for (int dx = -1; dx <= 2; ++dx) {
        const float far = fabsf(u - a - (float)dx);
        const float weight = far <= 1.0f ? (1.25f * far - 2.25f) * far * far + 1.0f
                                         : ((-0.75f * far + 3.75f) * far - 6.0f) * far + 3.0f;
        const int cx = min(max((int)a + dx, 0), in_width - 1), cy = min(max((int)b + dy, 0), in_height - 1);
        line += weight * from[cy * in_width + cx];
        all += weight;
      }
      const float far = fabsf(v - b - (float)dy);
      value += line / all * (far <= 1.0f ? (1.25f * far - 2.25f) * far * far + 1.0f
                                         : ((-0.75f * far + 3.75f) * far - 6.0f) * far + 3.0f);
    }
  }
  out[i] = value;
}

// Scores of long documents with a sparse mask: the same neighbourhood, everything from and to a few tokens, and random
// blocks.
extern "C" __global__ void sparse_mask_scores(float *scores, int *active, const float *queries, const float *keys,
                                              const unsigned char *global, const unsigned *random_blocks, int window, int width,
                                              int tokens) {
  const int key = blockIdx.x * blockDim.x + threadIdx.x, query = blockIdx.y * blockDim.y + threadIdx.y;
  if (key >= tokens || query >= tokens)
    return;
  const int away = abs(query - key);
  bool attends = global[query] || global[key];
  if (!attends) {
    if (away <= window)
      attends = true;
    else if (query > key)
      attends = (random_blocks[query / 8] >> (key / 8 & 31) & 1) != 0;
  }
  float score = -1e30f;
  if (attends) {
    float dot = 0;
    for (int k = 0; k < width; ++k)
      dot += queries[query * width + k] * keys[key * width + k];
    score = dot * rsqrtf((float)width);
    atomicAdd(&active[query], 1);
  }
  scores[query * tokens + key] = score;
}

__device__ static void philox_round(unsigned *c, unsigned k0, unsigned k1) {
  const unsigned high0 = __umulhi(0xd2511f53u, c[0]), low0 = 0xd2511f53u * c[0];
  const unsigned high1 = __umulhi(0xcd9e8d57u, c[2]), low1 = 0xcd9e8d57u * c[2];
  c[0] = high1 ^ c[1] ^ k0;
  c[1] = low1;
  c[2] = high0 ^ c[3] ^ k1;
  c[3] = low0;
}

// Random tensors from counters: four values a thread, uniform, normal, coins or whole numbers by tensor.
extern "C" __global__ void philox_fill(float *out, const int *tensor_start, const unsigned char *kind, const float *first,
                                       const float *second, unsigned seed, unsigned offset, int tensors, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * 4 >= n)
    return;
  int tensor = 0;
  while (tensor + 1 < tensors && tensor_start[tensor + 1] <= i * 4)
    ++tensor;
  unsigned c[4] = {(unsigned)i, offset, (unsigned)tensor, 0}, k0 = seed, k1 = ~seed;
  for (int round = 0; round < 10; ++round) {
    philox_round(c, k0, k1);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  const float a = first[tensor], b = second[tensor];
  float value[4];
  switch (kind[tensor]) {
  case 0:
    for (int k = 0; k < 4; ++k)
      value[k] = a + (b - a) * (float)(c[k] >> 8) * (1.0f / 16777216.0f);
    break;
  case 1:
    for (int k = 0; k < 4; k += 2) {
      const float radius = sqrtf(-2.0f * logf((float)((c[k] >> 8) + 1) * (1.0f / 16777216.0f)));
      const float angle = (float)(c[k + 1] >> 8) * (6.2831853f / 16777216.0f);
      value[k] = a + b * radius * __sinf(angle + 1.5707963f);
      value[k + 1] = a + b * radius * __sinf(angle);
    }
    break;
  case 2:
    for (int k = 0; k < 4; ++k)
      value[k] = (float)(c[k] >> 8) * (1.0f / 16777216.0f) < a ? 1.0f : 0.0f;
    break;
  default:
    for (int k = 0; k < 4; ++k)
      value[k] = a + (float)__umulhi(c[k], (unsigned)(b - a));
  }
  for (int k = 0; k < 4 && i * 4 + k < n; ++k)
    out[i * 4 + k] = value[k];
}

// Optimiser step for weights of sixteen bits: bad gradients are skipped, decay by group, rounding at random or to the
// nearest.
extern "C" __global__ void adam_half_weights(unsigned short *weights, float *moment, float *variance, int *skipped,
                                             const unsigned short *gradients, const unsigned char *group, float rate, float decay,
                                             float scale, unsigned seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float g = __uint_as_float((unsigned)gradients[i] << 16) * scale;
  if (!(fabsf(g) < 1e30f)) {
    atomicAdd(skipped, 1);
    return;
  }
  float w = __uint_as_float((unsigned)weights[i] << 16);
  const int kind = group[i / 64];
  if (kind & 1)
    w -= rate * decay * w;
  const float m = 0.9f * moment[i] + 0.1f * g, v = 0.999f * variance[i] + 0.001f * g * g;
  moment[i] = m;
  variance[i] = v;
  w -= rate * m / (sqrtf(v) + 1e-8f);
  unsigned bits = __float_as_uint(w);
  if (kind & 2) {
    unsigned noise = seed ^ (unsigned)i * 0x9e3779b9u;
    noise = (noise ^ noise >> 16) * 0x7feb352du;
    bits += noise >> 16;
  } else {
    bits += 0x7fffu + (bits >> 16 & 1);
  }
  weights[i] = (unsigned short)(bits >> 16);
}

// State space layer, a channel a thread: the step through softplus, states that start again where a document does.
extern "C" __global__ void state_space_scan(float *out, float *last, const float *x, const float *raw_step, const float *rates,
                                            const float *in_mix, const float *out_mix, const float *skip, const float *gate,
                                            const unsigned char *begins, int gated, int channels, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int channel = i % channels, sequence = i / channels;
  float state[4] = {0, 0, 0, 0};
  for (int t = 0; t < length; ++t) {
    const int token = sequence * length + t, at = token * channels + channel;
    if (begins[token])
      state[0] = state[1] = state[2] = state[3] = 0;
    const float raw = raw_step[at];
    const float dt = raw > 20.0f ? raw : logf(1.0f + expf(raw));
    const float u = x[at];
    float y = 0;
    for (int s = 0; s < 4; ++s) {
      state[s] = state[s] * expf(dt * rates[channel * 4 + s]) + dt * in_mix[token * 4 + s] * u;
      y += state[s] * out_mix[token * 4 + s];
    }
    y += skip[channel] * u;
    if (gated) {
      const float z = gate[at];
      y *= z / (1.0f + expf(-z));
    }
    out[at] = y;
  }
  for (int s = 0; s < 4; ++s)
    last[i * 4 + s] = state[s];
}

// Tokens of a draft that a larger model accepts, a sequence a thread, greedily or by chance; where one is refused,
// another is drawn from what is left.
extern "C" __global__ void accept_drafts(int *accepted, int *tokens, const int *draft, const float *draft_probability,
                                         const float *target_probability, const float *luck, const unsigned char *greedy, int drafted,
                                         int vocabulary, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int count = 0, next = -1;
  for (; count < drafted; ++count) {
    const int token = draft[i * drafted + count];
    const float *q = draft_probability + (i * drafted + count) * vocabulary;
    const float *p = target_probability + (i * (drafted + 1) + count) * vocabulary;
    if (greedy[i]) {
      int best = 0;
      for (int k = 1; k < vocabulary; ++k)
        if (p[k] > p[best])
          best = k;
      if (best != token) {
        next = best;
        break;
      }
    } else if (luck[i * (drafted + 1) + count] * q[token] > p[token]) {
      float sum = 0;
      for (int k = 0; k < vocabulary; ++k)
        sum += fmaxf(p[k] - q[k], 0.0f);
      float left = sum * luck[i * (drafted + 1) + drafted];
      next = vocabulary - 1;
      for (int k = 0; k < vocabulary; ++k) {
        left -= fmaxf(p[k] - q[k], 0.0f);
        if (left < 0) {
          next = k;
          break;
        }
      }
      break;
    }
    tokens[i * (drafted + 1) + count] = token;
  }
  if (next < 0) {
    const float *p = target_probability + (i * (drafted + 1) + drafted) * vocabulary;
    next = 0;
    if (greedy[i]) {
      for (int k = 1; k < vocabulary; ++k)
        if (p[k] > p[next])
          next = k;
    } else {
      float left = luck[i * (drafted + 1) + drafted];
      while (next + 1 < vocabulary && left >= p[next])
        left -= p[next++];
    }
  }
  tokens[i * (drafted + 1) + count] = next;
  accepted[i] = count;
}

// Rows at indices: negative ones count from the end; what is out of bounds is clipped, wrapped, or filled.
extern "C" __global__ void take_with_mode(float *out, int *invalid, const float *table, const int *indices, const unsigned char *mode,
                                          float fill, int rows, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int which = i / width, column = i % width;
  int row = indices[which];
  if (row < 0)
    row += rows;
  if (row >= 0 && row < rows) {
    out[i] = table[row * width + column];
    return;
  }
  const int how = mode[which >> 4];
  if (how == 0) {
    row = row < 0 ? 0 : rows - 1;
    out[i] = table[row * width + column];
  } else if (how == 1) {
    row %= rows;
    if (row < 0)
      row += rows;
    out[i] = table[row * width + column];
  } else {
    out[i] = fill;
    if (column == 0)
      atomicAdd(invalid, 1);
  }
}
