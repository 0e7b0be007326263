// Data in streams: counting cycles, tokens, codes, hashes, statistics of tables and windows.
#include <hip/hip_runtime.h>

// Rainflow: load histories to full and half cycles with a stack of turning points; damage by a broken line in log-log.
extern "C" __global__ void rainflow_cycles(float *damage, int *full, int *half, const float *loads, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float stack[24];
  int depth = 0, whole = 0, open = 0;
  float sum = 0;
  for (int k = 0; k < length; ++k) {
    const float load = loads[k * n + i];
    if (k > 0 && k + 1 < length) {
      const float before = loads[(k - 1) * n + i], after = loads[(k + 1) * n + i];
      if ((load - before) * (after - load) > 0 || load == before)
        continue; // not a turning point
    }
    if (depth == 24)
      break;
    stack[depth++] = load;
    while (depth >= 3) {
      const float x = fabsf(stack[depth - 1] - stack[depth - 2]), y = fabsf(stack[depth - 2] - stack[depth - 3]);
      if (x < y)
        break;
      float weight;
      if (depth == 3) {
        ++open;
        weight = 0.5f;
        stack[0] = stack[1];
        stack[1] = stack[2];
        depth = 2;
      } else {
        ++whole;
        weight = 1.0f;
        stack[depth - 3] = stack[depth - 1];
        depth -= 2;
      }
      if (y > 1.5f)
        sum += weight * y * y * y;
      else if (y > 0.3f)
        sum += weight * 0.44f * y * y * y * y * y;
    }
  }
  for (int k = 0; k + 1 < depth; ++k) {
    const float y = fabsf(stack[k + 1] - stack[k]);
    ++open;
    if (y > 1.5f)
      sum += 0.5f * y * y * y;
    else if (y > 0.3f)
      sum += 0.22f * y * y * y * y * y;
  }
  damage[i] = sum;
  full[i] = whole;
  half[i] = open;
}

__device__ static int look_up(const unsigned *keys, unsigned hash, unsigned mask) {
  for (unsigned at = hash & mask; keys[at] != 0; at = (at + 1) & mask)
    if (keys[at] == hash)
      return (int)at;
  return -1;
}

// Words to numbers of a vocabulary. A word that is not in it becomes pieces of three letters; digits are one each.
extern "C" __global__ void tokenise_words(int *tokens, int *counts, const unsigned char *text, const int *starts,
                                          const unsigned *keys, const int *ids, unsigned mask, int most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int end = starts[i + 1];
  int at = starts[i], made = 0;
  while (at < end && made < most) {
    const int c = text[at];
    if (c == ' ' || c == '\n') {
      ++at;
    } else if (c >= '0' && c <= '9') {
      tokens[i * most + made++] = 10 + c - '0';
      ++at;
    } else if ((c | 32) >= 'a' && (c | 32) <= 'z') {
      const int first = at;
      unsigned hash = 2166136261u;
      for (; at < end; ++at) {
        const unsigned letter = text[at] | 32u;
        if (letter < 'a' || letter > 'z')
          break;
        hash = (hash ^ letter) * 16777619u;
      }
      const int place = look_up(keys, hash, mask);
      if (place >= 0)
        tokens[i * most + made++] = ids[place];
      else
        for (int piece = first; piece < at && made < most; piece += 3) {
          hash = 2166136261u;
          for (int k = piece; k < piece + 3 && k < at; ++k)
            hash = (hash ^ (text[k] | 32u)) * 16777619u;
          const int part = look_up(keys, hash, mask);
          tokens[i * most + made++] = part >= 0 ? -ids[part] : -1;
        }
    } else {
      tokens[i * most + made++] = c < 128 ? 30 + (c & 15) : 2;
      ++at;
    }
  }
  counts[i] = made;
}

// LZSS: eight flags in a byte, each for a letter or a distance and a length in two bytes.
extern "C" __global__ void lzss_decode(unsigned char *output, int *lengths, const unsigned char *packed, const int *starts,
                                       int room, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char *to = output + i * room;
  const int end = starts[i + 1];
  int at = starts[i], made = 0;
  unsigned flags = 1;
  while (at < end) {
    if (flags == 1) {
      flags = packed[at++] | 256u;
      continue;
    }
    if (flags & 1) {
      if (made < room)
        to[made] = packed[at];
      ++made;
      ++at;
    } else {
      if (at + 1 >= end)
        break;
      const int pair = packed[at] | packed[at + 1] << 8;
      at += 2;
      const int distance = (pair >> 4) + 1, length = (pair & 15) + 3;
      if (distance > made) {
        made = -1;
        break;
      }
      for (int k = 0; k < length && made < room; ++k, ++made)
        to[made] = to[made - distance];
    }
    flags >>= 1;
  }
  lengths[i] = made;
}

