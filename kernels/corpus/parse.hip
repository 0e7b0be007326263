// Text: numbers, records, encodings.
#include <hip/hip_runtime.h>

// Integers with sign, in decimal or hexadecimal; an error code for anything else.
extern "C" __global__ void parse_integers(int *values, unsigned char *errors, const unsigned char *text, const int *starts,
                                          int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = starts[i];
  const int end = starts[i + 1];
  bool negative = false;
  unsigned char error = 0;
  int value = 0;
  if (at < end && (text[at] == '-' || text[at] == '+'))
    negative = text[at++] == '-';
  if (at >= end)
    error = 1;
  else if (end - at > 2 && text[at] == '0' && text[at + 1] == 'x') {
    for (at += 2; at < end; ++at) {
      const unsigned char c = text[at];
      int digit;
      if (c >= '0' && c <= '9')
        digit = c - '0';
      else if (c >= 'a' && c <= 'f')
        digit = c - 'a' + 10;
      else {
        error = 2;
        break;
      }
      value = value * 16 + digit;
    }
  } else {
    for (; at < end; ++at) {
      const unsigned char c = text[at];
      if (c < '0' || c > '9') {
        error = 3;
        break;
      }
      value = value * 10 + (c - '0');
    }
  }
  values[i] = negative ? -value : value;
  errors[i] = error;
}

// Decimal fractions with an exponent.
extern "C" __global__ void parse_reals(float *values, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = starts[i];
  const int end = starts[i + 1];
  float value = 0, scale = 1;
  bool negative = false;
  if (at < end && text[at] == '-') {
    negative = true;
    ++at;
  }
  while (at < end && text[at] >= '0' && text[at] <= '9')
    value = value * 10.0f + (float)(text[at++] - '0');
  if (at < end && text[at] == '.') {
    ++at;
    while (at < end && text[at] >= '0' && text[at] <= '9') {
      value = value * 10.0f + (float)(text[at++] - '0');
      scale *= 10.0f;
    }
  }
  if (at < end && text[at] == 'e') {
    ++at;
    bool small = false;
    int exponent = 0;
    if (at < end && text[at] == '-') {
      small = true;
      ++at;
    }
    while (at < end)
      exponent = exponent * 10 + (text[at++] - '0');
    for (; exponent > 0; --exponent)
      if (small)
        scale *= 10.0f;
      else
        value *= 10.0f;
  }
  values[i] = (negative ? -value : value) / scale;
}

// Records of comma-separated values: fields, quoted ones with doubled quotes.
extern "C" __global__ void csv_fields(int *fields, int *quoted, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int count = 1, quotes = 0;
  bool inside = false;
  for (int at = starts[i]; at < starts[i + 1]; ++at) {
    const unsigned char c = text[at];
    if (inside) {
      if (c == '"') {
        if (at + 1 < starts[i + 1] && text[at + 1] == '"')
          ++at;
        else
          inside = false;
      }
    } else if (c == '"') {
      inside = true;
      ++quotes;
    } else if (c == ',')
      ++count;
  }
  fields[i] = count;
  quoted[i] = quotes;
}

// Depth and number of members of a JSON text, with strings and escapes.
extern "C" __global__ void json_depth(int *depths, int *members, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int depth = 0, deepest = 0, count = 0, state = 0;
  for (int at = starts[i]; at < starts[i + 1]; ++at) {
    const unsigned char c = text[at];
    switch (state) {
    case 0:
      if (c == '{' || c == '[') {
        if (++depth > deepest)
          deepest = depth;
      } else if (c == '}' || c == ']')
        --depth;
      else if (c == ':')
        ++count;
      else if (c == '"')
        state = 1;
      break;
    case 1:
      if (c == '\\')
        state = 2;
      else if (c == '"')
        state = 0;
      break;
    default:
      state = 1;
    }
  }
  depths[i] = depth == 0 ? deepest : -1;
  members[i] = count;
}

// Valid UTF-8? Sequences by their first byte, without overlong forms and surrogates.
extern "C" __global__ void utf8_validate(int *characters, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = starts[i], count = 0;
  const int end = starts[i + 1];
  while (at < end) {
    const unsigned a = text[at];
    if (a < 0x80)
      at += 1;
    else if (a >= 0xc2 && a < 0xe0 && at + 1 < end && (text[at + 1] & 0xc0) == 0x80)
      at += 2;
    else if (a >= 0xe0 && a < 0xf0 && at + 2 < end && (text[at + 1] & 0xc0) == 0x80 && (text[at + 2] & 0xc0) == 0x80) {
      const unsigned code = (a & 15) << 12 | (text[at + 1] & 63) << 6 | (text[at + 2] & 63);
      if (code < 0x800 || (code >= 0xd800 && code < 0xe000)) {
        count = -1;
        break;
      }
      at += 3;
    } else if (a >= 0xf0 && a < 0xf5 && at + 3 < end && (text[at + 1] & 0xc0) == 0x80 && (text[at + 2] & 0xc0) == 0x80 &&
               (text[at + 3] & 0xc0) == 0x80)
      at += 4;
    else {
      count = -1;
      break;
    }
    ++count;
  }
  characters[i] = count;
}

