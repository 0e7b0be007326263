/**
 * Random kernels as textual LLVM IR for amdgcn gfx906: control flow around divergent branches, sides that are mutated copies
 * of each other. A kernel is a tree of statements over a few variables of each type; `emitModule` writes the variables as
 * allocas, so any control flow is well formed, and LLVM passes (PREPARATIONS) turn them into SSA in various shapes.
 *
 * Every kernel is free of undefined behaviour and of poison that matters: operands are masked where flags or shifts demand it,
 * divisors are odd or guarded, floats hold small integers (so that all operations on them are exact), loops have a bounded
 * trip count, indices stay inside of what a thread owns (its cells in `out`, its columns of LDS, its private arrays) or of the
 * read-only buffer `in`. So every correct compilation gives the same bytes.
 */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** 0 ≤ result < n (mulberry32). */
  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

// --- The tree -------------------------------------------------------------------------------------------------------------

/** Numbers that a statement's template reads its operands, constants and flags from. */
export interface Leaf {
  readonly kind: 'op';
  readonly op: number;
  readonly d: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly k: number;
}
export interface Condition {
  readonly of: number;
  readonly a: number;
  readonly b: number;
  readonly k: number;
}
export type Statement =
  | Leaf
  | { readonly kind: 'if'; readonly when: Condition; readonly then: Body; readonly else: Body }
  | {
      readonly kind: 'either';
      readonly and: boolean;
      readonly when: Condition;
      readonly also: Condition;
      readonly between: Body;
      readonly then: Body;
      readonly else: Body;
    }
  | {
      readonly kind: 'shared';
      readonly when: Condition;
      readonly t: Body;
      readonly f: Body;
      readonly whenT: Condition;
      readonly whenF: Condition;
      readonly swap: boolean;
      readonly then: Body;
      readonly else: Body;
    }
  | { readonly kind: 'switch'; readonly on: number; readonly cases: readonly Body[]; readonly through: number }
  | {
      readonly kind: 'loop';
      readonly trips: Condition;
      readonly tail: boolean;
      readonly body: Body;
      readonly d: number;
    }
  | { readonly kind: 'block'; readonly body: Body }
  | { readonly kind: 'leave'; readonly when: Condition; readonly depth: number; readonly again: boolean }
  | { readonly kind: 'barrier' };
export type Body = readonly Statement[];

export interface Kernel {
  readonly name: string;
  readonly body: Body;
}

// --- Generating -----------------------------------------------------------------------------------------------------------

const leaf = (r: Random): Leaf => ({
  kind: 'op',
  op: r.below(OPS.length),
  d: r.below(64),
  a: r.below(64),
  b: r.below(64),
  c: r.below(64),
  k: r.below(2 ** 31),
});
const condition = (r: Random): Condition => ({ of: r.below(64), a: r.below(64), b: r.below(64), k: r.below(2 ** 31) });
const CONDITIONS_ON_THREAD = [0, 1, 2, 7];
const divergent = (r: Random): Condition => ({ ...condition(r), of: r.pick(CONDITIONS_ON_THREAD) });

function leaves(r: Random, most: number): Body {
  return Array.from({ length: r.below(most + 1) }, () => leaf(r));
}

function bodyOf(r: Random, depth: number, size: number): Body {
  const list: Statement[] = [];
  const count = 1 + r.below(size);
  for (let n = 0; n < count; n++)
    list.push(...leaves(r, 5), ...(r.chance(depth > 0 ? 65 : 0) ? [compound(r, depth - 1, size)] : []));
  return list.length > 0 ? list : [leaf(r)];
}

/** The same again with changes; or something else. */
function twin(r: Random, body: Body, depth: number, size: number): Body {
  const how = r.below(100);
  if (how < 10) return bodyOf(r, depth, size);
  return mutate(r, body, how < 25 ? 0 : how < 60 ? 8 : 30);
}

function mutate(r: Random, body: Body, percent: number): Body {
  const out: Statement[] = [];
  for (const s of body) {
    if (r.chance(percent / 3)) continue;
    if (r.chance(percent / 3)) out.push(leaf(r));
    out.push(mutateStatement(r, s, percent));
  }
  return out;
}

const mutateCondition = (r: Random, c: Condition, percent: number): Condition =>
  r.chance(percent)
    ? { ...c, ...(r.chance(50) ? { k: r.below(2 ** 31) } : r.chance(50) ? { b: r.below(64) } : { of: r.below(64) }) }
    : c;

function mutateStatement(r: Random, s: Statement, percent: number): Statement {
  const body = (b: Body): Body => mutate(r, b, percent);
  const when = (c: Condition): Condition => mutateCondition(r, c, percent * 2);
  switch (s.kind) {
    case 'op': {
      if (!r.chance(percent * 2)) return s;
      const field = r.pick(['a', 'b', 'c', 'd', 'k', 'k', 'op'] as const);
      return { ...s, [field]: field === 'k' ? r.below(2 ** 31) : field === 'op' ? r.below(OPS.length) : r.below(64) };
    }
    case 'if':
      return { ...s, when: when(s.when), then: body(s.then), else: body(s.else) };
    case 'either':
      return {
        ...s,
        when: when(s.when),
        also: when(s.also),
        between: body(s.between),
        then: body(s.then),
        else: body(s.else),
      };
    case 'shared':
      return {
        ...s,
        when: when(s.when),
        t: body(s.t),
        f: body(s.f),
        whenT: when(s.whenT),
        whenF: when(s.whenF),
        then: body(s.then),
        else: body(s.else),
      };
    case 'switch':
      return { ...s, cases: s.cases.map(body) };
    case 'loop':
      return { ...s, trips: when(s.trips), body: body(s.body) };
    case 'block':
      return { ...s, body: body(s.body) };
    case 'leave':
      return { ...s, when: when(s.when) };
    case 'barrier':
      return s;
  }
}

