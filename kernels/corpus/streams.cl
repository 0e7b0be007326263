// Words, packets, samples and symbols: crackers of passwords, coders, radios, synthesisers.

// Rules of a dictionary attack make candidates of words of 16 bytes; a short hash of each is compared with the digest.
kernel void rule_words(global uint *digest, global const uint4 *words, global const uchar *lengths, global const uchar *rules, int per_word,
                       int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  union { uint4 all; uchar byte[16]; } word;
  word.all = words[i];
  int length = min((int)lengths[i], 16);
  for (int r = 0; r < per_word; ++r) {
    switch (rules[i * per_word + r]) {
    case 'l':
      for (int k = 0; k < length; ++k)
        if (word.byte[k] >= 'A' && word.byte[k] <= 'Z')
          word.byte[k] |= 0x20;
      break;
    case 'u':
      for (int k = 0; k < length; ++k)
        if (word.byte[k] >= 'a' && word.byte[k] <= 'z')
          word.byte[k] &= 0xdf;
      break;
    case 'r':
      for (int k = 0; k < length / 2; ++k) {
        const uchar swap = word.byte[k];
        word.byte[k] = word.byte[length - 1 - k];
        word.byte[length - 1 - k] = swap;
      }
      break;
    case '$':
      if (length < 16)
        word.byte[length++] = '1';
      break;
    case '[':
      for (int k = 1; k < length; ++k)
        word.byte[k - 1] = word.byte[k];
      if (length > 0)
        word.byte[--length] = 0;
      break;
    }
  }
  const uint block[4] = {word.all.x, word.all.y, word.all.z, word.all.w ^ (uint)length};
  uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int k = 0; k < 32; ++k) {
    const uint f = k < 16 ? bitselect(d, c, b) : bitselect(c, b, d);
    const uint sum = a + f + block[k < 16 ? k & 3 : 5 * k + 1 & 3] + 0x5a827999u;
    a = d;
    d = c;
    c = b;
    b += rotate(sum, k < 16 ? 7u : 5u);
  }
  digest[i] = a ^ b ^ c ^ d;
}

// UTF-8 to UTF-16, a line for each thread; what is no character becomes U+FFFD.
kernel void utf8_widen(global ushort *wide, global int *lengths, global const uchar *text, global const int *starts, int lines) {
  const int i = get_global_id(0);
  if (i >= lines)
    return;
  int at = starts[i], to = starts[i];
  const int end = starts[i + 1];
  while (at < end) {
    const uint lead = text[at++];
    uint code = 0xfffd;
    if (lead < 0x80) {
      code = lead;
    } else if (lead >= 0xc2 && lead < 0xe0 && at < end) {
      code = (lead & 0x1f) << 6 | (text[at++] & 0x3f);
    } else if (lead >= 0xe0 && lead < 0xf0 && at + 1 < end) {
      code = (lead & 0x0f) << 12 | (uint)(text[at] & 0x3f) << 6 | (text[at + 1] & 0x3f);
      at += 2;
    } else if (lead >= 0xf0 && lead < 0xf5 && at + 2 < end) {
      code = (lead & 0x07) << 18 | (uint)(text[at] & 0x3f) << 12 | (uint)(text[at + 1] & 0x3f) << 6 | (text[at + 2] & 0x3f);
      at += 3;
    }
    if (code >= 0x10000) {
      wide[to++] = 0xd7c0 + (code >> 10);
      wide[to++] = 0xdc00 + (code & 0x3ff);
    } else {
      wide[to++] = code;
    }
  }
  lengths[i] = to - starts[i];
}

