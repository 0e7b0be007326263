// Examples of many kinds: words and hashes, codes of text, curves over fields, radiation, puzzles, roots, calendars,
// contacts.
#include <hip/hip_runtime.h>

__device__ static unsigned turn(unsigned x, int by) { return x << by | x >> (32 - by); }

// Guesses of passwords: a word after up to four rules, as its digest of 48 steps over wide letters, looked up in a
// sorted list.
extern "C" __global__ void mangled_words(unsigned *digest, int *hits, const unsigned char *words, const unsigned char *lengths,
                                         const unsigned char *rules, const unsigned *wanted, int count, int rule_count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned char *rule = rules + i % rule_count * 8;
  const int word = i / rule_count;
  unsigned char text[28];
  int length = lengths[word];
  for (int k = 0; k < length; ++k)
    text[k] = words[word * 16 + k];
  for (int step = 0; step < 8; step += 2) {
    const unsigned char letter = rule[step + 1];
    if (rule[step] == 0)
      break;
    switch (rule[step]) {
    case 'l':
      for (int k = 0; k < length; ++k)
        if (text[k] >= 'A' && text[k] <= 'Z')
          text[k] |= 32;
      break;
    case 'u':
      for (int k = 0; k < length; ++k)
        if (text[k] >= 'a' && text[k] <= 'z')
          text[k] &= 223;
      break;
    case 'c':
      for (int k = 0; k < length; ++k) {
        if (k == 0) {
          if (text[k] >= 'a' && text[k] <= 'z')
            text[k] &= 223;
        } else if (text[k] >= 'A' && text[k] <= 'Z')
          text[k] |= 32;
      }
      break;
    case 'r':
      for (int k = 0; k < length / 2; ++k) {
        const unsigned char swap = text[k];
        text[k] = text[length - 1 - k];
        text[length - 1 - k] = swap;
      }
      break;
    case 'd':
      if (2 * length <= 27) {
        for (int k = 0; k < length; ++k)
          text[length + k] = text[k];
        length *= 2;
      }
      break;
    case '$':
      if (length < 27)
        text[length++] = letter;
      break;
    case '^':
      if (length < 27) {
        for (int k = length; k > 0; --k)
          text[k] = text[k - 1];
        text[0] = letter;
        ++length;
      }
      break;
    case 's': {
      const unsigned char by = letter == 'a' ? '@' : letter == 'e' ? '3' : letter == 'o' ? '0' : '1';
      for (int k = 0; k < length; ++k)
        if (text[k] == letter)
          text[k] = by;
      break;
    }
    case ']':
      if (length > 0)
        --length;
      break;
    default:
      break;
    }
  }
  unsigned w[16];
#pragma unroll
  for (int k = 0; k < 14; ++k) {
    const int at = 2 * k;
    unsigned pair = 0;
    if (at < length)
      pair = text[at];
    else if (at == length)
      pair = 0x80;
    if (at + 1 < length)
      pair |= (unsigned)text[at + 1] << 16;
    else if (at + 1 == length)
      pair |= 0x800000u;
    w[k] = pair;
  }
  w[14] = 16u * (unsigned)length;
  w[15] = 0;
  unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  const int shifts[3][4] = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};
#pragma unroll
  for (int step = 0; step < 48; ++step) {
    const int k = step & 15;
    unsigned f;
    int from;
    if (step < 16) {
      f = (b & c) | (~b & d);
      from = k;
    } else if (step < 32) {
      f = ((b & c) | (b & d) | (c & d)) + 0x5a827999u;
      from = (k & 3) * 4 + (k >> 2);
    } else {
      f = (b ^ c ^ d) + 0x6ed9eba1u;
      from = (k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3;
    }
    const unsigned next = turn(a + f + w[from], shifts[step >> 4][k & 3]);
    a = d;
    d = c;
    c = b;
    b = next;
  }
  a += 0x67452301u;
  digest[i] = a;
  int low = 0, high = count - 1;
  while (low <= high) {
    const int middle = (low + high) >> 1;
    if (wanted[middle] == a) {
      atomicAdd(&hits[middle], 1);
      break;
    }
    if (wanted[middle] < a)
      low = middle + 1;
    else
      high = middle - 1;
  }
}

// Addresses of 25 bytes as digits to the base of 58; zeros in front become ones.
extern "C" __global__ void base58_encode(unsigned char *text, unsigned char *lengths, const unsigned char *payload,
                                         const unsigned char *alphabet, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned char *from = payload + i * 25;
  unsigned char digits[36];
  int zeros = 0, used = 0;
  while (zeros < 25 && from[zeros] == 0)
    ++zeros;
  for (int k = zeros; k < 25; ++k) {
    unsigned carry = from[k];
    for (int j = 0; j < used; ++j) {
      carry += (unsigned)digits[j] << 8;
      digits[j] = (unsigned char)(carry % 58);
      carry /= 58;
    }
    while (carry > 0) {
      digits[used++] = (unsigned char)(carry % 58);
      carry /= 58;
    }
  }
  for (int k = 0; k < zeros; ++k)
    text[i * 40 + k] = '1';
  for (int k = 0; k < used; ++k)
    text[i * 40 + zeros + k] = alphabet[digits[used - 1 - k]];
  lengths[i] = (unsigned char)(zeros + used);
}

// Texts in units of sixteen bits to bytes: one to four for a character; halves without their other half become a mark.
extern "C" __global__ void narrow_text(unsigned char *bytes, int *lengths, int *errors, const unsigned short *units, const int *starts,
                                       int room, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char *to = bytes + i * room;
  const int end = starts[i + 1];
  int made = 0, bad = 0;
  for (int at = starts[i]; at < end && made + 4 <= room; ++at) {
    unsigned c = units[at];
    if (c < 0x80) {
      to[made++] = (unsigned char)c;
    } else if (c < 0x800) {
      to[made++] = (unsigned char)(0xc0 | c >> 6);
      to[made++] = (unsigned char)(0x80 | (c & 63));
    } else if (c < 0xd800 || c > 0xdfff) {
      to[made++] = (unsigned char)(0xe0 | c >> 12);
      to[made++] = (unsigned char)(0x80 | (c >> 6 & 63));
      to[made++] = (unsigned char)(0x80 | (c & 63));
    } else if (c < 0xdc00 && at + 1 < end && units[at + 1] >= 0xdc00 && units[at + 1] <= 0xdfff) {
      ++at;
      c = 0x10000u + ((c & 0x3ffu) << 10) + (units[at] & 0x3ffu);
      to[made++] = (unsigned char)(0xf0 | c >> 18);
      to[made++] = (unsigned char)(0x80 | (c >> 12 & 63));
      to[made++] = (unsigned char)(0x80 | (c >> 6 & 63));
      to[made++] = (unsigned char)(0x80 | (c & 63));
    } else {
      ++bad;
      to[made++] = 0xef;
      to[made++] = 0xbf;
      to[made++] = 0xbd;
    }
  }
  lengths[i] = made;
  if (bad > 0)
    atomicAdd(errors, bad);
}

