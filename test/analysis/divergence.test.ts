import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { CycleId } from '../../src/analysis/cycles.js';
import { cycles } from '../../src/analysis/cycles.js';
import type { Divergence } from '../../src/analysis/divergence.js';
import { Cause, divergence } from '../../src/analysis/divergence.js';
import { dominators, postDominatorRoots, postDominators } from '../../src/analysis/dominators.js';
import { cfgOf, reachableFrom } from '../../src/analysis/graph.js';
import { SyncDependence } from '../../src/analysis/sync-dependence.js';
import type { BlockId, InstrId } from '../../src/ir/ids.js';
import { NONE } from '../../src/ir/ids.js';
import type { FunctionSnapshot } from '../../src/ir/snapshot.js';
import { Opcode, Uniformity } from '../../src/ir/snapshot.js';
import type { BuiltSnapshot } from '../support/snapshot-builder.js';
import { graphSnapshot, snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import type { Successors } from './random-program.js';
import { arbitraryCfg, randomProgram } from './random-program.js';

const test = suite('analysis/divergence', { tests: 18, timeoutMs: 60_000 });

/**
 * Runs an annotated function: values called `%div…` must be divergent and `%uni…` uniform; terminators of `divergentBlocks`, and
 * no others, divergent.
 */
function check(text: string, divergentBlocks: readonly string[]): { s: BuiltSnapshot; d: Divergence } {
  const s = snapshot(text);
  const d = divergence(s.f);
  for (const [name] of text.matchAll(/%(div|uni)[.\w]*/g))
    assert.is(d.valueDivergent[s.value(name)], name.startsWith('%div') ? 1 : 0, `${name} in\n${text}`);
  assert.equal(s.blockNames.filter((_, b) => d.terminatorDivergent[b] === 1), [...divergentBlocks]);
  return { s, d };
}

const useOf = (s: BuiltSnapshot, user: InstrId, operand: number): [number, InstrId] => [s.f.operandStart[user] + operand, user];

test('data: users of divergent values, stores too, but not always-uniform ones', () => {
  const { s, d } = check(`
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
      ret`, []);
  assert.is(d.valueDivergent[s.value('st')], 1);
  assert.is(d.cause[s.value('%div.tid')], Cause.Source);
  assert.is(d.cause[s.value('%div.y')], Cause.Operand);
  assert.is(d.causeId[s.value('%div.y')], s.value('%div.tid'));
  assert.is(d.cause[s.value('%uni.z')], Cause.None);
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%div.y'), 1)));
  assert.not(d.isDivergentUse(...useOf(s, s.instr('%div.y'), 0)));
});

test('a function without branch divergence is uniform', () => {
  check(`
    func f -HasBranchDivergence
    entry:
      %uni.tid = call @llvm.tid !never
      ret`, []);
});

test('sync: phis where a divergent branch joins', () => {
  const { s, d } = check(`
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
      ret`, ['entry']);
  assert.is(d.cause[s.value('%div.x')], Cause.Join);
  assert.is(d.causeId[s.value('%div.x')], s.block('entry'));
  assert.is(d.cause[s.f.argCount + s.term('entry')], Cause.Operand);
});

test('sync: a divergent switch, a join of joins, and short-circuit code', () => {
  check(`
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
      ret`, ['entry']);
  check(`
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
      ret`, ['entry']);
});

test('sync: a uniform branch behind a join is not affected', () => {
  // LLVM's branch-after-join.ll: the threads are together again before the uniform branch.
  check(`
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
      ret`, ['entry']);
});

// The next fixtures restate functions of LLVM 22's llvm/test/Analysis/UniformityAnalysis/AMDGPU/temporal_diverge.ll.
test('temporal: a uniform value of a loop is divergent to users outside a divergent exit', () => {
  const { s, d } = check(`
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
      ret`, ['H']);
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%div.user'), 0)), 'the value is uniform, its use is not');
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%uni.first'), 0)));
  assert.not(d.isDivergentUse(...useOf(s, s.instr('%uni.h'), 1)), 'uniform inside the loop');
  assert.not(d.isDivergentUse(...useOf(s, s.instr('%div.user'), 1)), 'a constant');
  assert.equal([...d.divergentExit], [1]);
  assert.is(d.cause[s.value('%div.user')], Cause.Temporal);
  assert.is(d.causeId[s.value('%div.user')], 0);
});

test('temporal: phis at and behind the exit, users further out', () => {
  check(`
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
      ret`, ['H']);
  check(`
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
      ret`, ['H']);
});

test('temporal: inside the outer, divergent loop the value is uniform', () => {
  check(`
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
      ret`, ['X']);
});

test('temporal: threads parted inside a loop leave it through a uniform exit in different iterations', () => {
  const { d } = check(`
    arg %div.tid i32 never
    arg %uni.a
    entry:
      %div.c = icmp slt %div.tid 0
      %uni.c = icmp slt %uni.a 0
      br H
    H:
      %uni.i = phi [0 entry] [%uni.inc L]
      %uni.inc = add %uni.i 1
      br %div.c A B
    A:
      br %uni.c X L
    B:
      br L
    L:
      br H
    X:
      %div.u = add %uni.inc 5
      ret`, ['H']);
  assert.equal([...d.divergentExit], [1]);
});

test('temporal: an exit that leaves two loops at once', () => {
  const { s, d } = check(`
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
      ret`, ['H']);
  const outer = cycles(cfgOf(s.f)).cycleOf(s.block('G'));
  assert.equal([...d.divergentExit.keys()].filter((c) => d.divergentExit[c] === 1), [outer], 'only the outermost that is left');
});

// LLVM's irreducible/diverged-entry-headers-nested.ll: the walk, and so the order of two successors, decides.
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
    if (d.assumedDivergent.length > 0) {
      assert.is(d.cause[s.value('%pp')], Cause.AssumedCycle);
      assert.is(d.causeId[s.value('%pp')], d.assumedDivergent[0]);
    } else assert.is(d.valueDivergent[s.value('%pp')], 0);
    return d.assumedDivergent.map((id) => `${c2.depth[id]} ${s.blockNames[c2.header[id]]}`);
  };
  assert.equal(assumed('B A', 'T P'), [], 'headers_b_p');
  assert.equal(assumed('A B', 'P T'), ['2 T'], 'headers_b_t');
  assert.equal(assumed('B A', 'P T'), ['1 A'], 'headers_a_t');
});

