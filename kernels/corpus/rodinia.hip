// Heterogeneous computing: heat, cells, trees, tracking, clusters.
#include <hip/hip_runtime.h>

// Temperature of a chip, several steps a launch: with each step a block's valid tile loses a ring.
extern "C" __global__ void hotspot_pyramid(float *result, const float *temperature, const float *power, float across, float along,
                                           float sink, float scale, int steps, int width, int height) {
  __shared__ float heat[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int inner = 16 - 2 * steps;
  const int x = (int)blockIdx.x * inner - steps + tx, y = (int)blockIdx.y * inner - steps + ty;
  const bool on_chip = x >= 0 && x < width && y >= 0 && y < height;
  float watts = 0;
  if (on_chip) {
    heat[ty][tx] = temperature[y * width + x];
    watts = power[y * width + x];
  }
  __syncthreads();
  const int north = y == 0 ? ty : ty - 1, south = y == height - 1 ? ty : ty + 1;
  const int west = x == 0 ? tx : tx - 1, east = x == width - 1 ? tx : tx + 1;
  for (int s = 0; s < steps; ++s) {
    const bool valid = on_chip && tx > s && tx < 15 - s && ty > s && ty < 15 - s;
    float next = 0;
    if (valid) {
      const float here = heat[ty][tx];
      next = here + scale * (watts + (heat[south][tx] + heat[north][tx] - 2.0f * here) * along +
                             (heat[ty][east] + heat[ty][west] - 2.0f * here) * across + (80.0f - here) * sink);
    }
    __syncthreads();
    if (valid)
      heat[ty][tx] = next;
    __syncthreads();
  }
  if (on_chip && tx >= steps && tx < 16 - steps && ty >= steps && ty < 16 - steps)
    result[y * width + x] = heat[ty][tx];
}

// Cheapest way down a grid of costs, some rows a launch; blocks overlap by what the rows make invalid.
extern "C" __global__ void pathfinder_ghost(int *result, const int *cost, const int *above, int rows, int columns) {
  __shared__ int previous[128];
  __shared__ int current[128];
  const int t = threadIdx.x;
  const int useful = 128 - 2 * rows;
  const int x = (int)blockIdx.x * useful - rows + t;
  const bool inside = x >= 0 && x < columns;
  const int left = x <= 0 ? t : t - 1, right = x >= columns - 1 ? t : t + 1;
  if (inside)
    previous[t] = above[x];
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    const bool computes = inside && t > row && t < 127 - row;
    if (computes) {
      int least = previous[t];
      if (previous[left] < least)
        least = previous[left];
      if (previous[right] < least)
        least = previous[right];
      current[t] = least + cost[row * columns + x];
    }
    __syncthreads();
    if (row == rows - 1)
      break;
    if (computes)
      previous[t] = current[t];
    __syncthreads();
  }
  if (inside && t >= rows && t < 128 - rows)
    result[x] = current[t];
}

// Particle filter: which particle each position of the comb falls on, and its jittered copy.
extern "C" __global__ void particle_resample(float *next_x, float *next_y, int *ancestor, const float *x, const float *y,
                                             const float *cumulative, unsigned seed, float offset, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float comb = (offset + (float)i) / (float)n;
  int low = 0, high = n - 1, found = -1;
  while (low <= high) {
    const int middle = (low + high) / 2;
    const float at = cumulative[middle];
    if (at >= comb) {
      if (middle == 0 || cumulative[middle - 1] < comb) {
        found = middle;
        break;
      }
      high = middle - 1;
    } else {
      low = middle + 1;
    }
  }
  if (found < 0)
    found = n - 1;
  float px = x[found], py = y[found];
  // A particle that is its own ancestor stays; copies are spread.
  if (found != i) {
    unsigned state = seed ^ ((unsigned)i * 2654435761u);
    float u, v, s;
    do {
      state = state * 1103515245u + 12345u;
      u = (float)(state >> 9) * (2.0f / 8388608.0f) - 1.0f;
      state = state * 1103515245u + 12345u;
      v = (float)(state >> 9) * (2.0f / 8388608.0f) - 1.0f;
      s = u * u + v * v;
    } while (s >= 1.0f || s < 1e-6f);
    const float radius = sqrtf(-2.0f * logf(s) / s);
    px += 1.0f + 2.0f * u * radius;
    py += -2.0f + v * radius;
  }
  next_x[i] = px;
  next_y[i] = py;
  ancestor[i] = found;
}

