// See ../__clang_hip_runtime_wrapper.h.
#pragma push_macro("__DARM_LEAN")
#define __DARM_LEAN
#include_next <hip/hip_runtime.h>
#pragma pop_macro("__DARM_LEAN")
