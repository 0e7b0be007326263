/**
 * What an instruction has to do with memory: what it begins, what it waits for, and what has to be done before it. From
 * its text alone. Sources: LLVM's "User Guide for AMDGPU Backend" (memory model), the manuals of the instruction sets,
 * and which counter LLVM takes an instruction to raise (AMDGPUHWEvents.cpp).
 *
 * Exports, operations of gfx12.5 and stores of scalars are unknown: code for kernels has none on the targets here.
 */
import { limitsOf, type Counter, type Family, type Limit } from './counters.js';
import { registersIn, type Halves } from './registers.js';

/**
 * What an operation does to memory that other threads see. `direct`: a load whose data go into the LDS and not into a
 * register. `write-back`: of a cache, so that other compute units see what was stored.
 */
export type Access = 'none' | 'lds' | 'load' | 'store' | 'direct' | 'write-back';

/** What one instruction begins, in one counter: one that uses flat addresses has two. */
export interface Operation {
  readonly counter: Counter;
  /** Operations of one kind are done in the order in which they were begun, those of two kinds in any order. */
  readonly kind: string;
  /**
   * Whether it may be done before older ones of its kind all the same. Scalar loads may. So may, before gfx10, what
   * uses flat addresses: a counter that has nothing to do with its data counts it as done at once.
   */
  readonly overtakes: boolean;
  readonly access: Access;
  /** What it writes when it is done; null: any, since the caller of a function began it. */
  readonly destination: Halves | null;
  readonly line: number;
}

/** Which memory operations have to be done at a place; see `random-kernels.ts` for the comments that say so. */
export type Scope = 'workgroup' | 'agent' | 'system';

export type Effect =
  | { readonly kind: 'compute' }
  | { readonly kind: 'begin'; readonly operations: readonly Operation[]; readonly isWrite: boolean }
  | { readonly kind: 'wait'; readonly limits: readonly Limit[] }
  | { readonly kind: 'barrier' }
  | { readonly kind: 'fence' | 'atomic'; readonly scope: Scope }
  | { readonly kind: 'volatile'; readonly access: 'load' | 'store' }
  | { readonly kind: 'invalidate'; readonly operations: readonly Operation[] }
  | { readonly kind: 'branch'; readonly target: string; readonly falls: boolean }
  /** With what the function may leave outstanding. */
  | { readonly kind: 'call'; readonly operations: readonly Operation[] }
  | { readonly kind: 'return' | 'tail-call' | 'end' | 'unknown' };

const COMPUTE: Effect = { kind: 'compute' };
const UNKNOWN: Effect = { kind: 'unknown' };

/** Scalar instructions that have nothing to do with memory, by how their names begin. */
const SCALAR_NAMES = [
  'movk? cmovk? cselect cmp cmpk bitcmp add addc addk sub subb min max mul mulk abs absdiff and or xor nand nor xnor not',
  'andn1 andn2 orn1 orn2 lshl lshr ashr lshl[1-4]_add bfe bfm bcnt[01] brev ff[01] flbit ctz cls clz bitset[01] sext',
  'bitreplicate wqm quadmask pack getpc getreg setreg fmac fmamk fmaak ceil floor trunc rndne cvt set_gpr_idx nop sleep',
  'sleep_var setprio delay_alu clause set_inst_prefetch_distance inst_prefetch denorm_mode round_mode sethalt trap version',
  'code_end icache_inv barrier_wait wakeup ttracedata setkill',
];
const SCALAR = new RegExp(`^s_(${SCALAR_NAMES.join(' ').replaceAll(' ', '|')})(?![a-z])`);

const LANES_ONLY = /^ds_(b?permute|swizzle)/;
const RETURNS_FROM_LDS = /^ds_(read|load|consume|append|ordered_count)|_rtn(_|$)/;
const DIRECT = /_load_lds_|\blds\b/;
const RETURNS_OLD = /\b(glc|sc0)\b|\bth:TH_ATOMIC\w*RETURN/;

/**
 * The operands' text with the half that is meant. Since gfx11 LLVM uses the halves of a register apart, but loads and
 * stores of at most 16 bits name all of it.
 */
export function withHalves(mnemonic: string, args: string, { generation }: Family): string {
  const load = /_load_.*d16/.test(mnemonic);
  const store = /_store_.*(b8|b16)/.test(mnemonic);
  if (generation < 11 || !(load || store)) return args;
  const operands = args.split(',');
  const data = store && !mnemonic.includes('buffer') ? 1 : 0;
  const half = mnemonic.includes('d16_hi') ? 'h' : 'l';
  operands[data] = operands[data]!.replace(/^(\s*v\d+)(?![\w.])/, `$1.${half}`);
  return operands.join(',');
}

/** @param args the operands' text */
export function effectOf(mnemonic: string, args: string, line: number, family: Family): Effect {
  const limits = limitsOf(mnemonic, args, family);
  if (limits !== null) return { kind: 'wait', limits };
  if (mnemonic.startsWith('v_')) return COMPUTE;
  if (mnemonic.startsWith('ds_')) return ofLds(mnemonic, args, line, family);
  const [, space, action] = /^(global|flat|scratch|t?buffer|image)_(\w+)/.exec(mnemonic) ?? [];
  if (space !== undefined) return ofVectorMemory({ space, action: action!, args, line, family });
  if (/^s_(load|buffer_load|scratch_load|memtime|memrealtime|dcache_inv|prefetch)/.test(mnemonic))
    return begin({ counter: family.scalar, kind: 'scalar', overtakes: true, access: 'none', line }, args);
  // Without a result nothing waits for it.
  if (/^s_sendmsg(halt)?$/.test(mnemonic)) return COMPUTE;
  if (mnemonic.startsWith('s_sendmsg_rtn'))
    return begin({ counter: family.scalar, kind: 'message', overtakes: false, access: 'none', line }, args);
  return ofControl(mnemonic, args, line, family) ?? (SCALAR.test(mnemonic) ? COMPUTE : UNKNOWN);
}

