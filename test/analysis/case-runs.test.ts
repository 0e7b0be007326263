/** The cases of a switch in the order of their values (src/analysis/case-runs.ts). */
import { caseRuns } from '../../src/analysis/case-runs.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/case-runs', { tests: 4 });

/** The runs of a switch over `number` as `low-high destination`, and where gaps are. */
function runsOf(cases: string, number = 'load %p !as=1', isComplete = false) {
  const { f, block } = snapshot(`
    func kernel
    arg %p ptr1 never
    entry:
      %b = load %p !as=1 !type=i8
      %v = ${number}
      switch %v rest ${cases}
    one:
      br rest
    two:
      br rest
    rest:
      ${isComplete ? 'unreachable' : 'ret'}`);
  const { runs, gaps } = caseRuns(f, block('entry'));
  const names = new Map(['one', 'two'].map((name) => [block(name), name]));
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
  assert.equal(runsOf('9 one 3 two', undefined, true), ['3-3 two, 9-9 one', '000']);
});

test.run();
