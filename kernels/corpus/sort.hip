// Sorting, selecting, merging, scanning.
#include <hip/hip_runtime.h>

// One step of a bitonic network in global memory.
extern "C" __global__ void bitonic_global_step(int *keys, int stage, int step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int other = i ^ step;
  if (other <= i || other >= n)
    return;
  if ((i & stage) == 0) {
    if (keys[i] > keys[other]) {
      const int swap = keys[i];
      keys[i] = keys[other];
      keys[other] = swap;
    }
  } else {
    if (keys[i] < keys[other]) {
      const int swap = keys[i];
      keys[i] = keys[other];
      keys[other] = swap;
    }
  }
}

// The same in LDS for keys with values, all steps of a block.
extern "C" __global__ void bitonic_pairs_block(unsigned *keys, unsigned *values) {
  __shared__ unsigned k[256], v[256];
  const unsigned t = threadIdx.x, base = blockIdx.x * 256;
  k[t] = keys[base + t];
  v[t] = values[base + t];
  k[t + 128] = keys[base + t + 128];
  v[t + 128] = values[base + t + 128];
  for (unsigned size = 2; size <= 256; size <<= 1) {
    const bool ascending = (t & size / 2) == 0;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned a = 2 * t - (t & (stride - 1)), b = a + stride;
      if ((k[a] > k[b]) == ascending) {
        const unsigned key = k[a], value = v[a];
        k[a] = k[b];
        v[a] = v[b];
        k[b] = key;
        v[b] = value;
      }
    }
  }
  __syncthreads();
  keys[base + t] = k[t];
  values[base + t] = v[t];
  keys[base + t + 128] = k[t + 128];
  values[base + t + 128] = v[t + 128];
}

// Odd-even transposition in LDS: even threads in even rounds, odd threads in odd ones.
extern "C" __global__ void odd_even_block(float *keys) {
  __shared__ float k[128];
  const int t = threadIdx.x, base = blockIdx.x * 128;
  k[t] = keys[base + t];
  __syncthreads();
  for (int round = 0; round < 32; ++round) {
    if ((round & 1) == 0) {
      if ((t & 1) == 0 && t + 1 < 128) {
        const float a = k[t], b = k[t + 1];
        if (a > b) {
          k[t] = b;
          k[t + 1] = a;
        }
      }
    } else {
      if ((t & 1) == 1 && t + 1 < 128) {
        const float a = k[t], b = k[t + 1];
        if (a > b) {
          k[t] = b;
          k[t + 1] = a;
        }
      }
    }
    __syncthreads();
  }
  keys[base + t] = k[t];
}

// Rank sort: smaller keys, and equal ones before.
extern "C" __global__ void rank_sort(int *sorted, const int *keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int key = keys[i];
  int rank = 0;
  for (int k = 0; k < n; ++k) {
    if (keys[k] < key)
      ++rank;
    else if (keys[k] == key && k < i)
      ++rank;
  }
  sorted[rank] = key;
}

// Insertion sort of short lists, one a thread.
extern "C" __global__ void insertion_lists(int *keys, const int *starts, int lists) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lists)
    return;
  for (int k = starts[i] + 1; k < starts[i + 1]; ++k) {
    const int key = keys[k];
    int at = k;
    while (at > starts[i] && keys[at - 1] > key) {
      keys[at] = keys[at - 1];
      --at;
    }
    keys[at] = key;
  }
}

