/**
 * The message `ActionResult` of Bazel's remote execution API (build/bazel/remote/execution/v2), which is what the
 * entries under `/ac/` are: caches check that the files it names are there. Only digests and paths matter here.
 *
 * These are few fields, and the wire format (protobuf.dev/programming-guides/encoding) needs two of its kinds for them.
 * A library for Protocol Buffers would bring its compiler, or reflection, for less than is written here.
 */

/** What a content is addressed by. */
export interface Digest {
  /** SHA-256, 64 hexadecimal digits. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
}

export interface OutputFile {
  readonly path: string;
  readonly digest: Digest;
  /** Its content, too, which is under its digest all the same. */
  readonly contents?: Uint8Array;
}

export interface ActionResult {
  readonly outputFiles: readonly OutputFile[];
  /** Other contents that it refers to: trees of output folders, standard output and error. */
  readonly otherDigests: readonly Digest[];
}

/** Field numbers. */
const ACTION_RESULT = { outputFiles: 2, outputDirectories: 3, stdoutDigest: 6, stderrDigest: 8 } as const;
const OUTPUT_FILE = { path: 1, digest: 2, contents: 5 } as const;
const OUTPUT_DIRECTORY = { treeDigest: 3 } as const;
const DIGEST = { hash: 1, size: 2 } as const;

/** Wire types. */
const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

export function encodeActionResult(files: readonly OutputFile[]): Uint8Array {
  return Buffer.concat(
    files.flatMap(({ path, digest, contents }) => {
      const file = Buffer.concat([
        ...bytesField(OUTPUT_FILE.path, Buffer.from(path)),
        ...bytesField(OUTPUT_FILE.digest, encodeDigest(digest)),
        ...(contents === undefined ? [] : bytesField(OUTPUT_FILE.contents, contents)),
      ]);
      return bytesField(ACTION_RESULT.outputFiles, file);
    }),
  );
}

const encodeDigest = ({ hash, size }: Digest): Uint8Array =>
  Buffer.concat([...bytesField(DIGEST.hash, Buffer.from(hash)), varint((DIGEST.size << 3) | VARINT), varint(size)]);

const bytesField = (number: number, bytes: Uint8Array): Uint8Array[] => [
  varint((number << 3) | BYTES),
  varint(bytes.length),
  bytes,
];

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
  return Uint8Array.from(bytes);
}

/** Null for what is no `ActionResult`. Fields that are not known are passed over, as the format wants it. */
export function decodeActionResult(bytes: Uint8Array): ActionResult | null {
  try {
    const fields = fieldsOf(bytes);
    const all = (number: number): Uint8Array[] => fields.flatMap((each) => (each.number === number ? each.bytes : []));
    const outputFiles = all(ACTION_RESULT.outputFiles).map((file) => {
      const inside = fieldsOf(file);
      const contents = inside.findLast(({ number }) => number === OUTPUT_FILE.contents)?.bytes[0];
      const digest = decodeDigest(one(inside, OUTPUT_FILE.digest));
      return { path: text(one(inside, OUTPUT_FILE.path)), digest, ...(contents && { contents }) };
    });
    const trees = all(ACTION_RESULT.outputDirectories).map((folder) =>
      one(fieldsOf(folder), OUTPUT_DIRECTORY.treeDigest),
    );
    const streams = [...all(ACTION_RESULT.stdoutDigest), ...all(ACTION_RESULT.stderrDigest)];
    return { outputFiles, otherDigests: [...trees, ...streams].map(decodeDigest) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Field {
  readonly number: number;
  /** Of a field of the kind `BYTES`; else empty. */
  readonly bytes: Uint8Array[];
  readonly value: number;
}

function decodeDigest(bytes: Uint8Array): Digest {
  const fields = fieldsOf(bytes);
  const hash = text(one(fields, DIGEST.hash));
  // What is zero is left out.
  const size = fields.findLast(({ number }) => number === DIGEST.size)?.value ?? 0;
  if (!/^[0-9a-f]{64}$/.test(hash) || !Number.isSafeInteger(size)) throw new RangeError('no digest');
  return { hash, size };
}

function one(fields: readonly Field[], wanted: number): Uint8Array {
  const bytes = fields.findLast(({ number, bytes }) => number === wanted && bytes.length > 0)?.bytes[0];
  if (bytes === undefined) throw new RangeError('a field is missing');
  return bytes;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** @throws RangeError */
function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || scale > 2 ** 63) throw new RangeError('a number does not end');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const field = { number: Math.floor(tag / 8), bytes: [] as Uint8Array[], value: 0 };
    const kind = tag % 8;
    if (kind === VARINT) field.value = readVarint();
    else {
      const length = kind === BYTES ? readVarint() : kind === FIXED_64 ? 8 : kind === FIXED_32 ? 4 : NaN;
      if (!(at + length <= bytes.length)) throw new RangeError('a field does not end, or has an unknown kind');
      if (kind === BYTES) field.bytes.push(bytes.subarray(at, at + length));
      at += length;
    }
    fields.push(field);
  }
  return fields;
}
