/** Which branches ask their waves (versions), and which melds are left out because waves hardly part. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { FunctionPlan, PlanOptions } from '../../../src/melding/plan.js';
import { planFunction } from '../../../src/melding/decide/plan-function.js';
import { CostModel } from '../../../src/melding/cost/cost-model.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/versions', { tests: 18 });

const LENGTH = 64;

/** Long sides in which some of the operands are different constants. */
const side = (x: string, first: number, every: number): string =>
  Array.from({ length: LENGTH }, (_, k) => {
    const factor = k % every === 0 ? (first + k) / 10 + 0.01 : '%z';
    return `%${x}${k} = fmul ${k === 0 ? '%y' : `%${x}${k - 1}`} ${factor}`;
  }).join('\n');

interface Shape {
  readonly condition: string;
  readonly more?: string;
  /** One of so many operands differs between the sides. */
  readonly every?: number;
  readonly head?: string;
  readonly options?: Partial<PlanOptions>;
}

/** Two sides, and the values that they give. @param from the blocks in which the sides end */
const kernel = (head: string, condition: string, t: string, f: string, from = ['t', 'f']): string => `
    ${head}
    arg %p ptr1
    arg %y float never
    arg %z float never
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %at = gep %p %tid
      %data = load %at !as=1
      ${condition}
      br %c t f
    t:
      ${t}
      br join
    f:
      ${f}
      br join
    join:
      %r = phi [%t${LENGTH - 1} ${from[0]}] [%f${LENGTH - 1} ${from[1]}]
      store %r %at !as=1 !name=out
      ret`;

const ASKING = 'func kernel +AsksWaves';

function planned({ condition, more = '', every = 6, head = ASKING, options = {} }: Shape): FunctionPlan {
  const { f } = snapshot(kernel(head, condition, `${side('t', 1, every)}\n${more}`, side('f', 2, every)));
  return planFunction(f, analysesOf(f), { ...DARM, ...options }, () => true);
}

const SURE = '%b = and %tid 1\n %c = icmp eq %b 0';
const RARE = '%b = and %data 63\n %c = icmp eq %b 7';
const NEVER = '%c = icmp slt %tid 128';

test('where every wave parts, it melds without a question', () => {
  const { melds, versions, candidates } = planned({ condition: SURE });
  assert.is(melds.length, 1);
  assert.equal(versions, []);
  assert.is(candidates[0]!.reason, 'profitable');
});

test('where waves hardly part, nothing melds, and the reason says so', () => {
  const { melds, candidates } = planned({ condition: NEVER });
  assert.equal(melds, []);
  assert.match(candidates[0]!.reason, /^only 0 % of the waves are expected to take both sides$/);
});

test('where some waves part, those that agree are asked first', () => {
  const about = (every: number): [FunctionPlan['versions'], string] => {
    const { melds, versions, candidates } = planned({ every, condition: RARE });
    assert.is(melds.length, 1);
    return [versions, candidates[0]!.reason];
  };
  // With more selects, a wave that agrees on the true side would lose too much.
  const [two, ofTwo] = about(6);
  assert.equal(two, [{ branch: 0, join: 3, sides: ['f', 't'], sunk: [] }]);
  assert.match(ofTwo, /^profitable for waves that part; those that agree keep their side$/);
  const [one, ofOne] = about(16);
  assert.equal(one, [{ branch: 0, join: 3, sides: ['f'], sunk: [] }]);
  assert.match(ofOne, /unless a wave agrees on the false side/);
});

/** What a wave does in front of the branch. */
const loads = (count: number): string =>
  Array.from(
    { length: count },
    (_, k) => `%q${k} = gep %p %${k === 0 ? 'tid' : `l${k - 1}`}\n%l${k} = load %q${k} !as=1`,
  ).join('\n');
const additions = (count: number): string =>
  Array.from({ length: count }, (_, k) => `%w${k} = fadd ${k === 0 ? '%y' : `%w${k - 1}`} %z`).join('\n');

const ORDERED = '%c = icmp sgt %data 0';

test('where waves compute, those that agree may lose too much; where they wait for memory, they do not', () => {
  const about = { every: 7, options: { versions: 'never' } } as const;
  const { melds, candidates } = planned({ ...about, condition: ORDERED });
  assert.is(melds.length, 0);
  assert.match(candidates[0]!.reason, /^what it saves, other waves would hide/);
  // What they lose with fewer selects is noise, by the costs of gfx906.
  assert.is(planned({ ...about, every: 8, condition: ORDERED }).melds.length, 1);
  assert.is(planned({ ...about, condition: `${loads(16)}\n${ORDERED}` }).melds.length, 1);
});

