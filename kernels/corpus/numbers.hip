// Integers and bits: large numbers, remainders, codes, ciphers, calendars.
#include <hip/hip_runtime.h>

// Sum of two numbers of 256 bits with carries; an overflow is counted.
extern "C" __global__ void add_256(unsigned *sum, int *overflows, const unsigned *a, const unsigned *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned carry = 0;
  for (int k = 0; k < 8; ++k) {
    const unsigned s = a[k * n + i] + b[k * n + i];
    const unsigned t = s + carry;
    carry = (s < a[k * n + i]) | (t < s);
    sum[k * n + i] = t;
  }
  if (carry)
    atomicAdd(overflows, 1);
}

// Compares, then subtracts the smaller from the larger, keeping the sign.
extern "C" __global__ void signed_difference(unsigned *result, signed char *sign, const unsigned *a, const unsigned *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int order = 0;
  for (int k = 3; k >= 0 && order == 0; --k)
    order = a[k * n + i] > b[k * n + i] ? 1 : a[k * n + i] < b[k * n + i] ? -1 : 0;
  unsigned borrow = 0;
  if (order > 0) {
    for (int k = 0; k < 4; ++k) {
      const unsigned x = a[k * n + i], y = b[k * n + i], d = x - y - borrow;
      borrow = x < y || (x == y && borrow);
      result[k * n + i] = d;
    }
  } else {
    for (int k = 0; k < 4; ++k) {
      const unsigned x = b[k * n + i], y = a[k * n + i], d = x - y - borrow;
      borrow = x < y || (x == y && borrow);
      result[k * n + i] = d;
    }
  }
  sign[i] = order;
}

// Montgomery product with the last subtraction.
__device__ static unsigned montgomery(unsigned a, unsigned b, unsigned modulus, unsigned inverse) {
  const unsigned long long product = (unsigned long long)a * b;
  const unsigned m = (unsigned)product * inverse;
  const unsigned long long t = (product + (unsigned long long)m * modulus) >> 32;
  return t >= modulus ? (unsigned)(t - modulus) : (unsigned)t;
}
extern "C" __global__ void power_montgomery(unsigned *result, const unsigned *base, const unsigned *exponent, unsigned one,
                                            unsigned modulus, unsigned inverse, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned power = one, square = base[i];
  for (unsigned e = exponent[i]; e != 0; e >>= 1) {
    if (e & 1)
      power = montgomery(power, square, modulus, inverse);
    square = montgomery(square, square, modulus, inverse);
  }
  result[i] = power;
}

// Greatest common divisor by halving.
extern "C" __global__ void binary_gcd(unsigned *result, const unsigned *a, const unsigned *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = a[i], y = b[i], shift = 0;
  while (((x | y) & 1) == 0) {
    x >>= 1;
    y >>= 1;
    ++shift;
  }
  while (x != y) {
    if ((x & 1) == 0)
      x >>= 1;
    else if ((y & 1) == 0)
      y >>= 1;
    else if (x > y)
      x = (x - y) >> 1;
    else
      y = (y - x) >> 1;
  }
  result[i] = x << shift;
}

// Steps until 1 in Collatz's sequence.
extern "C" __global__ void collatz(int *steps, int first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned value = first + i;
  int count = 0;
  while (value != 1) {
    if (value & 1)
      value = 3 * value + 1;
    else
      value >>= 1;
    ++count;
  }
  steps[i] = count;
}

// Cyclic redundancy checks, reflected or not, bit by bit, one message a thread.
extern "C" __global__ void crc_two_ways(unsigned *sums, const unsigned *words, const unsigned char *reflected, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned crc = 0xffffffffu;
  for (int k = 0; k < length; ++k) {
    crc ^= words[k * n + i];
    if (reflected[i]) {
      for (int b = 0; b < 32; ++b)
        crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    } else {
      for (int b = 0; b < 32; ++b)
        crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
    }
  }
  sums[i] = crc;
}

// Product in a field of 256 elements by logarithms; zero has none.
extern "C" __global__ void field_product(unsigned char *product, const unsigned char *a, const unsigned char *b,
                                         const unsigned char *logarithms, const unsigned char *powers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (a[i] == 0 || b[i] == 0)
    product[i] = 0;
  else {
    int sum = logarithms[a[i]] + logarithms[b[i]];
    if (sum >= 255)
      sum -= 255;
    product[i] = powers[sum];
  }
}

