/**
 * Builds small `FunctionSnapshot`s for tests from text that looks like terse LLVM IR. Every array of the snapshot is
 * filled; what the text does not say gets a plausible default. The binding is not involved, so facts that LLVM would
 * answer (flags, keys, latencies, uniformity) are only as right as the defaults below or what the test says.
 *
 *     const s = snapshot(`
 *       func kernel -HasBranchDivergence   # optional; flags are +/- FunctionFlag names, `cpu=gfx1100`, `wave=32`
 *       arg %tid i32 never                 # uniformity: never | always | default; type defaults to i32
 *       arg %p ptr1
 *       entry:                             # first block = entry; blocks are numbered in textual order
 *         %c = icmp slt %tid 10            # predicate name or number in front of the operands; result type i1
 *         br %c then else                  # true successor first;  `br join` is unconditional
 *       then:
 *         %v = load %p !as=1 !lat=80
 *         br join
 *       else:
 *         store 7 %p !name=st
 *         %w = call @llvm.foo %tid^u 3^s !+Convergent !type=float
 *         switch %tid join 1 then 2 join   # default, then value-label pairs
 *       join:
 *         %x = phi [%v then] [0 else] [undef entry]
 *         ret %x
 *     `);
 *     s.f, s.block('then'), s.value('%v'), s.instr('%v'), s.instr('st'), s.term('then')
 *
 * Operands: `%name` (argument or instruction, may be used before its definition), `@name` (global or function),
 * `undef`, `poison`, anything else is a constant; `7:i64` gives a constant, undef or global its type (default i32,
 * globals ptr). Equal text is the same value. `^u` marks the operand MustBeUniform, `^s` MustStay (`^us` both). Calls:
 * `call CALLEE args…`; the callee becomes the last operand, as in LLVM. A callee `@llvm.*` is an intrinsic.
 *
 * Attributes, at the end of the line: `!type=T` (void i1…i64 half float double ptr ptrN vNxT token agg), `!never`,
 * `!always`, `!lat=N`, `!key=WORD` (same word, same key) or `!key=none`, `!as=N`, `!align=N`, `!name=WORD`
 * (for instructions without a result), `!source=NAME` of `LaneSource`, `!taken=N` of 1024, `!+Flag`/`!-Flag` (names of
 * `InstrFlag`) on top of the opcode's default flags.
 *
 * Defaults: type of the first operand for arithmetic, phi and freeze (skipping undef), of the second for select, i1 for
 * compares, ptr5 for alloca, void for store, fence, terminators and unnamed calls, else i32. Key: opcode, result type,
 * operand types, predicate up to swapping, address space and callee; NONE for terminators and allocas. Latency: 1,
 * loads and atomics 4, division 20, calls 10, phis and terminators 0. Size 1 (phi 0). The text is trusted: no verifier
 * runs.
 */
import type { BlockId, InstrId, ValueId } from '../../src/ir/ids.js';
import { NONE } from '../../src/ir/ids.js';
import type { FunctionSnapshot } from '../../src/ir/snapshot.js';
import {
  FunctionFlag,
  InstrFlag,
  LaneSource,
  NO_INTEGER,
  Opcode,
  TypeKind,
  Uniformity,
  ValueKind,
  terminatorOf,
} from '../../src/ir/snapshot.js';

export interface BuiltSnapshot {
  readonly f: FunctionSnapshot;
  readonly blockNames: readonly string[];
  block(name: string): BlockId;
  /** `%x`, `@g`, `7`, `undef`, …, written as in the text. */
  value(name: string): ValueId;
  instr(name: string): InstrId;
  /** Terminator of a block. */
  term(block: string): InstrId;
}

interface RawInstr {
  opcode: number;
  word: string;
  name: string;
  block: number;
  operands: string[];
  incoming: string[];
  targets: string[];
  predicate: number;
  attrs: string[];
}

const opcodes = new Map<string, number>(Object.entries(Opcode).map(([name, n]) => [name.toLowerCase(), n]));
opcodes.set('gep', Opcode.GetElementPtr);

