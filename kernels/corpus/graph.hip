// Graphs in compressed rows.
#include <hip/hip_runtime.h>

// Breadth first, from the frontier: marks neighbours that nobody has seen.
extern "C" __global__ void bfs_top_down(int *next_level, const int *level, const int *starts, const int *edges, int depth,
                                        int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  if (level[node] != depth)
    return;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int other = edges[k];
    if (level[other] < 0)
      next_level[other] = depth + 1;
  }
}

// Breadth first, from the nodes that are not reached: stops at the first parent.
extern "C" __global__ void bfs_bottom_up(int *parent, const int *level, const int *starts, const int *edges, int depth,
                                         int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  int found = -1;
  if (level[node] < 0) {
    for (int k = starts[node]; k < starts[node + 1]; ++k)
      if (level[edges[k]] == depth) {
        found = edges[k];
        break;
      }
  }
  parent[node] = found;
}

// Shortest paths: relaxes the edges of active nodes.
extern "C" __global__ void sssp_relax(unsigned *distance, const unsigned char *active, const unsigned *known, const int *starts,
                                      const int *edges, const unsigned *weights, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !active[node])
    return;
  const unsigned here = known[node];
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const unsigned candidate = here + weights[k];
    if (candidate < known[edges[k]])
      atomicMin(&distance[edges[k]], candidate);
  }
}

// Rank by pulling; nodes without outgoing links are counted apart.
extern "C" __global__ void pagerank_pull(float *next, int *dangling, const float *rank, const int *degree, const int *starts,
                                         const int *edges, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  float sum = 0;
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int other = edges[k];
    if (degree[other] > 0)
      sum += rank[other] / (float)degree[other];
  }
  if (degree[node] == 0)
    atomicAdd(dangling, 1);
  next[node] = 0.15f / (float)nodes + 0.85f * sum;
}

// Colouring: a node that is the largest or the smallest among its uncoloured neighbours gets one of two colours.
extern "C" __global__ void colour_extremes(int *colour, const int *before, const unsigned *priority, const int *starts,
                                           const int *edges, int round, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || before[node] >= 0)
    return;
  bool largest = true, smallest = true;
  for (int k = starts[node]; k < starts[node + 1] && (largest || smallest); ++k) {
    const int other = edges[k];
    if (other == node || before[other] >= 0)
      continue;
    if (priority[other] >= priority[node])
      largest = false;
    if (priority[other] <= priority[node])
      smallest = false;
  }
  if (largest)
    colour[node] = 2 * round;
  else if (smallest)
    colour[node] = 2 * round + 1;
}

// Connected components: hooks the larger label under the smaller one.
extern "C" __global__ void components_hook(int *label, const int *before, const int *from, const int *to, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges)
    return;
  const int a = before[from[e]], b = before[to[e]];
  if (a < b)
    atomicMin(&label[b], a);
  else if (b < a)
    atomicMin(&label[a], b);
}

// Pointer jumping to the root.
extern "C" __global__ void components_jump(int *root, const int *parent, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  int at = node;
  while (parent[at] != at)
    at = parent[at];
  root[node] = at;
}

// Triangles at an edge: intersects two sorted lists of neighbours.
extern "C" __global__ void triangles_merge(int *count, const int *from, const int *to, const int *starts, const int *edges,
                                           int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n)
    return;
  int i = starts[from[e]], j = starts[to[e]], common = 0;
  const int end_i = starts[from[e] + 1], end_j = starts[to[e] + 1];
  while (i < end_i && j < end_j) {
    const int a = edges[i], b = edges[j];
    if (a == b)
      ++common;
    i += a <= b;
    j += b <= a;
  }
  count[e] = common;
}

// Triangles by binary search: the shorter list's nodes in the longer one.
extern "C" __global__ void triangles_search(int *count, const int *from, const int *to, const int *starts, const int *edges,
                                            int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n)
    return;
  int u = from[e], v = to[e], common = 0;
  if (starts[u + 1] - starts[u] > starts[v + 1] - starts[v]) {
    const int swap = u;
    u = v;
    v = swap;
  }
  for (int k = starts[u]; k < starts[u + 1]; ++k) {
    int low = starts[v], high = starts[v + 1];
    while (low < high) {
      const int middle = (low + high) / 2;
      if (edges[middle] < edges[k])
        low = middle + 1;
      else
        high = middle;
    }
    if (low < starts[v + 1] && edges[low] == edges[k])
      ++common;
  }
  count[e] = common;
}

// Peels nodes of small degree off; what becomes small is for the next round.
extern "C" __global__ void core_peel(int *degree, int *core, const int *before, const int *starts, const int *edges, int k,
                                     int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  if (before[node] > 0 && before[node] <= k) {
    core[node] = k;
    for (int e = starts[node]; e < starts[node + 1]; ++e)
      if (before[edges[e]] > k)
        atomicAdd(&degree[edges[e]], -1);
  }
}
