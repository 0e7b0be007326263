// Kernels of many shapes in one module: for parallel work on functions, for refusals, for what has to stay as it is.
//
// Every kernel takes (out, in) over one element per thread, plus scalars where it needs them, in workgroups of SIZE threads;
// the comment above each says what melding is expected to find there. Expectations name rules of the melding rules by number
// and hold for the divergent branch the kernel exists for. No kernel has a data race: inside the branches a thread uses its own
// column of LDS, and what it reads of another's it reads after a barrier.
#include <hip/hip_runtime.h>

#define SIZE 128
#define KERNEL extern "C" __global__ __launch_bounds__(SIZE) void

static __device__ __forceinline__ unsigned thread() { return threadIdx.x; }
static __device__ __forceinline__ unsigned element() { return blockIdx.x * SIZE + threadIdx.x; }

// A device function that stays one, with a diamond of its own: device functions are melded like kernels. Its LDS is indexed
// by data, so that it cannot be held in registers and the diamond cannot become selects; the last
// operations differ, so that LLVM does not sink both sides into the join. Its calls diverge, so it has no barriers.
static __device__ __noinline__ unsigned scramble(unsigned value, unsigned salt) {
  __shared__ unsigned table[2][SIZE];
  const unsigned tid = thread();
  table[0][tid] = value;
  table[1][tid] = salt;
  if (value & 1) {
    unsigned a = table[salt & 1][tid] * 2654435761u;
    a ^= a >> 15;
    a = a * 9 + salt;
    table[a >> 31][tid] = a ^ (a << 6);
  } else {
    unsigned a = table[~salt & 1][tid] * 2246822519u;
    a ^= a >> 13;
    a = a * 9 + value;
    table[a >> 31][tid] = a - (a << 7);
  }
  return table[0][tid] ^ (table[1][tid] * 3);
}

// No divergent two-sided branch: nothing to meld.
KERNEL many_stream(float *out, const float *in, float scale) {
  const unsigned i = element();
  out[i] = in[i] * scale + in[i ^ 1];
}

// Diamond on integers, same operations, other constants and other LDS: melds, with selects.
KERNEL many_diamond(unsigned *out, const unsigned *in) {
  __shared__ unsigned left[SIZE], right[SIZE];
  const unsigned tid = thread(), i = element();
  left[tid] = in[i];
  right[tid] = in[i] + 7;
  __syncthreads();
  if (tid & 1) {
    unsigned a = left[tid];
    a = a * 5 + 3;
    a ^= a >> 9;
    a = a * 17 + tid;
    left[tid] = a ^ (a << 3);
  } else {
    unsigned a = right[tid];
    a = a * 7 + 11;
    a ^= a >> 5;
    a = a * 13 + tid;
    right[tid] = a ^ (a << 4);
  }
  __syncthreads();
  out[i] = left[tid] - right[tid ^ 1];
}

// Diamond on binary32 and global memory, data-dependent; runs of one side have no partner: melds in part.
KERNEL many_quantize(float *out, const float *in, float step) {
  const unsigned i = element();
  const float value = in[i];
  if (value < 0.0f) {
    float a = -value + step * 0.5f;
    a = __builtin_floorf(a / step);
    out[i] = -(a * step);
  } else {
    float a = value + step * 0.5f;
    a = __builtin_floorf(a / step);
    a = a * 0.75f + 1.0f;
    out[i] = a * step;
  }
}

// An if-then region with a nested if-then on both sides: melds region with region.
KERNEL many_nested(unsigned *out, const unsigned *in) {
  __shared__ unsigned left[2][SIZE], right[2][SIZE];
  const unsigned tid = thread(), i = element();
  for (unsigned row = 0; row < 2; ++row) {
    left[row][tid] = in[i] >> row;
    right[row][tid] = in[i] << row;
  }
  __syncthreads();
  if ((tid ^ (tid >> 2)) & 1) {
    if (left[0][tid] > 100) {
      unsigned a = left[0][tid] * 5 + left[1][tid];
      left[1][tid] = a ^ (a >> 3);
      if (a & 4) {
        a = a * 11 - tid;
        left[0][tid] = a ^ (a << 2);
      }
    }
  } else {
    if (right[0][tid] > 200) {
      unsigned a = right[0][tid] * 5 + right[1][tid];
      right[1][tid] = a ^ (a >> 3);
      if (a & 8) {
        a = a * 11 - tid;
        right[0][tid] = a ^ (a << 2);
      }
    }
  }
  __syncthreads();
  out[i] = left[0][tid] + left[1][tid] * 3 - (right[0][tid ^ 1] ^ right[1][tid ^ 1]);
}

