/**
 * Random kernels as textual LLVM IR for amdgcn gfx906: control flow around divergent branches, sides that are mutated copies
 * of each other. A kernel is a tree of statements over a few variables of each type; random-module.ts writes the variables as
 * allocas, so any control flow is well formed, and LLVM passes (PREPARATIONS) turn them into SSA in various shapes.
 *
 * Every kernel is free of undefined behaviour and of poison that matters: operands are masked where flags or shifts demand it,
 * divisors are odd or guarded, floats hold small integers (so that all operations on them are exact), loops have a bounded
 * trip count, indices stay inside of what a thread owns (its cells in `out`, its columns of LDS, its private arrays) or of the
 * read-only buffer `in`. So every correct compilation gives the same bytes.
 */
import { OPS } from './random-operations.js';

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
