/** The expected cycles of a function: what a wave does not come to costs little, loops count more. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { expectedCycles, expectedGain } from '../../../src/melding/cost/expected-cycles.js';
import type { ExpectedCycles } from '../../../src/melding/plan.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/expected-cycles', { tests: 4 });

function cyclesOf(body: string): ExpectedCycles {
  const { f } = snapshot(`
    func kernel
    arg %n i32
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      ${body}
  `);
  return expectedCycles(f, analysesOf(f));
}

const branchOn = (condition: string): ExpectedCycles =>
  cyclesOf(`
      ${condition}
      br %c side out
    side:
      %a = mul %tid %tid
      %b = mul %a %tid
      %d = mul %b %tid
      br out
    out:
      ret
  `);

test('a side costs as often as a wave comes to it', () => {
  const always = branchOn('%low = and %tid 1\n %c = icmp eq %low 0');
  const never = branchOn('%c = icmp slt %tid 0');
  const sometimes = branchOn('%c = icmp slt %tid %n');
  assert.ok(always.busy > sometimes.busy);
  assert.ok(sometimes.busy > never.busy);
});

test('a divergent branch costs the handling of the mask, where it is not hidden', () => {
  const parted = branchOn('%low = and %tid 1\n %c = icmp eq %low 0');
  const uniform = branchOn('%low = and %n 1\n %c = icmp eq %low 0');
  assert.ok(parted.alone - parted.busy > uniform.alone - uniform.busy);
});

test('a loop counts as eight rounds', () => {
  const once = (body: string) => cyclesOf(`${body}\n ret`).busy;
  const loop = (body: string) =>
    cyclesOf(`
      br loop
    loop:
      %i = phi 0 entry %next loop
      ${body}
      %next = add %i 1
      %c = icmp slt %next %n
      br %c loop out
    out:
      ret
    `).busy;
  const work = '%a = mul %tid %tid';
  assert.ok(once(work) > once(''));
  assert.is(loop(work) - loop(''), 8 * (once(work) - once('')));
});

test('the gain is the geometric mean of both extremes', () => {
  assert.is(expectedGain({ alone: 8, busy: 2 }, { alone: 2, busy: 2 }), 2);
  assert.is(expectedGain({ alone: 5, busy: 0 }, { alone: 5, busy: 0 }), 1);
});

test.run();
