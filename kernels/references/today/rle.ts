/** Reference of rle.hip: the run-length encoding of bytes in the ORC file format. */
import { chunks } from '../reference.js';

/** Decodes a chunk to at most `room` bytes. */
function decode(chunk: readonly number[], room: number): number[] {
  const out: number[] = [];
  let rest = chunk;
  while (rest.length >= 2 && out.length < room) {
    const [control, value] = rest as [number, number];
    if (control < 128) {
      out.push(...Array.from({ length: control + 3 }, () => value));
      rest = rest.slice(2);
    } else {
      out.push(...rest.slice(1, 257 - control));
      rest = rest.slice(257 - control);
    }
  }
  return out.slice(0, room);
}

export const rle = chunks(
  (thread, { buffers, scalars: { chunk, room } }) =>
    decode(Array.from(buffers['in']!).slice(thread * chunk!, (thread + 1) * chunk!), room!),
  { chunk: 'u32', room: 'u32' },
);
