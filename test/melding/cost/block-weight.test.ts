/** How often blocks are taken to run. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { BlockId } from '../../../src/ir/ids.js';
import { blockWeight, weightAround } from '../../../src/melding/cost/block-weight.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/block-weight', { tests: 1 });

test('around a branch, only its own loops count', () => {
  const s = snapshot(`
    func kernel
    arg %c i1 never
    entry:
      br outer
    outer:
      br inner
    inner:
      br %c inner latch
    latch:
      br %c outer other
    other:
      br %c other end
    end:
      ret`);
  const analyses = analysesOf(s.f);
  const blocks = s.blockNames.map((_, b) => b as BlockId);
  const weights = (of: (b: BlockId) => number): number[] => blocks.map((b) => of(b));
  const around = (...names: string[]): number[] =>
    weights(
      weightAround(
        analyses,
        names.map((name) => s.block(name)),
      ),
    );
  assert.equal(
    weights((b) => blockWeight(analyses, b)),
    [1, 8, 64, 8, 8, 1],
  );
  assert.equal(around('entry'), [1, 1, 1, 1, 1, 1]);
  assert.equal(around('latch'), [1, 8, 8, 8, 1, 1]);
  assert.equal(around('inner'), [1, 8, 64, 8, 1, 1]);
  assert.equal(around('latch', 'other'), [1, 8, 8, 8, 8, 1]);
});

test.run();
