// Video and cameras: filters as players, editors and vision libraries have them.

// Lines of one field stay. Between them, the direction that matches best is interpolated, bounded by the other times.
kernel void deinterlace_edges(global uchar *out, global const uchar *before, global const uchar *now, global const uchar *after, int parity,
                              int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  const int i = mad24(y, width, x);
  if ((y & 1) == parity || y == 0 || y == height - 1) {
    out[i] = now[i];
    return;
  }
  global const uchar *above = now + i - width, *below = now + i + width;
  int guess = (above[0] + below[0]) >> 1;
  if (x >= 3 && x < width - 3) {
    int score = abs_diff(above[-1], below[-1]) + abs_diff(above[0], below[0]) + abs_diff(above[1], below[1]) - 1;
    for (int side = -1; side <= 1; side += 2)
      for (int step = 1; step <= 2; ++step) {
        const int d = side * step;
        const int other = abs_diff(above[d - 1], below[-d - 1]) + abs_diff(above[d], below[-d]) + abs_diff(above[d + 1], below[1 - d]);
        if (other >= score)
          break;
        score = other;
        guess = (above[d] + below[-d]) >> 1;
      }
  }
  const int middle = (before[i] + after[i]) >> 1;
  const int motion = max(abs_diff(before[i], after[i]) >> 1, 4);
  if (guess > middle + motion)
    guess = middle + motion;
  else if (guess < middle - motion)
    guess = middle - motion;
  out[i] = convert_uchar_sat(guess);
}

// Chroma key: transparent near the key's colour, then a soft edge without its spill, then as it is.
kernel void chroma_key(global uchar4 *out, global const uchar4 *in, float key_u, float key_v, float near, float far, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float4 p = convert_float4(in[i]) / 255.0f;
  const float u = dot(p.xyz, (float3)(-0.169f, -0.331f, 0.5f)), v = dot(p.xyz, (float3)(0.5f, -0.419f, -0.081f));
  const float d = distance((float2)(u, v), (float2)(key_u, key_v));
  if (d < near) {
    out[i] = (uchar4)(0);
  } else if (d < far) {
    const float a = smoothstep(near, far, d);
    float4 q = p;
    q.y = min(q.y, 0.5f * (q.x + q.z));
    q.w *= a;
    out[i] = convert_uchar4_sat_rte(q * 255.0f);
  } else {
    out[i] = in[i];
  }
}

// A logo over a picture: straight alpha inside of its frame, a shadow beside it, elsewhere the picture.
kernel void overlay_logo(global uchar4 *out, global const uchar4 *picture, global const uchar4 *logo, int width, int height, int left, int top,
                         int logo_width, int logo_height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  const uchar4 below = picture[y * width + x];
  const int u = x - left, v = y - top;
  if (u >= 0 && v >= 0 && u < logo_width && v < logo_height) {
    const uchar4 over = logo[v * logo_width + u];
    const ushort a = over.w;
    const ushort4 sum = convert_ushort4(over) * a + convert_ushort4(below) * (ushort)(255 - a);
    out[y * width + x] = convert_uchar4_sat((sum + (ushort4)(127)) / (ushort4)(255));
  } else if (u >= 2 && v >= 2 && u < logo_width + 4 && v < logo_height + 4) {
    out[y * width + x] = below - (below >> (uchar4)(2));
  } else {
    out[y * width + x] = below;
  }
}

static float from_hlg(float x) { return x <= 0.5f ? x * x / 3.0f : (native_exp((x - 0.5599107f) / 0.1788328f) + 0.2846689f) / 12.0f; }
static float to_srgb(float x) { return x <= 0.0031308f ? 12.92f * x : 1.055f * powr(x, 1.0f / 2.4f) - 0.055f; }
static float hable(float x) { return (x * (0.15f * x + 0.05f) + 0.004f) / (x * (0.15f * x + 0.5f) + 0.06f) - 0.0667f; }

