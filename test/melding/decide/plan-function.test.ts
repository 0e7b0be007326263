import { analysesOf } from '../../../src/analysis/analyses.js';
import { Opcode } from '../../../src/ir/snapshot.js';
import type { FunctionPlan, Meld, PlanOptions } from '../../../src/melding/plan.js';
import { FAILING, planFunction } from '../../../src/melding/decide/plan-function.js';
import { DARM } from '../../support/plan-options.js';
import type { BuiltSnapshot } from '../../support/snapshot-builder.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/plan-function', { tests: 36 });

const NET: PlanOptions = { ...DARM, profit: 'net', threshold: 0.2 };
const PAPER: PlanOptions = { ...DARM, profit: 'paper', threshold: 0.2 };

interface Planned {
  readonly plan: FunctionPlan;
  readonly s: BuiltSnapshot;
  /**
   * The alignment as text: `t+f` is a pair, `t×f` a crosswise pair, `t|` or `|f` a gap, and `?` marks a speculated gap.
   * Blocks are separated by `/`.
   */
  readonly lines: string;
  readonly verdicts: string;
}

function planned(text: string, options = NET, canPair = (): boolean => true): Planned {
  const s = snapshot(text);
  const plan = planFunction(s.f, analysesOf(s.f), options, canPair);
  const names = new Map<number, string>();
  for (const word of text.match(/%\w+(?= =)|(?<=!name=)\w+/g) ?? []) names.set(s.instr(word), word.replace('%', ''));
  const name = (i: number): string => (i < 0 ? '' : (names.get(i) ?? `#${i}`));
  const line = (m: Meld): string =>
    m.blocks
      .map((p) =>
        [
          ...p.phis.map(([t, f]) => `φ${name(t)}+${name(f)}`),
          ...p.alignment.map((a) =>
            a.t >= 0 && a.f >= 0
              ? `${name(a.t)}${a.swapped ? '×' : '+'}${name(a.f)}`
              : `${name(a.t)}|${name(a.f)}${a.speculate ? '?' : ''}`,
          ),
        ].join(' '),
      )
      .join(' / ');
  const verdicts = plan.candidates.map((c) => `${s.blockNames[c.branch]}:${c.rule ?? c.kind}`).join(' ');
  return { plan, s, lines: plan.melds.map(line).join(' // '), verdicts };
}

/** A diamond whose sides hold the given lines. */
const diamond = (t: string, f: string, head = '', join = 'ret'): string => `
  arg %c i1 never
  arg %i i32 never
  arg %j i32 never
  arg %n i32
  arg %p ptr3 never
  arg %q ptr3 never
  arg %g ptr1 never
  ${head}
  entry:
    br %c t f
  t:
    ${t}
    br join
  f:
    ${f}
    br join
  join:
    ${join}`;

/** A diamond whose sides check something first; who fails goes to `low` or `high`. */
const checked = (low: string, high = low): string => `
  arg %c i1 never
  arg %i i32 never
  arg %g ptr1 never
  entry:
    br %c t f
  t:
    %a = add %i 1
    %ca = icmp ult %a 100
    br %ca t2 ${low}
  t2:
    %x = udiv %a %i
    %x2 = udiv %x %i
    br join
  f:
    %b = sub %i 1
    %cb = icmp ugt %b 200
    br %cb ${high} f2
  f2:
    %y = udiv %b %i
    %y2 = udiv %y %i
    br join
  low:
    store %i %g !name=said
    unreachable
  high:
    store %b %g !name=saidToo
    unreachable
  join:
    %r = phi [%x2 t2] [%y2 f2]
    ret %r`;

test('what stands behind checks melds; threads that fail go their own way', () => {
  const { plan, s, lines } = planned(checked('low', 'high'));
  assert.is(lines, 'x+y x2+y2');
  const ids = (...names: string[]) => names.map((name) => s.block(name));
  assert.equal(plan.melds[0]!.before, { t: ids('t', 'low'), f: ids('f', 'high') });
  assert.match(planned(checked('low', 'high'), PAPER).verdicts, /entry:1\.4 /);
  // One way out for both sides is right only if no value of the region is used there.
  assert.is(planned(checked('low')).lines, 'x+y x2+y2');
  const used = planned(checked('low').replace('store %i', 'store %a'));
  assert.is(used.lines, '');
  assert.ok(used.plan.candidates.some(({ reason }) => reason?.includes('lead to one dead end, which uses values')));
});