test('a wave that is alone may lose a little where many gain', () => {
  const shorter = (lines: string, by: number): string =>
    lines
      .split('\n')
      .slice(by)
      .join('\n')
      .replace(`%f${by - 1} `, '%y ');
  const condition = '%b = and %data 3\n %c = icmp eq %b 1';
  const plan = (every: number): FunctionPlan => {
    const { f } = snapshot(kernel(ASKING, condition, side('t', 1, every), shorter(side('f', 2, every), 16)));
    return planFunction(f, analysesOf(f), DARM, () => true);
  };
  const { melds, versions } = plan(6);
  assert.equal([melds.length, versions[0]?.sides], [1, ['f', 't']]);
  // With more selects it would lose more.
  assert.equal(plan(3).melds, []);
});

test('where scattered accesses spare no time, that is the reason, however many waves part', () => {
  const storing = (stride: number): FunctionPlan => {
    const { f } = snapshot(`
      func kernel
      arg %p ptr1
      arg %y float never
      arg %z float never
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %at = gep %p %tid
        %data = load %at !as=1
        %start = mul %tid ${stride}
        %row = gep %p %start
        %far = gep %p %tid %start
        ${ORDERED}
        br %c t f
      t:
        store %y %row !as=1
        store %y %far !as=1
        br join
      f:
        store %z %row !as=1
        store %z %far !as=1
        br join
      join:
        ret
    `);
    return planFunction(f, analysesOf(f), DARM, () => true);
  };
  assert.is(storing(1).melds.length, 1);
  const { melds, candidates } = storing(64);
  assert.is(melds.length, 0);
  assert.match(candidates[0]!.reason, /^what it accesses in memory lies scattered/);
});

test('where the gain is a small part of the function, no wave is asked', () => {
  assert.is(planned({ condition: `${additions(60)}\n${RARE}` }).versions.length, 1);
  const { versions, candidates } = planned({ condition: `${additions(200)}\n${RARE}` });
  assert.equal(versions, []);
  assert.match(candidates[0]!.reason, /^it would pay where waves are asked/);
});

test('and how often a loop runs does not matter for that, unless the branch is in it', () => {
  const loop = (work: string, rest: string): string => `br loop
    loop:
      %i = phi [0 entry] [%next loop]
      ${work}
      %next = add %i 1
      %again = icmp slt %next 100
      br %again loop rest
    rest:
      ${rest}`;
  const count = (condition: string): number => planned({ condition }).versions.length;
  assert.is(count(loop(additions(60), RARE)), 1);
  assert.is(count(loop(additions(200), RARE)), 0);
});

test('and what gains something without a question still melds', () => {
  assert.is(planned({ condition: `${loads(1)}\n${ORDERED}` }).versions.length, 1);
  const { melds, versions } = planned({ condition: `${loads(20)}\n${ORDERED}` });
  assert.is(melds.length, 1);
  assert.equal(versions, []);
});

test('where it pays anyway, questions count at what they usually cost', () => {
  const plan = (): FunctionPlan => planned({ every: 8, condition: `${loads(12)}\n${ORDERED}` });
  assert.equal([plan().melds.length, plan().versions.length], [1, 1]);
  const model = CostModel as { questionShare: number };
  const { questionShare } = model;
  model.questionShare = 1;
  try {
    assert.equal([plan().melds.length, plan().versions.length], [1, 0]);
  } finally {
    model.questionShare = questionShare;
  }
});

test('where all waves may agree although none is expected to, what they lose then counts', () => {
  const orders = [0, 1, 2].map((k) => `%m${k} = load %q0 !as=1\n%c${k} = icmp sgt %m${k} 0`);
  const condition = [loads(4), ...orders, '%first = xor %c0 %c1', '%c = xor %first %c2'].join('\n');
  const sides = (): string[] => planned({ every: 8, condition }).versions.flatMap((version) => version.sides);
  assert.equal(sides(), ['f', 't']);
  const model = CostModel as { acceptedRisk: number };
  const { acceptedRisk } = model;
  model.acceptedRisk = 1;
  try {
    assert.equal(sides(), []);
  } finally {
    model.acceptedRisk = acceptedRisk;
  }
});

