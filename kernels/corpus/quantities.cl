// Angles and distances, prices, samples, rays, particles: small kernels that do the one thing or the other.

// Angles reduced to a circle and scaled, by quadrant or by octant.
kernel void angle_parts(global float *out, global int *part, global const float *in, global const uchar *octant, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  int q, e;
  float v;
  if (octant[i]) {
    v = remquo(in[i], 0.78539816f, &q);
    v = frexp(v, &e);
    v = ldexp(v, e + 2);
    q &= 7;
  } else {
    v = remquo(in[i], 1.57079633f, &q);
    v = frexp(v, &e);
    v = ldexp(v, e + 1);
    q &= 3;
  }
  out[i] = v;
  part[i] = q;
}

// Rotations about one axis or another.
kernel void pole_rotation(global float2 *out, global const float2 *in, global const float *angle, global const uchar *axis, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float2 p = in[i], q;
  float c, whole;
  if (axis[i]) {
    float s = sincos(angle[i] * 0.5f, &c);
    q = (float2)(p.x * c - p.y * s, p.x * s + p.y * c);
    q.x = fract(q.x, &whole);
    q.y += whole * 0.01f;
  } else {
    float s = sincos(angle[i] * 2.0f + 0.1f, &c);
    q = (float2)(p.x * c + p.y * s, p.y * c - p.x * s);
    q.x = modf(q.x, &whole);
    q.y -= whole * 0.02f;
  }
  out[i] = q;
}

// Corners of meshes: by the cross product, or by lengths.
kernel void mesh_angles(global float *out, global const float4 *a, global const float4 *b, global const uchar *flat, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float3 u = a[i].xyz, v = b[i].xyz;
  float w;
  if (flat[i]) {
    float l = length(u) * length(v);
    w = acos(clamp(dot(u, v) / fmax(l, 1e-6f), -1.0f, 1.0f));
    w = degrees(w) * 0.5f;
  } else {
    float l = length(u) * length(v);
    w = asin(clamp(length(cross(u, v)) / fmax(l, 1e-6f), -1.0f, 1.0f));
    w = degrees(w) * 2.0f;
  }
  out[i] = w;
}

// Distances on the globe in doubles: near ones on a plane, far ones on a sphere.
kernel void geo_distance(global double *out, global const double2 *a, global const double2 *b, global const uchar *far, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  double2 p = a[i], q = b[i];
  double d;
  if (far[i]) {
    double x = (q.x - p.x) * 0.5, y = (q.y - p.y) * 0.5;
    double h = fma(x, x, y * y * 0.7);
    d = 12742.0 * sqrt(fmin(h, 1.0));
    d = floor(d * 1000.0) / 1000.0;
  } else {
    double x = (q.x - p.x) * 0.8, y = q.y - p.y;
    double h = fma(x, x, y * y);
    d = 6371.0 * sqrt(fmax(h, 0.0));
    d = ceil(d * 100.0) / 100.0;
  }
  out[i] = d;
}

// European options, calls and puts, by Black and Scholes.
kernel void option_prices(global float *price, global float *delta, global const float *spot, global const float *strike,
                          global const float *years, global const uchar *put, float rate, float vol, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float s = spot[i], k = strike[i], t = years[i];
  float root = vol * sqrt(t), d1 = (log(s / k) + (rate + 0.5f * vol * vol) * t) / root, d2 = d1 - root;
  float p, q;
  if (put[i]) {
    float a = 0.5f * erfc(d1 * 0.70710678f), b = 0.5f * erfc(d2 * 0.70710678f);
    p = k * exp(-rate * t) * b - s * a;
    q = -a;
  } else {
    float a = 0.5f * erfc(-d1 * 0.70710678f), b = 0.5f * erfc(-d2 * 0.70710678f);
    p = s * a - k * exp(-rate * t) * b;
    q = a;
  }
  price[i] = fmax(p, 0.0f);
  delta[i] = q;
}

