/**
 * Operations of the wide family of random kernels: floating point, and others that make code generation choose
 * instructions that the plain family (random-operations.ts) never produces. Their results are exactly defined for any
 * values of the variables: no contraction, and no operation whose result LLVM leaves open (the sign of a zero from
 * `minnum`, `fma` of half on the host, …).
 */
import type { Operation } from './random-emitter.js';
import type { WideEmitter, WideOperation } from './wide-emitter.js';
import { FLOAT_OPS } from './wide-floats.js';
import { INTEGER_OPS } from './wide-integers.js';
import { MEMORY_OPS } from './wide-memory.js';

const callFunction: WideOperation = (e, s) => {
  switch (s.k % 3) {
    case 0:
      return e.put('w', s.d, e.value(`call i64 @long(i64 ${e.get('w', s.a)}, i32 ${e.get('v', s.b)}, i64 ${e.get('z', s.c)})`)); // prettier-ignore
    case 1:
      return e.put('d', s.d, e.value(`call double @curve(double ${e.get('d', s.a)}, float ${e.get('g', s.b)}, half ${e.get('x', s.c)})`)); // prettier-ignore
    default: {
      const list = `i32 ${e.get('v', s.a)}, <2 x i16> ${e.get('s', s.b)}, i64 ${e.get('w', s.c)}, <4 x i32> ${e.get('q', 0)}`;
      return e.put('v', s.d, e.value(`call i32 @many(${list}, i32 ${e.get('u', s.b)}, ptr addrspace(5) %array1)`));
    }
  }
};

/** For `WideEmitter`s only. */
export const WIDE_OPS: readonly Operation[] = [...INTEGER_OPS, ...FLOAT_OPS, ...MEMORY_OPS, callFunction].map(
  (operation): Operation =>
    (e, s) =>
      operation(e as WideEmitter, s),
);