function compound(r: Random, depth: number, size: number): Statement {
  const what = r.below(100);
  const part = (): Body => bodyOf(r, depth, size);
  if (what < 40) {
    const then = part();
    return {
      kind: 'if',
      when: r.chance(70) ? divergent(r) : condition(r),
      then,
      else: r.chance(25) ? [] : twin(r, then, depth, size),
    };
  }
  if (what < 52) {
    const then = part();
    return {
      kind: 'either',
      and: r.chance(50),
      when: divergent(r),
      also: condition(r),
      between: leaves(r, 3),
      then,
      else: r.chance(30) ? [] : twin(r, then, depth, size),
    };
  }
  if (what < 62) {
    const t = leaves(r, 5);
    const whenT = condition(r);
    return {
      kind: 'shared', when: divergent(r), t, f: twin(r, t, 0, size), whenT, whenF: mutateCondition(r, whenT, 60), swap: r.chance(40),
      then: part(), else: r.chance(40) ? [] : part(),
    }; // prettier-ignore
  }
  if (what < 68) {
    const first = part();
    return {
      kind: 'switch',
      on: r.below(64),
      cases: Array.from({ length: 2 + r.below(3) }, (_, i) => (i === 0 ? first : twin(r, first, depth, size))),
      through: r.below(16),
    };
  }
  if (what < 84) return { kind: 'loop', trips: condition(r), tail: r.chance(60), body: part(), d: r.below(64) };
  if (what < 92) return { kind: 'block', body: part() };
  return { kind: 'leave', when: condition(r), depth: r.below(3), again: r.chance(40) };
}

/** @param size 1 to 4, roughly */
export function randomKernel(name: string, seed: number, size: number): Kernel {
  const r = new Random(seed);
  const body: Statement[] = [];
  const parts = 1 + r.below(2);
  for (let n = 0; n < parts; n++) {
    if (n > 0 && r.chance(40)) body.push({ kind: 'barrier' });
    body.push(...leaves(r, 4));
    const then = bodyOf(r, r.below(3), size);
    const core: Statement = r.chance(75)
      ? { kind: 'if', when: divergent(r), then, else: twin(r, then, 2, size) }
      : compound(r, 2, size);
    // A loop around: uniform (its trip count is an argument) or not.
    const looped: Statement = {
      kind: 'loop',
      trips: { ...condition(r), of: r.chance(50) ? 6 : 3 },
      tail: r.chance(50),
      body: [...leaves(r, 2), core, ...leaves(r, 2)],
      d: r.below(64),
    };
    body.push(r.chance(30) ? looped : core);
    body.push(...leaves(r, 3));
  }
  return { name, body };
}

// --- Shrinking ------------------------------------------------------------------------------------------------------------

/** Smaller versions of a body, boldest first. */
export function* smaller(body: Body): Generator<Body> {
  for (let half = Math.floor(body.length / 2); half >= 1; half = Math.floor(half / 2))
    for (let from = 0; from < body.length; from += half) yield [...body.slice(0, from), ...body.slice(from + half)];
  for (const [at, s] of body.entries()) {
    const put = (list: Body): Body => [...body.slice(0, at), ...list, ...body.slice(at + 1)];
    for (const inner of partsOf(s)) yield put(inner);
    for (const field of ['then', 'else', 'between', 't', 'f', 'body'] as const)
      if (field in s)
        for (const inner of smaller((s as never)[field] as Body)) yield put([{ ...s, [field]: inner } as Statement]);
    if (s.kind === 'switch')
      for (const [n, one] of s.cases.entries())
        for (const inner of smaller(one))
          yield put([{ ...s, cases: s.cases.map((old, m) => (m === n ? inner : old)) }]);
  }
}

function partsOf(s: Statement): Body[] {
  switch (s.kind) {
    case 'if':
      return [s.then, s.else];
    case 'either':
      return [s.then, s.else, s.between, [{ kind: 'if', when: s.when, then: s.then, else: s.else }]];
    case 'shared':
      return [
        s.t,
        s.f,
        s.then,
        s.else,
        [
          { kind: 'if', when: s.when, then: s.t, else: s.f },
          { kind: 'if', when: s.whenT, then: s.then, else: s.else },
        ],
      ];
    case 'switch':
      return [...s.cases];
    case 'loop':
    case 'block':
      return [s.body];
    default:
      return [];
  }
}

// --- Emitting -------------------------------------------------------------------------------------------------------------

export const THREADS = 64;
export const GROUPS = 2;
/** `in`: this many i32, read-only. */
export const IN_WORDS = 544;
/** Bytes of `out` per thread: 128 for the cells, the rest for the final values of the variables. */
export const CELL_BYTES = 256;

const COUNTS = { v: 6, w: 2, h: 2, b: 2, c: 3, f: 2, q: 1, p: 2 } as const;
const TYPES = {
  v: 'i32',
  w: 'i64',
  h: 'i16',
  b: 'i8',
  c: 'i1',
  f: 'float',
  q: '<4 x i32>',
  p: 'ptr addrspace(1)',
} as const;
type Class = keyof typeof COUNTS;
const CLASSES = Object.keys(COUNTS) as Class[];

const P = {
  icmp: ['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'],
  fcmp: ['oeq', 'ogt', 'oge', 'olt', 'ole', 'one', 'ueq', 'ugt', 'uge', 'ult', 'ule', 'une'],
  plain: ['add', 'sub', 'mul', 'and', 'or', 'xor'],
  flags: ['', ' nuw', ' nsw', ' nuw nsw'],
  fast: ['', ' nnan', ' nsz', ' nnan ninf nsz', ' contract', ' reassoc nsz'],
} as const;
const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
const odd = (k: number): number => (k & 0xff) | 1;

class Emitter {
  readonly lines: string[] = [];
  #next = 0;
  #loops = 0;
  /** Labels to leave to: [behind, again or null]. */
  readonly #scopes: (readonly [string, string | null])[] = [];
  readonly counters: string[] = [];

