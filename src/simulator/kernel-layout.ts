/**
 * Where the registers of one kernel's waves are: the register file's rows, and the constants that its instructions
 * need.
 */
import { OperandKind } from '../formats/disassembly.js';
import type { Program } from './program.js';
import type { SimulatedTarget } from './target.js';
import { SCALARS, type RegisterLayout } from './wave.js';

const SCRATCH_ROWS = 12;

/** Operations that compute register numbers at run time. A kernel that has one gets all vector registers. */
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

  /** Call it when all instructions are bound: binding them adds constants. */
  registers(): RegisterLayout {
    return { size: this.size, constantBase: this.#constantBase, constants: Uint32Array.from(this.#constants) };
  }
}
