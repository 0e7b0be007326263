/** The text of a plan: what is taken, what is refused, and what is only ignored. */
import fc from 'fast-check';
import { DarmError } from '../../src/errors.js';
import type { BlockId } from '../../src/ir/ids.js';
import { parsePlan, planText, type TunedPlan } from '../../src/job/tuned-plan.js';
import { assert, suite } from '../support/suite.js';

const test = suite('job/tuned-plan', { tests: 6 });

const PLAN: TunedPlan = {
  format: 'darm-plan',
  version: 2,
  target: 'gfx906',
  meldPoint: 'late',
  functions: [
    {
      name: 'k',
      reason: 'a [\n1, 2\n] in a text stays as it is',
      rounds: [
        { fingerprint: '0123456789abcdef', lowered: [3 as BlockId], melds: [], flattened: [] },
        {
          fingerprint: 'fedcba9876543210',
          lowered: [],
          melds: [
            {
              branch: 4 as BlockId,
              block: '%if',
              pairs: [
                [0, 1],
                [1, 2],
              ],
              ask: ['f', 't'],
              align: 'net',
              unpredicate: 'always',
              reason: '',
            },
          ],
          flattened: [5 as BlockId],
        },
      ],
      fingerprint: '0000000000000000',
      remarks: [{ block: '%a', reason: 'stays' }],
    },
  ],
};

const copy = (): Record<string, never> => JSON.parse(JSON.stringify(PLAN)) as Record<string, never>;

/** The plan with a value in another place of it. */
function changed(path: readonly (string | number)[], value: unknown): string {
  const plan = copy();
  let at: Record<string | number, never> = plan;
  for (const step of path.slice(0, -1)) at = at[step]!;
  (at as Record<string | number, unknown>)[path.at(-1)!] = value;
  return JSON.stringify(plan);
}

function refused(text: string): string {
  try {
    parsePlan(text);
  } catch (error) {
    if (error instanceof DarmError && error.code === 'bad-input') return error.message;
    throw error;
  }
  throw new Error(`taken: ${text.slice(0, 200)}`);
}

test('reads what it writes', () => {
  assert.equal(parsePlan(planText(PLAN)), PLAN);
  assert.match(planText(PLAN), /"pairs": \[\[0,1\],\[1,2\]\],\n/);
});

test('refuses texts that are no plans', () => {
  const text = planText(PLAN);
  for (let length = 0; length < text.length - 1; length += 7) refused(text.slice(0, length));
  for (const other of ['null', '[]', '{}', '"darm-plan"', '{"format":"darm-plan"'])
    assert.match(refused(other), /not a plan/);
  assert.match(refused(' '.repeat(5 * 2 ** 20)), /too long/);
});

test('another version is no mistake of the user: it does not fit', () => {
  for (const version of [0, 1, 3, '2', null, undefined, { version: 2 }]) {
    const plan = parsePlan(changed(['version'], version));
    assert.ok('misfit' in plan && plan.misfit.includes('version'));
  }
  const deep = `{"format":"darm-plan","version":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  assert.equal(parsePlan(deep), { misfit: 'it has no version number, this darm reads 2' });
});

test('refuses members of another form, and says where', () => {
  const meld = ['functions', 0, 'rounds', 1, 'melds', 0];
  for (const [path, value] of [
    [['meldPoint'], 'auto'],
    [['more'], 1],
    [['functions'], {}],
    [['functions', 0, '__proto__x'], 1],
    [['functions', 0, 'fingerprint'], '0123'],
    [
      ['functions', 0, 'rounds', 0, 'lowered'],
      [1, 1],
    ],
    [['functions', 0, 'rounds', 1, 'lowered'], [1]],
    [[...meld, 'branch'], -1],
    [[...meld, 'branch'], 1.5],
    [[...meld, 'branch'], '4'],
    [[...meld, 'pairs'], []],
    [[...meld, 'pairs'], [[0, 1, 2]]],
    [
      [...meld, 'pairs'],
      [
        [1, 1],
        [0, 2],
      ],
    ],
    [
      [...meld, 'pairs'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      [...meld, 'ask'],
      ['t', 't'],
    ],
    [[...meld, 'ask'], ['x']],
    [[...meld, 'align'], 'size'],
    [[...meld, 'unpredicate'], null],
    [[...meld, 'reason'], undefined],
  ] as const)
    // prettier-ignore
    assert.match(refused(changed(path, value)), / must | unknown /, JSON.stringify([path, value]));
  const text = planText(PLAN);
  assert.match(refused(text.replace('"target"', '"__proto__": {}, "target"')), /unknown member "__proto__"/);
});

test('refuses what is named twice', () => {
  const { functions } = copy() as unknown as { functions: { rounds: { melds: unknown[] }[] }[] };
  assert.match(refused(changed(['functions'], [...functions, ...functions])), /twice/);
  const { melds } = functions[0]!.rounds[1]!;
  assert.match(refused(changed(['functions', 0, 'rounds', 1, 'melds'], [...melds, ...melds])), /twice/);
});

test('any other text is refused or read, and never anything else', () => {
  const text = planText(PLAN);
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(30), fc.string(), (at, length, by) => {
      try {
        parsePlan(text.slice(0, at) + by + text.slice(at + length));
      } catch (error) {
        assert.ok(error instanceof DarmError && error.code === 'bad-input');
      }
    }),
    { numRuns: 2000, seed: 1 },
  );
});

test.run();
