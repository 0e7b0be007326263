// SB3 (sb3.hip) at the block size SIZE, as the kernel KERNEL. sb3.hip itself is compiled once, for 64.
#define sb3 KERNEL
#include "sb3.hip"
