// Learning and vision: tiles, pools, norms, attention, small numbers, sampling, neighbours, populations.
#include <hip/hip_runtime.h>

__device__ static unsigned next_random(unsigned &state) {
  state = state * 747796405u + 2891336453u;
  const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return word >> 22 ^ word;
}

// Convolution of three by three by Winograd's tiles of two by two, over a few channels; tiles at the border are padded.
extern "C" __global__ void winograd_tiles(float *output, const float *input, const float *weights, int channels, int width, int height) {
  const int tx = blockIdx.x * blockDim.x + threadIdx.x, ty = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = 2 * tx, y = 2 * ty;
  if (x >= width || y >= height)
    return;
  float m[16];
#pragma unroll
  for (int k = 0; k < 16; ++k)
    m[k] = 0;
  const bool inside = x > 0 && y > 0 && x + 2 < width && y + 2 < height;
  for (int c = 0; c < channels; ++c) {
    const float *plane = input + c * width * height;
    float d[16], t[16];
    if (inside) {
#pragma unroll
      for (int k = 0; k < 16; ++k)
        d[k] = plane[(y - 1 + k / 4) * width + x - 1 + k % 4];
    } else {
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        const int u = x - 1 + k % 4, v = y - 1 + k / 4;
        d[k] = u >= 0 && u < width && v >= 0 && v < height ? plane[v * width + u] : 0.0f;
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      t[k] = d[k] - d[8 + k];
      t[4 + k] = d[4 + k] + d[8 + k];
      t[8 + k] = d[8 + k] - d[4 + k];
      t[12 + k] = d[4 + k] - d[12 + k];
    }
    const float *w = weights + 16 * c;
#pragma unroll
    for (int k = 0; k < 16; k += 4) {
      m[k] += w[k] * (t[k] - t[k + 2]);
      m[k + 1] += w[k + 1] * (t[k + 1] + t[k + 2]);
      m[k + 2] += w[k + 2] * (t[k + 2] - t[k + 1]);
      m[k + 3] += w[k + 3] * (t[k + 1] - t[k + 3]);
    }
  }
  float s[8];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    s[k] = m[k] + m[4 + k] + m[8 + k];
    s[4 + k] = m[4 + k] - m[8 + k] - m[12 + k];
  }
  output[y * width + x] = fmaxf(0.0f, s[0] + s[1] + s[2]);
  if (x + 1 < width)
    output[y * width + x + 1] = fmaxf(0.0f, s[1] - s[2] - s[3]);
  if (y + 1 < height) {
    output[(y + 1) * width + x] = fmaxf(0.0f, s[4] + s[5] + s[6]);
    if (x + 1 < width)
      output[(y + 1) * width + x + 1] = fmaxf(0.0f, s[5] - s[6] - s[7]);
  }
}

// Largest of three by three by three, two apart, padded by one; where it was is kept for the way back.
extern "C" __global__ void max_pool_volume(float *largest, int *where, const float *volume, int width, int height, int depth,
                                           int out_width, int out_height, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int ox = i % out_width, oy = i / out_width % out_height, oz = i / (out_width * out_height);
  float most = -3.4e38f;
  int at = -1;
  for (int z = 2 * oz - 1; z <= 2 * oz + 1; ++z) {
    if (z < 0 || z >= depth)
      continue;
    for (int y = 2 * oy - 1; y <= 2 * oy + 1; ++y) {
      if (y < 0 || y >= height)
        continue;
      for (int x = 2 * ox - 1; x <= 2 * ox + 1; ++x)
        if (x >= 0 && x < width) {
          const int here = (z * height + y) * width + x;
          const float value = volume[here];
          if (value > most || value != value) {
            most = value;
            at = here;
          }
        }
    }
  }
  largest[i] = most;
  where[i] = at;
}

