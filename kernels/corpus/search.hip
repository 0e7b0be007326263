// Searching: texts, patterns, alignments, automata.
#include <hip/hip_runtime.h>

// Occurrences of a pattern, character by character.
extern "C" __global__ void find_pattern(unsigned char *found, const unsigned char *text, const unsigned char *pattern, int length,
                                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - length)
    return;
  int k = 0;
  while (k < length && text[i + k] == pattern[k])
    ++k;
  found[i] = k == length;
}

// Skips by the last character (Horspool), a piece of the text a thread.
extern "C" __global__ void find_horspool(int *counts, const unsigned char *text, const unsigned char *pattern,
                                         const unsigned char *skips, int length, int piece, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * piece >= n)
    return;
  int count = 0;
  const int end = min(n - length + 1, (i + 1) * piece);
  for (int at = i * piece; at < end;) {
    const unsigned char last = text[at + length - 1];
    if (last == pattern[length - 1]) {
      int k = 0;
      while (k < length - 1 && text[at + k] == pattern[k])
        ++k;
      if (k == length - 1)
        ++count;
    }
    at += skips[last];
  }
  counts[i] = count;
}

// Wildcards: * and ?, with going back to the last star.
extern "C" __global__ void match_wildcards(unsigned char *matched, const unsigned char *text, const int *starts,
                                           const unsigned char *pattern, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = starts[i], p = 0, star = -1, mark = 0;
  const int end = starts[i + 1];
  bool failed = false;
  while (at < end) {
    if (p < length && (pattern[p] == '?' || pattern[p] == text[at])) {
      ++at;
      ++p;
    } else if (p < length && pattern[p] == '*') {
      star = p++;
      mark = at;
    } else if (star >= 0) {
      p = star + 1;
      at = ++mark;
    } else {
      failed = true;
      break;
    }
  }
  while (p < length && pattern[p] == '*')
    ++p;
  matched[i] = !failed && p == length;
}

// A finite automaton with a table; a dead state ends early.
extern "C" __global__ void run_automaton(unsigned char *accepted, int *steps, const unsigned char *text, const int *starts,
                                         const unsigned char *next, const unsigned char *classes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int state = 1, at = starts[i];
  for (; at < starts[i + 1]; ++at) {
    state = next[state * 4 + classes[text[at]]];
    if (state == 0)
      break;
  }
  accepted[i] = state == 3;
  steps[i] = at - starts[i];
}

// Edit distance of short words, one row in LDS a thread.
extern "C" __global__ void edit_distance(int *distances, const unsigned char *words, const unsigned char *query, int length,
                                         int width, int n) {
  __shared__ unsigned char rows[20 * 64];
  unsigned char *row = rows + threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k <= length; ++k)
    row[k * 64] = k;
  int used = 0;
  for (; used < width && words[i * width + used] != 0; ++used) {
    const unsigned char c = words[i * width + used];
    int diagonal = row[0];
    row[0] = used + 1;
    for (int k = 0; k < length; ++k) {
      const int above = row[(k + 1) * 64];
      int best;
      if (c == query[k])
        best = diagonal;
      else
        best = 1 + min(diagonal, min(above, (int)row[k * 64]));
      diagonal = above;
      row[(k + 1) * 64] = best;
    }
  }
  distances[i] = row[length * 64];
}

// Global alignment of two sequences in a tile, along anti-diagonals.
extern "C" __global__ void needleman_tile(int *scores, const unsigned char *a, const unsigned char *b, int penalty) {
  __shared__ int m[33 * 33];
  const int t = threadIdx.x;
  const unsigned char *left = a + blockIdx.x * 32, *top = b + blockIdx.x * 32;
  m[(t + 1) * 33] = -penalty * (t + 1);
  m[t + 1] = -penalty * (t + 1);
  if (t == 0)
    m[0] = 0;
  __syncthreads();
  for (int diagonal = 0; diagonal < 63; ++diagonal) {
    const int y = t + 1, x = diagonal - t + 1;
    if (x >= 1 && x <= 32) {
      const int match = left[y - 1] == top[x - 1] ? 3 : -1;
      const int d = m[(y - 1) * 33 + x - 1] + match, u = m[(y - 1) * 33 + x] - penalty, l = m[y * 33 + x - 1] - penalty;
      m[y * 33 + x] = max(d, max(u, l));
    }
    __syncthreads();
  }
  scores[blockIdx.x * 32 + t] = m[(t + 1) * 33 + 32];
}

// Local alignment with affine gaps, one pair a thread, with the way of the best cell.
extern "C" __global__ void smith_waterman(int *best_scores, int *best_ways, const unsigned char *a, const unsigned char *b,
                                          int length, int n) {
  __shared__ short h[16 * 64], e[16 * 64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i >= n)
    return;
  for (int k = 0; k < 16; ++k)
    h[k * 64 + t] = e[k * 64 + t] = 0;
  int best = 0, way = 0;
  for (int y = 0; y < length; ++y) {
    const unsigned char c = a[y * n + i];
    int diagonal = 0, f = 0, before = 0;
    for (int x = 0; x < 16; ++x) {
      const int up = h[x * 64 + t];
      int gap = max(e[x * 64 + t] - 1, up - 3);
      f = max(f - 1, before - 3);
      int score = diagonal + (c == b[x * n + i] ? 2 : -1), from = 1;
      if (gap > score) {
        score = gap;
        from = 2;
      }
      if (f > score) {
        score = f;
        from = 3;
      }
      if (score < 0) {
        score = 0;
        from = 0;
      }
      if (score > best) {
        best = score;
        way = from;
      }
      diagonal = up;
      before = score;
      h[x * 64 + t] = score;
      e[x * 64 + t] = gap;
    }
  }
  best_scores[i] = best;
  best_ways[i] = way;
}

// Lower bound in a sorted array, or by interpolation where the keys are dense.
extern "C" __global__ void search_sorted(int *places, const int *queries, const int *keys, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int query = queries[i];
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (keys[middle] < query)
      low = middle + 1;
    else
      high = middle;
  }
  places[i] = low < count && keys[low] == query ? low : -low - 1;
}

// Longest prefix of an address in a trie with two bits a level.
extern "C" __global__ void longest_prefix(int *routes, const unsigned *addresses, const int *nodes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned address = addresses[i];
  int node = 0, route = 0;
  for (int level = 0; level < 16; ++level) {
    const int entry = nodes[4 * node + (address >> 30)];
    address <<= 2;
    if (entry == 0)
      break;
    if (entry < 0) {
      route = -entry;
      break;
    }
    node = entry;
  }
  routes[i] = route;
}

// Frequent pairs of a tokeniser: merges the best pair of a word until none is left.
extern "C" __global__ void merge_pairs(int *counts, const unsigned char *words, const unsigned char *ranks, int width, int n) {
  __shared__ unsigned char pieces[12 * 64];
  unsigned char *piece = pieces + threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int length = 0;
  while (length < width && words[i * width + length] != 0) {
    piece[length * 64] = words[i * width + length] & 31;
    ++length;
  }
  for (;;) {
    int best = 255, where = -1;
    for (int k = 0; k + 1 < length; ++k) {
      const int rank = ranks[piece[k * 64] * 32 + piece[(k + 1) * 64]];
      if (rank < best) {
        best = rank;
        where = k;
      }
    }
    if (where < 0)
      break;
    piece[where * 64] = best & 31;
    for (int k = where + 1; k + 1 < length; ++k)
      piece[k * 64] = piece[(k + 1) * 64];
    --length;
  }
  counts[i] = length;
}
