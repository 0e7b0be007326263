/**
 * The shapes that scalar operations have. A scalar operation reads and writes words of the register file, two adjacent
 * ones for 64 bits, and most set SCC; the rule for SCC is the shape's. `f` always gets and gives signed words.
 *
 * The 32-bit literal of a 64-bit source is zero-extended, but sign-extended where the operation is signed (RDNA 3 ISA,
 * "Literal constants"); LLVM delivers it zero-extended, and inline constants with all their 64 bits.
 */
import { OperandKind } from '../../formats/disassembly.js';
import type { Site } from '../site.js';
import { specialize } from '../specialize.js';
import type { Wave } from '../wave.js';
import type { Operation } from './operation.js';

type Words = 1 | 2;

/** Words of the result and of the sources; one each where nothing else is said. */
export interface Widths {
  readonly d?: Words;
  readonly a?: Words;
  readonly b?: Words;
  /** A 64-bit source is signed. */
  readonly signed?: boolean;
}

function source(site: Site, name: string, words: Words, signed: boolean): number {
  const operand = site.instruction.operand(name);
  const isNegativeLiteral = operand.kind === OperandKind.Immediate && operand.value < 0 && operand.high === 0;
  if (words === 2 && signed && isNegativeLiteral) return site.layout.constant(operand.value, -1);
  return site.scalarSource(name, words);
}

/** `run(wave, d, a)` with the word indices of `sdst` and `src0`. */
export function scalarUnary(run: (w: Wave, d: number, a: number) => void, widths: Widths = {}): Operation {
  const { d: dWords = 1, a: aWords = 1, signed = false } = widths;
  const bind = specialize((run: (w: Wave, d: number, a: number) => void, d: number, a: number) => (w: Wave) => {
    run(w, d, a);
  });
  return (site) => {
    const a = source(site, 'src0', aWords, signed);
    const d = site.scalarDestination('sdst', dWords);
    return site.step(bind(run, d, a));
  };
}

type Run2 = (w: Wave, d: number, a: number, b: number) => void;

/** `run(wave, d, a, b)` with the word indices of `sdst`, `src0` and `src1`. */
export function scalarBinary(run: Run2, widths: Widths = {}): Operation {
  const { d: dWords = 1, a: aWords = 1, b: bWords = 1, signed = false } = widths;
  const bind = specialize((run: Run2, d: number, a: number, b: number) => (w: Wave) => {
    run(w, d, a, b);
  });
  return (site) => {
    const a = source(site, 'src0', aWords, signed);
    const b = source(site, 'src1', bWords, signed);
    const d = site.scalarDestination('sdst', dWords);
    return site.step(bind(run, d, a, b));
  };
}

/** sdst = f(src0); SCC stays. */
export const value1 = (f: (a: number) => number): Operation =>
  scalarUnary((w, d, a) => {
    w.i32[d] = f(w.i32[a]!);
  });

/** sdst = f(src0); SCC = the result is not zero. */
export const test1 = (f: (a: number) => number): Operation =>
  scalarUnary((w, d, a) => {
    w.scc = (w.i32[d] = f(w.i32[a]!)) !== 0 ? 1 : 0;
  });

/** sdst = f(src0, src1); SCC stays. */
export const value2 = (f: (a: number, b: number) => number): Operation =>
  scalarBinary((w, d, a, b) => {
    w.i32[d] = f(w.i32[a]!, w.i32[b]!);
  });

/** sdst = f(src0, src1); SCC = the result is not zero. */
export const test2 = (f: (a: number, b: number) => number): Operation =>
  scalarBinary((w, d, a, b) => {
    w.scc = (w.i32[d] = f(w.i32[a]!, w.i32[b]!)) !== 0 ? 1 : 0;
  });

/** f on both halves of 64 bits; SCC = the result is not zero. */
export const halves1 = (f: (a: number) => number): Operation =>
  scalarUnary((w, d, a) => writeTested64(w, d, f(w.i32[a]!), f(w.i32[a + 1]!)), { d: 2, a: 2 });

export const halves2 = (f: (a: number, b: number) => number): Operation =>
  scalarBinary((w, d, a, b) => writeTested64(w, d, f(w.i32[a]!, w.i32[b]!), f(w.i32[a + 1]!, w.i32[b + 1]!)), {
    d: 2,
    a: 2,
    b: 2,
  });

export function write64(w: Wave, d: number, low: number, high: number): void {
  w.i32[d] = low;
  w.i32[d + 1] = high;
}

/** SCC = the result is not zero. */
export function writeTested64(w: Wave, d: number, low: number, high: number): void {
  w.i32[d] = low;
  w.i32[d + 1] = high;
  w.scc = (low | high) !== 0 ? 1 : 0;
}