test('a refused branch with checks says what the threads that come back would meet', () => {
  const whyNot = (text: string, branch: string): string | null | undefined => {
    const { plan, s } = planned(text);
    return plan.candidates.find((each) => each.branch === s.block(branch))?.reason;
  };
  assert.is(whyNot(checked('low', 'high'), 't'), 'from one side no thread comes back: it is a failed check');
  const alone = `
    arg %c i1 never
    arg %i i32 never
    entry:
      br %c t join
    t:
      %ca = icmp ult %i 100
      br %ca t2 low
    t2:
      %x = udiv %i 3
      br join
    low:
      unreachable
    join:
      %r = phi [%x t2] [%i entry]
      ret %r`;
  assert.is(whyNot(alone, 'entry'), 'one successor post-dominates the other');
});

/** Both checks of a side lead to `low`. */
const checkedTwice = (low: string): string => `
  arg %c i1 never
  arg %i i32 never
  arg %g ptr1 never
  entry:
    %e = add %i 3
    br %c t f
  t:
    %a = add %i 1
    %ca = icmp ult %a 100
    br %ca t2 low
  t2:
    %x = udiv %e %i
    %x2 = udiv %x %i
    br t3
  t3:
    %ca3 = icmp ult %x2 100
    br %ca3 t4 low
  t4:
    br join
  f:
    %y = udiv %e %e
    %y2 = udiv %y %i
    br join
  low:
    ${low}
  join:
    %r = phi [%x2 t4] [%y2 f]
    ret %r`;

test('values come to dead ends behind several checks by phis of their own alone', () => {
  const behind = (own: string, lowest: string): string =>
    planned(
      checkedTwice(`${own}
        br %c low2 low3
      low2:
        br low3
      low3:
        ${lowest}
        unreachable`),
    ).lines;
  assert.is(behind('%z = phi [%a t] [%x2 t3]', '%z2 = phi [%z low] [7 low2]'), 'x+y x2+y2');
  // %a does not come to `low` from a block behind the meld.
  assert.is(behind('%z = phi [1 t] [2 t3]', '%z2 = phi [%a low] [7 low2]'), '');
  assert.is(behind('%z = phi [1 t] [2 t3]', 'store %a %g !name=said'), '');
  // What the branch's own block defines comes everywhere.
  assert.is(behind('store %e %g !name=said', 'store %e %g !name=saidToo'), 'x+y x2+y2');
});

test('a dead end may branch and join, if it stays as it is in this round', () => {
  const handler = (work: string, other: string): string =>
    checked('low', 'high').replace(
      /high:\n[^]*?unreachable/,
      `high:
        %d = add %b 3
        %ch = icmp ult %d 7
        br %ch high2 high3
      high2:
        ${work}
        br high4
      high3:
        ${other}
        br high4
      high4:
        %z = phi [%b high2] [%d high3]
        store %z %g !name=saidToo
        unreachable`,
    );
  assert.is(planned(handler('', '')).lines, 'x+y x2+y2');
  const busy = (v: string): string =>
    `%${v}1 = udiv %d %i\n        %${v}2 = udiv %${v}1 %i\n        %${v}3 = udiv %${v}2 %i`;
  const both = handler(busy('h'), busy('l'));
  // No thread comes there, so that only code size counts.
  const timed = planned(both);
  assert.is(timed.lines, 'x+y x2+y2');
  assert.ok(timed.plan.candidates.some(({ reason }) => reason === FAILING.reason));
  const { plan, lines } = planned(both, { ...DARM, profit: 'size', threshold: 0 });
  assert.is(lines, 'h1+l1 h2+l2 h3+l3');
  assert.ok(plan.candidates.some(({ reason }) => reason === 'overlaps a more profitable meld of this round'));
});

