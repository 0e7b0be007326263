// Rays against the primitives of a leaf of a bounding volume hierarchy, triangles and spheres mixed: every ray has a leaf of its
// own and looks for the nearest hit. The triangle test is Moeller and Trumbore's, the sphere's the quadratic equation.
//
// Divergent: the length of the leaf, the kind of the primitive, and how early a test can say no.
// A primitive is nine floats: a vertex and two edges, or centre and radius.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL raytri
#endif

struct Vector {
  float x, y, z;
};

static const float FAR = 1e30f;

static __device__ __forceinline__ Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static __device__ __forceinline__ float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static __device__ __forceinline__ Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static __device__ __forceinline__ Vector load(const float *at) { return {at[0], at[1], at[2]}; }

static __device__ __forceinline__ float triangle(Vector origin, Vector direction, const float *primitive) {
  const Vector first = load(primitive + 3), second = load(primitive + 6);
  const Vector p = cross(direction, second);
  const float determinant = dot(first, p);
  if (__builtin_fabsf(determinant) < 1e-6f)
    return FAR; // parallel
  const float scale = 1.0f / determinant;
  const Vector from = origin - load(primitive);
  const float u = dot(from, p) * scale;
  if (u < 0.0f || u > 1.0f)
    return FAR;
  const Vector q = cross(from, first);
  const float v = dot(direction, q) * scale;
  if (v < 0.0f || u + v > 1.0f)
    return FAR;
  return dot(second, q) * scale;
}

static __device__ __forceinline__ float sphere(Vector origin, Vector direction, const float *primitive) {
  const Vector from = origin - load(primitive);
  const float radius = primitive[3];
  const float a = dot(direction, direction);
  const float b = dot(from, direction);
  const float c = dot(from, from) - radius * radius;
  const float discriminant = b * b - a * c;
  if (discriminant < 0.0f)
    return FAR;
  const float root = __builtin_sqrtf(discriminant);
  const float near = (-b - root) / a;
  return near > 0.0f ? near : (root - b) / a; // from inside the sphere the far one
}

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(float *distances, unsigned *hits, const float *origins,
                                                          const float *directions, const unsigned *leaves,
                                                          const unsigned char *counts, const float *primitives,
                                                          const unsigned char *spheres) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  const Vector origin = load(origins + 3 * gid);
  const Vector direction = load(directions + 3 * gid);
  const unsigned first = leaves[gid];
  const unsigned end = first + counts[gid];
  float nearest = FAR;
  unsigned hit = ~0u;
  for (unsigned at = first; at < end; ++at) {
    const float *primitive = primitives + 9 * at;
    const float t = spheres[at] ? sphere(origin, direction, primitive) : triangle(origin, direction, primitive);
    if (t > 0.0f && t < nearest) {
      nearest = t;
      hit = at;
    }
  }
  distances[gid] = nearest;
  hits[gid] = hit;
}