  emit(text: string): void {
    this.lines.push(`  ${text}`);
  }
  /** Emits `%tN = text`. */
  value(text: string): string {
    const name = `%t${this.#next++}`;
    this.emit(`${name} = ${text}`);
    return name;
  }
  label(): string {
    return `bb${this.#next++}`;
  }
  block(label: string): void {
    this.lines.push(`${label}:`);
  }
  read(of: Class, index: number): string {
    return this.value(`load ${TYPES[of]}, ptr addrspace(5) %${of}${index % COUNTS[of]}`);
  }
  write(of: Class, index: number, value: string): void {
    this.emit(`store ${TYPES[of]} ${value}, ptr addrspace(5) %${of}${index % COUNTS[of]}`);
  }
  v = (index: number): string => this.read('v', index);
  masked(index: number, mask: number): string {
    return this.value(`and i32 ${this.v(index)}, ${mask}`);
  }

  condition(c: Condition): string {
    switch (c.of % 8) {
      case 0: // bits of the thread id
        return this.value(`icmp ${at(P.icmp, c.a)} i32 ${this.value(`and i32 %tid, ${(c.k & 31) | 1}`)}, ${c.b & 7}`);
      case 1:
        return this.value(`icmp ${at(P.icmp, 2 + (c.a % 4))} i32 %tid, ${c.k & 63}`);
      case 2:
      case 3:
        return this.value(`icmp ${at(P.icmp, c.b)} i32 ${this.masked(c.a, 15)}, ${c.k & 15}`);
      case 4:
        return this.value(`icmp ${at(P.icmp, c.k)} i32 ${this.v(c.a)}, ${this.v(c.b)}`);
      case 5:
        return this.read('c', c.a);
      case 6:
        return this.value(`icmp ${at(P.icmp, c.a)} i32 %uniform, ${c.k & 7}`);
      default: // what the thread finds in memory
        return this.value(`icmp ${at(P.icmp, c.b)} i32 ${this.value(`and i32 %seen, ${(c.k & 63) | 1}`)}, ${c.a & 7}`);
    }
  }

  body(body: Body): void {
    for (const s of body) this.statement(s);
  }

  #branch(when: string, then: string, otherwise: string): void {
    this.emit(`br i1 ${when}, label %${then}, label %${otherwise}`);
  }
  jump(to: string): void {
    this.emit(`br label %${to}`);
  }
  #arm(label: string, body: Body, to: string): void {
    this.block(label);
    this.body(body);
    this.jump(to);
  }

  statement(s: Statement): void {
    switch (s.kind) {
      case 'op':
        return at(OPS, s.op)(this, s);
      case 'barrier':
        this.emit('fence syncscope("workgroup") release');
        this.emit('call void @llvm.amdgcn.s.barrier()');
        return this.emit('fence syncscope("workgroup") acquire');
      case 'if': {
        const [then, otherwise, end] = [this.label(), this.label(), this.label()];
        this.#branch(this.condition(s.when), then, otherwise);
        this.#arm(then, s.then, end);
        this.#arm(otherwise, s.else, end);
        return this.block(end);
      }
      case 'either': {
        const [second, then, otherwise, end] = [this.label(), this.label(), this.label(), this.label()];
        const first = this.condition(s.when);
        if (s.and) this.#branch(first, second, otherwise);
        else this.#branch(first, then, second);
        this.block(second);
        this.body(s.between);
        this.#branch(this.condition(s.also), then, otherwise);
        this.#arm(then, s.then, end);
        this.#arm(otherwise, s.else, end);
        return this.block(end);
      }
      case 'shared': {
        const [t, f, then, otherwise, end] = [this.label(), this.label(), this.label(), this.label(), this.label()];
        this.#branch(this.condition(s.when), t, f);
        this.block(t);
        this.body(s.t);
        this.#branch(this.condition(s.whenT), then, otherwise);
        this.block(f);
        this.body(s.f);
        if (s.swap) this.#branch(this.condition(s.whenF), otherwise, then);
        else this.#branch(this.condition(s.whenF), then, otherwise);
        this.#arm(then, s.then, end);
        this.#arm(otherwise, s.else, end);
        return this.block(end);
      }
      case 'switch': {
        const labels = s.cases.map(() => this.label());
        const end = this.label();
        const on = this.masked(s.on, 7);
        const arms = labels.slice(1).map((label, index) => `i32 ${index * 2}, label %${label}`);
        this.emit(`switch i32 ${on}, label %${labels[0]} [ ${arms.join(' ')} ]`);
        for (const [index, body] of s.cases.entries())
          this.#arm(labels[index]!, body, (s.through >> index) & 1 ? (labels[index + 1] ?? end) : end);
        return this.block(end);
      }
      case 'block': {
        const end = this.label();
        this.#scopes.push([end, null]);
        this.body(s.body);
        this.#scopes.pop();
        this.jump(end);
        return this.block(end);
      }
      case 'leave': {
        const scope = this.#scopes[this.#scopes.length - 1 - (s.depth % Math.max(1, this.#scopes.length))];
        const on = this.label();
        this.#branch(this.condition(s.when), (s.again ? scope?.[1] : null) ?? scope?.[0] ?? 'done', on);
        return this.block(on);
      }
      case 'loop': {
        const counter = `%n${this.#loops++}`;
        this.counters.push(counter);
        const trips = this.#trips(s.trips);
        const [head, body, latch, end] = [this.label(), this.label(), this.label(), this.label()];
        const count = (): string => this.value(`load i32, ptr addrspace(5) ${counter}`);
        this.emit(`store i32 0, ptr addrspace(5) ${counter}`);
        this.jump(s.tail ? body : head);
        if (!s.tail) {
          this.block(head);
          this.#branch(this.value(`icmp ult i32 ${count()}, ${trips}`), body, end);
        }
        this.block(body);
        this.write('v', s.d, this.value(`add i32 ${this.v(s.d)}, ${count()}`));
        this.#scopes.push([end, latch]);
        this.body(s.body);
        this.#scopes.pop();
        this.jump(latch);
        this.block(latch);
        const next = this.value(`add i32 ${count()}, 1`);
        this.emit(`store i32 ${next}, ptr addrspace(5) ${counter}`);
        if (s.tail) this.#branch(this.value(`icmp ult i32 ${next}, ${trips}`), body, end);
        else this.jump(head);
        return this.block(end);
      }
    }
  }

  #trips(c: Condition): string {
    if (c.of % 8 === 6) return this.value('and i32 %uniform, 3');
    if (c.of % 4 === 1) return String(c.k % 5);
    return this.masked(c.a, 3);
  }

  /** An address in the thread's cells, `bytes` wide. */
  cell(s: Leaf, index: number, bytes: number): string {
    const element = bytes === 8 ? 'i64' : bytes === 4 ? 'i32' : bytes === 2 ? 'i16' : 'i8';
    const slot = this.value(`zext i32 ${this.masked(index, 128 / bytes - 1)} to i64`);
    if (s.k & 64) return this.value(`getelementptr ${element}, ptr addrspace(1) %own, i64 ${slot}`);
    if (s.k & 128) return this.value(`getelementptr inbounds nuw ${element}, ptr addrspace(1) %own, i64 ${slot}`);
    return this.value(
      `getelementptr inbounds [${128 / bytes} x ${element}], ptr addrspace(1) %own, i64 0, i64 ${slot}`,
    );
  }
  local(s: Leaf): string {
    const row = this.masked(s.a, 3);
    const array = `@${s.k & 1 ? 'left' : 'right'}`;
    if (s.k & 2) {
      const flat = this.value(`add i32 ${this.value(`shl i32 ${row}, 6`)}, %tid`);
      return this.value(`getelementptr inbounds i32, ptr addrspace(3) ${array}, i32 ${flat}`);
    }
    return this.value(
      `getelementptr inbounds [4 x [64 x i32]], ptr addrspace(3) ${array}, i32 0, i32 ${s.k & 4 ? s.c & 3 : row}, i32 %tid`,
    );
  }
  private(s: Leaf): string {
    return this.value(
      `getelementptr inbounds [8 x i32], ptr addrspace(5) %array${s.k & 1}, i32 0, i32 ${this.masked(s.a, 7)}`,
    );
  }
  small(index: number, mask = 255): string {
    return this.value(`sitofp i32 ${this.masked(index, mask)} to float`);
  }
  clamped(value: string): string {
    const low = this.value(`call float @llvm.maxnum.f32(float ${value}, float -1000.0)`);
    return this.value(`call float @llvm.minnum.f32(float ${low}, float 1000.0)`);
  }
}

