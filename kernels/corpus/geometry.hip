// Geometry: predicates, clipping, polygons, rotations.
#include <hip/hip_runtime.h>

// Side of a line with a filter: where rounding might decide, the determinant is computed again in double precision.
extern "C" __global__ void orientation(signed char *side, const float *points, const float *line, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float ax = line[0], ay = line[1], bx = line[2], by = line[3], px = points[2 * i], py = points[2 * i + 1];
  const float l = (ax - px) * (by - py), r = (ay - py) * (bx - px), d = l - r;
  if (fabsf(d) > 4e-7f * (fabsf(l) + fabsf(r)))
    side[i] = d > 0 ? 1 : -1;
  else {
    const double e = ((double)ax - px) * ((double)by - py) - ((double)ay - py) * ((double)bx - px);
    side[i] = e > 0 ? 1 : e < 0 ? -1 : 0;
  }
}

// Points in a polygon by crossings.
extern "C" __global__ void in_polygon(unsigned char *inside, const float *points, const float *polygon, int corners, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = points[2 * i], y = points[2 * i + 1];
  bool in = false;
  for (int k = 0, j = corners - 1; k < corners; j = k++) {
    const float yk = polygon[2 * k + 1], yj = polygon[2 * j + 1];
    if ((yk > y) != (yj > y)) {
      const float xk = polygon[2 * k], xj = polygon[2 * j];
      if (x < (xj - xk) * (y - yk) / (yj - yk) + xk)
        in = !in;
    }
  }
  inside[i] = in;
}

// Clips lines at a window, side after side.
extern "C" __global__ void clip_lines(float *clipped, unsigned char *visible, const float *lines, float low, float high, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x0 = lines[4 * i], y0 = lines[4 * i + 1], x1 = lines[4 * i + 2], y1 = lines[4 * i + 3];
  unsigned char result = 0;
  for (int k = 0; k < 5; ++k) {
    const int a = (x0 < low) | (x0 > high) << 1 | (y0 < low) << 2 | (y0 > high) << 3;
    const int b = (x1 < low) | (x1 > high) << 1 | (y1 < low) << 2 | (y1 > high) << 3;
    if ((a | b) == 0) {
      result = 1;
      break;
    }
    if (a & b)
      break;
    const int outside = a ? a : b;
    float x, y;
    if (outside & 8) {
      x = x0 + (x1 - x0) * (high - y0) / (y1 - y0);
      y = high;
    } else if (outside & 4) {
      x = x0 + (x1 - x0) * (low - y0) / (y1 - y0);
      y = low;
    } else if (outside & 2) {
      y = y0 + (y1 - y0) * (high - x0) / (x1 - x0);
      x = high;
    } else {
      y = y0 + (y1 - y0) * (low - x0) / (x1 - x0);
      x = low;
    }
    if (outside == a) {
      x0 = x;
      y0 = y;
    } else {
      x1 = x;
      y1 = y;
    }
  }
  clipped[4 * i] = x0;
  clipped[4 * i + 1] = y0;
  clipped[4 * i + 2] = x1;
  clipped[4 * i + 3] = y1;
  visible[i] = result;
}

// Do segments cross? Collinear ones need another test.
extern "C" __global__ void segments_cross(unsigned char *crosses, const float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float ax = a[4 * i], ay = a[4 * i + 1], bx = a[4 * i + 2], by = a[4 * i + 3];
  const float cx = b[4 * i], cy = b[4 * i + 1], dx = b[4 * i + 2], dy = b[4 * i + 3];
  const float p = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax), q = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax);
  const float r = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx), s = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx);
  unsigned char result;
  if (p == 0 && q == 0)
    result = fmaxf(fminf(ax, bx), fminf(cx, dx)) <= fminf(fmaxf(ax, bx), fmaxf(cx, dx)) &&
             fmaxf(fminf(ay, by), fminf(cy, dy)) <= fminf(fmaxf(ay, by), fmaxf(cy, dy));
  else
    result = (p > 0) != (q > 0) && (r > 0) != (s > 0);
  crosses[i] = result;
}

// Nearest point of a triangle: corner, edge or inside.
extern "C" __global__ void nearest_on_triangle(float *nearest, const float *points, const float *triangle, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float px = points[2 * i], py = points[2 * i + 1];
  const float ax = triangle[0], ay = triangle[1], bx = triangle[2], by = triangle[3], cx = triangle[4], cy = triangle[5];
  const float abx = bx - ax, aby = by - ay, acx = cx - ax, acy = cy - ay, apx = px - ax, apy = py - ay;
  const float d1 = abx * apx + aby * apy, d2 = acx * apx + acy * apy;
  float x, y;
  if (d1 <= 0 && d2 <= 0) {
    x = ax;
    y = ay;
  } else {
    const float d3 = abx * (px - bx) + aby * (py - by), d4 = acx * (px - bx) + acy * (py - by);
    const float d5 = abx * (px - cx) + aby * (py - cy), d6 = acx * (px - cx) + acy * (py - cy);
    const float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d3 >= 0 && d4 <= d3) {
      x = bx;
      y = by;
    } else if (d6 >= 0 && d5 <= d6) {
      x = cx;
      y = cy;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
      const float v = d1 / (d1 - d3);
      x = ax + v * abx;
      y = ay + v * aby;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
      const float v = d2 / (d2 - d6);
      x = ax + v * acx;
      y = ay + v * acy;
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
      const float v = (d4 - d3) / (d4 - d3 + d5 - d6);
      x = bx + v * (cx - bx);
      y = by + v * (cy - by);
    } else {
      x = px;
      y = py;
    }
  }
  nearest[2 * i] = x;
  nearest[2 * i + 1] = y;
}