test('in a side of a branch that could meld, a question must be worth more', () => {
  /**
   * @param other where threads go that do not come to the branch
   * @param work how much they do there
   * @param check in front of that
   */
  const inside = (other: 'join' | 'else', every: number, work = LENGTH / 4, check = ''): FunctionPlan => {
    const { f } = snapshot(`
      func kernel +AsksWaves
      arg %p ptr1
      arg %y float never
      arg %z float never
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %at = gep %p %tid
        %bit = and %tid 1
        %o = icmp eq %bit 0
        br %o inner ${other}
      inner:
        %data = load %at !as=1
        ${ORDERED}
        br %c t f
      t:
        ${side('t', 1, every)}
        br end
      f:
        ${side('f', 2, every)}
        br end
      end:
        %r = phi [%t${LENGTH - 1} t] [%f${LENGTH - 1} f]
        store %r %at !as=1 !name=out
        br join
      else:
        ${check}
        ${Array.from({ length: work - 1 }, (_, k) => `%e${k} = fadd %y %z`).join('\n')}
        store %y %at !as=1 !name=other
        br join
      join:
        ret
    `);
    return planFunction(f, analysesOf(f), DARM, () => true);
  };
  assert.is(inside('join', 16).versions.length, 1);
  const { melds, versions } = inside('else', 16);
  assert.is(melds.length, 1);
  assert.equal(versions, []);
  // What all waves would lose if they agreed does not count here.
  assert.equal(inside('else', 12).versions, []);
  // Where the other side holds less than a fourth of what is here, nothing of this could meld with it.
  assert.is(inside('else', 16, LENGTH / 4 - 1).versions.length, 1);
  // Dead ends do not count, nor what is behind the join.
  const check = '%ok = fcmp olt %z 1.5\nbr %ok passed failed\nfailed:\nunreachable\npassed:';
  assert.is(inside('else', 16, LENGTH / 4 - 2, check).versions.length, 1);
  assert.equal(inside('else', 16, LENGTH / 4, check).versions, []);
  // Those that agree lose much without.
  assert.is(inside('else', 6).versions.length, 1);
});

test('never and always', () => {
  assert.equal(planned({ condition: RARE, options: { versions: 'never' } }).versions, []);
  const always = planned({ condition: SURE, options: { versions: 'always' } });
  assert.equal(always.versions, [{ branch: 0, join: 3, sides: ['f', 't'], sunk: [] }]);
  const paper = { profit: 'paper', threshold: 0 } as const;
  assert.equal(planned({ condition: RARE, options: paper }).versions, []);
  assert.is(planned({ condition: RARE, options: { ...paper, versions: 'always' } }).versions.length, 1);
});

test('convergent operations and writers of wave state have no versions', () => {
  const always = { versions: 'always' } as const;
  for (const flag of ['Convergent', 'WritesWaveState', 'NoDuplicate']) {
    const more = `call @llvm.some !+${flag} !-Speculatable !key=none !+NeverMelds`;
    assert.equal(planned({ condition: SURE, more, options: always }).versions, [], flag);
  }
});

test('targets without ballots have no versions', () => {
  const { melds, versions } = planned({ condition: SURE, head: 'func kernel', options: { versions: 'always' } });
  assert.is(melds.length, 1);
  assert.equal(versions, []);
});

test('a wave is asked once', () => {
  const condition = `${SURE}\n %w = call @llvm.amdgcn.ballot %c !type=i64 !always !source=Ballot`;
  assert.equal(planned({ condition, options: { versions: 'always' } }).versions, []);
});

test('large regions are not copied', () => {
  const more = Array.from({ length: 1100 }, (_, k) => `%m${k} = fadd %y %z`).join('\n');
  assert.equal(planned({ condition: SURE, more, options: { versions: 'always' } }).versions, []);
});

/** A side with a check in front of what melds. Who fails reports it and comes to no end. */
const checkedSide = (x: string, first: number, report: string): string => `
      %ok${x} = fcmp olt %z ${first}
      br %ok${x} go${x} failed${x}
    failed${x}:
      ${report}
      unreachable
    go${x}:
      ${side(x, first, 6)}`;

test('copies have dead ends of their own, whatever reports failures there, if that may stand in two places', () => {
  const versionsOf = (report: string): number => {
    const t = checkedSide('t', 1, report);
    const other = checkedSide('f', 2, report.replaceAll('%t', '%f'));
    const { f } = snapshot(kernel(ASKING, SURE, t, other, ['got', 'gof']));
    const plan = planFunction(f, analysesOf(f), { ...DARM, versions: 'always' }, () => true);
    assert.is(plan.melds.length, 1);
    return plan.versions.length;
  };
  const call = (flag: string): string => `call @llvm.some !+${flag} !-Speculatable !key=none !+NeverMelds`;
  assert.is(versionsOf(call('Convergent')), 1);
  assert.is(versionsOf(call('WritesWaveState')), 1);
  assert.is(versionsOf(call('NoDuplicate')), 0);
  const long = (length: number): string => Array.from({ length }, (_, k) => `%tm${k} = fadd %y %z`).join('\n');
  assert.is(versionsOf(long(350)), 1, 'not too large');
  assert.is(versionsOf(long(1100)), 0, 'large');
});

test.run();