// Norm of rows over the elements that a mask leaves, one row a block; padded rows become zero.
extern "C" __global__ void masked_layer_norm(float *output, float *deviation, const float *input, const unsigned char *mask,
                                             const int *valid, const float *gain, const float *bias, int width) {
  __shared__ float sums[128], squares[128];
  __shared__ int used[128];
  const int t = threadIdx.x, row = blockIdx.x;
  const float *from = input + row * width;
  const unsigned char *keep = mask + row * width;
  if (!valid[row]) {
    for (int k = t; k < width; k += 128)
      output[row * width + k] = 0;
    if (t == 0)
      deviation[row] = -1.0f;
    return;
  }
  float sum = 0, square = 0;
  int count = 0;
  for (int k = t; k < width; k += 128)
    if (keep[k]) {
      sum += from[k];
      square += from[k] * from[k];
      ++count;
    }
  sums[t] = sum;
  squares[t] = square;
  used[t] = count;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) {
      sums[t] += sums[t + step];
      squares[t] += squares[t + step];
      used[t] += used[t + step];
    }
    __syncthreads();
  }
  const float total = (float)max(1, used[0]), mean = sums[0] / total;
  const float spread = sqrtf(fmaxf(0.0f, squares[0] / total - mean * mean) + 1e-5f);
  for (int k = t; k < width; k += 128) {
    if (keep[k])
      output[row * width + k] = (from[k] - mean) / spread * gain[k] + bias[k];
    else
      output[row * width + k] = from[k];
  }
  if (t == 0)
    deviation[row] = spread;
}

// Attention of each query to what is before it, at most a window back, in its own document; a running softmax.
extern "C" __global__ void causal_window_attention(float *output, float *log_sums, const float *queries, const float *keys,
                                                   const float *values, const int *document, int window, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int q = i % length, base = i - q;
  float query[8], sum[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    query[k] = queries[8 * i + k] * 0.35355339f;
    sum[k] = 0;
  }
  float most = -1e30f, total = 0;
  for (int j = q; j >= 0 && j > q - window; --j) {
    if (document[j] != document[q])
      break;
    float score = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      score += query[k] * keys[8 * (base + j) + k];
    if (score > most) {
      const float scale = expf(most - score);
      most = score;
      total *= scale;
#pragma unroll
      for (int k = 0; k < 8; ++k)
        sum[k] *= scale;
    }
    const float p = expf(score - most);
    total += p;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      sum[k] += p * values[8 * (base + j) + k];
  }
#pragma unroll
  for (int k = 0; k < 8; ++k)
    output[8 * i + k] = sum[k] / total;
  log_sums[i] = most + logf(total);
}

// To eight bits with four for the exponent: not numbers, too large, normal and subnormal ones, to the nearest even.
extern "C" __global__ void quantise_e4m3(unsigned char *codes, int *saturated, const float *values, const float *scales, int group,
                                         int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned bits = __float_as_uint(values[i] * scales[i / group]), size = bits & 0x7fffffffu;
  unsigned code;
  if (size > 0x7f800000u)
    code = 0x7f;
  else if (size >= 0x43e80000u) { // 464 and more
    code = 0x7e;
    atomicAdd(&saturated[i / group], 1);
  } else if (size >= 0x3c800000u) { // 1/64 and more
    const unsigned odd = (size >> 20) & 1;
    code = ((size + 0x7ffffu + odd) >> 20) - (120u << 3);
  } else if (size >= 0x3a800000u) { // 1/1024 and more
    const int shift = 141 - (int)(size >> 23);
    const unsigned mantissa = (size & 0x7fffffu) | 0x800000u;
    const unsigned rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    code = mantissa >> shift;
    if (rest > half || (rest == half && (code & 1)))
      ++code;
  } else
    code = 0;
  codes[i] = (unsigned char)(code | (bits >> 31) << 7);
}

__device__ static unsigned normal_code(float x) {
  if (x > 0.03979014f) {
    if (x > 0.38931253f) {
      if (x > 0.6427869f)
        return x > 0.8614784f ? 15 : 14;
      return x > 0.5016634f ? 13 : 12;
    }
    if (x > 0.2035212f)
      return x > 0.2920137f ? 11 : 10;
    return x > 0.1202552f ? 9 : 8;
  }
  if (x > -0.33967942f) {
    if (x > -0.13791174f)
      return x > -0.045525018f ? 7 : 6;
    return x > -0.23460741f ? 5 : 4;
  }
  if (x > -0.6106329f)
    return x > -0.4599952f ? 3 : 2;
  return x > -0.8480964f ? 1 : 0;
}