const predicates = new Map<string, number>([
  ...[
    'false',
    'oeq',
    'ogt',
    'oge',
    'olt',
    'ole',
    'one',
    'ord',
    'uno',
    'ueq',
    'fugt',
    'fuge',
    'fult',
    'fule',
    'une',
    'true',
  ].map((name, n) => [name, n] as [string, number]),
  ...['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'].map(
    (name, n) => [name, 32 + n] as [string, number],
  ),
]);
/** The predicate after exchanging the operands. */
const swappedPredicate = (p: number): number =>
  p >= 34 ? [36, 37, 34, 35, 40, 41, 38, 39][p - 34]! : p < 16 ? (p & 9) | ((p & 2) << 1) | ((p & 4) >> 1) : p;

const set = (...values: number[]): ReadonlySet<number> => new Set(values);
const TERMINATORS = set(
  Opcode.Ret,
  Opcode.UncondBr,
  Opcode.CondBr,
  Opcode.Switch,
  Opcode.IndirectBr,
  Opcode.Invoke,
  Opcode.Unreachable,
  Opcode.CallBr,
  Opcode.Resume,
);
const COMMUTATIVE = set(Opcode.Add, Opcode.FAdd, Opcode.Mul, Opcode.FMul, Opcode.And, Opcode.Or, Opcode.Xor);
const DIVISIONS = set(Opcode.UDiv, Opcode.SDiv, Opcode.URem, Opcode.SRem);
const ATOMICS = set(Opcode.AtomicRMW, Opcode.AtomicCmpXchg);
const POINTER_OPERAND = new Map<number, number>([
  [Opcode.Load, 0],
  [Opcode.Store, 1],
  [Opcode.AtomicRMW, 0],
  [Opcode.AtomicCmpXchg, 0],
]);
const FIRST_POINTER = set(Opcode.GetElementPtr, Opcode.BitCast, Opcode.AddrSpaceCast, Opcode.Freeze);
const FIRST_TYPED = set(
  Opcode.Phi,
  Opcode.Freeze,
  Opcode.FNeg,
  Opcode.GetElementPtr,
  Opcode.InsertElement,
  Opcode.InsertValue,
);

function fail(message: string): never {
  throw new Error(`snapshot-builder: ${message}`);
}

function defaultFlags(opcode: number, callee: string): number {
  const F = InstrFlag;
  if (TERMINATORS.has(opcode)) return F.Terminator | F.WillReturn;
  if (opcode === Opcode.Load) return F.MayReadMemory | F.WillReturn;
  if (opcode === Opcode.Store) return F.MayWriteMemory | F.HasSideEffects | F.WillReturn;
  if (ATOMICS.has(opcode))
    return F.MayReadMemory | F.MayWriteMemory | F.HasSideEffects | F.Atomic | F.MaySync | F.WillReturn;
  if (opcode === Opcode.Fence) return F.MayReadMemory | F.MayWriteMemory | F.HasSideEffects | F.MaySync | F.WillReturn;
  if (opcode === Opcode.Call && callee.startsWith('@llvm.')) return F.Intrinsic | F.Speculatable | F.WillReturn;
  if (opcode === Opcode.Call)
    return F.Call | F.MayReadMemory | F.MayWriteMemory | F.HasSideEffects | F.MaySync | F.NeedsPairCheck;
  if (opcode === Opcode.Alloca) return F.NeverMelds | F.WillReturn;
  if (DIVISIONS.has(opcode)) return F.WillReturn;
  return F.WillReturn | F.Speculatable | (COMMUTATIVE.has(opcode) ? F.Commutative : 0);
}

/** Dense ids in order of first use. */
class Interner {
  readonly names: string[] = [];
  private readonly ids = new Map<string, number>();
  of(name: string): number {
    let id = this.ids.get(name);
    if (id === undefined) this.ids.set(name, (id = this.names.push(name) - 1));
    return id;
  }
}

