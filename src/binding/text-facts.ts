/** What only the text of a module tells of its functions. */
import { floatCompares, globalsIn, hasRoughDivision, ldsVariables, type FloatCompare } from '../formats/ir-text.js';

export interface TextFacts {
  /** Functions that divide roughly. */
  readonly rough: ReadonlySet<string>;
  /** See `FunctionSnapshot`; functions that name no LDS are left out. */
  readonly ldsBytes: ReadonlyMap<string, number>;
  /** The compares of floats of each function, in order. Those that have been edited since are left out. */
  readonly floatCompares: Map<string, readonly FloatCompare[]>;
}

/** @param bodies of the functions, by name */
export function textFacts(module: string, bodies: ReadonlyMap<string, string>): TextFacts {
  const sizes = ldsVariables(module);
  const rough = new Set<string>();
  const ldsBytes = new Map<string, number>();
  const compares: TextFacts['floatCompares'] = new Map();
  for (const [name, body] of bodies) {
    if (hasRoughDivision(body)) rough.add(name);
    compares.set(name, floatCompares(body));
    if (sizes.size === 0) continue;
    const bytes = [...globalsIn(body)].reduce((sum, each) => sum + (sizes.get(each) ?? 0), 0);
    if (bytes > 0) ldsBytes.set(name, bytes);
  }
  return { rough, ldsBytes, floatCompares: compares };
}
