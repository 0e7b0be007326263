/** Scalar comparisons (SOPC, and SOPK with a 16-bit constant): the result is SCC. */
import type { Site } from '../site.js';
import { specialize } from '../specialize.js';
import type { Step, Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';

type Predicate = (a: number, b: number) => boolean;

const signed = (test: Predicate, a: number, b: number) => (w: Wave) => {
  w.scc = test(w.i32[a]!, w.i32[b]!) ? 1 : 0;
};

const unsigned = (test: Predicate, a: number, b: number) => (w: Wave) => {
  w.scc = test(w.u32[a]!, w.u32[b]!) ? 1 : 0;
};

type Loop = (test: Predicate, a: number, b: number) => Step;

const compare = (loop: Loop, test: Predicate): Operation => {
  const own = specialize(loop);
  return (site) => {
    const a = site.scalarSource('src0');
    const b = site.scalarSource('src1');
    return site.step(own(test, a, b));
  };
};

/** The register is called `sdst`, though nothing is written to it. */
const compareConstant = (loop: Loop, test: Predicate, constant: (site: Site) => number): Operation => {
  const own = specialize(loop);
  return (site) => {
    const a = site.scalarSource('sdst');
    const b = site.layout.constant(constant(site));
    return site.step(own(test, a, b));
  };
};

const signedConstant = (site: Site): number => (site.instruction.immediate('simm16') << 16) >> 16;
const unsignedConstant = (site: Site): number => site.instruction.immediate('simm16') & 0xffff;

const PREDICATES: Readonly<Record<string, Predicate>> = {
  eq: (a, b) => a === b,
  lg: (a, b) => a !== b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

const comparisons: OperationTable = Object.fromEntries(
  Object.entries(PREDICATES).flatMap(([name, test]) => [
    [`s_cmp_${name}_i32`, compare(signed, test)],
    [`s_cmp_${name}_u32`, compare(unsigned, test)],
    [`s_cmpk_${name}_i32`, compareConstant(signed, test, signedConstant)],
    [`s_cmpk_${name}_u32`, compareConstant(unsigned, test, unsignedConstant)],
  ]),
);

const equal64 =
  (whenEqual: 0 | 1): Operation =>
  (site) => {
    const a = site.scalarSource('src0', 2);
    const b = site.scalarSource('src1', 2);
    return site.step((w) => {
      const equal = w.i32[a] === w.i32[b] && w.i32[a + 1] === w.i32[b + 1];
      w.scc = equal ? whenEqual : 1 - whenEqual;
    });
  };

/** SCC = bit src1 of src0 is `value`. */
const testBit =
  (value: 0 | 1, words: 1 | 2): Operation =>
  (site) => {
    const a = site.scalarSource('src0', words);
    const b = site.scalarSource('src1');
    return site.step((w) => {
      const n = w.i32[b]!;
      const word = w.i32[a + (words === 2 ? (n >>> 5) & 1 : 0)]!;
      w.scc = ((word >>> n) & 1) === value ? 1 : 0;
    });
  };

export const scalarCompare: OperationTable = {
  ...comparisons,
  s_cmp_eq_u64: equal64(1),
  s_cmp_lg_u64: equal64(0),
  s_bitcmp0_b32: testBit(0, 1),
  s_bitcmp1_b32: testBit(1, 1),
  s_bitcmp0_b64: testBit(0, 2),
  s_bitcmp1_b64: testBit(1, 2),
};
