/** A greedy compressor for the LZ4 block format, for small inputs. */

const MIN_MATCH = 4;
/** The format's rules for the end of a block: the last bytes are literals, and no match begins near it. */
const LAST_LITERALS = 5;
const MATCH_LIMIT = 12;

export function compressBlock(input: Uint8Array): number[] {
  const out: number[] = [];
  /** The last position of each sequence of four bytes. */
  const seen = new Map<string, number>();
  let literalsFrom = 0;
  let at = 0;
  while (at <= input.length - MATCH_LIMIT) {
    const key = input.subarray(at, at + MIN_MATCH).join();
    const candidate = seen.get(key);
    seen.set(key, at);
    if (candidate === undefined) {
      at++;
      continue;
    }
    let length = MIN_MATCH;
    while (at + length < input.length - LAST_LITERALS && input[candidate + length] === input[at + length]) length++;
    writeSequence(out, input.subarray(literalsFrom, at), { offset: at - candidate, length });
    at += length;
    literalsFrom = at;
  }
  writeSequence(out, input.subarray(literalsFrom), null);
  return out;
}

function writeSequence(out: number[], literals: Uint8Array, match: { offset: number; length: number } | null): void {
  const matchLength = match === null ? 0 : match.length - MIN_MATCH;
  out.push((Math.min(literals.length, 15) << 4) | Math.min(matchLength, 15));
  writeLength(out, literals.length);
  out.push(...literals);
  if (match === null) return;
  out.push(match.offset & 255, match.offset >> 8);
  writeLength(out, matchLength);
}

/** Writes the part of a length that does not fit into the token. */
function writeLength(out: number[], length: number): void {
  if (length < 15) return;
  for (let left = length - 15; ; left -= 255) {
    out.push(Math.min(left, 255));
    if (left < 255) return;
  }
}