test('no lifetime marker in a dead end gets a phi for its alloca', () => {
  const marked = (block: string): string =>
    checked('low', 'high')
      .replace('%a = add', '%own = alloca i32\n    %a = add')
      .replace(`${block}:`, `${block}:\n    call @llvm.lifetime.end %own !type=void !+Marker !name=end`);
  assert.is(planned(marked('low')).lines, '');
});

test('bitonic sort after LLVM 22 -O3: two compares, two shared successors', () => {
  const text = `
    arg %c i1 never
    arg %a i32 never
    arg %b i32 never
    arg %p ptr3
    entry:
      br %c bt bf
    bt:
      %x = icmp ult %a %b
      br %x swap join
    bf:
      %y = icmp ugt %a %b
      br %y swap join
    swap:
      store %a %p
      br join
    join:
      ret`;
  const { plan, lines, verdicts } = planned(text);
  assert.is(lines, 'x×y');
  assert.is(verdicts, 'entry:block-block bt:1.2 bf:1.2');
  assert.equal([plan.melds[0].exit, plan.melds[0].profit], [{ kind: 'shared' }, 0.5]);
  assert.is(planned(text, PAPER).lines, 'x×y');
});

test('shared successors in the other order', () => {
  const { plan } = planned(`
    arg %c i1 never
    arg %a i32 never
    entry:
      br %c bt bf
    bt:
      %x = icmp ult %a 5
      br %x swap join
    bf:
      %y = icmp ult %a 7
      br %y join swap
    swap:
      br join
    join:
      ret`);
  assert.is(plan.melds[0].blocks[0].swapped, true);
});

const bitonicRegions = `
  arg %c i1 never
  arg %p ptr3 never
  arg %q ptr3 never
  entry:
    br %c t f
  t:
    %t1 = load %p
    %t2 = load %q
    %tc = icmp ult %t1 %t2
    br %tc tswap tj
  tswap:
    store %t1 %q !name=ts1
    store %t2 %p !name=ts2
    br tj
  tj:
    br join
  f:
    %f1 = load %p
    %f2 = load %q
    %fc = icmp ugt %f1 %f2
    br %fc fswap fj
  fswap:
    store %f1 %q !name=fs1
    store %f2 %p !name=fs2
    br fj
  fj:
    br join
  join:
    ret`;

test('bitonic sort before optimisation: two isomorphic regions', () => {
  const { plan, lines, s } = planned(bitonicRegions);
  assert.is(lines, 't1+f1 t2+f2 tc×fc / ts1+fs1 ts2+fs2');
  assert.is(plan.melds[0].kind, 'region-region');
  assert.equal(plan.melds[0].exit, { kind: 'single', t: s.block('tj'), f: s.block('fj') });
});

test('equal work on different LDS arrays: everything pairs, but two addresses of literals are no dearer than one', () => {
  const side = (x: string): string => `
    %${x}p = gep @${x}:ptr3 %i !type=ptr3
    %${x}1 = load %${x}p
    %${x}2 = mul %${x}1 %j
    %${x}3 = add %${x}2 %i
    store %${x}3 %${x}p !name=${x}s`;
  const { plan, lines } = planned(diamond(side('a'), side('b')));
  assert.is(lines, 'ap|? |bp? a1+b1 a2+b2 a3+b3 as+bs');
  assert.is(plan.melds[0].profit, 0.5);
  assert.ok(plan.melds[0].net > 30);
});

test('several pairs on one branch, in chain order', () => {
  const side = (x: string): string => `
    ${x}:
      %${x}1 = load %p
      %${x}2 = icmp slt %${x}1 %i
      br %${x}2 ${x}then ${x}mid
    ${x}then:
      store %i %p !name=${x}s
      br ${x}mid
    ${x}mid:
      %${x}3 = load %q
      %${x}4 = icmp slt %${x}3 %i
      br %${x}4 ${x}then2 ${x}end
    ${x}then2:
      store %j %q !name=${x}t
      br ${x}end
    ${x}end:
      %${x}5 = add %i %j
      store %${x}5 %g !name=${x}u
      br join`;
  const { plan, lines } = planned(`
    arg %c i1 never
    arg %i i32 never
    arg %j i32 never
    arg %p ptr3 never
    arg %q ptr3 never
    arg %g ptr1 never
    entry:
      br %c a b
    ${side('a')}
    ${side('b')}
    join:
      ret`);
  assert.is(lines, 'a1+b1 a2+b2 / as+bs // a3+b3 a4+b4 / at+bt // a5+b5 au+bu');
  // Nothing is left between two of them.
  for (const { before } of plan.melds) assert.equal(before, { t: [], f: [] });
});