// Four bits at the quantiles of a bell: blocks of sixteen by their largest; outliers are kept apart.
extern "C" __global__ void quantise_quantiles(unsigned *packed, float *scales, int *outliers, const float *values, float limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float most = 0, second = 0;
  int where = 0;
  for (int k = 0; k < 16; ++k) {
    const float size = fabsf(values[16 * i + k]);
    if (size > most) {
      second = most;
      most = size;
      where = k;
    } else if (size > second)
      second = size;
  }
  int apart = -1;
  if (most > limit && most > 2.5f * second) {
    apart = where;
    most = second;
  }
  unsigned words[2] = {0x77777777u, 0x77777777u};
  if (most > 0) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unsigned word = 0;
      for (int k = 0; k < 8; ++k) {
        unsigned code = 7;
        if (8 * half + k != apart)
          code = normal_code(values[16 * i + 8 * half + k] / most);
        word |= code << (4 * k);
      }
      words[half] = word;
    }
  }
  packed[2 * i] = words[0];
  packed[2 * i + 1] = words[1];
  scales[i] = most;
  outliers[i] = apart;
}

// The next token: greedy at temperature zero, else the most likely ones until enough probability is together.
extern "C" __global__ void sample_nucleus(int *token, int *candidates, const float *logits, const float *temperature,
                                          const unsigned *seeds, float enough, int most_candidates, int vocabulary, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float largest = logits[i];
  int best = 0;
  for (int k = 1; k < vocabulary; ++k)
    if (logits[k * n + i] > largest) {
      largest = logits[k * n + i];
      best = k;
    }
  if (temperature[i] == 0) {
    token[i] = best;
    candidates[i] = 1;
    return;
  }
  const float sharp = 1.0f / temperature[i], peak = largest;
  float total = 0;
  for (int k = 0; k < vocabulary; ++k)
    total += expf((logits[k * n + i] - largest) * sharp);
  float chances[8];
  int choices[8];
  unsigned taken[2] = {0, 0};
  float sum = 0;
  int count = 0;
  while (count < most_candidates && sum < enough) {
    if (count > 0) {
      largest = -1e30f;
      for (int k = 0; k < vocabulary; ++k) {
        if ((taken[k >> 5] >> (k & 31)) & 1)
          continue;
        if (logits[k * n + i] > largest) {
          largest = logits[k * n + i];
          best = k;
        }
      }
    }
    taken[best >> 5] |= 1u << (best & 31);
    chances[count] = expf((largest - peak) * sharp) / total;
    choices[count] = best;
    sum += chances[count];
    ++count;
  }
  unsigned state = seeds[i];
  float r = (float)(next_random(state) >> 8) * (1.0f / 16777216.0f) * sum;
  int chosen = choices[0];
  for (int k = 0; k < count; ++k) {
    chosen = choices[k];
    r -= chances[k];
    if (r < 0)
      break;
  }
  token[i] = chosen;
  candidates[i] = count;
}

// Width of each point's bell, so that its neighbours have the wanted perplexity.
extern "C" __global__ void perplexity_search(float *precision, float *affinity, int *steps, const float *squares, float wanted,
                                             int neighbours, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float target = logf(wanted);
  float beta = 1.0f, low = 0, high = 3e38f, sum = 1.0f;
  int k = 0;
  for (; k < 25; ++k) {
    float weighted = 0;
    sum = 1e-20f;
    for (int j = 0; j < neighbours; ++j) {
      const float p = expf(-beta * squares[j * n + i]);
      sum += p;
      weighted += p * squares[j * n + i];
    }
    const float difference = logf(sum) + beta * weighted / sum - target;
    if (fabsf(difference) < 1e-4f)
      break;
    if (difference > 0) {
      low = beta;
      beta = high > 1e38f ? 2.0f * beta : 0.5f * (beta + high);
    } else {
      high = beta;
      beta = 0.5f * (beta + low);
    }
  }
  for (int j = 0; j < neighbours; ++j)
    affinity[j * n + i] = expf(-beta * squares[j * n + i]) / sum;
  precision[i] = beta;
  steps[i] = k;
}

__device__ static float reflect(float x, float size) {
  x = fabsf(x);
  const int times = (int)(x / size);
  x -= (float)times * size;
  return (times & 1) != 0 ? size - x : x;
}

