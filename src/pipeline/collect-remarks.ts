/**
 * Remarks from what melding looks at and does. A look's names and places are asked for at once, as the next round changes them,
 * and without a trace in LLVM's memory: remarks change no byte of the output.
 */
import { summarize } from '../analysis/summary.js';
import type { LlvmModule, OpenFunction } from '../binding/module.js';
import type { Analyses } from '../analysis/analyses.js';
import type { FunctionPlan } from '../melding/plan.js';
import type { CandidateRemark, DebugLocation, Remark } from '../job/remarks.js';
import { tally } from '../job/tally.js';
import type { EditLog, LookRemarks } from '../job/results.js';

interface Look extends OpenFunction {
  readonly analyses: Analyses;
  readonly plan: FunctionPlan;
}

/** What there is to say about a function as it is now and what is planned for it. */
export function lookRemarks(module: LlvmModule, name: string, { snapshot, editor, analyses, plan }: Look): LookRemarks {
  return module.peek(() => {
    const names = plan.candidates.length > 0 ? module.blockNames(name) : [];
    const side = (blocks: readonly number[]) => blocks.map((block) => names[block]!);
    return {
      location: module.location(name),
      divergentBranches: summarize(snapshot, analyses.divergence).divergentBranches,
      candidates: plan.candidates.map(({ branch, sides, kind, profit, net, verdict, rule, reason }) => ({
        kind: verdict === 'meld' ? 'passed' : 'missed',
        function: name,
        location: editor.branchLocation(branch),
        round: null,
        branch: names[branch]!,
        sides: [side(sides[0]), side(sides[1])],
        meld: kind,
        profit,
        net,
        rule,
        reason,
      })),
    };
  });
}

/** What a single look says melding would do. */
export function plannedRemarks(
  name: string,
  { plan, remarks }: { plan: FunctionPlan; remarks: LookRemarks | null },
): Remark[] {
  if (remarks === null) return [];
  return [...remarks.candidates, summary(name, remarks, remarks.candidates, plan.melds, 0)];
}

/** Melds in the order of the rounds, then what the last look refuses, then the summary. */
export function remarksOf({ function: name, rounds, lastLook, bailout }: EditLog): Remark[] {
  const first = rounds[0]?.look ?? lastLook;
  const candidates: CandidateRemark[] = [];
  let round = 1;
  let latest: CandidateRemark[] = [];
  for (const { look, melds } of rounds) {
    latest = ofKind(look, 'missed', round);
    // Lowering switches changes the function, too, but is no round of melding.
    if (melds.length === 0) continue;
    candidates.push(...ofKind(look, 'passed', round));
    round++;
  }
  // There is no last look when the number of rounds was limited or something failed.
  candidates.push(...(lastLook === null ? latest : ofKind(lastLook, 'missed', round)));

  const location: DebugLocation | null = first?.location ?? null;
  const remarks: Remark[] = [...candidates];
  if (bailout !== null) remarks.push({ kind: 'failure', function: name, location, reason: bailout });
  const melds = rounds.flatMap((each) => each.melds);
  const switches = rounds.reduce((sum, { lowered }) => sum + lowered.length, 0);
  if (first !== null) remarks.push(summary(name, first, candidates, melds, switches));
  return remarks;
}

const ofKind = (look: LookRemarks | null, kind: CandidateRemark['kind'], round: number): CandidateRemark[] =>
  (look?.candidates ?? []).filter((each) => each.kind === kind).map((each) => ({ ...each, round }));

function summary(
  name: string,
  { location, divergentBranches }: LookRemarks,
  { length: candidates }: readonly CandidateRemark[],
  melds: FunctionPlan['melds'],
  switchesLowered: number,
): Remark {
  const { byKind, cyclesSaved } = tally(melds);
  return {
    kind: 'analysis',
    function: name,
    location,
    divergentBranches,
    candidates,
    melds: byKind,
    cyclesSaved,
    switchesLowered,
  };
}