// High dynamic range in half precision to bytes: what is brighter than a threshold loses some of its colour.
kernel void tonemap_hlg(global uchar4 *out, global const half *in, float peak, float threshold, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float4 p = vload_half4(i, in);
  float3 c = peak * (float3)(from_hlg(p.x), from_hlg(p.y), from_hlg(p.z));
  const float luma = dot(c, (float3)(0.2627f, 0.678f, 0.0593f));
  if (luma > threshold) {
    const float grey = native_divide(luma - threshold, luma);
    c = mix(c, (float3)(luma), grey * sqrt(grey));
  }
  const float brightest = max(max(c.x, c.y), max(c.z, 1e-6f));
  c *= hable(brightest) / (hable(peak) * brightest);
  c = clamp(c, 0.0f, 1.0f);
  out[i] = convert_uchar4_sat_rte(255.0f * (float4)(to_srgb(c.x), to_srgb(c.y), to_srgb(c.z), p.w));
}

// A colour table of size³ with tetrahedral interpolation: which of the six tetrahedra, say the fractions' order.
kernel void lut_tetrahedral(global float4 *out, global const float4 *in, global const float4 *table, int size, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float4 p = clamp(in[i], 0.0f, 1.0f) * (float)(size - 1);
  float4 whole;
  const float4 d = fract(p, &whole);
  const int4 low = convert_int4(whole), high = min(low + 1, size - 1);
  const int r0 = low.x * size * size, r1 = high.x * size * size, g0 = low.y * size, g1 = high.y * size, b0 = low.z, b1 = high.z;
  const float4 c000 = table[r0 + g0 + b0], c111 = table[r1 + g1 + b1];
  float4 c;
  if (d.x > d.y) {
    if (d.y > d.z)
      c = (1 - d.x) * c000 + (d.x - d.y) * table[r1 + g0 + b0] + (d.y - d.z) * table[r1 + g1 + b0] + d.z * c111;
    else if (d.x > d.z)
      c = (1 - d.x) * c000 + (d.x - d.z) * table[r1 + g0 + b0] + (d.z - d.y) * table[r1 + g0 + b1] + d.y * c111;
    else
      c = (1 - d.z) * c000 + (d.z - d.x) * table[r0 + g0 + b1] + (d.x - d.y) * table[r1 + g0 + b1] + d.y * c111;
  } else {
    if (d.z > d.y)
      c = (1 - d.z) * c000 + (d.z - d.y) * table[r0 + g0 + b1] + (d.y - d.x) * table[r0 + g1 + b1] + d.x * c111;
    else if (d.z > d.x)
      c = (1 - d.y) * c000 + (d.y - d.z) * table[r0 + g1 + b0] + (d.z - d.x) * table[r0 + g1 + b1] + d.x * c111;
    else
      c = (1 - d.y) * c000 + (d.y - d.x) * table[r0 + g1 + b0] + (d.x - d.z) * table[r1 + g1 + b0] + d.z * c111;
  }
  c.w = in[i].w;
  out[i] = c;
}

// A picture through a map of positions; outside it is mirrored, and far outside there is nothing.
kernel void remap_mirrored(global uchar *out, global const uchar *in, global const float2 *map, int width, int height, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float2 at = map[i];
  if (at.x < -width || at.y < -height || at.x > 2 * width - 2 || at.y > 2 * height - 2) {
    out[i] = 0;
    return;
  }
  if (at.x < 0 || at.x > width - 1)
    at.x = at.x < 0 ? -at.x : 2 * (width - 1) - at.x;
  if (at.y < 0 || at.y > height - 1)
    at.y = at.y < 0 ? -at.y : 2 * (height - 1) - at.y;
  const int x = clamp(convert_int_rtn(at.x), 0, width - 2), y = clamp(convert_int_rtn(at.y), 0, height - 2);
  const float2 f = at - (float2)(x, y);
  const float2 top = convert_float2(vload2(0, in + y * width + x)), bottom = convert_float2(vload2(0, in + (y + 1) * width + x));
  const float2 row = mix(top, bottom, f.y);
  out[i] = convert_uchar_sat_rte(mix(row.x, row.y, f.x));
}

constant int2 RING[16] = {(int2)(0, -3), (int2)(1, -3), (int2)(2, -2), (int2)(3, -1), (int2)(3, 0), (int2)(3, 1), (int2)(2, 2), (int2)(1, 3),
                          (int2)(0, 3), (int2)(-1, 3), (int2)(-2, 2), (int2)(-3, 1), (int2)(-3, 0), (int2)(-3, -1), (int2)(-2, -2), (int2)(-1, -3)};