// Samples of images at any place: outside is zero, the border, or mirrored; nearest or between four.
extern "C" __global__ void grid_sample_modes(float *output, const float *images, const float2 *places, const unsigned char *modes,
                                             int width, int height, int samples, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int mode = modes[i / samples];
  const float *image = images + i / samples * width * height;
  float x = 0.5f * ((places[i].x + 1.0f) * (float)width - 1.0f), y = 0.5f * ((places[i].y + 1.0f) * (float)height - 1.0f);
  if ((mode & 3) == 1) {
    x = fminf((float)(width - 1), fmaxf(0.0f, x));
    y = fminf((float)(height - 1), fmaxf(0.0f, y));
  } else if ((mode & 3) == 2) {
    x = reflect(x, (float)(width - 1));
    y = reflect(y, (float)(height - 1));
  }
  float value = 0;
  if (mode & 4) {
    const int u = (int)rintf(x), v = (int)rintf(y);
    if (u >= 0 && u < width && v >= 0 && v < height)
      value = image[v * width + u];
  } else {
    const float left = floorf(x), top = floorf(y), fx = x - left, fy = y - top;
    const int u = (int)left, v = (int)top;
    if (v >= 0 && v < height) {
      if (u >= 0 && u < width)
        value += (1.0f - fx) * (1.0f - fy) * image[v * width + u];
      if (u + 1 >= 0 && u + 1 < width)
        value += fx * (1.0f - fy) * image[v * width + u + 1];
    }
    if (v + 1 >= 0 && v + 1 < height) {
      if (u >= 0 && u < width)
        value += (1.0f - fx) * fy * image[(v + 1) * width + u];
      if (u + 1 >= 0 && u + 1 < width)
        value += fx * fy * image[(v + 1) * width + u + 1];
    }
  }
  output[i] = value;
}

// Bags of rows, eight columns: sums with weights, means or largest; the padding row does not count.
extern "C" __global__ void embedding_bags(float *output, int *counts, const float *table, const int *starts, const int *rows,
                                          const float *weights, const unsigned char *modes, int padding, int bags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, bag = i / 8, column = i % 8;
  if (bag >= bags)
    return;
  const int mode = modes[bag];
  float value = mode == 2 ? -3.4e38f : 0.0f;
  int count = 0;
  for (int k = starts[bag]; k < starts[bag + 1]; ++k) {
    const int row = rows[k];
    if (row == padding)
      continue;
    const float element = table[8 * row + column];
    if (mode == 2)
      value = fmaxf(value, element);
    else if (mode == 1)
      value += element;
    else
      value += weights[k] * element;
    ++count;
  }
  if (count == 0)
    value = 0;
  else if (mode == 1)
    value /= (float)count;
  output[i] = value;
  if (column == 0)
    counts[bag] = count;
}

// Optical flow as colours of a wheel: unknown is black, too fast is darker.
extern "C" __global__ void flow_colours(uchar4 *colours, const float2 *flow, float fastest, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  const float u = flow[i].x / fastest, v = flow[i].y / fastest;
  if (fabsf(u) > 1e5f || fabsf(v) > 1e5f) {
    colours[i] = {0, 0, 0, 255};
    return;
  }
  // An angle without trigonometry, from 0 to 4.
  const float length = fabsf(u) + fabsf(v);
  float angle = 0;
  if (length > 0) {
    const float part = v / length;
    angle = u >= 0 ? (v >= 0 ? part : 4.0f + part) : 2.0f - part;
  }
  const float place = angle * 13.75f;
  float r, g, b;
  if (place < 15.0f) {
    r = 1.0f;
    g = place / 15.0f;
    b = 0;
  } else if (place < 21.0f) {
    r = 1.0f - (place - 15.0f) / 6.0f;
    g = 1.0f;
    b = 0;
  } else if (place < 25.0f) {
    r = 0;
    g = 1.0f;
    b = (place - 21.0f) / 4.0f;
  } else if (place < 36.0f) {
    r = 0;
    g = 1.0f - (place - 25.0f) / 11.0f;
    b = 1.0f;
  } else if (place < 49.0f) {
    r = (place - 36.0f) / 13.0f;
    g = 0;
    b = 1.0f;
  } else {
    r = 1.0f;
    g = 0;
    b = 1.0f - (place - 49.0f) / 6.0f;
  }
  const float radius = sqrtf(u * u + v * v);
  if (radius <= 1.0f) {
    r = 1.0f - radius * (1.0f - r);
    g = 1.0f - radius * (1.0f - g);
    b = 1.0f - radius * (1.0f - b);
  } else {
    r *= 0.75f;
    g *= 0.75f;
    b *= 0.75f;
  }
  colours[i] = {(unsigned char)(255.0f * r), (unsigned char)(255.0f * g), (unsigned char)(255.0f * b), 255};
}

