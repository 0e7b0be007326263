// Pictures: filters with borders, colours, cameras.
#include <hip/hip_runtime.h>

__device__ static int clamp_to(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

// Median of nine: a network inside, a copy at the border.
extern "C" __global__ void median_nine(unsigned char *out, const unsigned char *in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = in[i];
    return;
  }
  int v[9];
  for (int k = 0; k < 9; ++k)
    v[k] = in[i + (k / 3 - 1) * width + k % 3 - 1];
  for (int a = 0; a < 5; ++a)
    for (int b = a + 1; b < 9; ++b)
      if (v[b] < v[a]) {
        const int swap = v[a];
        v[a] = v[b];
        v[b] = swap;
      }
  out[i] = v[4];
}

// Bilateral filter: neighbours outside or too different do not count.
extern "C" __global__ void bilateral(float *out, const float *in, int width, int height, float range) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float here = in[y * width + x];
  float sum = 0, weights = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int u = x + dx, v = y + dy;
      if (u < 0 || v < 0 || u >= width || v >= height)
        continue;
      const float there = in[v * width + u], difference = fabsf(there - here);
      if (difference > range)
        continue;
      const float weight = (1.0f - difference / range) / (float)(1 + dx * dx + dy * dy);
      sum += weight * there;
      weights += weight;
    }
  out[y * width + x] = sum / weights;
}

// Gradient and its direction in four classes.
extern "C" __global__ void sobel_direction(float *magnitude, unsigned char *direction, const float *in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) {
    magnitude[i] = 0;
    return;
  }
  const float a = in[i - width - 1], b = in[i - width], c = in[i - width + 1], d = in[i - 1], e = in[i + 1];
  const float f = in[i + width - 1], g = in[i + width], h = in[i + width + 1];
  const float gx = c + 2 * e + h - a - 2 * d - f, gy = f + 2 * g + h - a - 2 * b - c;
  magnitude[i] = sqrtf(gx * gx + gy * gy);
  const float ax = fabsf(gx), ay = fabsf(gy);
  if (ay < 0.41421f * ax)
    direction[i] = 0;
  else if (ax < 0.41421f * ay)
    direction[i] = 2;
  else
    direction[i] = (gx > 0) == (gy > 0) ? 1 : 3;
}

// Thins edges: a pixel must be larger than its two neighbours along the direction.
extern "C" __global__ void thin_edges(unsigned char *edges, const float *magnitude, const unsigned char *direction, float low,
                                      float high, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  const int i = y * width + x;
  const float m = magnitude[i];
  float p, q;
  switch (direction[i]) {
  case 0:
    p = magnitude[i - 1];
    q = magnitude[i + 1];
    break;
  case 1:
    p = magnitude[i - width - 1];
    q = magnitude[i + width + 1];
    break;
  case 2:
    p = magnitude[i - width];
    q = magnitude[i + width];
    break;
  default:
    p = magnitude[i - width + 1];
    q = magnitude[i + width - 1];
  }
  if (m > p && m >= q) {
    if (m > high)
      edges[i] = 255;
    else if (m > low)
      edges[i] = 128;
  }
}

// Colours from a sensor with one colour a pixel: the formula depends on the parity of the position.
extern "C" __global__ void demosaic(float *red, float *green, float *blue, const float *raw, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  const int i = y * width + x;
  const float here = raw[i];
  const float cross = 0.25f * (raw[i - 1] + raw[i + 1] + raw[i - width] + raw[i + width]);
  const float corners = 0.25f * (raw[i - width - 1] + raw[i - width + 1] + raw[i + width - 1] + raw[i + width + 1]);
  const float across = 0.5f * (raw[i - 1] + raw[i + 1]), along = 0.5f * (raw[i - width] + raw[i + width]);
  if (y % 2 == 0) {
    if (x % 2 == 0) {
      red[i] = here;
      green[i] = cross;
      blue[i] = corners;
    } else {
      red[i] = across;
      green[i] = here;
      blue[i] = along;
    }
  } else {
    if (x % 2 == 0) {
      red[i] = along;
      green[i] = here;
      blue[i] = across;
    } else {
      red[i] = corners;
      green[i] = cross;
      blue[i] = here;
    }
  }
}

// Demosaicing that follows edges: interpolates in the direction of the smaller gradient.
extern "C" __global__ void demosaic_edges(float *green, const float *raw, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2)
    return;
  const int i = y * width + x;
  if ((x + y) % 2 == 1) {
    green[i] = raw[i];
    return;
  }
  const float horizontal = fabsf(raw[i - 1] - raw[i + 1]) + fabsf(2 * raw[i] - raw[i - 2] - raw[i + 2]);
  const float vertical = fabsf(raw[i - width] - raw[i + width]) + fabsf(2 * raw[i] - raw[i - 2 * width] - raw[i + 2 * width]);
  if (horizontal < vertical)
    green[i] = 0.5f * (raw[i - 1] + raw[i + 1]) + 0.25f * (2 * raw[i] - raw[i - 2] - raw[i + 2]);
  else if (vertical < horizontal)
    green[i] = 0.5f * (raw[i - width] + raw[i + width]) + 0.25f * (2 * raw[i] - raw[i - 2 * width] - raw[i + 2 * width]);
  else
    green[i] = 0.25f * (raw[i - 1] + raw[i + 1] + raw[i - width] + raw[i + width]);
}

