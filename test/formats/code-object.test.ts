import { readFileSync } from 'node:fs';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { DarmError } from '../../src/errors.js';
import { inspectCodeObject } from '../../src/formats/code-object.js';
import { targetIdOf } from '../../src/formats/elf-target.js';
import { decodeMessagePack } from '../../src/formats/message-pack.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/code-object', { tests: 9, timeoutMs: 60_000 });

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../test/formats/fixtures/${name}`, import.meta.url)));

/** Runs `read` on damaged bytes: it may throw `bad-input`, but nothing else. */
function survives(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DarmError) || error.code !== 'bad-input') throw error;
  }
}

test('reads a linked code object', () => {
  const info = inspectCodeObject(fixture('copy.gfx906.hsaco'));
  assert.is(info.target, 'gfx906:xnack+');
  assert.is(info.version, 6);
  assert.is(info.linked, true);
  assert.equal(
    info.kernels.map(({ name }) => name),
    ['copy', 'empty'],
  );
  const copy = info.kernels[0]!;
  assert.is(copy.symbol, 'copy.kd');
  assert.is(copy.groupSegmentSize, 256);
  assert.is(copy.privateSegmentSize, 0);
  assert.is(copy.kernargSize, 280);
  assert.is(copy.vgprs, 2);
  assert.is(copy.sgprs, 14);
  assert.is(copy.agprs, null);
  assert.is(copy.wavefrontSize, 64);
  assert.is(copy.maxWorkgroupSize, 64);
  assert.is(copy.codeBytes, 72);
  assert.equal(copy.arguments.slice(0, 3), [
    { name: 'dst', offset: 0, size: 8, valueKind: 'global_buffer', addressSpace: 'global' },
    { name: 'src', offset: 8, size: 8, valueKind: 'global_buffer', addressSpace: 'global' },
    { name: 'n', offset: 16, size: 4, valueKind: 'by_value', addressSpace: null },
  ]);
});

test('reads the kernel descriptors', () => {
  const [copy, empty] = inspectCodeObject(fixture('copy.gfx906.hsaco')).kernels;
  assert.equal(copy!.descriptor, {
    groupSegmentSize: 256,
    privateSegmentSize: 0,
    kernargSize: 280,
    vgprGranules: 0,
    sgprGranules: 1,
    wave32: false,
  });
  assert.is(empty!.descriptor!.kernargSize, 256);
});

test('an object file that is not linked yet gives the same information, except for its kind', () => {
  const object = inspectCodeObject(fixture('copy.gfx906.o'));
  const linked = inspectCodeObject(fixture('copy.gfx906.hsaco'));
  assert.is(object.linked, false);
  // Relocations fill in parts of the descriptors.
  const named = (info: typeof object): unknown => info.kernels.map(({ descriptor: _, ...kernel }) => kernel);
  assert.equal(named(object), named(linked));
  assert.ok(object.kernels.every(({ descriptor }) => descriptor !== null));
});

test('target ids from flags', () => {
  assert.is(targetIdOf(0x02f), 'gfx906');
  assert.is(targetIdOf(0x72f), 'gfx906:xnack+');
  assert.is(targetIdOf(0xc00 | 0x200 | 0x3f), 'gfx90a:sramecc+:xnack-');
  assert.is(targetIdOf(0x900 | 0x4c), 'gfx942:sramecc-');
  assert.is(targetIdOf(0x01000000 | 0x54), 'gfx11-generic');
  assert.is(targetIdOf(0xfe), 'mach-0xfe');
});

test('refuses other ELF files', () => {
  const elf = fixture('copy.gfx906.hsaco');
  const changed = (at: number, value: number): Uint8Array => {
    const copy = elf.slice();
    copy[at] = value;
    return copy;
  };
  assert.throws(() => inspectCodeObject(changed(18, 62)), /no AMD GPU code/);
  assert.throws(() => inspectCodeObject(changed(7, 0)), /not for the HSA runtime/);
  assert.throws(() => inspectCodeObject(changed(4, 1)), /64-bit/);
  assert.throws(() => inspectCodeObject(elf.subarray(0, 30)), /header lies outside/);
  assert.throws(() => inspectCodeObject(elf.subarray(0, -1)), /the table of section headers lies outside/);
});

test('every truncation is refused', () => {
  for (const name of ['copy.gfx906.hsaco', 'copy.gfx906.o']) {
    const whole = fixture(name);
    for (let length = 0; length < whole.length; length += 7) {
      // The section headers come last.
      assert.throws(
        () => inspectCodeObject(whole.subarray(0, length)),
        (error: unknown) => error instanceof DarmError,
      );
    }
  }
});

test.long('damaged code objects give a bad-input error or a result', () => {
  for (const name of ['copy.gfx906.hsaco', 'copy.gfx906.o']) {
    const whole = fixture(name);
    const value = fc.oneof(fc.constantFrom(0, 0xff, 0x7f, 0x80), fc.integer({ min: 0, max: 255 }));
    const patch = fc.array(fc.tuple(fc.integer({ min: 0, max: whole.length - 1 }), value), {
      minLength: 1,
      maxLength: 12,
    });
    // Headers are a small part of the file but worth most attempts.
    const header = fc.array(fc.tuple(fc.integer({ min: 4, max: 63 }), value), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.oneof(patch, header), (changes) => {
        const bytes = whole.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        survives(() => inspectCodeObject(bytes));
      }),
      { numRuns: 2000, seed: 2 },
    );
  }
});

test('MessagePack: reads what the library writes', () => {
  fc.assert(
    fc.property(
      fc.object({
        maxDepth: 3,
        values: [fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)],
      }),
      (value) => {
        // The encoder does not support -0.
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        assert.equal(decodeMessagePack(encode(plain), 'it'), plain);
      },
    ),
    { numRuns: 300, seed: 3 },
  );
  assert.equal(decodeMessagePack(encode('x'.repeat(70_000)), 'it'), 'x'.repeat(70_000));
});

test('MessagePack: hostile bytes neither crash nor allocate the lengths that they claim', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => survives(() => decodeMessagePack(bytes, 'it'))),
    { numRuns: 2000, seed: 4 },
  );
  // A million nested lists, each of which claims to be huge.
  const nested = new Uint8Array(5_000_000);
  for (let at = 0; at < nested.length; at += 5) nested.set([0xdd, 0x00, 0x40, 0x00, 0x00], at);
  assert.throws(() => decodeMessagePack(nested, 'it'), /a list lies outside/);
  const deep = new Uint8Array(2_000_000).fill(0x91);
  survives(() => decodeMessagePack(deep, 'it'));
});

test.run();