test('irreducible: entered at two places from outside', () => {
  // LLVM's irreducible/exit-divergence.ll, no_divergent_exit.
  const { s, d } = check(`
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
      ret`, ['entry']);
  assert.is(d.assumedDivergent.length, 1);
  assert.is(d.cause[s.value('%div.bb')], Cause.AssumedCycle);
  assert.equal([...d.divergentExit], [0]);
});

test('irreducible: a divergent exit', () => {
  // LLVM's irreducible/exit-divergence.ll, basic.
  const { s, d } = check(`
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
      ret`, ['Q']);
  assert.equal([...d.divergentExit], [1]);
  assert.equal([...d.assumedDivergent], []);
  assert.ok(d.isDivergentUse(...useOf(s, s.instr('%div.1'), 0)));
});

test('unreachable code is marked but has no consequences', () => {
  check(`
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
      ret`, ['dead']);
});

/** Whether two paths that share only their ends lead from different successors of `branch` to `to`; by augmenting paths. */
function hasDisjointPaths(successors: Successors, branch: number, to: number): boolean {
  // Node b is split into 2b (in) and 2b + 1 (out), joined by an edge of capacity 1.
  const n = successors.length;
  const capacity = new Map<string, number>();
  const add = (a: number, b: number): void => void capacity.set(`${a} ${b}`, 1);
  for (let b = 0; b < n; b++) {
    if (b !== branch && b !== to) add(2 * b, 2 * b + 1);
    for (const t of b === to ? [] : new Set(successors[b])) add(2 * b + 1, 2 * t);
  }
  const augment = (at: number, seen: Set<number>): boolean => {
    if (at === 2 * to) return true;
    seen.add(at);
    for (let next = 0; next < 2 * n; next++) {
      if (seen.has(next) || (capacity.get(`${at} ${next}`) ?? 0) === 0 || !augment(next, seen)) continue;
      capacity.set(`${at} ${next}`, 0);
      capacity.set(`${next} ${at}`, 1);
      return true;
    }
    return false;
  };
  return augment(2 * branch + 1, new Set()) && augment(2 * branch + 1, new Set());
}

test('joins without cycles are the ends of disjoint paths', () => {
  fc.assert(fc.property(arbitraryCfg({ maxBlocks: 12, acyclic: true }), (successors) => {
    const g = cfgOf(graphSnapshot(successors).f);
    const sync = new SyncDependence(g, cycles(g));
    const reachable = reachableFrom(g, g.entry);
    for (let b = 0; b < g.count; b++) {
      if (reachable[b] === 0) continue;
      const { joins, cycleExits } = sync.joins(b as BlockId);
      assert.equal([...cycleExits], []);
      for (let x = 0; x < g.count; x++)
        assert.is(joins.includes(x as BlockId), x !== b && hasDisjointPaths(successors, b, x), `branch ${b}, join ${x}`);
    }
  }), { numRuns: 300 });
});

