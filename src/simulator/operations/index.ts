/** All operations of the simulator by mnemonic. */
import type { Operation, OperationTable } from './operation.js';
import { buffer } from './buffer.js';
import { control } from './control.js';
import { ds } from './ds.js';
import { flat } from './flat.js';
import { floatCompare } from './float-compare.js';
import { floatConvert } from './float-convert.js';
import { floatDivision } from './float-division.js';
import { floatDot } from './float-dot.js';
import { floatF16 } from './float-f16.js';
import { floatF32 } from './float-f32.js';
import { floatF64 } from './float-f64.js';
import { floatMix } from './float-mix.js';
import { floatPacked } from './float-packed.js';
import { floatSpecial } from './float-special.js';
import { global } from './global.js';
import { gprIndex } from './gpr-index.js';
import { hardwareRegisters } from './hardware-registers.js';
import { scalarArithmetic } from './scalar-arithmetic.js';
import { scalarAtomics } from './scalar-atomics.js';
import { scalarBits } from './scalar-bits.js';
import { scalarCompare } from './scalar-compare.js';
import { scalarExec } from './scalar-exec.js';
import { scalarMemory } from './scalar-memory.js';
import { scalarMove } from './scalar-move.js';
import { scheduling } from './scheduling.js';
import { scratch } from './scratch.js';
import { crossLane } from './cross-lane.js';
import { vectorBits } from './vector-bits.js';
import { vectorCarry } from './vector-carry.js';
import { vectorCompare } from './vector-compare.js';
import { vectorDotInteger } from './vector-dot-integer.js';
import { vectorInteger16 } from './vector-integer-16.js';
import { vectorInteger64 } from './vector-integer-64.js';
import { vectorPackedInteger } from './vector-packed-integer.js';
import { vectorSad } from './vector-sad.js';
import { vectorSelect } from './vector-select.js';
import { vectorInteger } from './vector-integer.js';

const TABLES: readonly OperationTable[] = [
  buffer,
  control,
  ds,
  flat,
  floatCompare,
  floatConvert,
  floatDivision,
  floatDot,
  floatF16,
  floatF32,
  floatF64,
  floatMix,
  floatPacked,
  floatSpecial,
  global,
  gprIndex,
  hardwareRegisters,
  scalarArithmetic,
  scalarAtomics,
  scalarBits,
  scalarCompare,
  scalarExec,
  scalarMemory,
  scalarMove,
  scheduling,
  scratch,
  crossLane,
  vectorBits,
  vectorCarry,
  vectorCompare,
  vectorDotInteger,
  vectorInteger16,
  vectorInteger64,
  vectorPackedInteger,
  vectorSad,
  vectorSelect,
  vectorInteger,
];

const OPERATIONS = new Map<string, Operation>();
for (const table of TABLES)
  for (const [mnemonic, operation] of Object.entries(table)) {
    if (OPERATIONS.has(mnemonic)) throw new Error(`two operations are called ${mnemonic}`);
    OPERATIONS.set(mnemonic, operation);
  }

export const findOperation = (mnemonic: string): Operation | null => OPERATIONS.get(mnemonic) ?? null;
