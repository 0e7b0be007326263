// Controllers, sensors and simple machines: one element a thread, states and modes in tables.
#include <hip/hip_runtime.h>

#define TID (blockIdx.x * blockDim.x + threadIdx.x)

struct Plant {
  float set, gain, reset, rate;
};

template <typename T> __device__ static inline T limit(T x, T low, T high) { return x < low ? low : x > high ? high : x; }

// A bank of controllers. In manual the output follows the operator; in automatic it is proportional and integral.
extern "C" __global__ void pi_bank(float *output, float *integral, const Plant *plants, const float *measured, const float *manual,
                                   const unsigned char *automatic, float dt, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  Plant p = plants[id];
  float error = p.set - measured[id];
  float sum = integral[id];
  float u;
  if (automatic[id]) {
    sum += error * dt * p.reset;
    sum = limit(sum, -50.0f, 50.0f);
    u = p.gain * error + sum;
  } else {
    u = manual[id];
    sum = u - p.gain * error;
    sum = limit(sum, -50.0f, 50.0f);
  }
  output[id] = limit(u, 0.0f, 100.0f);
  integral[id] = sum;
}

// Thermocouples: below zero and above zero have polynomials of their own.
extern "C" __global__ void thermocouple(float *celsius, const float *millivolt, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float v = millivolt[id];
  if (v < 0.0f) {
    float t = 2.5173462e1f + v * (-1.1662878f + v * (-1.0833638f + v * (-8.977354e-1f + v * (-3.7342377e-1f + v * -8.6632643e-2f))));
    celsius[id] = v * t;
  } else {
    float t = 2.508355e1f + v * (7.860106e-2f + v * (-2.503131e-1f + v * (8.31527e-2f + v * (-1.228034e-2f + v * 9.804036e-4f))));
    celsius[id] = v * t;
  }
}

// Quadrature encoders: the old and the new state of both lines say which way it turned.
extern "C" __global__ void encoders(int *position, int *faults, const unsigned char *before, const unsigned char *now, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  unsigned a = before[id] & 3, b = now[id] & 3;
  int step = 0, bad = 0;
  switch (a << 2 | b) {
  case 1: case 7: case 14: case 8: step = 1; break;
  case 2: case 11: case 13: case 4: step = -1; break;
  case 3: case 6: case 9: case 12: bad = 1; break;
  default: break;
  }
  position[id] += step;
  if (bad) faults[id]++;
}

// Legs of a walker: swing and stance have different trajectories.
extern "C" __global__ void gait(float3 *foot, const float *phase, const float *stride, const float *lift, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float p = phase[id], s = stride[id], h = lift[id];
  float3 f;
  if (p < 0.5f) {
    float q = 2.0f * p;
    f.x = s * (q - 0.5f);
    f.y = h * 4.0f * q * (1.0f - q);
    f.z = 0.1f * s * q;
  } else {
    float q = 2.0f * p - 1.0f;
    f.x = s * (0.5f - q);
    f.y = 0.02f * h * q * (q - 1.0f);
    f.z = 0.1f * s * (1.0f - q);
  }
  foot[id] = f;
}

// Friction: stick, or slip in either direction (Stribeck).
extern "C" __global__ void stribeck(float *force, const float *velocity, const float *push, const float *normal, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float v = velocity[id], fp = push[id], fn = normal[id];
  float peak = 0.6f * fn, slide = 0.4f * fn, f;
  if (v > 0.01f) {
    float r = v / 0.1f;
    f = -(slide + (peak - slide) * expf(-r * r)) - 0.05f * v;
  } else if (v < -0.01f) {
    float r = v / 0.1f;
    f = (slide + (peak - slide) * expf(-r * r)) - 0.05f * v;
  } else {
    f = fabsf(fp) < peak ? -fp : (fp > 0 ? -peak : peak);
  }
  force[id] = f;
}

// Median of three sensors, or the mean of two when one has failed.
extern "C" __global__ void voting(float *value, unsigned *alarms, const float *a, const float *b, const float *c, const unsigned char *valid,
                                  unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float x = a[id], y = b[id], z = c[id], r;
  unsigned v = valid[id];
  if (v == 7) {
    r = fmaxf(fminf(x, y), fminf(fmaxf(x, y), z));
    if (fabsf(r - x) > 5.0f || fabsf(r - y) > 5.0f || fabsf(r - z) > 5.0f) alarms[id] |= 1;
  } else if (v == 3) {
    r = 0.5f * (x + y);
    if (fabsf(x - y) > 5.0f) alarms[id] |= 2;
  } else if (v == 5) {
    r = 0.5f * (x + z);
    if (fabsf(x - z) > 5.0f) alarms[id] |= 2;
  } else if (v == 6) {
    r = 0.5f * (y + z);
    if (fabsf(y - z) > 5.0f) alarms[id] |= 2;
  } else {
    r = -1;
    alarms[id] |= 4;
  }
  value[id] = r;
}