// Bonds by compounding: yearly or continuous.
kernel void bond_yields(global float *out, global const float *rate, global const int *years, global const uchar *yearly, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float r = rate[i], v;
  const int y = years[i];
  if (yearly[i]) {
    float f = pown(1.0f + r, -y);
    v = 100.0f * f + 4.0f * (1.0f - f) / r;
    v = rootn(fmax(v, 1.0f), 3);
  } else {
    float f = powr(1.0f + r * 0.5f, (float)(-2 * y));
    v = 100.0f * f + 2.0f * (1.0f - f) / (r * 0.5f);
    v = rootn(fmax(v, 1.0f), 5);
  }
  out[i] = v;
}

// Voices of a synthesiser: FM and subtractive, by native functions.
kernel void synth_voices(global float *out, global const float *phase, global const float *amount, global const uchar *fm, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float p = phase[i], a = amount[i], v;
  if (fm[i]) {
    float m = native_sin(p * 2.01f) * a;
    v = native_sin(p + m) * native_exp(-a * 0.5f);
    v = v * native_recip(1.0f + fabs(v) * 0.25f);
  } else {
    float m = native_cos(p * 0.5f) + a;
    v = native_cos(p * 3.0f + m) * native_exp(-a * 0.8f);
    v = v * native_recip(1.0f + fabs(v) * 0.75f);
  }
  out[i] = native_sqrt(fabs(v)) * sign(v);
}

// Samples of 16 bits: voices are compressed, music is limited.
kernel void mix_audio(global short2 *out, global const short2 *in, global const uchar *voice, float gain, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float2 s = convert_float2(in[i]) * gain;
  if (voice[i]) {
    float2 a = fabs(s) * 3.0518e-5f;
    s = copysign(32768.0f * (1.0f - native_exp(-1.6f * a)), s);
    s = rint(s * 0.9f);
  } else {
    float2 a = fabs(s) * 3.0518e-5f;
    s = copysign(32768.0f * fmin(a, 0.5f + 0.25f * a), s);
    s = rint(s * 1.1f);
  }
  out[i] = convert_short2_sat(s);
}

// Words of two hashes: rotations, counts of bits, saturating sums.
kernel void hash_words(global uint *out, global const uint *in, global const uchar *which, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  uint a = in[i], b = in[(i + 1) & (n - 1)], c;
  if (which[i]) {
    c = rotate(a, 7u) ^ mul_hi(b, 0x9e3779b1u);
    c = add_sat(c, (uint)popcount(b) << 24);
    c = bitselect(c, a, 0x00ff00ffu) + clz(b | 1u);
  } else {
    c = rotate(a, 13u) ^ mul_hi(b, 0x85ebca6bu);
    c = sub_sat(c, (uint)popcount(a) << 22);
    c = bitselect(c, b, 0x0f0f0f0fu) + clz(a | 1u);
  }
  out[i] = c;
}

// Readings of sensors, some of which are no numbers.
kernel void sensor_gaps(global float4 *out, global const float4 *in, global const uchar *kind, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float4 p = in[i], q = in[max(i - 1, 0)], r;
  if (kind[i]) {
    int4 bad = isnan(p) | isinf(p);
    r = select(p, q * 0.9f, bad);
    r = any(isgreater(r, (float4)(50.0f))) ? r * 0.5f : r + 1.0f;
    r = fmax(r, nextafter(q, (float4)(0.0f)));
  } else {
    int4 bad = isnan(p) | signbit(p);
    r = select(p, q * 1.1f, bad);
    r = all(isless(r, (float4)(40.0f))) ? r * 1.5f : r - 1.0f;
    r = fmin(r, nextafter(q, (float4)(100.0f)));
  }
  out[i] = r;
}