__device__ static unsigned field_sum(unsigned a, unsigned b) {
  const unsigned sum = a + b;
  return sum >= 2147483647u ? sum - 2147483647u : sum;
}

__device__ static unsigned field_difference(unsigned a, unsigned b) { return a >= b ? a - b : a + 2147483647u - b; }

__device__ static unsigned field_product(unsigned a, unsigned b) {
  const unsigned long long product = (unsigned long long)a * b;
  return field_sum((unsigned)(product & 2147483647u), (unsigned)(product >> 31));
}

__device__ static unsigned field_inverse(unsigned a) {
  int r0 = 2147483647, r1 = (int)a, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int q = r0 / r1;
    const int r = r0 - q * r1, t = t0 - q * t1;
    r0 = r1;
    r1 = r;
    t0 = t1;
    t1 = t;
  }
  return t0 < 0 ? (unsigned)(t0 + 2147483647) : (unsigned)t0;
}

// Sums of points of a curve over a prime field: either may be at infinity, both the same, or opposite.
extern "C" __global__ void curve_sums(unsigned *sum_x, unsigned *sum_y, const unsigned *ax, const unsigned *ay, const unsigned *bx,
                                      const unsigned *by, unsigned coefficient, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned infinity = 0xffffffffu;
  const unsigned x1 = ax[i], y1 = ay[i], x2 = bx[i], y2 = by[i];
  unsigned x3, y3;
  if (x1 == infinity) {
    x3 = x2;
    y3 = y2;
  } else if (x2 == infinity) {
    x3 = x1;
    y3 = y1;
  } else {
    unsigned over, under;
    if (x1 == x2) {
      if (y1 != y2 || y1 == 0) {
        sum_x[i] = infinity;
        sum_y[i] = infinity;
        return;
      }
      const unsigned square = field_product(x1, x1);
      over = field_sum(field_sum(square, field_sum(square, square)), coefficient);
      under = field_sum(y1, y1);
    } else {
      over = field_difference(y2, y1);
      under = field_difference(x2, x1);
    }
    const unsigned slope = field_product(over, field_inverse(under));
    x3 = field_difference(field_difference(field_product(slope, slope), x1), x2);
    y3 = field_difference(field_product(slope, field_difference(x1, x3)), y1);
  }
  sum_x[i] = x3;
  sum_y[i] = y3;
}

__device__ static float next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)((*state >> 8) + 1) * (1.0f / 16777217.0f);
}

// Photons in a body of voxels: absorbed, scattered with loss of energy, or only turned; what they leave is summed by
// voxel.
extern "C" __global__ void photon_transport(int *dose, int *fate, const unsigned *seeds, const unsigned char *voxels,
                                            const float *attenuation, const float *shares, float start, float largest, int side,
                                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned state = seeds[i];
  float x = 0.5f * (float)side + 2.0f * next_random(&state), y = 0.5f * (float)side - 2.0f * next_random(&state), z = 0.001f;
  float u = 0, v = 0, w = 1.0f, energy = start;
  int events = 0, end = 3;
  while (events < 40) {
    const float far = -logf(next_random(&state)) / largest;
    x += far * u;
    y += far * v;
    z += far * w;
    if (x < 0 || y < 0 || z < 0 || x >= (float)side || y >= (float)side || z >= (float)side) {
      end = 0;
      break;
    }
    const int voxel = ((int)z * side + (int)y) * side + (int)x, material = voxels[voxel];
    ++events;
    int band = (int)(energy * 16.0f);
    if (band > 7)
      band = 7;
    if (next_random(&state) * largest > attenuation[material * 8 + band])
      continue; // nothing happens here
    const float kind = next_random(&state);
    float cosine;
    if (kind < shares[(material * 8 + band) * 2]) {
      atomicAdd(&dose[voxel], (int)(energy * 4096.0f));
      end = 1;
      break;
    }
    if (kind < shares[(material * 8 + band) * 2 + 1]) {
      const float a = energy / 0.511f, branch = (1.0f + 2.0f * a) / (9.0f + 2.0f * a);
      float ratio;
      for (;;) {
        const float r1 = next_random(&state), r2 = next_random(&state), r3 = next_random(&state);
        if (r1 < branch) {
          ratio = 1.0f + 2.0f * a * r2;
          if (r3 <= 4.0f * (1.0f / ratio - 1.0f / (ratio * ratio)))
            break;
        } else {
          ratio = (1.0f + 2.0f * a) / (1.0f + 2.0f * a * r2);
          const float c = 1.0f - (ratio - 1.0f) / a;
          if (r3 <= 0.5f * (c * c + 1.0f / ratio))
            break;
        }
      }
      cosine = 1.0f - (ratio - 1.0f) / a;
      const float left = energy / ratio;
      atomicAdd(&dose[voxel], (int)((energy - left) * 4096.0f));
      energy = left;
      if (energy < 0.01f) {
        atomicAdd(&dose[voxel], (int)(energy * 4096.0f));
        end = 2;
        break;
      }
    } else {
      do
        cosine = 2.0f * next_random(&state) - 1.0f;
      while (2.0f * next_random(&state) > 1.0f + cosine * cosine);
    }
    const float sine = sqrtf(fmaxf(0.0f, 1.0f - cosine * cosine)), angle = 6.2831853f * next_random(&state);
    const float c = __sinf(angle + 1.5707963f), s = __sinf(angle);
    if (fabsf(w) > 0.999f) {
      u = sine * c;
      v = sine * s;
      w = w > 0 ? cosine : -cosine;
    } else {
      const float across = sqrtf(1.0f - w * w);
      const float u2 = sine * (u * w * c - v * s) / across + u * cosine;
      const float v2 = sine * (v * w * c + u * s) / across + v * cosine;
      w = -sine * c * across + w * cosine;
      u = u2;
      v = v2;
    }
  }
  fate[i] = end << 8 | events;
}

