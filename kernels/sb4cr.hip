// SB4-R (sb4r.hip) with conditions of different values: on the thread's id, then on data. Nothing makes a `switch` of this chain.
#define IS_D2 ((tid ^ (step >> 1)) & 1)
#define IS_D4 ((right[0][tid] ^ (tid * 5)) & 4) // whatever the data become, threads of a wave differ
#include "sb4r.hip"