// Merge of two sorted arrays: a thread finds where its element goes, by binary search in the other array.
extern "C" __global__ void merge_by_rank(int *merged, const int *a, const int *b, int na, int nb) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na + nb)
    return;
  if (i < na) {
    const int key = a[i];
    int low = 0, high = nb;
    while (low < high) {
      const int middle = (low + high) >> 1;
      if (b[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    merged[i + low] = key;
  } else {
    const int key = b[i - na];
    int low = 0, high = na;
    while (low < high) {
      const int middle = (low + high) >> 1;
      if (a[middle] <= key)
        low = middle + 1;
      else
        high = middle;
    }
    merged[i - na + low] = key;
  }
}

// Merge path: a thread finds its diagonal, then merges eight elements one after the other.
extern "C" __global__ void merge_path(int *merged, const int *a, const int *b, int na, int nb) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (first >= na + nb)
    return;
  int low = max(0, first - nb), high = min(first, na);
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (a[middle] <= b[first - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = first - low;
  for (int k = first; k < first + 8 && k < na + nb; ++k) {
    int key;
    if (i < na && (j >= nb || a[i] <= b[j]))
      key = a[i++];
    else
      key = b[j++];
    merged[k] = key;
  }
}

// Partition by a pivot into three parts with counters of each part.
extern "C" __global__ void partition_pivot(int *smaller, int *larger, unsigned *counts, const int *keys, int pivot, int n) {
  __shared__ unsigned local[3];
  if (threadIdx.x < 3)
    local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int key = keys[i];
    if (key < pivot) {
      smaller[i] = key;
      __hip_atomic_fetch_add(&local[0], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else if (key > pivot) {
      larger[i] = key;
      __hip_atomic_fetch_add(&local[1], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else
      __hip_atomic_fetch_add(&local[2], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  __syncthreads();
  if (threadIdx.x < 3)
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

// The four largest of a row, kept sorted in registers.
extern "C" __global__ void top_four(float *best, int *where, const float *scores, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float a = -1e30f, b = -1e30f, c = -1e30f, d = -1e30f;
  int ia = -1, ib = -1, ic = -1, id = -1;
  for (int k = 0; k < columns; ++k) {
    const float s = scores[k * rows + row];
    if (s > a) {
      d = c, id = ic, c = b, ic = ib, b = a, ib = ia, a = s, ia = k;
    } else if (s > b) {
      d = c, id = ic, c = b, ic = ib, b = s, ib = k;
    } else if (s > c) {
      d = c, id = ic, c = s, ic = k;
    } else if (s > d) {
      d = s, id = k;
    }
  }
  best[4 * row] = a, best[4 * row + 1] = b, best[4 * row + 2] = c, best[4 * row + 3] = d;
  where[4 * row] = ia, where[4 * row + 1] = ib, where[4 * row + 2] = ic, where[4 * row + 3] = id;
}

// Priority queue in LDS, one a thread: pushes sift up, pops sift down.
extern "C" __global__ void heap_queue(int *sums, const int *commands, int count) {
  __shared__ int heaps[16 * 64];
  int *heap = heaps + threadIdx.x;
  const int i = blockIdx.x * 64 + threadIdx.x, threads = gridDim.x * 64;
  int size = 0, sum = 0;
  for (int k = 0; k < count; ++k) {
    const int command = commands[k * threads + i];
    if (command >= 0) {
      if (size == 15)
        continue;
      int at = size++;
      while (at > 0 && heap[((at - 1) / 2) * 64] > command) {
        heap[at * 64] = heap[((at - 1) / 2) * 64];
        at = (at - 1) / 2;
      }
      heap[at * 64] = command;
    } else if (size > 0) {
      sum = sum * 3 + heap[0];
      const int last = heap[--size * 64];
      int at = 0;
      for (;;) {
        int child = 2 * at + 1;
        if (child >= size)
          break;
        if (child + 1 < size && heap[(child + 1) * 64] < heap[child * 64])
          ++child;
        if (heap[child * 64] >= last)
          break;
        heap[at * 64] = heap[child * 64];
        at = child;
      }
      heap[at * 64] = last;
    }
  }
  sums[i] = sum;
}

// Segmented inclusive scan of a block: a flag begins a segment.
extern "C" __global__ void scan_segments(int *sums, const int *values, const unsigned char *flags, int n) {
  __shared__ int s[256], f[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? values[i] : 0;
  f[t] = i < n ? flags[i] : 1;
  __syncthreads();
  for (int step = 1; step < 256; step <<= 1) {
    int sum = s[t], flag = f[t];
    if (t >= step && !flag) {
      sum += s[t - step];
      flag = f[t - step];
    }
    __syncthreads();
    s[t] = sum;
    f[t] = flag;
    __syncthreads();
  }
  if (i < n)
    sums[i] = s[t];
}

// Stream compaction of a block by a predicate, after a scan in LDS.
extern "C" __global__ void compact_block(int *kept, int *counts, const int *values, int n) {
  __shared__ int scan[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  const int value = i < n ? values[i] : 0;
  const bool keep = value > 0 && value % 3 != 0;
  scan[t] = keep;
  __syncthreads();
  for (int step = 1; step < 128; step <<= 1) {
    const int before = t >= step ? scan[t - step] : 0;
    __syncthreads();
    scan[t] += before;
    __syncthreads();
  }
  if (keep)
    kept[blockIdx.x * 128 + scan[t] - 1] = value;
  if (t == 127)
    counts[blockIdx.x] = scan[t];
}

// Minimum and maximum with their places: even threads reduce minima, odd threads maxima.
extern "C" __global__ void reduce_extremes(int *result, const int *values, int n) {
  __shared__ int best[128];
  const int t = threadIdx.x;
  int value = (t & 1) == 0 ? 0x7fffffff : -0x7fffffff;
  for (int i = blockIdx.x * 64 + t / 2; i < n; i += gridDim.x * 64) {
    if ((t & 1) == 0) {
      if (values[i] < value)
        value = values[i];
    } else {
      if (values[i] > value)
        value = values[i];
    }
  }
  best[t] = value;
  __syncthreads();
  for (int step = 64; step > 1; step >>= 1) {
    if (t < step) {
      if ((t & 1) == 0)
        best[t] = min(best[t], best[t + step]);
      else
        best[t] = max(best[t], best[t + step]);
    }
    __syncthreads();
  }
  if (t < 2)
    result[2 * blockIdx.x + t] = best[t];
}