const width = (k: number): 1 | 2 | 4 | 8 => at([1, 2, 4, 8] as const, k >> 8);
const ALIGN = { 1: [1], 2: [1, 2], 4: [4, 2, 4], 8: [8, 4, 8] } as const;
const typeOf = (bytes: number): string => `i${bytes * 8}`;

/** Stores an i32 value of the pool in `bytes` bytes. */
function narrowed(e: Emitter, value: string, bytes: number): string {
  if (bytes === 4) return value;
  return e.value(bytes === 8 ? `zext i32 ${value} to i64` : `trunc i32 ${value} to ${typeOf(bytes)}`);
}
function widened(e: Emitter, value: string, bytes: number): string {
  if (bytes === 4) return value;
  return e.value(bytes === 8 ? `trunc i64 ${value} to i32` : `zext ${typeOf(bytes)} ${value} to i32`);
}

type Op = (e: Emitter, s: Leaf) => void;
const plain: Op = (e, s) =>
  e.write('v', s.d, e.value(`${at(P.plain, s.c)} i32 ${e.v(s.a)}, ${s.k & 1 ? (s.k >> 3) & 0xffff : e.v(s.b)}`));
const loadLocal: Op = (e, s) =>
  e.write('v', s.d, e.value(`load i32, ptr addrspace(3) ${e.local(s)}, align ${s.k & 8 ? 4 : 4}`));
const storeLocal: Op = (e, s) => e.emit(`store i32 ${e.v(s.b)}, ptr addrspace(3) ${e.local(s)}, align 4`);
const loadCell: Op = (e, s) => {
  const bytes = width(s.k);
  const value = e.value(
    `load ${s.c % 8 === 0 ? 'volatile ' : ''}${typeOf(bytes)}, ptr addrspace(1) ${e.cell(s, s.a, bytes)}, align ${at<number>(ALIGN[bytes], s.k)}`,
  );
  e.write('v', s.d, widened(e, value, bytes));
};
const storeCell: Op = (e, s) => {
  const bytes = width(s.k);
  const value = narrowed(e, e.v(s.b), bytes);
  e.emit(
    `store ${s.c % 8 === 0 ? 'volatile ' : ''}${typeOf(bytes)} ${value}, ptr addrspace(1) ${e.cell(s, s.a, bytes)}, align ${at<number>(ALIGN[bytes], s.k)}`,
  );
};
const loadIn: Op = (e, s) => {
  const slot = e.value(`zext i32 ${e.masked(s.a, 511)} to i64`);
  const pointer = e.value(`getelementptr inbounds i32, ptr addrspace(1) %in, i64 ${slot}`);
  e.write('v', s.d, e.value(`load i32, ptr addrspace(1) ${pointer}, align 4${s.k & 1 ? ', !invariant.load !0' : ''}`));
};