// Queens: how many ways there are to go on from the first three rows of each thread, with a stack in LDS.
extern "C" __global__ void queens_below(int *ways, int *visited, int size, int n) {
  __shared__ unsigned stack[10][64][4];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (i >= n)
    return;
  const unsigned all = (1u << size) - 1;
  unsigned columns = 0, left = 0, right = 0;
  int rest = i;
  for (int row = 0; row < 3; ++row) {
    const unsigned bit = 1u << rest % size;
    rest /= size;
    if ((columns | left | right) & bit) {
      ways[i] = -1;
      return;
    }
    columns |= bit;
    left = (left | bit) << 1;
    right = (right | bit) >> 1;
  }
  int depth = 0, found = 0, nodes = 0;
  stack[0][t][0] = columns;
  stack[0][t][1] = left;
  stack[0][t][2] = right;
  stack[0][t][3] = all & ~(columns | left | right);
  while (depth >= 0) {
    const unsigned free = stack[depth][t][3];
    if (free == 0) {
      --depth;
      continue;
    }
    ++nodes;
    const unsigned bit = free & (0u - free);
    stack[depth][t][3] = free ^ bit;
    columns = stack[depth][t][0] | bit;
    if (columns == all) {
      ++found;
      continue;
    }
    left = (stack[depth][t][1] | bit) << 1;
    right = (stack[depth][t][2] | bit) >> 1;
    ++depth;
    stack[depth][t][0] = columns;
    stack[depth][t][1] = left;
    stack[depth][t][2] = right;
    stack[depth][t][3] = all & ~(columns | left | right);
  }
  ways[i] = found;
  visited[i] = nodes;
}

// Sand and water in blocks of two by two cells, one a thread: what is heavier falls or slides, water also flows; walls
// stay.
extern "C" __global__ void falling_sand(unsigned char *cells, unsigned step, int width, int height) {
  const int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = 2 * bx + (int)(step & 1), y = 2 * by + (int)(step & 1);
  if (x + 1 >= width || y + 1 >= height)
    return;
  unsigned char *top = cells + y * width + x, *bottom = top + width;
  int a = top[0], b = top[1], c = bottom[0], d = bottom[1]; // 0 air, 1 water, 2 sand, 3 wall
  if (a == b && b == c && c == d)
    return;
  unsigned noise = (unsigned)(y * width + x) * 0x9e3779b9u ^ step * 0x85ebca6bu;
  noise = (noise ^ noise >> 15) * 0x2c1b3c6du;
  noise ^= noise >> 13;
  if (a != 3 && c != 3 && a > c && (noise & 15) != 0) {
    const int swap = a;
    a = c;
    c = swap;
  }
  if (b != 3 && d != 3 && b > d && (noise & 240) != 0) {
    const int swap = b;
    b = d;
    d = swap;
  }
  if (a == 2 && d < 2 && b < 2) {
    a = d;
    d = 2;
  } else if (b == 2 && c < 2 && a < 2) {
    b = c;
    c = 2;
  } else {
    if (a + b == 1 && c != 0 && d != 0 && (noise & 256) != 0) {
      const int swap = a;
      a = b;
      b = swap;
    }
    if (c + d == 1 && (noise & 512) != 0) {
      const int swap = c;
      c = d;
      d = swap;
    }
  }
  top[0] = (unsigned char)a;
  top[1] = (unsigned char)b;
  bottom[0] = (unsigned char)c;
  bottom[1] = (unsigned char)d;
}

// Nearest point of the densest lattice in eight dimensions: whole coordinates of even sum, or all shifted by a half.
extern "C" __global__ void lattice_points(signed char *doubled, float *distance, const float *vectors, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float far[2];
  int points[2][8];
#pragma unroll
  for (int coset = 0; coset < 2; ++coset) {
    const float shift = coset == 0 ? 0.0f : 0.5f;
    int sum = 0, worst = 0;
    float most = -1.0f, squares = 0;
    float errors[8];
    for (int k = 0; k < 8; ++k) {
      const float x = vectors[k * n + i] - shift, nearest = rintf(x);
      errors[k] = x - nearest;
      points[coset][k] = (int)nearest;
      sum += (int)nearest;
      squares += errors[k] * errors[k];
      if (fabsf(errors[k]) > most) {
        most = fabsf(errors[k]);
        worst = k;
      }
    }
    if (sum & 1) {
      for (int k = 0; k < 8; ++k)
        if (k == worst)
          points[coset][k] += errors[k] < 0 ? -1 : 1;
      squares += 1.0f - 2.0f * most;
    }
    far[coset] = squares;
  }
  if (far[0] <= far[1]) {
    for (int k = 0; k < 8; ++k)
      doubled[i * 8 + k] = (signed char)(2 * points[0][k]);
    distance[i] = far[0];
  } else {
    for (int k = 0; k < 8; ++k)
      doubled[i * 8 + k] = (signed char)(2 * points[1][k] + 1);
    distance[i] = far[1];
  }
}

