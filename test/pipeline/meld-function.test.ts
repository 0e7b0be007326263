/** Melds that do not pay by themselves: made with what melds behind them, or taken back without a trace. */
import { LlvmModule } from '../../src/binding/module.js';
import { DarmError } from '../../src/errors.js';
import type { EditLog } from '../../src/job/edit-log.js';
import type { JobOptions } from '../../src/job/options.js';
import { createCompiler } from '../../src/index.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { replayLog } from '../../src/pipeline/carry-out.js';
import { Compilation } from '../../src/pipeline/compilation.js';
import { compileMelded, meldFunctions } from '../../src/pipeline/compile.js';
import { takeOut, tryPolicy } from '../../src/pipeline/trial.js';
import { Stopwatch } from '../../src/pipeline/stopwatch.js';
import { surveyFunction } from '../../src/pipeline/survey.js';
import { corpusModule } from '../../kernels/corpus/index.js';
import { nestedDivisions } from '../support/doubtful.js';
import { artifact, compile, runtime, SILENT, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/meld-function', { tests: 10 });

const OPTIONS = { emit: ['bc'], remarks: true } as const;
const FEW = nestedDivisions(0);
const MANY = nestedDivisions(400);

const bytesOf = (ir: string): Uint8Array => new TextEncoder().encode(ir);

async function logOf(code: string | Uint8Array, options: Partial<JobOptions> = {}): Promise<EditLog> {
  const bytes = typeof code === 'string' ? bytesOf(code) : code;
  return meldFunctions(await runtime(), bytes, withDefaults({ ...OPTIONS, ...options }), {}, SILENT)[0]!;
}

test('what does not pay by itself is made for what melds behind it', async () => {
  const { functions, remarks } = await compile(FEW, OPTIONS);
  assert.equal(
    functions[0]!.melds.map(({ kind }) => kind),
    ['block-block', 'block-block'],
  );
  const passed = remarks.flatMap((each) => (each.kind === 'passed' ? [each] : []));
  assert.equal(
    passed.map(({ branch, round }) => [branch, round]),
    [
      ['%held', 1],
      ['%entry', 2],
    ],
  );
  assert.match(passed[0]!.reason, /not pay by itself/);
  // What only waves save that part, and they are few, does not count.
  assert.is(passed[0]!.net, 0);
});

/** Four ways for the largest of four sums: melding goes from the last branch to the first one. */
const QUATERNION = corpusModule('geometry', 'gfx1100');
const ONE = { functions: ['matrix_to_quaternion'] } as const;

const asked = ({ rounds }: EditLog): number => rounds.reduce((sum, { versions }) => sum + versions.length, 0);

test('waves are not asked where melding comes further without questions', async () => {
  const log = await logOf(QUATERNION, ONE);
  assert.equal([log.rounds.length, asked(log)], [3, 0]);
  // By its own branch, the last meld pays only with a question.
  const options = withDefaults({ ...OPTIONS, ...ONE });
  const module = new Compilation(await runtime(), QUATERNION, options, SILENT).readAtMeldPoint();
  replayLog(module, { ...log, rounds: log.rounds.slice(0, 2) }, new Stopwatch());
  const { plan, editor } = surveyFunction(module, log.function, options, null, { mayTry: true });
  editor[Symbol.dispose]();
  assert.is(plan.versions.length, 1);
});

test('what one round decides stays as it is, and reports and remarks say what was done', async () => {
  const one = await logOf(corpusModule('llm', 'gfx1100'), { functions: ['ctc_prefixes'] });
  assert.equal([one.rounds.length, asked(one)], [1, 1]);
  const { rounds, history } = await logOf(QUATERNION, { ...ONE, report: true });
  const last = [rounds.at(-1)!.remarks!.candidates, history!.steps.at(-1)!.before.candidates];
  for (const candidates of last) {
    assert.ok(candidates.some(({ reason }) => reason === 'profitable'));
    for (const { reason } of candidates) assert.not.match(reason, /waves that part/);
  }
});

test('the trace of `darm tune` is of what is done, not of what was planned before', async () => {
  const options = withDefaults({ ...OPTIONS, emit: ['hsaco'] });
  const [kernel] = ONE.functions;
  const { bitcode } = takeOut(await runtime(), QUATERNION, options, [kernel]);
  const policy = { branches: {}, others: 'model', switches: 'model' } as const;
  const { trace } = tryPolicy(await runtime(), bitcode, options, { kernel, policy, known: [] });
  assert.is(trace.rounds.length, 3);
  for (const { melds } of trace.rounds)
    for (const { ask, reason } of melds) assert.equal([ask, /waves that part/.test(reason)], [[], false]);
  for (const { way, reason } of trace.branches)
    assert.equal([way?.sides ?? [], /waves that part/.test(reason)], [[], false]);
});

test('a single round, the paper, its baselines, code size and questions everywhere leave nothing to try', async () => {
  for (const options of [
    { once: true },
    { profit: 'paper' },
    { meld: 'branch-fusion' },
    { profit: 'size' },
    { versions: 'always' },
  ] as const) {
    const { rounds, lastRemarks } = await logOf(FEW, options);
    for (const remarks of [...rounds.map((round) => round.remarks), lastRemarks])
      for (const { reason } of remarks!.candidates) assert.not.match(reason, /by itself/);
  }
  assert.equal((await logOf(FEW, { once: true })).rounds, []);
});

test('rule 9 holds here, too, and the remarks of other branches stay as they are', async () => {
  const links = Array.from({ length: 150 }, (_, n) => `  %y${n} = zext i32 %z${n} to i64\n  %z${n + 1} = trunc i64 %y${n} to i32\n`); // prettier-ignore
  const chain = `  %z0 = add i32 %k, 0\n${links.join('')}`;
  const inner = FEW.replace('  %late =', `${chain}  %late =`)
    .replace('  %d0 =', '  %dz = add i32 %z150, 2\n  %d0 =')
    .replace('  %a =', '  %az = add i32 %z150, 1\n  %a =')
    .replace('decay ]\n', 'decay ]\n  %hz = phi i32 [ %az, %attack ], [ %dz, %decay ]\n  store i32 %hz, ptr addrspace(1) %kind\n'); // prettier-ignore
  assert.equal((await logOf(inner)).rounds, []);

  const beside = FEW.replace(
    '  %late =',
    `${chain}  %odd = trunc i32 %id to i1
  br i1 %odd, label %p, label %q
p:
  %p1 = mul i32 %z150, %k
  %p2 = mul i32 %p1, %id
  br label %both
q:
  %q1 = mul i32 %z150, 9
  %q2 = mul i32 %q1, %id
  br label %both
both:
  %pq = phi i32 [ %p2, %p ], [ %q2, %q ]
  store i32 %pq, ptr addrspace(1) %kind
  %late =`,
  ).replaceAll('%entry ]', '%both ]');
  const { rounds } = await logOf(beside);
  assert.equal(
    rounds[0]!.remarks!.candidates.map(({ branch, kind, rule }) => [branch, kind, rule]),
    [
      ['%entry', 'missed', '9'],
      ['%both', 'missed', '7'],
      ['%held', 'passed', null],
    ],
  );
});

test('it computes the same', async () => {
  await using compiler = createCompiler({ threads: 0 });
  const floats = { buffer: 'f32', length: 256 };
  const args = [
    { ...floats, out: true },
    { ...floats, fill: { random: 1, min: 0, max: 1 } },
    { ...floats, fill: { random: 2, min: 0, max: 1 } },
    { buffer: 'i32', length: 256, fill: { random: 3, min: 5, max: 9 } },
  ];
  const spec = parseSpec(JSON.stringify({ kernel: 'envelope', grid: [1], block: [256], args }), () => new Uint8Array());
  const [melded, plain] = await Promise.all(
    (['darm', 'off'] as const).map(async (meld) => {
      const { artifacts } = await compiler.compile(FEW, { emit: ['hsaco'], meld });
      return (await compiler.simulate(artifacts[0]!.bytes, spec)).buffers;
    }),
  );
  assert.equal(melded, plain);
  assert.ok(new Set(new Float32Array(plain![0]!.bytes.buffer)).size > 200);
});

test('where too little is gained, the function goes out as it came in, and the remarks are the first ones', async () => {
  const log = await logOf(MANY);
  assert.equal([log.rounds.length, log.isInPlace, log.bailout], [0, true, null]);
  assert.not.ok(log.lastRemarks!.candidates.some(({ reason }) => /by itself/.test(reason)));
  const [on, off] = [await compile(MANY, OPTIONS), await compile(MANY, { ...OPTIONS, meld: 'off' })];
  assert.equal(artifact(on, 'bc'), artifact(off, 'bc'));
  const { histories } = await compile(MANY, { ...OPTIONS, report: true });
  assert.equal(
    [histories[0]!.steps.length, histories[0]!.after.candidates.map(({ verdict }) => verdict)],
    [0, ['refuse', 'refuse']],
  );
});

test('the log and the report say what was done', async () => {
  const job = withDefaults({ ...OPTIONS, report: true });
  const log = await logOf(FEW, { report: true });
  const replayed = compileMelded(await runtime(), bytesOf(FEW), job, structuredClone([log]), SILENT);
  const inPlace = await compile(FEW, job);
  assert.equal(artifact(replayed, 'bc'), artifact(inPlace, 'bc'));
  const { steps } = log.history!;
  assert.equal(
    steps.map(({ before }) => before.candidates.filter(({ verdict }) => verdict === 'meld').length),
    [1, 1],
  );
});

test('a failure behind such a meld leaves nothing of it', async () => {
  const { verify } = LlvmModule.prototype;
  let asked = 0;
  LlvmModule.prototype.verify = function (this: LlvmModule, name: string): void {
    if (++asked === 2) throw new DarmError('internal', 'refused by the test');
    verify.call(this, name);
  };
  try {
    const { rounds, bailout } = await logOf(FEW);
    assert.equal([rounds.length, bailout], [0, 'refused by the test']);
  } finally {
    LlvmModule.prototype.verify = verify;
  }
});

test.run();
