// Rays, trees in space, volumes, fractals.
#include <hip/hip_runtime.h>

// Spheres: the nearest hit from outside or from inside.
extern "C" __global__ void ray_spheres(float *distance, int *which, const float *rays, const float *spheres, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float dx = rays[3 * i], dy = rays[3 * i + 1], dz = rays[3 * i + 2];
  float nearest = 1e30f;
  int hit = -1;
  for (int k = 0; k < count; ++k) {
    const float cx = spheres[4 * k], cy = spheres[4 * k + 1], cz = spheres[4 * k + 2], r = spheres[4 * k + 3];
    const float b = dx * cx + dy * cy + dz * cz, c = cx * cx + cy * cy + cz * cz - r * r;
    const float discriminant = b * b - c;
    if (discriminant < 0)
      continue;
    const float root = sqrtf(discriminant);
    float t;
    if (c > 0)
      t = b - root;
    else
      t = b + root;
    if (t > 1e-4f && t < nearest) {
      nearest = t;
      hit = k;
    }
  }
  distance[i] = nearest;
  which[i] = hit;
}

// Slab test of boxes, where a ray may be parallel to a side.
extern "C" __global__ void ray_boxes(int *hits, const float *origins, const float *directions, const float *boxes, int count,
                                     int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int total = 0;
  for (int k = 0; k < count; ++k) {
    float enter = 0, leave = 1e30f;
    bool missed = false;
    for (int axis = 0; axis < 3; ++axis) {
      const float o = origins[3 * i + axis], d = directions[3 * i + axis];
      const float low = boxes[6 * k + axis], high = boxes[6 * k + 3 + axis];
      if (fabsf(d) < 1e-6f) {
        if (o < low || o > high)
          missed = true;
      } else {
        float a = (low - o) / d, b = (high - o) / d;
        if (a > b) {
          const float swap = a;
          a = b;
          b = swap;
        }
        enter = fmaxf(enter, a);
        leave = fminf(leave, b);
      }
    }
    if (!missed && enter <= leave)
      ++total;
  }
  hits[i] = total;
}

// A hierarchy of boxes with a stack in LDS: inner nodes push children, leaves test spheres.
extern "C" __global__ void traverse_hierarchy(int *hits, int *visits, const float *points, const float *nodes,
                                              const int *children, float radius, int n) {
  __shared__ int stacks[24 * 64];
  int *stack = stacks + threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
  int top = 0, found = 0, visited = 0;
  stack[0] = 0;
  top = 1;
  while (top > 0) {
    const int node = stack[--top * 64];
    ++visited;
    const float dx = nodes[4 * node] - x, dy = nodes[4 * node + 1] - y, dz = nodes[4 * node + 2] - z;
    const float square = dx * dx + dy * dy + dz * dz, reach = nodes[4 * node + 3] + radius;
    if (square > reach * reach)
      continue;
    const int left = children[2 * node], right = children[2 * node + 1];
    if (left < 0)
      ++found;
    else {
      stack[top++ * 64] = left;
      stack[top++ * 64] = right;
    }
  }
  hits[i] = found;
  visits[i] = visited;
}

// Nearest neighbour in a k-d tree in heap order: first the side of the point, then the other if it may be nearer.
extern "C" __global__ void nearest_kd(int *nearest, const float *queries, const float *points, int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = queries[2 * i], y = queries[2 * i + 1];
  float best = 1e30f;
  int result = -1, node = 0, depth = 0, from = -1;
  // Walks without a stack: where it came from says what is left to do.
  while (node >= 0) {
    const float px = points[2 * node], py = points[2 * node + 1];
    const float offset = depth & 1 ? y - py : x - px;
    const int near = offset < 0 ? 2 * node + 1 : 2 * node + 2, far = offset < 0 ? 2 * node + 2 : 2 * node + 1;
    int next = node == 0 ? -1 : (node - 1) / 2;
    if (from == -1) {
      const float square = (x - px) * (x - px) + (y - py) * (y - py);
      if (square < best) {
        best = square;
        result = node;
      }
      if (near < size)
        next = near;
      else if (far < size && offset * offset < best)
        next = far;
    } else if (from == near) {
      if (far < size && offset * offset < best)
        next = far;
    }
    if (next > node) {
      from = -1;
      ++depth;
    } else {
      from = node;
      --depth;
    }
    node = next;
  }
  nearest[i] = result;
}

