/**
 * What decides about the melds of one function beside the cost model: a plan that `darm tune` wrote, or `darm tune`
 * itself while it searches (policy.ts). A guide only chooses among what the planner finds legal.
 */
import type { OpenFunction } from '../binding/module.js';
import type { BlockId } from '../ir/ids.js';
import type { TunedFunction, TunedRound } from '../job/tuned-plan.js';
import type { BranchChoice, Choices, FunctionPlan } from '../melding/plan.js';

/** A function's guide. It is asked in the order of these methods, round by round. */
export interface Guide {
  /** What is decided in advance about the next round; null: nothing. */
  choices(open: OpenFunction): Choices | null;
  /** Is told what the round will do. */
  planned(open: OpenFunction, plan: FunctionPlan): void;
  /** Whether these switches, the last thing that is left, become branches; null: the cost model decides. */
  lowers(open: OpenFunction, switches: readonly BlockId[]): boolean | null;
  /** Whether sides are hoisted when nothing else is left, by the cost model. */
  hoists(): boolean;
  /** Is told that there are no more rounds. */
  ended(): void;
}

/** A plan does not fit its function: the function is melded anew without it. */
export class PlanMisfit extends Error {
  constructor(
    readonly functionName: string,
    readonly reason: string,
  ) {
    super(misfitText(functionName, reason));
  }
}

export const misfitText = (name: string, reason: string): string => `the plan for '${name}' is ignored: ${reason}`;

/**
 * Follows a plan to the letter: every round must begin with the function that the plan names, and do what it says.
 * Nothing else melds.
 */
export class PlanGuide implements Guide {
  #done = 0;

  constructor(private readonly plan: TunedFunction) {}

  choices({ fingerprint }: OpenFunction): Choices {
    const round = this.#round;
    if (fingerprint !== firstFingerprint(this.plan, this.#done))
      throw this.#misfit(this.#done === 0 ? CHANGED : `after ${this.#done} rounds the function is another one`);
    const melds = round?.melds ?? [];
    const branches = melds.map(({ branch, pairs, ask, align, unpredicate }) => {
      const own = { pairs, sides: ask, profit: align, unpredicate, threshold: 0, regionReplication: true };
      return [branch, own] as const;
    });
    const flattened = (round?.flattened ?? []).map((branch) => [branch, 'flatten'] as const);
    return { branches: new Map<BlockId, BranchChoice | 'flatten'>([...branches, ...flattened]), others: 'leave' };
  }

  planned(_: OpenFunction, { chosen, flattened }: FunctionPlan): void {
    const { melds, flattened: roots } = this.#round ?? { melds: [], flattened: [] };
    if (melds.length + roots.length === 0) return;
    const differs = melds.find(({ branch, pairs, ask }, k) => {
      const made = chosen[k];
      return made?.branch !== branch || String(made.pairs) !== String(pairs) || String(made.sides) !== String(ask);
    });
    if (differs !== undefined) throw this.#misfit(`the branch in ${differs.block} cannot meld as it says`);
    if (String(flattened.map(({ branch }) => branch)) !== String(roots))
      throw this.#misfit('a branch cannot go as it says');
    this.#done++;
  }

  lowers(_: OpenFunction, switches: readonly BlockId[]): boolean {
    const lowered = this.#round?.lowered ?? [];
    if (lowered.length === 0) return false;
    if (String(lowered) !== String(switches)) throw this.#misfit('it names other switches than the function has');
    this.#done++;
    return true;
  }

  hoists(): boolean {
    const round = this.#round;
    if (round === undefined || round.melds.length + round.flattened.length + round.lowered.length > 0) return false;
    this.#done++;
    return true;
  }

  ended(): void {
    if (this.#done < this.plan.rounds.length) throw this.#misfit('the function has no room for all of its rounds');
  }

  get #round(): TunedRound | undefined {
    return this.plan.rounds[this.#done];
  }

  #misfit(reason: string): PlanMisfit {
    return new PlanMisfit(this.plan.name, reason);
  }
}

export const CHANGED = 'the function has changed, or is compiled in another way';

/** What the function must be before a round of the plan, or behind the last one. */
export const firstFingerprint = ({ rounds, fingerprint }: TunedFunction, round = 0): string =>
  rounds[round]?.fingerprint ?? fingerprint;
