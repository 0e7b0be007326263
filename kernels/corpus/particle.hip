// Particles: forces with a reach, springs, collisions.
#include <hip/hip_runtime.h>

// Molecular dynamics by a list of neighbours: only those within the cut-off act.
extern "C" __global__ void lennard_jones(float *force, float *energy, const float *position, const int *starts,
                                         const int *neighbours, float cut, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = position[3 * i], y = position[3 * i + 1], z = position[3 * i + 2];
  float fx = 0, fy = 0, fz = 0, e = 0;
  for (int k = starts[i]; k < starts[i + 1]; ++k) {
    const int j = neighbours[k];
    const float dx = x - position[3 * j], dy = y - position[3 * j + 1], dz = z - position[3 * j + 2];
    const float r2 = dx * dx + dy * dy + dz * dz + 0.05f;
    if (r2 < cut * cut) {
      const float inverse = 1.0f / r2, r6 = inverse * inverse * inverse;
      const float f = 24.0f * r6 * (2.0f * r6 - 1.0f) * inverse;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
      e += 4.0f * r6 * (r6 - 1.0f);
    }
  }
  force[3 * i] = fx;
  force[3 * i + 1] = fy;
  force[3 * i + 2] = fz;
  energy[i] = e;
}

// Charged atoms: a switched potential between two radii, plain inside.
extern "C" __global__ void switched_coulomb(float *energy, const float *position, const float *charge, float inner, float outer,
                                            int n) {
  __shared__ float tile[64 * 4];
  const int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x;
  const int mine = i < n ? i : n - 1;
  const float x = position[3 * mine], y = position[3 * mine + 1], z = position[3 * mine + 2], q = charge[mine];
  float e = 0;
  for (int first = 0; first < n; first += 64) {
    const int j = first + t < n ? first + t : n - 1;
    tile[4 * t] = position[3 * j];
    tile[4 * t + 1] = position[3 * j + 1];
    tile[4 * t + 2] = position[3 * j + 2];
    tile[4 * t + 3] = first + t < n ? charge[j] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      const float dx = x - tile[4 * k], dy = y - tile[4 * k + 1], dz = z - tile[4 * k + 2];
      const float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < outer * outer && first + k != i) {
        const float r = sqrtf(r2 + 0.01f), plain = q * tile[4 * k + 3] / r;
        if (r < inner)
          e += plain;
        else {
          const float s = (outer - r) / (outer - inner);
          e += plain * s * s * (3.0f - 2.0f * s);
        }
      }
    }
    __syncthreads();
  }
  if (i < n)
    energy[i] = e;
}

// Positions and speeds, reflected at the walls of a box.
extern "C" __global__ void bounce_in_box(float *position, float *speed, const float *acceleration, float step, float size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int axis = 0; axis < 2; ++axis) {
    float v = speed[2 * i + axis] + step * acceleration[2 * i + axis], p = position[2 * i + axis] + step * v;
    if (p < 0) {
      p = -p;
      v = -0.8f * v;
    } else if (p > size) {
      p = 2 * size - p;
      v = -0.8f * v;
    }
    position[2 * i + axis] = p;
    speed[2 * i + axis] = v;
  }
}

// Cloth: springs to neighbours in a grid, pinned points stay.
extern "C" __global__ void cloth_springs(float *force, const float *position, const unsigned char *pinned, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int i = y * width + x;
  float fx = 0, fy = -9.81f;
  if (pinned[i])
    fy = 0;
  else {
    const int dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
    for (int k = 0; k < 4; ++k) {
      const int u = x + dx[k], v = y + dy[k];
      if (u < 0 || v < 0 || u >= width || v >= height)
        continue;
      const int j = v * width + u;
      const float ex = position[2 * j] - position[2 * i], ey = position[2 * j + 1] - position[2 * i + 1];
      const float length = sqrtf(ex * ex + ey * ey) + 1e-6f;
      const float stiffness = length > 1.1f ? 200.0f : 80.0f;
      const float f = stiffness * (length - 1.0f) / length;
      fx += f * ex;
      fy += f * ey;
    }
  }
  force[2 * i] = fx;
  force[2 * i + 1] = fy;
}

