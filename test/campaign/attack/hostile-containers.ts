/** Containers of images that claim impossible sizes, overlap, are nested, or unpack to far more than they are. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { imagesOverTables } from '../../support/containers.js';
import type { Draw } from '../../support/draw.js';

const MAGIC = '__CLANG_OFFLOAD_BUNDLE__';

function long(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return bytes;
}

interface Entry {
  readonly offset: number | bigint;
  readonly size: number | bigint;
  readonly id: string;
  readonly idLength?: number | bigint;
}

function bundleHead(entries: readonly Entry[], count: number | bigint = entries.length): Buffer {
  return Buffer.concat([
    Buffer.from(MAGIC),
    long(count),
    ...entries.flatMap(({ offset, size, id, idLength = Buffer.byteLength(id) }) => [
      long(offset),
      long(size),
      long(idLength),
      Buffer.from(id),
    ]),
  ]);
}

const IDS = ['host-x86_64-unknown-linux--', 'hipv4-amdgcn-amd-amdhsa--gfx906', 'hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-', 'hip-amdgcn-amd-amdhsa-gfx1100', '', '-', '----', '../../../tmp/x', 'hipv4-amdgcn-amd-amdhsa--gfx906/../../x', 'hipv4-amdgcn-amd-amdhsa--\x1b]0;x\x07', 'hipv4-amdgcn-amd-amdhsa--\n', '\0', '__proto__', 'x'.repeat(60_000)]; // prettier-ignore
const SIZES = [0, 1, 4, 4096, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2n ** 63n, 2n ** 64n - 1n];

function bundle(draw: Draw): Buffer {
  const length = draw.pick([10, 8192, 100_000]);
  const entries = Array.from({ length: draw.pick([0, 1, 2, 5, 100]) }, () => ({
    offset: draw.chance(0.7) ? draw.below(length) : draw.pick(SIZES),
    size: draw.chance(0.7) ? draw.below(100) : draw.pick(SIZES),
    id: draw.pick(IDS),
    ...(draw.chance(0.05) && { idLength: draw.pick(SIZES) }),
  }));
  const head = bundleHead(entries, draw.chance(0.9) ? entries.length : draw.pick(SIZES));
  return Buffer.concat([head, Buffer.alloc(length, draw.pick([0, 0x7f, 0x42]))]);
}

const manyEntries = (count: number): Buffer =>
  Buffer.concat([
    bundleHead(Array.from({ length: count }, () => ({ offset: 32 + count * 25, size: 0, id: 'a' }))),
    Buffer.alloc(10),
  ]);

const manyBundles = (count: number): Buffer => {
  const one = bundleHead([{ offset: 0, size: 0, id: 'host' }]);
  return Buffer.concat(Array.from({ length: count }, () => one));
};

const textBundle = (count: number, ended: boolean): Buffer =>
  Buffer.from(
    Array.from(
      { length: count },
      (_, i) => `; ${MAGIC}__START__ host-x86_64--${i}\nx\n` + (ended ? `\n; ${MAGIC}__END__ host-x86_64--${i}\n` : ''),
    ).join(''),
  );

interface Claims {
  readonly version: 1 | 2 | 3;
  readonly method: number;
  readonly size: number | bigint;
  readonly hash: Buffer;
}

function compressedBundle(data: Buffer, { version, method, size, hash }: Claims): Buffer {
  const head = Buffer.alloc(version === 3 ? 32 : version === 2 ? 24 : 20);
  head.write('CCOB');
  head.writeUInt16LE(version, 4);
  head.writeUInt16LE(method, 6);
  const total = head.length + data.length;
  const word = (value: number | bigint): number => Number(BigInt.asUintN(32, BigInt(value)));
  if (version === 3) {
    long(total).copy(head, 8);
    long(size).copy(head, 16);
  } else if (version === 2) {
    head.writeUInt32LE(total, 8);
    head.writeUInt32LE(word(size), 12);
  } else {
    head.writeUInt32LE(word(size), 8);
  }
  hash.copy(head, head.length - 8, 0, 8);
  return Buffer.concat([head, data]);
}

const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest().subarray(0, 8);

/** Zeros, which zlib shrinks a thousandfold, with claims that are true or not. */
function bomb(draw: Draw): Buffer {
  const zeros = Buffer.alloc(draw.pick([1000, 2 ** 20, 2 ** 24]));
  const packed = deflateSync(zeros);
  return compressedBundle(draw.chance(0.8) ? packed : Buffer.concat([packed, Buffer.alloc(draw.below(2 ** 18))]), {
    version: draw.pick([1, 2, 3] as const),
    method: draw.pick([0, 0, 0, 1, 2, 65535]),
    size: draw.chance(0.5) ? zeros.length : draw.pick([...SIZES, zeros.length - 1, zeros.length + 1]),
    hash: draw.chance(0.7) ? md5(zeros) : Buffer.alloc(8),
  });
}

function nested(depth: number): Buffer {
  let inner = bundleHead([{ offset: 0, size: 0, id: 'host' }]);
  for (let i = 0; i < depth; i++)
    inner = compressedBundle(deflateSync(inner), { version: 3, method: 0, size: inner.length, hash: md5(inner) });
  return inner;
}

function offloadBinary(draw: Draw): Buffer {
  const bytes = Buffer.alloc(draw.pick([32, 72, 200, 4096]), 0);
  bytes.set([0x10, 0xff, 0x10, 0xad, draw.pick([1, 2, 2, 3])]);
  const odd = (): bigint => BigInt(draw.chance(0.6) ? draw.below(bytes.length + 8) : draw.pick(SIZES));
  for (let at = 8; at + 8 <= bytes.length; at += 8) if (at < 32 || draw.chance(0.5)) long(odd()).copy(bytes, at);
  if (draw.chance(0.7)) long(bytes.length).copy(bytes, 8);
  if (draw.chance(0.7)) long(32).copy(bytes, 16);
  return bytes;
}

const FORMS: readonly ((draw: Draw) => Uint8Array)[] = [
  bundle,
  bundle,
  bundle,
  bomb,
  offloadBinary,
  offloadBinary,
  (draw) => manyEntries(draw.pick([10, 1000, 20_000])),
  (draw) => manyBundles(draw.pick([10, 1000, 10_000])),
  (draw) => textBundle(draw.pick([1, 100, 5000]), draw.chance(0.5)),
  (draw) => nested(draw.below(10)),
  () => imagesOverTables(),
];

export const hostileContainer = (draw: Draw): Uint8Array => new Uint8Array(draw.pick(FORMS)(draw));
