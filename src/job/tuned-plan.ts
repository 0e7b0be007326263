/**
 * The plan that `darm tune` writes: for each function, which branches meld in which round, and how. Every round is tied
 * to the fingerprint of the function as it was before it, and the end to that of the function as it came out. A plan
 * chooses among the melds that the planner finds legal; it holds no instruction. Reasons are for people.
 *
 * The text may come from anywhere. What is no plan is refused; what does not fit a function is ignored (settle.ts and
 * guide.ts of src/pipeline/).
 */
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import type { BranchChoice } from '../melding/plan.js';

export const PLAN_FORMAT = 'darm-plan';
export const PLAN_VERSION = 2;

/** A branch that melds. */
export interface TunedMeld {
  /** The block that ends in the branch, by its place in the function. */
  readonly branch: BlockId;
  /** The same block as LLVM prints it. For people, as is `reason`. */
  readonly block: string;
  /** See `BranchChoice`; so the three below. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly ask: BranchChoice['sides'];
  readonly align: BranchChoice['profit'];
  readonly unpredicate: BranchChoice['unpredicate'];
  readonly reason: string;
}

/**
 * Switches that become branches, or melds and branches that selects replace, or neither: then sides are hoisted, about
 * which the cost model decides.
 */
export interface TunedRound {
  /** Of the function before the round. */
  readonly fingerprint: string;
  readonly lowered: readonly BlockId[];
  readonly melds: readonly TunedMeld[];
  /** The roots of the trees, as `TunedMeld.branch`. */
  readonly flattened: readonly BlockId[];
}

/** A branch that the cost model would meld, and the plan does not; or one that it only tried. For people. */
export interface TunedRemark {
  readonly block: string;
  readonly reason: string;
}

export interface TunedFunction {
  readonly name: string;
  readonly reason: string;
  readonly rounds: readonly TunedRound[];
  /** Of the function after the last round. */
  readonly fingerprint: string;
  readonly remarks: readonly TunedRemark[];
}

export interface TunedPlan {
  readonly format: typeof PLAN_FORMAT;
  readonly version: typeof PLAN_VERSION;
  /** The processor. */
  readonly target: string;
  readonly meldPoint: 'early' | 'late';
  readonly functions: readonly TunedFunction[];
}

/** A meld has some hundred characters. Many jobs may share a plan, and each looks at all of it. */
const MOST_CHARACTERS = 4 * 2 ** 20;

type Parsed = TunedPlan | { readonly misfit: string };

/** The latest text and its plan: the jobs of a batch have one plan, which is the same string. */
let latest: { readonly text: string; readonly plan: Parsed } | null = null;

/**
 * @returns the plan, or why it is none for this version of darm
 * @throws DarmError `bad-input` for a text that is no plan
 */
export function parsePlan(text: string): Parsed {
  if (latest?.text !== text) latest = { text, plan: parse(text) };
  return latest.plan;
}

function parse(text: string): Parsed {
  if (text.length > MOST_CHARACTERS) throw notPlan('it is too long');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notPlan((error as Error).message);
  }
  if (!isRecord(value) || value['format'] !== PLAN_FORMAT) throw notPlan(`"format" is not "${PLAN_FORMAT}"`);
  const { version } = value;
  if (version !== PLAN_VERSION)
    return {
      misfit: `it has ${typeof version === 'number' ? `version ${version}` : 'no version number'}, this darm reads ${PLAN_VERSION}`,
    };
  const complaint = isPlan(value, 'the plan');
  if (complaint !== null) throw notPlan(complaint);
  const plan = value as unknown as TunedPlan;
  const names = plan.functions.map(({ name }) => name);
  if (!distinct(names)) throw notPlan('it names a function twice');
  return plan;
}

/** As it is written to a file: lists of numbers stay on their lines. */
export const planText = (plan: TunedPlan): string =>
  `${JSON.stringify(plan, null, 1).replace(/\[\n[\s\d,[\]]*\]/g, (numbers) => numbers.replace(/\s+/g, ''))}\n`;

const notPlan = (why: string): DarmError => new DarmError('bad-input', `this is not a plan of darm tune: ${why}`);

// --- the form, member by member ---

/** What is wrong with a value, or null. */
type Form = (value: unknown, where: string) => string | null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const must =
  (what: string, holds: (value: unknown) => boolean): Form =>
  (value, where) =>
    holds(value) ? null : `${where} must be ${what}`;

const list =
  (of: Form): Form =>
  (value, where) => {
    if (!Array.isArray(value)) return `${where} must be an array`;
    for (const [index, each] of value.entries()) {
      const complaint = of(each, `${where}[${index}]`);
      if (complaint !== null) return complaint;
    }
    return null;
  };

/** Exactly these members: a name that is not known was meant to say something. */
const record =
  (members: Readonly<Record<string, Form>>): Form =>
  (value, where) => {
    if (!isRecord(value)) return `${where} must be an object`;
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
    if (unknown !== undefined) return `${where} has the unknown member ${JSON.stringify(unknown.slice(0, 200))}`;
    for (const [name, form] of Object.entries(members)) {
      const complaint = form(Object.hasOwn(value, name) ? value[name] : undefined, `${where}.${name}`);
      if (complaint !== null) return complaint;
    }
    return null;
  };

const text = must('a text', (value) => typeof value === 'string');
const oneOf = (...values: readonly unknown[]): Form =>
  must(`one of ${values.map((each) => JSON.stringify(each)).join(', ')}`, (value) => values.includes(value));
const number = must('a whole number', (value) => Number.isInteger(value) && (value as number) >= 0);
const fingerprint = must('a fingerprint', (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value));
const distinct = (value: readonly unknown[]): boolean => new Set(value).size === value.length;
const ids: Form = (value, where) =>
  list(number)(value, where) ?? (distinct(value as number[]) ? null : `${where} must not name anything twice`);
const sides = must('at most "t" and "f", once each', (value) => {
  return Array.isArray(value) && value.every((each) => each === 't' || each === 'f') && distinct(value);
});
const pairs: Form = (value, where) => {
  const isPair = must('two whole numbers', (each) => Array.isArray(each) && each.length === 2);
  const complaint = list((each, at) => isPair(each, at) ?? list(number)(each, at))(value, where);
  if (complaint !== null) return complaint;
  const all = value as [number, number][];
  const ascend = all.every(([t, f], k) => k === 0 || (t > all[k - 1]![0] && f > all[k - 1]![1]));
  return all.length > 0 && ascend ? null : `${where} must hold pairs that ascend on both sides`;
};

const meld = record({
  branch: number,
  block: text,
  pairs,
  ask: sides,
  align: oneOf('net', 'paper'),
  unpredicate: oneOf('always', 'profitable', 'never'),
  reason: text,
});
const melds: Form = (value, where) =>
  list(meld)(value, where) ??
  (distinct((value as TunedMeld[]).map(({ branch }) => branch)) ? null : `${where} must not name a branch twice`);

const round: Form = (value, where) => {
  const complaint = record({ fingerprint, lowered: ids, melds, flattened: ids })(value, where);
  if (complaint !== null) return complaint;
  const { lowered, melds: made, flattened } = value as TunedRound;
  return lowered.length > 0 && made.length + flattened.length > 0
    ? `${where} must not both lower switches and meld`
    : null;
};

const isPlan = record({
  format: oneOf(PLAN_FORMAT),
  version: oneOf(PLAN_VERSION),
  target: text,
  meldPoint: oneOf('early', 'late'),
  functions: list(
    record({
      name: text,
      reason: text,
      rounds: list(round),
      fingerprint,
      remarks: list(record({ block: text, reason: text })),
    }),
  ),
});
