/**
 * Random kernels: trees of statements over a few variables of each type, with divergent branches whose sides are edited
 * copies of each other. fast-check generates them, so that failures shrink automatically; the smallest trees are those
 * with the least code.
 *
 * random-module.ts writes the variables as allocas, so any control flow is well formed, and LLVM passes (PREPARATIONS)
 * turn them into SSA in various shapes.
 *
 * Every kernel is free of undefined behaviour and of poison that matters: operands are masked where flags or shifts
 * need it, divisors are odd or guarded, floats hold small integers (so that all operations on them are exact), loops
 * have a bounded trip count, and indices stay inside of a thread's own memory (its cells in `out`, its columns of LDS,
 * its private arrays) or of the read-only buffer `in`. Operations that depend on other threads are only where all
 * threads are. So every correct compilation gives the same bytes.
 */
import fc from 'fast-check';
import { OPS } from './random-operations.js';

// --- The tree
// -------------------------------------------------------------------------------------------------------------

/** Numbers from which a statement's template takes its operands, constants and flags. */
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
export interface Loop {
  readonly kind: 'loop';
  readonly trips: Condition;
  readonly tail: boolean;
  readonly body: Body;
  readonly d: number;
}
export type Statement =
  | Leaf
  | Loop
  | { readonly kind: 'if'; readonly when: Condition; readonly then: Body; readonly else: Body }
  /** A short-circuit `and` or `or` of two conditions. */
  | {
      readonly kind: 'either';
      readonly and: boolean;
      readonly when: Condition;
      readonly also: Condition;
      readonly between: Body;
      readonly then: Body;
      readonly else: Body;
    }
  /** Two sides whose own branches lead to the same two blocks. */
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
  /**
   * A variable that only one side sets and that is read after a second branch on the same condition: a phi with poison.
   */
  | {
      readonly kind: 'carry';
      readonly when: Condition;
      readonly then: Body;
      readonly else: Body;
      readonly between: Body;
      readonly a: number;
      readonly d: number;
    }
  | { readonly kind: 'switch'; readonly on: number; readonly cases: readonly Body[]; readonly through: number }
  | { readonly kind: 'block'; readonly body: Body }
  | { readonly kind: 'leave'; readonly when: Condition; readonly depth: number; readonly again: boolean }
  /**
   * A loop that begins again behind any of its stages, while `trips` last. All conditions are computed at its start. So
   * it has several back edges, and is several loops that share a header.
   */
  | {
      readonly kind: 'retry';
      readonly trips: Condition;
      readonly stages: readonly { readonly when: Condition; readonly body: Body; readonly d: number }[];
    }
  /**
   * Blocks that jump to each other, entered at two of them: an irreducible loop. After some `trips` all jumps go on.
   */
  | { readonly kind: 'goto'; readonly when: Condition; readonly trips: Condition; readonly blocks: readonly Jump[] }
  /** A body that `leave` does not leave: after it all threads are active again. */
  | { readonly kind: 'phase'; readonly body: Body }
  | { readonly kind: 'barrier' }
  /** A cross-lane operation; only where all threads are active. */
  | { readonly kind: 'lanes'; readonly leaf: Leaf };
export type Body = readonly Statement[];

/** A block of a `goto`, and the blocks that are behind it: `to` where `when` holds, else one that comes later. */
interface Jump {
  readonly body: Body;
  readonly when: Condition;
  readonly to: number;
  readonly on: number;
}

export interface Kernel {
  readonly name: string;
  readonly body: Body;
}

// --- Editing: one side from the other
// -------------------------------------------------------------------------------------

interface Edit {
  /** Index of the statement, in the order of the text. */
  readonly at: number;
  /** 0: delete it; 1: put `leaf` in front; otherwise: change one of its numbers. */
  readonly how: number;
  readonly leaf: Leaf;
}

