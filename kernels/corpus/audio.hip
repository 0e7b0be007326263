// Sound: companding, dynamics, filters, resampling.
#include <hip/hip_runtime.h>

// Companding: sign, segment, mantissa.
extern "C" __global__ void mu_law_encode(unsigned char *out, const short *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sample = in[i], sign = 0;
  if (sample < 0) {
    sample = -sample;
    sign = 0x80;
  }
  if (sample > 32635)
    sample = 32635;
  sample += 132;
  const int exponent = 24 - __clz(sample);
  out[i] = ~(sign | exponent << 4 | (sample >> (exponent + 3) & 15));
}

// Two laws by channel.
extern "C" __global__ void expand_two_laws(short *out, const unsigned char *in, const unsigned char *a_law, int channels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int code = in[i];
  int value;
  if (a_law[i % channels]) {
    const int c = code ^ 0x55, exponent = c >> 4 & 7;
    value = (c & 15) << 4;
    if (exponent == 0)
      value += 8;
    else
      value = (value + 0x108) << (exponent - 1);
    value = c & 0x80 ? value : -value;
  } else {
    const int c = ~code & 0xff;
    value = ((((c & 15) << 3) + 132) << (c >> 4 & 7)) - 132;
    value = c & 0x80 ? -value : value;
  }
  out[i] = value;
}

// Four bits a sample with an adaptive step, one block a thread.
extern "C" __global__ void adpcm_decode(short *out, const unsigned char *codes, const short *steps, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int value = 0, index = 20;
  for (int k = 0; k < length; ++k) {
    const int byte = codes[k / 2 * n + i], code = k & 1 ? byte >> 4 : byte & 15;
    const int step = steps[index];
    int difference = step >> 3;
    if (code & 4)
      difference += step;
    if (code & 2)
      difference += step >> 1;
    if (code & 1)
      difference += step >> 2;
    if (code & 8)
      value -= difference;
    else
      value += difference;
    if (value > 32767)
      value = 32767;
    else if (value < -32768)
      value = -32768;
    if ((code & 7) < 4)
      index -= 1;
    else
      index += 2 * (code & 7) - 6;
    index = index < 0 ? 0 : index > 48 ? 48 : index;
    out[k * n + i] = value;
  }
}

// Compressor with a soft knee.
extern "C" __global__ void soft_knee(float *out, const float *level, float threshold, float ratio, float knee, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = level[i], over = x - threshold;
  float y;
  if (2 * over < -knee)
    y = x;
  else if (2 * over > knee)
    y = threshold + over / ratio;
  else {
    const float t = over + 0.5f * knee;
    y = x + (1 / ratio - 1) * t * t / (2 * knee);
  }
  out[i] = y;
}

// Envelopes: fast when it rises, slow when it falls; a gate with hysteresis.
extern "C" __global__ void follow_envelopes(float *out, const float *in, float attack, float release, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float envelope = 0;
  bool open = false;
  for (int k = 0; k < length; ++k) {
    const float x = fabsf(in[k * n + i]);
    if (x > envelope)
      envelope += attack * (x - envelope);
    else
      envelope += release * (x - envelope);
    if (open)
      open = envelope > 0.3f;
    else
      open = envelope > 0.6f;
    out[k * n + i] = open ? in[k * n + i] : 0.0f;
  }
}

// Distortion: hard, soft, or folded back, by voice.
extern "C" __global__ void distort(float *out, const float *in, const unsigned char *kind, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = 2.0f * in[i];
  float y;
  switch (kind[i / length]) {
  case 0:
    y = x > 1 ? 1.0f : x < -1 ? -1.0f : x;
    break;
  case 1:
    if (x > 1)
      y = 0.66666667f;
    else if (x < -1)
      y = -0.66666667f;
    else
      y = x - x * x * x / 3.0f;
    break;
  default:
    y = x;
    while (y > 1 || y < -1)
      y = y > 1 ? 2 - y : -2 - y;
  }
  out[i] = y;
}

// Resampling with taps that may lie before the beginning or behind the end.
extern "C" __global__ void resample_taps(float *out, const float *in, const float *taps, float ratio, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float at = (float)i * ratio;
  const int first = (int)at - 3;
  const int phase = (int)((at - (float)(int)at) * 16.0f);
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    const int j = first + k;
    if (j >= 0 && j < length)
      sum += taps[phase * 8 + k] * in[j];
  }
  out[i] = sum;
}

// Notes of a synthesiser: attack, decay, sustain, release by time.
extern "C" __global__ void note_envelopes(float *out, const float *times, const float *lengths, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float t = times[i], end = lengths[i];
  float level;
  if (t < 0)
    level = 0;
  else if (t >= end) {
    const float u = (t - end) / 0.3f;
    level = u < 1 ? 0.6f * (1 - u) * (1 - u) : 0.0f;
  } else if (t < 0.05f)
    level = t / 0.05f;
  else if (t < 0.2f) {
    const float u = (t - 0.05f) / 0.15f;
    level = 1 - 0.4f * u * (2 - u);
  } else
    level = 0.6f;
  out[i] = level;
}
