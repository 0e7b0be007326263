/** What instructions cost where LLVM's own numbers do not say it. */
import { instrCosts } from '../../../src/melding/cost/latency.js';
import { memoryAccesses } from '../../../src/melding/cost/memory-accesses.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/latency', { tests: 1 });

/** @param units TargetTransformInfo's, in full-rate instructions */
function division(cpu: string, units: number, type = 'float'): number {
  const s = snapshot(`
    func kernel cpu=${cpu}
    arg %a ${type} never
    arg %b ${type} never
    entry:
      %q = fdiv %a %b !type=${type} !lat=${units}
      ret`);
  return instrCosts(s.f, memoryAccesses(s.f)).vector[s.instr('%q')]!;
}

test('the steps of an exact division of floats are slow on GCN and CDNA', () => {
  assert.equal([division('gfx906', 14), division('gfx90a', 14)], [14 * 4 + 48, 14 * 4 + 48]);
  assert.is(division('gfx1100', 14), 14 * 2);
  // A reciprocal and a multiplication.
  assert.is(division('gfx906', 5), 5 * 4);
  assert.is(division('gfx906', 30, 'double'), 30 * 4);
});

test.run();
