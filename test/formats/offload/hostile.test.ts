/** Damaged containers give a result or a `bad-input` error without delay, whatever the bytes. */
import fc from 'fast-check';
import { DarmError } from '../../../src/errors.js';
import { writeCompressed } from '../../../src/formats/offload/compressed.js';
import { readContainer, replaceImages } from '../../../src/formats/offload/container.js';
import { assert, suite } from '../../support/suite.js';
import { everyContainer, fakeElf, imagesOverTables, textBundleOf } from '../../support/containers.js';

const test = suite('formats/offload/hostile', { tests: 6 });

/** Reads a container and, if that works, replaces an image. Only `DarmError`s about the input may be thrown. */
async function survives(bytes: Uint8Array): Promise<'read' | 'refused'> {
  try {
    const container = await readContainer(bytes, 2 ** 24);
    if (container.images.length > 0) await replaceImages(container, new Map([[0, fakeElf(100, 3)]]));
    return 'read';
  } catch (error) {
    assert.instance(error, DarmError, String(error));
    assert.is((error as DarmError).code, 'bad-input');
    return 'refused';
  }
}

async function seeds(): Promise<Uint8Array[]> {
  const text = textBundleOf({ 'hipv4-amdgcn-amd-amdhsa--gfx906': 'text', 'host-x86_64-unknown-linux-gnu-': '' });
  return [...Object.values(await everyContainer()), text];
}

test('truncated anywhere', async () => {
  const counts = { read: 0, refused: 0 };
  for (const bytes of await seeds()) {
    const step = Math.max(1, Math.floor(bytes.length / 60));
    for (let length = 0; length < bytes.length; length += length < 300 ? 7 : step)
      counts[await survives(bytes.subarray(0, length))]++;
  }
  assert.ok(counts.refused > 500, JSON.stringify(counts));
});

test('with bytes changed', async () => {
  const all = await seeds();
  const counts = { read: 0, refused: 0 };
  const interesting = fc.constantFrom(0, 1, 7, 8, 0x7f, 0x80, 0xff);
  // Tables are at the start, so most changes go there.
  const change = fc.record({ at: fc.oneof({ weight: 4, arbitrary: fc.nat(320) }, fc.nat(40_000)), value: interesting });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(all.length - 1),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (which, changes) => {
        const bytes = new Uint8Array(all[which]!);
        for (const { at, value } of changes) if (at < bytes.length) bytes[at] = value;
        counts[await survives(bytes)]++;
      },
    ),
    { numRuns: 1500, seed: 1 },
  );
  assert.ok(counts.read > 100 && counts.refused > 100, JSON.stringify(counts));
});

test('with arbitrary bytes after the magic number', async () => {
  const magics = ['__CLANG_OFFLOAD_BUNDLE__', 'CCOB', '\x10\xff\x10\xad\x01\0\0\0', '\x10\xff\x10\xad\x02\0\0\0'];
  magics.push('; __CLANG_OFFLOAD_BUNDLE____START__ ', 'CCOB\x03\0\x01\0', 'CCOB\x02\0\0\0');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...magics), fc.uint8Array({ maxLength: 96, size: 'max' }), async (magic, rest) => {
      await survives(Buffer.concat([Buffer.from(magic, 'latin1'), rest]));
    }),
    { numRuns: 1000, seed: 1 },
  );
});

test('tables that claim far more entries than there are', async () => {
  assert.is(await survives(imagesOverTables()), 'refused');
  // A bundle that claims 2^53 - 1 entries, and one with 70,000 entries.
  const endless = Buffer.alloc(32 + 70_000 * 24);
  endless.write('__CLANG_OFFLOAD_BUNDLE__');
  endless.writeBigUInt64LE(2n ** 53n - 1n, 24);
  assert.is(await survives(endless), 'refused');
  endless.writeBigUInt64LE(70_000n, 24);
  assert.is(await survives(endless), 'refused');
  // An endless sequence of empty bundles.
  const many = Buffer.alloc(70_000 * 32);
  for (let at = 0; at < many.length; at += 32) many.write('__CLANG_OFFLOAD_BUNDLE__', at);
  assert.is(await survives(many), 'refused');
});

test('millions of entries in a small compressed part', async () => {
  const bundle = Buffer.alloc(32 + 60_000 * 24);
  bundle.write('__CLANG_OFFLOAD_BUNDLE__');
  bundle.writeBigUInt64LE(60_000n, 24);
  const small = await writeCompressed(Buffer.concat(new Array<Buffer>(40).fill(bundle)), 'zlib', 3);
  assert.ok(small.length < 200_000);
  assert.is(await survives(small), 'refused');
});

test('an offload binary whose entries share long strings', async () => {
  const [entries, strings] = [10, 20];
  const stringsAt = 32 + entries * 40;
  const textAt = stringsAt + strings * 24;
  const binary = Buffer.alloc(textAt + 1000, 'a');
  binary.fill(0, 0, textAt);
  const u64 = (at: number, value: number): unknown => binary.writeBigUInt64LE(BigInt(value), at);
  binary.set([0x10, 0xff, 0x10, 0xad, 2]);
  u64(8, binary.length);
  u64(16, 32);
  u64(24, entries);
  for (let i = 0; i < entries; i++) {
    u64(32 + i * 40 + 8, stringsAt);
    u64(32 + i * 40 + 16, strings);
  }
  for (let i = 0; i < strings; i++) {
    u64(stringsAt + i * 24, textAt);
    u64(stringsAt + i * 24 + 8, textAt);
    u64(stringsAt + i * 24 + 16, 999);
  }
  binary[binary.length - 1] = 0;
  assert.is(await survives(binary), 'refused');
});

test.run();
