/** Counts of melds. */
import { tally } from '../../src/job/tally.js';
import { assert, suite } from '../support/suite.js';

const test = suite('tally', { tests: 1 });

test('by kind, with what they save', () => {
  const none = { byKind: { 'block-block': 0, 'region-region': 0, 'block-region': 0 }, saved: 0 };
  assert.equal(tally([]), none);
  const melds = [
    { kind: 'block-block', net: 0.1 },
    { kind: 'block-region', net: 0.2 },
    { kind: 'block-block', net: -3 },
  ] as const;
  assert.equal(tally(melds), {
    byKind: { 'block-block': 2, 'region-region': 0, 'block-region': 1 },
    saved: -2.7,
  });
});

test.run();
