// Light and matter: what renderers and solvers compute, a ray, a cell or a bond for each thread.

static float3 perpendicular(float3 n) { return normalize(fabs(n.x) > 0.9f ? (float3)(-n.y, n.x, 0) : (float3)(0, -n.z, n.y)); }

static float3 around(float3 n, float radius, float turn, float height) {
  const float3 t = perpendicular(n), b = cross(n, t);
  float c;
  const float s = sincos(2.0f * M_PI_F * turn, &c);
  return normalize(t * (radius * c) + b * (radius * s) + n * height);
}

// How a path goes on where it meets a surface: matt, glossy, mirror or glass. What it carries is weighted.
kernel void path_bounces(global float4 *direction, global float4 *weight, global const float4 *incoming, global const float4 *normals,
                         global const float4 *colour, global const uchar *material, global const float2 *random, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float3 d = normalize(incoming[i].xyz);
  float3 m = normalize(normals[i].xyz), o;
  const bool enters = dot(d, m) < 0;
  if (!enters)
    m = -m;
  const float cosine = -dot(d, m);
  const float2 u = random[i];
  float4 w = colour[i];
  switch (material[i]) {
  case 0:
    o = around(m, native_sqrt(u.x), u.y, native_sqrt(1.0f - u.x));
    break;
  case 1: {
    const float height = powr(fmax(u.x, 1e-6f), 1.0f / 33.0f);
    o = around(d + 2.0f * cosine * m, native_sqrt(1.0f - height * height), u.y, height);
    w *= fmax(dot(o, m), 0.0f);
    break;
  }
  case 2:
    o = d + 2.0f * cosine * m;
    w = mix(w, (float4)(1.0f), pown(1.0f - cosine, 5));
    break;
  default: {
    const float eta = enters ? 1.0f / 1.5f : 1.5f, k = 1.0f - eta * eta * (1.0f - cosine * cosine);
    const float fresnel = k < 0 ? 1.0f : mad(0.96f, pown(1.0f - cosine, 5), 0.04f);
    if (u.x < fresnel)
      o = d + 2.0f * cosine * m;
    else
      o = normalize(eta * d + (eta * cosine - native_sqrt(k)) * m);
    break;
  }
  }
  direction[i] = (float4)(o, 0);
  weight[i] = w;
}

// Light of the environment in a direction: a clear sky with a sun above the horizon, ground below it.
kernel void sky_dome(global float4 *light, global const float4 *direction, float sun_x, float sun_y, float sun_z, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float3 d = normalize(direction[i].xyz), sun = (float3)(sun_x, sun_y, sun_z);
  float3 c;
  if (d.y > 0) {
    const float cosine = clamp(dot(d, sun), -1.0f, 1.0f), angle = acos(cosine);
    const float zenith = 1.0f - native_exp(-0.32f / fmax(d.y, 0.01f));
    const float glow = 0.91f + 10.0f * native_exp(-3.0f * angle) + 0.45f * cosine * cosine;
    c = (float3)(0.25f, 0.4f, 0.85f) * (zenith * glow);
    if (angle < 0.02f)
      c += (float3)(90.0f, 80.0f, 60.0f);
  } else {
    const float far = fmin(-1.0f / fmin(d.y, -0.01f), 60.0f), haze = 1.0f - native_exp(-0.05f * far);
    const int2 square = convert_int2_rtn((d.xz * far) * 0.5f);
    const float shade = (square.x + square.y) & 1 ? 0.35f : 0.6f;
    c = mix((float3)(shade) * fmax(sun.y, 0.0f), (float3)(0.6f, 0.65f, 0.7f), haze);
  }
  light[i] = (float4)(c, 1);
}

// Normals folded into a square and rounded, with what the rounding costs.
kernel void octahedral_normals(global short2 *packed, global float *error, global const float4 *normals, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float3 m = normalize(normals[i].xyz);
  float2 p = m.xy / (fabs(m.x) + fabs(m.y) + fabs(m.z));
  if (m.z < 0)
    p = (1.0f - fabs(p.yx)) * copysign((float2)(1.0f), p);
  const short2 q = convert_short2_sat_rte(p * 1023.0f);
  float2 r = convert_float2(q) / 1023.0f;
  const float z = 1.0f - fabs(r.x) - fabs(r.y);
  if (z < 0)
    r = (1.0f - fabs(r.yx)) * copysign((float2)(1.0f), r);
  packed[i] = q;
  error[i] = acospi(clamp(dot(normalize((float3)(r, z)), m), -1.0f, 1.0f));
}

