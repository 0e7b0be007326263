/** Compiling by a plan: it is followed to the letter, or ignored with a warning. It never makes a meld of its own. */
import fc from 'fast-check';
import { DarmError } from '../../src/errors.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../../src/job/options.js';
import { planText, type TunedFunction, type TunedMeld, type TunedPlan } from '../../src/job/tuned-plan.js';
import type { BlockId } from '../../src/ir/ids.js';
import { NO_EVENTS } from '../../src/job/events.js';
import { Compilation, inFreshHeap } from '../../src/pipeline/compilation.js';
import { meldFunctions, meldInPlace } from '../../src/pipeline/compile.js';
import { PolicyGuide } from '../../src/pipeline/policy.js';
import { settle } from '../../src/pipeline/settle.js';
import { nestedDivisions } from '../support/doubtful.js';
import { kernel, SILENT, text } from '../support/llvm.js';
import { runtime, compile } from '../support/llvm.js';
import { randomPlan } from '../fuzz/random-plan.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/plan', { tests: 11, timeoutMs: 120_000 });

const OPTIONS: JobOptions = { ...DEFAULT_OPTIONS, emit: ['ll'] };
const NAME = 'srad_16x16';

const srad = (): Promise<Uint8Array> => kernel('srad.gfx906.O3');

async function plans(): Promise<TunedPlan> {
  return JSON.parse(randomPlan(await runtime(), await srad(), OPTIONS)) as TunedPlan;
}

/** What comes of a plan: the module, and the warnings. */
async function by(
  plan: TunedPlan | string,
  input?: Uint8Array | string,
  more: Partial<JobOptions> = {},
): Promise<{ ir: string; warnings: readonly string[] }> {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : (input ?? (await srad()));
  const given = { ...OPTIONS, ...more, plan: typeof plan === 'string' ? plan : planText(plan) };
  const { options, warnings } = settle(await runtime(), bytes, given);
  const { artifacts, diagnostics } = await compile(bytes, options);
  return { ir: text(artifacts[0]!.bytes), warnings: [...warnings, ...diagnostics] };
}

const unplanned = async (input?: Uint8Array | string, more: Partial<JobOptions> = {}): Promise<string> =>
  text((await compile(input ?? (await srad()), { ...OPTIONS, ...more })).artifacts[0]!.bytes);

/** The plan with one function, changed. */
function withFunction(plan: TunedPlan, change: (fn: TunedFunction) => TunedFunction): TunedPlan {
  return { ...plan, functions: plan.functions.filter(({ name }) => name === NAME).map(change) };
}

const withMeld = (plan: TunedPlan, round: number, change: Partial<TunedMeld>): TunedPlan =>
  withFunction(plan, (fn) => ({
    ...fn,
    rounds: fn.rounds.map((each, k) =>
      k === round ? { ...each, melds: [{ ...each.melds[0]!, ...change }, ...each.melds.slice(1)] } : each,
    ),
  }));

test.long('a plan that fits is followed, and nothing else melds', async () => {
  const plan = await plans();
  const { ir, warnings } = await by(plan);
  assert.equal(warnings, []);
  assert.is.not(ir, await unplanned());
  const options = { ...OPTIONS, plan: planText(plan) };
  const logs = meldFunctions(await runtime(), await srad(), options, { except: [] }, SILENT);
  for (const { function: name, rounds } of logs) {
    const planned = plan.functions.find((fn) => fn.name === name)!.rounds;
    assert.equal(rounds.map(({ fingerprint }) => fingerprint), planned.map(({ fingerprint }) => fingerprint)); // prettier-ignore
    assert.equal(
      rounds.map(({ melds }) => new Set(melds.map(({ branch }) => branch))),
      planned.map(({ melds }) => new Set(melds.map(({ branch }) => branch))),
    );
  }
});

test('a plan without melds leaves the functions that it names, and others meld as ever', async () => {
  const [{ fingerprint }] = meldFunctions(await runtime(), await srad(), OPTIONS, { only: [NAME] }, SILENT).flatMap(({ rounds }) => rounds); // prettier-ignore
  const plan = withFunction(await plans(), (fn) => ({ ...fn, rounds: [], fingerprint: fingerprint! }));
  const { ir, warnings } = await by(plan);
  assert.equal(warnings, []);
  const other = text((await compile(await srad(), { ...OPTIONS, functions: ['srad_32x32'] })).artifacts[0]!.bytes);
  assert.is(ir, other);
});

