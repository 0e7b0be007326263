// The parts of HIP that blend.hip uses, so that the example builds with clang alone. If ROCm is installed, use its
// headers instead (cmake -DHIP_INCLUDE=/opt/rocm/include); the names and the ABI are the same.
#pragma once
#include <stddef.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

enum hipError_t { hipSuccess = 0 };
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };
typedef struct ihipStream_t *hipStream_t;

struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// The functions that clang calls for `kernel<<<grid, block>>>(...)`, and those that the program calls.
extern "C" {
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream);
hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, hipStream_t stream);
hipError_t hipMalloc(void **pointer, size_t size);
hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind);
hipError_t hipGetLastError();
}

struct darm_thread_index {
  __declspec(property(get = get_x)) unsigned x;
  static inline __attribute__((device, always_inline)) unsigned get_x() { return __builtin_amdgcn_workitem_id_x(); }
};
extern const __device__ __attribute__((weak)) darm_thread_index threadIdx;

static inline __attribute__((device, always_inline, convergent)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