test('a chain that is longer than the near pairs melds in one round, and only blocks between two melds are in front', () => {
  const COUNT = 40;
  const side = (x: string): string =>
    Array.from(
      { length: COUNT },
      (_, k) => `
    ${x}${k}:
      %${x}${k}v = load %p
      %${x}${k}c = icmp slt %${x}${k}v %i
      br %${x}${k}c ${x}${k}then ${x}${k + 1}
    ${x}${k}then:
      store %i %p
      br ${x}${k === 19 && x === 'b' ? 'alone' : k + 1}`,
    ).join('');
  const { plan, s } = planned(`
    arg %c i1 never
    arg %i i32 never
    arg %p ptr3 never
    entry:
      br %c a0 b0
    ${side('a')}
    a${COUNT}:
      br join
    ${side('b')}
    balone:
      call @f %i !+Convergent
      br b20
    b${COUNT}:
      br join
    join:
      ret`);
  assert.is(plan.melds.length, COUNT - 1);
  const names = (blocks: readonly number[]): string[] => blocks.map((b) => s.blockNames[b]);
  const inFront = plan.melds.map(({ before }) => [...names(before.t), ...names(before.f)]);
  assert.equal(inFront.flat(), ['a19', 'a19then', 'b19', 'b19then', 'balone']);
});

test('an unequal block in between stays, and parts the sides', () => {
  const { lines, verdicts } = planned(`
    arg %c i1 never
    arg %i i32 never
    arg %p ptr3 never
    arg %q ptr1 never
    entry:
      br %c a b
    a:
      %a1 = call @f %i !+Convergent
      br a2
    a2:
      %a3 = load %q
      %a4 = mul %a3 %a3
      store %a4 %q !name=as
      br join
    b:
      %b3 = load %q
      %b4 = mul %b3 %b3
      store %b4 %q !name=bs
      br join
    join:
      ret`);
  assert.is(lines, 'a3+b3 a4+b4 as+bs');
  assert.is(verdicts, 'entry:block-block');
});

const loops = (tStart: string, fStart: string): string => {
  const side = (x: string, start: string): string => `
    ${x}pre:
      br ${x}
    ${x}:
      %${x}i = phi [${start} ${x}pre] [%${x}n ${x}]
      %${x}p = gep %g %${x}i
      %${x}v = load %${x}p
      store %${x}v %p !name=${x}s
      %${x}n = add %${x}i 1
      %${x}c = icmp slt %${x}n %n
      br %${x}c ${x} ${x}end
    ${x}end:
      br join`;
  return `
    arg %c i1 never
    arg %n i32 never
    arg %p ptr3 never
    arg %g ptr1 never
    arg %u i32 never
    entry:
      br %c apre bpre
    ${side('a', tStart)}
    ${side('b', fStart)}
    join:
      ret`;
};

test('loops: counters become one phi', () => {
  assert.is(planned(loops('0', '0')).lines, 'φai+bi ap+bp av+bv as+bs an+bn ac+bc');
});

test('loops: different starts are selected once, in front', () => {
  const { plan, lines } = planned(loops('%u', '7'));
  assert.is(lines, 'φai+bi ap+bp av+bv as+bs an+bn ac+bc');
  assert.ok(plan.melds[0].net < planned(loops('0', '0')).plan.melds[0].net);
});

test('loops that data end wait longer for each other than those that end for all threads at once', () => {
  const netOf = (bound: string): number =>
    planned(loops('%k', '0').replace('arg %n i32 never', `${bound}\n arg %k i32`)).plan.candidates[0].net;
  assert.ok(netOf('arg %n i32 never') < netOf('arg %n i32'));
});