// Rays at a surface: mirrors reflect, glass refracts.
kernel void ray_steps(global float4 *dirs, global float *energy, global const float4 *in, global const float4 *normal,
                      global const uchar *glass, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float3 d = normalize(in[i].xyz), m = normalize(normal[i].xyz), o;
  float cosine = -dot(d, m), e;
  if (glass[i]) {
    float k = 1.0f - 0.44f * (1.0f - cosine * cosine);
    float f = 0.04f + 0.96f * pown(1.0f - fabs(cosine), 5);
    o = normalize(d * 0.6667f + m * (0.6667f * cosine - sqrt(fmax(k, 0.0f))));
    e = in[i].w * (1.0f - f);
  } else {
    float k = 2.0f * cosine;
    float f = 0.7f + 0.3f * pown(1.0f - fabs(cosine), 5);
    o = normalize(d * 0.9999f + m * (k - sqrt(fmax(0.0f * k, 0.0f))));
    e = in[i].w * f;
  }
  dirs[i] = (float4)(o, 0.0f);
  energy[i] = e;
}

// Forces between particles in tiles of local memory: charged ones and neutral ones.
kernel void pair_forces(global float4 *force, global const float4 *at, global const uchar *charged, local float4 *tile, int n) {
  const int i = get_global_id(0), l = get_local_id(0);
  float4 p = at[i], f = (float4)(0.0f);
  int c = charged[i];
  for (int t = 0; t < n; t += get_local_size(0)) {
    tile[l] = at[t + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 16; j++) {
      float4 q = tile[j];
      float3 d = p.xyz - q.xyz;
      float r2 = dot(d, d) + 0.01f;
      if (c) {
        float r = rsqrt(r2), s = q.w * p.w * r * r * r;
        f += (float4)(d * s, s * r2);
      } else {
        float r = native_recip(r2), x = r * r * r, s = 24.0f * x * (2.0f * x - 1.0f) * r;
        f += (float4)(d * clamp(s, -10.0f, 10.0f), x);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  force[i] = f;
}

// Heat in a plate with a hole: metal and insulation, in tiles of local memory.
kernel void heat_tiles(global float *out, global const float *in, global const uchar *metal, int steps) {
  local float t[2][258];
  const int l = get_local_id(0), i = get_global_id(0);
  t[0][l + 1] = in[i];
  if (l < 2)
    t[0][l * 257] = t[1][l * 257] = 20.0f;
  int m = metal[i], now = 0;
  for (int s = 0; s < steps; s++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = t[now][l], b = t[now][l + 1], c = t[now][l + 2], v;
    if (m) {
      v = b + 0.24f * (a - 2.0f * b + c);
      v = fmax(v - 0.01f * fabs(v - 20.0f), 0.0f);
    } else {
      v = b + 0.03f * (a - 2.0f * b + c);
      v = fmin(v + 0.02f * fabs(v - 25.0f), 90.0f);
    }
    now ^= 1;
    t[now][l + 1] = v;
  }
  out[i] = t[now][l + 1];
}

// Rows that lie in local memory or in global, by generic pointers.
static float row(const float *p, float s) { return fma(p[0], 0.5f, p[1] * s) + sqrt(fabs(p[2])); }
kernel void generic_rows(global float *out, global const float *in, global const uchar *near) {
  local float t[260];
  const int l = get_local_id(0), i = get_global_id(0);
  t[l] = in[i] * 2.0f;
  if (l < 4)
    t[256 + l] = 1.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float *p = near[i] ? (const float *)(t + l) : (const float *)(in + i);
  float v;
  if (near[i])
    v = row(p, 0.3f) * 1.1f;
  else
    v = row(p, 0.7f) - 0.2f;
  out[i] = v;
}

// Sums over a group before branches, by functions of OpenCL 2.
kernel void group_shares(global float *out, global const float *in, global const uchar *kind) {
  const int i = get_global_id(0);
  float v = in[i], total = work_group_reduce_add(v);
  if (kind[i]) {
    v = sqrt(fabs(v / total)) + exp2(v * 0.1f);
    v = fmin(v, 3.0f) * total;
  } else {
    v = sqrt(fabs(v * total)) + exp2(v * 0.2f);
    v = fmin(v, 4.0f) / total;
  }
  out[i] = v;
}
