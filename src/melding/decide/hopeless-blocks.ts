/**
 * Remembers from round to round which pairs of large blocks do not pay. After each round the function is planned anew,
 * because a meld may change what another one gains. But most of it is as it was, and to align two blocks of hundreds of
 * instructions takes longer than anything else.
 *
 * A pair is recognised by all that its judgement depends on: the instructions and their costs, which operands are
 * equal, where results are used, and what is known about values from outside. Numbers of values and blocks change from
 * round to round, so everything has a number in order of first appearance here. Whatever has more to it is not
 * remembered: blocks with phis, loops, melds in front, operands that must be uniform.
 *
 * Only what never melds is remembered, so a mistake here could not make a wrong meld. It could only miss one.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Frame } from '../draft/frame.js';
import { incomingFrom } from '../draft/frame.js';
import { neighbourBonus } from '../draft/evaluate.js';
import { hasConstantOffset } from '../draft/losses.js';
import type { Partners } from '../draft/partner-log.js';
import type { Refusal } from '../rules.js';
import { areEqual } from './equal-arrays.js';

/** Smaller blocks are aligned faster than they are recognised. */
const LEAST_CELLS = 4096;

/** What is known about a pair that never melds. */
interface Hopeless {
  /** Null where the net alone decides. */
  readonly refusal: Refusal | null;
  readonly net: number;
  /** What paired: candidates behind this one may suppose that it melds. */
  readonly partners: Partners | null;
}

export class HopelessBlocks {
  /** Partners are places in their blocks here. */
  private readonly known: (Hopeless & { readonly description: Float64Array })[] = [];

  /** What identifies the frame's pair of blocks, or null for frames that are not remembered. */
  describe(frame: Frame): Float64Array | null {
    const { ctx, blocks, exit } = frame;
    const [{ t, f }, ...more] = blocks;
    const { instrOpcode, blockInstrStart } = ctx.fn;
    const isPlain = more.length === 0 && t !== NONE && f !== NONE && exit.kind === 'single';
    if (!isPlain || frame.cells < LEAST_CELLS || frame.earlier !== null || ctx.hasUniformDemands) return null;
    for (const b of [t, f]) {
      const { succStart, succ } = ctx.graph;
      if (instrOpcode[blockInstrStart[b]] === Opcode.Phi) return null;
      if (succStart[b + 1] - succStart[b] !== 1 || succ[succStart[b]] === b) return null;
    }
    return new Description(frame, t as BlockId, f as BlockId).of();
  }

  find(description: Float64Array, frame: Frame): Hopeless | null {
    const found = this.known.find((each) => areEqual(each.description, description));
    return found ? { ...found, partners: found.partners && moved(found.partners, frame, 1) } : null;
  }

  /** Remembers a pair if it never melds: even its neighbours could not make up for its net. */
  add(description: Float64Array, frame: Frame, { refusal, net, partners }: Hopeless): void {
    const { ctx, branch, front, back } = frame;
    const most = (Number(front) + Number(back)) * neighbourBonus(ctx, branch);
    const never = refusal !== null || (ctx.options.profit !== 'paper' && net < -most);
    if (never) this.known.push({ description, refusal, net, partners: partners && moved(partners, frame, -1) });
  }
}

/** Partners of the frame's blocks, from places to instructions (`sign` 1) or back (-1). */
function moved(partners: Partners, { ctx, blocks }: Frame, sign: 1 | -1): Partners {
  const starts = [blocks[0].t, blocks[0].f].map((b) => ctx.fn.blockInstrStart[b]);
  return partners.map((i, k) => (i + sign * starts[k % 2]) as InstrId);
}

/** Numbers in order of first appearance. */
class Names {
  private readonly names = new Map<number, number>();

  of(id: number): number {
    if (id < 0) return id;
    let name = this.names.get(id);
    if (name === undefined) this.names.set(id, (name = this.names.size));
    return name;
  }

  isNew(id: number): boolean {
    return !this.names.has(id);
  }
}

