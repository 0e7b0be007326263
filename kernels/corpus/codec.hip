// Moving pictures: prediction, deblocking, motion, entropy.
#include <hip/hip_runtime.h>

__device__ static int clip(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

// Predicts blocks of 4 by 4 from their neighbours by the block's mode, a pixel a thread.
extern "C" __global__ void predict_blocks(unsigned char *out, const unsigned char *above, const unsigned char *left,
                                          const unsigned char *mode, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int block = i / 16, x = i % 4, y = i / 4 % 4;
  const unsigned char *a = above + 8 * block, *l = left + 4 * block;
  int v;
  switch (mode[block]) {
  case 0:
    v = a[x];
    break;
  case 1:
    v = l[y];
    break;
  case 2:
    v = (a[0] + a[1] + a[2] + a[3] + l[0] + l[1] + l[2] + l[3] + 4) >> 3;
    break;
  case 3:
    if (x == 3 && y == 3)
      v = (a[6] + 3 * a[7] + 2) >> 2;
    else
      v = (a[x + y] + 2 * a[x + y + 1] + a[x + y + 2] + 2) >> 2;
    break;
  default:
    if (x + 2 * y > 5)
      v = l[3];
    else if (x + 2 * y == 5)
      v = (l[2] + 3 * l[3] + 2) >> 2;
    else {
      const int k = (x + 2 * y) >> 1;
      if (x & 1)
        v = (l[k] + 2 * l[k + 1] + l[min(k + 2, 3)] + 2) >> 2;
      else
        v = (l[k] + l[k + 1] + 1) >> 1;
    }
  }
  out[i] = v;
}

// Deblocks an edge: strong, normal or not at all, by the strength of the edge and by the pixels.
extern "C" __global__ void deblock_edges(unsigned char *pixels, const unsigned char *strength, int alpha, int beta, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int s = strength[i / 4];
  if (s == 0)
    return;
  unsigned char *p = pixels + 8 * i;
  const int p2 = p[1], p1 = p[2], p0 = p[3], q0 = p[4], q1 = p[5], q2 = p[6];
  if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta)
    return;
  if (s == 4) {
    const bool small = abs(p0 - q0) < (alpha >> 2) + 2;
    if (small && abs(p2 - p0) < beta) {
      p[3] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
      p[2] = (p2 + p1 + p0 + q0 + 2) >> 2;
    } else
      p[3] = (2 * p1 + p0 + q1 + 2) >> 2;
    if (small && abs(q2 - q0) < beta) {
      p[4] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
      p[5] = (p0 + q0 + q1 + q2 + 2) >> 2;
    } else
      p[4] = (2 * q1 + q0 + p1 + 2) >> 2;
  } else {
    int most = s + 1;
    if (abs(p2 - p0) < beta) {
      p[2] = p1 + clip((p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1, -s, s);
      ++most;
    }
    if (abs(q2 - q0) < beta) {
      p[5] = q1 + clip((q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1, -s, s);
      ++most;
    }
    const int delta = clip((4 * (q0 - p0) + (p1 - q1) + 4) >> 3, -most, most);
    p[3] = clip(p0 + delta, 0, 255);
    p[4] = clip(q0 - delta, 0, 255);
  }
}

// Samples between pixels: whole, half across, half along, or both.
extern "C" __global__ void interpolate_motion(unsigned char *out, const unsigned char *in, const signed char *vectors, int width,
                                              int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int block = y / 8 * ((width + 7) / 8) + x / 8;
  const int mx = vectors[2 * block], my = vectors[2 * block + 1];
  const int u = clip(x + (mx >> 1), 0, width - 2), v = clip(y + (my >> 1), 0, height - 2);
  const unsigned char *p = in + v * width + u;
  int value;
  if (mx & 1) {
    if (my & 1)
      value = (p[0] + p[1] + p[width] + p[width + 1] + 2) >> 2;
    else
      value = (p[0] + p[1] + 1) >> 1;
  } else {
    if (my & 1)
      value = (p[0] + p[width] + 1) >> 1;
    else
      value = p[0];
  }
  out[y * width + x] = value;
}

// The best displacement of a block by a diamond: steps to the best neighbour until none is better.
extern "C" __global__ void search_motion(int *best, const unsigned char *now, const unsigned char *before, int width, int height,
                                         int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks)
    return;
  const int across = width / 4, bx = i % across * 4, by = i / across * 4;
  int mx = 0, my = 0, least = 0x7fffffff;
  for (int step = 0; step < 6; ++step) {
    int nx = mx, ny = my;
    const int dx[5] = {0, 1, -1, 0, 0}, dy[5] = {0, 0, 0, 1, -1};
    for (int k = step == 0 ? 0 : 1; k < 5; ++k) {
      const int u = bx + mx + dx[k], v = by + my + dy[k];
      if (u < 0 || v < 0 || u + 4 > width || v + 4 > height)
        continue;
      int sum = 0;
      for (int y = 0; y < 4 && sum < least; ++y)
        for (int x = 0; x < 4; ++x)
          sum += abs(now[(by + y) * width + bx + x] - before[(v + y) * width + u + x]);
      if (sum < least) {
        least = sum;
        nx = mx + dx[k];
        ny = my + dy[k];
      }
    }
    if (step > 0 && nx == mx && ny == my)
      break;
    mx = nx;
    my = ny;
  }
  best[i] = least << 8 | (mx + 8) << 4 | (my + 8);
}

// Binary arithmetic decoding with an adaptive probability: the likely symbol or the other one, then renormalisation.
extern "C" __global__ void decode_bins(unsigned *symbols, const unsigned char *data, int bytes, int bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned range = 510, value = (data[i] << 8 | data[n + i]) >> 7, result = 0;
  int at = 2, state = 40, likely = 0, left = 7;
  unsigned rest = data[n + i] & 127;
  for (int k = 0; k < bins; ++k) {
    const unsigned split = range * (unsigned)(72 - state) / 160 + 2;
    range -= split;
    int bin;
    if (value < range) {
      bin = likely;
      if (state < 62)
        ++state;
    } else {
      bin = 1 - likely;
      value -= range;
      range = split;
      if (state == 0)
        likely = 1 - likely;
      else
        state -= state > 8 ? 4 : 1;
    }
    while (range < 256) {
      if (left == 0) {
        rest = at < bytes ? data[at * n + i] : 0;
        ++at;
        left = 8;
      }
      range <<= 1;
      value = value << 1 | (rest >> --left & 1);
    }
    result = (result << 1 | bin) ^ result >> 31;
  }
  symbols[i] = result;
}

// Coefficients back from levels: the first by another step than the rest, clipped, in zigzag order.
extern "C" __global__ void rescale_levels(short *out, const short *levels, const unsigned char *order, const int *quality, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int block = i / 16, k = i % 16, q = quality[block], level = levels[i];
  int value;
  if (k == 0) {
    if (q >= 12)
      value = level * 16 << (q / 6 - 2);
    else
      value = (level * 16 + (1 << (1 - q / 6))) >> (2 - q / 6);
  } else {
    const int weight = k & 1 ? 13 : 18;
    if (q >= 24)
      value = level * weight << (q / 6 - 4);
    else
      value = (level * weight + (1 << (3 - q / 6))) >> (4 - q / 6);
  }
  out[block * 16 + order[k]] = clip(value, -32768, 32767);
}

// Sample-adaptive offsets: by the class of an edge, or by the band of the value.
extern "C" __global__ void adaptive_offsets(unsigned char *out, const unsigned char *in, const unsigned char *kind,
                                            const signed char *offsets, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x, block = y / 16 * ((width + 15) / 16) + x / 16, v = in[i];
  int offset = 0;
  if (kind[block] == 1) {
    if (x > 0 && x < width - 1) {
      const int c = (v > in[i - 1]) - (v < in[i - 1]) + (v > in[i + 1]) - (v < in[i + 1]);
      offset = offsets[block * 5 + c + 2];
    }
  } else if (kind[block] == 2) {
    if (y > 0 && y < height - 1) {
      const int c = (v > in[i - width]) - (v < in[i - width]) + (v > in[i + width]) - (v < in[i + width]);
      offset = offsets[block * 5 + c + 2];
    }
  } else if (kind[block] == 3) {
    const int band = (v >> 3) - 8;
    if (band >= 0 && band < 5)
      offset = offsets[block * 5 + band];
  }
  out[i] = clip(v + offset, 0, 255);
}

// Exponential Golomb codes, signed or not by the field, a message a thread.
extern "C" __global__ void golomb_fields(int *values, const unsigned *bits, const unsigned char *is_signed, int words, int fields, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = 0;
  for (int f = 0; f < fields; ++f) {
    int zeros = 0;
    while (at < 32 * words && zeros < 12 && !(bits[at / 32 * n + i] >> (31 - at % 32) & 1)) {
      ++zeros;
      ++at;
    }
    int code = 0;
    for (int k = 0; k <= zeros && at < 32 * words; ++k, ++at)
      code = code << 1 | (bits[at / 32 * n + i] >> (31 - at % 32) & 1);
    --code;
    if (is_signed[f])
      values[f * n + i] = code & 1 ? (code + 1) / 2 : -(code / 2);
    else
      values[f * n + i] = code;
  }
}