// Discs in a grid of cells: looks at nine cells, pushes overlapping ones apart.
extern "C" __global__ void collide_grid(float *push, const float *position, const int *starts, const int *discs, int cells,
                                        float radius, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = position[2 * i], y = position[2 * i + 1];
  const int cx = (int)x, cy = (int)y;
  float px = 0, py = 0;
  for (int v = cy - 1; v <= cy + 1; ++v) {
    if (v < 0 || v >= cells)
      continue;
    for (int u = cx - 1; u <= cx + 1; ++u) {
      if (u < 0 || u >= cells)
        continue;
      const int cell = v * cells + u;
      for (int k = starts[cell]; k < starts[cell + 1]; ++k) {
        const int j = discs[k];
        if (j == i)
          continue;
        const float dx = x - position[2 * j], dy = y - position[2 * j + 1], d2 = dx * dx + dy * dy;
        if (d2 < 4 * radius * radius && d2 > 1e-9f) {
          const float d = sqrtf(d2), depth = 2 * radius - d;
          px += 0.5f * depth * dx / d;
          py += 0.5f * depth * dy / d;
        }
      }
    }
  }
  push[2 * i] = px;
  push[2 * i + 1] = py;
}

// Smoothed particles: the kernel of the sum has two ranges.
extern "C" __global__ void sph_density(float *density, const float *position, float h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = position[2 * i], y = position[2 * i + 1];
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    const float dx = x - position[2 * j], dy = y - position[2 * j + 1];
    const float q = sqrtf(dx * dx + dy * dy) / h;
    if (q < 1.0f)
      sum += 1.0f - 1.5f * q * q + 0.75f * q * q * q;
    else if (q < 2.0f)
      sum += 0.25f * (2.0f - q) * (2.0f - q) * (2.0f - q);
  }
  density[i] = sum;
}

// Contacts of grains: sticking or sliding friction.
extern "C" __global__ void contact_friction(float *normal, float *tangential, const float *overlap, const float *speed,
                                            const float *slip, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float depth = overlap[i];
  float fn = 0, ft = 0;
  if (depth > 0) {
    fn = 1000.0f * depth * sqrtf(depth) - 5.0f * speed[i];
    if (fn < 0)
      fn = 0;
    const float trial = -500.0f * slip[i], most = 0.4f * fn;
    if (fabsf(trial) <= most)
      ft = trial;
    else if (trial > 0)
      ft = most;
    else
      ft = -most;
  }
  normal[i] = fn;
  tangential[i] = ft;
}

// Birds: separation when near, alignment and cohesion when farther.
extern "C" __global__ void flocking(float *steer, const float *birds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = birds[4 * i], y = birds[4 * i + 1];
  float sx = 0, sy = 0, ax = 0, ay = 0;
  int near = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i)
      continue;
    const float dx = birds[4 * j] - x, dy = birds[4 * j + 1] - y, d2 = dx * dx + dy * dy;
    if (d2 < 1.0f) {
      sx -= dx / (d2 + 0.01f);
      sy -= dy / (d2 + 0.01f);
    } else if (d2 < 9.0f) {
      ax += birds[4 * j + 2] + 0.1f * dx;
      ay += birds[4 * j + 3] + 0.1f * dy;
      ++near;
    }
  }
  if (near > 0) {
    sx += ax / (float)near;
    sy += ay / (float)near;
  }
  steer[2 * i] = sx;
  steer[2 * i + 1] = sy;
}

// Electrons in a field: those that hit the anode or a wall are born again at the cathode.
extern "C" __global__ void push_electrons(float *position, float *speed, unsigned *state, int *current, const float *field,
                                          float length, int cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = position[i], v = speed[i];
  const int cell = min(cells - 1, (int)(x / length * (float)cells));
  v += 0.05f * field[cell];
  x += v * 0.05f;
  if (x >= length) {
    atomicAdd(current, 1);
    const unsigned s = state[i] * 1664525u + 1013904223u;
    state[i] = s;
    x = (float)(s >> 16) * 1e-6f;
    v = 0;
  } else if (x < 0) {
    x = -x;
    v = -v;
  }
  position[i] = x;
  speed[i] = v;
}