/** The statement with other bodies. */
function withBodies(s: Statement, f: (body: Body) => Body): Statement {
  switch (s.kind) {
    case 'if':
      return { ...s, then: f(s.then), else: f(s.else) };
    case 'either':
    case 'carry':
      return { ...s, between: f(s.between), then: f(s.then), else: f(s.else) };
    case 'shared':
      return { ...s, t: f(s.t), f: f(s.f), then: f(s.then), else: f(s.else) };
    case 'switch':
      return { ...s, cases: s.cases.map(f) };
    case 'retry':
      return { ...s, stages: s.stages.map((stage) => ({ ...stage, body: f(stage.body) })) };
    case 'goto':
      return { ...s, blocks: s.blocks.map((block) => ({ ...block, body: f(block.body) })) };
    case 'loop':
    case 'block':
    case 'phase':
      return { ...s, body: f(s.body) };
    default:
      return s;
  }
}

function countOf(body: Body): number {
  let count = 0;
  const visit = (list: Body): Body => {
    count += list.length;
    for (const s of list) withBodies(s, visit);
    return list;
  };
  visit(body);
  return count;
}

function edited(body: Body, edit: Edit): Body {
  let left = edit.at % Math.max(1, countOf(body));
  const visit = (list: Body): Body =>
    list.flatMap((s): Body => {
      if (left-- !== 0) return [withBodies(s, visit)];
      return edit.how === 0 ? [] : edit.how === 1 ? [edit.leaf, s] : [changed(s, edit)];
    });
  return visit(body);
}

function changed(s: Statement, { how, leaf }: Edit): Statement {
  const condition = (c: Condition): Condition =>
    how % 3 === 0 ? { ...c, of: leaf.a } : how % 3 === 1 ? { ...c, b: leaf.b } : { ...c, k: leaf.k };
  switch (s.kind) {
    case 'op': {
      const field = (['a', 'b', 'c', 'd', 'k', 'k', 'op'] as const)[how % 7]!;
      return { ...s, [field]: leaf[field] };
    }
    case 'loop':
      return { ...s, trips: condition(s.trips) };
    case 'shared':
      return { ...s, whenF: condition(s.whenF) };
    case 'if':
    case 'either':
    case 'carry':
    case 'leave':
      return { ...s, when: condition(s.when) };
    default:
      return s;
  }
}

// --- Generating
// -----------------------------------------------------------------------------------------------------------

// Shrinking does not change the numbers, because each smaller tree costs two compilations.
const nat = (most: number): fc.Arbitrary<number> => fc.noShrink(fc.nat(most));
const small = nat(63);
const word = nat(2 ** 31 - 1);
const leaf: fc.Arbitrary<Leaf> = fc
  .tuple(nat(OPS.length - 1), small, small, small, small, word)
  .map(([op, d, a, b, c, k]) => ({ kind: 'op', op, d, a, b, c, k }));
const conditionOn = (of: fc.Arbitrary<number>): fc.Arbitrary<Condition> =>
  fc.tuple(of, small, small, word).map(([kind, a, b, k]) => ({ of: kind, a, b, k }));
const condition = conditionOn(small);
/** Bits of the thread's number, the number itself, a variable, or the thread's memory (random-emitter.ts). */
const divergent = conditionOn(fc.noShrink(fc.constantFrom(0, 1, 2, 7)));
const uniform = conditionOn(fc.constant(6));
/** The highest bits of `k`, which also choose an operation (wide-module.ts). */
const withHigh = (k: number, high: number): number => (k & 0x3ffffff) | (high << 26);
const ANCHOR = 31;
/**
 * For each side a store to LDS or to global memory, which keeps LLVM from turning the branch into selects. The operands
 * differ, so that LLVM does not hoist the stores either. All families use it.
 */
const anchors: fc.Arbitrary<readonly [Leaf, Leaf]> = fc
  .tuple(fc.noShrink(fc.constantFrom(5, 6, 8, 9)), leaf, small, small)
  .map(([op, one, a, b]) => [
    { ...one, op, k: withHigh(one.k, ANCHOR) },
    { ...one, op, a, b, k: withHigh(one.k, ANCHOR) },
  ]);