test.long('a changed function, another processor, another version: ignored with a warning', async () => {
  const plan = await plans();
  const before = text((await compile(await srad(), { ...OPTIONS, meld: 'off' })).artifacts[0]!.bytes);
  const after = before.replaceAll('fmul', 'fadd');
  const changed = await by(plan, after);
  assert.is(changed.ir, await unplanned(after));
  assert.is(changed.warnings.length, plan.functions.length);
  assert.match(changed.warnings[0]!, /the plan for 'srad_\d+x\d+' is ignored: the function has changed/);

  for (const [bad, why] of [
    [{ ...plan, target: 'gfx90a' }, /it is for gfx90a, the module for gfx906/],
    [{ ...plan, version: 1 } as unknown as TunedPlan, /version 1/],
    [{ ...plan, meldPoint: 'early' as const }, /optimisation level/],
    [{ ...plan, functions: plan.functions.map((fn) => ({ ...fn, name: `${fn.name}_` })) }, /other functions/],
    [{ ...plan, functions: [] }, /other functions/],
  ] as const) {
    const { ir, warnings } = await by(bad);
    assert.is(warnings.length, 1);
    assert.match(warnings[0]!, why);
    assert.is(ir, await unplanned());
  }
});

test('the plan of one function does not fit another', async () => {
  const plan = await plans();
  const [a, b] = plan.functions;
  const { ir, warnings } = await by({
    ...plan,
    functions: [
      { ...a!, name: b!.name },
      { ...b!, name: a!.name },
    ],
  });
  assert.is(warnings.length, 2);
  assert.is(ir, await unplanned());
});

test('an edited plan is ignored as a whole, also when the function has changed already', async () => {
  const plan = await plans();
  const { rounds } = plan.functions.find(({ name }) => name === NAME)!;
  assert.ok(rounds.length >= 2, 'the plan has several rounds');
  const last = rounds.length - 1;
  const edits: TunedPlan[] = [
    withMeld(plan, 0, { branch: 0xffff as TunedMeld['branch'] }),
    withMeld(plan, last, { pairs: [[7, 9]] }),
    withMeld(plan, last, { pairs: [[1e300, 1e300]] }),
    withFunction(plan, (fn) => ({ ...fn, rounds: fn.rounds.slice(1) })),
    withFunction(plan, (fn) => ({ ...fn, rounds: fn.rounds.slice(0, -1) })),
    withFunction(plan, (fn) => ({ ...fn, rounds: [...fn.rounds, fn.rounds[last]!] })),
    withFunction(plan, (fn) => ({ ...fn, rounds: fn.rounds.toReversed() })),
    withFunction(plan, (fn) => ({ ...fn, fingerprint: '0123456789abcdef' })),
    withFunction(plan, (fn) => ({
      ...fn,
      rounds: [
        { fingerprint: fn.rounds[0]!.fingerprint, lowered: [3 as TunedMeld['branch']], melds: [], flattened: [] },
      ],
    })),
  ];
  const expected = await unplanned();
  for (const [k, edited] of edits.entries()) {
    const { ir, warnings } = await by(edited);
    assert.is(warnings.length, 1, `edit ${k}: ${warnings.join()}`);
    assert.match(warnings[0]!, /^the plan for 'srad_16x16' is ignored: /);
    assert.is(ir, expected, `edit ${k}`);
  }
});

test.long('whatever numbers a plan holds, it is followed or ignored', async () => {
  const plan = withFunction(await plans(), (fn) => fn);
  const expected = await unplanned();
  const planned = (await by(plan)).ir;
  assert.is.not(planned, expected);
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(60), async (at, number) => {
      const numbers = [...planText(plan).matchAll(/\d+/g)];
      const { index, 0: old } = numbers[at % numbers.length]!;
      const whole = planText(plan);
      const edited = whole.slice(0, index) + String(number) + whole.slice(index + old.length);
      try {
        const { ir, warnings } = await by(edited);
        assert.is(ir, warnings.length > 0 ? expected : planned);
      } catch (error) {
        assert.ok(error instanceof DarmError && error.code === 'bad-input', String(error));
      }
    }),
    { numRuns: 25, seed: 3 },
  );
});

test('a plan holds for the meld point that it was made for', async () => {
  const input = await kernel('dct.gfx906.early');
  const options: JobOptions = { ...OPTIONS, optimize: 'O3', meldPoint: 'early' };
  const plan = randomPlan(await runtime(), input, options);
  const { ir, warnings } = await by(plan, input, { optimize: 'O3' });
  assert.equal(warnings, []);
  assert.is(ir, (await by(plan, input, { optimize: 'O3', meldPoint: 'early' })).ir);
  assert.is.not(ir, await unplanned(input, { optimize: 'O3' }));
});