// Marching squares: end points of the contour by the case of the cell.
extern "C" __global__ void marching_squares(float *segments, const float *field, float level, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width - 1 || y >= height - 1)
    return;
  const float a = field[y * width + x], b = field[y * width + x + 1], c = field[(y + 1) * width + x + 1],
              d = field[(y + 1) * width + x];
  const int kind = (a > level) | (b > level) << 1 | (c > level) << 2 | (d > level) << 3;
  if (kind == 0 || kind == 15)
    return;
  const float top = (level - a) / (b - a), right = (level - b) / (c - b), bottom = (level - d) / (c - d), left = (level - a) / (d - a);
  float x0, y0, x1, y1;
  switch (kind <= 7 ? kind : 15 - kind) {
  case 1:
    x0 = top, y0 = 0, x1 = 0, y1 = left;
    break;
  case 2:
    x0 = top, y0 = 0, x1 = 1, y1 = right;
    break;
  case 3:
    x0 = 0, y0 = left, x1 = 1, y1 = right;
    break;
  case 4:
    x0 = 1, y0 = right, x1 = bottom, y1 = 1;
    break;
  case 5:
    x0 = top, y0 = 0, x1 = 1, y1 = right;
    break;
  case 6:
    x0 = top, y0 = 0, x1 = bottom, y1 = 1;
    break;
  default:
    x0 = 0, y0 = left, x1 = bottom, y1 = 1;
  }
  float *out = segments + 4 * (y * width + x);
  out[0] = (float)x + x0;
  out[1] = (float)y + y0;
  out[2] = (float)x + x1;
  out[3] = (float)y + y1;
}

// Between two rotations: along the great circle, or straight where they are close, the short way round.
extern "C" __global__ void slerp(float *out, const float *a, const float *b, const float *fraction, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float dot = 0, sign = 1;
  for (int k = 0; k < 4; ++k)
    dot += a[4 * i + k] * b[4 * i + k];
  if (dot < 0) {
    dot = -dot;
    sign = -1;
  }
  const float t = fraction[i];
  float u, v;
  if (dot > 0.995f) {
    u = 1 - t;
    v = t;
  } else {
    const float angle = sqrtf(2 * (1 - dot)) * (1 + (1 - dot) * 0.0833f), inverse = 1 / __sinf(angle);
    u = __sinf((1 - t) * angle) * inverse;
    v = __sinf(t * angle) * inverse;
  }
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = u * a[4 * i + k] + sign * v * b[4 * i + k];
}

// A rotation's quaternion by the largest element of the diagonal.
extern "C" __global__ void matrix_to_quaternion(float *q, const float *m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *r = m + 9 * i;
  const float trace = r[0] + r[4] + r[8];
  float w, x, y, z;
  if (trace > 0) {
    const float s = 0.5f / sqrtf(trace + 1.0f);
    w = 0.25f / s;
    x = (r[7] - r[5]) * s;
    y = (r[2] - r[6]) * s;
    z = (r[3] - r[1]) * s;
  } else if (r[0] > r[4] && r[0] > r[8]) {
    const float s = 2.0f * sqrtf(1.0f + r[0] - r[4] - r[8]);
    w = (r[7] - r[5]) / s;
    x = 0.25f * s;
    y = (r[1] + r[3]) / s;
    z = (r[2] + r[6]) / s;
  } else if (r[4] > r[8]) {
    const float s = 2.0f * sqrtf(1.0f + r[4] - r[0] - r[8]);
    w = (r[2] - r[6]) / s;
    x = (r[1] + r[3]) / s;
    y = 0.25f * s;
    z = (r[5] + r[7]) / s;
  } else {
    const float s = 2.0f * sqrtf(1.0f + r[8] - r[0] - r[4]);
    w = (r[3] - r[1]) / s;
    x = (r[2] + r[6]) / s;
    y = (r[5] + r[7]) / s;
    z = 0.25f * s;
  }
  q[4 * i] = w;
  q[4 * i + 1] = x;
  q[4 * i + 2] = y;
  q[4 * i + 3] = z;
}

// Overlap of boxes on an axis-by-axis basis, with a report of the axis of least overlap.
extern "C" __global__ void box_overlap(signed char *axis, float *depth, const float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float least = 1e30f;
  int best = -1;
  for (int k = 0; k < 3; ++k) {
    const float d = b[6 * i + k] - a[6 * i + k];
    const float o = a[6 * i + 3 + k] + b[6 * i + 3 + k] - fabsf(d);
    if (o <= 0) {
      best = -1;
      least = 0;
      break;
    }
    if (o < least) {
      least = o;
      best = d > 0 ? 2 * k : 2 * k + 1;
    }
  }
  axis[i] = best;
  depth[i] = least;
}
