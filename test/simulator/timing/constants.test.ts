import { SIMULATED_CPUS, simulatedTarget, type SimulatedCpu } from '../../../src/simulator/target.js';
import { timingConstants } from '../../../src/simulator/timing/constants.js';
import { residentWorkgroups } from '../../../src/simulator/timing/occupancy.js';
import { assert, suite } from '../../support/suite.js';
import { resources } from './traces.js';

const test = suite('simulator/timing/constants', { tests: 2 });

/** The numbers of a table, by their path in it. */
function numbers(table: object, path = ''): [string, number][] {
  return Object.entries(table).flatMap(([name, value]: [string, unknown]): [string, number][] => {
    if (typeof value === 'number') return [[path + name, value]];
    return typeof value === 'object' && value !== null ? numbers(value, `${path}${name}.`) : [];
  });
}

/**
 * Every simulated processor, and how many waves with 128 VGPRs one SIMD holds (LLVM's occupancy computation). gfx1100
 * and gfx1101 have half as many registers again as the other RDNA processors, and give out 24 at a time (128 become
 * 144).
 */
const WAVES: Readonly<Record<SimulatedCpu, number>> = {
  gfx900: 2,
  gfx902: 2,
  gfx904: 2,
  gfx906: 2,
  gfx908: 2,
  gfx909: 2,
  gfx90c: 2,
  gfx90a: 4,
  gfx942: 4,
  gfx1030: 8,
  gfx1031: 8,
  gfx1032: 8,
  gfx1033: 8,
  gfx1034: 8,
  gfx1035: 8,
  gfx1036: 8,
  gfx1100: 10,
  gfx1101: 10,
  gfx1102: 8,
  gfx1103: 8,
};

test('every simulated processor has constants', () => {
  assert.equal(SIMULATED_CPUS, Object.keys(WAVES));
  for (const cpu of SIMULATED_CPUS) {
    const found = numbers(timingConstants(simulatedTarget(cpu)));
    assert.ok(found.length > 30, cpu);
    // No number is negative, and only `slowResult` may be zero.
    for (const [name, value] of found)
      assert.ok(value > 0 || (name === 'slowResult' && value === 0), `${cpu}: ${name} is ${value}`);
  }
});

test('a compute unit holds what LLVM’s occupancy computation says', () => {
  for (const cpu of SIMULATED_CPUS) {
    const target = simulatedTarget(cpu);
    const waveSize = target.defaultWaveSize;
    const simds = waveSize === 64 ? 4 : 2;
    assert.is(residentWorkgroups(target, resources({ vgprs: 128, waveSize })), WAVES[cpu] * simds, cpu);
    assert.is(residentWorkgroups(target, resources({ ldsBytes: 32768, waveSize })), 2, cpu);
  }
});

test.run();
