import fc from 'fast-check';
import { DarmError } from '../../src/errors.js';
import { sniffInput, unwrapModule } from '../../src/formats/bitcode.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/bitcode', { tests: 7 });

const RAW = Uint8Array.of(0x42, 0x43, 0xc0, 0xde, 1, 2, 3, 4);
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A wrapper: a header, `padding` bytes, the bitcode, then four bytes that belong to neither. */
function wrapped(bitcode: Uint8Array, given: { padding?: number; offset?: number; size?: number } = {}): Uint8Array {
  const { padding = 0, size = bitcode.length } = given;
  const { offset = 20 + padding } = given;
  const bytes = new Uint8Array(20 + padding + bitcode.length + 4).fill(0xee);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x0b17c0de, true);
  view.setUint32(4, 0, true);
  view.setUint32(8, offset, true);
  view.setUint32(12, size, true);
  view.setUint32(16, 7, true);
  bytes.set(bitcode, 20 + padding);
  return bytes;
}

function refusal(bytes: Uint8Array): string {
  try {
    unwrapModule(bytes);
  } catch (error) {
    assert.instance(error, DarmError);
    assert.is((error as DarmError).code, 'bad-input');
    return (error as DarmError).message;
  }
  throw new Error('accepted');
}

test('tells inputs by their content', () => {
  assert.is(sniffInput(RAW), 'bitcode');
  assert.is(sniffInput(wrapped(RAW)), 'bitcode-wrapper');
  assert.is(sniffInput(ascii('define void @f() { ret void }\n')), 'text');
  assert.is(sniffInput(ascii('; größer\r\n\t')), 'text');
  assert.is(sniffInput(new Uint8Array(0)), 'empty');
  assert.is(sniffInput(ascii('\x7fELF…')), 'elf');
  assert.is(sniffInput(ascii('__CLANG_OFFLOAD_BUNDLE__\0\0')), 'offload-bundle');
  assert.is(sniffInput(ascii('CCOB\x03\0')), 'offload-bundle');
  assert.is(sniffInput(Uint8Array.of(0x10, 0xff, 0x10, 0xad)), 'offload-bundle');
  assert.is(sniffInput(ascii('\n; __CLANG_OFFLOAD_BUNDLE____START__ host-x86_64\n')), 'offload-bundle');
  assert.is(sniffInput(ascii('; about __CLANG_OFFLOAD_BUNDLE____START__ lines\n')), 'text');
  assert.is(sniffInput(new Uint8Array(100)), 'other');
  assert.is(sniffInput(Uint8Array.of(0xff, 0xfe, 0x41)), 'other');
});

test('text may end in the middle of a character only where the probe ends', () => {
  const long = ascii('ä'.repeat(64 * 1024));
  assert.is(sniffInput(long.subarray(1).slice()), 'other');
  assert.is(sniffInput(ascii(`x${'ä'.repeat(64 * 1024)}`)), 'text');
  assert.is(sniffInput(ascii('ä').subarray(0, 1)), 'other');
});

test('bitcode and text are returned as they are', () => {
  assert.is(unwrapModule(RAW), RAW);
  const text = ascii('; nothing\n');
  assert.is(unwrapModule(text), text);
});

test('unwraps', () => {
  assert.equal([...unwrapModule(wrapped(RAW))], [...RAW]);
  assert.equal([...unwrapModule(wrapped(RAW, { padding: 12 }))], [...RAW]);
});

test('refuses damaged wrappers', () => {
  assert.match(refusal(wrapped(RAW).slice(0, 19)), /header lies outside/);
  assert.match(refusal(wrapped(RAW, { size: 100 })), /the bitcode lies outside/);
  assert.match(refusal(wrapped(RAW, { offset: 0xffffffff, size: 0xffffffff })), /the bitcode lies outside/);
  assert.match(refusal(wrapped(RAW, { offset: 0 })), /overlaps the header/);
  assert.match(refusal(wrapped(ascii('text'))), /holds no bitcode/);
  assert.match(refusal(wrapped(wrapped(RAW))), /holds no bitcode/);
});

test('says what an input is that is not a module', () => {
  assert.match(refusal(new Uint8Array(0)), /empty/);
  assert.match(refusal(ascii('\x7fELF')), /ELF.*darm bundle --extract/);
  assert.match(refusal(ascii('!<arch>\n\0')), /is an archive.*ar x/);
  assert.match(refusal(ascii('CCOB')), /offload bundle.*--emit fatbin.*darm bundle --extract/);
  assert.match(refusal(new Uint8Array(1000)), /neither LLVM bitcode nor LLVM IR text/);
});

test('any bytes are either accepted or refused with a bad-input error', () => {
  const magics = [RAW, wrapped(RAW), ascii('CCOB'), new Uint8Array(0)];
  fc.assert(
    fc.property(fc.constantFrom(...magics), fc.uint8Array({ maxLength: 64 }), (magic, rest) => {
      const bytes = new Uint8Array([...magic, ...rest]);
      try {
        const module = unwrapModule(bytes);
        assert.ok(module.byteOffset >= bytes.byteOffset && module.length <= bytes.length);
      } catch (error) {
        assert.instance(error, DarmError);
      }
    }),
    { numRuns: 500, seed: 1 },
  );
});

test.run();
