/** How far floats of two compilations may lie apart that are both right. */
import type { Tolerance } from '../simulator/compare.js';

const FAST_MATH: Tolerance = { f16: 2e-3, f32: 1e-5, f64: 1e-12 };

/** @param given `--tolerance`; undefined: what the kernels' operations allow */
export function toleranceOf(given: number | undefined, mayRoundOtherwise: boolean): Tolerance {
  if (given === undefined) return mayRoundOtherwise ? FAST_MATH : {};
  return given === 0 ? {} : { f16: given, f32: given, f64: given };
}

/**
 * Whether an operation of the module may be rounded in several ways, so that two correct compilations may differ. The
 * flags follow the operation's name (LangRef, "Fast-Math Flags"); `nnan` and `ninf` alone do not change defined
 * results. `!fpmath` allows a larger error.
 */
export function hasFastMath(ir: string): boolean {
  const operation = '(?:fneg|fadd|fsub|fmul|fdiv|frem|fcmp|fptrunc|fpext|phi|select|(?:tail |musttail |notail )?call)';
  return new RegExp(`= ${operation}(?: nnan| ninf)* (?:fast|contract|reassoc|afn|arcp|nsz)\\b|, !fpmath !`).test(ir);
}