// Corners: at least nine neighbours on the ring are brighter, or darker. Corners are counted and scored.
kernel void ring_corners(global int *score, global int *count, global const uchar *in, int threshold, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3)
    return;
  const int here = in[y * width + x];
  uint bright = 0, dark = 0;
  for (int k = 0; k < 16; ++k) {
    const int there = in[(y + RING[k].y) * width + x + RING[k].x];
    if (there > here + threshold)
      bright |= 1u << k;
    else if (there < here - threshold)
      dark |= 1u << k;
  }
  const uint either = popcount(bright) >= popcount(dark) ? bright : dark;
  uint run = either | either << 16;
  run &= run >> 1;
  run &= run >> 2;
  run &= run >> 4;
  run &= run >> 1;
  if (run == 0)
    return;
  int sum = 0;
  for (int k = 0; k < 16; ++k)
    if (either >> k & 1)
      sum += abs_diff((int)in[(y + RING[k].y) * width + x + RING[k].x], here) - threshold;
  score[y * width + x] = sum;
  atomic_inc(count);
}

// A step of optical flow by Lucas and Kanade: corners are solved, edges move along their normal, flat places stay.
kernel void flow_step(global float2 *flow, global const float *first, global const float *second, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int u = clamp(x + dx, 1, width - 2), v = clamp(y + dy, 1, height - 2), i = mad24(v, width, u);
      const float gx = 0.5f * (first[i + 1] - first[i - 1]), gy = 0.5f * (first[i + width] - first[i - width]), gt = second[i] - first[i];
      xx = mad(gx, gx, xx);
      xy = mad(gx, gy, xy);
      yy = mad(gy, gy, yy);
      xt = mad(gx, gt, xt);
      yt = mad(gy, gt, yt);
    }
  const float determinant = xx * yy - xy * xy, trace = xx + yy;
  float2 step;
  if (determinant > 1e-5f)
    step = (float2)(xy * yt - yy * xt, xy * xt - xx * yt) / determinant;
  else if (trace > 1e-4f)
    step = -(float2)(xt, yt) / trace;
  else
    step = (float2)(0);
  flow[y * width + x] += clamp(step, -2.0f, 2.0f);
}

// Bytes of red, green and blue to hue, lightness and saturation.
kernel void rgb_to_hls8(global uchar *out, global const uchar *in, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float3 p = convert_float3(vload3(i, in)) / 255.0f;
  const float high = max(p.x, max(p.y, p.z)), low = min(p.x, min(p.y, p.z)), lightness = 0.5f * (high + low), range = high - low;
  float hue = 0, saturation = 0;
  if (range > FLT_EPSILON) {
    saturation = lightness < 0.5f ? range / (high + low) : range / (2.0f - high - low);
    const float scale = 60.0f / range;
    if (high == p.x)
      hue = (p.y - p.z) * scale;
    else if (high == p.y)
      hue = mad(p.z - p.x, scale, 120.0f);
    else
      hue = mad(p.x - p.y, scale, 240.0f);
    if (hue < 0)
      hue += 360.0f;
  }
  vstore3(convert_uchar3_sat_rte((float3)(0.5f * hue, 255.0f * lightness, 255.0f * saturation)), i, out);
}

// Details of a tile: strong ones are edges and get sharper, weak ones are noise and get weaker.
__attribute__((reqd_work_group_size(16, 16, 1)))
kernel void sharpen_tiles(global float *out, global const float *in, float threshold, float amount, int width, int height) {
  local float tile[18][18];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  for (int k = ly * 16 + lx; k < 18 * 18; k += 256) {
    const int u = clamp((int)get_group_id(0) * 16 + k % 18 - 1, 0, width - 1), v = clamp((int)get_group_id(1) * 16 + k / 18 - 1, 0, height - 1);
    tile[k / 18][k % 18] = in[v * width + u];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width || y >= height)
    return;
  const float here = tile[ly + 1][lx + 1];
  float sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    sum += dot(vload3(0, &tile[ly + dy][lx]), (float3)(1, dy == 1 ? 0 : 1, 1));
  const float detail = here - sum / 8.0f;
  float v;
  if (fabs(detail) > threshold) {
    v = here + amount * copysign(sqrt(fabs(detail) * threshold), detail);
    v = clamp(v, 0.0f, 1.0f);
  } else {
    v = here - detail * (1.0f - native_divide(fabs(detail), threshold));
    v = max(v, 0.0f);
  }
  out[y * width + x] = v;
}
