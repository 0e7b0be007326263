import { cycles } from '../../src/analysis/cycles.js';
import type { Divergence } from '../../src/analysis/divergence.js';
import { divergence } from '../../src/analysis/divergence.js';
import { cfgOf } from '../../src/analysis/graph.js';
import type { InstrId } from '../../src/ir/ids.js';
import type { BuiltSnapshot } from '../support/snapshot-builder.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/divergence', { tests: 16 });

/**
 * Analyses an annotated function. Values called `%div…` must be divergent and `%uni…` uniform. The terminators of
 * `divergentBlocks` must be divergent, and no others.
 */
function check(text: string, divergentBlocks: readonly string[]): { s: BuiltSnapshot; d: Divergence } {
  const s = snapshot(text);
  const d = divergence(s.f);
  for (const [name] of text.matchAll(/%(div|uni)[.\w]*/g))
    assert.is(d.valueDivergent[s.value(name)], name.startsWith('%div') ? 1 : 0, `${name} in\n${text}`);
  assert.equal(
    s.blockNames.filter((_, b) => d.terminatorDivergent[b] === 1),
    [...divergentBlocks],
  );
  return { s, d };
}

const useOf = (s: BuiltSnapshot, user: InstrId, operand: number): [number, InstrId] => [
  s.f.operandStart[user] + operand,
  user,
];

test('data: users of divergent values, stores too, but not always-uniform ones', () => {
  const { s, d } = check(
    `
    arg %uni.a
    arg %div.b i32 never
    entry:
      %uni.x = add %uni.a 1
      %div.tid = call @llvm.tid !never
      %div.y = add %uni.x %div.tid
      %uni.first = call @llvm.readfirstlane %div.y !always
      %uni.z = add %uni.first %uni.x
      %div.w = add %uni.a %div.b
      store %div.y %uni.a !name=st
      ret`,
    [],
  );
  assert.is(d.valueDivergent[s.value('st')], 1);
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%div.y'), 1)));
  assert.not(d.isDivergentUse(...useOf(s, s.instr('%div.y'), 0)));
});

test("an invoke's result is divergent; what it flows into is not, as in LLVM", () => {
  check(
    `
    entry:
      %div.v = invoke @f next next !never
    next:
      %uni.x = add %div.v 1
      ret`,
    ['entry'],
  );
});

test('a function without branch divergence is uniform', () => {
  check(
    `
    func f -HasBranchDivergence
    entry:
      %uni.tid = call @llvm.tid !never
      ret`,
    [],
  );
});

test('sync: phis where a divergent branch joins', () => {
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %div.c = icmp slt %div.tid 4
      br %div.c then join
    then:
      br join
    join:
      %div.x = phi [0 entry] [1 then]
      %uni.same = phi [%uni.a entry] [%uni.a then]
      %uni.undef = phi [undef entry] [%uni.a then]
      %uni.poison = phi [poison then] [poison entry]
      %uni.c = icmp slt %uni.a 4
      br %uni.c after end
    after:
      br end
    end:
      %uni.y = phi [0 join] [1 after]
      ret`,
    ['entry'],
  );
});

test('sync: a divergent switch, a join of joins, and short-circuit code', () => {
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      switch %div.tid A 0 B 1 C
    A:
      br AB
    B:
      br AB
    C:
      br end
    AB:
      %div.ab = phi [0 A] [1 B]
      br end
    end:
      %div.end = phi [%uni.a AB] [7 C]
      ret`,
    ['entry'],
  );
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %div.c = icmp slt %div.tid 4
      br %div.c test2 else
    test2:
      %uni.c2 = icmp slt %uni.a 4
      br %uni.c2 then else
    then:
      br end
    else:
      %div.e = phi [0 entry] [1 test2]
      br end
    end:
      %div.x = phi [0 then] [1 else]
      ret`,
    ['entry'],
  );
});

test('sync: a uniform branch behind a join is not affected', () => {
  // LLVM's branch-after-join.ll: the threads are together again before the uniform branch.
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %div.c = icmp slt %div.tid 4
      br %div.c A B
    A:
      br join
    B:
      br join
    join:
      %uni.c = icmp slt %uni.a 4
      br %uni.c C D
    C:
      br end
    D:
      br end
    end:
      %uni.x = phi [0 C] [1 D]
      ret`,
    ['entry'],
  );
});

