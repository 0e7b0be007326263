import * as assert from 'uvu/assert';
import { NO_WAIT, waitOf, type WaitCounts } from '../../../src/simulator/timing/waitcnt.js';
import { simulatedTarget } from '../../../src/simulator/target.js';
import { suite } from '../../support/suite.js';
import { program } from './traces.js';

const test = suite('simulator/timing/waitcnt', { tests: 2 });

/** LLVM's assembler packs the fields; we must find in them what was written. */
async function decoded(cpu: string, line: string): Promise<WaitCounts | null> {
  const { instructions } = await program(cpu, [line]);
  return waitOf(instructions[0]!, simulatedTarget(cpu));
}

test('every field of s_waitcnt in every instruction set', async () => {
  for (const [cpu, lgkmMax] of [
    ['gfx906', 15],
    ['gfx1030', 63],
    ['gfx1100', 63],
  ] as const)
    for (const vector of [0, 1, 15, 16, 37, 63])
      for (const lgkm of [0, 1, 7, lgkmMax])
        for (const exports of [0, 3, 7])
          assert.equal(
            await decoded(cpu, `s_waitcnt vmcnt(${vector}) expcnt(${exports}) lgkmcnt(${lgkm})`),
            {
              vector: vector === 63 ? NO_WAIT : vector,
              scalarAndLds: lgkm === lgkmMax ? NO_WAIT : lgkm,
              exports: exports === 7 ? NO_WAIT : exports,
              stores: NO_WAIT,
            },
            cpu,
          );
});

test('the instructions with one counter each', async () => {
  const nothing = { vector: NO_WAIT, scalarAndLds: NO_WAIT, exports: NO_WAIT, stores: NO_WAIT };
  assert.equal(await decoded('gfx1030', 's_waitcnt_vscnt null, 0x5'), { ...nothing, stores: 5 });
  assert.equal(await decoded('gfx1100', 's_waitcnt_vscnt null, 0x0'), { ...nothing, stores: 0 });
  assert.equal(await decoded('gfx1100', 's_waitcnt_lgkmcnt null, 0x2'), { ...nothing, scalarAndLds: 2 });
  assert.is(await decoded('gfx906', 's_nop 0'), null);
});

test.run();