test('the meld point may be left to the model', async () => {
  const input = await kernel('dct.gfx906.early');
  const rt = await runtime();
  const pointWith = (more: Partial<JobOptions>) =>
    settle(rt, input, { ...OPTIONS, meldPoint: 'auto', ...more }).options.meldPoint;
  assert.is(pointWith({}), 'late');
  assert.is(pointWith({ optimize: 'O3', meld: 'off' }), 'late');
  assert.ok(['early', 'late'].includes(pointWith({ optimize: 'O3' })));
});

/** What the cost model decides, as a plan. */
async function planOfModel(input: Uint8Array): Promise<TunedPlan> {
  let target = '';
  const guides: PolicyGuide[] = [];
  const llvm = await runtime();
  const logs = inFreshHeap(llvm, () => {
    const compilation = new Compilation(llvm, input, OPTIONS, NO_EVENTS, {
      guides: (module, name) => {
        target = module.cpu;
        guides.push(new PolicyGuide(module, name, () => 'model', 'model'));
        return guides.at(-1)!;
      },
    });
    return meldInPlace(compilation).logs;
  });
  const functions = logs.map(({ function: name, rounds }, k) => {
    const { rounds: tuned, fingerprint } = guides[k]!.trace(rounds.length);
    return { name, reason: '', rounds: tuned, fingerprint, remarks: [] };
  });
  return { format: 'darm-plan', version: 2, target, meldPoint: 'late', functions };
}

test('melds that do not pay by themselves: followed, too', async () => {
  const ir = new TextEncoder().encode(nestedDivisions(0));
  const plan = await planOfModel(ir);
  assert.equal(
    plan.functions[0]!.rounds.map(({ melds }) => melds.map(({ block, align }) => [block, align])),
    [[['%held', 'paper']], [['%entry', 'net']]],
  );
  assert.equal(await by(plan, ir), { ir: await unplanned(ir), warnings: [] });
});

test('sides are hoisted where doubtful melds did not pay: followed, too', async () => {
  const input = await kernel('nqu.gfx906.O3');
  const plan = await planOfModel(input);
  assert.ok(plan.functions.some(({ rounds }) => rounds.length > 0));
  assert.equal(await by(plan, input), { ir: await unplanned(input), warnings: [] });
});

test('selects in place of two branches, the second of which gains more: followed, too', async () => {
  const steps = (count: number): string =>
    Array.from(
      { length: count },
      (_, k) => `
  %c${count}${k} = icmp slt i32 %v, ${k * 9}
  br i1 %c${count}${k}, label %t${count}${k}, label %f${count}${k}
t${count}${k}:
  %x${count}${k} = add i32 %a${count}, ${k}
  br label %j${count}
f${count}${k}:`,
    ).join('');
  const phi = (count: number): string =>
    Array.from({ length: count }, (_, k) => `[ %x${count}${k}, %t${count}${k} ]`).join(', ');
  const ir = new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, i32 %n) "target-cpu"="gfx906" {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %v = load i32, ptr addrspace(1) %at
  br label %loop
loop:
  %a2 = phi i32 [ %v, %entry ], [ %next, %j3 ]
  %i = phi i32 [ 0, %entry ], [ %i1, %j3 ]${steps(2)}
  br label %j2
j2:
  %a3 = phi i32 ${phi(2)}, [ %a2, %f21 ]${steps(3)}
  br label %j3
j3:
  %next = phi i32 ${phi(3)}, [ %a3, %f32 ]
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %next, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()`);
  const plan = await planOfModel(ir);
  assert.equal(
    plan.functions[0]!.rounds.map(({ flattened, melds }) => [flattened.length, melds.length]),
    [[2, 0]],
  );
  assert.equal(await by(plan, ir), { ir: await unplanned(ir), warnings: [] });
  const fewer = withFlattened(plan, (roots) => roots.slice(1));
  const more = withFlattened(plan, (roots) => [...roots, 0 as BlockId, 99999 as BlockId]);
  for (const edited of [fewer, more]) {
    const { ir: text_, warnings } = await by(edited, ir);
    assert.match(warnings.join(), /the plan for 'k' is ignored/);
    assert.is(text_, await unplanned(ir));
  }
});

const withFlattened = (plan: TunedPlan, change: (roots: readonly BlockId[]) => readonly BlockId[]): TunedPlan => ({
  ...plan,
  functions: plan.functions.map((fn) => ({
    ...fn,
    rounds: fn.rounds.map((round) => ({ ...round, flattened: change(round.flattened) })),
  })),
});

test.run();