// Marches through a volume until it is opaque or leaves.
extern "C" __global__ void march_volume(float *colour, const float *density, int side, float limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int x = i % side, y = i / side % side;
  float light = 0, through = 1;
  for (int z = 0; z < side; ++z) {
    const float d = density[(z * side + y) * side + x];
    if (d < 0.3f)
      continue;
    float opacity, emission;
    if (d < 0.6f) {
      opacity = 0.2f * d;
      emission = 0.5f * d;
    } else {
      opacity = 0.8f * d;
      emission = 1.5f * d - 0.4f;
    }
    light += through * opacity * emission;
    through *= 1 - opacity;
    if (through < limit)
      break;
  }
  colour[i] = light;
}

// Shades hits by their material: none, matte, shiny, glass.
extern "C" __global__ void shade_materials(float *out, const float *normals, const unsigned char *material, const float *albedo,
                                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float nx = normals[3 * i], ny = normals[3 * i + 1], nz = normals[3 * i + 2];
  const float diffuse = fmaxf(0.0f, 0.3f * nx + 0.6f * ny + 0.74f * nz);
  float value;
  switch (material[i]) {
  case 0:
    value = 0.1f;
    break;
  case 1:
    value = albedo[i] * diffuse;
    break;
  case 2: {
    const float r = 2 * diffuse * nz - 0.74f, r2 = fmaxf(r, 0.0f) * fmaxf(r, 0.0f), r4 = r2 * r2, r8 = r4 * r4;
    value = albedo[i] * diffuse + 0.5f * r8 * r8;
    break;
  }
  default: {
    const float c = fabsf(nz), k = 1 - 0.44f * (1 - c * c);
    if (k < 0.6f)
      value = 0.9f;
    else {
      const float m = 1 - c, m2 = m * m;
      value = 0.04f + 0.96f * m2 * m2 * m;
    }
  }
  }
  out[i] = value;
}

// Spheres and boxes as distance fields; steps until a surface is near.
extern "C" __global__ void march_distances(float *depth, const float *rays, const float *shapes, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float dx = rays[3 * i], dy = rays[3 * i + 1], dz = rays[3 * i + 2];
  float t = 0;
  for (int step = 0; step < 24; ++step) {
    float least = 1e30f;
    for (int k = 0; k < count; ++k) {
      const float px = t * dx - shapes[5 * k], py = t * dy - shapes[5 * k + 1], pz = t * dz - shapes[5 * k + 2];
      const float r = shapes[5 * k + 3];
      float d;
      if (shapes[5 * k + 4] > 0)
        d = sqrtf(px * px + py * py + pz * pz) - r;
      else {
        const float qx = fmaxf(fabsf(px) - r, 0.0f), qy = fmaxf(fabsf(py) - r, 0.0f), qz = fmaxf(fabsf(pz) - r, 0.0f);
        d = sqrtf(qx * qx + qy * qy + qz * qz) - 0.05f;
      }
      least = fminf(least, d);
    }
    if (least < 0.001f)
      break;
    t += least;
    if (t > 20.0f) {
      t = 20.0f;
      break;
    }
  }
  depth[i] = t;
}

// Julia sets: quadratic left, cubic right.
extern "C" __global__ void julia_pair(unsigned char *steps, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float re = 3.0f * (float)(x % (width / 2)) / (float)(width / 2) - 1.5f, im = 2.4f * (float)y / (float)height - 1.2f;
  int k = 0;
  if (x < width / 2) {
    while (k < 60 && re * re + im * im < 4.0f) {
      const float t = re * re - im * im - 0.7f;
      im = 2 * re * im + 0.27f;
      re = t;
      ++k;
    }
  } else {
    while (k < 60 && re * re + im * im < 4.0f) {
      const float t = re * (re * re - 3 * im * im) - 0.4f;
      im = im * (3 * re * re - im * im) + 0.1f;
      re = t;
      ++k;
    }
  }
  steps[y * width + x] = k;
}

// Pixels of a triangle list by edge functions, with a depth test.
extern "C" __global__ void rasterise(unsigned *image, const float *triangles, int count, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float px = (float)x + 0.5f, py = (float)y + 0.5f;
  float depth = 1e30f;
  unsigned colour = 0;
  for (int k = 0; k < count; ++k) {
    const float *v = triangles + 7 * k;
    const float a = (v[2] - v[0]) * (py - v[1]) - (v[3] - v[1]) * (px - v[0]);
    const float b = (v[4] - v[2]) * (py - v[3]) - (v[5] - v[3]) * (px - v[2]);
    const float c = (v[0] - v[4]) * (py - v[5]) - (v[1] - v[5]) * (px - v[4]);
    if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0)) {
      const float z = v[6] + 0.001f * a;
      if (z < depth) {
        depth = z;
        colour = k + 1;
      }
    }
  }
  image[y * width + x] = colour;
}
