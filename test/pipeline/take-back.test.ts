/**
 * Which melds are taken back when code generation fails: found by trying, with an emitter that fails as the test says.
 */
import { DarmError } from '../../src/errors.js';
import type { EditLog } from '../../src/job/edit-log.js';
import type { CompileResult } from '../../src/job/results.js';
import { mayComeFromMelds } from '../../src/job/meld-faults.js';
import { emitWithoutFaults } from '../../src/pipeline/take-back.js';
import { editLog, REMARKS } from '../support/edit-log.js';
import { SILENT } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/take-back', { tests: 5 });

const failed = (): DarmError => new DarmError('compile-failed', 'ran out of registers');

/** Emits with logs, and fails where `fails` says so of the functions that have edits. Returns what was emitted last. */
async function emitted(logs: readonly EditLog[], fails: (melded: readonly string[]) => boolean) {
  let last: readonly EditLog[] = [];
  const tried: string[] = [];
  const said: string[] = [];
  await emitWithoutFaults({
    logs,
    emitWith: async (some) => {
      last = some;
      const melded = some.flatMap(({ function: name, rounds }) => (rounds.length > 0 ? [name] : []));
      tried.push([...melded].sort().join(''));
      if (fails(melded)) throw failed();
      return {} as CompileResult;
    },
    isFault: mayComeFromMelds,
    events: { ...SILENT, diagnostic: (line) => void said.push(line) },
  });
  const kept = last.flatMap(({ function: name, rounds }) => (rounds.length > 0 ? [name] : [])).join('');
  return { kept, last, tried, said };
}

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name, position) => editLog(name, position));

test('functions at fault lose their melds, and no others', async () => {
  const { kept, last, said } = await emitted(FIVE, (melded) => melded.includes('b') || melded.includes('e'));
  assert.is(kept, 'acd');
  assert.is(last.length, 5);
  const b = last.find((each) => each.function === 'b')!;
  assert.match(b.bailout!, 'ran out of registers');
  assert.equal([b.isInPlace, b.lastRemarks], [false, REMARKS]);
  assert.equal(said.length, 2);
  assert.match(said[0]!, "'b' goes out as it came in");
});

test('the order of the logs does not matter', async () => {
  const fails = (melded: readonly string[]): boolean => melded.includes('c') || melded.length > 4;
  const inOrder = await emitted(FIVE, fails);
  const reversed = await emitted([...FIVE].reverse(), fails);
  assert.equal(reversed.tried, inOrder.tried);
  assert.equal([...reversed.kept].reverse().join(''), inOrder.kept);
});

test('what fails together only is taken back as a whole', async () => {
  const { kept, last } = await emitted(FIVE, (melded) => melded.length > 2);
  assert.is(kept, '');
  assert.ok(last.every(({ bailout }) => bailout !== null));
});

test('a module that fails without melds, too, fails with that error', async () => {
  let error: unknown;
  await emitted(FIVE, () => true).catch((caught: unknown) => (error = caught));
  assert.ok(error instanceof DarmError && error.code === 'compile-failed');
});

test('functions without melds are left as they are; only errors that melds may cause are looked into', async () => {
  const { last } = await emitted([editLog('a', 0), editLog('b', 1, 0)], (melded) => melded.includes('a'));
  assert.equal(last.map(({ bailout }) => bailout === null), [false, true]); // prettier-ignore
  for (const code of ['bad-input', 'bad-target', 'usage', 'aborted', 'timeout', 'io'] as const)
    assert.not(mayComeFromMelds(new DarmError(code, '')));
  for (const code of ['compile-failed', 'link-failed', 'out-of-memory', 'internal'] as const)
    assert.ok(mayComeFromMelds(new DarmError(code, '')));
});

test.run();