// Heart cells: gates of the sodium current and the rectifier, with steps as small as the upstroke needs.
extern "C" __global__ void myocyte_gates(float *voltage, float *gates, int *taken, const float *stimulus, float end, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = voltage[i], m = gates[i], h = gates[n + i], j = gates[2 * n + i];
  float time = 0;
  int steps = 0;
  while (time < end && steps < 40) {
    const float off = v + 47.13f;
    const float am = fabsf(off) > 1e-3f ? 0.32f * off / (1.0f - expf(-0.1f * off)) : 3.2f;
    const float bm = 0.08f * expf(v * (-1.0f / 11.0f));
    float ah, bh, aj, bj;
    if (v >= -40.0f) {
      ah = 0;
      bh = 1.0f / (0.13f * (1.0f + expf((v + 10.66f) * (-1.0f / 11.1f))));
      aj = 0;
      bj = 0.3f * expf(-2.535e-7f * v) / (1.0f + expf(-0.1f * (v + 32.0f)));
    } else {
      ah = 0.135f * expf((80.0f + v) * (-1.0f / 6.8f));
      bh = 3.56f * expf(0.079f * v) + 3.1e5f * expf(0.35f * v);
      aj = (-1.2714e5f * expf(0.2444f * v) - 3.474e-5f * expf(-0.04391f * v)) * (v + 37.78f) /
           (1.0f + expf(0.311f * (v + 79.23f)));
      bj = 0.1212f * expf(-0.01052f * v) / (1.0f + expf(-0.1378f * (v + 40.14f)));
    }
    float rectifier = 1.0f;
    if (v > -100.0f && fabsf(v + 77.0f) > 1e-2f)
      rectifier = 2.837f * (expf(0.04f * (v + 77.0f)) - 1.0f) / ((v + 77.0f) * expf(0.04f * (v + 35.0f)));
    const float sodium = 23.0f * m * m * m * h * j * (v - 54.4f);
    const float leak = 0.03921f * (v + 59.87f) + 0.28f * rectifier * (v + 77.0f) * 0.2f;
    const float push = time < 1.0f ? stimulus[i] : 0.0f;
    const float slope = push - sodium - leak;
    float dt = 0.25f;
    if (fabsf(slope) > 40.0f)
      dt = 0.02f;
    else if (fabsf(slope) > 4.0f)
      dt = 0.08f;
    // Rush and Larsen.
    m = am / (am + bm) + (m - am / (am + bm)) * expf(-dt * (am + bm));
    h = ah / (ah + bh) + (h - ah / (ah + bh)) * expf(-dt * (ah + bh));
    j = aj / (aj + bj) + (j - aj / (aj + bj)) * expf(-dt * (aj + bj));
    v += dt * slope;
    if (v > 70.0f)
      v = 70.0f;
    time += dt;
    ++steps;
  }
  voltage[i] = v;
  gates[i] = m;
  gates[n + i] = h;
  gates[2 * n + i] = j;
  taken[i] = steps;
}

