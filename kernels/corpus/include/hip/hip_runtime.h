// What the corpus uses of HIP's device side beyond the header of the other kernels: math, bits and atomics. As there,
// every function becomes clang builtins, so that a module holds nothing but the kernels' own code.
#pragma once
#include_next <hip/hip_runtime.h>

#define CORPUS_DEVICE static __inline__ __attribute__((device, always_inline))

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
CORPUS_DEVICE float expf(float x) { return __builtin_expf(x); }
CORPUS_DEVICE float exp2f(float x) { return __builtin_exp2f(x); }
CORPUS_DEVICE float logf(float x) { return __builtin_logf(x); }
CORPUS_DEVICE float log2f(float x) { return __builtin_log2f(x); }
CORPUS_DEVICE float __sinf(float x) { return __builtin_sinf(x); }
CORPUS_DEVICE float __cosf(float x) { return __builtin_cosf(x); }
CORPUS_DEVICE float __powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
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
