// SB4 (sb4.hip) with conditions of different values: on the thread's id, then on data. Nothing makes a `switch` of this chain.
#define IS_D2 ((tid ^ (step >> 1)) & 1)
#define IS_D4 ((in[gid] >> step) & 1)
#include "sb4.hip"