// Rays against the shapes of their own leaf, spheres and boxes, in any order: the nearest hit.
kernel void leaf_shapes(global float *nearest, global int *which, global const float4 *origins, global const float4 *directions,
                        global const float4 *shapes, global const uchar *is_box, global const int *leaf, int per_leaf, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float3 o = origins[i].xyz, d = normalize(directions[i].xyz), inverse = native_recip(d);
  float best = INFINITY;
  int hit = -1;
  for (int k = 0; k < per_leaf; ++k) {
    const int s = leaf[i] * per_leaf + k;
    const float4 shape = shapes[s];
    const float3 to = shape.xyz - o;
    float t = INFINITY;
    if (is_box[s]) {
      const float3 a = (to - shape.w) * inverse, b = (to + shape.w) * inverse;
      const float3 low = fmin(a, b), high = fmax(a, b);
      const float enter = fmax(fmax(low.x, low.y), low.z), leave = fmin(fmin(high.x, high.y), high.z);
      if (enter <= leave && leave > 0)
        t = enter > 0 ? enter : leave;
    } else {
      const float middle = dot(to, d), square = middle * middle - dot(to, to) + shape.w * shape.w;
      if (square >= 0) {
        const float half_chord = native_sqrt(square), leave = middle + half_chord, enter = middle - half_chord;
        if (leave > 0)
          t = enter > 0 ? enter : leave;
      }
    }
    if (t < best) {
      best = t;
      hit = s;
    }
  }
  nearest[i] = fmin(best, 1e6f);
  which[i] = hit;
}

// Samples go to a film in fixed point: to one pixel where they are in its middle, otherwise also to neighbours.
kernel void film_splats(global uint *film, global const float2 *at, global const float *value, int width, int height, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  float2 whole;
  const float2 f = fract(at[i], &whole) - 0.5f;
  const int x = clamp((int)whole.x, 1, width - 2), y = clamp((int)whole.y, 1, height - 2);
  const float v = clamp(value[i], 0.0f, 16.0f) * 4096.0f;
  if (fabs(f.x) < 0.25f && fabs(f.y) < 0.25f) {
    atomic_add(&film[mad24(y, width, x)], convert_uint_sat_rte(v));
  } else {
    const float2 w = fmax(fabs(f) - 0.25f, 0.0f) * 2.0f;
    const int u = f.x < 0 ? x - 1 : x + 1, t = f.y < 0 ? y - 1 : y + 1;
    atomic_add(&film[mad24(y, width, x)], convert_uint_sat_rte(v * (1 - w.x) * (1 - w.y)));
    atomic_add(&film[mad24(y, width, u)], convert_uint_sat_rte(v * w.x * (1 - w.y)));
    atomic_add(&film[mad24(t, width, x)], convert_uint_sat_rte(v * (1 - w.x) * w.y));
    atomic_add(&film[mad24(t, width, u)], convert_uint_sat_rte(v * w.x * w.y));
  }
}

constant float LATTICE_WEIGHTS[9] = {4 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};
constant int2 LATTICE[9] = {(int2)(0, 0), (int2)(1, 0), (int2)(-1, 0), (int2)(0, 1), (int2)(0, -1), (int2)(1, 1), (int2)(-1, -1), (int2)(1, -1), (int2)(-1, 1)};

