// Photographs on their way from the sensor to the print.

// Colour of raw sensor pixels: rows of red and of blue.
kernel void bayer_sites(global ushort *out, global const ushort *raw, global const uchar *row, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  int at = mad24(y, w, x), k = row[at];
  const int l = mad24(y, w, max(x - 1, 0)), r = mad24(y, w, min(x + 1, w - 1)), u = mad24(max(y - 1, 0), w, x), d = mad24(min(y + 1, h - 1), w, x);
  int v;
  if (k) {
    int a = abs_diff((int)raw[l], (int)raw[r]), b = abs_diff((int)raw[u], (int)raw[d]);
    v = a < b ? rhadd((int)raw[l], (int)raw[r]) : rhadd((int)raw[u], (int)raw[d]);
    v = mul24(v, 5) / 4 - raw[at] / 8;
  } else {
    int a = abs_diff((int)raw[l], (int)raw[at]), b = abs_diff((int)raw[r], (int)raw[at]);
    v = a < b ? hadd((int)raw[l], (int)raw[at]) : hadd((int)raw[r], (int)raw[at]);
    v = mul24(v, 7) / 8 + raw[u] / 8;
  }
  out[at] = convert_ushort_sat(v);
}

// Tone curves of a film scan: a toe of one kind, a shoulder of another.
kernel void tone_curve(global float4 *out, global const float4 *in, global const float *pivot, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float4 p = in[i];
  float y = dot(p.xyz, (float3)(0.2126f, 0.7152f, 0.0722f)), g;
  if (y > pivot[i & 15]) {
    float t = (y - 0.5f) * 1.7f;
    g = pow(fmax(t, 1e-4f), 0.72f) * 0.9f + 0.1f;
    g = smoothstep(0.0f, 1.2f, g);
  } else {
    float t = (y + 0.02f) * 0.8f;
    g = pow(fmax(t, 1e-4f), 1.35f) * 1.4f;
    g = smoothstep(0.0f, 0.9f, g);
  }
  out[i] = (float4)(p.xyz * (g / fmax(y, 1e-3f)), p.w);
}

// Hue and saturation: warm and cold colours are graded apart.
kernel void hue_sectors(global float4 *out, global const float4 *in, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float4 p = in[i];
  float hi = fmax(fmax(p.x, p.y), p.z), lo = fmin(fmin(p.x, p.y), p.z), c = hi - lo, h;
  if (p.x >= p.y) {
    h = (p.y - p.z) / (c + 1e-5f);
    float s = step(0.2f, c) * smoothstep(0.1f, 0.8f, c);
    p.x = mix(p.x, hi, s * 0.4f);
    p.z = mix(p.z, lo, s * 0.6f);
  } else {
    h = 2.0f + (p.z - p.x) / (c + 1e-5f);
    float s = step(0.1f, c) * smoothstep(0.2f, 0.9f, c);
    p.y = mix(p.y, hi, s * 0.3f);
    p.x = mix(p.x, lo, s * 0.5f);
  }
  p.w = floor(h) + fmod(fabs(h), 1.0f);
  out[i] = p;
}

// Layers in half precision: multiply or screen.
kernel void half_blend(global half *out, global const half *a, global const half *b, global const uchar *mode, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float4 x = vload_half4(i, a), y = vload_half4(i, b), r;
  if (mode[i]) {
    float4 m = 1.0f - (1.0f - x) * (1.0f - y);
    r = mix(x, m, y.w);
    r.w = fmax(x.w, y.w);
  } else {
    float4 m = x * y;
    r = mix(x, m, y.w);
    r.w = fmin(x.w, y.w);
  }
  vstore_half4_rte(clamp(r, 0.0f, 1.0f), i, out);
}

// A photo's pixels: smooth areas get a weighted mean, edges are sharpened.
kernel void bilateral_uchar4(global uchar4 *out, global const uchar4 *in, global const uchar *edge, int w, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float4 c = convert_float4(in[i]), l = convert_float4(in[max(i - 1, 0)]), r = convert_float4(in[min(i + 1, n - 1)]);
  float4 u = convert_float4(in[max(i - w, 0)]), d = convert_float4(in[min(i + w, n - 1)]);
  float4 v;
  if (edge[i]) {
    float4 s = c * 1.8f - (l + r + u + d) * 0.2f;
    v = clamp(s, (float4)(0.0f), (float4)(255.0f));
  } else {
    float4 s = c * 0.6f + (l + r + u + d) * 0.1f;
    v = mix(c, s, 0.75f);
  }
  out[i] = convert_uchar4_sat_rte(v);
}

// Resampling by filters of two kinds, with taps as vectors.
static float2 tap(float x, int k) {
  return k ? (float2)(1.0f - fabs(x), 1.0f) : (float2)(fma(x * x, 0.5f, -fabs(x)) + 1.0f, 0.9f);
}
kernel void kernel_taps(global float4 *out, global const float *in, global const float *at, global const uchar *kind, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float x = at[i], f = x - floor(x);
  int b = clamp((int)floor(x), 0, n - 8);
  float4 p = vload4(0, in + b), q = vload4(1, in + b), r;
  if (kind[i]) {
    float2 t = tap(f, 1), u = tap(1.0f - f, 1);
    r = (p * t.x + q * u.x) * native_recip(t.x + u.x) * t.y;
    r = fma(r, (float4)(0.5f), fmin(p, q) * 0.5f);
  } else {
    float2 t = tap(f, 0), u = tap(1.0f - f, 0);
    r = (p * t.x + q * u.x) * native_recip(t.x + u.x) * t.y;
    r = fma(r, (float4)(0.75f), fmax(p, q) * 0.25f);
  }
  out[i] = r;
}

// Histograms of two channels, weighted, and the largest weight beside each value.
kernel void histogram_bins(global int *bins, global int *peaks, global const uchar *value, global const uchar *channel) {
  local int mine[512], high[512];
  const int l = get_local_id(0), i = get_global_id(0);
  mine[l] = mine[l + 256] = high[l] = high[l + 256] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = value[i];
  if (channel[i]) {
    int w = max(255 - v, 1);
    atomic_add(&mine[v], w);
    atomic_max(&high[(v + 1) & 255], w / 2);
  } else {
    int w = max(v, 1);
    atomic_add(&mine[256 + v], w);
    atomic_max(&high[256 + ((v + 1) & 255)], w / 2);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = l; k < 512; k += 256) {
    atomic_add(&bins[k], mine[k]);
    atomic_max(&peaks[k], high[k]);
  }
}
