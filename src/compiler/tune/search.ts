/**
 * The search of `darm tune`: which decisions about the branches of one kernel take the fewest cycles. It begins with
 * decisions for all branches at once (as the cost model decides, nothing, everything that is legal), takes the best,
 * and changes one decision after the other as long as that gains something: a local search. Trials come in batches of a
 * fixed size, so the result depends neither on the number of workers nor on time.
 */
import type { BranchChoice, Decision, Policy, Trace, TriedBranch } from '../../job/tuning.js';

export interface Measured {
  readonly cycles: number;
  readonly trace: Trace;
}

/** What a policy comes to; null for code that cannot be made, fails, or leaves other memory. */
export type Measure = (policy: Policy) => Promise<Measured | null>;

export interface Found extends Measured {
  readonly policy: Policy;
}

/** A change of the search's best that was tried, and what it came to. */
export interface TriedChange {
  readonly branch: string;
  readonly decision: Decision;
  /** Cycles before and after. */
  readonly from: number;
  readonly to: number;
}

export interface SearchResult {
  readonly best: Found;
  /** As the cost model decides; null if that fails. */
  readonly model: Found | null;
  /** The latest trial of each decision, in the order of the trials. */
  readonly changes: readonly TriedChange[];
  readonly trials: number;
}

/** How many trials run side by side at most. Another number is another search. */
const BATCH = 8;

const way = (more: Partial<BranchChoice>): BranchChoice => ({
  pairs: null,
  sides: [],
  profit: 'net',
  unpredicate: 'profitable',
  threshold: 0,
  regionReplication: true,
  ...more,
});

/** Ways in which any branch may meld, the most promising first. */
const WAYS: readonly BranchChoice[] = [
  way({}),
  way({ profit: 'paper' }),
  way({ profit: 'paper', unpredicate: 'never' }),
  way({ unpredicate: 'always' }),
  way({ sides: ['f', 't'] }),
  way({ unpredicate: 'never' }),
  way({ profit: 'paper', unpredicate: 'always' }),
  way({ profit: 'paper', sides: ['f', 't'] }),
];

/** The paper's threshold. */
const LIKE = 0.2;

const policy = (others: Decision, switches: Policy['switches'] = 'model'): Policy => ({
  branches: {},
  others,
  switches,
});

/** The beginnings: one decision for all branches. */
const BEGINNINGS: readonly Policy[] = [
  policy('model'),
  policy('leave', 'keep'),
  ...WAYS.map((each) => policy(each)),
  policy(way({ profit: 'paper', threshold: LIKE })),
  policy(way({ profit: 'paper', regionReplication: false })),
  policy('model', 'lower'),
  policy(way({ profit: 'paper' }), 'lower'),
  policy('model', 'keep'),
];

/**
 * @param budget most trials
 * @param onTrial told the cycles of what was tried; infinite where it does not do what the kernel should
 */
export async function search(
  measure: Measure,
  budget: number,
  onTrial: (cycles: number) => void = () => {},
): Promise<SearchResult | null> {
  const state = new Search(measure, budget, onTrial);
  await state.begin();
  await state.climb();
  return state.result();
}

class Search {
  #best: Found | null = null;
  #model: Found | null = null;
  readonly #changes = new Map<string, TriedChange>();
  readonly #seen = new Map<string, Promise<Measured | null>>();
  #trials = 0;

  constructor(
    private readonly measure: Measure,
    private readonly budget: number,
    private readonly onTrial: (cycles: number) => void,
  ) {}

  async begin(): Promise<void> {
    const found = await this.#try(BEGINNINGS);
    this.#model = found[0] ?? null;
    for (const each of found) this.#offer(each);
  }