static int base64_value(uchar c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Four letters of base64 to three bytes. Padding ends a text; other characters are counted.
kernel void base64_quads(global uchar *out, global int *wrong, global const uchar *in, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const uchar4 q = vload4(i, in);
  const int4 v = (int4)(base64_value(q.x), base64_value(q.y), base64_value(q.z), base64_value(q.w));
  if (all(v >= 0)) {
    const uint bits = (uint)v.x << 18 | v.y << 12 | v.z << 6 | v.w;
    vstore3((uchar3)(bits >> 16, bits >> 8 & 255, bits & 255), i, out);
  } else if (q.w == '=' && v.x >= 0 && v.y >= 0) {
    const uint bits = (uint)v.x << 18 | v.y << 12 | (q.z == '=' ? 0 : max(v.z, 0) << 6);
    vstore3((uchar3)(bits >> 16, bits >> 8 & 255, 0), i, out);
  } else {
    vstore3((uchar3)('?'), i, out);
    atomic_add(wrong, popcount((uint)(v.x < 0)) + popcount((uint)(v.y < 0)) + popcount((uint)(v.z < 0)) + popcount((uint)(v.w < 0)));
  }
}

static float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// One stage of a Fourier transform with radix 4; the first quarter needs no rotations.
kernel void fft_stage(global float2 *out, global const float2 *in, int stride, int quarter) {
  const int i = get_global_id(0);
  if (i >= quarter)
    return;
  const int k = i & (stride - 1);
  float2 a = in[i], b = in[i + quarter], c = in[i + 2 * quarter], d = in[i + 3 * quarter];
  if (k != 0) {
    const float angle = -M_PI_F * k / (2 * stride);
    const float2 w1 = (float2)(native_cos(angle), native_sin(angle)), w2 = times(w1, w1);
    b = times(b, w1);
    c = times(c, w2);
    d = times(d, times(w1, w2));
  }
  const float2 s = a + c, t = a - c, u = b + d, v = (float2)(b.y - d.y, d.x - b.x);
  global float2 *to = out + ((i - k) << 2) + k;
  to[0] = s + u;
  to[stride] = t + v;
  to[2 * stride] = s - u;
  to[3 * stride] = t - v;
}

constant short STEPS[89] = {
    7,    8,    9,    10,   11,   12,   13,   14,   16,   17,   19,   21,   23,   25,   28,   31,   34,    37,    41,    45,    50,    55,   60,
    66,   73,   80,   88,   97,   107,  118,  130,  143,  157,  173,  190,  209,  230,  253,  279,  307,   337,   371,   408,   449,   494,  544,
    598,  658,  724,  796,  876,  963,  1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749,  3024,  3327,  3660,  4026,  4428, 4871,
    5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
constant char CHANGES[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

// Blocks of IMA ADPCM, one for each thread: a word of state, then 32 nibbles.
kernel void adpcm_blocks(global short *out, global const uint *blocks, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  global const uint *block = blocks + 5 * i;
  int sample = (short)(block[0] & 0xffff), index = clamp((int)(block[0] >> 16 & 127), 0, 88);
  for (int k = 0; k < 32; ++k) {
    const uint nibble = block[1 + k / 8] >> 4 * (k & 7) & 15;
    const int step = STEPS[index];
    int difference = step >> 3;
    if (nibble & 4)
      difference += step;
    if (nibble & 2)
      difference += step >> 1;
    if (nibble & 1)
      difference += step >> 2;
    if (nibble & 8)
      sample = max(sample - difference, -32768);
    else
      sample = min(sample + difference, 32767);
    index = clamp(index + CHANGES[nibble & 7], 0, 88);
    out[i * 32 + k] = sample;
  }
}

// A compressor with a soft knee: levels below it pass, inside of it the ratio grows, above it is full.
kernel void dynamics_knee(global float *out, global float *gains, global const float *in, float threshold, float knee, float ratio, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float x = in[i], level = 20.0f * log10(fmax(fabs(x), 1e-5f)), over = level - threshold;
  float gain;
  if (over <= -0.5f * knee) {
    gain = 0.0f;
  } else if (over < 0.5f * knee) {
    const float t = over + 0.5f * knee;
    gain = (1.0f / ratio - 1.0f) * t * t / (2.0f * knee);
  } else {
    gain = (1.0f / ratio - 1.0f) * over;
  }
  gains[i] = gain;
  out[i] = x * exp10(0.05f * gain);
}

static uint2 philox(uint2 counter, uint key) {
  for (int round = 0; round < 10; ++round) {
    const uint high = mul_hi(counter.x, 0xd256d193u), low = counter.x * 0xd256d193u;
    counter = (uint2)(high ^ key ^ counter.y, low);
    key += 0x9e3779b9u;
  }
  return counter;
}

// Numbers by chance, from one generator for several columns of a simulation: uniform, normal, exponential, Cauchy, days.
kernel void philox_columns(global float *out, global const uchar *column, uint key, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const uint2 bits = philox((uint2)(i, 0), key);
  const float2 u = (convert_float2(bits >> 8) + 0.5f) * 0x1p-24f;
  float v;
  switch (column[i]) {
  case 0:
    v = u.x;
    break;
  case 1:
    v = sqrt(-2.0f * log(u.x)) * cospi(2.0f * u.y);
    break;
  case 2:
    v = -log(u.x) * 0.5f;
    break;
  case 3:
    v = clamp(tanpi(u.x - 0.5f), -1e4f, 1e4f);
    break;
  default:
    v = floor(365.0f * u.y);
    break;
  }
  out[i] = v;
}

// Viterbi's algorithm for a code of 64 states, one group for each message: the better of two ways into each state.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void viterbi_states(global ulong *decisions, global short *metrics, global const char2 *symbols, int steps) {
  local short old[64];
  local uint chosen[2];
  const int state = get_local_id(0), message = get_group_id(0);
  const int parity = popcount(state & 0x2d) & 1, other = popcount(state & 0x39) & 1;
  short mine = state == 0 ? 0 : -1000;
  for (int step = 0; step < steps; ++step) {
    old[state] = mine;
    if (state < 2)
      chosen[state] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const char2 symbol = symbols[message * steps + step];
    const short branch = (parity ? -symbol.x : symbol.x) + (other ? -symbol.y : symbol.y);
    const short low = add_sat(old[state >> 1], branch), high = sub_sat(old[(state >> 1) + 32], branch);
    if (high > low) {
      mine = high;
      atomic_or(&chosen[state >> 5], 1u << (state & 31));
    } else {
      mine = low;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (state == 0)
      decisions[message * steps + step] = upsample(chosen[1], chosen[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  metrics[message * 64 + state] = mine;
}

// Soft bits of symbols in half precision: blocks of carriers have 2, 4 or 6 bits each.
kernel void soft_bits(global char *bits, global const half *symbols, global const uchar *order, float scale, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const float2 s = vload_half2(i, symbols) * scale;
  float8 v = (float8)(0);
  switch (order[i / 12]) {
  case 2:
    v.s01 = s * 1.4142136f;
    break;
  case 4:
    v.s01 = s * 3.1622777f;
    v.s23 = 2.0f * scale - fabs(s * 3.1622777f);
    break;
  default:
    v.s01 = s * 6.4807407f;
    v.s23 = 4.0f * scale - fabs(s * 6.4807407f);
    v.s45 = 2.0f * scale - fabs(4.0f * scale - fabs(s * 6.4807407f));
    break;
  }
  vstore8(convert_char8_sat_rte(v), i, bits);
}

// Checksums of packets: ones' complement for most of them, a cyclic redundancy check for the others.
kernel void packet_sums(global uint *sums, global const uchar *data, global const int *starts, global const uchar *protocol, int n) {
  const int i = get_global_id(0);
  if (i >= n)
    return;
  const int start = starts[i], end = starts[i + 1];
  if (protocol[i] == 132) {
    uint crc = 0xffffffffu;
    for (int at = start; at < end; ++at) {
      crc ^= data[at];
      for (int bit = 0; bit < 8; ++bit)
        crc = crc >> 1 ^ (0x82f63b78u & -(crc & 1));
    }
    sums[i] = ~crc;
  } else {
    uint sum = protocol[i] + (end - start);
    for (int at = start; at < end; at += 2)
      sum += upsample(data[at], at + 1 < end ? data[at + 1] : (uchar)0);
    while (sum >> 16)
      sum = (sum & 0xffff) + (sum >> 16);
    sums[i] = ~sum & 0xffff;
  }
}
