/** Whose fault it is that one of two code objects cannot be executed. */
import { checkLaunch, type LaunchQuestion } from '../../src/compiler/check-launch.js';
import { DarmError, type ErrorCode } from '../../src/errors.js';
import type { SimulationResult } from '../../src/simulator/run.js';
import { assert, suite } from '../support/suite.js';

const test = suite('compiler/check-launch', { tests: 2 });

const NOTHING: SimulationResult = { launches: [], buffers: [], variables: [] };

/** Asks about two code objects, of which the second cannot be executed. */
function check(code: ErrorCode, madeUp: boolean): Promise<string | null> {
  const [before, after] = [new Uint8Array(1), new Uint8Array(2)];
  const spec = { buffers: [], launches: [] };
  const question: LaunchQuestion = { before, after, spec, options: { maxInstructions: 1 }, tolerance: {}, madeUp };
  const simulate = async (executed: Uint8Array): Promise<SimulationResult> => {
    if (executed === before) return NOTHING;
    throw new DarmError(code, 'why');
  };
  return checkLaunch({ simulate }, question).then(({ failure }) => failure);
}

test('what the code object does wrong is its failure', async () => {
  for (const madeUp of [false, true]) assert.is(await check('simulation-failed', madeUp), 'why');
});

test('what the machine lacks is not', async () => {
  for (const code of ['timeout', 'io', 'out-of-memory', 'aborted'] as const)
    for (const madeUp of [false, true])
      assert.is(await check(code, madeUp).catch((error: DarmError) => error.code), code);
});

test.run();