// Doubles by two predictors, one of values and one of differences: a code, and what is left without leading zeros.
extern "C" __global__ void fpc_encode(unsigned char *codes, unsigned char *rest, int *sizes, const unsigned long long *values,
                                      int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long by_value[8], by_difference[8];
  for (int k = 0; k < 8; ++k)
    by_value[k] = by_difference[k] = 0;
  unsigned long long last = 0;
  unsigned at_value = 0, at_difference = 0;
  int size = 0;
  for (int k = 0; k < length; ++k) {
    const unsigned long long value = values[(unsigned)(i * length + k)];
    const unsigned long long one = value ^ by_value[at_value], two = value ^ (last + by_difference[at_difference]);
    by_value[at_value] = value;
    at_value = (at_value << 2 ^ (unsigned)(value >> 50)) & 7;
    by_difference[at_difference] = value - last;
    at_difference = (at_difference << 1 ^ (unsigned)((value - last) >> 48)) & 7;
    last = value;
    unsigned long long left;
    int code;
    if (one <= two) {
      left = one;
      code = 0;
    } else {
      left = two;
      code = 8;
    }
    int bytes = 0;
    while (left != 0) {
      rest[8 * i * length + size + bytes++] = (unsigned char)left;
      left >>= 8;
    }
    size += bytes;
    if (bytes == 4) { // four have no code of their own
      rest[8 * i * length + size++] = 0;
      bytes = 5;
    }
    codes[i * length + k] = (unsigned char)(code | (bytes > 4 ? bytes - 1 : bytes));
  }
  sizes[i] = size;
}

// Belief of one parity check to its bits: the least of the others, with an offset, and the product of their signs.
extern "C" __global__ void ldpc_check_nodes(int *to_bits, unsigned char *violated, const int *from_bits, const int *starts,
                                            int offset, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int least = 127, second = 127, where = -1, sign = 0;
  for (int k = starts[i]; k < starts[i + 1]; ++k) {
    const int belief = from_bits[k], size = abs(belief);
    if (belief < 0)
      sign ^= 1;
    if (size < least) {
      second = least;
      least = size;
      where = k;
    } else if (size < second)
      second = size;
  }
  for (int k = starts[i]; k < starts[i + 1]; ++k) {
    int size = k == where ? second : least;
    size = size > offset ? size - offset : 0;
    if ((sign ^ (from_bits[k] < 0)) != 0)
      to_bits[k] = -size;
    else
      to_bits[k] = size;
  }
  violated[i] = (unsigned char)sign;
}

// Viterbi: sixteen states a frame, one thread each, four frames a block. Soft symbols, of which some were punctured.
extern "C" __global__ void viterbi_frames(unsigned char *bits, int *metrics, const signed char *symbols, const int *lengths,
                                          int most) {
  __shared__ int metric[2][64];
  __shared__ unsigned survivors[4][32]; // two steps a word
  const int t = threadIdx.x, state = t & 15, part = t >> 4, frame = blockIdx.x * 4 + part, length = lengths[frame];
  metric[0][t] = state == 0 ? 0 : -10000;
  for (int k = state; k < 32; k += 16)
    survivors[part][k] = 0;
  __syncthreads();
  for (int k = 0; k < most; ++k) {
    int best = 0, chosen = 0;
    if (k < length) {
      const int from[2] = {state >> 1, (state >> 1) + 8};
      int sums[2];
      for (int branch = 0; branch < 2; ++branch) {
        const unsigned word = (unsigned)(from[branch] << 1 | (state & 1));
        sums[branch] = metric[k & 1][part * 16 + from[branch]];
        for (int out = 0; out < 2; ++out) {
          const int symbol = symbols[(frame * most + k) * 2 + out];
          if (symbol == 0)
            continue; // punctured
          const int expected = __popc(word & (out == 0 ? 0x13u : 0x1du)) & 1;
          sums[branch] += expected ? symbol : -symbol;
        }
      }
      if (sums[1] > sums[0]) {
        best = sums[1];
        chosen = 1;
      } else
        best = sums[0];
    } else
      best = metric[k & 1][t];
    metric[(k + 1) & 1][t] = best;
    if (chosen)
      atomicOr(&survivors[part][k / 2], 1u << (state + 16 * (k & 1)));
    __syncthreads();
  }
  if (state == 0) {
    int at = 0;
    for (int other = 1; other < 16; ++other)
      if (metric[most & 1][part * 16 + other] > metric[most & 1][part * 16 + at])
        at = other;
    metrics[frame] = metric[most & 1][part * 16 + at];
    for (int k = length - 1; k >= 0; --k) {
      bits[frame * most + k] = (unsigned char)(at & 1);
      at = (at >> 1) + (survivors[part][k / 2] >> (at + 16 * (k & 1)) & 1 ? 8 : 0);
    }
  }
}

