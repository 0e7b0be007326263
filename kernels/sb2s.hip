// SB2 (sb2.hip) at the block size SIZE, as the kernel KERNEL. sb2.hip itself is compiled once, for 64.
#define sb2 KERNEL
#include "sb2.hip"
