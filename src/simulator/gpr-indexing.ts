/**
 * VGPR indexing on GFX9 (Vega ISA, "VGPR Indexing"): between s_set_gpr_idx_on and s_set_gpr_idx_off, bit 27 of MODE is
 * set, and the vector registers that bits 15:12 of M0 select (1 src0, 2 src1, 4 src2, 8 vdst) have bits 7:0 of M0 added
 * to their numbers. Compilers use it for arrays in registers.
 *
 * Operands are bound to places once, so only instructions that can run while indexing is on pay for it: those behind an
 * s_set_gpr_idx_on up to the s_set_gpr_idx_off, or to where execution certainly goes elsewhere. They work on copies of
 * their registers in scratch rows. Instructions that are reached with indexing on in any other way (by a jump) are not
 * covered.
 */
import { OperandKind } from '../formats/disassembly.js';
import { Fault } from './fault.js';
import { Site } from './site.js';
import type { Source } from './operands.js';
import type { Operand, Program } from './program.js';
import { M0, type Step, type Wave } from './wave.js';

/** A bit of the MODE register. */
export const GPR_INDEX_ENABLE = 1 << 27;

const SELECTED: Readonly<Record<string, number>> = { src0: 1, src1: 2, src2: 4, vdst: 8 };
const SELECT_SHIFT = 12;
const VGPRS = 256;

const LEAVES = new Set(['s_set_gpr_idx_off', 's_branch', 's_setpc_b64', 's_endpgm']);

/** Positions of the vector instructions that may run while indexing is on. */
export function indexedInstructions(program: Program): ReadonlySet<number> {
  const indexed = new Set<number>();
  let on = false;
  for (const instruction of program.instructions) {
    if (instruction === null || LEAVES.has(instruction.mnemonic)) on = false;
    else if (instruction.mnemonic === 's_set_gpr_idx_on') on = true;
    else if (on && instruction.is('Valu')) indexed.add(instruction.index);
  }
  return indexed;
}

/** A site whose vector registers may be displaced. */
export class IndexedSite extends Site {
  readonly #loads: Step[] = [];
  readonly #stores: Step[] = [];

  override place(operand: Operand, words = 1): Source {
    const plain = super.place(operand, words);
    const name = Object.keys(SELECTED).find((each) => this.#is(each, operand));
    if (name === undefined || operand.kind !== OperandKind.Vgpr) return plain;
    const { size } = this;
    const row = this.row();
    if (words === 2) this.row();
    const mask = SELECTED[name]! << SELECT_SHIFT;
    const from = (w: Wave): number => plain.lo + size * displacement(w, mask, operand.value + words);
    // A destination is loaded as well, for lanes that stay and for results that are not a whole register.
    this.#loads.push((w) => {
      const at = from(w);
      w.i32.copyWithin(row, at, at + words * size);
    });
    if (name === 'vdst') this.#stores.push((w) => w.i32.copyWithin(from(w), row, row + words * size));
    return { lo: row, hi: row + size, stride: 1 };
  }

  override step(operation: Step): Step {
    const inner = super.step(operation);
    return (wave) => {
      for (const load of this.#loads) load(wave);
      inner(wave);
      for (const store of this.#stores) store(wave);
    };
  }

  #is(name: string, operand: Operand): boolean {
    return this.instruction.has(name) && this.instruction.operand(name) === operand;
  }
}

/** By how much a register number is displaced; `end` is the number behind the last one. */
function displacement(w: Wave, mask: number, end: number): number {
  const m0 = w.i32[M0]!;
  if ((w.otherMode & GPR_INDEX_ENABLE) === 0 || (m0 & mask) === 0) return 0;
  const by = m0 & 0xff;
  if (end + by > VGPRS) throw new Fault(`an index in M0 leads to vector register ${end + by - 1}`);
  return by;
}