// Relaxation oscillators: explicit steps where the motion is slow, implicit ones where it is stiff; both are tried and
// made smaller until the error is small.
extern "C" __global__ void stiff_oscillators(float *position, float *speed, int *explicit_steps, int *implicit_steps,
                                             const float *stiffness, float end, float tolerance, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = position[i], v = speed[i], time = 0, dt = 0.01f;
  const float mu = stiffness[i];
  int plain = 0, stiff = 0;
  while (time < end && plain + stiff < 60) {
    if (time + dt > end)
      dt = end - time;
    const float damping = mu * (1.0f - x * x), force = damping * v - x;
    float nx, nv, error;
    if (dt * fabsf(damping) < 1.0f) {
      const float mx = x + dt * v, mv = v + dt * force;
      const float second = mu * (1.0f - mx * mx) * mv - mx;
      nx = x + 0.5f * dt * (v + mv);
      nv = v + 0.5f * dt * (force + second);
      error = 0.5f * dt * fmaxf(fabsf(mv - v), fabsf(second - force));
      ++plain;
    } else {
      // Linearly implicit, two stages.
      const float gamma = 0.29289322f * dt, j21 = -2.0f * mu * x * v - 1.0f;
      const float determinant = 1.0f - gamma * damping - gamma * gamma * j21;
      const float ax = ((1.0f - gamma * damping) * v + gamma * force) / determinant, av = (force + gamma * j21 * v) / determinant;
      const float mx = x + dt * ax, mv = v + dt * av;
      const float second = mu * (1.0f - mx * mx) * mv - mx;
      const float rx = mv - 2.0f * ax, rv = second - 2.0f * av;
      const float bx = ((1.0f - gamma * damping) * rx + gamma * rv) / determinant, bv = (rv + gamma * j21 * rx) / determinant;
      nx = x + dt * (1.5f * ax + 0.5f * bx);
      nv = v + dt * (1.5f * av + 0.5f * bv);
      error = 0.5f * dt * fmaxf(fabsf(ax + bx), fabsf(av + bv));
      ++stiff;
    }
    const float allowed = tolerance * (1.0f + fmaxf(fabsf(x), fabsf(v)));
    if (error <= allowed) {
      time += dt;
      x = nx;
      v = nv;
      dt *= error < 0.1f * allowed ? 2.0f : 1.1f;
    } else {
      dt *= error > 8.0f * allowed ? 0.25f : 0.6f;
      if (dt < 1e-6f)
        break;
    }
  }
  position[i] = x;
  speed[i] = v;
  explicit_steps[i] = plain;
  implicit_steps[i] = stiff;
}

__device__ static float cube_root(float x) {
  if (x == 0)
    return 0;
  const float size = __powf(fabsf(x), 1.0f / 3.0f);
  return x < 0 ? -size : size;
}

// Real roots of polynomials up to the third degree, by the degree that is left and the sign of the discriminant.
extern "C" __global__ void cubic_roots(float *roots, unsigned char *count, const float *coefficients, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float a = coefficients[i], b = coefficients[n + i], c = coefficients[2 * n + i], d = coefficients[3 * n + i];
  float r[3] = {0, 0, 0};
  int found = 0;
  if (fabsf(a) < 1e-6f) {
    if (fabsf(b) < 1e-6f) {
      if (fabsf(c) > 1e-6f) {
        r[0] = -d / c;
        found = 1;
      }
    } else {
      const float discriminant = c * c - 4.0f * b * d;
      if (discriminant > 0) {
        const float q = -0.5f * (c + copysignf(sqrtf(discriminant), c));
        r[0] = q / b;
        r[1] = q != 0 ? d / q : 0.0f;
        found = 2;
      } else if (discriminant == 0) {
        r[0] = -0.5f * c / b;
        found = 1;
      }
    }
  } else {
    const float p = b / a, q = c / a, s = d / a, third = p / 3.0f;
    const float big_q = (p * p - 3.0f * q) / 9.0f, big_r = (2.0f * p * p * p - 9.0f * p * q + 27.0f * s) / 54.0f;
    const float cubed = big_q * big_q * big_q;
    if (big_r * big_r < cubed) {
      const float ratio = big_r / sqrtf(cubed), size = fabsf(ratio);
      float angle = sqrtf(1.0f - size) * (1.5707288f + size * (-0.2121144f + size * (0.074261f - 0.0187293f * size)));
      if (ratio < 0)
        angle = 3.1415927f - angle;
      const float scale = -2.0f * sqrtf(big_q);
      for (int k = 0; k < 3; ++k)
        r[k] = scale * __sinf((angle + 6.2831853f * (float)k) / 3.0f + 1.5707963f) - third;
      found = 3;
    } else {
      const float size = cube_root(fabsf(big_r) + sqrtf(big_r * big_r - cubed));
      const float first = big_r > 0 ? -size : size, second = first != 0 ? big_q / first : 0.0f;
      r[0] = first + second - third;
      found = 1;
    }
    // One step of Newton's for each.
    for (int k = 0; k < found; ++k) {
      const float slope = (3.0f * a * r[k] + 2.0f * b) * r[k] + c;
      if (fabsf(slope) > 1e-4f)
        r[k] -= (((a * r[k] + b) * r[k] + c) * r[k] + d) / slope;
    }
  }
  for (int k = 0; k < 3; ++k)
    roots[k * n + i] = r[k];
  count[i] = (unsigned char)found;
}

__device__ static float inner_slope(float h0, float h1, float d0, float d1) {
  if (d0 * d1 <= 0)
    return 0;
  const float w0 = 2.0f * h1 + h0, w1 = h1 + 2.0f * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

// Curves through points without overshooting: outside they go on straight; the interval of the last query is tried
// first.
extern "C" __global__ void monotone_spline(float *value, int *searched, const float *queries, const float *x, const float *y, int knots,
                                           int each, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = 0, searches = 0;
  for (int q = 0; q < each; ++q) {
    const float t = queries[q * n + i];
    float result;
    if (t <= x[0]) {
      result = y[0] + (t - x[0]) * (y[1] - y[0]) / (x[1] - x[0]);
    } else if (t >= x[knots - 1]) {
      result = y[knots - 1] + (t - x[knots - 1]) * (y[knots - 1] - y[knots - 2]) / (x[knots - 1] - x[knots - 2]);
    } else {
      if (t < x[at] || t >= x[at + 1]) {
        int low = 0, high = knots - 1;
        while (high - low > 1) {
          const int middle = (low + high) >> 1;
          if (x[middle] <= t)
            low = middle;
          else
            high = middle;
        }
        at = low;
        ++searches;
      }
      const float h = x[at + 1] - x[at], d = (y[at + 1] - y[at]) / h;
      float first = d, second = d;
      if (at > 0)
        first = inner_slope(x[at] - x[at - 1], h, (y[at] - y[at - 1]) / (x[at] - x[at - 1]), d);
      if (at + 2 < knots)
        second = inner_slope(h, x[at + 2] - x[at + 1], d, (y[at + 2] - y[at + 1]) / (x[at + 2] - x[at + 1]));
      const float s = t - x[at], c2 = (3.0f * d - 2.0f * first - second) / h, c3 = (first + second - 2.0f * d) / (h * h);
      result = y[at] + s * (first + s * (c2 + s * c3));
    }
    value[q * n + i] = result;
  }
  searched[i] = searches;
}

// Lambert's function on both branches in double precision: a guess by the region, then Halley's steps until they are
// small.
extern "C" __global__ void lambert_branches(double *result, int *iterations, const double *x, const unsigned char *lower, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double z = x[i];
  double w;
  int steps = 0;
  if (z < -0.36787944117144233) {
    result[i] = -1e300;
    iterations[i] = -1;
    return;
  }
  if (z < -0.25) {
    const double p = sqrt(2.0 * (2.718281828459045 * z + 1.0));
    if (lower[i])
      w = -1.0 - p - p * p / 3.0 - p * p * p * (11.0 / 72.0);
    else
      w = -1.0 + p - p * p / 3.0 + p * p * p * (11.0 / 72.0);
  } else if (lower[i] && z < 0) {
    const float l1 = logf((float)-z), l2 = logf(-l1);
    w = l1 - l2 + l2 / l1;
  } else if (z < 1.0) {
    w = z * (1.0 - z + 1.5 * z * z) / (1.0 + 1.2 * z * z * (z > 0 ? z : 0.0));
  } else {
    const float l1 = logf((float)z), l2 = z > 3.0 ? logf(l1) : 0.3f * l1;
    w = l1 - l2 + (z > 3.0 ? l2 / l1 : 0.0f);
  }
  for (; steps < 12; ++steps) {
    // The exponential by halving the argument, as there is no function for it.
    const double small = w / 16.0;
    double e = 1.0 + small * (1.0 + small * (0.5 + small * (1.0 / 6 + small * (1.0 / 24 + small * (1.0 / 120 + small / 720)))));
    for (int k = 0; k < 4; ++k)
      e *= e;
    const double f = w * e - z, below = e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0 + (w == -1.0 ? 1e-12 : 0.0));
    const double by = f / (below != 0 ? below : 1e-12);
    w -= by;
    if (fabs(by) <= 1e-10 * (1.0 + fabs(w)))
      break;
  }
  result[i] = w;
  iterations[i] = steps;
}