// A lattice Boltzmann step in a channel: walls turn back what arrives, the fluid relaxes, an inlet pushes.
kernel void lattice_channel(global float *next, global const float *now, global const uchar *cell, float omega, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1), plane = width * height, i = mad24(y, width, x);
  if (x >= width || y >= height)
    return;
  float f[9], density = 0;
  float2 momentum = (float2)(0);
  for (int k = 0; k < 9; ++k) {
    const int u = (x - LATTICE[k].x + width) % width, v = (y - LATTICE[k].y + height) % height;
    f[k] = now[k * plane + v * width + u];
    density += f[k];
    momentum += convert_float2(LATTICE[k]) * f[k];
  }
  if (cell[i] == 1) {
    next[i] = f[0];
    for (int k = 1; k < 9; k += 2) {
      next[k * plane + i] = f[k + 1];
      next[(k + 1) * plane + i] = f[k];
    }
    return;
  }
  float2 velocity = momentum / density;
  if (cell[i] == 2)
    velocity.x += 0.05f;
  const float square = 1.5f * dot(velocity, velocity);
  for (int k = 0; k < 9; ++k) {
    const float along = 3.0f * dot(convert_float2(LATTICE[k]), velocity);
    const float equal = LATTICE_WEIGHTS[k] * density * (1.0f + along + 0.5f * along * along - square);
    next[k * plane + i] = mix(f[k], equal, omega);
  }
}

// Energies of bonds: harmonic and anharmonic ones, angles and torsions, in lists sorted by kind.
kernel void bonded_terms(global float *energy, global const float4 *at, global const int4 *atoms, global const uchar *kind,
                         global const float2 *constants, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const int4 a = atoms[i];
  const float2 c = constants[i];
  const float3 p = at[a.x].xyz, q = at[a.y].xyz;
  const float3 u = p - q;
  float e;
  switch (kind[i]) {
  case 0: {
    const float d = length(u) - c.y;
    e = 0.5f * c.x * d * d;
    break;
  }
  case 1: {
    const float s = 1.0f - native_exp(-2.0f * (length(u) - c.y));
    e = c.x * s * s;
    break;
  }
  case 2: {
    const float3 v = at[a.z].xyz - q;
    const float angle = acos(clamp(dot(u, v) * rsqrt(dot(u, u) * dot(v, v)), -1.0f, 1.0f)) - c.y;
    e = 0.5f * c.x * angle * angle;
    break;
  }
  default: {
    const float3 v = at[a.z].xyz - q, w = at[a.w].xyz - at[a.z].xyz, m = cross(u, v), k = cross(v, w);
    const float torsion = atan2(dot(m, w) * length(v), dot(m, k));
    e = c.x * (1.0f + cos(3.0f * torsion - c.y));
    break;
  }
  }
  energy[i] = e;
}

// Forces between atoms of clusters, in tiles: none beyond the cutoff, switched off before it.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void pair_cutoffs(global float4 *force, global const float4 *charged, global const int2 *types, global const float2 *parameters, int kinds,
                         float cutoff, float start, int n) {
  local float4 tile[64];
  local int tile_kind[64];
  const int i = get_global_id(0), l = get_local_id(0);
  const float4 p = charged[i];
  const int kind = types[i].x;
  float4 sum = (float4)(0);
  for (int first = 0; first < n; first += 64) {
    tile[l] = charged[first + l];
    tile_kind[l] = types[first + l].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; ++j) {
      const float4 q = tile[j];
      const float3 d = p.xyz - q.xyz;
      const float square = dot(d, d);
      if (square >= cutoff * cutoff || first + j == i)
        continue;
      const float2 c = parameters[kind * kinds + tile_kind[j]];
      const float inverse = native_rsqrt(fmax(square, 0.04f)), six = pown(inverse * inverse, 3);
      float scalar = six * (12.0f * c.y * six - 6.0f * c.x), energy = six * (c.y * six - c.x);
      if (square > start * start) {
        const float t = (native_sqrt(square) - start) / (cutoff - start), s = 1.0f - t * t * t * (10.0f - t * (15.0f - 6.0f * t));
        scalar = scalar * s + energy * 30.0f * t * t * (1.0f - t) * (1.0f - t) / (inverse * (cutoff - start));
        energy *= s;
      }
      scalar = scalar * inverse * inverse + p.w * q.w * inverse * inverse * inverse;
      sum += (float4)(d * scalar, energy);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  force[i] = sum;
}

// A step of an electric field: inside as in free space or matter, in the layers at the border it is absorbed.
kernel void field_layers(global float *next, global float *memory, global const float *field, global const float2 *magnetic,
                         global const float *matter, int layers, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1), i = mad24(y, width, x);
  if (x < 1 || y < 1 || x >= width || y >= height)
    return;
  const float curl = (magnetic[i].y - magnetic[i - 1].y) - (magnetic[i].x - magnetic[i - width].x);
  const int depth = max(max(layers - x, layers - (width - 1 - x)), max(layers - y, layers - (height - 1 - y)));
  if (depth > 0) {
    const float sigma = pown((float)depth / layers, 3) * 0.8f, b = exp(-sigma);
    const float psi = b * memory[i] + (b - 1.0f) * curl;
    memory[i] = psi;
    next[i] = field[i] + 0.5f * (curl + psi);
  } else {
    const float loss = 0.02f * matter[i], a = (1.0f - loss) / (1.0f + loss);
    next[i] = a * field[i] + 0.5f / ((1.0f + loss) * (1.0f + matter[i])) * curl;
  }
}