test('without cycles, divergence is the naive fixpoint of data and joins', () => {
  fc.assert(fc.property(arbitraryCfg({ maxBlocks: 9, acyclic: true }), fc.nat(), (successors, seed) => {
    const { f } = snapshot(randomProgram(successors, seed));
    const d = divergence(f);
    const reachable = reachableFrom(cfgOf(f), 0 as BlockId);
    const divergent = new Uint8Array(f.valueCount);
    for (let changed = true; changed; ) {
      changed = false;
      for (let i = 0; i < f.instrCount; i++) {
        if (divergent[f.argCount + i] === 1 || f.instrUniformity[i] === Uniformity.AlwaysUniform) continue;
        const operands = f.operand.subarray(f.operandStart[i], f.operandStart[i + 1]);
        const joins = (branch: number): boolean => {
          const end = f.blockInstrStart[branch + 1] - 1;
          return reachable[branch] === 1 && divergent[f.argCount + end] === 1 && branch !== f.instrBlock[i] && hasDisjointPaths(successors, branch, f.instrBlock[i]);
        };
        const synced = f.instrOpcode[i] === Opcode.Phi && new Set(operands).size > 1 && successors.some((_, b) => joins(b));
        if (!synced && f.instrUniformity[i] !== Uniformity.NeverUniform && ![...operands].some((v) => divergent[v] === 1)) continue;
        divergent[f.argCount + i] = 1;
        changed = true;
      }
    }
    for (let b = 0; b < f.blockCount; b++) {
      const end = f.argCount + f.blockInstrStart[b + 1] - 1;
      assert.is(d.terminatorDivergent[b], divergent[end], `terminator of ${b}`);
      divergent[end] = 0;
    }
    assert.equal([...d.valueDivergent], [...divergent]);
  }), { numRuns: 200 });
});

interface Golden {
  readonly program: string;
  readonly idom: readonly number[];
  readonly reachable: string;
  readonly postIdom: readonly number[];
  readonly roots: readonly number[];
  readonly cycles: readonly string[];
  readonly assumed: readonly string[];
  readonly divergentExits: readonly string[];
  readonly values: string;
  readonly terminators: string;
}

test('LLVM 22.1.8 says the same about random programs', () => {
  // What `opt -passes='print<domtree>,print<postdomtree>,print<cycles>,print<uniformity>'` printed, irreducible and endless
  // cycles and unreachable blocks included. Blocks and cycles are in LLVM's notation and order.
  const file = new URL('../../../test/analysis/llvm22.golden.json', import.meta.url);
  const golden = JSON.parse(readFileSync(file, 'utf8')) as Golden[];
  assert.ok(golden.length >= 100);
  const bits = (n: number, bit: (i: number) => number | boolean): string => Array.from({ length: n }, (_, i) => Number(bit(i))).join('');
  for (const g of golden) {
    const { f } = snapshot(g.program);
    const cfg = cfgOf(f);
    const dom = dominators(cfg);
    assert.equal([...dom.idom], g.idom, g.program);
    assert.is(bits(f.blockCount, (b) => dom.isReachable(b as BlockId)), g.reachable, g.program);
    assert.equal([...postDominators(cfg).idom], g.postIdom, g.program);
    assert.equal([...postDominatorRoots(cfg)], g.roots, g.program);
    const c = cycles(cfg);
    const d = divergence(f);
    const print = (id: number): string => {
      const entries = [...c.entries(id as CycleId)];
      const rest = [...c.blocks(id as CycleId)].filter((b) => !entries.includes(b));
      return `depth=${c.depth[id]}: entries(${entries.map((b) => `bb${b}`).join(' ')})${rest.map((b) => ` bb${b}`).join('')}`;
    };
    const all = Array.from({ length: c.count }, (_, id) => id);
    assert.equal(all.map(print).sort(), g.cycles, g.program);
    assert.equal(d.assumedDivergent.map(print).sort(), g.assumed, g.program);
    assert.equal(all.filter((id) => d.divergentExit[id] === 1).map(print).sort(), g.divergentExits, g.program);
    assert.is(bits(f.instrCount, (i) => d.valueDivergent[f.argCount + i]), g.values, g.program);
    assert.is(bits(f.blockCount, (b) => d.terminatorDivergent[b]), g.terminators, g.program);
  }
});