// Local entropy of an image: sixteen levels in a window, cut off at the borders.
extern "C" __global__ void window_entropy(float *entropy, const unsigned char *image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int count[16];
  for (int k = 0; k < 16; ++k)
    count[k] = 0;
  int total = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int u = x + dx, v = y + dy;
      if (u < 0 || u >= width || v < 0 || v >= height)
        continue;
      ++count[image[v * width + u] >> 4];
      ++total;
    }
  float e = 0;
  for (int k = 0; k < 16; ++k)
    if (count[k] > 0) {
      const float p = (float)count[k] / (float)total;
      e -= p * log2f(p);
    }
  entropy[y * width + x] = e;
}

// Pairs of markers against a disease: nine genotypes in cases and controls from planes of bits, as chi-square.
extern "C" __global__ void epistasis_pairs(float *score, unsigned *best, const unsigned *cases, const unsigned *controls, int words,
                                           int markers) {
  const int a = blockIdx.y * blockDim.y + threadIdx.y, b = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= markers || b >= markers || b <= a)
    return;
  float sum = 0;
  for (int g = 0; g < 9; ++g) {
    const int ga = g / 3, gb = g % 3;
    int ill = 0, well = 0;
    for (int k = 0; k < words; ++k) {
      const unsigned a0 = cases[(a * 2) * words + k], a1 = cases[(a * 2 + 1) * words + k];
      const unsigned b0 = cases[(b * 2) * words + k], b1 = cases[(b * 2 + 1) * words + k];
      const unsigned in_a = ga == 0 ? a0 : ga == 1 ? a1 : ~(a0 | a1), in_b = gb == 0 ? b0 : gb == 1 ? b1 : ~(b0 | b1);
      ill += __popc(in_a & in_b);
      const unsigned c0 = controls[(a * 2) * words + k], c1 = controls[(a * 2 + 1) * words + k];
      const unsigned d0 = controls[(b * 2) * words + k], d1 = controls[(b * 2 + 1) * words + k];
      const unsigned in_c = ga == 0 ? c0 : ga == 1 ? c1 : ~(c0 | c1), in_d = gb == 0 ? d0 : gb == 1 ? d1 : ~(d0 | d1);
      well += __popc(in_c & in_d);
    }
    const int seen = ill + well;
    if (seen >= 5) {
      const float difference = (float)(ill - well);
      sum += difference * difference / (float)seen;
    }
  }
  score[a * markers + b] = sum;
  if (sum > 16.0f)
    atomicMax(best, (unsigned)(sum * 64.0f) << 12 | (unsigned)(a << 6 | b));
}

__device__ static unsigned rotate(unsigned x, int by) { return by == 0 ? x : x << by | x >> (32 - by); }

