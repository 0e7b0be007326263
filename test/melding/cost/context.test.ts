/** How much of the time a unit is taken to be busy, what the memory unit hides, and the hidden class of contexts. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { planningContext } from '../../../src/melding/cost/context.js';
import { accessesOf, hiddenWaits } from '../../../src/melding/cost/memory-time.js';
import { evaluate } from '../../../src/melding/draft/evaluate.js';
import { PairTable } from '../../../src/melding/draft/pair-facts.js';
import { Draft } from '../../../src/melding/draft/draft.js';
import { diamondFrame } from '../../support/diamond-frame.js';
import { haveOneHiddenClass } from '../../support/hidden-class.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/context', { tests: 4 });

/** Of a function that computes much of a word in LDS. @param given about the function */
function busyShare(given: string, pointer = '@words', more = ''): number {
  const { f } = snapshot(`func @k ${given}
    arg %n i32 never
    arg %ok i1 never
    ${pointer === '%given' ? 'arg %given ptr3' : ''}
    entry:
      %m0 = load ${pointer} !as=3
      ${Array.from({ length: 200 }, (_, n) => `%m${n + 1} = mul %m${n} %n`).join('\n')}
      ${more}
      ret %m200`);
  return planningContext(f, analysesOf(f), DARM, () => true).busyShare();
}

test('few waves are resident where LDS holds a word of each thread, or nobody knows', () => {
  for (const [target, wave] of [
    ['gfx906', 64],
    ['gfx1100', 32],
  ] as const) {
    const share = (bytes: number, pointer?: string, more?: string): number =>
      busyShare(`cpu=${target} wave=${wave} lds=${bytes}`, pointer, more);
    const [exchanged, data] = [share(4 * wave - 4), share(4 * wave)];
    assert.ok(exchanged > data);
    assert.is(share(4), exchanged);
    assert.is(share(Infinity), data);
    const ofSmallGroups = (bytes: number): number => busyShare(`cpu=${target} wave=${wave} most=16 lds=${bytes}`);
    assert.ok(ofSmallGroups(60) > ofSmallGroups(64));
    assert.is(ofSmallGroups(64), data);
    assert.is(share(0), data);
    assert.is(share(4, '%given'), data);
    const call = 'call @f %n';
    assert.is(share(4, '@words', call), share(Infinity, '@words', call));
    // Nobody waits for what is called to tell of a failure.
    const check = (told: string): string => `br %ok end failed\nfailed:\n${told}\nunreachable\nend:`;
    assert.is(share(4, '@words', check(call)), share(4, '@words', check('')));
  }
});

test('work hides behind the memory unit where that takes longer', () => {
  const hidden = (cpu: string, wave: number, work: number): number => {
    const { f } = snapshot(`func kernel cpu=${cpu} wave=${wave}
      arg %p ptr1
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %far = mul %tid 16
        %at = gep %p %far
        %m0 = load %at !as=1
        ${Array.from({ length: work }, (_, n) => `%m${n + 1} = add %m${n} %tid`).join('\n')}
        ret %m${work}`);
    return planningContext(f, analysesOf(f), DARM, () => true).hiddenByMemory();
  };
  for (const [cpu, wave] of [
    ['gfx906', 64],
    ['gfx1100', 32],
  ] as const) {
    assert.ok(hidden(cpu, wave, 1) > hidden(cpu, wave, 5));
    assert.ok(hidden(cpu, wave, 5) > 0);
    assert.is(hidden(cpu, wave, 500), 0);
  }
  assert.is(hidden('sm_90', 32, 1), 0);
});

test('a wave that is alone waits for its arguments, and less long for a scalar load than for another one', () => {
  const waits = (head: string, load: string, cpu = 'gfx906'): number => {
    const { f } = snapshot(`func @k ${head} cpu=${cpu} wave=64
      ${head.includes('-Kernel') || load.includes('%p') ? 'arg %p ptr1' : ''}
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        ${load.includes('%far') ? '%far = gep %p %tid' : ''}
        ${load}
        ret`);
    const ctx = planningContext(f, analysesOf(f), DARM, () => true);
    return hiddenWaits(accessesOf(ctx), () => 1);
  };
  assert.is(waits('-Kernel', '%x = load %p !as=1'), 0.75 * 200);
  assert.is(waits('-Kernel', '%x = load %far !as=1 '), 0.75 * 320);
  // What may also write does not become a scalar load.
  assert.is(waits('-Kernel', '%x = load %p !as=1 !+MayWriteMemory'), 0.75 * 320);
  assert.is(waits('-Kernel', '%x = load %p !as=3'), 0.25 * 64);
  assert.is(waits('+Kernel', '%x = load %p !as=1'), 200 + 0.75 * 200);
  assert.is(waits('+Kernel', '%x = load @g !as=1'), 0.75 * 200);
  // On NVIDIA's processors arguments are operands.
  assert.is(waits('+Kernel', '%x = load %p !as=3', 'sm_90'), waits('-Kernel', '%x = load %p !as=3', 'sm_90'));
});

test('what the planner reads most has one hidden class', () => {
  const frames = [3, 4, 5].map((work) => {
    const side = (name: string): string =>
      `${name}:\n${Array.from({ length: work }, (_, n) => `%${name}${n} = mul %x ${n + 3}`).join('\n')}\nbr join`;
    return diamondFrame(
      snapshot(`func kernel cpu=gfx906
        arg %c i1
        arg %x i32
        entry:
          br %c t f
        ${side('t')}
        ${side('f')}
        join:
          ret`),
    );
  });
  const [first, ...others] = frames.map(({ ctx }) => ctx);
  const changed = first!.with({ options: { ...DARM, versions: 'never' } });
  assert.ok(haveOneHiddenClass([first!, ...others, changed, first!.whereBusy, changed.whereBusy]));
  assert.is(changed.whereBusy.options, changed.options);
  assert.is(changed.whereBusy.cost, first!.busy.cost);
  // V8 makes hidden classes in another way when it has seen a literal a few times.
  const many = Array.from({ length: 50 }, (_, k) => frames[k % frames.length]!);
  const analyses = many.map(({ ctx }) => analysesOf(ctx.fn));
  assert.ok(haveOneHiddenClass([analyses[0]!, ...analyses]));
  const outcomes = many.map((frame) => evaluate(new Draft(new PairTable(frame))));
  assert.ok(haveOneHiddenClass([outcomes[0]!, ...outcomes]));
});

test.run();
