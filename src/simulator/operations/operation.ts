/** What an operation is to the rest of the simulator, and the shapes that most operations have. */
import type { Site } from '../operands.js';
import { specialize } from '../specialize.js';
import { EXEC, type Step, type Wave } from '../wave.js';

/** Binds one static instruction. Throws only on instructions that misfit the operation's format (our mistake). */
export type Operation = (site: Site) => Step;

/** Operations by mnemonic, as the assembler writes it without encoding suffix. */
export type OperationTable = Readonly<Record<string, Operation>>;

type Unary = (a: number) => number;
type Binary = (a: number, b: number) => number;
type Ternary = (a: number, b: number, c: number) => number;

/** vdst = f(src0) on signed 32-bit integers. */
export function unary32(f: Unary): Operation {
  const loop = specialize((f: Unary, d: number, a: number, as: number) => (w: Wave) => {
    const { i32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d + l] = f(i32[a + l * as]!);
    }
  });
  return (site) => {
    const a = site.source('src0', 'b32');
    const d = site.destination('vdst', 'b32');
    return site.step(loop(f, d.lo, a.lo, a.stride));
  };
}

/** vdst = f(src0, src1) on signed 32-bit integers. */
export function binary32(f: Binary): Operation {
  const loop = specialize((f: Binary, d: number, a: number, as: number, b: number, bs: number) => (w: Wave) => {
    const { i32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d + l] = f(i32[a + l * as]!, i32[b + l * bs]!);
    }
  });
  return (site) => {
    const a = site.source('src0', 'b32');
    const b = site.source('src1', 'b32');
    const d = site.destination('vdst', 'b32');
    return site.step(loop(f, d.lo, a.lo, a.stride, b.lo, b.stride));
  };
}

/** vdst = f(src0, src1, src2) on signed 32-bit integers. */
export function ternary32(f: Ternary): Operation {
  const loop = specialize(
    (f: Ternary, d: number, a: number, as: number, b: number, bs: number, c: number, cs: number) => (w: Wave) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        i32[d + l] = f(i32[a + l * as]!, i32[b + l * bs]!, i32[c + l * cs]!);
      }
    },
  );
  return (site) => {
    const a = site.source('src0', 'b32');
    const b = site.source('src1', 'b32');
    const c = site.source('src2', 'b32');
    const d = site.destination('vdst', 'b32');
    return site.step(loop(f, d.lo, a.lo, a.stride, b.lo, b.stride, c.lo, c.stride));
  };
}

/**
 * The step of a comparison that writes its lane mask, a bit per active lane and 0 for the others, to a given place. `v_cmpx`
 * writes EXEC (generation 9: also sdst).
 */
export function comparison(site: Site, compare: (wave: Wave, destination: number) => void): Step {
  if (!site.instruction.mnemonic.startsWith('v_cmpx_')) {
    const d = site.maskDestination();
    return site.step((w) => compare(w, d));
  }
  if (site.target.generation >= 10) {
    const d = site.scalarResult(EXEC, site.maskWords);
    return site.step((w) => compare(w, d));
  }
  const d = site.maskDestination();
  site.after((w) => {
    w.i32[EXEC] = w.i32[d]!;
    w.i32[EXEC + 1] = w.i32[d + 1]!;
    w.execChanged();
  });
  return site.step((w) => compare(w, d));
}

/** The same operation under several names. */
export function named(operation: Operation, ...names: readonly string[]): OperationTable {
  return Object.fromEntries(names.map((name) => [name, operation]));
}
