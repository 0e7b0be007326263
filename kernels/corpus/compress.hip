// Compression: runs, matches, variable lengths, packed bits.
#include <hip/hip_runtime.h>

// Runs of a line of samples, one a thread: (value, length) pairs.
extern "C" __global__ void rle_encode(unsigned short *pairs, int *counts, const unsigned char *samples, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int count = 0, run = 0;
  unsigned char value = samples[i];
  for (int k = 0; k < length; ++k) {
    const unsigned char next = samples[k * n + i];
    if (next == value && run < 255)
      ++run;
    else {
      pairs[count++ * n + i] = value << 8 | run;
      value = next;
      run = 1;
    }
  }
  pairs[count++ * n + i] = value << 8 | run;
  counts[i] = count;
}

// Packed bits as in pictures: a header below 128 copies literals, above it repeats a byte.
extern "C" __global__ void packbits_decode(unsigned char *out, const unsigned char *packed, const int *starts, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int to = i * width;
  const int end = to + width;
  for (int at = starts[i]; at < starts[i + 1] && to < end;) {
    const int header = packed[at++];
    if (header < 128) {
      for (int k = 0; k <= header && to < end; ++k)
        out[to++] = packed[at++];
    } else {
      const unsigned char value = packed[at++];
      for (int k = 0; k <= header - 128 && to < end; ++k)
        out[to++] = value;
    }
  }
}

// Longest match in the window before a position.
extern "C" __global__ void longest_match(unsigned *matches, const unsigned char *text, int window, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int best = 0, distance = 0;
  for (int k = 1; k <= window && k <= i; ++k) {
    int length = 0;
    while (length < 16 && i + length < n && text[i - k + length] == text[i + length])
      ++length;
    if (length > best) {
      best = length;
      distance = k;
      if (best == 16)
        break;
    }
  }
  matches[i] = best >= 3 ? best << 16 | distance : text[i];
}

// Canonical Huffman code, bit by bit, one block a thread.
extern "C" __global__ void huffman_decode(unsigned char *symbols, const unsigned *bits, const int *first_code,
                                          const int *first_symbol, const int *counts, const unsigned char *order,
                                          int words, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int decoded = 0, code = 0, width = 0;
  for (int w = 0; w < words && decoded < length; ++w) {
    const unsigned word = bits[w * n + i];
    for (int b = 31; b >= 0 && decoded < length; --b) {
      code = code << 1 | (word >> b & 1);
      ++width;
      const int index = code - first_code[width];
      if (index >= 0 && index < counts[width]) {
        symbols[decoded++ * n + i] = order[first_symbol[width] + index];
        code = 0;
        width = 0;
      } else if (width == 12) {
        decoded = length;
      }
    }
  }
}

// Numbers in groups of seven bits.
extern "C" __global__ void varint_encode(unsigned char *out, unsigned char *lengths, const unsigned *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned value = values[i];
  int length = 0;
  while (value >= 128) {
    out[5 * i + length++] = (value & 127) | 128;
    value >>= 7;
  }
  out[5 * i + length++] = value;
  lengths[i] = length;
}

// Differences of neighbours, zigzag coded, in one, two or four bytes by a two-bit class.
extern "C" __global__ void delta_classes(unsigned char *out, unsigned char *classes, const int *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int difference = i == 0 ? values[0] : values[i] - values[i - 1];
  const unsigned z = (unsigned)difference << 1 ^ (unsigned)(difference >> 31);
  if (z < 256) {
    out[4 * i] = z;
    classes[i] = 0;
  } else if (z < 65536) {
    out[4 * i] = z;
    out[4 * i + 1] = z >> 8;
    classes[i] = 1;
  } else {
    out[4 * i] = z;
    out[4 * i + 1] = z >> 8;
    out[4 * i + 2] = z >> 16;
    out[4 * i + 3] = z >> 24;
    classes[i] = 2;
  }
}

// Values of a few bits in words; a value may lie in two words.
extern "C" __global__ void unpack_bits(unsigned *values, const unsigned *packed, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned bit = i * width, word = bit / 32, shift = bit % 32;
  unsigned value;
  if (shift + width <= 32)
    value = packed[word] >> shift;
  else
    value = packed[word] >> shift | packed[word + 1] << (32 - shift);
  values[i] = value & ((1u << width) - 1);
}

// Frame of reference with exceptions: a block's base and width, and patches for what does not fit.
extern "C" __global__ void patched_decode(unsigned *values, const unsigned *packed, const unsigned *bases,
                                          const unsigned char *widths, const int *patches, const unsigned *patch_values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int block = i / 32;
  const int width = widths[block];
  unsigned value = bases[block];
  if (width == 0)
    value += 0;
  else if (width <= 8)
    value += packed[i] & 0xff;
  else if (width <= 16)
    value += packed[i] & 0xffff;
  else
    value += packed[i];
  const int patch = patches[i];
  if (patch >= 0)
    value = patch_values[patch];
  values[i] = value;
}

// Rice codes: a quotient in unary, a remainder in bits; large quotients escape to a plain number.
extern "C" __global__ void rice_decode(int *values, const unsigned *bits, int words, int k, int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = 0;
  for (int v = 0; v < count; ++v) {
    int quotient = 0;
    while (at < 32 * words && (bits[at / 32 * n + i] >> at % 32 & 1) && quotient < 8) {
      ++quotient;
      ++at;
    }
    const int width = quotient == 8 ? 16 : k;
    if (quotient < 8)
      ++at;
    unsigned rest = 0;
    for (int b = 0; b < width && at < 32 * words; ++b, ++at)
      rest |= (bits[at / 32 * n + i] >> at % 32 & 1) << b;
    const unsigned z = quotient == 8 ? rest : (unsigned)quotient << k | rest;
    values[v * n + i] = (int)(z >> 1) ^ -(int)(z & 1);
  }
}

// Blocks of a texture, 4 by 4 pixels from two colours and weights; which palette depends on the order of the colours.
extern "C" __global__ void texture_blocks(unsigned *pixels, const unsigned *blocks, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * 16)
    return;
  const unsigned colours = blocks[i / 16 * 2], weights = blocks[i / 16 * 2 + 1];
  const unsigned a = colours & 0xffff, b = colours >> 16;
  const int ar = a >> 11, ag = a >> 5 & 63, ab = a & 31, br = b >> 11, bg = b >> 5 & 63, bb = b & 31;
  const unsigned weight = weights >> (i % 16 * 2) & 3;
  int red, green, blue, alpha = 255;
  if (a > b) {
    if (weight == 0)
      red = 3 * ar, green = 3 * ag, blue = 3 * ab;
    else if (weight == 1)
      red = 3 * br, green = 3 * bg, blue = 3 * bb;
    else if (weight == 2)
      red = 2 * ar + br, green = 2 * ag + bg, blue = 2 * ab + bb;
    else
      red = ar + 2 * br, green = ag + 2 * bg, blue = ab + 2 * bb;
    red = red * 255 / 93, green = green * 255 / 189, blue = blue * 255 / 93;
  } else {
    if (weight == 0)
      red = 2 * ar, green = 2 * ag, blue = 2 * ab;
    else if (weight == 1)
      red = 2 * br, green = 2 * bg, blue = 2 * bb;
    else if (weight == 2)
      red = ar + br, green = ag + bg, blue = ab + bb;
    else
      red = green = blue = alpha = 0;
    red = red * 255 / 62, green = green * 255 / 126, blue = blue * 255 / 62;
  }
  pixels[i] = alpha << 24 | blue << 16 | green << 8 | red;
}
