/** WebAssembly's binary format, as far as the build needs it: sections of vectors, numbers in LEB128. */
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  signed() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return shift < 25 && byte & 64 ? value | (-1 << (shift + 7)) : value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

export function unsigned(value) {
  const out = [];
  do {
    const rest = Math.floor(value / 128);
    out.push((value % 128) + (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return Buffer.from(out);
}

/** An `i32.const`'s number. */
export function signed(value) {
  const out = [];
  for (;;) {
    const low = value & 127;
    value >>= 7;
    const last = (value === 0 && (low & 64) === 0) || (value === -1 && (low & 64) !== 0);
    out.push(last ? low : low + 128);
    if (last) return Buffer.from(out);
  }
}

export const Section = { Export: 7, Start: 8, Element: 9, Code: 10, Data: 11, DataCount: 12 };

export function sections(bytes) {
  const reader = new Reader(bytes, 8);
  const found = [];
  while (reader.at < bytes.length) {
    const id = reader.take(1)[0];
    const length = reader.number();
    found.push({ id, body: reader.take(length) });
  }
  return found;
}

/** A module of sections, with the header of the one that they come from. */
export const moduleOf = (bytes, all) =>
  Buffer.concat([
    bytes.subarray(0, 8),
    ...all.flatMap(({ id, body }) => [Buffer.from([id]), unsigned(body.length), body]),
  ]);
