// Tables: filters, joins, groups, decimals, packets, decision trees, clusters.
#include <hip/hip_runtime.h>

// A filter with several conditions, the cheap one first.
extern "C" __global__ void filter_orders(unsigned char *selected, const int *dates, const float *discounts, const int *quantities,
                                         int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char keep = 0;
  if (dates[i] >= 19940101 && dates[i] < 19950101)
    if (discounts[i] >= 0.05f && discounts[i] <= 0.07f)
      if (quantities[i] < 24)
        keep = 1;
  selected[i] = keep;
}

// A sum by case: prices of promotions apart from the others.
extern "C" __global__ void sum_by_case(unsigned *sums, const unsigned char *kind, const unsigned *prices, const unsigned *discounts,
                                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (kind[i] < 8)
    atomicAdd(&sums[0], prices[i] * (100 - discounts[i]) / 100);
  else if (kind[i] < 30)
    atomicAdd(&sums[1], prices[i] * (100 + discounts[i]) / 100);
  else
    atomicAdd(&sums[2], prices[i]);
}

// An expression with missing values: the result is missing if an operand is, but not for "or true".
extern "C" __global__ void nullable_expression(float *values, unsigned char *valid, const float *a, const float *b,
                                               const unsigned *a_valid, const unsigned *b_valid, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const bool va = a_valid[i / 32] >> i % 32 & 1, vb = b_valid[i / 32] >> i % 32 & 1;
  float value = 0;
  unsigned char ok = 0;
  if (va && vb) {
    if (b[i] != 0) {
      value = a[i] / b[i];
      ok = 1;
    }
  } else if (va && a[i] == 0) {
    ok = 1;
  }
  values[i] = value;
  valid[i] = ok;
}

