/**
 * Says which two instructions may become one (rule 2), and in which order their first two operands correspond. It
 * does not look at the operands themselves.
 *
 * Their keys must be equal. Instructions with the flag `NeedsPairCheck` are also checked by LLVM, once per pair.
 * Commutative operations fit in both orders. Keys of compares ignore the direction of the predicate: equal predicates
 * fit straight, mirrored ones (`a < b`, `b > a`) with their operands exchanged, and symmetric ones (`eq`, `ne`, `ord`
 * …) in both orders.
 */
import type { InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { swappedPredicate } from '../../ir/predicates.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode } from '../../ir/snapshot.js';

/** LLVM's answer on two instructions with equal keys (attributes, special state). It is asked at most once per pair. */
export type CanPair = (t: InstrId, f: InstrId) => boolean;

/** Bits of `Matcher.orders`. */
export const OperandOrder = { None: 0, Straight: 1, Swapped: 2, Either: 3 } as const;

export class Matcher {
  private readonly answers = new Map<number, boolean>();

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly canPair: CanPair,
  ) {}

  /** How the operands of `t` and `f` may correspond, as `OperandOrder` bits. `None`: the two may not become one. */
  orders(t: InstrId, f: InstrId): number {
    const { fn } = this;
    const flags = fn.instrFlags[t] | fn.instrFlags[f];
    if (fn.instrKey[t] === NONE || fn.instrKey[t] !== fn.instrKey[f]) return OperandOrder.None;
    if ((flags & (InstrFlag.NeverMelds | InstrFlag.Convergent | InstrFlag.WritesWaveState)) !== 0)
      return OperandOrder.None;
    if (fn.operandStart[t + 1] - fn.operandStart[t] !== fn.operandStart[f + 1] - fn.operandStart[f])
      return OperandOrder.None;
    const opcode = fn.instrOpcode[t];
    if (opcode !== fn.instrOpcode[f] || opcode === Opcode.Alloca) return OperandOrder.None;
    let orders: number = OperandOrder.Straight;
    if (opcode === Opcode.ICmp || opcode === Opcode.FCmp) {
      const [p, q] = [fn.instrPredicate[t], fn.instrPredicate[f]];
      orders = (p === q ? OperandOrder.Straight : 0) | (p === swappedPredicate(q) ? OperandOrder.Swapped : 0);
    } else if ((fn.instrFlags[t] & fn.instrFlags[f] & InstrFlag.Commutative) !== 0) {
      orders = OperandOrder.Either;
    }
    if (orders !== 0 && (flags & InstrFlag.NeedsPairCheck) !== 0 && !this.checked(t, f)) return OperandOrder.None;
    return orders;
  }

  private checked(t: InstrId, f: InstrId): boolean {
    const key = t * this.fn.instrCount + f;
    let answer = this.answers.get(key);
    if (answer === undefined) this.answers.set(key, (answer = this.canPair(t, f)));
    return answer;
  }
}
