// clang's wrapper includes all of <algorithm> and <complex>, and with these most of the C++ library, for sources that
// use them without saying so. In this folder `__DARM_LEAN` is defined while headers do so that nobody asked for; what
// the source itself includes comes whole. A source that fails with this folder is translated again without it.
#pragma push_macro("__DARM_LEAN")
#define __DARM_LEAN
#include_next <__clang_hip_runtime_wrapper.h>
#pragma pop_macro("__DARM_LEAN")