const leaves = (most: number): fc.Arbitrary<Body> => fc.array(leaf, { maxLength: most });
const edits: fc.Arbitrary<readonly Edit[]> = fc.array(fc.record({ at: nat(999), how: nat(20), leaf }), {
  maxLength: 5,
});

/** A statement, or only one of its bodies, to which the statement shrinks. */
const unwrappable = (whole: fc.Arbitrary<Statement>, ...parts: ((s: never) => Body)[]): fc.Arbitrary<Body> =>
  fc
    .tuple(fc.nat(parts.length * 12), whole)
    .map(([choice, s]) => (choice < parts.length ? parts[choice]!(s as never) : [s]));

/** fast-check needs a type alias here, not an interface. */
type Bodies = {
  readonly body: Body;
  readonly piece: Body;
  readonly twins: readonly [Body, Body];
  readonly if: Body;
  readonly divergentIf: Body;
  readonly either: Body;
  readonly carry: Body;
  readonly shared: Body;
  readonly switch: Body;
  readonly loop: Body;
  readonly block: Body;
  readonly leave: Body;
};
type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

/**
 * @param size length of bodies, 1 to 4
 * @param depth of nesting
 */
function bodies(size: number, depth: number): { readonly [K in keyof Bodies]: fc.Arbitrary<Bodies[K]> } {
  const depthIdentifier = fc.createDepthIdentifier();
  return fc.letrec<Bodies>((tie) => ({
    body: fc.array(tie('piece'), { maxLength: 2 * size + 1 }).map((pieces) => pieces.flat()),
    piece: fc.oneof(
      { maxDepth: depth, depthIdentifier },
      { weight: 55, arbitrary: fc.array(leaf, { minLength: 1, maxLength: 5 }) },
      { weight: 18, arbitrary: tie('if') },
      { weight: 5, arbitrary: tie('either') },
      { weight: 4, arbitrary: tie('carry') },
      { weight: 4, arbitrary: tie('shared') },
      { weight: 3, arbitrary: tie('switch') },
      { weight: 7, arbitrary: tie('loop') },
      { weight: 3, arbitrary: tie('block') },
      { weight: 4, arbitrary: tie('leave') },
    ),
    /** Two sides that remain a branch, the second an edited copy of the first; or something else. */
    twins: fc
      .tuple(fc.option(tie('body'), { freq: 20 }), tie('body'), edits, anchors)
      .map(([other, one, list, [store, another]]): readonly [Body, Body] => [
        [store, ...one],
        [another, ...(other ?? list.reduce(edited, one))],
      ]),
    if: unwrappable(
      fc
        .tuple(fc.oneof({ weight: 7, arbitrary: divergent }, { weight: 3, arbitrary: condition }), tie('twins'), nat(7))
        .map(([when, [then, other], half]) => ({ kind: 'if', when, then, else: half === 0 ? [] : other })),
      (s: Of<'if'>) => s.then,
      (s: Of<'if'>) => s.else,
    ),
    divergentIf: fc
      .tuple(divergent, tie('twins'))
      .map(([when, [then, other]]) => [{ kind: 'if', when, then, else: other }]),
    either: unwrappable(
      fc
        .tuple(fc.noShrink(fc.boolean()), divergent, condition, leaves(3), tie('twins'), nat(5))
        .map(([and, when, also, between, [then, other], half]) => {
          return { kind: 'either', and, when, also, between, then, else: half === 0 ? [] : other };
        }),
      (s: Of<'either'>) => [{ ...s, kind: 'if' }],
    ),
    carry: unwrappable(
      fc
        .tuple(divergent, tie('twins'), leaves(3), small, small)
        .map(([when, [then, other], between, a, d]) => ({ kind: 'carry', when, then, else: other, between, a, d })),
      (s: Of<'carry'>) => [{ ...s, kind: 'if' }],
    ),
    shared: unwrappable(
      fc
        .tuple(divergent, leaves(5), edits, condition, nat(3), small, fc.noShrink(fc.boolean()), tie('body'), leaves(4))
        .map(([when, t, list, whenT, differ, b, swap, then, other]) => {
          const whenF = differ === 0 ? whenT : { ...whenT, b };
          return { kind: 'shared', when, t, f: list.reduce(edited, t), whenT, whenF, swap, then, else: other };
        }),
      (s: Of<'shared'>) => [{ kind: 'if', when: s.when, then: s.t, else: s.f }],
    ),
    switch: unwrappable(
      fc
        .tuple(small, tie('twins'), fc.array(edits, { maxLength: 3 }), nat(15))
        .map(([on, [first, second], more, through]) => {
          return {
            kind: 'switch',
            on,
            cases: [first, second, ...more.map((list) => list.reduce(edited, first))],
            through,
          };
        }),
      (s: Of<'switch'>) => s.cases[0]!,
    ),
    loop: unwrappable(loopOf(condition, tie('body')), (s: Loop) => s.body),
    block: unwrappable(
      tie('body').map((body) => ({ kind: 'block', body })),
      (s: Of<'block'>) => s.body,
    ),
    leave: unwrappable(
      fc.tuple(condition, nat(2), fc.noShrink(fc.boolean())).map(([when, level, again]) => {
        return { kind: 'leave', when, depth: level, again };
      }),
      () => [],
    ),
  }));
}

