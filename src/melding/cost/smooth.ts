/**
 * Data that are computed from thread numbers and from what the threads of a wave share: coordinates of pixels and
 * cells, and squares of distances. Neighbouring threads have numbers that are close to each other. So an order with a
 * bound that all threads share parts only the waves that lie on the border.
 */
import type { InstrId } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { Lanes } from './lanes.js';
import { Data, Scale, type Sampled } from './sampled.js';

/** Whether the result of an instruction is smooth if its operands are. */
export function keepsSmooth(fn: FunctionSnapshot, i: InstrId): boolean {
  const opcode = fn.instrOpcode[i]!;
  if (opcode !== Opcode.Call) return SMOOTH.has(opcode);
  // Of intrinsics with one argument, some are periodic; with several of one type, none. The callee is the last operand.
  const [first, end] = [fn.operandStart[i]!, fn.operandStart[i + 1]! - 1];
  const type = fn.instrType[i]!;
  if (fn.typeKind[type] !== TypeKind.Float || !hasFlag(fn, i, InstrFlag.Intrinsic) || end - first < 2) return false;
  return fn.operand.subarray(first, end).every((v) => fn.valueType[v] === type);
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

/** Whether each of these is smooth or the same for a wave, and at least one differs within the wave. */
export function areSmooth(sources: readonly Sampled[], waveSize: number): boolean {
  // `Data` have no numbers until these are asked for.
  const varying = sources.filter((each) => each instanceof Data || each.shift < Math.log2(waveSize));
  return varying.length > 0 && varying.every((each) => isSmooth(each, waveSize));
}

const isSmooth = (sample: Sampled, waveSize: number): boolean =>
  sample instanceof Data ? sample.isSmooth : sample.scale === Scale.Known && runsAlong(sample, waveSize);

/** Whether the numbers of a wave go up or down from lane to lane. So they do in rows of eight threads and more. */
function runsAlong({ numbers, shift }: Lanes, waveSize: number): boolean {
  const lanes = waveSize >> shift;
  // Hashes overflow.
  const at = (lane: number): number => numbers[lane]! | 0;
  let [least, most, way] = [at(0), at(0), 0];
  for (let lane = 1; lane < lanes; lane++) {
    least = Math.min(least, at(lane));
    most = Math.max(most, at(lane));
    way += Math.abs(at(lane) - at(lane - 1));
  }
  return way <= (most - least) * (waveSize / LEAST_ROW) * 2;
}

/** A row is passed through once forth, and once back. */
const LEAST_ROW = 8;
