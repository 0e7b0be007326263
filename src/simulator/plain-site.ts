/**
 * One static instruction while its step is made: its operands as plain places in the register file, without modifiers,
 * and the steps that are to run before and after the operation. `Site` adds what happens to operands on their way.
 */
import { OperandKind } from '../formats/disassembly.js';
import type { KernelLayout } from './kernel-layout.js';
import { PRIVATE_APERTURE, SHARED_APERTURE } from './memory.js';
import type { Source } from './operands.js';
import type { Instruction, Operand, Program } from './program.js';
import type { SimulatedTarget } from './target.js';
import { EXEC, VCC, type Step, type Wave } from './wave.js';

const NULL_REGISTER = 125;
const SRC_SHARED_BASE = 235;
const SRC_SHARED_LIMIT = 236;
const SRC_PRIVATE_BASE = 237;
const SRC_PRIVATE_LIMIT = 238;
const SRC_VCCZ = 251;
const SRC_EXECZ = 252;
const SRC_SCC = 253;

export class PlainSite {
  readonly #before: Step[] = [];
  readonly #after: Step[] = [];
  #rows: number;

  /** @param firstRow scratch rows below it belong to another site that runs at the same time */
  constructor(
    readonly instruction: Instruction,
    readonly layout: KernelLayout,
    readonly program: Program,
    firstRow = 0,
  ) {
    this.#rows = firstRow;
  }

  get target(): SimulatedTarget {
    return this.layout.target;
  }

  get size(): 32 | 64 {
    return this.layout.size;
  }

  /** A scratch row of this instruction (two adjacent indices for 64 bits: `row` and `row + size`). */
  row(): number {
    return this.layout.scratch(this.#rows++);
  }

  /** Runs before the operation, in order of registration. */
  before(step: Step): void {
    this.#before.push(step);
  }

  /** Runs after the operation. */
  after(step: Step): void {
    this.#after.push(step);
  }

  /** The operation with everything that was registered before and after it. */
  protected withSteps(operation: Step): Step {
    const steps = [...this.#before, operation, ...this.#after];
    if (steps.length === 1) return operation;
    if (steps.length === 2) {
      const [first, second] = steps as [Step, Step];
      return (wave) => {
        first(wave);
        second(wave);
      };
    }
    return (wave) => {
      for (const each of steps) each(wave);
    };
  }

  // --- plain places --------------------------------------------------------------------------------------------------

  /** The place of an operand's value, without modifiers. A constant gets a word of its own (two, if `words` is 2). */
  place(operand: Operand, words: number = 1): Source {
    const { layout } = this;
    switch (operand.kind) {
      case OperandKind.Immediate: {
        const lo = words === 2 ? layout.constant(operand.value, operand.high) : layout.constant(operand.value);
        return { lo, hi: words === 2 ? lo + 1 : lo, stride: 0 };
      }
      case OperandKind.Sgpr:
        return this.#scalarPlace(operand.value, words);
      case OperandKind.Agpr: {
        const lo = layout.agpr(operand.value);
        return { lo, hi: lo + layout.size, stride: 1 };
      }
      default: {
        const lo = layout.vgpr(operand.value);
        return { lo, hi: lo + layout.size, stride: 1 };
      }
    }
  }

  #scalarPlace(number: number, words: number): Source {
    const { layout } = this;
    const pair = (low: number, high: number): Source => {
      const lo = layout.constant(low, high);
      return { lo: words === 1 ? layout.constant(high) : lo, hi: lo + 1, stride: 0 };
    };
    switch (number) {
      case NULL_REGISTER: {
        const lo = layout.constant(0, 0);
        return { lo, hi: lo + 1, stride: 0 };
      }
      // A 32-bit source reads the upper word of an aperture.
      case SRC_SHARED_BASE:
        return pair(0, SHARED_APERTURE);
      case SRC_SHARED_LIMIT:
        return pair(0xffffffff, SHARED_APERTURE);
      case SRC_PRIVATE_BASE:
        return pair(0, PRIVATE_APERTURE);
      case SRC_PRIVATE_LIMIT:
        return pair(0xffffffff, PRIVATE_APERTURE);
      case SRC_VCCZ:
        return this.#computed((wave) => (wave.u32[VCC] === 0 && (wave.size === 32 || wave.u32[VCC + 1] === 0) ? 1 : 0));
      case SRC_EXECZ:
        return this.#computed((wave) =>
          wave.u32[EXEC] === 0 && (wave.size === 32 || wave.u32[EXEC + 1] === 0) ? 1 : 0,
        );
      case SRC_SCC:
        return this.#computed((wave) => wave.scc);
      default:
        if (number > 127) throw new Error(`no value is known for scalar source ${number}`);
        return { lo: number, hi: number + 1, stride: 0 };
    }
  }

  #computed(value: (wave: Wave) => number): Source {
    const lo = this.row();
    this.before((wave) => {
      wave.i32[lo] = value(wave);
      wave.i32[lo + 1] = 0;
    });
    return { lo, hi: lo + 1, stride: 0 };
  }

  /** A scalar source of `words` words: register or constant. */
  scalarSource(name: string, words: number = 1): number {
    return this.place(this.instruction.operand(name), words).lo;
  }

  /**
   * Where a scalar result of `words` words goes. When that is EXEC, a step afterwards tells the wave. Results for NULL
   * go to a scratch row.
   */
  scalarDestination(name: string, words: number = 1): number {
    const operand = this.instruction.operand(name);
    if (operand.kind !== OperandKind.Sgpr) throw new Error(`${this.instruction.opcode.name}: ${name} is no SGPR`);
    return this.scalarResult(operand.value, words);
  }

  scalarResult(number: number, words: number): number {
    if (number === NULL_REGISTER) return this.row();
    if (number <= EXEC + 1 && number + words > EXEC) this.after((wave) => wave.execChanged());
    return number;
  }

  /** Words of a lane mask: 2 for 64 lanes, 1 for 32. */
  get maskWords(): 1 | 2 {
    return this.size === 64 ? 2 : 1;
  }

  /** Where a comparison's lane mask goes: `sdst` (or `vdst`), or VCC in the short encodings. */
  maskDestination(name = 'sdst'): number {
    return this.instruction.has(name) ? this.scalarDestination(name, this.maskWords) : VCC;
  }

  /** Where a lane mask comes from: an operand, or VCC in the short encodings. */
  maskSource(name: string): number {
    return this.instruction.has(name) ? this.scalarSource(name, this.maskWords) : VCC;
  }
}