const OPS: readonly Op[] = [
  plain,
  plain,
  plain,
  loadLocal,
  loadLocal,
  storeLocal,
  storeLocal,
  loadCell,
  storeCell,
  storeCell,
  loadIn,
  // Flags on masked operands.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `${at(['add', 'mul'], s.k >> 4)}${at(P.flags, s.c)} i32 ${e.masked(s.a, 0x7fff)}, ${s.k & 1 ? s.k & 0xff0 : e.masked(s.b, 0xffff)}`,
      ),
    ),
  (e, s) => {
    const by = s.k & 15;
    const x = e.value(`and i32 ${e.v(s.a)}, ${0x7fffffff & ~((1 << by) - 1)}`);
    e.write('v', s.d, e.value(`${at(['lshr exact', 'ashr exact', 'lshr', 'ashr'], s.c)} i32 ${x}, ${by}`));
  },
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`${at(['shl', 'lshr', 'ashr'], s.c)} i32 ${e.v(s.a)}, ${s.k & 1 ? (s.k >> 4) & 31 : e.masked(s.b, 31)}`),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`or${s.k & 1 ? ' disjoint' : ''} i32 ${e.masked(s.a, 0xef0f0)}, ${e.masked(s.b, 0x10f0f)}`),
    ),
  // Divisions: by what is odd, by constants, and guarded.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `${at(['udiv', 'sdiv', 'urem', 'srem'], s.c)} i32 ${e.masked(s.a, 0x7fffffff)}, ${e.value(`or i32 ${e.v(s.b)}, 1`)}`,
      ),
    ),
  (e, s) => e.write('v', s.d, e.value(`${at(['udiv', 'sdiv', 'urem'], s.c)} i32 ${e.v(s.a)}, ${odd(s.k) + 2}`)),
  (e, s) => {
    const x = e.value(`mul nuw nsw i32 ${e.masked(s.a, 0xffff)}, ${odd(s.k)}`);
    e.write('v', s.d, e.value(`${at(['udiv exact', 'sdiv exact', 'udiv'], s.c)} i32 ${x}, ${odd(s.k)}`));
  },
  (e, s) => {
    const [divide, end] = [e.label(), e.label()];
    const divisor = e.masked(s.b, 3);
    e.emit(`br i1 ${e.value(`icmp ne i32 ${divisor}, 0`)}, label %${divide}, label %${end}`);
    e.block(divide);
    e.write('v', s.d, e.value(`${at(['udiv', 'urem'], s.c)} i32 ${e.v(s.a)}, ${divisor}`));
    e.jump(end);
    e.block(end);
  },
  // Comparisons and selects.
  (e, s) => {
    const samesign = s.k & 8 ? ' samesign' : '';
    const [x, y] = samesign
      ? [e.masked(s.a, 0xfff), e.masked(s.b, 0x7ff)]
      : [e.v(s.a), s.k & 4 ? String((s.k >> 4) & 1023) : e.v(s.b)];
    e.write('c', s.d, e.value(`icmp${samesign} ${at(P.icmp, s.c)} i32 ${x}, ${y}`));
  },
  (e, s) => {
    const c = e.value(`icmp ${at(P.icmp, s.c)} i32 ${e.v(s.a)}, ${e.v(s.b)}`);
    e.write('v', s.d, e.value(`select i1 ${c}, i32 ${e.v(s.a)}, i32 ${s.k & 1 ? e.v(s.k >> 1) : s.k & 255}`));
  },
  (e, s) => e.write('v', s.d, e.value(`select i1 ${e.read('c', s.c)}, i32 ${e.v(s.a)}, i32 ${e.v(s.b)}`)),
  (e, s) => e.write('c', s.d, e.value(`${at(['and', 'or', 'xor'], s.k)} i1 ${e.read('c', s.a)}, ${e.read('c', s.b)}`)),
  (e, s) =>
    e.write(
      'c',
      s.d,
      e.value(
        s.k & 1
          ? `select i1 ${e.read('c', s.a)}, i1 ${e.read('c', s.b)}, i1 false`
          : `select i1 ${e.read('c', s.a)}, i1 true, i1 ${e.read('c', s.b)}`,
      ),
    ),
  // Other widths.
  (e, s) => e.write('w', s.d, e.value(`${at(['zext', 'sext'], s.c)} i32 ${e.v(s.a)} to i64`)),
  (e, s) => e.write('w', s.d, e.value(`zext nneg i32 ${e.masked(s.a, 0xfffff)} to i64`)),
  (e, s) =>
    e.write(
      'w',
      s.d,
      e.value(`${at(P.plain, s.c)} i64 ${e.read('w', s.a)}, ${s.k & 1 ? (s.k >> 2) & 0xffff : e.read('w', s.b)}`),
    ),
  (e, s) => {
    const x = e.value(`and i64 ${e.read('w', s.a)}, ${s.k & 1 ? 0xffff : -1}`);
    e.write('v', s.d, e.value(`trunc${s.k & 1 ? at([' nuw', ' nsw', ' nuw nsw'], s.c) : ''} i64 ${x} to i32`));
  },
  (e, s) => e.write('h', s.d, e.value(`trunc i32 ${e.v(s.a)} to i16`)),
  (e, s) =>
    e.write(
      'h',
      s.d,
      e.value(`${at(P.plain, s.c)} i16 ${e.read('h', s.a)}, ${s.k & 1 ? (s.k >> 2) & 255 : e.read('h', s.b)}`),
    ),
  (e, s) => e.write('v', s.d, e.value(`${at(['zext', 'sext'], s.c)} i16 ${e.read('h', s.a)} to i32`)),
  (e, s) => e.write('b', s.d, e.value(`trunc i32 ${e.v(s.a)} to i8`)),
  (e, s) => e.write('b', s.d, e.value(`${at(P.plain, s.c)} i8 ${e.read('b', s.a)}, ${e.read('b', s.b)}`)),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`${at(['zext', 'sext'], s.c)} ${s.k & 1 ? `i8 ${e.read('b', s.a)}` : `i1 ${e.read('c', s.a)}`} to i32`),
    ),
  // Intrinsics, some with immediate arguments.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @llvm.${at(['umin', 'smax', 'usub.sat', 'sadd.sat'], s.c)}.i32(i32 ${e.v(s.a)}, i32 ${e.v(s.b)})`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @llvm.fsh${s.c & 1 ? 'l' : 'r'}.i32(i32 ${e.v(s.a)}, i32 ${e.v(s.b)}, i32 ${s.k & 1 ? (s.k >> 3) & 31 : e.v(s.c)})`,
      ),
    ),
  (e, s) =>
    e.write('v', s.d, e.value(`call i32 @llvm.${at(['ctpop', 'bitreverse', 'bswap'], s.c)}.i32(i32 ${e.v(s.a)})`)),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @llvm.${at(['ctlz', 'cttz'], s.c)}.i32(i32 ${s.k & 1 ? e.value(`or i32 ${e.v(s.a)}, 256`) : e.v(s.a)}, i1 ${(s.k & 1) === 1})`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`call i32 @llvm.abs.i32(i32 ${s.k & 1 ? e.masked(s.a, 0xffff) : e.v(s.a)}, i1 ${(s.k & 1) === 1})`),
    ),
  // Aggregates.
  (e, s) => {
    const pair = e.value(
      `call { i32, i1 } @llvm.${at(['uadd', 'sadd', 'usub'], s.c)}.with.overflow.i32(i32 ${e.v(s.a)}, i32 ${e.v(s.b)})`,
    );
    e.write('v', s.d, e.value(`extractvalue { i32, i1 } ${pair}, 0`));
    if (s.k & 1) e.write('c', s.d, e.value(`extractvalue { i32, i1 } ${pair}, 1`));
  },
  (e, s) => {
    const one = e.value(`insertvalue { i32, i32 } { i32 ${s.k & 63}, i32 7 }, i32 ${e.v(s.a)}, ${s.c & 1}`);
    const two = s.k & 64 ? e.value(`insertvalue { i32, i32 } ${one}, i32 ${e.v(s.b)}, ${(s.c >> 1) & 1}`) : one;
    e.write('v', s.d, e.value(`extractvalue { i32, i32 } ${two}, ${(s.k >> 7) & 1}`));
  },
  // Floats that hold small integers.
  (e, s) =>
    e.write(
      'f',
      s.d,
      e.clamped(
        e.value(
          `${at(['fadd', 'fsub', 'fmul'], s.c)}${at(P.fast, s.k)} float ${e.read('f', s.a)}, ${s.k & 512 ? `${(s.k >> 10) & 7}.0` : e.read('f', s.b)}`,
        ),
      ),
    ),
  (e, s) => e.write('f', s.d, e.small(s.a)),
  (e, s) =>
    e.write(
      'f',
      s.d,
      e.clamped(
        e.value(
          `call float @llvm.fmuladd.f32(float ${e.read('f', s.a)}, float ${e.small(s.b, 15)}, float ${e.read('f', s.c)})`,
        ),
      ),
    ),
  (e, s) =>
    e.write(
      'f',
      s.d,
      e.value(`fneg${at(['', ' nnan', ' nsz'], s.k)} float ${e.value(`fadd float ${e.read('f', s.a)}, 1.0`)}`),
    ),
  (e, s) =>
    e.write(
      'c',
      s.d,
      e.value(
        `fcmp${at(P.fast, s.k)} ${at(P.fcmp, s.c)} float ${e.read('f', s.a)}, ${s.k & 64 ? `${(s.k >> 10) & 15}.0` : e.read('f', s.b)}`,
      ),
    ),
  (e, s) => e.write('v', s.d, e.value(`fptosi float ${e.read('f', s.a)} to i32`)),
  // Vectors.
  (e, s) =>
    e.write(
      'q',
      s.d,
      e.value(
        `insertelement <4 x i32> ${e.read('q', s.a)}, i32 ${e.v(s.b)}, i32 ${s.k & 1 ? s.c & 3 : e.masked(s.c, 3)}`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(`extractelement <4 x i32> ${e.read('q', s.a)}, i32 ${s.k & 1 ? s.c & 3 : e.masked(s.c, 3)}`),
    ),
  (e, s) => {
    const mask = [0, 3, 6, 9].map((shift) => `i32 ${(s.k >> shift) & 7}`).join(', ');
    const other = e.value(`${at(P.plain, s.c)} <4 x i32> ${e.read('q', s.a)}, <i32 1, i32 5, i32 ${s.k & 31}, i32 -3>`);
    e.write('q', s.d, e.value(`shufflevector <4 x i32> ${e.read('q', s.a)}, <4 x i32> ${other}, <4 x i32> <${mask}>`));
  },
  // Private arrays, structs, pointers.
  (e, s) => e.write('v', s.d, e.value(`load i32, ptr addrspace(5) ${e.private(s)}`)),
  (e, s) => e.emit(`store i32 ${e.v(s.b)}, ptr addrspace(5) ${e.private(s)}`),
  (e, s) => {
    const slot = e.value(`zext i32 ${e.masked(s.a, 7)} to i64`);
    const [field, bytes] = at([[0, 4], [1, 2], [2, 2], [3, 8]] as const, s.c);
    const pointer = e.value(`getelementptr inbounds %record, ptr addrspace(1) %own, i64 ${slot}, i32 ${field}`);
    if (s.k & 1) e.emit(`store ${typeOf(bytes)} ${narrowed(e, e.v(s.b), bytes)}, ptr addrspace(1) ${pointer}`);
    else e.write('v', s.d, widened(e, e.value(`load ${typeOf(bytes)}, ptr addrspace(1) ${pointer}`), bytes));
  }, // prettier-ignore
  (e, s) =>
    e.write(
      'p',
      s.d,
      e.value(
        `getelementptr inbounds i32, ptr addrspace(1) %in, i64 ${e.value(`zext i32 ${e.masked(s.a, 511)} to i64`)}`,
      ),
    ),
  (e, s) => {
    const pointer = e.value(`getelementptr inbounds i32, ptr addrspace(1) ${e.read('p', s.a)}, i64 ${s.k & 7}`);
    e.write('v', s.d, e.value(`load i32, ptr addrspace(1) ${pointer}, align 4`));
  },
  (e, s) => {
    const flat =
      s.k & 1
        ? e.value(`addrspacecast ptr addrspace(3) ${e.local(s)} to ptr`)
        : e.value(`addrspacecast ptr addrspace(1) ${e.cell(s, s.a, 4)} to ptr`);
    if (s.k & 256) e.emit(`store i32 ${e.v(s.b)}, ptr ${flat}, align 4`);
    else e.write('v', s.d, e.value(`load i32, ptr ${flat}, align 4`));
  },
  // Atomics on the thread's own memory.
  (e, s) => {
    const [space, pointer] = s.k & 512 ? ['3', e.local(s)] : ['1', e.cell(s, s.a, 4)];
    const scope = s.k & 1024 ? ' syncscope("agent")' : '';
    const result = e.value(
      `atomicrmw ${at(['add', 'xor', 'umax', 'xchg', 'sub'], s.c)} ptr addrspace(${space}) ${pointer}, i32 ${e.v(s.b)}${scope} monotonic, align 4${s.k & 2048 ? ', !amdgpu.no.fine.grained.memory !0' : ''}`,
    );
    if (s.k & 4096) e.write('v', s.d, result);
  },
  (e, s) => {
    const result = e.value(
      `cmpxchg ptr addrspace(1) ${e.cell(s, s.a, 4)}, i32 ${e.v(s.b)}, i32 ${e.v(s.c)} monotonic monotonic, align 4`,
    );
    e.write('v', s.d, e.value(`extractvalue { i32, i1 } ${result}, 0`));
  },
  // Calls.
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call ${s.k & 1 ? 'noundef ' : ''}i32 @mix(i32 ${e.v(s.a)}, i32 ${s.k & 16 ? String(s.k & 255) : e.v(s.b)})`,
      ),
    ),
  (e, s) =>
    e.write(
      'v',
      s.d,
      e.value(
        `call i32 @ratio(i32 ${s.k & 1 ? 'noundef ' : ''}${e.v(s.a)}, i32 ${s.k & 2 ? 'range(i32 1, 65536) ' : 'noundef '}${e.value(`or i32 ${e.masked(s.b, 0xfff)}, 1`)})`,
      ),
    ),
  (e, s) => e.write('v', s.d, e.value(`call i32 @touch(ptr addrspace(1) %own, i32 ${e.v(s.a)})`)),
  // Facts.
  (e, s) => {
    const x = e.masked(s.a, 1023);
    e.emit(`call void @llvm.assume(i1 ${e.value(`icmp ult i32 ${x}, 1024`)})`);
    e.write('v', s.d, e.value(`add i32 ${x}, ${e.v(s.b)}`));
  },
  (e, s) => e.write('v', s.d, e.value(`freeze i32 ${e.v(s.a)}`)),
  (e, s) => {
    const slot = e.value(`zext i32 ${e.masked(s.a, 511)} to i64`);
    const pointer = e.value(`getelementptr i8, ptr addrspace(1) %in, i64 ${slot}`);
    const byte = e.value(`load i8, ptr addrspace(1) ${pointer}, align 1, !noundef !0${s.k & 1 ? ', !range !1' : ''}`);
    e.write('v', s.d, e.value(`zext i8 ${byte} to i32`));
  },
  (e, s) =>
    e.emit(
      `call void @llvm.memset.p1.i64(ptr addrspace(1) ${e.value(`getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${(s.k & 7) * 8}`)}, i8 ${s.c & 1 ? e.read('b', s.a) : s.k & 255}, i64 ${s.k & 8 ? 16 : 8}, i1 false)`,
    ),
];

