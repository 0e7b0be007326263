/** LLVM's numbers of the predicates of compares, `CmpInst::Predicate`. */
export const Predicate = {
  FCmpOEQ: 1,
  FCmpONE: 6,
  FCmpORD: 7,
  FCmpUNO: 8,
  FCmpUEQ: 9,
  FCmpUNE: 14,
  ICmpEQ: 32,
  ICmpNE: 33,
  ICmpUGT: 34,
  ICmpULE: 37,
  ICmpSGT: 38,
} as const;

/** Whether a predicate is one of integers and pointers. */
export const comparesIntegers = (p: number): boolean => p >= Predicate.ICmpEQ;

/** `eq` or `ne` of integers. */
export const isIntegerEquality = (p: number): boolean => p === Predicate.ICmpEQ || p === Predicate.ICmpNE;

/** `ugt`, `uge`, `ult` and `ule`. */
export const isUnsigned = (p: number): boolean => p >= Predicate.ICmpUGT && p <= Predicate.ICmpULE;

/** `sgt`, `sge`, `slt` and `sle`. */
export const isSigned = (p: number): boolean => p >= Predicate.ICmpSGT;

/** Whether floats are compared for being, or not being, numbers. */
export const isNumberTest = (p: number): boolean => p === Predicate.FCmpORD || p === Predicate.FCmpUNO;

/** Whether floats are compared for being equal or not. */
export const isFloatEquality = (p: number): boolean =>
  p === Predicate.FCmpOEQ || p === Predicate.FCmpUEQ || p === Predicate.FCmpONE || p === Predicate.FCmpUNE;

/** Whether an order holds for smaller first operands, -1, or for larger ones, 1; 0 for other predicates. */
export function directionOf(p: number): -1 | 0 | 1 {
  if (comparesIntegers(p)) return p < Predicate.ICmpUGT ? 0 : (p - Predicate.ICmpUGT) % 4 < 2 ? 1 : -1;
  const isGreater = (p & 2) !== 0;
  return isGreater === ((p & 4) !== 0) ? 0 : isGreater ? 1 : -1;
}

/** Whether a predicate is `gt` or `le` of integers: what it says of a number, `ge` and `lt` say of the next one. */
export const isOfNext = (p: number): boolean => p >= Predicate.ICmpUGT && [0, 3].includes((p - Predicate.ICmpUGT) % 4);

/** The predicate after exchanging a compare's operands (`CmpInst::getSwappedPredicate`). */
export function swappedPredicate(p: number): number {
  // Behind `eq` and `ne`, those of unsigned and of signed integers follow in fours: gt, ge, lt, le.
  if (p >= Predicate.ICmpUGT) return Predicate.ICmpUGT + ((p - Predicate.ICmpUGT) ^ 2);
  // Those of floats are sets of outcomes: 1 equal, 2 greater, 4 less, 8 unordered.
  return comparesIntegers(p) ? p : (p & 9) | ((p & 2) << 1) | ((p & 4) >> 1);
}
