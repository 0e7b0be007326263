// Decompression of LZ4 blocks, small ones, one per thread: a sequence is a token (length of the literals, length of the match),
// literals, an offset and a match copied from what is already there. Lengths of 15 go on in further bytes.
//
// Written as a state machine that moves about one byte an iteration, so that threads in different places of their blocks
// share the loop. Divergent: the state, a `switch`. Malformed blocks end early: no read and no write leaves its buffer.
#include <hip/hip_runtime.h>

#ifndef SIZE
#define SIZE 64
#endif
#ifndef KERNEL
#define KERNEL lz4ish
#endif

enum State { TOKEN, LITERALS, MATCH, COPY };

extern "C" __global__ __launch_bounds__(SIZE) void KERNEL(unsigned char *out, unsigned *lengths, const unsigned char *in,
                                                          const unsigned *starts, unsigned room) {
  const unsigned gid = blockIdx.x * SIZE + threadIdx.x;
  unsigned at = starts[gid];
  const unsigned end = starts[gid + 1];
  unsigned char *target = out + gid * room;
  unsigned done = 0, token = 0, left = 0, offset = 0;
  State state = TOKEN;
  while (done < room && (at < end || state == COPY)) {
    switch (state) {
    case TOKEN:
      token = in[at++];
      left = token >> 4;
      if (left == 15) {
        unsigned more = 255;
        while (more == 255 && at < end) {
          more = in[at++];
          left += more;
        }
      }
      state = left ? LITERALS : MATCH;
      break;
    case LITERALS:
      target[done++] = in[at++];
      if (--left == 0)
        state = MATCH;
      break;
    case MATCH:
      offset = in[at++];
      if (at < end)
        offset |= in[at++] << 8;
      left = token & 15;
      if (left == 15) {
        unsigned more = 255;
        while (more == 255 && at < end) {
          more = in[at++];
          left += more;
        }
      }
      left += 4;
      if (offset == 0 || offset > done) // malformed
        at = end, state = TOKEN;
      else
        state = COPY;
      break;
    case COPY:
      target[done] = target[done - offset];
      ++done;
      if (--left == 0)
        state = TOKEN;
      break;
    }
  }
  lengths[gid] = done;
}
