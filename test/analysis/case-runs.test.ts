/** The cases of a switch in the order of their values (src/analysis/case-runs.ts). */
import { caseRuns } from '../../src/analysis/case-runs.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/case-runs', { tests: 7 });

/** A switch over `%v`, which `lines` compute. */
function switchOver(cases: string, lines: string, end = 'ret') {
  const { f, block } = snapshot(`
    func kernel
    arg %p ptr1 never
    entry:
      ${lines}
      switch %v rest ${cases}
    one:
      br rest
    two:
      br rest
    rest:
      ${end}`);
  return { f, at: block('entry'), names: new Map(['one', 'two'].map((name) => [block(name), name])) };
}

/** Its runs as `low-high destination`, and where gaps are. */
function runsOf(cases: string, number = 'load %p !as=1', end = 'ret') {
  const { f, at, names } = switchOver(cases, `%b = load %p !as=1 !type=i8\n %v = ${number}`, end);
  const { runs, gaps } = caseRuns(f, at);
  return [runs.map(({ low, high, to }) => `${low}-${high} ${names.get(to)}`).join(', '), gaps.map(Number).join('')];
}

test('cases next to each other with one destination are one run, those of the default none', () => {
  assert.equal(runsOf('7 one 2 two 3 two 4 rest 5 two 6 one -1 one'), [
    '-1--1 one, 2-3 two, 5-5 two, 6-7 one',
    '11101',
  ]);
});

test('narrow numbers have no sign and a range', () => {
  assert.equal(runsOf('-1 one 0 two 1 two', 'load %p !as=1 !type=i8'), ['0-1 two, 255-255 one', '010']);
  assert.equal(runsOf('-1 one 0 two', 'load %p !as=1 !type=i16'), ['-1--1 one, 0-0 two', '101']);
});

test('what a number is made of gives it a range', () => {
  assert.equal(runsOf('0 one 1 two', 'and %b 1'), ['0-0 one, 1-1 two', '000']);
  assert.equal(runsOf('0 one 1 two', 'urem %b 3'), ['0-0 one, 1-1 two', '001']);
  assert.equal(runsOf('0 one 255 two', 'zext %b !type=i32'), ['0-0 one, 255-255 two', '010']);
  assert.equal(runsOf('0 one 1 two', 'lshr %p 31 !type=i32'), ['0-0 one, 1-1 two', '000']);
});

test('where nothing gets to the default, there are no gaps', () => {
  assert.equal(runsOf('9 one 3 two', undefined, 'unreachable'), ['3-3 two, 9-9 one', '000']);
});

test('what the text says of a number counts, also where it wraps', () => {
  const gapsOf = (type: string, range: readonly [bigint, bigint] | null, cases = '0 one 1 two'): string => {
    const { f, at } = switchOver(cases, `%v = load %p !as=1 !type=${type}`);
    const { values } = f.switchValues(at)!;
    return caseRuns({ ...f, switchValues: () => ({ values, range, isWeighed: false }) }, at)
      .gaps.map(Number)
      .join('');
  };
  assert.is(gapsOf('i32', null), '101');
  assert.is(gapsOf('i32', [0n, 33n]), '001');
  assert.is(gapsOf('i32', [0n, 2n]), '000');
  // Up to the border of the sign.
  assert.is(gapsOf('i32', [0n, -(2n ** 31n)]), '001');
  assert.is(gapsOf('i32', [5n, -5n]), '101');
  // Narrow numbers have no sign in the tree.
  assert.is(gapsOf('i8', [-4n, 5n]), '001');
  assert.is(gapsOf('i8', [0n, -128n], '0 one 127 two'), '010');
});

test('values that are not known are the first numbers, in the order of the cases', () => {
  const { f, at } = switchOver('70 one 60 one 50 rest 40 two', '%v = load %p !as=1');
  const { runs } = caseRuns({ ...f, switchValues: () => null }, at);
  assert.equal(
    runs.map(({ low, high }) => `${low}-${high}`),
    ['0-1', '3-3'],
  );
});

test('a number may be extended thousands of times', () => {
  const count = 9000;
  const steps = Array.from({ length: count }, (_, k) => `%v${k + 1} = zext %v${k} !type=i${k + 9}`).join('\n');
  const last = `%v = zext %v${count} !type=i${count + 9}`;
  const { f, at } = switchOver('0 one 255 two', `%v0 = load %p !as=1 !type=i8\n${steps}\n${last}`);
  assert.equal(caseRuns(f, at).gaps, [false, true, false]);
});

test.run();
