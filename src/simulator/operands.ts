/**
 * From an instruction's operands to places in the register file, once per static instruction.
 *
 * `KernelLayout` hands out the constants and scratch rows that the instructions of one kernel need. `Site` is one
 * instruction: it resolves sources and destinations, and turns everything that modifies an operand on its way (neg, abs,
 * SDWA and op_sel selects, DPP, clamp, omod) into steps before and after the operation itself, which therefore only ever
 * sees plain rows. Those steps are in modifiers.ts and dpp.ts.
 */
import { OperandKind } from '../formats/disassembly.js';
import { dppStep } from './dpp.js';
import { Fault } from './fault.js';
import { destinationSteps, sourceStep, type SourceModifiers } from './modifiers.js';
import type { Instruction, Operand, Program } from './program.js';
import type { SimulatedTarget } from './target.js';
import { EXEC, SCALARS, type RegisterLayout, type Step, VCC, type Wave } from './wave.js';

/** Where a source is: word index of lane 0, of its high half (64-bit), and the distance from lane to lane. */
export interface Source {
  readonly lo: number;
  readonly hi: number;
  readonly stride: 0 | 1;
}

/** Where a vector result goes: word index of lane 0 and of the high half's lane 0. */
export interface Destination {
  readonly lo: number;
  readonly hi: number;
}

/** How an operation reads a source or writes a result: what neg, abs, clamp and selects mean for it. */
export type ValueType = 'b32' | 'f32' | 'b64' | 'f64' | 'b16' | 'f16' | 'i16';

export const wordsOf = (type: ValueType): 1 | 2 => (type === 'b64' || type === 'f64' ? 2 : 1);

const SCRATCH_ROWS = 12;
const NULL_REGISTER = 125;
const SRC_SHARED_BASE = 235;
const SRC_SHARED_LIMIT = 236;
const SRC_PRIVATE_BASE = 237;
const SRC_PRIVATE_LIMIT = 238;
const SRC_VCCZ = 251;
const SRC_EXECZ = 252;
const SRC_SCC = 253;

/** Upper words of the flat apertures; their lower words are 0 (LLVM: `src_shared_base` and `src_private_base`). */
export const SHARED_APERTURE = 0x00010000;
export const PRIVATE_APERTURE = 0x00020000;

/** Operations that reach vector registers by number at run time: with them, all registers there are must exist. */
const INDEXING = /^v_movrel|^v_swaprel|^s_set_gpr_idx/;
const ALL_VGPRS = 256;

/** How many registers of a kind the instructions name. */
function registersUsed(program: Program, isKind: (kind: OperandKind) => boolean): number {
  let used = 0;
  for (const instruction of program.instructions)
    for (const { kind, value, width } of instruction?.operands ?? [])
      if (isKind(kind)) used = Math.max(used, value + Math.max(1, width / 32));
  return Math.ceil(used);
}

const isVgpr = (kind: OperandKind): boolean =>
  kind === OperandKind.Vgpr || kind === OperandKind.Vgpr16Low || kind === OperandKind.Vgpr16High;

export class KernelLayout {
  /** Vector registers that exist, AGPRs apart. */
  readonly vgprs: number;
  readonly #constants: number[] = [];
  readonly #known = new Map<string, number>();
  readonly #scratchBase = SCALARS;
  readonly #vgprBase: number;
  readonly #agprBase: number;
  readonly #constantBase: number;

  /** @param leastVgprs vector registers that exist even when no instruction names them */
  constructor(
    readonly target: SimulatedTarget,
    readonly size: 32 | 64,
    leastVgprs: number,
    program: Program,
  ) {
    const indexes = program.instructions.some((each) => each !== null && INDEXING.test(each.mnemonic));
    this.vgprs = Math.max(leastVgprs, registersUsed(program, isVgpr), indexes ? ALL_VGPRS : 0);
    this.#vgprBase = this.#scratchBase + SCRATCH_ROWS * size;
    this.#agprBase = this.#vgprBase + this.vgprs * size;
    this.#constantBase = this.#agprBase + registersUsed(program, (kind) => kind === OperandKind.Agpr) * size;
  }

  /** Word index of a constant of one or two words. */
  constant(low: number, high?: number): number {
    const key = high === undefined ? `${low | 0}` : `${low | 0},${high | 0}`;
    let at = this.#known.get(key);
    if (at === undefined) {
      at = this.#constantBase + this.#constants.length;
      this.#constants.push(low >>> 0);
      if (high !== undefined) this.#constants.push(high >>> 0);
      this.#known.set(key, at);
    }
    return at;
  }

  vgpr(number: number): number {
    return this.#vgprBase + number * this.size;
  }

  agpr(number: number): number {
    return this.#agprBase + number * this.size;
  }

  scratch(row: number): number {
    if (row >= SCRATCH_ROWS) throw new Error('an instruction needs more scratch rows than there are');
    return this.#scratchBase + row * this.size;
  }

  /** Complete only when all instructions are bound. */
  registers(): RegisterLayout {
    return { size: this.size, constantBase: this.#constantBase, constants: Uint32Array.from(this.#constants) };
  }
}

export class Site {
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

  /** The operation with everything that was registered around it. */
  step(operation: Step): Step {
    const filter = dppStep(this);
    const steps = [...this.#before, operation, ...this.#after];
    const all: Step =
      steps.length === 1
        ? operation
        : steps.length === 2
          ? ((first, second) => (wave: Wave) => {
              first(wave);
              second(wave);
            })(steps[0]!, steps[1]!)
          : (wave) => {
              for (const each of steps) each(wave);
            };
    return filter === null ? all : filter(all);
  }

  // --- plain places -----------------------------------------------------------------------------------------------------

  /** The place of an operand's value as it is: no modifiers. A constant gets a word (`words` = 2: two) of its own. */
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
      // As 32-bit sources the apertures are their upper words.
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
   * Where a scalar result of `words` words goes; a step after it tells the wave when that is EXEC. Results for NULL go to
   * a scratch row.
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

  // --- vector operands with modifiers -----------------------------------------------------------------------------------

  /** A source of a vector operation, with its modifiers applied in a scratch row when it has any. */
  source(name: string, type: ValueType): Source {
    const operand = this.instruction.operand(name);
    const plain = this.place(operand, wordsOf(type));
    const modifiers: SourceModifiers = { name, type, operand };
    return sourceStep(this, plain, modifiers);
  }

  /** The place of a vector result, with clamp, omod and selects applied from a scratch row when there are any. */
  destination(name: string, type: ValueType): Destination {
    const operand = this.instruction.operand(name);
    const { lo, hi, stride } = this.place(operand, wordsOf(type));
    if (stride === 0) throw new Fault(`${this.instruction.opcode.name}: ${name} is no vector register`);
    return destinationSteps(this, { lo, hi }, type, operand);
  }
}
