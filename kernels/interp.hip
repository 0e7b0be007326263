// A small interpreter: every thread runs a program of its own, as in genetic programming or the filters of a query engine.
// Eight registers in LDS; instructions of one word: operation, destination, two sources, a constant. Divergent: the operation, a
// `switch`, and the length of the programs by the skips. The operands are fetched before the switch and the result is stored
// behind it: the cases are as short as they can be, and there is little to meld.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL interp
#endif

enum Operation { ADD, SUB, MUL, AND, OR, XOR, SHL, SHR, MIN, MAX, MAD, SET, LOAD, ROTATE, SELECT, SKIP };

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *out, const unsigned *programs, const unsigned *data,
                                                          unsigned length, unsigned mask) {
  __shared__ unsigned registers[8][SIZE];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * SIZE + tid;
  for (unsigned r = 0; r < 8; ++r)
    registers[r][tid] = data[(gid + r) & mask];
  for (unsigned at = 0; at < length; ++at) {
    const unsigned word = programs[at * gridDim.x * SIZE + gid];
    const unsigned to = word >> 4 & 7;
    const unsigned a = registers[word >> 7 & 7][tid];
    const unsigned b = registers[word >> 10 & 7][tid];
    const unsigned constant = word >> 16;
    unsigned result = registers[to][tid];
    switch (word & 15) {
    case ADD:
      result = a + b;
      break;
    case SUB:
      result = a - b;
      break;
    case MUL:
      result = a * b;
      break;
    case AND:
      result = a & b;
      break;
    case OR:
      result = a | b;
      break;
    case XOR:
      result = a ^ b;
      break;
    case SHL:
      result = a << (b & 31);
      break;
    case SHR:
      result = a >> (b & 31);
      break;
    case MIN:
      result = a < b ? a : b;
      break;
    case MAX:
      result = a > b ? a : b;
      break;
    case MAD:
      result += a * b;
      break;
    case SET:
      result = constant;
      break;
    case LOAD:
      result = data[(a + constant) & mask];
      break;
    case ROTATE:
      result = a << (constant & 31) | a >> (-constant & 31);
      break;
    case SELECT:
      result = a & 1 ? b : result;
      break;
    case SKIP:
      at += a < b ? constant & 3 : 0;
      break;
    }
    registers[to][tid] = result;
  }
  unsigned digest = 0;
  for (unsigned r = 0; r < 8; ++r)
    digest = digest * 31 + registers[r][tid];
  out[gid] = digest;
}