// Hue, saturation, value from red, green, blue: by which is the largest.
extern "C" __global__ void rgb_to_hsv(float *hsv, const float *rgb, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  const float high = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), delta = high - low;
  float hue = 0;
  if (delta > 0) {
    if (high == r)
      hue = 60.0f * (g - b) / delta;
    else if (high == g)
      hue = 60.0f * (b - r) / delta + 120.0f;
    else
      hue = 60.0f * (r - g) / delta + 240.0f;
    if (hue < 0)
      hue += 360.0f;
  }
  hsv[3 * i] = hue;
  hsv[3 * i + 1] = high > 0 ? delta / high : 0.0f;
  hsv[3 * i + 2] = high;
}

// And back: by the sixth of the circle.
extern "C" __global__ void hsv_to_rgb(float *rgb, const float *hsv, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float h = hsv[3 * i] / 60.0f, s = hsv[3 * i + 1], v = hsv[3 * i + 2];
  const int sector = (int)h;
  const float f = h - (float)sector, p = v * (1 - s), q = v * (1 - s * f), t = v * (1 - s * (1 - f));
  float r, g, b;
  switch (sector) {
  case 0:
    r = v, g = t, b = p;
    break;
  case 1:
    r = q, g = v, b = p;
    break;
  case 2:
    r = p, g = v, b = t;
    break;
  case 3:
    r = p, g = q, b = v;
    break;
  case 4:
    r = t, g = p, b = v;
    break;
  default:
    r = v, g = p, b = q;
  }
  rgb[3 * i] = r;
  rgb[3 * i + 1] = g;
  rgb[3 * i + 2] = b;
}

// Transfer function of displays: linear near black, a power above.
extern "C" __global__ void srgb_encode(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float c = in[i];
  if (c <= 0.0031308f)
    out[i] = 12.92f * c;
  else
    out[i] = 1.055f * __powf(c, 1.0f / 2.4f) - 0.055f;
}

// Blends layers: the formula depends on the layer's mode and on the value below.
extern "C" __global__ void blend_layers(float *out, const float *below, const float *above, const unsigned char *mode, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float b = below[i], a = above[i];
  float c;
  switch (mode[i]) {
  case 0: // multiply
    c = a * b;
    break;
  case 1: // screen
    c = 1 - (1 - a) * (1 - b);
    break;
  case 2: // overlay
    if (b < 0.5f)
      c = 2 * a * b;
    else
      c = 1 - 2 * (1 - a) * (1 - b);
    break;
  case 3: // soft light
    if (a < 0.5f)
      c = b - (1 - 2 * a) * b * (1 - b);
    else
      c = b + (2 * a - 1) * (sqrtf(b) - b);
    break;
  default:
    c = a;
  }
  out[i] = c;
}

// Bicubic sample at a position that may be near the border, where it is bilinear, or outside.
extern "C" __global__ void rotate_bicubic(float *out, const float *in, float cosine, float sine, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float cx = 0.5f * (float)width, cy = 0.5f * (float)height;
  const float sx = cosine * ((float)x - cx) - sine * ((float)y - cy) + cx, sy = sine * ((float)x - cx) + cosine * ((float)y - cy) + cy;
  const int u = (int)floorf(sx), v = (int)floorf(sy);
  const float fx = sx - (float)u, fy = sy - (float)v;
  float value = 0;
  if (u >= 1 && v >= 1 && u < width - 2 && v < height - 2) {
    for (int dy = -1; dy <= 2; ++dy) {
      const float *row = in + (v + dy) * width + u;
      const float a = row[-1], b = row[0], c = row[1], d = row[2];
      const float p = b + 0.5f * fx * (c - a + fx * (2 * a - 5 * b + 4 * c - d + fx * (3 * (b - c) + d - a)));
      const float t = fabsf((float)dy - fy);
      value += p * (t < 1 ? 1 - 2.5f * t * t + 1.5f * t * t * t : 2 - 4 * t + 2.5f * t * t - 0.5f * t * t * t);
    }
  } else if (u >= 0 && v >= 0 && u < width - 1 && v < height - 1) {
    const float *row = in + v * width + u;
    value = (1 - fy) * ((1 - fx) * row[0] + fx * row[1]) + fy * ((1 - fx) * row[width] + fx * row[width + 1]);
  }
  out[y * width + x] = value;
}

