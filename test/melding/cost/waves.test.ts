/** How many waves a SIMD holds, and what it costs to hold fewer. */
import { leastWaves, slowdown, wavesWithLds } from '../../../src/melding/cost/waves.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/waves', { tests: 4 });

test('few values leave room for as many waves as usual, more for fewer', () => {
  assert.is(leastWaves('gfx906', 64, 21), 8);
  assert.is(leastWaves('gfx906', 64, 32), 32 / 6);
  assert.is(leastWaves('gfx90a', 64, 42), 8);
  assert.is(leastWaves('gfx90a', 64, 64), 32 / 6);
  // A wave of 32 threads needs half a register for each value.
  assert.is(leastWaves('gfx1030', 32, 42), 16);
  assert.is(leastWaves('gfx1030', 32, 64), 32 / 3);
  assert.is(leastWaves('gfx1030', 64, 32), 32 / 3);
});

test('nobody knows how many registers a driver gives out', () => {
  assert.is(leastWaves('sm_80', 32, 500), leastWaves('sm_80', 32, 1));
});

test('LDS has room for the waves of so many work groups', () => {
  const waves = (cpu: string, waveSize: number, bytes: number, mostThreads: number): number =>
    wavesWithLds({ cpu, waveSize, mostThreads, ldsBytes: () => bytes });
  // What llc-23 says, for groups of a required size and for any.
  assert.is(waves('gfx906', 64, 12288, 256), 5);
  assert.is(waves('gfx906', 64, 12288, 64), 2);
  assert.is(waves('gfx950', 64, 20000, 64), 2);
  assert.is(waves('gfx1100', 32, 20000, 256), 12);
  assert.is(waves('gfx1250', 32, 65536, 256), 10);
  assert.is(waves('gfx12-5-generic', 32, 65536, 256), 10);
  assert.is(waves('gfx1310', 32, 20000, 256), 12);
  assert.is(waves('gfx906', 64, 40000, 0), 4);
  assert.is(waves('gfx906', 64, 65536, 64), 1);
  // More than there is.
  assert.is(waves('gfx906', 64, 80000, 64), 1);
  // Nobody knows how much it is.
  assert.is(waves('gfx906', 64, Infinity, 64), Infinity);
  assert.is(waves('gfx906', 64, 0, 64), Infinity);
});

test('the fewer waves there are, the more one less costs; more than usual are worth nothing', () => {
  assert.is(slowdown('gfx906', 10, 8), 1);
  assert.is(slowdown('gfx906', 4, 4), 1);
  assert.ok(slowdown('gfx906', 3, 2) > slowdown('gfx906', 8, 7));
  assert.ok(slowdown('gfx906', 4, 8) < 1);
  // Measured: 1.28 for half of the waves that are usual, 1.57 on RDNA (docs/melding.md).
  assert.ok(Math.abs(slowdown('gfx906', 8, 4) - 1.28) < 0.05);
  assert.ok(Math.abs(slowdown('gfx1030', 16, 8) - 1.57) < 0.05);
});

test.run();
