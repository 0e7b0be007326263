/** `ActionResult`: bytes as Protocol Buffers have them, and whatever comes from a server. */
import fc from 'fast-check';
import { decodeActionResult, encodeActionResult } from '../../src/remote-cache/action-result.js';
import { assert, suite } from '../support/suite.js';

const test = suite('remote-cache/action-result', { tests: 5 });

const hash = 'ab'.repeat(32);
const hex = (text: string): string => Buffer.from(text).toString('hex');

test('the bytes are those of the wire format', () => {
  // output_files = 2 { path = 1: "f", digest = 2 { hash = 1: 64 characters, size_bytes = 2: 300 } }
  const digest = `0a40${hex(hash)}10ac02`;
  const file = `0a01${hex('f')}1245${digest}`;
  const bytes = encodeActionResult([{ path: 'f', digest: { hash, size: 300 } }]);
  assert.is(Buffer.from(bytes).toString('hex'), `124a${file}`);
});

test('what is encoded comes back, of any size', () => {
  for (const size of [0, 1, 127, 128, 2 ** 31, 2 ** 35 + 1]) {
    const files = [
      { path: 'a', digest: { hash, size } },
      { path: 'ü/b', digest: { hash: '0'.repeat(64), size: 7 }, contents: Buffer.from('content') },
    ];
    assert.equal(decodeActionResult(encodeActionResult(files)), { outputFiles: files, otherDigests: [] });
  }
});

test('fields of all kinds that are not known are passed over; trees and streams are found', () => {
  const digest = `0a40${hex(hash)}`;
  const bytes = [
    '2000', // exit_code = 4
    '4d01020304', // 9, 32 bits
    '510102030405060708', // 10, 64 bits
    `1a46${'0a0170'}1a42${digest}`.replace('1a46', '1a47'), // output_directories = 3 { path, tree_digest = 3 }
    `3242${digest}`, // stdout_digest = 6
    '2a0568656c6c6f', // stdout_raw = 5
    'a20602abcd', // 100
  ].join('');
  const found = decodeActionResult(Buffer.from(bytes, 'hex'));
  assert.equal(found, { outputFiles: [], otherDigests: [{ hash, size: 0 }, { hash, size: 0 }] }); // prettier-ignore
});

test('what is cut, or has no proper digest, is no ActionResult', () => {
  const bytes = encodeActionResult([{ path: 'f', digest: { hash, size: 300 } }]);
  for (let length = 1; length < bytes.length; length++) assert.is(decodeActionResult(bytes.subarray(0, length)), null);
  for (const digest of [
    { hash: 'AB'.repeat(32), size: 1 },
    { hash: 'ab', size: 1 },
    { hash: '../../etc/passwd', size: 1 },
  ])
    assert.is(decodeActionResult(encodeActionResult([{ path: 'f', digest }])), null);
  assert.is(decodeActionResult(Buffer.from('ff'.repeat(20), 'hex')), null);
  assert.is(decodeActionResult(Buffer.from('<html></html>')), null);
});

test('any bytes: a message or null, and no error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const found = decodeActionResult(bytes);
      for (const { digest } of found?.outputFiles ?? []) assert.match(digest.hash, /^[0-9a-f]{64}$/);
    }),
    { numRuns: 2000 },
  );
});

test.run();
