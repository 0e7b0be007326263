/**
 * Random control-flow graphs and random SSA programs over them, to test the analyses against simple oracles. The graphs
 * come from fast-check, so they shrink. What the blocks compute comes from a seed.
 */
import fc from 'fast-check';
import { dominators } from '../../src/analysis/dominators.js';
import { cfgOf } from '../../src/analysis/graph.js';
import type { BlockId } from '../../src/ir/ids.js';
import { graphSnapshot } from '../support/snapshot-builder.js';

/** Per block: its successors. */
export type Successors = readonly (readonly number[])[];

export interface CfgShape {
  readonly maxBlocks: number;
  /** Whether all edges lead forward. */
  readonly acyclic?: boolean;
}

/**
 * Graphs whose edges lead mostly to near blocks, so that loops, joins, irreducible regions, unreachable blocks and
 * endless loops all occur. The entry has no predecessors, as in LLVM.
 */
export function arbitraryCfg({ maxBlocks, acyclic = false }: CfgShape): fc.Arbitrary<Successors> {
  const jump = fc.integer({ min: acyclic ? 0 : -4, max: 4 });
  const block = fc.oneof(
    { weight: 1, arbitrary: fc.constant<number[]>([]) },
    { weight: 4, arbitrary: fc.tuple(jump) },
    { weight: 9, arbitrary: fc.tuple(jump, jump) },
    { weight: 1, arbitrary: fc.tuple(jump, jump, jump) },
  );
  return fc.array(block, { minLength: 1, maxLength: maxBlocks }).map((blocks) => {
    const n = blocks.length;
    return blocks.map((jumps, b) => {
      if (n === 1 || (acyclic && b === n - 1)) return [];
      return jumps.map((j) => (acyclic ? Math.min(b + 1 + j, n - 1) : 1 + ((((b + j) % (n - 1)) + n - 1) % (n - 1))));
    });
  });
}

export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Text for `snapshot()`. Every block gets phis, additions and compares, and sometimes a thread id (never uniform) or an
 * always uniform call. All operands dominate their uses. Branch conditions are compares. `%v…` are i32, `%c<block>` are
 * the conditions.
 */
export function randomProgram(successors: Successors, seed: number): string {
  const random = randomNumbers(seed);
  const chance = (percent: number): boolean => random(100) < percent;
  const g = cfgOf(graphSnapshot(successors).f);
  const dom = dominators(g);
  const lines = ['arg %a0', 'arg %a1'];
  // The names come first, so that phis can use what is defined later.
  const names: string[][] = successors.map(() => []);
  const phis = successors.map((_, b) => (g.predStart[b] === g.predStart[b + 1] ? 0 : random(3)));
  let count = 0;
  successors.forEach((_, b) => {
    for (let n = phis[b] + 1 + random(3); n > 0; n--) names[b].push(`%v${count++}`);
  });
  /** A value that is defined before instruction `position` of block b. */
  const pick = (b: number, position: number): string => {
    if (chance(20) || !dom.isReachable(b as BlockId)) return ['%a0', '%a1', '3', '5'][random(4)];
    const above = names
      .filter((_, d) => d !== b && dom.isReachable(d as BlockId) && dom.dominates(d as BlockId, b as BlockId))
      .flat();
    const choice = [...above, ...names[b].slice(0, position)];
    return choice.length === 0 ? '%a0' : choice[random(choice.length)];
  };
  const sources = [4, 12, 30][random(3)];
  successors.forEach((to, b) => {
    lines.push(`b${b}:`);
    names[b].forEach((name, position) => {
      if (position < phis[b]) {
        const incoming = new Map<number, string>();
        for (const p of g.pred.subarray(g.predStart[b], g.predStart[b + 1]))
          incoming.set(p, incoming.get(p) ?? pick(p, names[p].length));
        const parts = [...g.pred.subarray(g.predStart[b], g.predStart[b + 1])].map((p) => `[${incoming.get(p)} b${p}]`);
        lines.push(`${name} = phi ${parts.join(' ')}`);
      } else if (chance(sources)) lines.push(`${name} = call @llvm.tid !never`);
      else if (chance(5)) lines.push(`${name} = call @llvm.readfirstlane ${pick(b, position)} !always`);
      else lines.push(`${name} = add ${pick(b, position)} ${pick(b, position)}`);
    });
    const end = names[b].length;
    if (to.length === 0) lines.push('ret');
    else if (to.length === 1) lines.push(`br b${to[0]}`);
    else if (to.length === 2) lines.push(`%c${b} = icmp slt ${pick(b, end)} 4`, `br %c${b} b${to[0]} b${to[1]}`);
    else
      lines.push(
        `switch ${pick(b, end)} b${to[0]} ${to
          .slice(1)
          .map((t, i) => `${i} b${t}`)
          .join(' ')}`,
      );
  });
  return lines.join('\n');
}