// A valve with hysteresis: opening and closing follow different curves from tables in memory.
extern "C" __global__ void valve_curve(float *flow, const float *stem, const float *old_stem, const float *up, const float *down, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float s = stem[id] * 31.0f;
  int k = (int)s;
  float w = s - k;
  if (stem[id] >= old_stem[id])
    flow[id] = up[k] + w * (up[k + 1] - up[k]);
  else
    flow[id] = down[k] + w * (down[k + 1] - down[k]);
}

// Batteries: charging and discharging have different resistances and limits.
extern "C" __global__ void battery(float *charge, float *heat, const float *current, const float *temperature, float dt, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float q = charge[id], i = current[id], t = temperature[id];
  float cold = t < 10.0f ? 1.0f + 0.05f * (10.0f - t) : 1.0f;
  if (i >= 0) {
    float r = 0.02f * cold * (1.0f + 2.0f * q * q);
    float most = (1.0f - q) * 40.0f;
    i = i > most ? most : i;
    q += 0.97f * i * dt / 50.0f;
    heat[id] += i * i * r * dt;
  } else {
    float r = 0.03f * cold * (1.0f + 3.0f * (1.0f - q) * (1.0f - q));
    float most = -q * 60.0f;
    i = i < most ? most : i;
    q += i * dt / 50.0f;
    heat[id] += i * i * r * dt * 1.1f;
  }
  charge[id] = q;
}

// Inverse kinematics of a two-link arm: elbow up, elbow down, or out of reach.
extern "C" __global__ void two_link(float2 *joint, const float2 *target, const unsigned char *elbow, float l1, float l2, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  float2 t = target[id], j;
  float d2 = t.x * t.x + t.y * t.y;
  float c = (d2 - l1 * l1 - l2 * l2) / (2 * l1 * l2);
  if (c > 1.0f || c < -1.0f) {
    float r = rsqrtf(d2 + 1e-6f);
    j.x = t.y * r;
    j.y = 0;
  } else {
    float s = sqrtf(1.0f - c * c);
    if (elbow[id]) {
      j.x = (t.y * (l1 + l2 * c) - t.x * l2 * s) / d2;
      j.y = s;
    } else {
      j.x = (t.y * (l1 + l2 * c) + t.x * l2 * s) / d2;
      j.y = -s;
    }
  }
  joint[id] = j;
}

// Packets of a field bus: by function code, registers are read, written or counted.
extern "C" __global__ void field_bus(unsigned short *registers, unsigned short *reply, const uchar4 *frames, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  uchar4 f = frames[id];
  unsigned address = (id * 4 + (f.y & 3)), value = f.z << 8 | f.w;
  unsigned short answer;
  if (f.x == 3)
    answer = registers[address];
  else if (f.x == 6) {
    registers[address] = value;
    answer = value;
  } else if (f.x == 22) {
    unsigned old = registers[address];
    registers[address] = (old & f.z) | (f.w & ~f.z & 0xff);
    answer = old;
  } else
    answer = 0x8000 | f.x;
  reply[id] = answer;
}

// Elevators: which way to go next, from the calls above and below.
extern "C" __global__ void elevators(int *direction, int *next, const unsigned *calls, const int *floor, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  int at = floor[id], dir = direction[id];
  unsigned all = calls[id];
  unsigned above = at < 31 ? all >> (at + 1) : 0, below = all & ((1u << at) - 1);
  int to = at;
  if (dir >= 0) {
    if (above) to = at + __ffs(above);
    else if (below) { to = 31 - __clz(below); dir = -1; }
    else dir = 0;
  } else {
    if (below) to = 31 - __clz(below);
    else if (above) { to = at + __ffs(above); dir = 1; }
    else dir = 0;
  }
  direction[id] = dir;
  next[id] = to;
}

// Two kinds of springs in one list: linear ones and ones that only pull.
extern "C" __global__ void springs(float2 *force, const float2 *place, const int2 *ends, const float *length, const float *stiffness,
                                   const unsigned char *rope, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  int2 e = ends[id];
  float2 a = place[e.x], b = place[e.y], d;
  d.x = b.x - a.x;
  d.y = b.y - a.y;
  float l = sqrtf(d.x * d.x + d.y * d.y) + 1e-6f, f;
  if (rope[id]) {
    float s = l - length[id];
    f = s > 0 ? stiffness[id] * s * (1 + 0.5f * s) : 0;
  } else {
    float s = l - length[id];
    f = stiffness[id] * s;
  }
  force[id].x = f * d.x / l;
  force[id].y = f * d.y / l;
}

// A sawtooth, a triangle, a square or a sine by table, one oscillator a thread, by the mode in its low bits.
extern "C" __global__ void oscillators(float *wave, unsigned *phase, const unsigned *setting, const float *table, unsigned n) {
  unsigned id = TID;
  if (id >= n) return;
  unsigned p = phase[id] + (setting[id] >> 2);
  phase[id] = p;
  float x = (int)p * (1.0f / 2147483648.0f), y;
  switch (setting[id] & 3) {
  case 0: y = x; break;
  case 1: y = 2.0f * fabsf(x) - 1.0f; break;
  case 2: y = x < 0 ? -1.0f : 1.0f; break;
  default: y = table[p >> 26];
  }
  wave[id] = y;
}
