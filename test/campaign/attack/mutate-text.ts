/** Damages IR text so that much of it still parses: tokens and lines moved, numbers, types and operations exchanged. */
import type { Draw } from '../../support/draw.js';

const TOKEN = /[%@!#]?[-\w.$]+|"[^"\n]*"|[^\S\n]+|\n|./g;

const NUMBERS = ['0', '-1', '1', '2', '3', '7', '63', '64', '65', '255', '65535', '65536', '2147483647', '2147483648', '4294967295', '4294967296', '4294967297', '9223372036854775807', '18446744073709551615', '18446744073709551616', '340282366920938463463374607431768211456', '0x7FF0000000000000', '0xFFFFFFFFFFFFFFFF', '1.0e+999']; // prettier-ignore

export const TYPES = ['i1', 'i7', 'i8', 'i16', 'i32', 'i64', 'i65', 'i128', 'i1000', 'i8388607', 'half', 'bfloat', 'float', 'double', 'fp128', 'x86_fp80', 'ppc_fp128', 'ptr', 'ptr addrspace(1)', 'ptr addrspace(3)', 'ptr addrspace(5)', 'ptr addrspace(7)', 'ptr addrspace(8)', 'ptr addrspace(16777215)', '<2 x i32>', '<3 x i7>', '<17 x i32>', '<1024 x i8>', '<vscale x 4 x i32>', '<4294967295 x i8>', '[0 x i32]', '[4 x i32]', '[18446744073709551615 x i8]', '{}', '{ i8, [3 x i16], ptr }', '<{ i1, i64 }>', 'void', 'label', 'token', 'metadata', 'x86_amx', 'target("spirv.Image")', 'target("amdgcn.named.barrier", 0)']; // prettier-ignore

const OPERATIONS = ['add', 'sub', 'mul', 'udiv', 'sdiv', 'urem', 'srem', 'shl', 'lshr', 'ashr', 'and', 'or', 'xor', 'fadd', 'fmul', 'fdiv', 'frem', 'fneg', 'icmp eq', 'icmp slt', 'fcmp oeq', 'select', 'freeze', 'zext', 'sext', 'trunc', 'bitcast', 'addrspacecast', 'ptrtoint', 'inttoptr', 'sitofp', 'fptosi', 'fptrunc', 'load', 'store', 'alloca', 'getelementptr', 'extractelement', 'insertelement', 'shufflevector', 'extractvalue', 'insertvalue', 'phi', 'br', 'switch', 'indirectbr', 'ret', 'unreachable', 'call', 'invoke', 'callbr', 'resume', 'landingpad', 'fence', 'cmpxchg', 'atomicrmw', 'va_arg']; // prettier-ignore

const ATTRIBUTES = ['convergent', 'noreturn', 'naked', 'alwaysinline', 'noinline', 'optnone', 'minsize', 'readnone', 'willreturn', 'presplitcoroutine', 'sanitize_address', 'strictfp', 'returns_twice', 'jumptable', 'ssp', 'shadowcallstack', 'hybrid_patchable', '"amdgpu-flat-work-group-size"="1,1"', '"amdgpu-flat-work-group-size"="0,4294967295"', '"amdgpu-waves-per-eu"="99,1"', '"target-cpu"="gfx1100"', '"target-cpu"="generic"', '"target-features"="+wavefrontsize32,+wavefrontsize64"', '"amdgpu-num-vgpr"="1"', '"amdgpu-num-sgpr"="1"', '"uniform-work-group-size"="maybe"']; // prettier-ignore

const ALIGNMENTS = ['align 1', 'align 3', 'align 65536', 'align 4294967296', 'align 8589934592', 'align 0'];

type Mutation = (tokens: string[], draw: Draw) => void;

/** Index of a random token that a pattern fits; -1 if the first few that are tried do not. */
function find(tokens: readonly string[], draw: Draw, pattern: RegExp): number {
  for (let i = 0; i < 64; i++) {
    const at = draw.below(tokens.length);
    if (pattern.test(tokens[at]!)) return at;
  }
  return -1;
}

const replace =
  (pattern: RegExp, values: readonly string[]): Mutation =>
  (tokens, draw) => {
    const at = find(tokens, draw, pattern);
    if (at >= 0) tokens[at] = draw.pick(values);
  };

/** Another token of the same text, of the same kind. */
const exchange =
  (pattern: RegExp): Mutation =>
  (tokens, draw) => {
    const [a, b] = [find(tokens, draw, pattern), find(tokens, draw, pattern)];
    if (a >= 0 && b >= 0) tokens[a] = tokens[b]!;
  };

const swap: Mutation = (tokens, draw) => {
  const [a, b] = [find(tokens, draw, /\S/), find(tokens, draw, /\S/)];
  if (a >= 0 && b >= 0) [tokens[a], tokens[b]] = [tokens[b]!, tokens[a]!];
};

const drop: Mutation = (tokens, draw) => void tokens.splice(draw.below(tokens.length), 1);

const twice: Mutation = (tokens, draw) => {
  const at = draw.below(tokens.length);
  tokens.splice(at, 0, tokens[at]!);
};

/** Copies, moves or removes a whole line. */
const line: Mutation = (tokens, draw) => {
  const start = find(tokens, draw, /^\n$/);
  const end = tokens.indexOf('\n', start + 1);
  if (start < 0 || end < 0) return;
  const what = draw.below(3);
  const cut = what === 0 ? tokens.slice(start, end) : tokens.splice(start, end - start);
  const to = find(tokens, draw, /^\n$/);
  if (what < 2 && to >= 0) tokens.splice(to, 0, ...cut);
};

const insert =
  (before: RegExp, values: readonly string[]): Mutation =>
  (tokens, draw) => {
    const at = find(tokens, draw, before);
    if (at >= 0) tokens.splice(at, 0, ` ${draw.pick(values)} `);
  };

const TYPE = /^(i\d+|half|float|double|ptr|void|label)$/;
const MUTATIONS: readonly Mutation[] = [
  replace(/^-?\d+$/, NUMBERS),
  replace(/^-?\d+$/, NUMBERS),
  replace(TYPE, TYPES),
  replace(TYPE, TYPES),
  replace(/^(add|sub|mul|[us]div|shl|[al]shr|and|or|xor|f(add|sub|mul)|phi|br|load|store|select|call|ret|[sz]ext|trunc)$/, OPERATIONS), // prettier-ignore
  exchange(/^[%@]/),
  exchange(/^[%@]/),
  exchange(/^[!#]/),
  exchange(/^"/),
  insert(/^\{$/, ATTRIBUTES),
  insert(/^align$/, ALIGNMENTS),
  swap,
  drop,
  twice,
  line,
  line,
];

export function mutateText(text: string, draw: Draw): string {
  const tokens = text.match(TOKEN) ?? [];
  for (let i = draw.pick([1, 1, 2, 2, 3, 5]); i > 0 && tokens.length > 1; i--) draw.pick(MUTATIONS)(tokens, draw);
  return tokens.join('');
}
