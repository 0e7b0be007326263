/** What a trial must gain. What is tried: test/pipeline/meld-function.test.ts. */
import { isTrialWorth } from '../../../src/melding/decide/whole-function.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/whole-function', { tests: 1 });

test('the whole function must gain 5 %, and lose no more than 1 % where other waves hide the rest', () => {
  const pays = (alone: number, busy: number): boolean => isTrialWorth({ alone: 1000, busy: 500 }, { alone, busy });
  assert.equal([pays(950, 475), pays(960, 480)], [true, false]);
  assert.equal([pays(800, 504), pays(800, 510)], [true, false]);
});

test.run();
