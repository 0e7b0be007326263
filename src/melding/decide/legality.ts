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

export function functionRefusal(f: FunctionSnapshot): Refusal | null {
  if ((f.flags & FunctionFlag.OptNone) !== 0) return refusal('1.7', 'the function is optnone');
  if ((f.flags & FunctionFlag.Naked) !== 0) return refusal('1.7', 'the function is naked');
  if ((f.flags & FunctionFlag.AddressTaken) !== 0) return refusal('1.7', 'the address of a block is taken');
  if ((f.flags & FunctionFlag.ConvergenceControl) !== 0)
    return refusal('1.5', 'the function uses convergence control tokens');
  return null;
}

/** @param blocks everything between branch and join */
export function regionRefusal({ f }: PlanningContext, blocks: readonly BlockId[]): Refusal | null {
  for (const b of blocks) {
    const opcode = f.instrOpcode[terminatorOf(f, b)];
    if (opcode !== Opcode.Br && opcode !== Opcode.Switch)
      return refusal('1.4', 'between branch and join is a terminator other than br and switch');
    for (let i = f.blockInstrStart[b]; i < f.blockInstrStart[b + 1]; i++) {
      if (f.instrOpcode[i] === Opcode.LandingPad)
        return refusal('1.4', 'between branch and join is an exception handling pad');
      if (f.typeKind[f.instrType[i]] === TypeKind.Token)
        return refusal('1.7', 'between branch and join is a value of token type');
    }
  }
  return null;
}

/** @param blocks of one subgraph */
export function subgraphRefusal(ctx: PlanningContext, blocks: readonly BlockId[]): Refusal | null {
  const { f, cycles } = ctx;
  const members = new Set<number>(blocks);
  for (const b of blocks) {
    if (f.instrOpcode[terminatorOf(f, b)] !== Opcode.Br) return refusal('1.1', 'the subgraph holds a switch');
    const cycle = cycles.cycleOf(b);
    const ownLoop = cycle !== NONE && members.has(cycles.header[cycle]);
    for (let i = f.blockInstrStart[b] as InstrId; i < f.blockInstrStart[b + 1]; i++) {
      const flags = f.instrFlags[i];
      if ((flags & InstrFlag.Convergent) !== 0) return refusal('1.5', 'the subgraph holds a convergent operation');
      if ((flags & InstrFlag.WritesWaveState) !== 0) return refusal('1.5', 'the subgraph writes wave state');
      if (ownLoop && (flags & MAY_WAIT) !== 0)
        return refusal('1.6', 'a loop of the subgraph may wait for other threads');
      if (f.instrOpcode[i] === Opcode.Alloca) return refusal('2', 'the subgraph holds an alloca');
      if (hasFlag(f, i as InstrId, InstrFlag.Marker) && !isAssume(f, i as InstrId))
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
  { f, cycles }: PlanningContext,
  branch: BlockId,
  before: readonly BlockId[],
): Refusal | null {
  for (const b of before) {
    if (cycles.depthOf(b) <= cycles.depthOf(branch)) continue;
    for (let i = f.blockInstrStart[b] as InstrId; i < f.blockInstrStart[b + 1]; i++)
      if ((f.instrFlags[i] & MAY_WAIT) !== 0)
        return refusal('1.6', 'a loop in front of the subgraph may wait for other threads');
  }
  return null;
}

/** The one marker whose first operand is a condition. */
function isAssume(f: FunctionSnapshot, i: InstrId): boolean {
  const type = f.valueType[f.operand[f.operandStart[i]]];
  return f.operandStart[i + 1] > f.operandStart[i] && f.typeKind[type] === TypeKind.Integer && f.typeBits[type] === 1;
}