test('the paper copies phis', () => {
  assert.is(planned(loops('0', '0'), PAPER).plan.melds[0].blocks[0].phis.length, 0);
});

test('rule 1.6: a loop that may wait', () => {
  const text = loops('0', '0').replaceAll('store %av', 'atomicrmw %p %av').replace('!name=as', '!name=as !type=i32');
  assert.is(planned(text).plan.candidates[0].rule, '1.6');
});

test('atomic operations of one address each do not become one of many addresses', () => {
  const adding = (t: string, f: string, options = NET): string => {
    const side = (a: string, to: string): string => `
      %${a}1 = mul %i %j
      %${a}2 = sub %${a}1 %j
      %${a}3 = mul %${a}2 %i
      %${a}a = atomicrmw ${to} %${a}3 !as=3 +MayWriteMemory`;
    const own = 'arg %u ptr3\n arg %w ptr3';
    return planned(diamond(side('t', t), side('f', f), own), options).lines;
  };
  assert.not.match(adding('%u', '%w'), /ta\+fa/);
  assert.not.match(adding('%u', '%q'), /ta\+fa/);
  assert.match(adding('%u', '%u'), /ta\+fa/);
  assert.match(adding('%p', '%q'), /ta\+fa/);
  assert.match(adding('%u', '%w', PAPER), /ta\+fa/);
});

test('rule 1.5: convergent code and wave state', () => {
  for (const flag of ['Convergent', 'WritesWaveState'])
    assert.is(planned(diamond(`%x = call @f %i !+${flag}`, '%y = call @f %i')).plan.candidates[0].rule, '1.5');
  const ballot = '%x = call @llvm.amdgcn.ballot %c !type=i64 !+Convergent !source=Ballot';
  assert.match(planned(diamond(ballot, '%y = call @f %i')).plan.candidates[0].reason, /a ballot, which is convergent/);
});

test('region replication: a block stands in for a block of a region', () => {
  const text = `
    arg %c i1 never
    arg %p ptr3 never
    arg %i i32 never
    entry:
      br %c a b
    a:
      %a1 = load %p !as=3
      %a2 = mul %a1 %i
      store %a2 %p !as=3 !name=sa
      br join
    b:
      %b1 = icmp slt %i 3
      br %b1 b3 b2
    b2:
      %b4 = load %p !as=3
      %b5 = mul %b4 %i
      store %b5 %p !as=3 !name=sb
      br b3
    b3:
      br join
    join:
      ret`;
  const { plan, s } = planned(text);
  const [meld] = plan.melds;
  assert.equal([meld.kind, meld.host], ['block-region', 'f']);
  const at = meld.blocks.findIndex((each) => each.t === s.block('a'));
  assert.is(meld.blocks[at].f, s.block('b2'));
  assert.is(at, meld.guestEntry);
  // Threads of `a` always take the path to b2, whatever the condition is. The compare there is not theirs.
  assert.equal([meld.blocks[0].t, meld.blocks[0].takes, meld.entryLeaves], [-1, 1, 0]);
  assert.equal(
    meld.blocks.map((each) => each.passed),
    meld.blocks.map(() => true),
  );
  const off = planned(text, { ...DARM, regionReplication: false }).plan;
  assert.equal([off.melds.length, off.candidates[0].kind, off.candidates[0].rule], [0, 'block-region', '5']);
});

test('rule 4: lifetime markers refuse, assumes do not', () => {
  const work = (x: string): string => `%${x}1 = load %p\n %${x}2 = mul %${x}1 %j\n store %${x}2 %p`;
  const marker = 'call @llvm.lifetime.start %g !+Marker !-Speculatable';
  assert.is(planned(diamond(`${marker}\n${work('a')}`, work('b'))).plan.candidates[0].rule, '4');
  assert.is(
    planned(diamond(`call @llvm.assume %c !+Marker !-Speculatable\n${work('a')}`, work('b'))).plan.melds.length,
    1,
  );
});

