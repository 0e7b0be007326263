/**
 * What may not be melded at all (section 1 of MELDING-RULES.md, and rule 4 for markers): on the level of the function, of the
 * region between branch and join, and of one subgraph. A subgraph that is refused leaves its neighbours on the same path alone.
 * The shape of regions and subgraphs (rules 1.2, 1.3, irreducible cycles) is checked where they are found, analysis/regions.ts.
 *
 * Markers: an `assume` in a melded block is dropped. Lifetime markers would have to go together for an alloca, and different
 * `noalias.scope.decl` never merge; both refuse the subgraph.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { FunctionFlag, InstrFlag, Opcode, TypeKind, hasFlag, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';

export interface Refusal {
  readonly rule: string;
  readonly reason: string;
}

const MAY_WAIT = InstrFlag.Atomic | InstrFlag.Volatile | InstrFlag.MaySync;

const refusal = (rule: string, reason: string): Refusal => ({ rule, reason });

export function functionRefusal(fn: FunctionSnapshot): Refusal | null {
  if ((fn.flags & FunctionFlag.OptNone) !== 0) return refusal('1.7', 'the function is optnone');
  if ((fn.flags & FunctionFlag.Naked) !== 0) return refusal('1.7', 'the function is naked');
  if ((fn.flags & FunctionFlag.AddressTaken) !== 0) return refusal('1.7', 'the address of a block is taken');
  if ((fn.flags & FunctionFlag.ConvergenceControl) !== 0)
    return refusal('1.5', 'the function uses convergence control tokens');
  return null;
}

/** @param blocks everything between branch and join */
export function regionRefusal({ fn }: PlanningContext, blocks: readonly BlockId[]): Refusal | null {
  for (const b of blocks) {
    const opcode = fn.instrOpcode[terminatorOf(fn, b)];
    if (opcode !== Opcode.Br && opcode !== Opcode.Switch)
      return refusal('1.4', 'between branch and join is a terminator other than br and switch');
    for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++) {
      if (fn.instrOpcode[i] === Opcode.LandingPad)
        return refusal('1.4', 'between branch and join is an exception handling pad');
      if (fn.typeKind[fn.instrType[i]] === TypeKind.Token)
        return refusal('1.7', 'between branch and join is a value of token type');
    }
  }
  return null;
}

/** @param blocks of one subgraph */
export function subgraphRefusal(ctx: PlanningContext, blocks: readonly BlockId[]): Refusal | null {
  const { fn, cycles } = ctx;
  const members = new Set<number>(blocks);
  for (const b of blocks) {
    if (fn.instrOpcode[terminatorOf(fn, b)] !== Opcode.Br) return refusal('1.1', 'the subgraph holds a switch');
    const cycle = cycles.cycleOf(b);
    const ownLoop = cycle !== NONE && members.has(cycles.header[cycle]);
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]; i++) {
      const flags = fn.instrFlags[i];
      if ((flags & InstrFlag.Convergent) !== 0) return refusal('1.5', 'the subgraph holds a convergent operation');
      if ((flags & InstrFlag.WritesWaveState) !== 0) return refusal('1.5', 'the subgraph writes wave state');
      if (ownLoop && (flags & MAY_WAIT) !== 0)
        return refusal('1.6', 'a loop of the subgraph may wait for other threads');
      if (fn.instrOpcode[i] === Opcode.Alloca) return refusal('2', 'the subgraph holds an alloca');
      if (hasFlag(fn, i as InstrId, InstrFlag.Marker) && !isAssume(fn, i as InstrId))
        return refusal('4', 'the subgraph holds lifetime markers or alias scope declarations');
    }
  }
  return null;
}

/**
 * Threads of the other side would reach the subgraph only when those in the loop have left it, and what they were to do behind
 * may be what the loop waits for.
 *
 * @param before blocks of one side in front of a subgraph
 */
export function waitRefusal(
  { fn, cycles }: PlanningContext,
  branch: BlockId,
  before: readonly BlockId[],
): Refusal | null {
  for (const b of before) {
    if (cycles.depthOf(b) <= cycles.depthOf(branch)) continue;
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]; i++)
      if ((fn.instrFlags[i] & MAY_WAIT) !== 0)
        return refusal('1.6', 'a loop in front of the subgraph may wait for other threads');
  }
  return null;
}

/** The one marker whose first operand is a condition. */
function isAssume(fn: FunctionSnapshot, i: InstrId): boolean {
  const type = fn.valueType[fn.operand[fn.operandStart[i]]];
  return (
    fn.operandStart[i + 1] > fn.operandStart[i] && fn.typeKind[type] === TypeKind.Integer && fn.typeBits[type] === 1
  );
}
