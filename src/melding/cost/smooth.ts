/**
 * Data that are computed from thread numbers alone, without anything loaded: coordinates of pixels and cells, and
 * distances between them. Neighbouring threads have numbers that are close to each other. So an order with a bound that
 * all threads share parts only the waves that lie on the border.
 */
import type { InstrId } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { Lanes } from './lanes.js';
import { Data, Scale, type Sampled } from './sampled.js';

/** Whether the result of an instruction is smooth if its operands are. */
export function keepsSmooth(fn: FunctionSnapshot, i: InstrId): boolean {
  const opcode = fn.instrOpcode[i]!;
  if (opcode !== Opcode.Call) return SMOOTH.has(opcode);
  // Of intrinsics with one argument, some are periodic.
  const isFloat = fn.typeKind[fn.instrType[i]!] === TypeKind.Float;
  return isFloat && hasFlag(fn, i, InstrFlag.Intrinsic) && fn.operandStart[i + 1]! - fn.operandStart[i]! > 2;
}

const SMOOTH: ReadonlySet<number> = new Set([
  Opcode.UIToFP,
  Opcode.SIToFP,
  Opcode.FPToUI,
  Opcode.FPToSI,
  Opcode.FPExt,
  Opcode.FPTrunc,
  Opcode.FNeg,
  Opcode.FAdd,
  Opcode.FSub,
  Opcode.FMul,
  Opcode.FDiv,
]);

/** Whether all of these are smooth or the same for a wave, and not all of them the latter. */
export function areSmooth(sources: readonly Sampled[], waveSize: number): boolean {
  // `Data` have no numbers until these are asked for.
  const varying = sources.filter((each) => each instanceof Data || each.shift < Math.log2(waveSize));
  return varying.length > 0 && varying.every((each) => isSmooth(each, waveSize));
}

const isSmooth = (sample: Sampled, waveSize: number): boolean =>
  sample instanceof Data ? sample.isSmooth : sample.scale === Scale.Known && runsAlong(sample, waveSize);

/** How often a number may pass through its range within a wave: rows of eight threads and more are smooth. */
const MOST_PASSES = 16;

/** Whether the numbers of a wave go up or down from lane to lane, a few rows of a plane included. */
function runsAlong({ numbers, shift }: Lanes, waveSize: number): boolean {
  let [least, most, way] = [numbers[0]!, numbers[0]!, 0];
  for (let k = 1; k < waveSize >> shift; k++) {
    least = Math.min(least, numbers[k]!);
    most = Math.max(most, numbers[k]!);
    way += Math.abs(numbers[k]! - numbers[k - 1]!);
  }
  return way <= MOST_PASSES * (most - least);
}