// Seconds since 1970 to local time: by a zone's list of changes, and after its end by its rule, in the north or in the
// south.
extern "C" __global__ void zone_offsets(int *local, unsigned char *summer, const unsigned *seconds, const unsigned char *zone,
                                        const int *starts, const unsigned *changes, const short *minutes, const signed char *rule,
                                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned at = seconds[i];
  const int which = zone[i], begin = starts[which], end = starts[which + 1];
  const signed char *r = rule + which * 8; // hours, month and week of the beginning, of the end, hour of change, has a rule
  int offset;
  unsigned char is_summer = 0;
  if (begin < end && at < changes[end - 1]) {
    int low = begin, high = end;
    while (low < high) {
      const int middle = (low + high) >> 1;
      if (changes[middle] <= at)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == begin) {
      offset = r[0] * 60;
    } else {
      offset = minutes[low - 1];
      is_summer = offset != r[0] * 60;
    }
  } else {
    offset = r[0] * 60;
    if (r[7]) {
      const unsigned days = (at + (unsigned)(offset * 60)) / 86400u;
      const int of_era = ((int)days + 719468) % 146097;
      const int of_year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
      const int of_march = of_era - (365 * of_year + of_year / 4 - of_year / 100);
      const int part = (5 * of_march + 2) / 153, day = of_march - (153 * part + 2) / 5 + 1;
      const int month = part < 10 ? part + 3 : part - 9, weekday = (int)((days + 4) % 7);
      const int hour = (int)((at + (unsigned)(offset * 60)) % 86400u / 3600u);
      int before[2];
      for (int k = 0; k < 2; ++k) {
        const int change_month = r[1 + 2 * k], week = r[2 + 2 * k];
        if (month != change_month) {
          before[k] = month > change_month;
        } else {
          // The Sunday of that week of the month, or the last one.
          const int sunday = day - weekday;
          int change;
          if (week < 5) {
            change = ((sunday - 1) % 7 + 7) % 7 + 1 + (week - 1) * 7;
          } else {
            const int length = month == 2 ? 28 : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
            change = length - (length - sunday + 70) % 7;
          }
          before[k] = day > change || (day == change && hour >= r[5]);
        }
      }
      const bool north = r[1] < r[3];
      if (north)
        is_summer = before[0] && !before[1];
      else
        is_summer = before[0] || !before[1];
      if (is_summer)
        offset += 60;
    }
  }
  local[i] = (int)(at + (unsigned)(offset * 60));
  summer[i] = is_summer;
}

// Counts of what is in lines of a programming language: names, keywords, numbers, texts, comments, operators.
extern "C" __global__ void scan_source(int *counts, unsigned *hash_of_names, const unsigned char *text, const int *starts,
                                       const unsigned *keywords, int keyword_count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = starts[i], names = 0, words = 0, numbers = 0, texts = 0, comments = 0, operators = 0, errors = 0;
  const int end = starts[i + 1];
  unsigned all = 0;
  while (at < end) {
    const int c = text[at];
    if (c == ' ' || c == '\t') {
      ++at;
    } else if ((c | 32) - 'a' >= 0 && (c | 32) - 'a' < 26) {
      unsigned hash = 0;
      while (at < end) {
        const int l = text[at];
        if (!(((l | 32) >= 'a' && (l | 32) <= 'z') || l == '_' || (l >= '0' && l <= '9')))
          break;
        hash = hash * 31 + (unsigned)l;
        ++at;
      }
      bool known = false;
      for (int k = 0; k < keyword_count && !known; ++k)
        known = keywords[k] == hash;
      if (known) {
        ++words;
      } else {
        ++names;
        all ^= hash;
      }
    } else if (c >= '0' && c <= '9') {
      if (c == '0' && at + 1 < end && (text[at + 1] | 32) == 'x') {
        at += 2;
        while (at < end && ((text[at] >= '0' && text[at] <= '9') || ((text[at] | 32) >= 'a' && (text[at] | 32) <= 'f')))
          ++at;
      } else {
        bool dot = false;
        while (at < end && ((text[at] >= '0' && text[at] <= '9') || (text[at] == '.' && !dot))) {
          if (text[at] == '.')
            dot = true;
          ++at;
        }
      }
      ++numbers;
    } else if (c == '"' || c == '\'') {
      ++at;
      while (at < end && text[at] != c)
        at += text[at] == '\\' ? 2 : 1;
      if (at >= end)
        ++errors;
      ++at;
      ++texts;
    } else if (c == '/' && at + 1 < end && text[at + 1] == '/') {
      at = end;
      ++comments;
    } else if (c == '/' && at + 1 < end && text[at + 1] == '*') {
      at += 2;
      while (at + 1 < end && !(text[at] == '*' && text[at + 1] == '/'))
        ++at;
      at += 2;
      ++comments;
    } else {
      const int next = at + 1 < end ? text[at + 1] : 0;
      if (next == '=' || ((c == '&' || c == '|' || c == '+' || c == '-' || c == '<') && next == c))
        ++at;
      ++at;
      ++operators;
    }
  }
  const int found[7] = {names, words, numbers, texts, comments, operators, errors};
  for (int k = 0; k < 7; ++k)
    counts[k * n + i] = found[k];
  hash_of_names[i] = all;
}