/** @param args those whose first operand the instruction writes, or none */
function begin(operation: Omit<Operation, 'destination'>, args: string, isWrite = false): Effect {
  const destination = registersIn(firstOperand(args));
  return { kind: 'begin', operations: [{ ...operation, destination }], isWrite };
}

/** With its registers in brackets, which hold no comma. */
export const firstOperand = (args: string): string => args.split(',', 1)[0]!;

function ofLds(mnemonic: string, args: string, line: number, family: Family): Effect {
  if (mnemonic === 'ds_nop') return COMPUTE;
  if (/^ds_(gws|bvh_stack|add_gs|sub_gs|param|direct)/.test(mnemonic) || /\bgds\b/.test(args)) return UNKNOWN;
  // What only exchanges values between lanes uses the LDS' wires and not its memory.
  const access = LANES_ONLY.test(mnemonic) ? 'none' : 'lds';
  const writes = access === 'none' || RETURNS_FROM_LDS.test(mnemonic) ? args : '';
  return begin({ counter: family.lds, kind: 'lds', overtakes: false, access, line }, writes);
}

interface VectorMemory {
  readonly space: string;
  readonly action: string;
  readonly args: string;
  readonly line: number;
  readonly family: Family;
}

function ofVectorMemory({ space, action, args, line, family }: VectorMemory): Effect {
  const vector = { kind: 'vector', overtakes: false, line, destination: [] };
  // Of these, only that of gfx12 raises a counter.
  if (/^(wbinvl1|gl[01]_inv|inv)/.test(action)) {
    const counted = space === 'global' ? [{ ...vector, counter: family.load, access: 'none' as const }] : [];
    return { kind: 'invalidate', operations: counted };
  }
  if (/^wb/.test(action))
    return { kind: 'begin', operations: [{ ...vector, counter: family.store, access: 'write-back' }], isWrite: false };
  const atomic = action.startsWith('atomic');
  const store = action.startsWith('store');
  if (!atomic && !store && !/^(load|sample|gather4|msaa_load|get_|bvh)/.test(action)) return UNKNOWN;
  if (/async|block|monitor/.test(action)) return UNKNOWN;

  const direct = !store && DIRECT.test(`_${action} ${args}`);
  const isWrite = store || (atomic && !RETURNS_OLD.test(args));
  let counter = isWrite ? family.store : family.load;
  if (/^(sample|gather4|msaa_load|get_lod)/.test(action)) counter = family.sample;
  if (action.startsWith('bvh')) counter = family.rayTracing;
  const destination = isWrite || direct ? [] : registersIn(firstOperand(args));
  // Scratch is a thread's own, and so are buffers: LLVM uses them for scratch, where it has no instruction for that.
  const isPrivate = space === 'scratch' || (space.endsWith('buffer') && !atomic);
  const access = direct ? 'direct' : isPrivate ? 'none' : isWrite ? 'store' : 'load';
  const operation = { ...vector, counter, access, destination } as const;
  if (space !== 'flat') return { kind: 'begin', operations: [operation], isWrite: !isPrivate && (store || atomic) };

  // It may find its data in memory or in the LDS.
  const overtakes = family.generation === 9;
  return {
    kind: 'begin',
    operations: [
      { ...operation, overtakes },
      { ...operation, overtakes, kind: 'lds', counter: family.lds, access: 'lds' },
    ],
    isWrite: store || atomic,
  };
}

/** Functions return to the address in s[30:31]. */
const RETURN = 's[30:31]';

function ofControl(mnemonic: string, args: string, line: number, family: Family): Effect | null {
  if (mnemonic.startsWith('s_cbranch_')) return { kind: 'branch', target: args.trim(), falls: true };
  if (mnemonic === 's_branch') return { kind: 'branch', target: args.trim(), falls: false };
  if (mnemonic === 's_endpgm') return { kind: 'end' };
  if (mnemonic === 's_swappc_b64' || mnemonic === 's_call_b64') {
    const left = { kind: 'of a callee', overtakes: true, access: 'store', destination: [], line } as const;
    return { kind: 'call', operations: family.store === family.load ? [] : [{ ...left, counter: family.store }] };
  }
  if (mnemonic === 's_setpc_b64') return { kind: args.trim() === RETURN ? 'return' : 'tail-call' };
  // Since gfx12 a barrier is two instructions: one says that the wave is there, the other waits for the others.
  return mnemonic === 's_barrier' || mnemonic === 's_barrier_signal' ? { kind: 'barrier' } : null;
}

/** The comments in assembly that say what has to be done at a place. */
export function effectOfComment(line: string): Effect | null {
  const [, what, of] = /^\s*; (RELEASE|RELEASED|VOLATILE) (\w+)$/.exec(line) ?? [];
  if (what === 'RELEASE') return { kind: 'fence', scope: of as Scope };
  if (what === 'RELEASED') return { kind: 'atomic', scope: of as Scope };
  return what === 'VOLATILE' ? { kind: 'volatile', access: of as 'load' | 'store' } : null;
}
