/** Data of the corpus on which waves agree. */
import { dataKinds, withData } from '../../kernels/corpus/coherent.js';
import { i32, inOut, line, type CorpusLaunch, type Elements } from '../../kernels/corpus/launch.js';
import { assert, suite } from '../support/suite.js';

const test = suite('kernels/coherent', { tests: 6 });

const upTo = (length: number): Float32Array => Float32Array.from({ length }, (_, index) => index);

/** The only buffer of a launch of 200 threads in groups of 128, so 56 threads have no data. */
function changed(elements: Elements, kind: 'runs' | 'records'): number[] {
  const [buffer, value] = withData(line(200, 128, elements, i32(200)), kind).args;
  assert.equal(value, i32(200));
  return [...(buffer as Float32Array)];
}

test('usual data are what the launch has', () => {
  const launch: CorpusLaunch = line(200, 128, upTo(200));
  assert.is(withData(launch, 'usual'), launch);
});

test('runs: 64 neighbouring elements are the first of them', () => {
  const found = changed(upTo(200), 'runs');
  assert.equal([found[0], found[63], found[64], found[127], found[199]], [0, 0, 64, 64, 192]);
});

test('records: 64 neighbouring threads have the data of the first of them', () => {
  const found = changed(upTo(600), 'records');
  assert.equal(found.slice(0, 6), [0, 1, 2, 0, 1, 2]);
  assert.equal(found.slice(189, 198), [0, 1, 2, 192, 193, 194, 192, 193, 194]);
});

test('records: what has no element for each thread stays', () => {
  assert.equal(changed(upTo(100), 'records'), [...upTo(100)]);
  assert.equal(changed(upTo(601), 'records'), [...upTo(601)]);
});

test('what a kernel changes has other contents, and the launch keeps its own', () => {
  const contents = upTo(256);
  const launch = line(256, 128, inOut(contents));
  const [output] = withData(launch, 'runs').args;
  assert.is((output as { contents: Float32Array }).contents[1], 0);
  assert.is(contents[1], 1);
});

test('kinds of data are named', () => {
  assert.equal(dataKinds('runs,usual'), ['runs', 'usual']);
  assert.throws(() => dataKinds('sorted'), /^'sorted' is no kind of data: there are usual, runs, records$/);
});

test.run();