// Addresses of the internet as texts, with dots or with colons, in which one row of zeros may be left out.
extern "C" __global__ void parse_addresses(unsigned *words, unsigned char *family, const unsigned char *text, const int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int at = starts[i];
  const int end = starts[i + 1];
  bool colons = false;
  for (int k = at; k < end && !colons; ++k)
    colons = text[k] == ':';
  unsigned result[4] = {0, 0, 0, 0};
  unsigned char kind = 0;
  if (!colons) {
    int parts = 0, digits = 0;
    unsigned value = 0, address = 0;
    bool good = true;
    for (; at <= end && good; ++at) {
      const int c = at < end ? text[at] : '.';
      if (c == '.') {
        good = digits > 0 && value < 256 && parts < 4;
        address = address << 8 | value;
        ++parts;
        value = 0;
        digits = 0;
      } else if (c >= '0' && c <= '9') {
        good = digits < 3 && !(digits > 0 && value == 0);
        value = value * 10 + (unsigned)(c - '0');
        ++digits;
      } else {
        good = false;
      }
    }
    if (good && parts == 4) {
      kind = 4;
      result[0] = address;
    }
  } else {
    unsigned short groups[8];
    int parts = 0, gap = -1, digits = 0;
    unsigned value = 0;
    bool good = true;
    while (at < end && good) {
      const int c = text[at++];
      if (c == ':') {
        if (digits > 0) {
          if (parts < 8)
            groups[parts++] = (unsigned short)value;
          else
            good = false;
          value = 0;
          digits = 0;
          if (at == end) {
            good = false;
          } else if (text[at] == ':') {
            good = good && gap < 0;
            gap = parts;
            ++at;
          }
        } else { // only at the beginning, and then two
          good = parts == 0 && gap < 0 && at < end && text[at] == ':';
          gap = 0;
          ++at;
        }
      } else {
        unsigned digit;
        if (c >= '0' && c <= '9')
          digit = (unsigned)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
          digit = (unsigned)((c | 32) - 'a' + 10);
        else
          digit = 16;
        good = digit < 16 && digits < 4;
        value = value << 4 | digit;
        ++digits;
      }
    }
    if (digits > 0) {
      if (parts < 8)
        groups[parts++] = (unsigned short)value;
      else
        good = false;
    }
    if (good && (gap >= 0 ? parts < 8 : parts == 8)) {
      kind = 6;
      for (int k = 0; k < 8; ++k) {
        unsigned group;
        if (gap < 0 || k < gap)
          group = groups[k];
        else if (k >= 8 - (parts - gap))
          group = groups[k - (8 - parts)];
        else
          group = 0;
        result[k >> 1] |= k & 1 ? group : group << 16;
      }
    }
  }
  for (int k = 0; k < 4; ++k)
    words[i * 4 + k] = result[k];
  family[i] = kind;
}

__device__ static float from_table(const float *table, const float *slews, const float *loads, float slew, float load) {
  int a = 0, b = 0;
  while (a < 4 && slews[a + 1] < slew)
    ++a;
  while (b < 4 && loads[b + 1] < load)
    ++b;
  const float u = (slew - slews[a]) / (slews[a + 1] - slews[a]), v = (load - loads[b]) / (loads[b + 1] - loads[b]);
  const float *p = table + a * 6 + b;
  return (1 - v) * ((1 - u) * p[0] + u * p[6]) + v * ((1 - u) * p[1] + u * p[7]);
}

// Timing of the gates of one level: the latest arrival of rising and falling edges, through arcs that keep or turn the
// edge, or whose sense is open.
extern "C" __global__ void gate_timing(float *arrival, float *slew, const float *arrival_in, const float *slew_in, const int *starts,
                                       const int *from, const unsigned char *sense, const int *cell, const float *load,
                                       const float *tables, const float *axes, int nets, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float rise = -1e30f, fall = -1e30f, rise_slew = 0, fall_slew = 0;
  const float farads = load[i];
  for (int k = starts[i]; k < starts[i + 1]; ++k) {
    const int net = from[k];
    const float *table = tables + cell[k] * 144, *slews = axes + cell[k] * 12, *loads = slews + 6;
    const float rising = arrival_in[net], falling = arrival_in[nets + net];
    const float rising_slew = slew_in[net], falling_slew = slew_in[nets + net];
    if (sense[k] != 1) { // a rising input makes the output rise
      const float t = rising + from_table(table, slews, loads, rising_slew, farads);
      if (t > rise) {
        rise = t;
        rise_slew = from_table(table + 72, slews, loads, rising_slew, farads);
      }
      const float s = falling + from_table(table + 36, slews, loads, falling_slew, farads);
      if (s > fall) {
        fall = s;
        fall_slew = from_table(table + 108, slews, loads, falling_slew, farads);
      }
    }
    if (sense[k] != 0) {
      const float t = falling + from_table(table, slews, loads, falling_slew, farads);
      if (t > rise) {
        rise = t;
        rise_slew = from_table(table + 72, slews, loads, falling_slew, farads);
      }
      const float s = rising + from_table(table + 36, slews, loads, rising_slew, farads);
      if (s > fall) {
        fall = s;
        fall_slew = from_table(table + 108, slews, loads, rising_slew, farads);
      }
    }
  }
  arrival[i] = rise;
  arrival[n + i] = fall;
  slew[i] = rise_slew;
  slew[n + i] = fall_slew;
}

