// Declarations of device library functions that HIP 7.2's headers call and that neither they nor clang 23 declare: HIP
// expects them from an older clang (the half precision ones, and float ones of hip_bf16.h).
#ifndef DARM_HIP_DECLARATIONS_H
#define DARM_HIP_DECLARATIONS_H
#if defined(__HIP__) && defined(__HIP_DEVICE_COMPILE__)

extern "C" {
__attribute__((device, pure)) float __ocml_exp_f32(float);
__attribute__((device, pure)) float __ocml_exp2_f32(float);
__attribute__((device, pure)) float __ocml_exp10_f32(float);
__attribute__((device, pure)) float __ocml_log_f32(float);
__attribute__((device, pure)) float __ocml_log2_f32(float);
__attribute__((device, pure)) float __ocml_log10_f32(float);
__attribute__((device, const)) _Float16 __ocml_ceil_f16(_Float16);
__attribute__((device, pure)) _Float16 __ocml_exp_f16(_Float16);
__attribute__((device, pure)) _Float16 __ocml_exp10_f16(_Float16);
__attribute__((device, pure)) _Float16 __ocml_exp2_f16(_Float16);
__attribute__((device, const)) _Float16 __ocml_floor_f16(_Float16);
__attribute__((device, const)) _Float16 __ocml_fma_f16(_Float16, _Float16, _Float16);
__attribute__((device, const)) _Float16 __ocml_fabs_f16(_Float16);
__attribute__((device, const)) int __ocml_isinf_f16(_Float16);
__attribute__((device, const)) int __ocml_isnan_f16(_Float16);
__attribute__((device, pure)) _Float16 __ocml_log_f16(_Float16);
__attribute__((device, pure)) _Float16 __ocml_log10_f16(_Float16);
__attribute__((device, pure)) _Float16 __ocml_log2_f16(_Float16);
__attribute__((device, const)) _Float16 __ocml_rint_f16(_Float16);
__attribute__((device, const)) _Float16 __ocml_sqrt_f16(_Float16);
__attribute__((device, const)) _Float16 __ocml_trunc_f16(_Float16);
__attribute__((device, const)) _Float16 __ocml_fmax_f16(_Float16, _Float16);
__attribute__((device, const)) _Float16 __ocml_fmin_f16(_Float16, _Float16);
__attribute__((device, const)) float __ockl_fdot2(__2f16 a, __2f16 b, float c, bool s);
__attribute__((device, const)) __2f16 __ocml_ceil_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_fabs_2f16(__2f16);
__attribute__((device)) __2f16 __ocml_cos_2f16(__2f16);
__attribute__((device, pure)) __2f16 __ocml_exp_2f16(__2f16);
__attribute__((device, pure)) __2f16 __ocml_exp10_2f16(__2f16);
__attribute__((device, pure)) __2f16 __ocml_exp2_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_floor_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_fma_2f16(__2f16, __2f16, __2f16);
__attribute__((device, const)) __2i16 __ocml_isinf_2f16(__2f16);
__attribute__((device, const)) __2i16 __ocml_isnan_2f16(__2f16);
__attribute__((device, pure)) __2f16 __ocml_log_2f16(__2f16);
__attribute__((device, pure)) __2f16 __ocml_log10_2f16(__2f16);
__attribute__((device, pure)) __2f16 __ocml_log2_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_rint_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_rsqrt_2f16(__2f16);
__attribute__((device)) __2f16 __ocml_sin_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_sqrt_2f16(__2f16);
__attribute__((device, const)) __2f16 __ocml_trunc_2f16(__2f16);
}

#endif
#endif