const loopOf = (trips: fc.Arbitrary<Condition>, body: fc.Arbitrary<Body>): fc.Arbitrary<Loop> =>
  fc
    .tuple(trips, fc.noShrink(fc.boolean()), body, small)
    .map(([count, tail, inside, d]) => ({ kind: 'loop', trips: count, tail, body: inside, d }));

/** One part of a kernel: mostly a divergent branch with similar sides, sometimes in a loop. */
function partOf(size: number, depth: number): fc.Arbitrary<Body> {
  const { divergentIf, piece } = bodies(size, depth);
  const core = fc.oneof({ weight: 7, arbitrary: divergentIf }, { weight: 1, arbitrary: piece });
  const looped = unwrappable(
    loopOf(
      conditionOn(fc.noShrink(fc.constantFrom(6, 3))),
      fc.tuple(leaves(2), core, leaves(2)).map((list) => list.flat()),
    ),
    (s: Loop) => s.body,
  );
  return fc
    .tuple(leaves(4), fc.oneof({ weight: 7, arbitrary: core }, { weight: 3, arbitrary: looped }), leaves(3))
    .map((list) => list.flat());
}

/** For the plain family: at most one barrier. */
export const plainBody = (size: number): fc.Arbitrary<Body> =>
  fc
    .tuple(fc.option(fc.tuple(fc.noShrink(fc.boolean()), partOf(size, 2)), { freq: 1 }), partOf(size, 2))
    .map(([more, first]) => [...first, ...(more?.[0] ? [{ kind: 'barrier' } as const] : []), ...(more?.[1] ?? [])]);

/** For the retry family: loops with several back edges to one header. */
export function retryBody(size: number): fc.Arbitrary<Body> {
  const { if: branch, loop } = bodies(size, 1);
  const inside = fc.oneof(
    { weight: 6, arbitrary: leaves(4) },
    { weight: 3, arbitrary: branch },
    { weight: 1, arbitrary: loop },
  );
  const stage = fc.record({ when: divergent, body: inside, d: small });
  const stages = fc.array(stage, { minLength: 2, maxLength: 4 });
  const retry = fc.record({ kind: fc.constant('retry' as const), trips: condition, stages });
  return fc.tuple(leaves(4), retry, leaves(3)).map(([before, middle, after]) => [...before, middle, ...after]);
}

/** For the goto family: loops that are entered at several places. */
export function gotoBody(size: number): fc.Arbitrary<Body> {
  const { if: branch } = bodies(size, 1);
  const inside = fc.oneof({ weight: 6, arbitrary: leaves(3) }, { weight: 1, arbitrary: branch });
  const block = fc.record({ body: inside, when: condition, to: nat(7), on: nat(3) });
  const blocks = fc.array(block, { minLength: 3, maxLength: 6 });
  const jumps = fc.record({ kind: fc.constant('goto' as const), when: condition, trips: condition, blocks });
  return fc.tuple(leaves(4), jumps, leaves(3)).map(([before, middle, after]) => [...before, middle, ...after]);
}

