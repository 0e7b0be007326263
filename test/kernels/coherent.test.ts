/** Data of the corpus on which waves agree. */
import { dataKind, dataKinds, kindFor, withData } from '../../kernels/corpus/coherent.js';
import { i32, inOut, line, type CorpusLaunch, type Elements } from '../../kernels/corpus/launch.js';
import { assert, suite } from '../support/suite.js';

const test = suite('kernels/coherent', { tests: 8 });

/** Numbers that differ, and are not sorted. */
const numbered = (length: number): Float32Array => Float32Array.from({ length }, (_, index) => index ^ 1);

/** The only buffer of a launch of 200 threads in groups of 128, so 56 threads have no data. */
function changed(elements: Elements, kind: 'runs' | 'records'): number[] {
  const [buffer, value] = withData(line(200, 128, elements, i32(200)), kind).args;
  assert.equal(value, i32(200));
  return [...(buffer as Float32Array)];
}

test('usual data are what the launch has', () => {
  const launch: CorpusLaunch = line(200, 128, numbered(200));
  assert.is(withData(launch, 'usual'), launch);
});

test('runs: 64 neighbouring elements are the first of them', () => {
  const found = changed(numbered(200), 'runs');
  assert.equal([found[0], found[63], found[64], found[127], found[199]], [1, 1, 65, 65, 193]);
});

test('records: 64 neighbouring threads have the data of the first of them', () => {
  const found = changed(numbered(600), 'records');
  assert.equal(found.slice(0, 6), [1, 0, 3, 1, 0, 3]);
  assert.equal(found.slice(189, 198), [1, 0, 3, 193, 192, 195, 193, 192, 195]);
});

test('records: what has no element for each thread stays', () => {
  assert.equal(changed(numbered(100), 'records'), [...numbered(100)]);
  assert.equal(changed(numbered(601), 'records'), [...numbered(601)]);
});

test('what is sorted stays, as the rows of a matrix', () => {
  const sorted = Int32Array.from({ length: 256 }, (_, index) => index >> 1);
  assert.equal(changed(sorted, 'runs'), [...sorted]);
  assert.equal(changed(sorted, 'records'), [...sorted]);
});

test('kernels whose buffers describe each other keep theirs', () => {
  assert.is(kindFor('octree_descend', 'runs'), 'usual');
  assert.is(kindFor('soft_knee', 'runs'), 'runs');
});

test('what a kernel changes has other contents, and the launch keeps its own', () => {
  const contents = numbered(256);
  const launch = line(256, 128, inOut(contents));
  const [output] = withData(launch, 'runs').args;
  assert.is((output as { contents: Float32Array }).contents[1], 1);
  assert.is(contents[1], 0);
});

test('kinds of data are named', () => {
  assert.equal(dataKinds('runs,usual'), ['runs', 'usual']);
  assert.throws(() => dataKinds('sorted'), /^'sorted' is no kind of data: there are usual, runs, records$/);
  assert.throws(() => dataKind('runs,usual'), /^'runs,usual' is no kind of data/);
});

test.run();