// Joins sorted columns: a run of equal keys in the other table for every row.
extern "C" __global__ void merge_join_counts(int *counts, const int *left, const int *right, int rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int key = left[i];
  int low = 0, high = rows;
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (right[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  int count = 0;
  while (low + count < rows && right[low + count] == key)
    ++count;
  counts[i] = count;
}

// Rounds decimals half to even, or half up, by column.
extern "C" __global__ void round_decimals(int *out, const int *in, const unsigned char *half_up, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int v = in[i];
  int q = v / 100, r = v % 100;
  if (half_up[i % columns]) {
    if (r >= 50)
      ++q;
    else if (r <= -50)
      --q;
  } else {
    if (r > 50 || (r == 50 && (q & 1)))
      ++q;
    else if (r < -50 || (r == -50 && (q & 1)))
      --q;
  }
  out[i] = q;
}

// Values in a dictionary, or in place where they are rare.
extern "C" __global__ void dictionary_decode(unsigned *out, const unsigned short *codes, const unsigned *dictionary,
                                             const unsigned *rare, int known, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int code = codes[i];
  if (code < known)
    out[i] = dictionary[code];
  else
    out[i] = rare[code - known];
}

// Packets through rules in order: the first that fits decides.
extern "C" __global__ void match_rules(unsigned char *verdict, const unsigned *source, const unsigned *target,
                                       const unsigned short *port, const unsigned char *protocol, const unsigned *rules, int count,
                                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char result = 0;
  for (int k = 0; k < count; ++k) {
    const unsigned *rule = rules + 6 * k;
    if (rule[4] != 0 && rule[4] != protocol[i])
      continue;
    if ((source[i] & rule[1]) != rule[0])
      continue;
    if ((target[i] & rule[3]) != rule[2])
      continue;
    if (rule[5] >> 8 != 0 && rule[5] >> 8 != port[i])
      continue;
    result = rule[5] & 255;
    break;
  }
  verdict[i] = result;
}

// Checks of packets: version, length, checksum; what fails is counted by its reason.
extern "C" __global__ void check_packets(unsigned char *version, int *errors, const unsigned *headers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned *h = headers + 10 * i;
  const unsigned first = h[0];
  if ((first >> 28) == 4) {
    if ((first >> 24 & 15) < 5) {
      atomicAdd(&errors[0], 1);
      return;
    }
    unsigned sum = 0;
    for (int k = 0; k < 5; ++k)
      sum += (h[k] >> 16) + (h[k] & 0xffff);
    while (sum >> 16)
      sum = (sum & 0xffff) + (sum >> 16);
    if (sum != 0xffff) {
      atomicAdd(&errors[1], 1);
      return;
    }
    version[i] = 4;
  } else if ((first >> 28) == 6) {
    if ((h[1] >> 16) > 9000) {
      atomicAdd(&errors[2], 1);
      return;
    }
    version[i] = 6;
  } else
    atomicAdd(&errors[3], 1);
}

// States of connections: transitions by the flags of packets.
extern "C" __global__ void connection_states(unsigned char *states, const unsigned char *flags, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int state = 0;
  for (int k = 0; k < count; ++k) {
    const int f = flags[k * n + i];
    if (f & 4) {
      state = 0;
      continue;
    }
    switch (state) {
    case 0:
      if (f & 2)
        state = f & 16 ? 2 : 1;
      break;
    case 1:
      if ((f & 18) == 18)
        state = 2;
      break;
    case 2:
      if (f & 16)
        state = 3;
      break;
    case 3:
      if (f & 1)
        state = 4;
      break;
    default:
      if ((f & 17) == 17)
        state = 0;
      else if (f & 16)
        state = 5;
    }
  }
  states[i] = state;
}

// A forest of decision trees, numbers and categories.
extern "C" __global__ void decision_forest(float *scores, const float *features, const int *nodes, const float *limits, int trees,
                                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float score = 0;
  for (int t = 0; t < trees; ++t) {
    int node = 0;
    for (;;) {
      const int what = nodes[t * 31 + node];
      if (what < 0)
        break;
      const float value = features[(what & 15) * n + i], limit = limits[t * 31 + node];
      bool right;
      if (what & 16)
        right = (int)value == (int)limit;
      else
        right = value > limit;
      node = 2 * node + 1 + right;
      if (node >= 31)
        break;
    }
    score += node < 31 ? limits[t * 31 + node] : 0.5f;
  }
  scores[i] = score;
}

// The nearest of some centres; a distance is given up when it is too long.
extern "C" __global__ void nearest_centre(int *nearest, float *distance, const float *points, const float *centres, int count,
                                          int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float best = 1e30f;
  int which = 0;
  for (int c = 0; c < count; ++c) {
    float sum = 0;
    for (int k = 0; k < width; ++k) {
      const float d = points[k * n + i] - centres[c * width + k];
      sum += d * d;
      if (sum > best)
        break;
    }
    if (sum < best) {
      best = sum;
      which = c;
    }
  }
  nearest[i] = which;
  distance[i] = best;
}

// Bytes of a stack machine, a program a thread.
extern "C" __global__ void stack_machine(int *results, const unsigned char *programs, int length, int n) {
  __shared__ int stacks[8 * 64];
  int *stack = stacks + threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int top = 0, result = 0;
  for (int k = 0; k < length; ++k) {
    const int code = programs[k * n + i], argument = code >> 3;
    switch (code & 7) {
    case 0:
    case 1:
    case 2:
      if (top < 8)
        stack[top++ * 64] = argument;
      break;
    case 3:
      if (top >= 2) {
        --top;
        stack[(top - 1) * 64] += stack[top * 64];
      }
      break;
    case 4:
      if (top >= 2) {
        --top;
        stack[(top - 1) * 64] -= stack[top * 64];
      }
      break;
    case 5:
      if (top >= 2) {
        --top;
        stack[(top - 1) * 64] *= stack[top * 64];
      }
      break;
    case 6:
      if (top >= 1)
        result = result * 31 + stack[--top * 64];
      break;
    default:
      if (top >= 1 && top < 8) {
        stack[top * 64] = stack[(top - 1) * 64];
        ++top;
      }
    }
  }
  results[i] = result + top;
}