// The next fixtures restate functions of LLVM 22's llvm/test/Analysis/UniformityAnalysis/AMDGPU/temporal_diverge.ll.
test('temporal: a uniform value of a loop is divergent to users outside a divergent exit', () => {
  const { s, d } = check(
    `
    arg %div.tid i32 never
    entry:
      br H
    H:
      %uni.h = phi [0 entry] [%uni.inc H]
      %uni.inc = add %uni.h 1
      %div.c = icmp slt %div.tid 0
      br %div.c X H
    X:
      %div.user = add %uni.inc 5
      %uni.first = call @llvm.readfirstlane %uni.inc !always
      ret`,
    ['H'],
  );
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%div.user'), 0)), 'the value is uniform, its use is not');
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%uni.first'), 0)));
  assert.not(d.isDivergentUse(...useOf(s, s.instr('%uni.h'), 1)), 'uniform inside the loop');
  assert.not(d.isDivergentUse(...useOf(s, s.instr('%div.user'), 1)), 'a constant');
  assert.equal([...d.divergentExit], [1]);
});

test('temporal: phis at and behind the exit, users further out', () => {
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %uni.c0 = icmp slt %uni.a 0
      br %uni.c0 H Y
    H:
      %uni.h = phi [0 entry] [%uni.inc H]
      %uni.inc = add %uni.h 1
      %div.c = icmp slt %div.tid 0
      br %div.c X H
    X:
      br Y
    Y:
      %div.phi = phi [0 entry] [%uni.inc X]
      %div.user = add %div.phi 5
      ret`,
    ['H'],
  );
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %uni.c = icmp slt %uni.a 0
      br G
    G:
      br H
    H:
      %uni.h = phi [0 G] [%uni.inc H]
      %uni.inc = add %uni.h 1
      %div.c = icmp slt %div.tid 0
      br %div.c X H
    X:
      %div.user = add %uni.inc 5
      br %uni.c G Y
    Y:
      %div.also = add %uni.inc 5
      ret`,
    ['H'],
  );
});

test('temporal: inside the outer, divergent loop the value is uniform', () => {
  check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %uni.c = icmp slt %uni.a 0
      br G
    G:
      br H
    H:
      %uni.h = phi [0 G] [%uni.inc H]
      %uni.inc = add %uni.h 1
      br %uni.c X H
    X:
      %uni.user = add %uni.inc 5
      %div.c = icmp slt %div.tid 0
      br %div.c G Y
    Y:
      %div.also = add %uni.inc 5
      ret`,
    ['X'],
  );
});

const partedInLoop = (header: string, branch: string): string => `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %uni.c = icmp slt %uni.a 0
      br H
    H:
      %uni.i = phi [0 entry] [%uni.inc L]
      %uni.inc = add %uni.i 1
      ${header}
      br %div.tid A B
    A:
      br %uni.c X L
    B:
      br L
    L:
      br H
    X:
      %${branch}.u = add %uni.inc 5
      ret`;

test('temporal: threads parted inside a loop leave it through a uniform exit in different iterations', () => {
  const { d } = check(partedInLoop('br H2\nH2:', 'div'), ['H2']);
  assert.equal([...d.divergentExit], [1]);
});

test('temporal: LLVM overlooks that when the header itself parts the threads', () => {
  // LLVM 22.1.8 says the same, although `%uni.u` differs between threads: the label does not go past the block of the
  // branch.
  const { d } = check(partedInLoop('', 'uni'), ['H']);
  assert.equal([...d.divergentExit], [0]);
});

test('temporal: an exit that leaves two loops at once', () => {
  const { s, d } = check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %div.c = icmp slt %div.tid 0
      %uni.c = icmp slt %uni.a 0
      br G
    G:
      %uni.g = phi [0 entry] [%uni.g2 L]
      %uni.g2 = add %uni.g 1
      br H
    H:
      %uni.h = add %uni.a %uni.g
      br %div.c X I
    I:
      br %uni.c H L
    L:
      %uni.l = add %uni.h 1
      br G
    X:
      %div.u = add %uni.g2 5
      %div.v = add %uni.h 5
      ret`,
    ['H'],
  );
  const outer = cycles(cfgOf(s.f)).cycleOf(s.block('G'));
  assert.equal(
    [...d.divergentExit.keys()].filter((c) => d.divergentExit[c] === 1),
    [outer],
    'only the outermost that is left',
  );
});

