// The part of HIP's device side that the kernels in this folder use, so that stock clang compiles them without ROCm.
//
// Device only: there is no host API and no library behind it (build.sh passes --offload-device-only -nogpuinc -nogpulib).
// Every function is inlined to clang builtins, so a module holds nothing but the kernels' own code, whatever the level of
// optimisation. Not here, on purpose: math functions, atomics (use clang's builtins), textures, cooperative groups, printf.
//
// What a kernel may ask of whoever launches it (code object version 6, the AMDHSA ABI):
//   threadIdx          work-item id registers
//   blockIdx           workgroup id registers
//   blockDim, gridDim  hidden arguments: u32 block_count[3] at offset 0, u16 group_size[3] at offset 12
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
// As ROCm's header has it: clang's own launch_bounds attribute does nothing for AMD targets.
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))

#define DARM_INLINE static __inline__ __attribute__((device, always_inline))

// The hidden 32-bit argument at byte OFFSET; address space 4 is constant memory.
DARM_INLINE unsigned darm_hidden_u32(unsigned offset) {
  typedef const __attribute__((address_space(4))) char *bytes;
  typedef const __attribute__((address_space(4))) unsigned *words;
  return *(words)((bytes)__builtin_amdgcn_implicitarg_ptr() + offset);
}

// Coordinates are properties with static getters: `threadIdx.x` is a call that needs no object. As with ROCm's header, clang
// declares the variable in unoptimised modules all the same: an undefined weak symbol that nothing refers to.
#define DARM_GETTER(field, expression)                                                                                         \
  __declspec(property(get = get_##field)) unsigned field;                                                                      \
  DARM_INLINE unsigned get_##field() { return expression; }
#define DARM_COORDINATE(name, ex, ey, ez)                                                                                      \
  struct darm_##name {                                                                                                         \
    DARM_GETTER(x, ex)                                                                                                         \
    DARM_GETTER(y, ey)                                                                                                         \
    DARM_GETTER(z, ez)                                                                                                         \
  };                                                                                                                           \
  extern const __device__ __attribute__((weak)) darm_##name name;

DARM_COORDINATE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
DARM_COORDINATE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
DARM_COORDINATE(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
DARM_COORDINATE(gridDim, darm_hidden_u32(0), darm_hidden_u32(4), darm_hidden_u32(8))

// Barrier of the workgroup that also orders LDS and global memory between its threads: release, meet, acquire.
static __inline__ __attribute__((device, always_inline, convergent)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#undef DARM_GETTER
#undef DARM_COORDINATE
#undef DARM_INLINE
