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

export class TextFacts {
  /** Null until it is asked for. */
  #whole: WholeText | null = null;
  /** By function; those that nobody has asked for are left out. */
  #floats = new Map<string, FloatConstants>();
  /** The names that are known, by function; editing it does not make them others. */
  #intrinsics = new Map<string, IntrinsicNames>();
  /** By function, as it is now. */
  #states = new Map<string, FunctionState>();
  /** Those whose names of intrinsics have been read. */
  #named = new Set<FunctionState>();

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
    let known = this.#floats.get(name);
    if (known === undefined) {
      known = floatConstants(decoded, floatCompares(this.#body(name)));
      this.#floats.set(name, known);
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
    let known = this.#intrinsics.get(name) ?? new Map<number, string>();
    const isOfNow = this.#states.get(name) === state;
    if (!known.has(callee) && isOfNow && !this.#named.has(state)) {
      this.#named.add(state);
      known = new Map([...known, ...intrinsicNames(decoded, calledIntrinsics(this.#body(name)))]);
      this.#intrinsics.set(name, known);
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
    if (this.#whole === null) {
      const module = this.printer.module();
      this.#whole = wholeText(module, this.printer.bodies(module));
    }
    return this.#whole;
  }

  stateOf(name: string): FunctionState {
    let state = this.#states.get(name);
    if (state === undefined) this.#states.set(name, (state = { name }));
    return state;
  }

  /** A function has been edited: its text is another one now. */
  changed(name: string): void {
    this.#whole?.bodies.delete(name);
    this.#states.delete(name);
  }

  /** Functions may be gone, and may have become parts of others. */
  forget(): void {
    this.#whole = null;
    this.#floats = new Map();
    this.#intrinsics = new Map();
    this.#states = new Map();
    this.#named = new Set();
  }

  /** What `ask` finds out and changes is forgotten. */
  scoped<T>(ask: () => T): T {
    const [whole, floats, intrinsics] = [this.#whole, this.#floats, this.#intrinsics];
    const [states, named] = [this.#states, this.#named];
    this.#whole = whole && { ...whole, bodies: new Map(whole.bodies) };
    this.#floats = new Map(floats);
    this.#intrinsics = new Map(intrinsics);
    this.#states = new Map(states);
    this.#named = new Set(named);
    try {
      return ask();
    } finally {
      this.#whole = whole;
      this.#floats = floats;
      this.#intrinsics = intrinsics;
      this.#states = states;
      this.#named = named;
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