// A loop with its own trip count on either side: two isomorphic regions that hold a cycle.
// Not unrolled: LLVM sees that there are at most eight trips.
KERNEL many_loops(unsigned *out, const unsigned *in) {
  __shared__ unsigned left[2][SIZE], right[2][SIZE];
  const unsigned tid = thread(), i = element();
  const unsigned trips = in[i] & 7;
  for (unsigned row = 0; row < 2; ++row) {
    left[row][tid] = in[i] + row;
    right[row][tid] = ~in[i] - row;
  }
  __syncthreads();
  if (tid & 2) {
#pragma clang loop unroll(disable)
    for (unsigned n = 0; n <= trips; ++n) {
      unsigned a = left[n & 1][tid];
      a = a * 5 + n;
      left[~n & 1][tid] = a ^ (a >> 7);
    }
  } else {
#pragma clang loop unroll(disable)
    for (unsigned n = 0; n <= trips; ++n) {
      unsigned a = right[n & 1][tid];
      a = a * 9 + n;
      right[~n & 1][tid] = a ^ (a >> 4);
    }
  }
  __syncthreads();
  out[i] = left[0][tid] + left[1][tid] * 3 - (right[0][tid ^ 1] ^ right[1][tid ^ 1]);
}

// The branch of many_diamond on a kernel argument: uniform, never touched (rule 1.1).
KERNEL many_uniform(unsigned *out, const unsigned *in, unsigned mode) {
  __shared__ unsigned left[SIZE], right[SIZE];
  const unsigned tid = thread(), i = element();
  left[tid] = in[i];
  right[tid] = in[i] + 7;
  __syncthreads();
  if (mode & 1) {
    unsigned a = left[tid];
    a = a * 5 + 3;
    a ^= a >> 9;
    left[tid] = a ^ (a << 3);
  } else {
    unsigned a = right[tid];
    a = a * 7 + 11;
    a ^= a >> 5;
    right[tid] = a ^ (a << 4);
  }
  __syncthreads();
  out[i] = left[tid] - right[tid ^ 1];
}

// A cross-lane operation on one side: that subgraph is no candidate (rule 1.5).
// The first active lane is an odd one here, with waves of 32 and of 64; were the other side's lanes active as well, it were
// lane 0 and the sums would differ.
KERNEL many_crosslane(unsigned *out, const unsigned *in) {
  __shared__ unsigned left[SIZE], right[SIZE];
  const unsigned tid = thread(), i = element();
  left[tid] = in[i];
  right[tid] = in[i] + 7;
  __syncthreads();
  if (tid & 1) {
    unsigned a = left[tid];
    a = a * 5 + __builtin_amdgcn_readfirstlane(tid & 31);
    a ^= a >> 9;
    left[tid] = a ^ (a << 3);
  } else {
    unsigned a = right[tid];
    a = a * 7 + 11;
    a ^= a >> 5;
    right[tid] = a ^ (a << 4);
  }
  __syncthreads();
  out[i] = left[tid] - right[tid ^ 1];
}