/** For the wide family: three phases with barriers between them. */
export const wideBody = (size: number): fc.Arbitrary<Body> =>
  fc
    .array(partOf(size, 2), { minLength: 1, maxLength: 3 })
    .map((parts) =>
      parts.flatMap((body, index) => [...(index > 0 ? [{ kind: 'barrier' } as const] : []), { kind: 'phase', body }]),
    );

/** Chooses from a few operations only, for smaller kernels whose sides have more in common. */
function withPalette(body: Body, palette: readonly (readonly [op: number, high: number])[]): Body {
  const visit = (list: Body): Body =>
    list.map((s) => {
      if (s.kind !== 'op' || s.k >>> 26 === ANCHOR) return withBodies(s, visit);
      const [op, high] = palette[s.op % palette.length]!;
      return { ...s, op, k: withHigh(s.k, high) };
    });
  return visit(body);
}
const palettes = fc.noShrink(fc.array(fc.tuple(nat(OPS.length - 1), nat(ANCHOR - 1)), { minLength: 4, maxLength: 10 }));

/** Phases with cross-lane operations between them, in uniform branches and loops. */
export function mixedBody(size: number, depth: number): fc.Arbitrary<Body> {
  const phase = partOf(size, depth).map((body): Body => [{ kind: 'phase', body }]);
  const lanes = leaf.map((inner): Body => [{ kind: 'lanes', leaf: inner }]);
  const barrier = fc.constant<Body>([{ kind: 'barrier' }]);
  const together = fc.oneof({ weight: 2, arbitrary: lanes }, { weight: 1, arbitrary: barrier });
  const part = fc.tuple(fc.option(together, { freq: 2 }), phase).map(([more, one]) => [...one, ...(more ?? [])]);
  const around = fc.oneof(
    { weight: 7, arbitrary: part },
    {
      weight: 2,
      arbitrary: unwrappable(loopOf(uniform, part), (s: Loop) => s.body),
    },
    {
      weight: 1,
      arbitrary: unwrappable(
        fc.tuple(uniform, part, leaves(3)).map(([when, then, other]) => ({ kind: 'if', when, then, else: other })),
        (s: Of<'if'>) => s.then,
      ),
    },
  );
  return fc
    .tuple(fc.option(around, { freq: 1 }), around, palettes)
    .map(([more, one, palette]) => withPalette([...one, ...(more ?? [])], palette));
}

/** A kernel, and the choices that it was made from, for shrinking. */
export interface Drawn extends Kernel {
  readonly from: fc.Arbitrary<Body>;
  readonly seed: number;
}

/** The kernel of a seed. */
export const draw = (name: string, from: fc.Arbitrary<Body>, seed: number): Drawn => ({
  name,
  body: fc.sample(from, { seed, numRuns: 1, unbiased: true })[0]!,
  from,
  seed,
});

/**
 * The smallest kernel found that still fails, or the kernel itself.
 *
 * @param seconds time limit, after which the smallest so far is taken
 */
export async function smallest(
  kernel: Drawn,
  seconds: number,
  fails: (smaller: Kernel) => Promise<boolean>,
): Promise<Kernel> {
  const { name, from, seed } = kernel;
  // Different choices may lead to the same tree.
  const known = new Map<string, Promise<boolean>>();
  const holds = async (body: Body): Promise<boolean> => {
    const text = JSON.stringify(body);
    const outcome = known.get(text) ?? fails({ name, body });
    known.set(text, outcome);
    return !(await outcome);
  };
  const { counterexample } = await fc.check(fc.asyncProperty(from, holds), {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: seconds * 1000,
  });
  return { name, body: counterexample?.[0] ?? kernel.body };
}