test('rule 3: no select between different allocas', () => {
  const head = '';
  const text = `
    arg %c i1 never
    entry:
      %m = alloca 1
      %k = alloca 1
      br %c a b
    a:
      %a1 = load %m
      store %a1 %m !name=as
      br join
    b:
      %b1 = load %k
      store %b1 %k !name=bs
      br join
    join:
      ret${head}`;
  assert.equal([planned(text).plan.melds.length, planned(text, PAPER).plan.melds.length], [0, 0]);
  assert.is(planned(text.replaceAll('%k', '%m').replace('%m = alloca 1\n      %m', '%m')).lines, 'a1+b1 as+bs');
});

test('rule 2: uniform operands want one uniform value', () => {
  const side = (x: string, rsrc: string): string => `%${x}1 = call @llvm.buffer.load ${rsrc}^u %i !lat=60 !type=i32
    store %${x}1 %p !name=${x}s`;
  assert.is(planned(diamond(side('a', '%n'), side('b', '%n'))).lines, 'a1+b1 as+bs');
  for (const [x, y] of [
    ['%n', '5'],
    ['%i', '%i'],
  ] as const)
    assert.not.match(planned(diamond(side('a', x), side('b', y))).lines, 'a1+b1');
});

test('rule 2: what may not vary, and what must be identical', () => {
  const immediate = (x: string, v: string): string =>
    `%${x}1 = call @llvm.x %i ${v}^s !lat=60\nstore %${x}1 %p !name=${x}s`;
  assert.match(planned(diamond(immediate('a', '1'), immediate('b', '1'))).lines, 'a1+b1');
  assert.not.match(planned(diamond(immediate('a', '1'), immediate('b', '2'))).lines, 'a1+b1');
  const identical = (x: string, v: string): string =>
    `%${x}1 = call @llvm.y ${v} !lat=60 !+IdenticalOperandsOnly\nstore %${x}1 %p !name=${x}s`;
  assert.match(planned(diamond(identical('a', '%i'), identical('b', '%i'))).lines, 'a1+b1');
  assert.not.match(planned(diamond(identical('a', '%i'), identical('b', '%j'))).lines, 'a1+b1');
});

test('the pair check is asked where keys do not suffice, and obeyed', () => {
  const side = (x: string): string => `%${x}1 = call @f %i !-MaySync\n %${x}2 = load %p\n store %${x}2 %q !name=${x}s`;
  assert.match(planned(diamond(side('a'), side('b'))).lines, 'a1+b1');
  assert.not.match(planned(diamond(side('a'), side('b')), NET, () => false).lines, 'a1+b1');
});

test('commutative operands are tried both ways', () => {
  const { lines } = planned(
    diamond('%a1 = mul %i %j\nstore %a1 %p !name=as', '%b1 = mul %j %i\nstore %b1 %p !name=bs'),
  );
  assert.is(lines, 'a1×b1 as+bs');
});

test('stores without a partner are guarded, side by side', () => {
  const { lines } = planned(
    diamond(
      '%a1 = mul %i %j !lat=40\nstore %a1 %p !name=as\n%ax = load %g\nstore %ax %g !name=at',
      '%b1 = mul %i %j !lat=40\nstore %i %q !key=other !name=bs\n%bx = load %g\nstore %bx %g !name=bt',
    ),
  );
  assert.is(lines, 'a1+b1 as| |bs ax+bx at+bt');
});

