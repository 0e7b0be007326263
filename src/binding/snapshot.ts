/**
 * Decodes the output of `darm_snapshot` (wasm/snapshot.cpp has its layout) into the data model of src/ir/snapshot.ts.
 */
import { invariant } from '../errors.js';
import { isAmd, type FunctionSnapshot } from '../ir/snapshot.js';
import { ABI_VERSION, SNAPSHOT_SECTIONS } from './abi.js';
import { flagsOfIntrinsics } from './opencl-intrinsics.js';

export interface DecodedSnapshot {
  readonly snapshot: FunctionSnapshot;
  readonly fingerprint: string;
  /** Addresses of the blocks, by block id. */
  readonly blockPointers: Uint32Array;
  /** Addresses of the values, by value id. */
  readonly valuePointers: Uint32Array;
}

/** What is found out from the text of a module. */
type AskedOfText = Pick<
  FunctionSnapshot,
  'dividesRoughly' | 'ldsBytes' | 'floatConstant' | 'intrinsic' | 'switchValues'
>;

type Section = (typeof SNAPSHOT_SECTIONS)[number];
const SECTION_INDEX = Object.fromEntries(SNAPSHOT_SECTIONS.map((name, index) => [name, index]));
const HEADER_WORDS = 4;

export function decodeSnapshot(
  words: Int32Array,
  { name, cpu, ...asked }: Pick<FunctionSnapshot, 'name' | 'cpu'> & AskedOfText,
): DecodedSnapshot {
  invariant(words[0] === ABI_VERSION && words[1] === SNAPSHOT_SECTIONS.length, 'snapshot of another interface version');
  const section = (wanted: Section): Int32Array => {
    const at = HEADER_WORDS + 2 * SECTION_INDEX[wanted]!;
    const offset = words[at]!;
    return words.subarray(offset, offset + words[at + 1]!);
  };
  const unsigned = (values: Int32Array) => new Uint32Array(values.buffer, values.byteOffset, values.length);
  const [flags, waveSize, argCount, x, y, z, mostThreads] = section('function') as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0');
  const facts: FunctionSnapshot = {
    name,
    flags,
    waveSize,
    cpu,
    groupSize: [x, y, z],
    mostThreads,
    ...asked,
    argCount,
    blockCount: section('blockPointer').length,
    instrCount: section('instrOpcode').length,
    valueCount: section('valueKind').length,
    blockInstrStart: section('blockInstrStart'),
    succStart: section('succStart'),
    succ: section('succ'),
    instrOpcode: section('instrOpcode'),
    instrFlags: section('instrFlags'),
    instrBlock: section('instrBlock'),
    instrType: section('instrType'),
    instrUniformity: section('instrUniformity'),
    instrLatency: section('instrLatency'),
    instrKey: section('instrKey'),
    instrPredicate: section('instrPredicate'),
    instrAddressSpace: section('instrAddressSpace'),
    instrAlign: section('instrAlign'),
    instrSource: section('instrSource'),
    instrTaken: section('instrTaken'),
    operandStart: section('operandStart'),
    operand: section('operand'),
    operandBlock: section('operandBlock'),
    operandFlags: section('operandFlags'),
    valueKind: section('valueKind'),
    valueType: section('valueType'),
    valueAlloca: section('valueAlloca'),
    valueCastFrom: section('valueCastFrom'),
    valueBase: section('valueBase'),
    valueOffset: section('valueOffset'),
    valueInteger: section('valueInteger'),
    valueLiteral: section('valueLiteral'),
    argUniformity: section('argUniformity'),
    typeKind: section('typeKind'),
    typeBits: section('typeBits'),
    typeAddressSpace: section('typeAddressSpace'),
  };
  return {
    snapshot: isAmd(cpu) ? Object.assign(facts, { instrFlags: flagsOfIntrinsics(facts) }) : facts,
    fingerprint: hex(words[3]!) + hex(words[2]!),
    blockPointers: unsigned(section('blockPointer')),
    valuePointers: unsigned(section('valuePointer')),
  };
}
