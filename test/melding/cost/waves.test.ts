/** How many waves a SIMD holds, and what it costs to hold fewer. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { leastWaves, slowdown } from '../../../src/melding/cost/waves.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/waves', { tests: 3 });

/** Of a function with so many values that are live at once. */
function waves(cpu: string, wave: number, live: number): number {
  const values = [...Array(live).keys()];
  const { f } = snapshot(`
    func kernel cpu=${cpu} wave=${wave}
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      ${values.map((k) => `%v${k} = mul %tid ${k + 2}`).join('\n')}
      ${values.map((k) => `store %v${k} %p`).join('\n')}
      ret
  `);
  return leastWaves(f, analysesOf(f));
}

test('few values leave room for as many waves as usual, more for fewer', () => {
  assert.is(waves('gfx906', 64, 16), 8);
  assert.is(waves('gfx906', 64, 32), 4);
  assert.is(waves('gfx90a', 64, 32), 8);
  assert.is(waves('gfx90a', 64, 64), 4);
  // A wave of 32 threads needs half a register for each value.
  assert.is(waves('gfx1030', 32, 32), 16);
  assert.is(waves('gfx1030', 32, 64), 8);
  assert.is(waves('gfx1030', 64, 32), 8);
});

test('nobody knows how many registers a driver gives out', () => {
  assert.is(waves('sm_80', 32, 500), waves('sm_80', 32, 1));
});

test('the fewer waves there are, the more one less costs; more than usual are worth nothing', () => {
  assert.is(slowdown('gfx906', 10, 8), 1);
  assert.is(slowdown('gfx906', 4, 4), 1);
  assert.ok(slowdown('gfx906', 3, 2) > slowdown('gfx906', 8, 7));
  assert.ok(slowdown('gfx906', 4, 8) < 1);
  // Measured: 1.18 for half of the waves that are usual, 1.57 on RDNA.
  assert.ok(Math.abs(slowdown('gfx906', 8, 4) - 1.29) < 0.05);
  assert.ok(Math.abs(slowdown('gfx1030', 16, 8) - 1.57) < 0.05);
});

test.run();
