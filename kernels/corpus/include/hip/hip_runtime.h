// What the corpus uses of HIP's device side beyond the header of the other kernels: vectors, math, bits and atomics. As
// there, every function becomes clang builtins, so that a module holds nothing but the kernels' own code. For NVIDIA's
// target, which bench:gpu measures, also what that header has for AMD's.
#pragma once
#define CORPUS_DEVICE static __inline__ __attribute__((device, always_inline))

#ifndef __NVPTX__
#include_next <hip/hip_runtime.h>
#else
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))
#define CORPUS_COORDINATE(name, sreg)                                                                                  \
  struct corpus_##name {                                                                                               \
    __declspec(property(get = get_x)) unsigned x;                                                                      \
    __declspec(property(get = get_y)) unsigned y;                                                                      \
    CORPUS_DEVICE unsigned get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); }                                       \
    CORPUS_DEVICE unsigned get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); }                                       \
  };                                                                                                                   \
  extern const __device__ __attribute__((weak)) corpus_##name name;
CORPUS_COORDINATE(threadIdx, tid)
CORPUS_COORDINATE(blockIdx, ctaid)
CORPUS_COORDINATE(blockDim, ntid)
CORPUS_COORDINATE(gridDim, nctaid)
#undef CORPUS_COORDINATE
#define __HIP_MEMORY_SCOPE_WORKGROUP __MEMORY_SCOPE_WRKGRP
#define __HIP_MEMORY_SCOPE_AGENT __MEMORY_SCOPE_DEVICE
#define __hip_atomic_fetch_add __scoped_atomic_fetch_add
#define __hip_atomic_fetch_min __scoped_atomic_fetch_min
#define __hip_atomic_fetch_max __scoped_atomic_fetch_max
#define __hip_atomic_fetch_or __scoped_atomic_fetch_or
#define __hip_atomic_fetch_and __scoped_atomic_fetch_and
#define __hip_atomic_exchange __scoped_atomic_exchange_n
#define __hip_atomic_compare_exchange_strong(address, expected, value, success, failure, scope)                        \
  __scoped_atomic_compare_exchange_n(address, expected, value, false, success, failure, scope)
#endif

struct __attribute__((aligned(4))) uchar4 { unsigned char x, y, z, w; };
struct __attribute__((aligned(8))) int2 { int x, y; };
struct __attribute__((aligned(8))) float2 { float x, y; };
struct float3 { float x, y, z; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };

CORPUS_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
CORPUS_DEVICE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
CORPUS_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
CORPUS_DEVICE float floorf(float x) { return __builtin_floorf(x); }
CORPUS_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
CORPUS_DEVICE float truncf(float x) { return __builtin_truncf(x); }
CORPUS_DEVICE float rintf(float x) { return __builtin_rintf(x); }
CORPUS_DEVICE float fminf(float x, float y) { return __builtin_fminf(x, y); }
CORPUS_DEVICE float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
CORPUS_DEVICE float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
#ifndef __NVPTX__
CORPUS_DEVICE float expf(float x) { return __builtin_expf(x); }
CORPUS_DEVICE float exp2f(float x) { return __builtin_exp2f(x); }
CORPUS_DEVICE float logf(float x) { return __builtin_logf(x); }
CORPUS_DEVICE float log2f(float x) { return __builtin_log2f(x); }
CORPUS_DEVICE float __sinf(float x) { return __builtin_sinf(x); }
CORPUS_DEVICE float __powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
#else
CORPUS_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
CORPUS_DEVICE float expf(float x) { return exp2f(1.44269504f * x); }
CORPUS_DEVICE float log2f(float x) { return __nvvm_lg2_approx_f(x); }
CORPUS_DEVICE float logf(float x) { return 0.69314718f * log2f(x); }
CORPUS_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
CORPUS_DEVICE float __powf(float x, float y) { return exp2f(y * log2f(x)); }
#endif
CORPUS_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
CORPUS_DEVICE double fabs(double x) { return __builtin_fabs(x); }

CORPUS_DEVICE int abs(int x) { return __builtin_abs(x); }
CORPUS_DEVICE int min(int x, int y) { return x < y ? x : y; }
CORPUS_DEVICE int max(int x, int y) { return x > y ? x : y; }
CORPUS_DEVICE unsigned min(unsigned x, unsigned y) { return x < y ? x : y; }
CORPUS_DEVICE unsigned max(unsigned x, unsigned y) { return x > y ? x : y; }
CORPUS_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
CORPUS_DEVICE int __clz(unsigned x) { return x == 0 ? 32 : __builtin_clz(x); }
CORPUS_DEVICE int __ffs(unsigned x) { return __builtin_ffs((int)x); }
CORPUS_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
CORPUS_DEVICE unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x * y) >> 32); }
CORPUS_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
CORPUS_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
CORPUS_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
CORPUS_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }

#define CORPUS_ATOMIC(name, type, operation)                                                                           \
  CORPUS_DEVICE type name(type *address, type value) {                                                                 \
    return operation(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                      \
  }
#define CORPUS_ATOMICS(type)                                                                                           \
  CORPUS_ATOMIC(atomicAdd, type, __hip_atomic_fetch_add)                                                               \
  CORPUS_ATOMIC(atomicMin, type, __hip_atomic_fetch_min)                                                               \
  CORPUS_ATOMIC(atomicMax, type, __hip_atomic_fetch_max)                                                               \
  CORPUS_ATOMIC(atomicOr, type, __hip_atomic_fetch_or)                                                                 \
  CORPUS_ATOMIC(atomicAnd, type, __hip_atomic_fetch_and)                                                               \
  CORPUS_ATOMIC(atomicExch, type, __hip_atomic_exchange)                                                               \
  CORPUS_DEVICE type atomicCAS(type *address, type expected, type value) {                                             \
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,                \
                                         __HIP_MEMORY_SCOPE_AGENT);                                                    \
    return expected;                                                                                                   \
  }
CORPUS_ATOMICS(int)
CORPUS_ATOMICS(unsigned)

#undef CORPUS_ATOMICS
#undef CORPUS_ATOMIC
#undef CORPUS_DEVICE