class Description {
  private readonly ctx: PlanningContext;
  private readonly out: number[] = [];
  private readonly values = new Names();
  private readonly users = new Names();
  private readonly keys = new Names();
  private readonly classes = new Names();
  private readonly bases = new Names();

  constructor(
    private readonly frame: Frame,
    private readonly t: BlockId,
    private readonly f: BlockId,
  ) {
    this.ctx = frame.ctx;
  }

  of(): Float64Array {
    const { frame, t, f, out, ctx } = this;
    const { blockInstrStart, instrOpcode } = ctx.fn;
    for (const b of [frame.branch, t, f]) out.push(ctx.weight[b], ctx.cycles.depthOf(b));
    out.push(Number(frame.front), Number(frame.back), Number(ctx.options.unpredicate === 'never'));
    for (const b of [t, f]) {
      out.push(blockInstrStart[b + 1] - blockInstrStart[b]);
      for (let i = blockInstrStart[b]; i < blockInstrStart[b + 1]; i++) this.instr(i as InstrId);
    }
    const { exit } = frame;
    if (exit.kind === 'single' && exit.t === exit.f) {
      for (let i = blockInstrStart[exit.t] as InstrId; instrOpcode[i] === Opcode.Phi; i++)
        for (const b of [t, f]) {
          const value = incomingFrom(ctx, i, b);
          if (value === null) out.push(NONE);
          else this.value(value);
        }
    }
    return Float64Array.from(out);
  }

  private instr(i: InstrId): void {
    const { ctx, out } = this;
    const { fn, costs } = ctx;
    out.push(fn.instrOpcode[i], fn.instrFlags[i], fn.instrPredicate[i], fn.instrAlign[i], fn.instrAddressSpace[i]);
    out.push(this.frame.standIns(i).length);
    out.push(this.keys.of(fn.instrKey[i]), fn.instrUniformity[i], costs.latency[i], costs.vector[i], ctx.cost[i]);
    this.value(instrValue(fn, i));
    const fused = ctx.fusedInto[i];
    out.push(fused === NONE ? NONE : fused - i, fn.operandStart[i + 1] - fn.operandStart[i]);
    for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++) {
      out.push(fn.operandFlags[o]);
      this.value(fn.operand[o] as ValueId);
    }
    const { start, user, operand } = ctx.uses;
    const value = instrValue(fn, i);
    out.push(start[value + 1] - start[value]);
    for (let u = start[value]; u < start[value + 1]; u++)
      this.user(user[u] as InstrId, operand[u] - fn.operandStart[user[u]]);
  }

  /** A value, and at its first appearance what is known about it. */
  private value(v: ValueId): void {
    const { ctx, values, out } = this;
    const { fn } = ctx;
    const isNew = values.isNew(v);
    out.push(values.of(v));
    if (!isNew) return;
    const type = fn.valueType[v];
    out.push(fn.valueKind[v], fn.typeKind[type], fn.typeBits[type], this.classes.of(ctx.selectClass[v]));
    out.push(ctx.divergence.valueDivergent[v], this.bases.of(fn.valueBase[v]), fn.valueOffset[v]);
    out.push(Number(hasConstantOffset(ctx, v)), fn.valueLiteral[v]);
  }

  /** A user of a result, and at its first appearance what is known about it. */
  private user(i: InstrId, operand: number): void {
    const { ctx, users, out } = this;
    const { fn } = ctx;
    const isNew = users.isNew(i);
    out.push(users.of(i), operand);
    if (!isNew) return;
    const b = fn.instrBlock[i];
    out.push(this.frame.indexOf(b as BlockId), fn.instrOpcode[i], fn.instrFlags[i], this.keys.of(fn.instrKey[i]));
    out.push(fn.instrPredicate[i], ctx.divergence.valueDivergent[instrValue(fn, i)]);
    out.push(ctx.costs.vector[i], ctx.cost[i], ctx.weight[b]);
  }
}