test('independent instructions change places where more of them then pair', () => {
  // Each side loads and multiplies, and divides something else; in the other order.
  const first = (x: string): string => `%${x}1 = load %g !as=1\n%${x}2 = mul %${x}1 %i !lat=40`;
  const second = (x: string): string => `%${x}3 = xor %j %n !lat=40\n%${x}4 = mul %${x}3 %j !lat=40 !key=twice`;
  const store = (x: string): string => `store %${x}2 %p !name=${x}5\nstore %${x}4 %q !name=${x}6`;
  const swapped = planned(
    diamond(`${first('a')}\n${second('a')}\n${store('a')}`, `${second('b')}\n${first('b')}\n${store('b')}`),
  );
  assert.is(swapped.lines.includes('|'), false, swapped.lines);
  // Stores to what may be the same memory stay where they are.
  const stores = (x: string, order: readonly string[]): string =>
    `${first(x)}\n${second(x)}\n${order.map((each) => `store %${x}${each} %${each === '2' ? 'p' : 'q'}`).join('\n')}`;
  const kept = planned(diamond(stores('a', ['2', '4']), stores('b', ['4', '2'])));
  const melded = kept.plan.melds[0].blocks[0].alignment;
  for (const side of ['t', 'f'] as const) {
    const ids = melded.map((line) => line[side]).filter((i) => i >= 0 && kept.s.f.instrOpcode[i] === Opcode.Store);
    assert.equal(
      ids,
      ids.toSorted((x, y) => x - y),
    );
    assert.is(ids.length, 2);
  }
});

test('nested branches: one of both this round, the other says why', () => {
  const work = (x: string, p: string): string =>
    `%${x}1 = load ${p}\n%${x}2 = mul %${x}1 %${x}1\nstore %${x}2 ${p} !name=${x}s\nbr `;
  const { plan, verdicts } = planned(`
    arg %c i1 never
    arg %d i1 never
    arg %p ptr1 never
    entry:
      br %c a b
    a:
      br %d a1 a2
    a1:
      ${work('x', '%p')} a3
    a2:
      ${work('y', '%p')} a3
    a3:
      br join
    b:
      br %d b1 b2
    b1:
      ${work('z', '%p')} b3
    b2:
      ${work('w', '%p')} b3
    b3:
      br join
    join:
      ret`);
  assert.is(plan.melds.length, 1);
  assert.is(verdicts, 'entry:region-region a:7 b:7');
});

test('functions that are left alone', () => {
  const text = diamond('%a1 = load %p', '%b1 = load %p');
  assert.is(planned(`func k +OptNone\n${text}`).plan.candidates[0].rule, '1.7');
  assert.is(planned(`func k +ConvergenceControl\n${text}`).plan.candidates[0].rule, '1.5');
  assert.equal(planned(`func k -HasBranchDivergence\n${text}`).plan, {
    candidates: [],
    versions: [],
    melds: [],
    hoisted: [],
    flattened: [],
    chosen: [],
    doubtful: null,
    asksByModel: false,
    netUnit: 'cycles',
    expected: null,
  });
});

test('uniform branches are never touched; plans are deterministic', () => {
  assert.equal(planned(bitonicRegions.replace('%c i1 never', '%c i1')).plan.melds, []);
  assert.equal(planned(bitonicRegions).plan, planned(bitonicRegions).plan);
});

test('rule 9: branches in a long chain of arithmetic stay', () => {
  const stages = (count: number): string => {
    let text =
      'entry:\n  %w0 = load 0:ptr1 !never\n  %id = call @id !never !source=ThreadX\n  %odd = and %id 1\n  br e0\n';
    for (let i = 0; i < count; i++) {
      text += `e${i}:\n  %c${i} = icmp eq %odd 0\n  br %c${i} t${i} f${i}\n`;
      for (const [block, value, factor] of [
        ['t', 'x', 7],
        ['f', 'y', 9],
      ] as const)
        // prettier-ignore
        text += `${block}${i}:
          %m${value}${i} = mul %w${i} ${factor} !lat=16
          %${value}${i} = mul %m${value}${i} %w${i} !lat=16
          br j${i}\n`;
      text += `j${i}:\n  %w${i + 1} = phi [%x${i} t${i}] [%y${i} f${i}]\n  br e${i + 1}\n`;
    }
    return `${text}e${count}:\n  ret %w${count}`;
  };
  assert.is(planned(stages(80)).plan.melds.length, 80);
  const long = planned(stages(90)).plan;
  assert.equal([long.melds.length, ...new Set(long.candidates.map(({ rule }) => rule))], [0, '9']);
});