// Rounds of a cipher in LDS: substitution by a table, mixing of columns by doubling in the field; no mixing in the last.
extern "C" __global__ void cipher_rounds(unsigned char *out, const unsigned char *in, const unsigned char *table,
                                         const unsigned char *keys, int rounds) {
  __shared__ unsigned char state[256];
  const int t = threadIdx.x, base = blockIdx.x * 256, cell = t % 16;
  state[t] = in[base + t] ^ keys[cell];
  for (int round = 1; round <= rounds; ++round) {
    __syncthreads();
    const int column = cell / 4, row = cell % 4, block = t - cell;
    unsigned v[4];
    for (int k = 0; k < 4; ++k)
      v[k] = table[state[block + (column + k) % 4 * 4 + k]];
    unsigned mixed;
    if (round < rounds) {
      const unsigned a = v[row], b = v[(row + 1) % 4];
      const unsigned two_a = a & 128 ? (a << 1 ^ 0x11b) & 255 : a << 1;
      const unsigned two_b = b & 128 ? (b << 1 ^ 0x11b) & 255 : b << 1;
      mixed = two_a ^ two_b ^ b ^ v[(row + 2) % 4] ^ v[(row + 3) % 4];
    } else
      mixed = v[row];
    __syncthreads();
    state[t] = mixed ^ keys[round * 16 + cell];
  }
  __syncthreads();
  out[base + t] = state[t];
}

// Sixty-four steps of a digest with four functions by the step.
extern "C" __global__ void digest_steps(unsigned *digests, const unsigned *messages, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  for (int k = 0; k < 64; ++k) {
    unsigned f;
    int g;
    if (k < 16) {
      f = (b & c) | (~b & d);
      g = k;
    } else if (k < 32) {
      f = (d & b) | (~d & c);
      g = (5 * k + 1) & 15;
    } else if (k < 48) {
      f = b ^ c ^ d;
      g = (3 * k + 5) & 15;
    } else {
      f = c ^ (b | ~d);
      g = 7 * k & 15;
    }
    f += a + messages[g * n + i] + 0x5a827999u * (k + 1);
    a = d;
    d = c;
    c = b;
    const int turn = (k & 15) % 13 + 5;
    b += f << turn | f >> (32 - turn);
  }
  digests[i] = a ^ b ^ c ^ d;
}

// Code words of seven bits with one error corrected; two errors cannot be told apart.
extern "C" __global__ void hamming_correct(unsigned char *data, int *corrected, const unsigned char *words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned w = words[i];
  const unsigned s = (w ^ w >> 2 ^ w >> 4 ^ w >> 6) & 1, t = (w >> 1 ^ w >> 2 ^ w >> 5 ^ w >> 6) & 1,
                 u = (w >> 3 ^ w >> 4 ^ w >> 5 ^ w >> 6) & 1;
  const unsigned position = s | t << 1 | u << 2;
  if (position != 0) {
    w ^= 1u << (position - 1);
    atomicAdd(corrected, 1);
  }
  data[i] = (w >> 2 & 1) | (w >> 4 & 1) << 1 | (w >> 5 & 1) << 2 | (w >> 6 & 1) << 3;
}

// Sums of dates, with months of different lengths and leap years.
extern "C" __global__ void add_months(int *out, const int *dates, const int *months, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int y = dates[i] / 10000, m = dates[i] / 100 % 100 - 1 + months[i], d = dates[i] % 100;
  if (m < 0) {
    const int years = (11 - m) / 12;
    y -= years;
    m += 12 * years;
  } else if (m >= 12) {
    y += m / 12;
    m %= 12;
  }
  int most = 31;
  if (m == 1) {
    most = 28;
    if ((y % 4 == 0 && y % 100 != 0) || y % 400 == 0)
      most = 29;
  } else if (m == 3 || m == 5 || m == 8 || m == 10)
    most = 30;
  if (d > most)
    d = most;
  out[i] = y * 10000 + (m + 1) * 100 + d;
}

// Working days between two dates given as day numbers, minus holidays in a sorted list.
extern "C" __global__ void working_days(int *days, const int *from, const int *to, const int *holidays, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int a = from[i], b = to[i], sign = 1;
  if (a > b) {
    const int swap = a;
    a = b;
    b = swap;
    sign = -1;
  }
  int total = (b - a) / 7 * 5;
  for (int d = a + (b - a) / 7 * 7; d < b; ++d)
    if (d % 7 < 5)
      ++total;
  for (int k = 0; k < count; ++k)
    if (holidays[k] >= a && holidays[k] < b && holidays[k] % 7 < 5)
      --total;
  days[i] = sign * total;
}

// Position on a space-filling curve: quadrants are mirrored or not.
extern "C" __global__ void hilbert_index(unsigned *index, const unsigned *xs, const unsigned *ys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = xs[i], y = ys[i], d = 0;
  for (unsigned s = 512; s > 0; s >>= 1) {
    const unsigned rx = (x & s) != 0, ry = (y & s) != 0;
    d += s * s * ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) {
        x = 1023 - x;
        y = 1023 - y;
      }
      const unsigned swap = x;
      x = y;
      y = swap;
    }
  }
  index[i] = d;
}

// Division by a divisor of each column: columns of units, of dozens and of weeks.
extern "C" __global__ void convert_units(int *whole, int *rest, const int *values, const unsigned char *unit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int v = values[i];
  if (unit[i] == 0) {
    whole[i] = v / 7;
    rest[i] = v % 7;
  } else if (unit[i] == 1) {
    whole[i] = v / 12;
    rest[i] = v % 12;
  } else {
    whole[i] = v / 60;
    rest[i] = v % 60;
  }
}
