// Hash join, the probe side: every thread looks one key up in an open-addressing table with linear probing and aggregates the
// build rows that match, all of them: keys repeat. A slot is empty, deleted (a tombstone), of this key or of another.
//
// Divergent: the length of the chain, and in each step match, tombstone or other key; only a match fetches a row.
// Table and mask: as many slots as the mask plus one, a power of two. A full table ends the search as well.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 128
#endif
#ifndef KERNEL
#define KERNEL hashjoin
#endif

struct Slot {
  unsigned key, row;
};
struct Row {
  unsigned price, quantity;
};

static const unsigned EMPTY = 0xffffffff;
static const unsigned TOMBSTONE = 0xfffffffe;

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned *matches, unsigned *totals, unsigned *steps, const unsigned *keys,
                                                          const Slot *table, const Row *rows, unsigned mask) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  const unsigned key = keys[gid];
  unsigned slot = (key * 2654435761u >> 16) & mask;
  unsigned found = 0, total = 0, probed = 0, deleted = 0;
  for (; probed <= mask; ++probed) {
    const Slot entry = table[slot];
    if (entry.key == EMPTY)
      break;
    if (entry.key == key) {
      const Row row = rows[entry.row];
      total += row.price * row.quantity;
      ++found;
    } else if (entry.key == TOMBSTONE) {
      ++deleted;
    }
    slot = (slot + 1) & mask;
  }
  matches[gid] = found;
  totals[gid] = total;
  steps[gid] = probed << 16 | deleted;
}
