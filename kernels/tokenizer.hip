// A tokeniser: every thread runs a state machine over the bytes of a line of its own and leaves how many tokens of each kind it
// saw and a digest of them. Divergent: the state, a `switch`, and in each state the class of the byte.
// Words, numbers, strings in double quotes with escapes, comments from # on, and everything else one byte a token.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL tokenizer
#endif

enum State { BETWEEN, WORD, NUMBER, STRING, ESCAPE, COMMENT };
enum Kind { WORDS, NUMBERS, STRINGS, MARKS };

static __device__ __forceinline__ bool isDigit(unsigned c) { return c - '0' < 10; }
static __device__ __forceinline__ bool isLetter(unsigned c) { return (c | 32) - 'a' < 26 || c == '_'; }

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *counts, unsigned *digests, const unsigned char *text,
                                                          unsigned length) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  const unsigned char *line = text + gid * length;
  unsigned count = 0, digest = 0, value = 0; // count: a byte for each kind
  State state = BETWEEN;
  for (unsigned at = 0; at < length;) {
    const unsigned c = line[at];
    switch (state) {
    case BETWEEN:
      ++at;
      if (isLetter(c)) {
        value = c;
        state = WORD;
      } else if (isDigit(c)) {
        value = c - '0';
        state = NUMBER;
      } else if (c == '"') {
        value = 0;
        state = STRING;
      } else if (c == '#') {
        state = COMMENT;
      } else if (c > ' ') {
        count += 1u << 8 * MARKS;
        digest = digest * 31 + c;
      }
      break;
    case WORD:
      if (isLetter(c) || isDigit(c)) {
        value = (value * 33) ^ c;
        ++at;
      } else {
        count += 1u << 8 * WORDS;
        digest = digest * 31 + value;
        state = BETWEEN;
      }
      break;
    case NUMBER:
      if (isDigit(c)) {
        value = value * 10 + (c - '0');
        ++at;
      } else {
        count += 1u << 8 * NUMBERS;
        digest = digest * 31 + value;
        state = BETWEEN;
      }
      break;
    case STRING:
      ++at;
      if (c == '"') {
        count += 1u << 8 * STRINGS;
        digest = digest * 31 + value;
        state = BETWEEN;
      } else if (c == '\\') {
        state = ESCAPE;
      } else {
        value = (value * 33) ^ c;
      }
      break;
    case ESCAPE:
      ++at;
      value = (value * 33) ^ (c == 'n' ? '\n' : c == 't' ? '\t' : c);
      state = STRING;
      break;
    case COMMENT:
      ++at;
      if (c == '\n')
        state = BETWEEN;
      break;
    }
  }
  counts[gid] = count;
  digests[gid] = digest + state;
}
