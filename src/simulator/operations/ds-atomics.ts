/** Atomics on the LDS. Those that return the old value have `_rtn` before the type in their name. */
import { addPackedBf16, addPackedF16, atomic32, atomic64, FLOAT, INTEGER } from './atomics.js';
import { single } from './ds-access.js';
import type { Operation, OperationTable } from './operation.js';

/** `ds_add_u32` and `ds_add_rtn_u32`. */
function both(stem: string, type: string, operation: Operation): OperationTable {
  return { [`ds_${stem}_${type}`]: operation, [`ds_${stem}_rtn_${type}`]: operation };
}

const returning = (stem: string, type: string, operation: Operation): OperationTable => ({
  [`ds_${stem}_rtn_${type}`]: operation,
});

function integer(update: string, stem: string, letter: 'u' | 'i' | 'b', names = both): OperationTable {
  const [narrow, wide, second] = INTEGER[update]!;
  return {
    ...names(stem, `${letter}32`, single(atomic32(narrow, second))),
    ...names(stem, `${letter}64`, single(atomic64(wide, second))),
  };
}

function float(update: string, stem: string): OperationTable {
  const [narrow, wide, second] = FLOAT[update]!;
  return {
    ...both(stem, 'f32', single(atomic32(narrow, second, 'f32'))),
    ...both(stem, 'f64', single(atomic64(wide, second, 'f16f64'))),
  };
}

/** `cmpst` (GFX9, GFX10) compares with data0 and stores data1; `cmpstore` (GFX11) does it the other way round. */
function compare(updates: typeof INTEGER, update: string, letter: 'b' | 'f'): OperationTable {
  const [narrow, wide, second] = updates[update]!;
  const narrowFactory = atomic32(narrow, second);
  const wideFactory = atomic64(wide, second);
  return {
    ...both('cmpst', `${letter}32`, single(narrowFactory, true)),
    ...both('cmpst', `${letter}64`, single(wideFactory, true)),
    ...both('cmpstore', `${letter}32`, single(narrowFactory)),
    ...both('cmpstore', `${letter}64`, single(wideFactory)),
  };
}

export const dsAtomics: OperationTable = {
  ...integer('add', 'add', 'u'),
  ...integer('sub', 'sub', 'u'),
  ...integer('rsub', 'rsub', 'u'),
  ...integer('inc', 'inc', 'u'),
  ...integer('dec', 'dec', 'u'),
  ...integer('smin', 'min', 'i'),
  ...integer('smax', 'max', 'i'),
  ...integer('umin', 'min', 'u'),
  ...integer('umax', 'max', 'u'),
  ...integer('and', 'and', 'b'),
  ...integer('or', 'or', 'b'),
  ...integer('xor', 'xor', 'b'),
  ...integer('mskor', 'mskor', 'b'),
  ...integer('swap', 'wrxchg', 'b', returning),
  ...integer('swap', 'storexchg', 'b', returning),
  ds_wrap_rtn_b32: single(atomic32(INTEGER['wrap']![0], 'second')),
  ...compare(INTEGER, 'cmpswap', 'b'),
  ...compare(FLOAT, 'fcmpswap', 'f'),
  ...float('fmin', 'min'),
  ...float('fmax', 'max'),
  ...float('fadd', 'add'),
  ...both('pk_add', 'f16', single(addPackedF16)),
  ...both('pk_add', 'bf16', single(addPackedBf16)),
};