// Contacts of pairs of bodies by their shapes: balls, capsules along an axis, boxes; how deep and in what direction.
extern "C" __global__ void contact_pairs(float4 *contact, int *count, const float4 *place, const float4 *extent,
                                         const unsigned char *shape, const int2 *pairs, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int first = pairs[i].x, second = pairs[i].y;
  float sign = 1.0f;
  if (shape[first] > shape[second]) {
    const int swap = first;
    first = second;
    second = swap;
    sign = -1.0f;
  }
  const float4 a = place[first], b = place[second], ea = extent[first], eb = extent[second];
  float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, depth = -1.0f;
  float nx = 0, ny = 0, nz = 1.0f;
  switch (shape[first] * 3 + shape[second]) {
  case 0: {
    const float radii = ea.x + eb.x, square = dx * dx + dy * dy + dz * dz;
    if (square < radii * radii) {
      const float far = sqrtf(square);
      depth = radii - far;
      if (far > 1e-6f) {
        nx = dx / far;
        ny = dy / far;
        nz = dz / far;
      }
    }
    break;
  }
  case 1: { // a ball with a capsule upright
    const float along = fminf(eb.y, fmaxf(-eb.y, -dz));
    dz += along;
    const float radii = ea.x + eb.x, square = dx * dx + dy * dy + dz * dz;
    if (square < radii * radii) {
      const float far = sqrtf(square);
      depth = radii - far;
      if (far > 1e-6f) {
        nx = dx / far;
        ny = dy / far;
        nz = dz / far;
      }
    }
    break;
  }
  case 2: {
    const float px = fminf(eb.x, fmaxf(-eb.x, -dx)), py = fminf(eb.y, fmaxf(-eb.y, -dy)), pz = fminf(eb.z, fmaxf(-eb.z, -dz));
    const float qx = dx + px, qy = dy + py, qz = dz + pz, square = qx * qx + qy * qy + qz * qz;
    if (square > 1e-9f) {
      if (square < ea.x * ea.x) {
        const float far = sqrtf(square);
        depth = ea.x - far;
        nx = qx / far;
        ny = qy / far;
        nz = qz / far;
      }
    } else { // the centre is inside: out by the nearest side
      const float rx = eb.x - fabsf(dx), ry = eb.y - fabsf(dy), rz = eb.z - fabsf(dz);
      nz = 0;
      if (rx < ry && rx < rz) {
        nx = copysignf(1.0f, dx);
        depth = rx + ea.x;
      } else if (ry < rz) {
        ny = copysignf(1.0f, dy);
        depth = ry + ea.x;
      } else {
        nz = copysignf(1.0f, dz);
        depth = rz + ea.x;
      }
    }
    break;
  }
  case 4: {
    const float reach = ea.y + eb.y;
    if (fabsf(dz) < reach)
      dz = 0;
    else
      dz -= copysignf(reach, dz);
    const float radii = ea.x + eb.x, square = dx * dx + dy * dy + dz * dz;
    if (square < radii * radii) {
      const float far = sqrtf(square);
      depth = radii - far;
      if (far > 1e-6f) {
        nx = dx / far;
        ny = dy / far;
        nz = dz / far;
      }
    }
    break;
  }
  default: { // two boxes, or a capsule as one
    const float ax = ea.x, ay = shape[first] == 1 ? ea.x : ea.y, az = shape[first] == 1 ? ea.x + ea.y : ea.z;
    const float ox = ax + eb.x - fabsf(dx), oy = ay + eb.y - fabsf(dy), oz = az + eb.z - fabsf(dz);
    if (ox > 0 && oy > 0 && oz > 0) {
      nz = 0;
      if (ox < oy && ox < oz) {
        depth = ox;
        nx = copysignf(1.0f, dx);
      } else if (oy < oz) {
        depth = oy;
        ny = copysignf(1.0f, dy);
      } else {
        depth = oz;
        nz = copysignf(1.0f, dz);
      }
    }
  }
  }
  if (depth > 0)
    atomicAdd(count, 1);
  contact[i] = {sign * nx, sign * ny, sign * nz, depth};
}

// Accelerations of water with walls: fluid by pressure and viscosity, walls of fixed particles by a mirrored pressure,
// very near ones push back. Neighbours are in the nine cells around.
extern "C" __global__ void water_and_walls(float *ax, float *ay, const float *x, const float *y, const float *vx, const float *vy,
                                           const float *density, const unsigned char *kind, const int *cell_start, float radius,
                                           float stiffness, float viscosity, int columns, int rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (kind[i] == 1) { // a wall does not move
    ax[i] = 0;
    ay[i] = 0;
    return;
  }
  const float px = x[i], py = y[i], mine = density[i], pressure = stiffness * fmaxf(0.0f, mine - 1.0f);
  float sum_x = 0, sum_y = -9.81f;
  const int cx = (int)(px / radius), cy = (int)(py / radius);
  for (int v = max(cy - 1, 0); v <= min(cy + 1, rows - 1); ++v)
    for (int u = max(cx - 1, 0); u <= min(cx + 1, columns - 1); ++u)
      for (int k = cell_start[v * columns + u]; k < cell_start[v * columns + u + 1]; ++k) {
        const float dx = px - x[k], dy = py - y[k], square = dx * dx + dy * dy;
        if (k == i || square >= radius * radius || square < 1e-10f)
          continue;
        const float far = sqrtf(square), q = 1.0f - far / radius, slope = q * q / far;
        if (kind[k] == 0) {
          const float other = density[k], theirs = stiffness * fmaxf(0.0f, other - 1.0f);
          const float push = (pressure / (mine * mine) + theirs / (other * other)) * slope;
          sum_x += push * dx;
          sum_y += push * dy;
          const float damp = viscosity * q / (mine * other);
          sum_x += damp * (vx[k] - vx[i]);
          sum_y += damp * (vy[k] - vy[i]);
        } else {
          const float push = 2.0f * pressure / (mine * mine) * slope;
          sum_x += push * dx;
          sum_y += push * dy;
          if (far < 0.4f * radius) {
            const float ratio = 0.4f * radius / far, r2 = ratio * ratio, r4 = r2 * r2;
            const float repel = 0.02f * (r4 - r2) / square;
            sum_x += repel * dx;
            sum_y += repel * dy;
          }
          if (kind[k] == 2) { // a rough wall
            const float damp = 2.0f * viscosity * q / mine;
            sum_x -= damp * vx[i];
            sum_y -= damp * vy[i];
          }
        }
      }
  ax[i] = sum_x;
  ay[i] = sum_y;
}