// Sponge with lanes of 32 bits: messages of any length, padded in the last block.
extern "C" __global__ void keccak_messages(unsigned *digest, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned s[25];
  for (int k = 0; k < 25; ++k)
    s[k] = 0;
  const int end = starts[i + 1];
  int at = starts[i];
  bool last = false;
  while (!last) {
#pragma unroll
    for (int lane = 0; lane < 13; ++lane, at += 4) {
      if (at + 4 <= end)
        s[lane] ^= text[at] | text[at + 1] << 8 | text[at + 2] << 16 | (unsigned)text[at + 3] << 24;
      else if (!last) {
        unsigned word = 0;
        int shift = 0;
        for (int k = at; k < end; ++k, shift += 8)
          word |= (unsigned)text[k] << shift;
        s[lane] ^= word | 6u << shift;
        last = true;
      }
    }
    if (last)
      s[12] ^= 0x80000000u;
    unsigned lfsr = 1;
    for (int round = 0; round < 22; ++round) {
      unsigned c[5], b[25];
#pragma unroll
      for (int x = 0; x < 5; ++x)
        c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
      for (int x = 0; x < 5; ++x) {
        const unsigned d = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1);
        for (int y = 0; y < 25; y += 5)
          s[x + y] ^= d;
      }
      b[0] = s[0];
      int x = 1, y = 0;
#pragma unroll
      for (int t = 0; t < 24; ++t) {
        const int next = (2 * x + 3 * y) % 5;
        b[next * 5 + y] = rotate(s[y * 5 + x], (t + 1) * (t + 2) / 2 % 32);
        x = y;
        y = next;
      }
#pragma unroll
      for (int row = 0; row < 25; row += 5)
        for (int k = 0; k < 5; ++k)
          s[row + k] = b[row + k] ^ (~b[row + (k + 1) % 5] & b[row + (k + 2) % 5]);
      // One bit of the constant for each power of two minus one.
#pragma unroll
      for (int bit = 0; bit < 6; ++bit) {
        if (lfsr & 1)
          s[0] ^= 1u << ((1 << bit) - 1);
        lfsr = (lfsr << 1) ^ (lfsr & 0x80 ? 0x171u : 0u);
      }
    }
  }
  for (int k = 0; k < 4; ++k)
    digest[4 * i + k] = s[k];
}

// The value of a key in each record, without a parser for all of it: depth, strings with escapes, and what kind it is.
extern "C" __global__ void json_member(unsigned char *kind, int *value, const unsigned char *text, const int *starts, unsigned key,
                                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int end = starts[i + 1];
  int at = starts[i], depth = 0, result = 0;
  unsigned char what = 0;
  bool found = false;
  unsigned hash = 0;
  while (at < end && !found) {
    const int c = text[at++];
    if (c == '"') {
      hash = 5381;
      while (at < end && text[at] != '"') {
        if (text[at] == '\\')
          ++at;
        hash = hash * 33 + text[at++];
      }
      ++at;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':') {
      found = depth == 1 && hash == key;
    }
  }
  while (at < end && text[at] == ' ')
    ++at;
  if (found && at < end) {
    const int c = text[at];
    switch (c) {
    case '"':
      what = 1;
      for (++at; at < end && text[at] != '"'; ++at, ++result)
        if (text[at] == '\\')
          ++at;
      break;
    case 't':
    case 'f':
      what = 2;
      result = c == 't';
      break;
    case 'n':
      what = 3;
      break;
    case '[':
    case '{': {
      what = c == '[' ? 4 : 5;
      int inner = 0;
      do {
        const int d = text[at++];
        if (d == '[' || d == '{')
          ++inner;
        else if (d == ']' || d == '}')
          --inner;
        else if (d == ',' && inner == 1)
          ++result;
      } while (inner > 0 && at < end);
      ++result;
      break;
    }
    default: {
      what = 6;
      const bool negative = c == '-';
      if (negative)
        ++at;
      int digits = 0, fraction = 0;
      bool dot = false;
      for (; at < end; ++at) {
        const int d = text[at];
        if (d == '.')
          dot = true;
        else if (d < '0' || d > '9')
          break;
        else if (digits < 8) {
          result = result * 10 + d - '0';
          ++digits;
          fraction += dot;
        }
      }
      for (; fraction < 2; ++fraction)
        result *= 10;
      for (; fraction > 2; --fraction)
        result /= 10;
      if (negative)
        result = -result;
    }
    }
  }
  kind[i] = what;
  value[i] = result;
}