function emitKernel(k: Kernel): string {
  const e = new Emitter();
  e.body(k.body);
  e.jump('done');
  const allocas = CLASSES.flatMap((of) =>
    Array.from({ length: COUNTS[of] }, (_, i) => `  %${of}${i} = alloca ${TYPES[of]}, addrspace(5)`),
  );
  const start: string[] = [];
  const init = (text: string): void => void start.push(`  ${text}`);
  for (let i = 0; i < 8; i++) {
    init(`%i${i}.at = getelementptr inbounds i32, ptr addrspace(1) %in, i32 ${i * 65}`);
    init(`%i${i}.p = getelementptr inbounds i32, ptr addrspace(1) %i${i}.at, i32 %tid`);
    init(`%i${i} = load i32, ptr addrspace(1) %i${i}.p, align 4`);
  }
  for (let i = 0; i < COUNTS.v; i++) init(`store i32 %i${i}, ptr addrspace(5) %v${i}`);
  for (let i = 0; i < COUNTS.w; i++)
    (init(`%w${i}.x = sext i32 %i${i + 5} to i64`), init(`store i64 %w${i}.x, ptr addrspace(5) %w${i}`));
  for (let i = 0; i < COUNTS.h; i++)
    (init(`%h${i}.x = trunc i32 %i${i + 2} to i16`), init(`store i16 %h${i}.x, ptr addrspace(5) %h${i}`));
  for (let i = 0; i < COUNTS.b; i++)
    (init(`%b${i}.x = trunc i32 %i${i + 3} to i8`), init(`store i8 %b${i}.x, ptr addrspace(5) %b${i}`));
  for (let i = 0; i < COUNTS.c; i++)
    (init(`%c${i}.x = icmp slt i32 %i${i}, %i${i + 1}`), init(`store i1 %c${i}.x, ptr addrspace(5) %c${i}`));
  for (let i = 0; i < COUNTS.f; i++)
    (init(`%f${i}.m = and i32 %i${i + 1}, 255`),
      init(`%f${i}.x = sitofp i32 %f${i}.m to float`),
      init(`store float %f${i}.x, ptr addrspace(5) %f${i}`));
  for (let i = 0; i < COUNTS.p; i++) init(`store ptr addrspace(1) %i${i}.p, ptr addrspace(5) %p${i}`);
  init('%q.x = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %i4, i32 2');
  init('store <4 x i32> %q.x, ptr addrspace(5) %q0');
  for (let a = 0; a < 2; a++)
    for (let i = 0; i < 8; i++) {
      init(`%array${a}.${i} = getelementptr inbounds [8 x i32], ptr addrspace(5) %array${a}, i32 0, i32 ${i}`);
      init(`store i32 %i${(i + a) % 8}, ptr addrspace(5) %array${a}.${i}`);
    }
  for (const [a, name] of ['left', 'right'].entries())
    for (let row = 0; row < 4; row++) {
      init(
        `%${name}.${row} = getelementptr inbounds [4 x [64 x i32]], ptr addrspace(3) @${name}, i32 0, i32 ${row}, i32 %tid`,
      );
      init(`store i32 %i${row + a * 4}, ptr addrspace(3) %${name}.${row}`);
    }
  const end: string[] = [];
  let offset = 128;
  const keep = (type: string, value: string, bytes: number): void => {
    offset = Math.ceil(offset / bytes) * bytes;
    end.push(`  %out${offset} = getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${offset}`);
    end.push(`  store ${type} ${value}, ptr addrspace(1) %out${offset}, align ${bytes}`);
    offset += bytes;
  };
  const last = (of: Class, i: number): string => {
    end.push(`  %last.${of}${i} = load ${TYPES[of]}, ptr addrspace(5) %${of}${i}`);
    return `%last.${of}${i}`;
  };
  for (let i = 0; i < COUNTS.v; i++) keep('i32', last('v', i), 4);
  for (let i = 0; i < COUNTS.w; i++) keep('i64', last('w', i), 8);
  for (let i = 0; i < COUNTS.h; i++) keep('i16', last('h', i), 2);
  for (let i = 0; i < COUNTS.b; i++) keep('i8', last('b', i), 1);
  for (let i = 0; i < COUNTS.c; i++) {
    const value = last('c', i);
    end.push(`  %wide.c${i} = zext i1 ${value} to i8`);
    keep('i8', `%wide.c${i}`, 1);
  }
  for (let i = 0; i < COUNTS.f; i++) {
    const value = last('f', i);
    end.push(`  %int.f${i} = fptosi float ${value} to i32`);
    keep('i32', `%int.f${i}`, 4);
  }
  for (let i = 0; i < COUNTS.p; i++) {
    const value = last('p', i);
    end.push(`  %at.p${i} = load i32, ptr addrspace(1) ${value}`);
    keep('i32', `%at.p${i}`, 4);
  }
  const vector = last('q', 0);
  for (let i = 0; i < 4; i++) {
    end.push(`  %q.${i} = extractelement <4 x i32> ${vector}, i32 ${i}`);
    keep('i32', `%q.${i}`, 4);
  }
  for (const name of ['left', 'right'])
    for (let row = 0; row < 4; row++) {
      end.push(`  %${name}.last${row} = load i32, ptr addrspace(3) %${name}.${row}`);
      keep('i32', `%${name}.last${row}`, 4);
    }
  return [
    `define amdgpu_kernel void @${k.name}(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %uniform) #0 {`,
    'entry:',
    ...allocas,
    ...e.counters.map((counter) => `  ${counter} = alloca i32, addrspace(5)`),
    '  %array0 = alloca [8 x i32], addrspace(5)',
    '  %array1 = alloca [8 x i32], addrspace(5)',
    '  %tid = call i32 @llvm.amdgcn.workitem.id.x(), !range !2',
    '  %group = call i32 @llvm.amdgcn.workgroup.id.x()',
    `  %first = mul i32 %group, ${THREADS}`,
    '  %gid = add i32 %first, %tid',
    '  %gid64 = zext i32 %gid to i64',
    `  %own.offset = mul nuw nsw i64 %gid64, ${CELL_BYTES}`,
    '  %own = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %own.offset',
    '  %seen.p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %gid64',
    '  %seen = load i32, ptr addrspace(1) %seen.p, align 4',
    ...start,
    '  br label %start',
    'start:',
    ...e.lines,
    'done:',
    ...end,
    '  ret void',
    '}',
  ].join('\n');
}

