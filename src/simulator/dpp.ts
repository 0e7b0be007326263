/**
 * Data-parallel primitives: one operand is read from another lane. DPP16 (`dpp_ctrl`) and DPP8.
 *
 * A lane whose source is outside its row, or not active, gets 0 where `bound_ctrl` (or, for inactive lanes, `fi`) says
 * so and is not written otherwise; row and bank masks take lanes out as well. ISA documents, "Data Parallel
 * Processing"; control values are LLVM's `DPP::DppCtrl`.
 */
import type { PlainSite } from './plain-site.js';
import type { Source, ValueType } from './operands.js';
import type { Step, Wave } from './wave.js';

const INVALID = -1;
/** LLVM, `DPP::DPP8_FI_1`. */
const DPP8_FI = 0xea;

/** For each lane the lane that it reads, or -1 when that is outside. */
function sourceLanes(control: number, size: number): Int8Array {
  const from = new Int8Array(size);
  const inRow = (lane: number, within: number): number => (within < 0 || within > 15 ? INVALID : (lane & ~15) | within);
  for (let lane = 0; lane < size; lane++) from[lane] = sourceLane(lane, lane & 15, control, size, inRow);
  return from;
}

function sourceLane(
  lane: number,
  within: number,
  control: number,
  size: number,
  inRow: (lane: number, within: number) => number,
): number {
  const low = control & 15;
  if (control < 0x100) return (lane & ~3) | ((control >> (2 * (lane & 3))) & 3);
  switch (control & ~15) {
    case 0x100:
      return inRow(lane, within + low); // row_shl
    case 0x110:
      return inRow(lane, within - low); // row_shr
    case 0x120:
      return inRow(lane, (within - low) & 15); // row_ror
    case 0x150:
      return inRow(lane, low); // row_share, row_newbcast
    case 0x160:
      return inRow(lane, within ^ low); // row_xmask
  }
  switch (control) {
    case 0x130: // wave_shl:1
      return lane + 1 < size ? lane + 1 : INVALID;
    case 0x134: // wave_rol:1
      return (lane + 1) % size;
    case 0x138: // wave_shr:1
      return lane - 1;
    case 0x13c: // wave_ror:1
      return (lane + size - 1) % size;
    case 0x140:
      return inRow(lane, 15 - within); // row_mirror
    case 0x141:
      return (lane & ~7) | (7 - (lane & 7)); // row_half_mirror
    case 0x142:
      return lane < 16 ? INVALID : (lane & ~15) - 1; // row_bcast:15
    case 0x143:
      return lane < 32 ? INVALID : 31; // row_bcast:31
    default:
      throw new Error(`unknown DPP control 0x${control.toString(16)}`);
  }
}

interface Permutation {
  readonly from: Int8Array;
  readonly rowMask: number;
  readonly bankMask: number;
  /** Lanes with an invalid source read 0 instead of not being written. */
  readonly zeroes: boolean;
  /** Inactive lanes are read like active ones. */
  readonly fetchesInactive: boolean;
}

function permutation(site: PlainSite): Permutation | null {
  const { instruction, size } = site;
  if (!instruction.is('Dpp')) return null;
  if (instruction.has('dpp8')) {
    // Here `fi` is the encoding itself: DPP8, or DPP8FI.
    const fetchesInactive = instruction.immediate('fi') === DPP8_FI;
    const selects = instruction.immediate('dpp8');
    const from = Int8Array.from({ length: size }, (_, lane) => (lane & ~7) | ((selects >> (3 * (lane & 7))) & 7));
    return { from, rowMask: 15, bankMask: 15, zeroes: true, fetchesInactive };
  }
  return {
    from: sourceLanes(instruction.immediate('dpp_ctrl'), size),
    rowMask: instruction.immediate('row_mask', 15),
    bankMask: instruction.immediate('bank_mask', 15),
    zeroes: instruction.immediate('bound_ctrl') !== 0,
    fetchesInactive: instruction.immediate('fi') !== 0,
  };
}

function validSource(wave: Wave, { from, fetchesInactive }: Permutation, lane: number): number {
  const source = from[lane]!;
  return source !== INVALID && (fetchesInactive || wave.isActive(source)) ? source : INVALID;
}

const SUBTRACTS_IN_REVERSE = /^v_subb?rev_(nc_|co_|co_ci_)?u(16|32)$/;
const SHIFTS = /^v_(lshl|lshr|ashr)rev_[bi](16|32)$/;

/**
 * Which operand is read from other lanes. Of integers that are subtracted in reverse order it is the second, as if DPP
 * came before the order; and so it is for shifts, whose operands are always in reverse order, before gfx11. The ISA
 * documents are silent about it: Mesa's ACO found it by tests, and AMD in a benchmark (llvm/llvm-project#216835).
 */
const permutedOperand = ({ instruction: { mnemonic }, target }: PlainSite): 'src0' | 'src1' =>
  SUBTRACTS_IN_REVERSE.test(mnemonic) || (target.permutesShiftedOperand && SHIFTS.test(mnemonic)) ? 'src1' : 'src0';

/** Whether DPP reads the operand of this name from other lanes. */
export const isPermuted = (site: PlainSite, name: string): boolean => name === permutedOperand(site);

/** An operand as its lanes read it, in a scratch row; the source itself where the instruction does not use DPP. */
export function dppSource(site: PlainSite, plain: Source, type: ValueType): Source {
  const dpp = permutation(site);
  if (dpp === null || plain.stride === 0) return plain;
  const wide = type === 'b64' || type === 'f64';
  const lo = site.row();
  const hi = wide ? site.row() : lo;
  site.before((wave) => {
    const { i32, lanes, active } = wave;
    for (let k = 0; k < active; k++) {
      const lane = lanes[k]!;
      const source = validSource(wave, dpp, lane);
      i32[lo + lane] = source === INVALID ? 0 : i32[plain.lo + source]!;
      if (wide) i32[hi + lane] = source === INVALID ? 0 : i32[plain.hi + source]!;
    }
  });
  return { lo, hi, stride: 1 };
}

/** Wraps a DPP instruction's steps so that they run on the lanes that it writes; null for other instructions. */
export function dppStep(site: PlainSite): ((all: Step) => Step) | null {
  const dpp = permutation(site);
  if (dpp === null) return null;
  const { zeroes, rowMask, bankMask } = dpp;
  const unmasked = Uint8Array.from(
    { length: 64 },
    (_, lane) => (rowMask >> (lane >> 4)) & (bankMask >> ((lane >> 2) & 3)) & 1,
  );
  if (zeroes && unmasked.every((lane) => lane === 1)) return (all) => all;
  const kept = new Uint8Array(64);
  return (all) => (wave) => {
    const { lanes, active } = wave;
    let count = 0;
    for (let k = 0; k < active; k++) {
      const lane = lanes[k]!;
      if (unmasked[lane] === 1 && (zeroes || validSource(wave, dpp, lane) !== INVALID)) kept[count++] = lane;
    }
    wave.lanes = kept;
    wave.active = count;
    all(wave);
    // A comparison may have written EXEC.
    if (wave.lanes !== kept) return;
    wave.lanes = lanes;
    wave.active = active;
  };
}