// Days to the week of the year by ISO's rule, and whether it is a holiday.
extern "C" __global__ void weeks_and_holidays(int *week, unsigned char *holiday, const int *days, const unsigned char *region, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int shifted = days[i] + 719468, era = shifted / 146097, of_era = shifted % 146097;
  const int of_year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int of_march = of_era - (365 * of_year + of_year / 4 - of_year / 100);
  int month = (5 * of_march + 2) / 153, year = of_year + era * 400;
  const int day = of_march - (153 * month + 2) / 5 + 1;
  month = month < 10 ? month + 3 : month - 9;
  if (month <= 2)
    ++year;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int ordinal = month > 2 ? of_march + 60 + leap : of_march - 305;
  const int weekday = (days[i] + 3) % 7 + 1; // Monday is 1
  int number = (ordinal - weekday + 10) / 7, belongs = year;
  if (number < 1) {
    --belongs;
    const int p = (belongs + belongs / 4 - belongs / 100 + belongs / 400) % 7;
    const int q = (belongs - 1 + (belongs - 1) / 4 - (belongs - 1) / 100 + (belongs - 1) / 400) % 7;
    number = p == 4 || q == 3 ? 53 : 52;
  } else if (number == 53) {
    const int p = (year + year / 4 - year / 100 + year / 400) % 7;
    const int q = (year - 1 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400) % 7;
    if (p != 4 && q != 3) {
      number = 1;
      ++belongs;
    }
  }
  week[i] = belongs * 100 + number;
  unsigned char off = weekday == 7;
  if ((month == 1 && day == 1) || (month == 12 && day == 25))
    off = 2;
  else
    switch (region[i]) {
    case 0:
      if (month == 10 && day == 3)
        off = 2;
      break;
    case 1: // the fourth Thursday, a day in July that moves off the weekend
      if (month == 11 && weekday == 4 && (day - 1) / 7 == 3)
        off = 2;
      else if (month == 7 && ((day == 4 && weekday < 6) || (day == 5 && weekday == 1) || (day == 3 && weekday == 5)))
        off = 2;
      break;
    default:
      if (month >= 3 && month <= 5) {
        const int a = year % 19, b = year / 100, c = year % 100;
        const int h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
        const int l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7, m = (a + 11 * h + 22 * l) / 451;
        const int easter = (h + l - 7 * m + 114) / 31 * 31 + (h + l - 7 * m + 114) % 31 + 1;
        const int today = month * 31 + day + (month == 5);
        if (today == easter + 1 || today == easter - 2)
          off = 3;
      }
    }
  holiday[i] = off;
}

// The k-th smallest of each row by partitions around the median of three; the rows are reordered in place.
extern "C" __global__ void quick_select_rows(int *rows, int *selected, const int *wanted, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int *row = rows + i * length;
  const int k = wanted[i];
  int low = 0, high = length - 1;
  while (high > low) {
    if (high == low + 1) {
      if (row[low] > row[high]) {
        const int swap = row[low];
        row[low] = row[high];
        row[high] = swap;
      }
      break;
    }
    const int a = row[low], b = row[(low + high) / 2], c = row[high];
    const int pivot = a < b ? (b < c ? b : max(a, c)) : (a < c ? a : max(b, c));
    int left = low, right = high;
    while (left <= right) {
      while (row[left] < pivot)
        ++left;
      while (row[right] > pivot)
        --right;
      if (left <= right) {
        const int swap = row[left];
        row[left++] = row[right];
        row[right--] = swap;
      }
    }
    if (k <= right)
      high = right;
    else if (k >= left)
      low = left;
    else
      break;
  }
  selected[i] = row[k];
}

// Sums of segments by their first elements' flags: a scan in the block, and what is left open at its ends.
extern "C" __global__ void segmented_sums(int *sums, int *open_sum, int *first_flag, const int *values, const unsigned char *heads,
                                          int n) {
  __shared__ int sum[128];
  __shared__ unsigned char flag[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  int mine = 0;
  unsigned char begins = 1;
  if (i < n) {
    mine = values[i];
    begins = heads[i];
  }
  sum[t] = mine;
  flag[t] = begins;
  if (begins)
    atomicMin(&first_flag[blockIdx.x], t);
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    int add = 0;
    unsigned char other = 0;
    if (t >= step && !begins) {
      add = sum[t - step];
      other = flag[t - step];
    }
    __syncthreads();
    if (t >= step && !begins) {
      mine += add;
      begins = other;
      sum[t] = mine;
      flag[t] = begins;
    }
    __syncthreads();
  }
  if (i >= n)
    return;
  const bool ends = i == n - 1 || heads[i + 1] != 0;
  if (ends)
    sums[i] = begins ? mine : -mine - 1;
  else if (t == 127)
    open_sum[blockIdx.x] = mine;
}
