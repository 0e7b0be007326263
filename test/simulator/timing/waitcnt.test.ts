import { SIMULATED_CPUS, simulatedTarget } from '../../../src/simulator/target.js';
import { NO_WAIT, waitOf, type WaitCounts } from '../../../src/simulator/timing/waitcnt.js';
import { assert, suite } from '../../support/suite.js';
import { program } from './traces.js';

const test = suite('simulator/timing/waitcnt', { tests: 2 });

/** LLVM's assembler packs the fields; we must find in them what was written. */
async function decoded(cpu: string, lines: readonly string[]): Promise<(WaitCounts | null)[]> {
  const { instructions } = await program(cpu, lines);
  return lines.map((_, at) => waitOf(instructions[at]!, simulatedTarget(cpu)));
}

test('every field of s_waitcnt on every processor', async () => {
  for (const cpu of SIMULATED_CPUS) {
    const lgkmMax = cpu.startsWith('gfx9') ? 15 : 63;
    const cases = [0, 1, 15, 16, 37, 63].flatMap((vector) =>
      [0, 1, 7, lgkmMax].flatMap((lgkm) => [0, 3, 7].map((exports) => ({ vector, lgkm, exports }))),
    );
    const lines = cases.map(
      ({ vector, lgkm, exports }) => `s_waitcnt vmcnt(${vector}) expcnt(${exports}) lgkmcnt(${lgkm})`,
    );
    const expected = cases.map(({ vector, lgkm, exports }) => ({
      vector: vector === 63 ? NO_WAIT : vector,
      scalarAndLds: lgkm === lgkmMax ? NO_WAIT : lgkm,
      exports: exports === 7 ? NO_WAIT : exports,
      stores: NO_WAIT,
    }));
    assert.equal(await decoded(cpu, lines), expected, cpu);
  }
});

test('the instructions with one counter each', async () => {
  const nothing = { vector: NO_WAIT, scalarAndLds: NO_WAIT, exports: NO_WAIT, stores: NO_WAIT };
  assert.equal(await decoded('gfx1030', ['s_waitcnt_vscnt null, 0x5']), [{ ...nothing, stores: 5 }]);
  assert.equal(await decoded('gfx1100', ['s_waitcnt_vscnt null, 0x0', 's_waitcnt_lgkmcnt null, 0x2']), [
    { ...nothing, stores: 0 },
    { ...nothing, scalarAndLds: 2 },
  ]);
  assert.equal(await decoded('gfx906', ['s_nop 0']), [null]);
});

test.run();
