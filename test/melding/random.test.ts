/** Random diamonds and regions. Every plan must keep the rules that can be checked from the plan alone. */
import fc from 'fast-check';
import type { BlockId, InstrId } from '../../src/ir/ids.js';
import { NONE } from '../../src/ir/ids.js';
import { InstrFlag, Opcode, hasFlag, type FunctionSnapshot } from '../../src/ir/snapshot.js';
import { analysesOf } from '../../src/analysis/analyses.js';
import type { FunctionPlan, PlanOptions } from '../../src/melding/plan.js';
import { planFunction } from '../../src/melding/decide/plan-function.js';
import { countsAsWork } from '../../src/melding/cost/profitability.js';
import { DARM } from '../support/plan-options.js';
import type { BuiltSnapshot } from '../support/snapshot-builder.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('melding/random', { tests: 3 });

interface Op {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
}
const op = fc.record({ kind: fc.nat(9), a: fc.nat(20), b: fc.nat(20) });
const block = fc.array(op, { maxLength: 8 });
/** The kinds of subgraphs on each side. */
const side = fc.array(fc.record({ shape: fc.nat(2), ops: fc.tuple(block, block) }), { minLength: 1, maxLength: 3 });
const program = fc
  .record({ t: side, f: side, alike: fc.nat(3), uniform: fc.boolean(), entries: fc.constantFrom(1, 1, 2, 3) })
  // Usually both sides have the same shapes, and often similar work.
  .map(({ t, f, alike, uniform, entries }) => ({
    t,
    f:
      alike === 0
        ? f
        : t.map((s, k) => ({
            shape: s.shape,
            ops: alike === 1 ? (f[k] ?? f[0]).ops : ([s.ops[0].slice(1), s.ops[1].slice(0, -1)] as [Op[], Op[]]),
          })),
    uniform,
    entries,
  }));

function textOf({
  t,
  f,
  uniform,
  entries,
}: {
  t: readonly { shape: number; ops: readonly [Op[], Op[]] }[];
  f: readonly { shape: number; ops: readonly [Op[], Op[]] }[];
  uniform: boolean;
  /**
   * 1: by the edges of the branch. Otherwise the T side is entered by two branches, as in short-circuit code; 3: the F
   * side uses what is defined between them.
   */
  entries: number;
}): string {
  const sideText = (x: string, subgraphs: typeof t): string => {
    const lines: string[] = [];
    let count = 0;
    const body = (ops: readonly Op[], scope: string[]): void => {
      for (const { kind, a, b } of ops) {
        const v = `%${x}v${count++}`;
        const [p, q] = [scope[a % scope.length], scope[b % scope.length]];
        if (kind < 2) lines.push(`${v}p = gep %p ${p}`, `${v} = load ${v}p`);
        else if (kind === 2) lines.push(`store ${p} %p`);
        else lines.push(`${v} = ${['add', 'sub', 'mul', 'udiv', 'xor', 'add', 'sub'][kind - 3]} ${p} ${q}`);
        if (kind !== 2) scope.push(v);
      }
    };
    // The values of all blocks that dominate what follows.
    const scope = entries === 3 && x === 'f' ? ['%i', '%n', '1', '%o'] : ['%i', '%n', '1', '2'];
    const behind = (k: number): string => `${x}${k}${['', 'z', 'z'][subgraphs[k].shape]}`;
    subgraphs.forEach(({ shape, ops }, k) => {
      const [b, next] = [`${x}${k}`, k + 1 < subgraphs.length ? `${x}${k + 1}` : 'join'];
      const first = entries === 1 ? ['entry'] : x === 't' ? ['entry', 'or'] : ['or'];
      const before = k > 0 ? [behind(k - 1)] : first;
      if (shape === 0) {
        lines.push(`${b}:`);
        body(ops[0], scope);
        lines.push(`br ${next}`);
      } else if (shape === 1) {
        lines.push(`${b}:`);
        body(ops[0], scope);
        lines.push(`%${b}c = icmp slt ${scope.at(-1)} %n`, `br %${b}c ${b}y ${b}z`, `${b}y:`);
        body(ops[1], [...scope]);
        lines.push(`br ${b}z`, `${b}z:`, `br ${next}`);
      } else {
        lines.push(`${b}:`, `%${b}i = phi ${before.map((each) => `[0 ${each}]`).join(' ')} [%${b}n ${b}]`);
        scope.push(`%${b}i`);
        body(ops[0], scope);
        lines.push(
          `%${b}n = add %${b}i 1`,
          `%${b}c = icmp slt %${b}n %n`,
          `br %${b}c ${b} ${b}z`,
          `${b}z:`,
          `br ${next}`,
        );
      }
    });
    return lines.join('\n');
  };
  const branches = entries === 1 ? 'br %c t0 f0' : 'br %c t0 or\nor:\n%o = add %i 1\n%d = icmp slt %o %n\nbr %d t0 f0';
  return `arg %c i1 never\narg %i i32 ${uniform ? 'default' : 'never'}\narg %n i32\narg %p ptr3\nentry:\n${branches}\n${sideText('t', t)}\n${sideText('f', f)}\njoin:\nret`;
}

