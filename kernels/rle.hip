// Run-length decoding, the byte format of the ORC file format: a control byte below 128 repeats the byte after it control + 3
// times; one from 128 on says that 256 - control bytes follow as they are. Every thread decodes a chunk of its own.
//
// Divergent: the kind of the run, with a loop on either side, and the runs' lengths.
// Any bytes are a valid chunk: decoding ends where input or room for output do.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL rle
#endif

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned char *out, unsigned *lengths, const unsigned char *in,
                                                          unsigned chunk, unsigned room) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  const unsigned char *source = in + gid * chunk;
  unsigned char *target = out + gid * room;
  unsigned at = 0, done = 0;
  while (at + 1 < chunk && done < room) {
    const unsigned control = source[at++];
    if (control < 128) {
      const unsigned char value = source[at++];
      const unsigned wanted = done + control + 3;
      const unsigned end = wanted < room ? wanted : room;
      while (done < end)
        target[done++] = value;
    } else {
      const unsigned left = chunk - at;
      const unsigned count = 256 - control < left ? 256 - control : left;
      const unsigned end = done + count < room ? done + count : room;
      while (done < end)
        target[done++] = source[at++];
    }
  }
  lengths[gid] = done;
}
