import { SIMULATED_CPUS, simulatedTarget } from '../../../src/simulator/target.js';
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

test('every simulated processor has constants', () => {
  // A literal list, so that a processor that disappears from the simulator fails here.
  const cpus = 'gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90c gfx90a gfx942 gfx1030 gfx1031 gfx1032 gfx1033 gfx1034';
  assert.equal(SIMULATED_CPUS, [...cpus.split(' '), 'gfx1035', 'gfx1036', 'gfx1100', 'gfx1101', 'gfx1102', 'gfx1103']);
  for (const cpu of SIMULATED_CPUS) {
    const found = numbers(timingConstants(simulatedTarget(cpu)));
    assert.ok(found.length > 30, cpu);
    // No number is negative, and only `slowResult` may be zero.
    for (const [name, value] of found)
      assert.ok(value > 0 || (name === 'slowResult' && value === 0), `${cpu}: ${name} is ${value}`);
  }
});

test('a compute unit holds what LLVM’s occupancy computation says', () => {
  // Waves on a SIMD with 128 VGPRs each, and half of the LDS for each workgroup.
  const waves = { gfx9: 2, gfx90a: 4, gfx942: 4, gfx103: 8, gfx110: 10 } as const;
  for (const cpu of SIMULATED_CPUS) {
    const target = simulatedTarget(cpu);
    const family = cpu === 'gfx90a' || cpu === 'gfx942' ? cpu : cpu.startsWith('gfx9') ? 'gfx9' : cpu.slice(0, 6);
    // Without Feature1_5xVGPRs.
    const expected = cpu === 'gfx1102' || cpu === 'gfx1103' ? 8 : waves[family as keyof typeof waves];
    const waveSize = target.defaultWaveSize;
    const simds = waveSize === 64 ? 4 : 2;
    assert.is(residentWorkgroups(target, resources({ vgprs: 128, waveSize })), expected * simds, cpu);
    assert.is(residentWorkgroups(target, resources({ ldsBytes: 32768, waveSize })), 2, cpu);
  }
});

test.run();