const FRAME = `
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%record = type { i32, i16, i16, i64 }

@left = internal addrspace(3) global [4 x [64 x i32]] undef, align 16
@right = internal addrspace(3) global [4 x [64 x i32]] undef, align 16

define internal i32 @mix(i32 %a, i32 %b) #1 {
  %low = and i32 %a, 1
  %odd = icmp ne i32 %low, 0
  br i1 %odd, label %t, label %f
t:
  %t0 = mul i32 %a, 5
  %t1 = add i32 %t0, %b
  %t2 = lshr i32 %t1, 3
  %t3 = xor i32 %t1, %t2
  br label %end
f:
  %f0 = mul i32 %b, 9
  %f1 = sub i32 %f0, %a
  %f2 = lshr i32 %f1, 5
  %f3 = xor i32 %f2, %f1
  br label %end
end:
  %r = phi i32 [ %t3, %t ], [ %f3, %f ]
  ret i32 %r
}

define internal i32 @ratio(i32 %a, i32 %b) #2 {
  %r = udiv i32 %a, %b
  ret i32 %r
}

define internal i32 @touch(ptr addrspace(1) %own, i32 %a) #1 {
  %p = getelementptr inbounds i32, ptr addrspace(1) %own, i64 31
  %old = load i32, ptr addrspace(1) %p
  %new = add i32 %old, %a
  store i32 %new, ptr addrspace(1) %p
  ret i32 %old
}

`;