// Loops on both sides whose bodies hold an atomic addition: never melded (rule 1.6). The sums do not depend on the order.
KERNEL many_atomics(unsigned *out, const unsigned *in) {
  __shared__ unsigned sums[2];
  const unsigned tid = thread(), i = element();
  const unsigned trips = in[i] & 3;
  if (tid < 2)
    sums[tid] = 0;
  __syncthreads();
  if (tid & 1) {
    for (unsigned n = 0; n <= trips; ++n)
      __scoped_atomic_fetch_add(&sums[0], in[i] + n, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  } else {
    for (unsigned n = 0; n <= trips; ++n)
      __scoped_atomic_fetch_add(&sums[1], in[i] ^ n, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  }
  __syncthreads();
  out[i] = sums[0] + sums[1] * 3 + tid;
}

// A divergent switch whose cases do the same to different LDS: lowered to branches, then melded (rule 1.1).
KERNEL many_switch(unsigned *out, const unsigned *in) {
  __shared__ unsigned data[4][SIZE];
  const unsigned tid = thread(), i = element();
  for (unsigned row = 0; row < 4; ++row)
    data[row][tid] = in[i] + row;
  __syncthreads();
  switch (in[i] & 3) {
  case 0: {
    unsigned a = data[0][tid] * 5 + 1;
    a ^= a >> 9;
    data[0][tid] = a * 3 + tid;
    break;
  }
  case 1: {
    unsigned a = data[1][tid] * 7 + 1;
    a ^= a >> 8;
    data[1][tid] = a * 5 + tid;
    break;
  }
  case 2: {
    unsigned a = data[2][tid] * 9 + 1;
    a ^= a >> 7;
    data[2][tid] = a * 7 + tid;
    break;
  }
  default: {
    unsigned a = data[3][tid] * 11 + 1;
    a ^= a >> 6;
    data[3][tid] = a * 9 + tid;
    break;
  }
  }
  __syncthreads();
  out[i] = data[0][tid] ^ data[1][tid] ^ data[2][tid ^ 1] ^ data[3][tid ^ 1];
}

// One call of the same device function per side: the calls meld, with selected arguments, if the callee allows it.
KERNEL many_calls(unsigned *out, const unsigned *in) {
  const unsigned tid = thread(), i = element();
  unsigned result;
  if (tid & 4) {
    const unsigned a = in[i] * 5 + 1;
    result = scramble(a, tid) * 3;
    result ^= result >> 11;
  } else {
    const unsigned a = in[i] * 7 + 3;
    result = scramble(tid, a) * 5;
    result ^= result >> 7;
  }
  out[i] = result;
}

// A block on one side, an if-then region on the other: a case for region replication, decided by profit.
KERNEL many_block_region(unsigned *out, const unsigned *in) {
  __shared__ unsigned left[2][SIZE], right[2][SIZE];
  const unsigned tid = thread(), i = element();
  for (unsigned row = 0; row < 2; ++row) {
    left[row][tid] = in[i] + row;
    right[row][tid] = in[i] ^ row;
  }
  __syncthreads();
  if (tid & 1) {
    unsigned a = left[0][tid];
    unsigned b = left[1][tid];
    a = a * 5 + b;
    b = (b ^ a) * 9;
    a ^= b >> 5;
    b = b * 11 + (a << 2);
    left[0][tid] = a;
    left[1][tid] = b;
  } else if (right[0][tid] & 16) {
    unsigned a = right[0][tid];
    unsigned b = right[1][tid];
    a = a * 5 + b;
    b = (b ^ a) * 9;
    a ^= b >> 5;
    b = b * 11 + (a << 2);
    right[0][tid] = a;
    right[1][tid] = b;
  }
  __syncthreads();
  out[i] = left[0][tid] + left[1][tid] - (right[0][tid ^ 1] ^ right[1][tid ^ 1]);
}

// Short-circuit conditions: a side is entered by edges of two branches, so no single condition says who is in it (rule 1.3).
KERNEL many_shortcircuit(unsigned *out, const unsigned *in) {
  __shared__ unsigned left[SIZE], right[SIZE], keys[2][SIZE];
  const unsigned tid = thread(), i = element();
  left[tid] = in[i];
  right[tid] = in[i] + 7;
  keys[0][tid] = in[i] & 15;
  keys[1][tid] = (in[i] >> 4) & 15;
  __syncthreads();
  const unsigned next = (tid + 1) & (SIZE - 1);
  if (keys[0][tid] < 4 || (keys[0][tid] > 6 && keys[in[i] & 1][next] > keys[1][tid])) {
    unsigned a = left[tid];
    a = a * 5 + 3;
    a ^= a >> 9;
    left[tid] = a ^ (a << 3);
  } else {
    unsigned a = right[tid];
    a = a * 7 + 11;
    a ^= a >> 5;
    right[tid] = a ^ (a << 4);
  }
  __syncthreads();
  out[i] = left[tid] - right[tid ^ 1];
}

// A tree reduction: divergent one-sided branches between barriers; nothing to meld, barriers stay where they are.
// Also the kernel that reads blockDim and gridDim.
KERNEL many_reduce(unsigned *out, const unsigned *in) {
  __shared__ unsigned sums[SIZE];
  const unsigned tid = thread(), i = element();
  sums[tid] = in[i];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (tid < half)
      sums[tid] += sums[tid + half];
    __syncthreads();
  }
  out[i] = sums[0] + tid * gridDim.x;
}