  /** Changes single decisions until none is left that gains something. */
  async climb(): Promise<void> {
    for (let from = this.#best; from !== null; from = this.#best) {
      const changes = changesOf(from).filter(({ policy: next }) => !this.#seen.has(keyOf(next)));
      for (let k = 0; k < changes.length && this.#best === from; k += BATCH) await this.#step(from, changes.slice(k));
      if (this.#best === from) return;
    }
  }

  /** Tries some changes, and those of them that gain something together. */
  async #step(from: Found, all: readonly Change[]): Promise<void> {
    const changes = all.slice(0, BATCH);
    const found = await this.#try(changes.map((each) => each.policy));
    const gains: [Change, number][] = [];
    for (const [k, each] of found.entries()) {
      const change = changes[k]!;
      if (each === null) continue;
      this.#changes.delete(change.name);
      this.#changes.set(change.name, {
        branch: change.branch,
        decision: change.decision,
        from: from.cycles,
        to: each.cycles,
      });
      if (each.cycles < from.cycles) gains.push([change, each.cycles]);
      this.#offer(each);
    }
    if (gains.length < 2) return;
    gains.sort((a, b) => a[1] - b[1]);
    let together = from.policy;
    const combined: Policy[] = [];
    const changed = new Set<string>();
    for (const [{ branch, apply }] of gains) {
      if (changed.has(branch)) continue;
      changed.add(branch);
      together = apply(together);
      if (changed.size > 1) combined.push(together);
    }
    for (const each of await this.#try(combined)) this.#offer(each);
  }

  #offer(found: Found | null): void {
    if (found !== null && (this.#best === null || found.cycles < this.#best.cycles)) this.#best = found;
  }

  /** Measures policies side by side, as many as the budget has room for. */
  async #try(policies: readonly Policy[]): Promise<(Found | null)[]> {
    const results: (Found | null)[] = [];
    for (let k = 0; k < policies.length; k += BATCH) {
      const batch = policies.slice(k, k + BATCH);
      const measured = await Promise.all(batch.map((each) => this.#measure(each)));
      results.push(...measured.map((each, at) => each && { ...each, policy: batch[at]! }));
    }
    return results;
  }

  #measure(tried: Policy): Promise<Measured | null> {
    const key = keyOf(tried);
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    if (this.#trials >= this.budget) return Promise.resolve(null);
    this.#trials++;
    const measured = this.measure(tried).then((each) => {
      this.onTrial(each?.cycles ?? Infinity);
      return each;
    });
    this.#seen.set(key, measured);
    return measured;
  }

  result(): SearchResult | null {
    if (this.#best === null) return null;
    const changes = [...this.#changes.values()];
    return { best: this.#best, model: this.#model, changes, trials: this.#trials };
  }
}

/** Equal for policies that say the same. */
function keyOf({ branches, others, switches }: Policy): string {
  const named = Object.entries(branches).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([named, others, switches]);
}

interface Change {
  readonly name: string;
  readonly branch: string;
  readonly decision: Decision;
  readonly policy: Policy;
  readonly apply: (to: Policy) => Policy;
}

/** All that may change by one decision, the largest branches first by what the model expects of them. */
function changesOf({ policy: from, trace }: Found): Change[] {
  const changeOf = (branch: string, decision: Decision): Change => {
    const apply = (to: Policy): Policy => ({ ...to, branches: { ...to.branches, [branch]: decision } });
    return { name: JSON.stringify([branch, decision]), branch, decision, apply, policy: apply(from) };
  };
  const branches = trace.branches.toSorted((a, b) => Math.abs(b.net) - Math.abs(a.net));
  const perBranch = branches.map((branch) => decisionsFor(branch).map((each) => changeOf(branch.name, each)));
  // The first decisions of all branches come before the second ones of any.
  const longest = Math.max(0, ...perBranch.map((each) => each.length));
  return Array.from({ length: longest }, (_, k) => perBranch.flatMap((each) => each[k] ?? [])).flat();
}

function decisionsFor({ way: made }: TriedBranch): Decision[] {
  if (made === null) return [...WAYS];
  const { branch: _, ...melded } = made;
  const same = { ...melded, threshold: 0, regionReplication: true };
  const others = WAYS.filter((each) => !isSame(each, same));
  const asked = ASKED.filter((sides) => String(sides) !== String(same.sides)).map((sides) => ({ ...same, sides }));
  const fewer = same.pairs.length > 1 ? same.pairs.map((_, k) => ({ ...same, pairs: same.pairs.toSpliced(k, 1) })) : [];
  return ['leave', ...others.slice(0, 2), ...asked, ...fewer.slice(0, MOST_FEWER), ...others.slice(2)];
}

const ASKED: readonly BranchChoice['sides'][] = [[], ['f', 't'], ['f'], ['t']];
const MOST_FEWER = 8;

const isSame = (a: BranchChoice, b: BranchChoice): boolean =>
  a.profit === b.profit && a.unpredicate === b.unpredicate && String(a.sides) === String(b.sides);
