/** The committed inputs of launch specs are the output of their generator, and have the structure that they should. */
import { readdirSync, readFileSync } from 'node:fs';
import { makeInputs } from '../../kernels/inputs/index.js';
import { compressBlock } from '../../kernels/inputs/lz4.js';
import { decodeBlock } from '../../kernels/references/today/lz4ish.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('kernels/inputs', { tests: 3 });

test('the files are those of the generator', () => {
  const inputs = makeInputs();
  const files = readdirSync(`${REPOSITORY}kernels/inputs`).filter((name) => name.endsWith('.bin'));
  assert.equal(files.sort(), Object.keys(inputs).sort());
  for (const name of files)
    assert.is(Buffer.compare(readFileSync(`${REPOSITORY}kernels/inputs/${name}`), inputs[name]!), 0, name);
});

test('LZ4: decompression gives the input back, with short and long lengths', () => {
  const texts = ['', 'abc', 'abcdabcdabcdabcdabcd', 'x'.repeat(600), Array.from({ length: 300 }, (_, i) => i).join('')];
  for (const text of texts) {
    const bytes = [...Buffer.from(text)];
    assert.equal(decodeBlock(compressBlock(Uint8Array.from(bytes))), bytes);
  }
  assert.equal(compressBlock(Buffer.from('x'.repeat(600))).slice(0, 6), [0x1f, 120, 1, 0, 255, 255]);
});

test('the inputs contain every case', () => {
  const words = (name: string): number[] => [...new Uint32Array(makeInputs()[name]!.buffer)];
  const keys = words('hashjoin-table.bin').filter((_, index) => index % 2 === 0);
  const live = keys.filter((key) => key < 300);
  assert.ok(keys.includes(0xffffffff) && keys.includes(0xfffffffe));
  assert.ok(new Set(live).size < live.length, 'keys repeat');
  const starts = words('spmv-starts.bin');
  const lengths = starts.slice(1).map((end, row) => end - starts[row]!);
  assert.ok(Math.min(...lengths) === 0 && lengths.includes(8) && lengths.includes(9) && Math.max(...lengths) === 32);
  assert.ok(starts.at(-1)! <= 8192, 'no more elements than the launch has');
  const blocks = words('lz4ish-starts.bin');
  assert.is(blocks.at(-1), makeInputs()['lz4ish-blocks.bin']!.length);
});

test.run();
