/** Strides of address computations: known, of data with a range, of data, in a loop. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { WaveSamples } from '../../../src/melding/cost/wave-samples.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';
import { Strides } from '../../../src/melding/cost/strides.js';

const test = suite('melding/cost/strides', { tests: 1 });

test('how far apart neighbouring threads access memory', () => {
  const s = snapshot(`
    func kernel
    arg %n i32
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %start = mul %tid 48
      br loop
    loop:
      %at = phi %start entry %next loop
      %row = gep %p %at
      %data = load %row !as=1
      %beside = gep %p %tid
      %masked = and %data 255
      %entry = gep %p %masked
      %any = gep %p %data
      %step = and %data 3
      %next = add %at %step
      %c = icmp slt %next %n
      br %c loop out
    out:
      ret
  `);
  const analyses = analysesOf(s.f);
  const strides = new Strides(s.f, analyses.divergence, new WaveSamples(s.f, analyses).values);
  assert.is(strides.of(s.value('%beside')), 1);
  // Each thread has a row of its own, wherever it is in it.
  assert.is(strides.of(s.value('%row')), 48);
  assert.ok(strides.of(s.value('%entry')) <= 4);
  assert.is(strides.of(s.value('%any')), Infinity);
});

test.run();
