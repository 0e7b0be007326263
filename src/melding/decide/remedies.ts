/**
 * What would have to change so that a refused candidate melds. For rules of legality that is a sentence. Where a meld
 * does not pay, it is tried: the function is planned again with what might help, and what helps is said.
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { CanPair } from '../cost/matching.js';
import {
  netUnitOf,
  type BranchChoice,
  type Candidate,
  type FunctionPlan,
  type Meld,
  type PlanOptions,
} from '../plan.js';
import type { RuleId } from '../rules.js';
import { checkRefusal } from './legality.js';
import { FAILING, OVERLAPS, planFunction, type PlanInputs } from './plan-function.js';

/** By rule; rules that are not here say all there is to say themselves. */
const BY_RULE: Readonly<Partial<Record<RuleId, string>>> = {
  '1.2': 'give both sides work: what only one side does cannot become one with anything',
  '1.3': 'let one condition decide: compute `a || b` into a variable, so that each side has one way in',
  '1.4':
    'leave loops and branches by structured control flow only, and check what must hold (assert) in front of the branch',
  '1.5': 'move the barrier or cross-lane operation in front of the branch or behind it',
  '1.6': 'take the atomic or volatile access out of the loop',
  '3': 'let both sides use the same array or address space, or choose the pointer in front of the branch',
  '5': 'give both sides the same control flow, e.g. a dummy `else`, or allow region replication',
  '9': 'let fewer values go from one branch to the next, e.g. through memory',
};

/** In `instrTaken`: the condition is unpredictable. */
const UNPREDICTABLE = -2;
/** So many branches of a function are tried, fewer of a large one: each trial plans the function again. */
const MOST_TRIED = 24;
const INSTRUCTIONS_TRIED = 50_000;

/** The function, and what it was planned with. */
interface Planned {
  readonly fn: FunctionSnapshot;
  readonly analyses: Analyses;
  readonly options: PlanOptions;
  readonly canPair: CanPair;
}

/** A sentence for each candidate, or null: it melds, or nothing is known that helps. */
export function remediesOf(planned: Planned, { candidates }: FunctionPlan): (string | null)[] {
  const { fn, analyses } = planned;
  const tried = new Map<BlockId, string | null>();
  const most = Math.min(MOST_TRIED, Math.ceil(INSTRUCTIONS_TRIED / fn.instrCount));
  return candidates.map((candidate) => {
    const { branch, rule, verdict, reason } = candidate;
    if (verdict === 'meld' || rule === null || reason === OVERLAPS || reason === FAILING.reason) return null;
    // The way out of a loop, or back, has no other side, and neither has a check.
    if (rule === '1.2' && (reason === checkRefusal.reason || leadsOutOrBack(fn, analyses, branch))) return null;
    if (rule !== '7' && rule !== '2') return BY_RULE[rule] ?? null;
    if (!tried.has(branch) && tried.size < most) tried.set(branch, byTrial(planned, candidate));
    return tried.get(branch) ?? null;
  });
}

function leadsOutOrBack(fn: FunctionSnapshot, { cycles, dominators }: Analyses, branch: BlockId): boolean {
  const successors = [...fn.succ.subarray(fn.succStart[branch], fn.succStart[branch + 1])] as BlockId[];
  const depth = cycles.depthOf(branch);
  return successors.some((next) => cycles.depthOf(next) < depth || dominators.dominates(next, branch));
}

const planAgain = ({ fn, analyses, options, canPair }: Planned, inputs: PlanInputs): FunctionPlan =>
  planFunction(fn, analyses, options, canPair, inputs);

function byTrial(planned: Planned, { branch, profit }: Candidate): string | null {
  const { fn, options } = planned;
  const melds = (changed: Partial<Planned>, gained = 0): boolean =>
    planAgain({ ...planned, ...changed }, { gained }).melds.some((meld) => meld.branch === branch);
  if (profit < options.threshold && melds({ options: { ...options, threshold: 0 } }))
    return `it pays with --threshold ${Math.floor(profit * 100) / 100}`;
  // How often waves part, and what else there is in the function, matters to cycles only.
  if (netUnitOf(options.profit) === 'bytes') return losses(planned, branch);
  const instrTaken = fn.instrTaken.slice();
  instrTaken[terminatorOf(fn, branch)] = UNPREDICTABLE;
  if (melds({ fn: { ...fn, instrTaken } }))
    return 'it pays if more waves part: say so by __builtin_unpredictable, or let darm tune look at the data';
  // As if the melds of other branches gained enough.
  if (melds({}, Infinity)) return 'the rest of the function takes far longer: look there first';
  return losses(planned, branch);
}

/** What a meld of everything that is alike would need. */
function losses(planned: Planned, branch: BlockId): string | null {
  const { fn, options } = planned;
  const forced: BranchChoice = {
    ...{ pairs: null, sides: [], profit: 'paper', unpredicate: 'profitable' },
    ...{ threshold: 0, regionReplication: options.regionReplication },
  };
  const choices = { branches: new Map([[branch, forced]]), others: 'leave' } as const;
  const { melds, netUnit } = planAgain(planned, { choices });
  if (melds.length === 0) return 'let both sides do the same operations, in the same order';
  const { pairs, alone, operands } = countsOf(fn, melds);
  const lacking = Math.ceil(-melds.reduce((sum, { net }) => sum + net, 0));
  const what = `melded, ${pairs} instructions would pair, ${alone} stay alone, and ${operands} operands differ`;
  if (lacking <= 0)
    return `${what}: it pays if it saves more, ${operands > 0 ? 'e.g. with fewer operands that differ' : 'with more that is alike'}`;
  return `${what}: it pays if that saved ${lacking} ${netUnit} more, e.g. with operands chosen in front of the branch`;
}

function countsOf(fn: FunctionSnapshot, melds: readonly Meld[]): { pairs: number; alone: number; operands: number } {
  const partner = new Map<number, number>();
  const paired: [InstrId, InstrId][] = [];
  let alone = 0;
  for (const { alignment, phis } of melds.flatMap(({ blocks }) => blocks)) {
    for (const { t, f } of alignment)
      if (t === NONE || f === NONE) alone++;
      else paired.push([t as InstrId, f as InstrId]);
    for (const [t, f] of phis) partner.set(fn.argCount + t, fn.argCount + f);
  }
  for (const [t, f] of paired) partner.set(fn.argCount + t, fn.argCount + f);
  const selects = new Set<string>();
  for (const [t, f] of paired)
    for (let o = 0; o < fn.operandStart[t + 1] - fn.operandStart[t]; o++) {
      const [a, b] = [fn.operand[fn.operandStart[t] + o], fn.operand[fn.operandStart[f] + o]];
      if (a !== b && partner.get(a) !== b) selects.add(`${a} ${b}`);
    }
  return { pairs: paired.length, alone, operands: selects.size };
}