// LLVM's irreducible/diverged-entry-headers-nested.ll: the result depends on the walk, and so on the order of two
// successors.
test('irreducible: which cycles are assumed divergent depends on their headers, as in LLVM', () => {
  const assumed = (entry: string, c: string): string[] => {
    const s = snapshot(`
      arg %u
      arg %tid i32 never
      entry:
        br %u ${entry}
      A:
        br B
      B:
        br %u C D
      C:
        br %u ${c}
      P:
        %pp.phi = phi [%u C] [4 T]
        %pp = add %u 1
        br %u R Q
      Q:
        %qq = add %u 1
        br %tid S R
      R:
        br S
      S:
        %s.phi = phi [%qq Q] [4 R]
        br %u D T
      D:
        br %u exit A
      T:
        br P
      exit:
        ret`);
    const d = divergence(s.f);
    const c2 = cycles(cfgOf(s.f));
    assert.equal([...d.divergentExit], [0, 0]);
    assert.is(d.valueDivergent[s.value('%pp')], d.assumedDivergent.length > 0 ? 1 : 0);
    return d.assumedDivergent.map((id) => `${c2.depth[id]} ${s.blockNames[c2.header[id]]}`);
  };
  assert.equal(assumed('B A', 'T P'), [], 'headers_b_p');
  assert.equal(assumed('A B', 'P T'), ['2 T'], 'headers_b_t');
  assert.equal(assumed('B A', 'P T'), ['1 A'], 'headers_a_t');
});

test('irreducible: entered at two places from outside', () => {
  // LLVM's irreducible/exit-divergence.ll, no_divergent_exit.
  const { d } = check(
    `
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %div.c = icmp slt %div.tid 0
      %uni.c = icmp slt %uni.a 0
      br %div.c B H
    H:
      %div.h = phi [0 entry] [%uni.a C]
      br B
    B:
      %div.b = phi [%uni.a H] [1 entry]
      %div.bb = add %uni.a 1
      br %uni.c X C
    C:
      %div.cc = add %uni.a 1
      br %uni.c X H
    X:
      %div.x = phi [%div.bb B] [%div.cc C]
      ret`,
    ['entry'],
  );
  assert.is(d.assumedDivergent.length, 1);
  assert.equal([...d.divergentExit], [0]);
});

test('irreducible: a divergent exit', () => {
  // LLVM's irreducible/exit-divergence.ll, basic.
  const { s, d } = check(
    `
    arg %uni.a
    arg %div.tid i32 never
    entry:
      %uni.c = icmp slt %uni.a 0
      %div.c = icmp slt %div.tid 0
      br %uni.c T P
    P:
      %uni.1 = phi [%uni.a entry] [4 T]
      br Q
    Q:
      %uni.q = add %uni.a 1
      br %div.c T exit
    T:
      %uni.t = phi [%uni.q Q] [%uni.a entry]
      br P
    exit:
      %div.1 = add %uni.1 1
      %uni.3 = add %uni.a 1
      ret`,
    ['Q'],
  );
  assert.equal([...d.divergentExit], [1]);
  assert.equal([...d.assumedDivergent], []);
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%div.1'), 0)));
});

test('unreachable code is marked but has no consequences', () => {
  check(
    `
    arg %div.tid i32 never
    entry:
      br join
    dead:
      %div.x = add %div.tid 1
      br %div.x join other
    other:
      br join
    join:
      %uni.p = phi [0 entry] [1 dead] [2 other]
      ret`,
    ['dead'],
  );
});

test.run();
