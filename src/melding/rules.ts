/**
 * The rules that can refuse a meld. Each has an id (in JSON and in remarks), a name (of its remarks), and a sentence
 * that completes "a candidate is refused because …". Machines rely on ids and names, so neither ever changes.
 *
 * docs/melding.md gives the reason for every rule; docs/remarks.md has this table for users. Tests compare both pages
 * with it. The ids are numbers of sections in docs/melding.md. Sections without an entry here (1.8, 6, 8) describe what
 * holds for every meld; they refuse nothing.
 */
export interface Rule {
  readonly id: string;
  /** What a candidate is refused for. */
  readonly sentence: string;
}

/** By name, in the order of the ids. */
export const RULES = {
  UnsuitableBranch: {
    id: '1.1',
    sentence:
      'only two-way divergent branches meld: the subgraph holds a switch, or a baseline (`--meld branch-fusion`) takes diamonds only',
  },
  NoCommonJoin: {
    id: '1.2',
    sentence:
      'the sides have no join of their own behind them: one side is empty (`if` without `else`), or the join heads an enclosing loop',
  },
  NotDominatedByBranch: {
    id: '1.3',
    sentence:
      'other edges than those of the branch lead into a side, so the condition does not say which side a thread is on; or no part of a side has a single entry and a single exit',
  },
  UnstructuredControlFlow: {
    id: '1.4',
    sentence: 'between branch and join there are exceptions, indirect branches or irreducible loops',
  },
  ConvergentOperation: {
    id: '1.5',
    sentence: 'barriers, cross-lane operations and writers of wave state must keep their control flow',
  },
  MayWaitForThreads: {
    id: '1.6',
    sentence:
      'a loop with atomic or volatile accesses may wait for threads that, after melding, would wait for the loop',
  },
  UnsupportedConstruct: {
    id: '1.7',
    sentence:
      'the function is `optnone` or `naked`, the address of a block is taken, there is a value of token type, or LLVM would lose a value of melded code',
  },
  NothingInCommon: {
    id: '2',
    sentence: 'no two instructions may become one, or an operand that the target wants uniform would not be uniform',
  },
  UnselectableOperand: {
    id: '3',
    sentence:
      'operands that differ need a select that would be wrong or harmful: between different allocas or address spaces',
  },
  ScopedMarkers: {
    id: '4',
    sentence: 'lifetime markers and alias scopes would have to be melded as a whole',
  },
  DifferentControlFlow: {
    id: '5',
    sentence: 'the regions are not isomorphic and neither fits into the other, or region replication is off',
  },
  NotProfitable: {
    id: '7',
    sentence:
      'it is below the threshold, costs more than it saves, another pairing saves more, or it is too large to align',
  },
  OverlongChain: {
    id: '9',
    sentence: 'arithmetic would become one long chain, on which LLVM takes very long',
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
export type RuleId = (typeof RULES)[RuleName]['id'];

const NAMES = new Map<RuleId, RuleName>();
for (const [name, { id }] of Object.entries(RULES)) NAMES.set(id, name as RuleName);

export const ruleName = (id: RuleId): RuleName => NAMES.get(id)!;

/** Why something may not meld. */
export interface Refusal {
  readonly rule: RuleId;
  /** For people: what exactly was found. */
  readonly reason: string;
}

export const refusal = (name: RuleName, reason: string): Refusal => ({ rule: RULES[name].id, reason });
