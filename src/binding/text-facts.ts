/** What only the text of a module tells of its functions. LLVM prints it when it is first asked for. */
import {
  calledIntrinsics,
  floatCompares,
  globalsIn,
  hasRoughDivision,
  ldsVariables,
  printedSwitches,
} from '../formats/ir-text.js';
import type { InstrId, ValueId } from '../ir/ids.js';
import { floatConstants, type FloatConstants } from './float-constants.js';
import { calleeOf, callsIntrinsic, intrinsicNames, type IntrinsicNames } from './intrinsic-names.js';
import type { DecodedSnapshot } from './snapshot.js';
import { switchValues } from './switch-values.js';

/** Prints a module, and leaves nothing else behind. */
export interface Printer {
  module(): string;
  /** The text of each function that has a body, by name. @param module the text of the module */
  bodies(module: string): ReadonlyMap<string, string>;
  body(name: string): string;
}

interface WholeText {
  /** Functions that divide roughly. */
  readonly rough: ReadonlySet<string>;
  /** See `FunctionSnapshot`; functions that name no LDS are left out. */
  readonly ldsBytes: ReadonlyMap<string, number>;
  /** The text of each function; those that have been edited since are left out. */
  readonly bodies: Map<string, string>;
}

/** Stands for a function between two edits: what a snapshot of that time says and the text of that time go together. */
export interface FunctionState {
  readonly name: string;
}

/** What has been found out, all of it when it was first asked for. */
interface Known {
  whole: WholeText | null;
  /** By function. */
  readonly floats: Map<string, FloatConstants>;
  /** By function; editing it does not make them others. */
  readonly intrinsics: Map<string, IntrinsicNames>;
  /** By function, as it is now. */
  readonly states: Map<string, FunctionState>;
  /** Those whose names of intrinsics have been read. */
  readonly named: Set<FunctionState>;
}

const nothing = (): Known => ({
  whole: null,
  floats: new Map(),
  intrinsics: new Map(),
  states: new Map(),
  named: new Set(),
});

const copyOf = ({ whole, floats, intrinsics, states, named }: Known): Known => ({
  whole: whole && { ...whole, bodies: new Map(whole.bodies) },
  floats: new Map(floats),
  intrinsics: new Map(intrinsics),
  states: new Map(states),
  named: new Set(named),
});

export class TextFacts {
  #known = nothing();

  constructor(private readonly printer: Printer) {}

  // What is said of divisions and of LDS stays true when a function is edited.

  dividesRoughly(name: string): boolean {
    return this.#text().rough.has(name);
  }

  ldsBytes(name: string): number {
    return this.#text().ldsBytes.get(name) ?? 0;
  }

  floatConstant(decoded: DecodedSnapshot, v: ValueId): number {
    const { name } = decoded.snapshot;
    let known = this.#known.floats.get(name);
    if (known === undefined) {
      known = floatConstants(decoded, floatCompares(this.#body(name)));
      this.#known.floats.set(name, known);
    }
    return known.get(decoded.valuePointers[v]!) ?? NaN;
  }

  /**
   * The function is printed anew only where an edit has brought an intrinsic that was not there before.
   *
   * @param state of the function when the snapshot was taken
   */
  intrinsic(decoded: DecodedSnapshot, i: InstrId, state: FunctionState): string | null {
    const { name } = decoded.snapshot;
    if (!callsIntrinsic(decoded.snapshot, i)) return null;
    const callee = calleeOf(decoded, i);
    let known = this.#known.intrinsics.get(name) ?? new Map<number, string>();
    const isOfNow = this.#known.states.get(name) === state;
    if (!known.has(callee) && isOfNow && !this.#known.named.has(state)) {
      this.#known.named.add(state);
      known = new Map([...known, ...intrinsicNames(decoded, calledIntrinsics(this.#body(name)))]);
      this.#known.intrinsics.set(name, known);
    }
    return known.get(callee) ?? null;
  }

  switches({ snapshot }: DecodedSnapshot): ReturnType<typeof switchValues> {
    return switchValues(snapshot, printedSwitches(this.#body(snapshot.name)));
  }

  /** The text of a function as it is, so that it does not matter what was asked before. */
  #body(name: string): string {
    const { bodies } = this.#text();
    let found = bodies.get(name);
    if (found === undefined) {
      found = this.printer.body(name);
      bodies.set(name, found);
    }
    return found;
  }

  #text(): WholeText {
    if (this.#known.whole === null) {
      const module = this.printer.module();
      this.#known.whole = wholeText(module, this.printer.bodies(module));
    }
    return this.#known.whole;
  }

  stateOf(name: string): FunctionState {
    let state = this.#known.states.get(name);
    if (state === undefined) this.#known.states.set(name, (state = { name }));
    return state;
  }

  /** A function has been edited: its text is another one now. */
  changed(name: string): void {
    this.#known.whole?.bodies.delete(name);
    this.#known.states.delete(name);
  }

  /** Functions may be gone, and may have become parts of others. */
  forget(): void {
    this.#known = nothing();
  }

  /** What `ask` finds out and changes is forgotten. */
  scoped<T>(ask: () => T): T {
    const known = this.#known;
    this.#known = copyOf(known);
    try {
      return ask();
    } finally {
      this.#known = known;
    }
  }
}

function wholeText(module: string, bodies: ReadonlyMap<string, string>): WholeText {
  const sizes = ldsVariables(module);
  const rough = new Set<string>();
  const ldsBytes = new Map<string, number>();
  for (const [name, body] of bodies) {
    if (hasRoughDivision(body)) rough.add(name);
    if (sizes.size === 0) continue;
    const bytes = [...globalsIn(body)].reduce((sum, each) => sum + (sizes.get(each) ?? 0), 0);
    if (bytes > 0) ldsBytes.set(name, bytes);
  }
  return { rough, ldsBytes, bodies: new Map(bodies) };
}
