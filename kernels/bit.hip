// BIT: bitonic.hip for a block size from outside.
#define NUM SIZE
#define bitonic KERNEL
#include "bitonic.hip"