function typeFacts(name: string): { kind: number; bits: number; addressSpace: number } {
  const fact = (kind: number, bits: number, addressSpace = NONE) => ({ kind, bits, addressSpace });
  const vector = /^v(\d+)x(.+)$/.exec(name);
  if (vector) return fact(TypeKind.Vector, Number(vector[1]) * typeFacts(vector[2]!).bits);
  if (name === 'void') return fact(TypeKind.Void, 0);
  if (name === 'token') return fact(TypeKind.Token, 0);
  if (name === 'agg') return fact(TypeKind.Aggregate, 64);
  if (/^i\d+$/.test(name)) return fact(TypeKind.Integer, Number(name.slice(1)));
  const float = { half: 16, float: 32, double: 64 }[name];
  if (float) return fact(TypeKind.Float, float);
  if (/^ptr\d*$/.test(name)) {
    const space = Number(name.slice(3) || 0);
    return fact(TypeKind.Pointer, [3, 5, 6].includes(space) ? 32 : space === 7 ? 160 : space === 8 ? 128 : 64, space);
  }
  return fact(TypeKind.Other, 0);
}

export function snapshot(text: string): BuiltSnapshot {
  const args: { name: string; type: string; uniformity: number }[] = [];
  const raw: RawInstr[] = [];
  const blockNames: string[] = [];
  let name = 'f';
  let cpu = 'gfx906';
  let waveSize = 64;
  let groupSize = [0, 0, 0];
  let dividesRoughly = false;
  let ldsBytes = Infinity;
  let mostThreads = 0;
  let flags: number = FunctionFlag.HasBranchDivergence | FunctionFlag.Kernel;
  const uniformityOf = (word: string): number =>
    word === 'never' ? Uniformity.NeverUniform : word === 'always' ? Uniformity.AlwaysUniform : Uniformity.Default;

  for (const line of text.split('\n')) {
    const words = line
      .replace(/#.*$/, '')
      .replace(/[,[\]]/g, (c) => (c === ',' ? ' ' : ` ${c} `))
      .trim()
      .split(/\s+/);
    const first = words[0]!;
    if (first === '') continue;
    if (first === 'func') {
      name = words[1]!;
      for (const w of words.slice(2)) {
        const flag = FunctionFlag[w.slice(1) as keyof typeof FunctionFlag] ?? 0;
        if (w.startsWith('+')) flags |= flag;
        else if (w.startsWith('-')) flags &= ~flag;
        else if (w.startsWith('cpu=')) cpu = w.slice(4);
        else if (w.startsWith('wave=')) waveSize = Number(w.slice(5));
        else if (w === 'rough') dividesRoughly = true;
        else if (w.startsWith('lds=')) ldsBytes = Number(w.slice(4));
        else if (w.startsWith('most=')) mostThreads = Number(w.slice(5));
        else if (w.startsWith('group=')) groupSize = w.slice(6).split('x').map(Number);
      }
    } else if (first === 'arg') {
      const rest = words.slice(2);
      const type = rest.find((w) => !['never', 'always', 'default'].includes(w)) ?? 'i32';
      args.push({ name: words[1]!, type, uniformity: uniformityOf(rest.at(-1) ?? '') });
    } else if (words.length === 1 && first.endsWith(':')) {
      blockNames.push(first.slice(0, -1));
    } else {
      raw.push(parseInstr(words, blockNames.length - 1));
    }
  }
  return assemble({
    name,
    flags,
    cpu,
    waveSize,
    groupSize,
    mostThreads,
    dividesRoughly,
    ldsBytes,
    args,
    raw,
    blockNames,
  });
}

function parseInstr(words: string[], block: number): RawInstr {
  let name = '';
  if (words[1] === '=') {
    name = words[0]!;
    words = words.slice(2);
  }
  const attrs = words.filter((w) => w.startsWith('!')).map((w) => w.slice(1));
  words = words.filter((w) => !w.startsWith('!'));
  const word = words[0]!.toLowerCase();
  const opcode = word === 'br' ? (words.length === 2 ? Opcode.UncondBr : Opcode.CondBr) : opcodes.get(word);
  if (opcode === undefined) fail(`unknown opcode '${word}'`);
  let rest = words.slice(1);
  const result: RawInstr = {
    opcode,
    word,
    name,
    block,
    operands: [],
    incoming: [],
    targets: [],
    predicate: NONE,
    attrs,
  };
  if (opcode === Opcode.UncondBr) {
    result.targets = rest;
  } else if (opcode === Opcode.CondBr) {
    result.operands = [rest[0]!];
    result.targets = rest.slice(1);
  } else if (opcode === Opcode.Switch) {
    result.operands = [rest[0]!, ...rest.slice(2).filter((_, i) => i % 2 === 0)];
    result.targets = [rest[1]!, ...rest.slice(2).filter((_, i) => i % 2 === 1)];
  } else if (opcode === Opcode.IndirectBr) {
    result.operands = [rest[0]!];
    result.targets = rest.slice(1);
  } else if (opcode === Opcode.Invoke) {
    // invoke CALLEE args… NORMAL UNWIND
    result.operands = [...rest.slice(1, -2), rest[0]!];
    result.targets = rest.slice(-2);
  } else if (opcode === Opcode.Phi) {
    const flat = rest.filter((w) => w !== '[' && w !== ']');
    result.operands = flat.filter((_, i) => i % 2 === 0);
    result.incoming = flat.filter((_, i) => i % 2 === 1);
  } else {
    if (opcode === Opcode.ICmp || opcode === Opcode.FCmp) {
      const alias = opcode === Opcode.FCmp ? `f${rest[0]}` : '';
      result.predicate = predicates.get(alias) ?? predicates.get(rest[0]!) ?? Number(rest[0]);
      rest = rest.slice(1);
    }
    result.operands = opcode === Opcode.Call ? [...rest.slice(1), rest[0]!] : rest;
  }
  if (result.attrs.some((a) => a.startsWith('name=')))
    result.name = result.attrs.find((a) => a.startsWith('name='))!.slice(5);
  return result;
}

interface ParsedFunction extends Pick<FunctionSnapshot, 'name' | 'flags' | 'cpu' | 'waveSize' | 'groupSize'> {
  readonly dividesRoughly: boolean;
  readonly ldsBytes: number;
  readonly mostThreads: number;
  readonly args: readonly { name: string; type: string; uniformity: number }[];
  readonly raw: readonly RawInstr[];
  readonly blockNames: readonly string[];
}

const isFloat = (word: string): boolean => /^-?(\d*\.\d+(e-?\d+)?|inf)$/.test(word);

const floatOf = (word: string): number => (isFloat(word) ? Number(word.replace('inf', 'Infinity')) : NaN);

function assemble({ args, raw, blockNames, ...parsed }: ParsedFunction): BuiltSnapshot {
  const blocks = new Map(blockNames.map((n, i) => [n, i]));
  const block = (n: string): BlockId => (blocks.get(n) ?? fail(`no block '${n}'`)) as BlockId;
  const instrs = new Map<string, number>();
  const values = new Map<string, number>(args.map((a, i) => [a.name, i]));
  raw.forEach((r, i) => {
    if (r.name === '') return;
    if (values.has(r.name)) fail(`'${r.name}' defined twice`);
    instrs.set(r.name, i);
    values.set(r.name, args.length + i);
  });
  const kinds: number[] = [
    ...args.map((): number => ValueKind.Argument),
    ...raw.map((): number => ValueKind.Instruction),
  ];
  const typeNames: string[] = [...args.map((a) => a.type), ...raw.map(() => '')];
  const constants = new Map<number, string>();
  const valueOf = (token: string): number => {
    const bare = token.replace(/\^.*$/, '');
    let id = values.get(bare);
    if (id !== undefined) return id;
    if (bare.startsWith('%')) fail(`'${bare}' is not defined`);
    const [word, type] = bare.split(':') as [string, string?];
    const kind =
      word === 'undef'
        ? ValueKind.Undef
        : word === 'poison'
          ? ValueKind.Poison
          : word.startsWith('@')
            ? ValueKind.Global
            : ValueKind.Constant;
    id = kinds.push(kind) - 1;
    typeNames.push(type ?? (kind === ValueKind.Global ? 'ptr' : isFloat(word) ? 'float' : 'i32'));
    values.set(bare, id);
    constants.set(id, word);
    return id;
  };
  const operandIds = raw.map((r) => r.operands.map(valueOf));

  // Types. Forward references through phis may need a second round; what is still unknown then is i32.
  const attr = (r: RawInstr, key: string): string | undefined =>
    r.attrs.find((a) => a.startsWith(`${key}=`))?.slice(key.length + 1);
  const resultType = (r: RawInstr, ops: readonly number[]): string => {
    const given = attr(r, 'type');
    if (given !== undefined) return given;
    if (r.opcode === Opcode.ICmp || r.opcode === Opcode.FCmp) return 'i1';
    if (r.opcode === Opcode.Alloca) return 'ptr5';
    if (r.opcode === Opcode.Store || r.opcode === Opcode.Fence || TERMINATORS.has(r.opcode)) return 'void';
    if (r.opcode === Opcode.Call && r.name === '') return 'void';
    const candidates = r.opcode === Opcode.Select ? ops.slice(1) : ops;
    const arithmetic = r.opcode >= Opcode.Add && r.opcode <= Opcode.Xor;
    if (arithmetic || r.opcode === Opcode.Select || FIRST_TYPED.has(r.opcode))
      return (
        typeNames[
          candidates.find(
            (v) => typeNames[v] !== '' && kinds[v] !== ValueKind.Undef && kinds[v] !== ValueKind.Poison,
          ) ?? -1
        ] ?? ''
      );
    return 'i32';
  };
  for (let round = 0; round < 3; round++)
    raw.forEach((r, i) => (typeNames[args.length + i] = resultType(r, operandIds[i]!) || (round === 2 ? 'i32' : '')));

  const types = new Interner();
  const valueType = Int32Array.from(typeNames, (t) => types.of(t));
  const typeFact = types.names.map(typeFacts);
  const keys = new Interner();
  const addressSpace = raw.map((r, i) => {
    const given = attr(r, 'as');
    const at = POINTER_OPERAND.get(r.opcode);
    return given !== undefined
      ? Number(given)
      : at === undefined
        ? NONE
        : (typeFact[valueType[operandIds[i]![at]!]!]?.addressSpace ?? NONE);
  });
  const keyOf = (r: RawInstr, i: number): number => {
    const given = attr(r, 'key');
    if (given !== undefined) return given === 'none' ? NONE : keys.of(`given ${given}`);
    if (TERMINATORS.has(r.opcode) || r.opcode === Opcode.Alloca) return NONE;
    const ops = operandIds[i]!;
    const compare = Math.min(r.predicate, swappedPredicate(r.predicate));
    const shape = (r.opcode === Opcode.Phi ? ops.slice(0, 0) : ops).map((v) => typeNames[v]).join(' ');
    const callee = r.opcode === Opcode.Call ? r.operands.at(-1) : '';
    return keys.of(
      `${r.opcode} ${typeNames[args.length + i]} ${shape} ${r.opcode === Opcode.ICmp || r.opcode === Opcode.FCmp ? compare : ''} ${addressSpace[i]} ${callee}`,
    );
  };
  const flagsOf = (r: RawInstr): number => {
    let bits = defaultFlags(r.opcode, r.operands.at(-1) ?? '');
    for (const a of r.attrs) {
      if (!/^[+-]/.test(a)) continue;
      const bit = InstrFlag[a.slice(1) as keyof typeof InstrFlag];
      if (bit === undefined) fail(`unknown flag '${a}'`);
      bits = a.startsWith('+') ? bits | bit : bits & ~bit;
    }
    return bits;
  };
  const latency = (op: number): number =>
    op === Opcode.Phi || TERMINATORS.has(op)
      ? 0
      : op === Opcode.Load || ATOMICS.has(op)
        ? 4
        : DIVISIONS.has(op)
          ? 20
          : op === Opcode.Call
            ? 10
            : 1;
  const perInstr = (g: (r: RawInstr, i: number) => number): Int32Array => Int32Array.from(raw, g);
  const starts = (sizes: readonly number[]): Int32Array => {
    const out = new Int32Array(sizes.length + 1);
    sizes.forEach((n, i) => (out[i + 1] = out[i]! + n));
    return out;
  };
  const terminators = blockNames.map((n, b) => {
    const last = raw.findLast((r) => r.block === b);
    if (!last || !TERMINATORS.has(last.opcode)) fail(`block '${n}' has no terminator`);
    return last;
  });

  const f: FunctionSnapshot = {
    ...parsed,
    mostThreads: parsed.mostThreads,
    dividesRoughly: () => parsed.dividesRoughly,
    ldsBytes: () => parsed.ldsBytes,
    intrinsic: (i) => /^@llvm\.([\w.]+)/.exec(raw[i]!.operands.at(-1) ?? '')?.[1] ?? null,
    floatConstant: (v) => floatOf(constants.get(v) ?? ''),
    switchValues: (b) =>
      terminators[b]!.opcode === Opcode.Switch
        ? { values: terminators[b]!.operands.slice(1).map(BigInt), range: null, isWeighed: false }
        : null,
    blockCount: blockNames.length,
    argCount: args.length,
    instrCount: raw.length,
    valueCount: kinds.length,
    blockInstrStart: starts(blockNames.map((_, b) => raw.filter((r) => r.block === b).length)),
    succStart: starts(terminators.map((t) => t.targets.length)),
    succ: Int32Array.from(terminators.flatMap((t) => t.targets.map(block))),
    instrOpcode: perInstr((r) => r.opcode),
    instrFlags: perInstr(flagsOf),
    instrBlock: perInstr((r) => r.block),
    instrType: perInstr((_, i) => valueType[args.length + i]!),
    instrUniformity: perInstr((r) => uniformityAttr(r.attrs)),
    instrLatency: perInstr((r) => Number(attr(r, 'lat') ?? latency(r.opcode))),
    instrKey: perInstr(keyOf),
    instrPredicate: perInstr((r) => r.predicate),
    instrAddressSpace: Int32Array.from(addressSpace),
    instrAlign: perInstr((r) => Number(attr(r, 'align') ?? (POINTER_OPERAND.has(r.opcode) ? 4 : 0))),
    instrSource: perInstr((r) => LaneSource[(attr(r, 'source') ?? 'None') as keyof typeof LaneSource]),
    instrTaken: perInstr((r) => Number(attr(r, 'taken') ?? NONE)),
    operandStart: starts(operandIds.map((o) => o.length)),
    operand: Int32Array.from(operandIds.flat()),
    operandBlock: Int32Array.from(
      raw.flatMap((r) => r.operands.map((_, i) => (r.opcode === Opcode.Phi ? block(r.incoming[i]!) : NONE))),
    ),
    operandFlags: Int32Array.from(
      raw.flatMap((r) => r.operands.map((o) => (/\^.*u/.test(o) ? 1 : 0) | (/\^.*s/.test(o) ? 2 : 0))),
    ),
    valueKind: Int32Array.from(kinds),
    valueType,
    ...pointerFacts({ raw, operandIds, argCount: args.length, valueCount: kinds.length, valueType, typeFact }),
    valueInteger: Int32Array.from(kinds, (kind, v) => {
      const text = kind === ValueKind.Constant ? constants.get(v)! : '';
      // As in LLVM, `true` is -1.
      const bit = ['false', 'true'].indexOf(text);
      if (bit >= 0) return -bit;
      const number = /^-?\d+$/.test(text) ? Number(text) : NaN;
      return number === (number | 0) ? number : NO_INTEGER;
    }),
    valueLiteral: Int32Array.from(kinds, (kind, v) =>
      Number(kind === ValueKind.Global || (kind === ValueKind.Constant && !isInline(Number(constants.get(v))))),
    ),
    argUniformity: Int32Array.from(args, (a) => a.uniformity),
    typeKind: Int32Array.from(typeFact, (t) => t.kind),
    typeBits: Int32Array.from(typeFact, (t) => t.bits),
    typeAddressSpace: Int32Array.from(typeFact, (t) => t.addressSpace),
  };
  const lookUp = (map: ReadonlyMap<string, number>, n: string): number => map.get(n) ?? fail(`no '${n}'`);
  return {
    f,
    blockNames,
    block,
    value: (n) => lookUp(values, n) as ValueId,
    instr: (n) => lookUp(instrs, n) as InstrId,
    term: (n) => terminatorOf(f, block(n)),
  };
}

/** AMD's operands hold small integers and some floats. */
const isInline = (x: number): boolean =>
  (Number.isInteger(x) && x >= -16 && x <= 64) || [0.5, 1, 2, 4].includes(Math.abs(x));

const uniformityAttr = (attrs: readonly string[]): number =>
  attrs.includes('never')
    ? Uniformity.NeverUniform
    : attrs.includes('always')
      ? Uniformity.AlwaysUniform
      : Uniformity.Default;

interface TypedFunction {
  readonly raw: readonly RawInstr[];
  readonly operandIds: readonly number[][];
  readonly argCount: number;
  readonly valueCount: number;
  readonly valueType: Int32Array;
  readonly typeFact: readonly { addressSpace: number }[];
}

/** `valueAlloca` and `valueCastFrom`, by iteration to a fixpoint through GEPs, casts, freezes, selects and phis. */
function pointerFacts({
  raw,
  operandIds,
  argCount,
  valueCount,
  valueType,
  typeFact,
}: TypedFunction): Pick<FunctionSnapshot, 'valueAlloca' | 'valueCastFrom' | 'valueBase' | 'valueOffset'> {
  const UNSET = -3;
  const passesOn = (op: number): boolean => op === Opcode.Phi || op === Opcode.Select || FIRST_POINTER.has(op);
  const solve = (seed: (r: RawInstr, i: number) => number | undefined): Int32Array => {
    const out = new Int32Array(valueCount).fill(NONE);
    raw.forEach((r, i) => (out[argCount + i] = seed(r, i) ?? (passesOn(r.opcode) ? UNSET : NONE)));
    for (let changed = true; changed;) {
      changed = false;
      raw.forEach((r, i) => {
        if (seed(r, i) !== undefined || !passesOn(r.opcode)) return;
        const ops = operandIds[i]!;
        const from = r.opcode === Opcode.Phi ? ops : r.opcode === Opcode.Select ? ops.slice(1) : ops.slice(0, 1);
        let met: number = UNSET;
        for (const v of from) if (out[v] !== UNSET) met = met === UNSET || met === out[v] ? out[v]! : -2;
        if (met !== out[argCount + i]) {
          out[argCount + i] = met;
          changed = true;
        }
      });
    }
    return out.map((x) => (x === UNSET ? NONE : x));
  };
  return {
    // Every value is its own base; addresses with constant offsets are the binding's tests' business.
    valueBase: Int32Array.from({ length: valueCount }, (_, v) =>
      typeFact[valueType[v]!]!.addressSpace >= 0 ? v : NONE,
    ),
    valueOffset: new Int32Array(valueCount),
    valueAlloca: solve((r, i) => (r.opcode === Opcode.Alloca ? argCount + i : undefined)),
    valueCastFrom: solve((r, i) =>
      r.opcode === Opcode.AddrSpaceCast ? typeFact[valueType[operandIds[i]![0]!]!]!.addressSpace : undefined,
    ),
  };
}

/**
 * A snapshot of bare control flow: `successors[b]` are block b's successors; one argument `%b<N>` per block is the
 * condition of its terminator (`ret`, `br`, `switch` by the number of successors), divergent where `divergent` says so.
 * Blocks are called b0, b1, …
 */
export function graphSnapshot(
  successors: readonly (readonly number[])[],
  divergent: readonly number[] = [],
): BuiltSnapshot {
  const lines = successors.map((_, b) => `arg %b${b} i32${divergent.includes(b) ? ' never' : ''}`);
  successors.forEach((to, b) => {
    lines.push(`b${b}:`);
    if (to.length === 0) lines.push('ret');
    else if (to.length <= 2) lines.push(`br ${to.length === 2 ? `%b${b} ` : ''}${to.map((t) => `b${t}`).join(' ')}`);
    else
      lines.push(
        `switch %b${b} b${to[0]} ${to
          .slice(1)
          .map((t, i) => `${i} b${t}`)
          .join(' ')}`,
      );
  });
  return snapshot(lines.join('\n'));
}
