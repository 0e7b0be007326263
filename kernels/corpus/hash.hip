// Hash tables and filters.
#include <hip/hip_runtime.h>

__device__ static unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Linear probing: found, empty, or the next slot.
extern "C" __global__ void probe_linear(unsigned *values, const unsigned *keys, const unsigned *table, unsigned mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned key = keys[i];
  unsigned slot = mix(key) & mask, result = 0xffffffffu;
  while (table[2 * slot] != 0) {
    if (table[2 * slot] == key) {
      result = table[2 * slot + 1];
      break;
    }
    slot = (slot + 1) & mask;
  }
  values[i] = result;
}

// Two tables: a key is in its place in one of them, or in the stash.
extern "C" __global__ void probe_cuckoo(unsigned *values, const unsigned *keys, const unsigned *first, const unsigned *second,
                                        const unsigned *stash, int stashed, unsigned mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned key = keys[i];
  const unsigned a = mix(key) & mask;
  unsigned result = 0;
  if (first[2 * a] == key)
    result = first[2 * a + 1];
  else {
    const unsigned b = mix(key ^ 0x9e3779b9u) & mask;
    if (second[2 * b] == key)
      result = second[2 * b + 1];
    else
      for (int k = 0; k < stashed; ++k)
        if (stash[2 * k] == key)
          result = stash[2 * k + 1];
  }
  values[i] = result;
}

// Inserts with compare-and-swap; how far a key came is not kept, only how many were new.
extern "C" __global__ void insert_unique(unsigned *table, unsigned *fresh, const unsigned *keys, unsigned mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned key = keys[i];
  unsigned slot = mix(key) & mask;
  for (;;) {
    const unsigned seen = atomicCAS(&table[slot], 0u, key);
    if (seen == 0) {
      atomicAdd(fresh, 1u);
      break;
    }
    if (seen == key)
      break;
    slot = (slot + 1) & mask;
  }
}

// Bloom filter with four bits a key: most keys that are not there fail at the first.
extern "C" __global__ void bloom_test(unsigned char *maybe, const unsigned *keys, const unsigned *filter, unsigned bits, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned hash = mix(keys[i]);
  unsigned char found = 1;
  for (int k = 0; k < 4; ++k) {
    const unsigned bit = hash & (bits - 1);
    if (!(filter[bit / 32] >> bit % 32 & 1)) {
      found = 0;
      break;
    }
    hash = mix(hash + 0x9e3779b9u);
  }
  maybe[i] = found;
}

// Hash of byte strings: four bytes at a time, then the tail.
extern "C" __global__ void murmur_strings(unsigned *hashes, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned char *at = text + starts[i];
  const int length = starts[i + 1] - starts[i];
  unsigned h = 0x1234567u;
  for (int k = 0; k + 4 <= length; k += 4) {
    unsigned word = at[k] | at[k + 1] << 8 | at[k + 2] << 16 | (unsigned)at[k + 3] << 24;
    word *= 0xcc9e2d51u;
    word = word << 15 | word >> 17;
    h ^= word * 0x1b873593u;
    h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
  }
  unsigned tail = 0;
  const unsigned char *rest = at + (length & ~3);
  switch (length & 3) {
  case 3:
    tail ^= rest[2] << 16;
    [[fallthrough]];
  case 2:
    tail ^= rest[1] << 8;
    [[fallthrough]];
  case 1:
    tail ^= rest[0];
    tail *= 0xcc9e2d51u;
    tail = tail << 15 | tail >> 17;
    h ^= tail * 0x1b873593u;
  }
  hashes[i] = mix(h ^ length);
}

// A cache of four ways: a hit moves the line to the front, a miss drops the last.
extern "C" __global__ void lru_four_ways(unsigned *hits, unsigned *lines, const unsigned *requests, int count, int sets) {
  const int set = blockIdx.x * blockDim.x + threadIdx.x;
  if (set >= sets)
    return;
  unsigned a = lines[4 * set], b = lines[4 * set + 1], c = lines[4 * set + 2], d = lines[4 * set + 3], found = 0;
  for (int k = 0; k < count; ++k) {
    const unsigned tag = requests[k * sets + set];
    if (tag == a)
      ++found;
    else if (tag == b) {
      b = a;
      a = tag;
      ++found;
    } else if (tag == c) {
      c = b;
      b = a;
      a = tag;
      ++found;
    } else {
      if (tag == d)
        ++found;
      d = c;
      c = b;
      b = a;
      a = tag;
    }
  }
  lines[4 * set] = a;
  lines[4 * set + 1] = b;
  lines[4 * set + 2] = c;
  lines[4 * set + 3] = d;
  hits[set] = found;
}

// Histogram in LDS with bins for what is below and above the range.
extern "C" __global__ void histogram_range(unsigned *bins, const float *values, float low, float high, int n) {
  __shared__ unsigned local[66];
  for (int k = threadIdx.x; k < 66; k += blockDim.x)
    local[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = values[i];
    int bin;
    if (v < low)
      bin = 0;
    else if (v >= high)
      bin = 65;
    else
      bin = 1 + (int)((v - low) * 64.0f / (high - low));
    __hip_atomic_fetch_add(&local[bin], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 66; k += blockDim.x)
    if (local[k] > 0)
      atomicAdd(&bins[k], local[k]);
}

// Weighted or plain counts per category; a category may be unknown.
extern "C" __global__ void histogram_weighted(unsigned *counts, unsigned *weights, const int *category, const unsigned *weight,
                                              const unsigned char *weighted, int categories, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int c = category[i];
  if (c < 0 || c >= categories)
    return;
  if (weighted[i])
    atomicAdd(&weights[c], weight[i]);
  else
    atomicAdd(&counts[c], 1u);
}