const TAIL = `
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()

attributes #0 = { nounwind "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="64,64" }
attributes #1 = { noinline nounwind willreturn "target-cpu"="gfx906" }
attributes #2 = { noinline nounwind willreturn memory(none) "target-cpu"="gfx906" }

!0 = !{}
!1 = !{i8 0, i8 -1}
!2 = !{i32 0, i32 64}
`;

/** A module of kernels; each takes (out, in, uniform). */
export function emitModule(kernels: readonly Kernel[]): string {
  return FRAME + kernels.map(emitKernel).join('\n\n') + TAIL;
}

/** Pass lists that bring the allocas into SSA, in shapes that differ. */
export const PREPARATIONS: readonly string[] = [
  'mem2reg',
  'sroa,simplifycfg',
  'mem2reg,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop-mssa(loop-rotate<header-duplication>)',
  'mem2reg,early-cse,simplifycfg<no-hoist-common-insts;no-sink-common-insts>,adce',
  'mem2reg,jump-threading,instcombine<no-verify-fixpoint>,simplifycfg<no-sink-common-insts>',
  'sroa,gvn,loop-simplify,lcssa,loop-mssa(loop-rotate,licm),simplifycfg<no-hoist-common-insts;no-sink-common-insts>,adce',
  'mem2reg,loop-simplify,lcssa,loop-mssa(loop-rotate),sink,adce',
  'mem2reg,break-crit-edges,reg2mem,mem2reg,dce',
  'default<O1>',
  'default<O2>',
];