interface Step {
  readonly instr: number;
  readonly value: number;
  readonly operands: readonly number[];
}

/**
 * What one thread does: per dynamic instance (block, and how often the header of each cycle around it was met since the cycle
 * was entered) the instructions with their values. Threads at equal instances execute together. A terminator's value is the
 * successor it takes. Reducible control flow only.
 */
function execute(f: FunctionSnapshot, thread: number, maxBlocks: number): Map<string, Step[]> {
  const c = cycles(cfgOf(f));
  const trace = new Map<string, Step[]>();
  const values = Int32Array.from({ length: f.valueCount }, (_, v) => (v * 5 + 1) % 8);
  const iteration = new Int32Array(c.count);
  let from: number = NONE;
  let b = 0;
  for (let count = 0; count < maxBlocks; count++) {
    let instance = `${b}`;
    for (let id: number = c.cycleOf(b as BlockId); id !== NONE; id = c.parent[id]) {
      if (from === NONE || !c.contains(id as CycleId, from as BlockId)) iteration[id] = 0;
      else if (c.header[id] === b) iteration[id]++;
      instance += `.${iteration[id]}`;
    }
    const steps: Step[] = [];
    const before = values.slice();
    let next: number = NONE;
    for (let i = f.blockInstrStart[b]; i < f.blockInstrStart[b + 1]; i++) {
      const first = f.operandStart[i];
      const isPhi = f.instrOpcode[i] === Opcode.Phi;
      let operands = [...f.operand.subarray(first, f.operandStart[i + 1])].map((v) => (isPhi ? before : values)[v]);
      if (isPhi) operands = [operands[f.operandBlock.subarray(first, f.operandStart[i + 1]).indexOf(from)]];
      let value = operands[0] ?? 0;
      if (f.instrUniformity[i] === Uniformity.NeverUniform) value = (thread * 3 + i + count) % 8;
      else if (f.instrUniformity[i] === Uniformity.AlwaysUniform) value = i % 8;
      else if (f.instrOpcode[i] === Opcode.Add) value = (operands[0] + operands[1]) % 8;
      else if (f.instrOpcode[i] === Opcode.ICmp) value = operands[0] < operands[1] ? 1 : 0;
      else if (i === f.blockInstrStart[b + 1] - 1) {
        const targets = f.succ.subarray(f.succStart[b], f.succStart[b + 1]);
        next = targets.length === 0 ? NONE : targets[targets.length === 2 ? 1 - operands[0] : (operands[0] ?? 0) % targets.length];
        value = next;
      }
      values[f.argCount + i] = value;
      steps.push({ instr: i, value, operands });
    }
    trace.set(instance, steps);
    if (next === NONE) break;
    from = b;
    b = next;
  }
  return trace;
}

test('reducible: threads that execute together agree on all that is uniform', () => {
  let programs = 0;
  let uniformLoopValues = 0;
  fc.assert(fc.property(arbitraryCfg({ maxBlocks: 9 }), fc.nat(), (successors, seed) => {
    const { f } = snapshot(randomProgram(successors, seed));
    const c = cycles(cfgOf(f));
    for (let id = 0; id < c.count; id++) if (!c.isReducible(id as CycleId)) return;
    programs++;
    const d = divergence(f);
    const traces = [0, 1, 2, 5].map((thread) => execute(f, thread, 60));
    for (const [instance, steps] of traces[0]) {
      for (const other of traces.slice(1)) {
        const theirs = other.get(instance);
        if (!theirs) continue;
        steps.forEach(({ instr, value, operands }, k) => {
          const block = f.instrBlock[instr];
          const isTerminator = instr === f.blockInstrStart[block + 1] - 1;
          const uniform = isTerminator ? d.terminatorDivergent[block] === 0 : d.valueDivergent[f.argCount + instr] === 0;
          if (uniform) assert.is(theirs[k].value, value, `instruction ${instr} at ${instance}`);
          if (uniform && c.depthOf(block as BlockId) > 0) uniformLoopValues++;
          // A phi reads different operands; its use is only as uniform as the choice.
          if (f.instrOpcode[instr] === Opcode.Phi) return;
          operands.forEach((read, o) => {
            if (!d.isDivergentUse(f.operandStart[instr] + o, instr as InstrId))
              assert.is(theirs[k].operands[o], read, `operand ${o} of ${instr} at ${instance}`);
          });
        });
      }
    }
  }), { numRuns: 600 });
  assert.ok(programs > 100 && uniformLoopValues > 100, `${programs} programs, ${uniformLoopValues} uniform values in loops`);
});

test.run();