// UTF-16 from code points: one unit or two.
extern "C" __global__ void utf16_encode(unsigned *units, unsigned char *lengths, const unsigned *codes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned code = codes[i];
  if (code < 0x10000) {
    if (code >= 0xd800 && code < 0xe000) {
      units[i] = 0xfffd;
      lengths[i] = 0;
    } else {
      units[i] = code;
      lengths[i] = 1;
    }
  } else {
    const unsigned rest = code - 0x10000;
    units[i] = (0xd800 + (rest >> 10)) | (0xdc00 + (rest & 1023)) << 16;
    lengths[i] = 2;
  }
}

// Base64 from text: four characters a thread, by the range of each character.
__device__ static int sextet(unsigned char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+')
    return 62;
  if (c == '/')
    return 63;
  return -1;
}
extern "C" __global__ void base64_decode(unsigned char *bytes, int *invalid, const unsigned char *text, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads)
    return;
  const int a = sextet(text[4 * i]), b = sextet(text[4 * i + 1]), c = sextet(text[4 * i + 2]), d = sextet(text[4 * i + 3]);
  if (a < 0 || b < 0) {
    atomicAdd(invalid, 1);
    return;
  }
  bytes[3 * i] = a << 2 | b >> 4;
  if (c >= 0)
    bytes[3 * i + 1] = b << 4 | c >> 2;
  if (c >= 0 && d >= 0)
    bytes[3 * i + 2] = c << 6 | d;
}

// Percent decoding of addresses.
extern "C" __global__ void url_decode(unsigned char *out, int *lengths, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int to = starts[i];
  for (int at = starts[i]; at < starts[i + 1]; ++at) {
    unsigned char c = text[at];
    if (c == '%' && at + 2 < starts[i + 1]) {
      const unsigned char h = text[at + 1], l = text[at + 2];
      const int high = h <= '9' ? h - '0' : (h | 32) - 'a' + 10;
      const int low = l <= '9' ? l - '0' : (l | 32) - 'a' + 10;
      c = high << 4 | low;
      at += 2;
    } else if (c == '+')
      c = ' ';
    out[to++] = c;
  }
  lengths[i] = to - starts[i];
}

// Changes the case of letters: to upper at the beginning of a word, to lower inside it.
extern "C" __global__ void title_case(unsigned char *out, const unsigned char *text, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned char c = text[i];
  const unsigned char before = i == 0 ? ' ' : text[i - 1];
  const bool starts = before == ' ' || before == '\n' || before == '.';
  unsigned char result = c;
  if (starts) {
    if (c >= 'a' && c <= 'z')
      result = c - 32;
  } else if (c >= 'A' && c <= 'Z')
    result = c + 32;
  out[i] = result;
}

// Instants as "2024-02-29T23:59:60" to seconds since 1970; -1 for what is no instant.
extern "C" __global__ void parse_instants(int *seconds, const unsigned char *text, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned char *t = text + 20 * i;
  int field[6];
  const int at[6] = {0, 5, 8, 11, 14, 17};
  for (int k = 0; k < 6; ++k)
    field[k] = (k == 0 ? t[0] * 1000 + t[1] * 100 - '0' * 1100 : 0) + t[at[k] + (k == 0 ? 2 : 0)] * 10 +
               t[at[k] + (k == 0 ? 3 : 1)] - '0' * 11;
  int result = -1;
  const bool leap = field[0] % 4 == 0 && (field[0] % 100 != 0 || field[0] % 400 == 0);
  if (field[1] >= 1 && field[1] <= 12) {
    const int month_days = field[1] == 2 ? (leap ? 29 : 28) : field[1] == 4 || field[1] == 6 || field[1] == 9 || field[1] == 11 ? 30 : 31;
    if (field[2] >= 1 && field[2] <= month_days && field[3] < 24 && field[4] < 60 && field[5] <= 60) {
      const int y = field[1] <= 2 ? field[0] - 1 : field[0];
      const int m = field[1] <= 2 ? field[1] + 9 : field[1] - 3;
      const int days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + field[2] - 1 - 719468;
      result = days * 86400 + field[3] * 3600 + field[4] * 60 + field[5];
    }
  }
  seconds[i] = result;
}
