/** What only the text of a module tells of its functions. */
import {
  calledIntrinsics,
  floatCompares,
  globalsIn,
  hasRoughDivision,
  ldsVariables,
  printedSwitches,
  type FloatCompare,
  type PrintedSwitch,
} from '../formats/ir-text.js';

/** What is true of a function as it was printed. */
export interface PrintedFunction {
  /** In order. */
  readonly floatCompares: readonly FloatCompare[];
  /** In order, by name. */
  readonly intrinsics: readonly string[];
  /** In order. */
  readonly switches: readonly PrintedSwitch[];
}

export interface TextFacts {
  /** Functions that divide roughly. */
  readonly rough: ReadonlySet<string>;
  /** See `FunctionSnapshot`; functions that name no LDS are left out. */
  readonly ldsBytes: ReadonlyMap<string, number>;
  /** Those that have been edited since are left out. */
  readonly printed: Map<string, PrintedFunction>;
}

export const printedFunction = (body: string): PrintedFunction => ({
  floatCompares: floatCompares(body),
  intrinsics: calledIntrinsics(body),
  switches: printedSwitches(body),
});

/** @param bodies of the functions, by name */
export function textFacts(module: string, bodies: ReadonlyMap<string, string>): TextFacts {
  const sizes = ldsVariables(module);
  const rough = new Set<string>();
  const ldsBytes = new Map<string, number>();
  const printed: TextFacts['printed'] = new Map();
  for (const [name, body] of bodies) {
    if (hasRoughDivision(body)) rough.add(name);
    printed.set(name, printedFunction(body));
    if (sizes.size === 0) continue;
    const bytes = [...globalsIn(body)].reduce((sum, each) => sum + (sizes.get(each) ?? 0), 0);
    if (bytes > 0) ldsBytes.set(name, bytes);
  }
  return { rough, ldsBytes, printed };
}