// Systems with three diagonals that need rows to change places, one a thread; singular ones are given up.
extern "C" __global__ void pivoted_tridiagonal(float *right, unsigned char *singular, float *lower, float *middle, float *upper,
                                               int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // Of the row k: lower[k] is before the diagonal, and becomes what pivots leave two after it.
  for (int k = 0; k + 1 < size; ++k) {
    const int at = k * n + i, below = at + n;
    const float pivot = middle[at], candidate = lower[below];
    if (fabsf(pivot) >= fabsf(candidate)) {
      if (pivot == 0) {
        singular[i] = 1;
        return;
      }
      const float factor = candidate / pivot;
      middle[below] -= factor * upper[at];
      right[below] -= factor * right[at];
      lower[at] = 0;
    } else {
      const float factor = pivot / candidate, next = middle[below], kept = right[at];
      middle[at] = candidate;
      middle[below] = upper[at] - factor * next;
      upper[at] = next;
      if (k + 2 < size) {
        lower[at] = upper[below];
        upper[below] = -factor * upper[below];
      } else {
        lower[at] = 0;
      }
      right[at] = right[below];
      right[below] = kept - factor * right[below];
    }
  }
  const int last = (size - 1) * n + i;
  if (middle[last] == 0) {
    singular[i] = 1;
    return;
  }
  right[last] /= middle[last];
  for (int k = size - 2; k >= 0; --k) {
    const int at = k * n + i;
    float value = right[at] - upper[at] * right[at + n];
    if (k + 2 < size)
      value -= lower[at] * right[at + 2 * n];
    right[at] = value / middle[at];
  }
}

__device__ static float corner(const unsigned char *order, int a, int b, int c, float x, float y, float z) {
  const float t = 0.6f - x * x - y * y - z * z;
  if (t < 0)
    return 0;
  const int g = order[(a + order[(b + order[c & 255]) & 255]) & 255] % 12;
  const float u = g < 8 ? x : y, v = g < 4 ? y : z;
  const float dot = (g & 1 ? -u : u) + (g & 2 ? -v : v);
  return t * t * t * t * dot;
}

// Noise in simplices of three dimensions: which corners depends on the order of the coordinates; octaves until they are
// too fine.
extern "C" __global__ void simplex_noise(float *noise, const unsigned char *order, float scale, float depth, const float *finest, int width,
                                         int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  const float limit = finest[py * width + px];
  float sum = 0, amplitude = 1.0f;
  for (float frequency = scale; frequency < limit; frequency *= 2.0f) {
    const float x = (float)px * frequency, y = (float)py * frequency, z = depth * frequency;
    const float skew = (x + y + z) / 3.0f;
    const float i = floorf(x + skew), j = floorf(y + skew), k = floorf(z + skew), back = (i + j + k) / 6.0f;
    const float x0 = x - i + back, y0 = y - j + back, z0 = z - k + back;
    int i1, j1, k1, i2, j2, k2;
    if (x0 >= y0) {
      if (y0 >= z0) {
        i1 = 1, j1 = 0, k1 = 0, i2 = 1, j2 = 1, k2 = 0;
      } else if (x0 >= z0) {
        i1 = 1, j1 = 0, k1 = 0, i2 = 1, j2 = 0, k2 = 1;
      } else {
        i1 = 0, j1 = 0, k1 = 1, i2 = 1, j2 = 0, k2 = 1;
      }
    } else {
      if (y0 < z0) {
        i1 = 0, j1 = 0, k1 = 1, i2 = 0, j2 = 1, k2 = 1;
      } else if (x0 < z0) {
        i1 = 0, j1 = 1, k1 = 0, i2 = 0, j2 = 1, k2 = 1;
      } else {
        i1 = 0, j1 = 1, k1 = 0, i2 = 1, j2 = 1, k2 = 0;
      }
    }
    const int a = (int)i, b = (int)j, c = (int)k;
    const float sixth = 1.0f / 6.0f;
    sum += amplitude * 32.0f *
           (corner(order, a, b, c, x0, y0, z0) +
            corner(order, a + i1, b + j1, c + k1, x0 - (float)i1 + sixth, y0 - (float)j1 + sixth, z0 - (float)k1 + sixth) +
            corner(order, a + i2, b + j2, c + k2, x0 - (float)i2 + 2 * sixth, y0 - (float)j2 + 2 * sixth,
                   z0 - (float)k2 + 2 * sixth) +
            corner(order, a + 1, b + 1, c + 1, x0 - 0.5f, y0 - 0.5f, z0 - 0.5f));
    amplitude *= 0.5f;
  }
  noise[py * width + px] = sum;
}

// How many numbers two sorted lists share, a pair a thread: of the shorter list each, by steps that double and a
// search; lists of like lengths are merged.
extern "C" __global__ void shared_postings(int *shared, int *sum, const int *postings, const int *starts, const int2 *pairs, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int a = starts[pairs[i].x], a_end = starts[pairs[i].x + 1], b = starts[pairs[i].y], b_end = starts[pairs[i].y + 1];
  if (a_end - a > b_end - b) {
    const int swap = a, swap_end = a_end;
    a = b;
    a_end = b_end;
    b = swap;
    b_end = swap_end;
  }
  int found = 0, total = 0;
  if ((b_end - b) > 4 * (a_end - a)) {
    for (; a < a_end && b < b_end; ++a) {
      const int wanted = postings[a];
      int step = 1;
      while (b + step < b_end && postings[b + step] < wanted)
        step *= 2;
      int low = b + step / 2, high = min(b + step + 1, b_end);
      while (low < high) {
        const int middle = (low + high) >> 1;
        if (postings[middle] < wanted)
          low = middle + 1;
        else
          high = middle;
      }
      b = low;
      if (b < b_end && postings[b] == wanted) {
        ++found;
        total += wanted;
      }
    }
  } else {
    while (a < a_end && b < b_end) {
      const int one = postings[a], two = postings[b];
      if (one == two) {
        ++found;
        total += one;
        ++a;
        ++b;
      } else if (one < two) {
        ++a;
      } else {
        ++b;
      }
    }
  }
  shared[i] = found;
  sum[i] = total;
}
