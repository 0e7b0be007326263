/**
 * What `darm tune` tries: decisions about some branches of one function, by names that a branch keeps while others
 * meld. The cost model decides about the rest. What came of it is recorded, so that it can be written down as a plan.
 */
import type { LlvmModule, OpenFunction } from '../binding/module.js';
import type { BlockRef } from '../ir/editor.js';
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { isConditionalBranch, type FunctionSnapshot } from '../ir/snapshot.js';
import type { TunedRound } from '../job/tuned-plan.js';
import type { Decision, Policy, Trace, TriedBranch } from '../job/tuning.js';
import type { BranchChoice, Choices, FunctionPlan } from '../melding/plan.js';
import type { Guide } from './guide.js';

/** The rules by which a branch that does not meld might do so by another choice: it does not pay, or nothing pairs. */
const UNDECIDED: ReadonlySet<string | null> = new Set([null, '7', '2']);

/** The decision of a policy about a branch. */
export const decisionOf = ({ branches, others }: Policy, branch: string): Decision =>
  Object.hasOwn(branches, branch) ? branches[branch]! : others;

export class PolicyGuide implements Guide {
  readonly #rounds: TunedRound[] = [];
  #branches = new Map<string, TriedBranch>();
  /** The same in front of the last survey. */
  #before: ReadonlyMap<string, TriedBranch> = new Map();
  #names = new Map<BlockRef, string>();
  #now: readonly string[] = [];
  #switches = false;

  constructor(
    private readonly module: LlvmModule,
    private readonly functionName: string,
    private readonly decide: (branch: string) => Decision,
    private readonly lower: Policy['switches'],
  ) {}

  choices({ snapshot, editor }: OpenFunction): Choices {
    const refs = Array.from({ length: snapshot.blockCount }, (_, b) => editor.block(b as BlockId));
    this.#now = namesOf(snapshot, refs, this.#names);
    this.#names = new Map(refs.map((ref, b) => [ref, this.#now[b]!]));
    const branches = new Map<BlockId, BranchChoice | 'leave'>();
    for (const [b, name] of this.#now.entries()) {
      if (!isConditionalBranch(snapshot, b as BlockId)) continue;
      const decision = this.decide(name);
      if (decision !== 'model') branches.set(b as BlockId, decision);
    }
    return { branches, others: 'model' };
  }

  planned({ fingerprint }: OpenFunction, { candidates, melds, chosen, flattened }: FunctionPlan): void {
    // The last survey once more: something else is made than it has planned, or than nothing.
    if (this.#rounds.at(-1)?.fingerprint === fingerprint) {
      this.#rounds.pop();
      this.#branches = new Map(this.#before);
    }
    this.#before = new Map(this.#branches);
    const blocks = this.module.peek(() => this.module.blockNames(this.functionName));
    const reasons = new Map<BlockId, string>();
    for (const { branch, verdict, rule, reason } of candidates)
      if (UNDECIDED.has(rule) && (verdict === 'meld' || !reasons.has(branch))) reasons.set(branch, reason);
    for (const [branch, reason] of reasons) {
      const name = this.#now[branch]!;
      const way = chosen.find((each) => each.branch === branch) ?? null;
      const net = melds.reduce((sum, meld) => sum + (meld.branch === branch ? meld.net : 0), 0);
      const first = this.#branches.get(name);
      if (first?.way) continue;
      this.#branches.set(name, { name, block: first?.block ?? blocks[branch]!, way, net, reason });
    }
    const made = chosen.map(({ branch, pairs, sides, profit, unpredicate }) => {
      const { net, reason } = this.#branches.get(this.#now[branch]!)!;
      const estimate = `the model expects ${Math.round(net)} cycles a wave: ${reason}`;
      return { branch, block: blocks[branch]!, pairs, ask: sides, align: profit, unpredicate, reason: estimate };
    });
    this.#rounds.push({ fingerprint, lowered: [], melds: made, flattened: flattened.map(({ branch }) => branch) });
  }

  lowers({ fingerprint }: OpenFunction, switches: readonly BlockId[]): boolean | null {
    this.#switches = true;
    // The survey that found nothing to meld becomes the round of the switches.
    if (this.lower !== 'keep') this.#rounds.splice(-1, 1, { fingerprint, lowered: switches, melds: [], flattened: [] });
    return this.lower === 'model' ? null : this.lower === 'lower';
  }

  hoists(): boolean {
    return true;
  }

  ended(): void {}

  /** @param rounds how many rounds were carried out, and not taken back */
  trace(rounds: number): Trace {
    return {
      rounds: this.#rounds.slice(0, rounds),
      fingerprint: this.#rounds[rounds]!.fingerprint,
      branches: [...this.#branches.values()],
      switches: this.#switches,
    };
  }
}

/**
 * Names of blocks. In the first round it is the block's place. A block that is new later on is named after where it
 * comes from, so that it has the same name whatever else has melded in the meantime, as far as that can be had. A wrong
 * name costs a trial and nothing else.
 */
function namesOf(
  { blockCount, succStart, succ }: FunctionSnapshot,
  refs: readonly BlockRef[],
  known: ReadonlyMap<BlockRef, string>,
): string[] {
  if (known.size === 0) return refs.map((_, b) => String(b));
  const names = refs.map((ref) => known.get(ref) ?? '');
  const taken = new Set(names);
  const from = new Int32Array(blockCount).fill(NONE);
  for (let b = 0; b < blockCount; b++)
    for (let e = succStart[b]!; e < succStart[b + 1]!; e++) if (from[succ[e]!] === NONE) from[succ[e]!] = b;
  for (let b = 0; b < blockCount; b++) {
    if (names[b] !== '') continue;
    const before = from[b] === NONE ? '' : names[from[b]!]!;
    let name = `${before}.`;
    for (let k = 1; taken.has(name); k++) name = `${before}.${k}`;
    taken.add((names[b] = name));
  }
  return names;
}
