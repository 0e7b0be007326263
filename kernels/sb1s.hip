// SB1 (sb1.hip) at the block size SIZE, as the kernel KERNEL. sb1.hip itself is compiled once, for 64.
#define sb1 KERNEL
#include "sb1.hip"