// Circles through three random points: bad samples are drawn again, hopeless ones are given up, the best wins.
extern "C" __global__ void ransac_circles(float4 *circles, unsigned *best, const float2 *points, unsigned seed, float tolerance,
                                          int count, int needed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seed + (unsigned)i * 2654435761u;
  float x = 0, y = 0, radius = -1.0f;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const float2 a = points[next_random(state) % (unsigned)count], b = points[next_random(state) % (unsigned)count];
    const float2 c = points[next_random(state) % (unsigned)count];
    const float bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, twice = 2.0f * (bx * cy - by * cx);
    if (fabsf(twice) < 0.05f)
      continue; // the same, or in a row
    const float bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    const float ux = (cy * bb - by * cc) / twice, uy = (bx * cc - cx * bb) / twice;
    const float r = sqrtf(ux * ux + uy * uy);
    if (r > 8.0f)
      continue;
    x = a.x + ux;
    y = a.y + uy;
    radius = r;
    break;
  }
  int inliers = 0;
  if (radius > 0) {
    for (int k = 0; k < count; ++k) {
      const float dx = points[k].x - x, dy = points[k].y - y;
      if (fabsf(sqrtf(dx * dx + dy * dy) - radius) < tolerance)
        ++inliers;
      if (inliers + count - 1 - k < needed)
        break;
    }
    if (inliers >= needed)
      atomicMax(best, (unsigned)inliers << 16 | (unsigned)(i & 0xffff));
  }
  circles[i] = {x, y, radius, (float)inliers};
}

// The next generation: an elite is copied, the others have parents by tournament, cross over in one of three ways and
// change by chance.
extern "C" __global__ void breed_population(int *children, unsigned char *origin, const int *genes, const float *fitness,
                                            const unsigned *seeds, float limit, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (fitness[i] > limit) {
    for (int k = 0; k < length; ++k)
      children[k * n + i] = genes[k * n + i];
    origin[i] = 0;
    return;
  }
  unsigned state = seeds[i];
  int parents[2];
  for (int p = 0; p < 2; ++p) {
    int winner = (int)(next_random(state) % (unsigned)n);
    for (int round = 0; round < 3; ++round) {
      const int other = (int)(next_random(state) % (unsigned)n);
      if (fitness[other] > fitness[winner])
        winner = other;
    }
    parents[p] = winner;
  }
  const int a = parents[0], b = parents[1];
  const unsigned way = next_random(state) % 10u;
  if (way < 4) {
    const int cut = (int)(next_random(state) % (unsigned)length);
    for (int k = 0; k < length; ++k)
      children[k * n + i] = k < cut ? genes[k * n + a] : genes[k * n + b];
    origin[i] = 1;
  } else if (way < 7) {
    int first = (int)(next_random(state) % (unsigned)length), second = (int)(next_random(state) % (unsigned)length);
    if (first > second) {
      const int swap = first;
      first = second;
      second = swap;
    }
    for (int k = 0; k < length; ++k)
      children[k * n + i] = k >= first && k < second ? genes[k * n + b] : genes[k * n + a];
    origin[i] = 2;
  } else if (way < 9) {
    unsigned bits = next_random(state);
    for (int k = 0; k < length; ++k, bits = bits >> 1 | bits << 31)
      children[k * n + i] = bits & 1 ? genes[k * n + a] : genes[k * n + b];
    origin[i] = 3;
  } else {
    for (int k = 0; k < length; ++k)
      children[k * n + i] = (genes[k * n + a] + genes[k * n + b]) / 2;
    origin[i] = 4;
  }
  if (a == b || next_random(state) % 4u == 0) {
    int changes = 1 + (int)(next_random(state) & 3u);
    for (; changes > 0; --changes) {
      const int k = (int)(next_random(state) % (unsigned)length);
      if (next_random(state) & 1)
        children[k * n + i] = (int)(next_random(state) % 100u);
      else
        children[k * n + i] = min(99, children[k * n + i] + 1);
    }
    origin[i] |= 16;
  }
}