static float4 flux_of(float4 u, float pressure) {
  const float v = u.y / u.x;
  return (float4)(u.y, u.y * v + pressure, u.z * v, (u.w + pressure) * v);
}

// Fluxes of a gas between cells by Harten, Lax and van Leer: of one side where it flows faster than sound.
kernel void gas_fluxes(global float4 *flux, global const float4 *cells, float gamma, int n) {
  const int i = get_global_id(0);
  if (i >= n - 1)
    return;
  const float4 l = cells[i], r = cells[i + 1];
  const float pl = fmax((gamma - 1.0f) * (l.w - 0.5f * dot(l.yz, l.yz) / l.x), 1e-4f), pr = fmax((gamma - 1.0f) * (r.w - 0.5f * dot(r.yz, r.yz) / r.x), 1e-4f);
  const float cl = sqrt(gamma * pl / l.x), cr = sqrt(gamma * pr / r.x);
  const float low = fmin(l.y / l.x - cl, r.y / r.x - cr), high = fmax(l.y / l.x + cl, r.y / r.x + cr);
  if (low >= 0)
    flux[i] = flux_of(l, pl);
  else if (high <= 0)
    flux[i] = flux_of(r, pr);
  else
    flux[i] = (high * flux_of(l, pl) - low * flux_of(r, pr) + low * high * (r - l)) / (high - low);
}

// Links of cloth: stretched ones pull, slack ones do not, overstretched ones tear and are counted.
kernel void cloth_links(global float4 *pull, global uchar *torn, global int *tears, global const float4 *at, int width, int height, float rest,
                        float most) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width - 1 || y >= height)
    return;
  const int i = y * width + x;
  const float3 d = at[i + 1].xyz - at[i].xyz;
  const float now = fast_length(d), stretch = now / rest;
  float3 f = (float3)(0);
  if (!torn[i]) {
    if (stretch > most) {
      torn[i] = 1;
      atomic_inc(tears);
    } else if (stretch > 1.0f) {
      f = d * (native_divide(now - rest, now) * (40.0f + 20.0f * (stretch - 1.0f)));
    } else if (stretch < 0.5f) {
      f = -fast_normalize(d) * 0.1f;
    }
  }
  pull[i] = (float4)(f, stretch);
}

// Distances to a set of Julia in quaternions, until they are small or the ray has left it.
kernel void julia_marches(global float *depth, global int *steps, global const float4 *directions, global const float4 *constants, int most,
                          int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float3 d = normalize(directions[i].xyz);
  float travelled = 0;
  int step = 0;
  for (; step < most; ++step) {
    const float3 p = (float3)(0, 0, -3.0f) + d * travelled;
    if (dot(p, p) > 10.0f)
      break;
    float4 q = (float4)(p, 0), slope = (float4)(1, 0, 0, 0);
    for (int k = 0; k < 8; ++k) {
      slope = 2.0f * (float4)(q.x * slope.x - dot(q.yzw, slope.yzw), q.x * slope.yzw + slope.x * q.yzw + cross(q.yzw, slope.yzw));
      q = (float4)(q.x * q.x - dot(q.yzw, q.yzw), 2.0f * q.x * q.yzw) + constants[0];
      if (dot(q, q) > 16.0f)
        break;
    }
    const float r = length(q), distance = 0.5f * r * log(fmax(r, 1e-6f)) / fmax(length(slope), 1e-6f);
    if (distance < 1e-3f)
      break;
    travelled += distance;
  }
  depth[i] = travelled;
  steps[i] = step;
}