test('melds that hardly matter to the function are left alone, with the cost model', () => {
  const side = (v: string): string => `%${v}1 = mul %i 7 !lat=16\n%${v} = mul %${v}1 %i !lat=16\nstore %${v} %g !as=1`;
  const work = (count: number): string =>
    Array.from({ length: count }, (_, k) => `%k${k} = mul %j ${k + 2} !lat=60`).join('\n') + '\nret';
  const withRest = (count: number, options = NET): Planned =>
    planned(diamond(side('x'), side('y'), '', work(count)), options);
  assert.is(withRest(1).plan.melds.length, 1);
  const { plan } = withRest(100);
  assert.is(plan.melds.length, 0);
  assert.match(plan.candidates[0].reason, /too little/);
  assert.is(withRest(100, PAPER).plan.melds.length, 1);
});

test.long('where too many branches lie in each other, the outer ones are refused and the inner ones are not', () => {
  const count = 1600;
  const ladder = Array.from(
    { length: count },
    (_, k) => `
  if${k}:
    %c${k} = icmp eq %x ${k + 2}
    br %c${k} then${k} ${k + 1 < count ? `if${k + 1}` : 'otherwise'}
  then${k}:
    %t${k} = mul %x ${k + 7}
    br join`,
  );
  const { plan, s } = planned(`
  arg %x i32 never
  entry:
    br if0
  ${ladder.join('')}
  otherwise:
    %o = mul %x 5
    br join
  join:
    ret`);
  const refused = plan.candidates.filter(({ reason }) => reason.startsWith('so many branches')).map((c) => c.branch);
  const last = s.block(`if${refused.length - 1}`);
  assert.ok(refused.length > 100 && refused.length < 800, `${refused.length}`);
  assert.ok(refused.every((b) => b <= last));
});

test.long('many checks in a row are not nested: what stands behind them melds', () => {
  const count = 900;
  const row = Array.from(
    { length: count },
    (_, k) => `
  if${k}:
    %c${k} = icmp ult %x ${k + 2}
    br %c${k} t${k} f${k}
  t${k}:
    %tc${k} = icmp eq %x ${count + k}
    br %tc${k} low tt${k}
  tt${k}:
    %t${k} = udiv %x ${k + 7}
    store %t${k} %g
    br if${k + 1}
  f${k}:
    %f${k} = udiv %x ${k + 9}
    store %f${k} %g
    br if${k + 1}`,
  );
  const { plan } = planned(
    `
  arg %x i32 never
  arg %g ptr1 never
  entry:
    br if0
  ${row.join('')}
  if${count}:
    ret
  low:
    unreachable`,
    { ...PAPER, threshold: 0 },
  );
  assert.is(new Set(plan.melds.map(({ branch }) => branch)).size, count);
});

test('more work of many waves is no reason against a meld while the memory unit takes longer', () => {
  /** Why the branch does not meld. @param stride how many words threads are apart in memory */
  const reason = (stride: number): string => {
    const loads = Array.from(
      { length: 4 },
      (_, n) => `%i${n} = add %far ${n * 4096}\n %a${n} = gep %p %i${n}\n %m${n} = load %a${n} !as=1`,
    );
    const { f } = snapshot(`func kernel cpu=gfx906
      arg %p ptr1
      arg %q ptr1
      arg %n i32
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        br loop
      loop:
        %j = phi [0 entry] [%next join]
        %at = add %tid %j
        %far = mul %at ${stride}
        ${loads.join('\n')}
        %s0 = add %m0 %m1
        %s1 = add %m1 %m2
        %s2 = add %m2 %m3
        %c = icmp slt %m1 %m2
        br %c then else
      then:
        %t0 = xor %m0 3
        %t = add %t0 4
        br join
      else:
        %f0 = xor %m0 77
        %f = add %f0 78
        br join
      join:
        %x = phi [%t then] [%f else]
        %to = gep %q %tid
        store %x %to !as=1
        %next = add %j 1
        %more = icmp slt %next %n
        br %more loop end
      end:
        ret`);
    return planFunction(f, analysesOf(f), DARM, () => true).candidates[0]!.reason;
  };
  assert.match(reason(1), /other waves would hide/);
  assert.match(reason(16), /all melds of the function together save too little/);
});

test.run();
