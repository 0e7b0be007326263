/** Melds and their blocks have labels and colours of their own. */
import { MeldLabels } from '../../../src/report/graph/tags.js';
import { example } from '../../support/history.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('report/graph/tags', { tests: 1 });

test('melds are counted through the steps, blocks within a meld', () => {
  const [step] = example().steps;
  const [meld] = step!.melds;
  const large = { ...meld!, blocks: [meld!.blocks[0]!, meld!.blocks[0]!] };
  const labels = new MeldLabels({ steps: [{ ...step!, melds: [meld!, large] }, { ...step!, melds: [] }, step!] });
  assert.is(labels.block({ step: 0, meld: 0, block: 0 }), 'M1');
  assert.is(labels.block({ step: 0, meld: 1, block: 1 }), 'M2.2');
  assert.is(labels.block({ step: 2, meld: 0, block: 0 }), 'M3');
  assert.is(labels.color({ step: 2, meld: 0, block: 0 }), 3);
});

test.run();