function check(s: BuiltSnapshot, plan: FunctionPlan): void {
  const { f: fn } = s;
  const touched = new Set<number>();
  const front = s.blockNames.indexOf('or');
  for (const [k, meld] of plan.melds.entries())
    assert.equal(meld.front, k === 0 && front !== NONE && meld.branch === 0 ? [front] : undefined);
  for (const meld of plan.melds) {
    for (const pair of meld.blocks) {
      for (const b of [pair.t, pair.f]) {
        if (b === NONE) continue;
        assert.not(touched.has(b), 'a block melds once a round');
        touched.add(b);
      }
      const order = (b: BlockId | -1, list: readonly number[]): void => {
        const own: number[] = [];
        if (b === NONE) return assert.equal(list, own);
        for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++)
          if (countsAsWork(fn, i as InstrId)) own.push(i);
        assert.equal(
          list.toSorted((a, b) => a - b),
          own,
          'all of the block',
        );
        for (const [n, i] of list.entries())
          for (const later of list.slice(n + 1)) assert.ok(later > i || mayPass(fn, later, i), 'dependences');
      };
      order(
        pair.t,
        pair.alignment.map((a) => a.t).filter((i) => i >= 0),
      );
      order(
        pair.f,
        pair.alignment.map((a) => a.f).filter((i) => i >= 0),
      );
      for (const a of pair.alignment) {
        if (a.t >= 0 && a.f >= 0) assert.is(fn.instrKey[a.t], fn.instrKey[a.f]);
        else if (a.standIn !== undefined) assert.is(fn.instrKey[a.standIn], fn.instrKey[Math.max(a.t, a.f)]);
        else if (a.speculate) assert.ok(hasFlag(fn, Math.max(a.t, a.f) as InstrId, InstrFlag.Speculatable));
      }
      for (const [t, f] of pair.phis) {
        assert.equal([fn.instrBlock[t], fn.instrBlock[f]], [pair.t, pair.f]);
        assert.is(fn.instrType[t], fn.instrType[f]);
      }
    }
    // The edges of the guest are paths in the host. They lead through blocks that the guest only passes, to the place
    // of the target.
    const [host, guest] = meld.host === 't' ? (['t', 'f'] as const) : (['f', 't'] as const);
    const succ = (block: number): number[] => [...fn.succ.subarray(fn.succStart[block], fn.succStart[block + 1])];
    const indexOf = (side: 't' | 'f', block: number): number => meld.blocks.findIndex((each) => each[side] === block);
    const used = new Set<number>();
    const follow = (from: number, slot: number, target: number): void => {
      let at: number = succ(meld.blocks[from][host])[slot];
      for (let k = indexOf(host, at); k >= 0 && meld.blocks[k][guest] === NONE; k = indexOf(host, at)) {
        const { passed, takes } = meld.blocks[k];
        assert.ok(passed, 'guest threads come where they are expected');
        assert.not(used.has(k), 'a block is passed on one way');
        used.add(k);
        at = succ(meld.blocks[k][host])[takes ?? 0];
      }
      assert.is(indexOf(host, at), indexOf(guest, target));
      if (indexOf(host, at) < 0 && meld.exit.kind === 'single')
        assert.equal([at, target], [meld.exit[host], meld.exit[guest]]);
    };
    for (const [k, each] of meld.blocks.entries())
      if (each[guest] !== NONE)
        for (const [slot, target] of succ(each[guest]).entries())
          follow(k, each.takes ?? (each.swapped ? 1 - slot : slot), target);
  }
  for (const c of plan.candidates) {
    assert.ok(c.profit >= 0 && c.profit <= 0.5);
    assert.is(c.verdict === 'refuse', c.rule !== null);
  }
}

/** Whether instruction `i` may come in front of `passed`, an earlier one of its block. There is one memory. */
function mayPass(fn: FunctionSnapshot, passed: number, i: number): boolean {
  const operands = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]);
  const isStore = (each: number): boolean => fn.instrOpcode[each] === Opcode.Store;
  const isAccess = (each: number): boolean => isStore(each) || fn.instrOpcode[each] === Opcode.Load;
  if (operands.includes(fn.argCount + passed)) return false;
  return !(isAccess(passed) && isAccess(i) && (isStore(passed) || isStore(i)));
}

const planOf = (s: BuiltSnapshot, options: PlanOptions): FunctionPlan =>
  planFunction(s.f, analysesOf(s.f), options, () => true);

test('plans with the net model keep the rules and gain', () => {
  let melds = 0;
  fc.assert(
    fc.property(program, (p) => {
      const s = snapshot(textOf(p));
      const plan = planOf(s, { ...DARM, profit: 'net', threshold: 0.2 });
      check(s, plan);
      melds += plan.melds.length;
      assert.ok(plan.melds.length === 0 || plan.melds.reduce((sum, m) => sum + m.net, 0) > 0);
    }),
    { numRuns: 400 },
  );
  assert.ok(melds > 40, `only ${melds} melds seen`);
});

test('plans with the paper model keep the rules, and every meld has a real pair', () => {
  fc.assert(
    fc.property(program, (p) => {
      const s = snapshot(textOf(p));
      const plan = planOf(s, { ...DARM, profit: 'paper', threshold: 0.1 });
      check(s, plan);
      for (const m of plan.melds) {
        assert.ok(m.profit >= 0.1);
        assert.ok(
          m.blocks.some((b) => b.alignment.some((a) => a.t >= 0 && a.f >= 0 && s.f.instrOpcode[a.t] !== Opcode.Select)),
        );
      }
    }),
    { numRuns: 400 },
  );
});

test.long('a side against its copy pairs all its work', () => {
  fc.assert(
    fc.property(side, fc.constantFrom(1, 2), (t, entries) => {
      const s = snapshot(textOf({ t, f: t, uniform: false, entries }));
      for (const m of planOf(s, { ...DARM, profit: 'net', threshold: 0.2 }).melds)
        for (const b of m.blocks)
          // Apart from divisions by values that pair differently, copies need selects only for values from outside that
          // are not in a loop.
          assert.ok(
            b.alignment.every((a) => a.t >= 0 && a.f >= 0),
            JSON.stringify(b.alignment),
          );
    }),
    { numRuns: 200 },
  );
});

test.run();