// Blur that mirrors at the border, in rows.
extern "C" __global__ void blur_mirror(float *out, const float *in, const float *weights, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int k = -3; k <= 3; ++k) {
    int u = x + k;
    if (u < 0)
      u = -u;
    else if (u >= width)
      u = 2 * width - 2 - u;
    sum += weights[k + 3] * in[y * width + u];
  }
  out[y * width + x] = sum;
}

// Threshold by the mean of the surroundings, cut at the border.
extern "C" __global__ void adaptive_threshold(unsigned char *out, const unsigned char *in, int radius, int bias, int width,
                                              int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int left = max(0, x - radius), right = min(width - 1, x + radius);
  const int top = max(0, y - radius), bottom = min(height - 1, y + radius);
  int sum = 0;
  for (int v = top; v <= bottom; ++v)
    for (int u = left; u <= right; ++u)
      sum += in[v * width + u];
  const int area = (right - left + 1) * (bottom - top + 1);
  out[y * width + x] = in[y * width + x] * area > sum - bias * area ? 255 : 0;
}

// Erosion and dilation in one pass, by a mask that says which.
extern "C" __global__ void morphology(unsigned char *out, const unsigned char *in, const unsigned char *dilate, int width,
                                      int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  int value = in[i];
  if (dilate[i]) {
    if (x > 0)
      value = max(value, (int)in[i - 1]);
    if (x < width - 1)
      value = max(value, (int)in[i + 1]);
    if (y > 0)
      value = max(value, (int)in[i - width]);
    if (y < height - 1)
      value = max(value, (int)in[i + width]);
  } else {
    if (x > 0)
      value = min(value, (int)in[i - 1]);
    if (x < width - 1)
      value = min(value, (int)in[i + 1]);
    if (y > 0)
      value = min(value, (int)in[i - width]);
    if (y < height - 1)
      value = min(value, (int)in[i + width]);
  }
  out[i] = value;
}

// Quantises coefficients with a dead zone and counts what is not zero.
extern "C" __global__ void quantise_deadzone(short *out, int *nonzero, const float *in, const float *steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float value = in[i], step = steps[i % 64];
  short q = 0;
  if (value > 0.6f * step)
    q = (short)(value / step + 0.4f);
  else if (value < -0.6f * step)
    q = (short)-(short)(-value / step + 0.4f);
  out[i] = q;
  if (q != 0)
    atomicAdd(&nonzero[i / 64], 1);
}

// High dynamic range to display range: three segments of a film curve.
extern "C" __global__ void film_curve(float *out, const float *in, float exposure, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = exposure * in[i];
  float y;
  if (x < 0.2f)
    y = 1.5f * x * x + 0.4f * x;
  else if (x < 0.7f)
    y = 1.0f * x - 0.06f;
  else
    y = 1.0f - 0.252f / (x + 0.0001f) * 0.7f / (x + 0.0001f) * x;
  out[i] = y;
}

// Undoes the distortion of a lens; what comes from outside is black.
extern "C" __global__ void undistort(unsigned char *out, const unsigned char *in, float k1, float k2, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float nx = 2.0f * (float)x / (float)width - 1, ny = 2.0f * (float)y / (float)height - 1;
  const float r = nx * nx + ny * ny, factor = 1 + k1 * r + k2 * r * r;
  const float sx = (nx * factor + 1) * 0.5f * (float)width, sy = (ny * factor + 1) * 0.5f * (float)height;
  if (sx < 0 || sy < 0 || sx >= (float)(width - 1) || sy >= (float)(height - 1)) {
    out[y * width + x] = 0;
    return;
  }
  const int u = (int)sx, v = (int)sy;
  const int fx = (int)((sx - (float)u) * 256), fy = (int)((sy - (float)v) * 256);
  const unsigned char *row = in + v * width + u;
  const int above = row[0] * (256 - fx) + row[1] * fx, below = row[width] * (256 - fx) + row[width + 1] * fx;
  out[y * width + x] = (above * (256 - fy) + below * fy) >> 16;
}

// Luma and chroma in limited range with clamping; chroma only of every fourth pixel.
extern "C" __global__ void yuv_subsampled(unsigned char *luma, unsigned char *chroma, const unsigned char *rgb, int width,
                                          int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const unsigned char *p = rgb + 3 * (y * width + x);
  const int r = p[0], g = p[1], b = p[2];
  luma[y * width + x] = clamp_to(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16, 16, 235);
  if (x % 2 == 0 && y % 2 == 0) {
    const int at = 2 * (y / 2 * ((width + 1) / 2) + x / 2);
    chroma[at] = clamp_to(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128, 16, 240);
    chroma[at + 1] = clamp_to(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128, 16, 240);
  }
}