// What is gained when a point opens as a centre: who would move there, and what the others' centres lose.
extern "C" __global__ void streamcluster_gain(float *lower, unsigned char *moves, float *cost_of_moving, const float *points,
                                              const float *weight, const float *paid, const int *centre, int candidate,
                                              int dimensions, int centres, int n) {
  __shared__ float opened[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((int)threadIdx.x < dimensions)
    opened[threadIdx.x] = points[threadIdx.x * n + candidate];
  __syncthreads();
  if (i >= n)
    return;
  float sum = 0;
  for (int d = 0; d < dimensions; ++d) {
    const float difference = points[d * n + i] - opened[d];
    sum += difference * difference;
  }
  const float would_pay = sum * weight[i];
  if (would_pay < paid[i]) {
    moves[i] = 1;
    cost_of_moving[i] = would_pay - paid[i];
  } else {
    lower[i * centres + centre[i]] += paid[i] - would_pay;
  }
}

// Leukocytes: gradient along circles of several radii; mean squared over variance, the best radius wins.
extern "C" __global__ void gicov_scan(float *score, unsigned char *best_radius, const float *grad_x, const float *grad_y,
                                      const float *sine, const float *cosine, float least_radius, float radius_step, int radii,
                                      int points, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int margin = (int)(least_radius + radius_step * (float)(radii - 1)) + 2;
  float best = 0;
  int which = 255;
  if (x >= margin && y >= margin && x < width - margin && y < height - margin) {
    for (int k = 0; k < radii; ++k) {
      const float radius = least_radius + radius_step * (float)k;
      float sum = 0, squares = 0;
      for (int p = 0; p < points; ++p) {
        const int u = x + (int)rintf(radius * cosine[p]), v = y + (int)rintf(radius * sine[p]);
        const float g = grad_x[v * width + u] * cosine[p] + grad_y[v * width + u] * sine[p];
        sum += g;
        squares += g * g;
      }
      const float mean = sum / (float)points;
      const float variance = (squares - sum * mean) / (float)(points - 1);
      if (variance > 1e-6f && mean * mean / variance > best) {
        best = mean * mean / variance;
        which = k;
      }
    }
  }
  score[y * width + x] = best;
  best_radius[y * width + x] = (unsigned char)which;
}

// Speckle reducing diffusion: derivatives with mirrored borders, a coefficient between 0 and 1.
extern "C" __global__ void srad_coefficient(float *coefficient, float *to_north, float *to_south, float *to_west, float *to_east,
                                            const float *image, float speckle, int rows, int columns) {
  __shared__ float tile[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  const bool inside = x < columns && y < rows;
  const int at = y * columns + x;
  if (inside)
    tile[ty][tx] = image[at];
  __syncthreads();
  if (!inside)
    return;
  const float here = tile[ty][tx];
  float n, s, w, e;
  if (ty == 0)
    n = y == 0 ? here : image[at - columns];
  else
    n = tile[ty - 1][tx];
  if (y == rows - 1)
    s = here;
  else if (ty == 7)
    s = image[at + columns];
  else
    s = tile[ty + 1][tx];
  if (tx == 0)
    w = x == 0 ? here : image[at - 1];
  else
    w = tile[ty][tx - 1];
  if (x == columns - 1)
    e = here;
  else if (tx == 31)
    e = image[at + 1];
  else
    e = tile[ty][tx + 1];
  const float dn = n - here, ds = s - here, dw = w - here, de = e - here;
  const float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
  const float laplacian = (dn + ds + dw + de) / here;
  const float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  const float denominator = 1.0f + 0.25f * laplacian;
  const float q = numerator / (denominator * denominator);
  float c = 1.0f / (1.0f + (q - speckle) / (speckle * (1.0f + speckle)));
  if (c < 0)
    c = 0;
  else if (c > 1.0f)
    c = 1.0f;
  coefficient[at] = c;
  to_north[at] = dn;
  to_south[at] = ds;
  to_west[at] = dw;
  to_east[at] = de;
}

// Particles in boxes, one home box a block: its own and the neighbouring boxes act, as many as there are.
extern "C" __global__ void lavamd_boxes(float *force, const float *position, const float *charge, const int *box_start,
                                        const int *neighbour_start, const int *neighbour, float decay) {
  __shared__ float others[4 * 32];
  const int home = blockIdx.x, t = threadIdx.x;
  const int first = box_start[home], count = box_start[home + 1] - first;
  float x = 0, y = 0, z = 0, fx = 0, fy = 0, fz = 0, fv = 0;
  if (t < count) {
    x = position[3 * (first + t)];
    y = position[3 * (first + t) + 1];
    z = position[3 * (first + t) + 2];
  }
  for (int k = neighbour_start[home]; k < neighbour_start[home + 1]; ++k) {
    const int box = neighbour[k];
    const int their_first = box_start[box], their_count = box_start[box + 1] - their_first;
    for (int p = t; p < their_count; p += blockDim.x) {
      others[p] = position[3 * (their_first + p)];
      others[32 + p] = position[3 * (their_first + p) + 1];
      others[64 + p] = position[3 * (their_first + p) + 2];
      others[96 + p] = charge[their_first + p];
    }
    __syncthreads();
    if (t < count) {
      for (int p = 0; p < their_count; ++p) {
        const float dx = x - others[p], dy = y - others[32 + p], dz = z - others[64 + p];
        const float pull = expf(-decay * (dx * dx + dy * dy + dz * dz));
        const float f = 2.0f * pull * others[96 + p];
        fv += others[96 + p] * pull;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
      }
    }
    __syncthreads();
  }
  if (t < count) {
    force[4 * (first + t)] = fv;
    force[4 * (first + t) + 1] = fx;
    force[4 * (first + t) + 2] = fy;
    force[4 * (first + t) + 3] = fz;
  }
}

// Euler flux of an unstructured cell: through its faces to a neighbour, the wing (-1) or the far field (-2).
extern "C" __global__ void cfd_flux(float *flux, const float *variables, const int *neighbour, const float *normals,
                                    const float *far_field, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float density = variables[i], mx = variables[n + i], my = variables[2 * n + i], energy = variables[3 * n + i];
  const float vx = mx / density, vy = my / density;
  const float speed2 = vx * vx + vy * vy;
  const float pressure = 0.4f * (energy - 0.5f * density * speed2);
  const float sound = sqrtf(1.4f * pressure / density);
  float flux_density = 0, flux_mx = 0, flux_my = 0, flux_energy = 0;
  for (int face = 0; face < 4; ++face) {
    const int other = neighbour[face * n + i];
    const float nx = normals[(2 * face) * n + i], ny = normals[(2 * face + 1) * n + i];
    const float area = sqrtf(nx * nx + ny * ny);
    if (other >= 0) {
      const float od = variables[other], ox = variables[n + other], oy = variables[2 * n + other],
                  oe = variables[3 * n + other];
      const float wx = ox / od, wy = oy / od, their_speed2 = wx * wx + wy * wy;
      const float their_pressure = 0.4f * (oe - 0.5f * od * their_speed2);
      const float their_sound = sqrtf(1.4f * their_pressure / od);
      const float factor =
          -0.1f * area * (sqrtf(speed2) + sqrtf(their_speed2) + sound + their_sound);
      flux_density += factor * (density - od);
      flux_energy += factor * (energy - oe);
      flux_mx += factor * (mx - ox);
      flux_my += factor * (my - oy);
      const float through = 0.5f * (nx * vx + ny * vy), back = 0.5f * (nx * wx + ny * wy);
      flux_density += through * density + back * od;
      flux_energy += through * (energy + pressure) + back * (oe + their_pressure);
      flux_mx += through * mx + back * ox + 0.5f * nx * (pressure + their_pressure);
      flux_my += through * my + back * oy + 0.5f * ny * (pressure + their_pressure);
    } else if (other == -1) {
      flux_mx += nx * pressure;
      flux_my += ny * pressure;
    } else {
      const float fd = far_field[0], fx = far_field[1], fy = far_field[2], fe = far_field[3];
      const float ux = fx / fd, uy = fy / fd;
      const float far_pressure = 0.4f * (fe - 0.5f * fd * (ux * ux + uy * uy));
      const float through = 0.5f * (nx * vx + ny * vy), back = 0.5f * (nx * ux + ny * uy);
      flux_density += through * density + back * fd;
      flux_energy += through * (energy + pressure) + back * (fe + far_pressure);
      flux_mx += through * mx + back * fx + 0.5f * nx * (pressure + far_pressure);
      flux_my += through * my + back * fy + 0.5f * ny * (pressure + far_pressure);
    }
  }
  flux[i] = flux_density;
  flux[n + i] = flux_mx;
  flux[2 * n + i] = flux_my;
  flux[3 * n + i] = flux_energy;
}

// B+ tree, one query a block: a thread for each key of the node; then a range is counted along the leaves.
extern "C" __global__ void btree_query(int *answer, int *in_range, const int *keys, const int *children, const int *used,
                                       const int *next_leaf, const int *records, const int *query, const int *range_end,
                                       int order, int levels) {
  __shared__ int at;
  __shared__ int inside;
  const int t = threadIdx.x, q = blockIdx.x;
  const int wanted = query[q];
  if (t == 0) {
    at = 0;
    inside = 0;
  }
  __syncthreads();
  for (int level = 1; level < levels; ++level) {
    const int node = at;
    __syncthreads();
    if (t < used[node]) {
      const bool below_next = t + 1 == used[node] || wanted < keys[node * order + t + 1];
      const bool above = t == 0 || keys[node * order + t] <= wanted;
      if (above && below_next)
        at = children[node * order + t];
    }
    __syncthreads();
  }
  int leaf = at;
  if (t < used[leaf] && keys[leaf * order + t] == wanted)
    answer[q] = records[children[leaf * order + t]];
  const int last = range_end[q];
  while (leaf >= 0) {
    if (t < used[leaf]) {
      const int key = keys[leaf * order + t];
      if (key >= wanted && key <= last)
        atomicAdd(&inside, 1);
    }
    if (keys[leaf * order + used[leaf] - 1] > last)
      break;
    leaf = next_leaf[leaf];
  }
  __syncthreads();
  if (t == 0)
    in_range[q] = inside;
}

// Walls of a heart: correlates each point's template with its frame, partly outside near the frame's border.
extern "C" __global__ void heartwall_track(int *shift, float *best, const float *frames, const float *templates,
                                           const unsigned char *inner_wall, int frame_side, int template_side) {
  __shared__ float scores[128];
  __shared__ int places[128];
  const int point = blockIdx.x, t = threadIdx.x;
  const float *frame = frames + point * frame_side * frame_side;
  const float *pattern = templates + point * template_side * template_side;
  const int half = template_side / 2;
  float most = -1e30f;
  int place = -1;
  for (int candidate = t; candidate < frame_side * frame_side; candidate += blockDim.x) {
    const int row = candidate / frame_side, column = candidate % frame_side;
    int r0 = 0, r1 = template_side, c0 = 0, c1 = template_side;
    if (row < half)
      r0 = half - row;
    if (row + half >= frame_side)
      r1 = frame_side + half - row;
    if (column < half)
      c0 = half - column;
    if (column + half >= frame_side)
      c1 = frame_side + half - column;
    float sum = 0, energy = 1e-3f;
    for (int r = r0; r < r1; ++r)
      for (int c = c0; c < c1; ++c) {
        const float f = frame[(row + r - half) * frame_side + column + c - half];
        sum += f * pattern[r * template_side + c];
        energy += f * f;
      }
    float score = sum / sqrtf(energy);
    // A wall moves little; the inner one moves more than the outer one.
    const int dr = abs(row - frame_side / 2), dc = abs(column - frame_side / 2);
    if (inner_wall[point]) {
      if (dr + dc > frame_side / 2)
        score *= 0.9f;
    } else {
      score -= 0.02f * (float)(dr + dc);
    }
    if (score > most) {
      most = score;
      place = candidate;
    }
  }
  scores[t] = most;
  places[t] = place;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (t < stride) {
      const float other = scores[t + stride];
      if (other > scores[t] || (other == scores[t] && places[t + stride] < places[t])) {
        scores[t] = other;
        places[t] = places[t + stride];
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    shift[point] = places[0];
    best[point] = scores[0];
  }
}

// Reversible 5/3 wavelet of rows by lifting, a row a block, several levels in place.
extern "C" __global__ void dwt53_rows(int *coefficients, const int *samples, const int *widths, int stride, int levels) {
  __shared__ int line[128];
  __shared__ int split[128];
  const int t = threadIdx.x, row = blockIdx.x;
  int width = widths[row];
  if (t < width)
    line[t] = samples[row * stride + t];
  __syncthreads();
  for (int level = 0; level < levels && width > 1; ++level) {
    if (t < width && (t & 1)) {
      const int right = t + 1 < width ? line[t + 1] : line[t - 1];
      line[t] -= (line[t - 1] + right) >> 1;
    }
    __syncthreads();
    if (t < width && !(t & 1)) {
      int around;
      if (t == 0)
        around = 2 * line[1];
      else if (t + 1 == width)
        around = 2 * line[t - 1];
      else
        around = line[t - 1] + line[t + 1];
      line[t] += (around + 2) >> 2;
    }
    __syncthreads();
    const int low = (width + 1) / 2;
    if (t < width) {
      if (t & 1)
        split[low + t / 2] = line[t];
      else
        split[t / 2] = line[t];
    }
    __syncthreads();
    if (t < width)
      line[t] = split[t];
    __syncthreads();
    width = low;
  }
  if (t < stride)
    coefficients[row * stride + t] = t < widths[row] ? line[t] : 0;
}

// Longest match of each read's suffixes in a reference, by its suffix array; short matches are not reported.
extern "C" __global__ void mummer_suffixes(int *length, int *place, const unsigned char *reference, const int *suffixes,
                                           const unsigned char *reads, int read_length, int shortest, int reference_length,
                                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int from = i % read_length, available = read_length - from;
  int longest = 0, where = -1;
  if (available >= shortest) {
    const unsigned char *text = reads + i;
    int low = 0, high = reference_length - 1;
    while (low <= high) {
      const int middle = (low + high) / 2, suffix = suffixes[middle];
      int same = 0;
      while (same < available && suffix + same < reference_length && text[same] == reference[suffix + same])
        ++same;
      if (same > longest) {
        longest = same;
        where = suffix;
      }
      if (same == available)
        break;
      if (suffix + same == reference_length || reference[suffix + same] < text[same])
        low = middle + 1;
      else
        high = middle - 1;
    }
  }
  if (longest >= shortest) {
    length[i] = longest;
    place[i] = where;
  } else {
    length[i] = 0;
    place[i] = -1;
  }
}

// Hybrid sort: finds the bucket of each key between pivots, counts; a key outside all is clamped.
extern "C" __global__ void hybridsort_bucket(unsigned *bucket_of, int *counts, const float *keys, const float *pivots, float low,
                                             float high, int buckets, int per_thread, int n) {
  __shared__ int local[64];
  const int t = threadIdx.x;
  if (t < buckets)
    local[t] = 0;
  __syncthreads();
  const int first = (blockIdx.x * blockDim.x + t) * per_thread;
  for (int k = 0; k < per_thread; ++k) {
    const int i = first + k;
    if (i >= n)
      break;
    const float key = keys[i];
    int bucket;
    if (key <= low)
      bucket = 0;
    else if (key >= high)
      bucket = buckets - 1;
    else {
      int step = buckets / 2;
      bucket = step - 1;
      while (step > 1) {
        step /= 2;
        if (key >= pivots[bucket])
          bucket += step;
        else
          bucket -= step;
      }
      if (key >= pivots[bucket])
        ++bucket;
    }
    bucket_of[i] = (unsigned)bucket;
    atomicAdd(&local[bucket], 1);
  }
  __syncthreads();
  if (t < buckets && local[t] > 0)
    atomicAdd(&counts[t], local[t]);
}

// Nearest records: each query keeps its three nearest places, in order; those far off in latitude are skipped.
extern "C" __global__ void nearest_records(int *index, float *distance, const float *latitude, const float *longitude,
                                           const float *query_latitude, const float *query_longitude, float reach, int records,
                                           int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float lat = query_latitude[i], lon = query_longitude[i];
  float d0 = 1e30f, d1 = 1e30f, d2 = 1e30f;
  int i0 = -1, i1 = -1, i2 = -1;
  for (int r = 0; r < records; ++r) {
    const float dlat = latitude[r] - lat;
    if (fabsf(dlat) > reach)
      continue;
    float dlon = longitude[r] - lon;
    if (dlon > 180.0f)
      dlon -= 360.0f;
    else if (dlon < -180.0f)
      dlon += 360.0f;
    const float d = dlat * dlat + dlon * dlon;
    if (d >= d2)
      continue;
    if (d < d0) {
      d2 = d1;
      i2 = i1;
      d1 = d0;
      i1 = i0;
      d0 = d;
      i0 = r;
    } else if (d < d1) {
      d2 = d1;
      i2 = i1;
      d1 = d;
      i1 = r;
    } else {
      d2 = d;
      i2 = r;
    }
  }
  index[3 * i] = i0;
  index[3 * i + 1] = i1;
  index[3 * i + 2] = i2;
  distance[3 * i] = i0 >= 0 ? sqrtf(d0) : -1.0f;
  distance[3 * i + 1] = i1 >= 0 ? sqrtf(d1) : -1.0f;
  distance[3 * i + 2] = i2 >= 0 ? sqrtf(d2) : -1.0f;
}
