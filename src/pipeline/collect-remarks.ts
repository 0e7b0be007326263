/**
 * Remarks about what melding finds and does. Names of blocks and places in the source are asked for before each round,
 * which changes them, and without a trace in LLVM's memory, so that remarks change no byte of the output.
 */
import { summarize } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { divergentSwitches } from '../melding/decide/switches.js';
import type { FunctionPlan, Meld } from '../melding/plan.js';
import { RULES } from '../melding/rules.js';
import { othersOf, type EditLog, type SurveyRemarks } from '../job/edit-log.js';
import type {
  CandidateRemark,
  DebugLocation,
  FailureRemark,
  LoweredRemark,
  Remark,
  SwitchRemark,
} from '../job/remarks.js';
import type { OtherChanges } from '../job/results.js';
import { tally } from '../job/tally.js';
import type { PlannedFunction } from './planned-function.js';

/** What there is to say about a function as it is now, and about what is planned for it. */
export function surveyRemarks(
  module: LlvmModule,
  name: string,
  { snapshot, editor, analyses, plan }: PlannedFunction,
): SurveyRemarks {
  return module.peek(() => {
    const switches = divergentSwitches(snapshot, analyses);
    const names = plan.candidates.length + switches.length > 0 ? module.blockNames(name) : [];
    const side = (blocks: readonly number[]) => blocks.map((block) => names[block]!);
    return {
      location: module.location(name),
      divergentBranches: summarize(snapshot, analyses.divergence).divergentBranches,
      netUnit: plan.netUnit,
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
        netUnit: plan.netUnit,
        rule,
        reason,
      })),
      switches: switches.map(({ branch, destinations, refusal }) => ({
        kind: 'switch',
        function: name,
        location: editor.branchLocation(branch),
        branch: names[branch]!,
        destinations,
        reason: refusal,
      })),
    };
  });
}

/** Says why switches stay of which that was not known. */
export const keptSwitches = (remarks: SurveyRemarks | null, why: string): SurveyRemarks | null =>
  remarks && { ...remarks, switches: remarks.switches.map((each) => ({ ...each, reason: each.reason ?? why })) };

/** Says why melds that were planned are not made. */
export const refusedMelds = (remarks: SurveyRemarks | null, reason: string): SurveyRemarks | null =>
  remarks && {
    ...remarks,
    candidates: remarks.candidates.map((each) =>
      each.kind === 'passed' ? { ...each, kind: 'missed', rule: RULES.NotProfitable.id, reason } : each,
    ),
  };

export const failureRemark = (name: string, location: DebugLocation | null, reason: string): FailureRemark => ({
  kind: 'failure',
  function: name,
  location,
  reason,
});

/** What melding would do, by the survey in front of the first round. @param others in all rounds */
export function plannedRemarks(
  name: string,
  { melds }: Pick<FunctionPlan, 'melds'>,
  others: OtherChanges,
  remarks: SurveyRemarks | null,
): Remark[] {
  return remarks === null ? [] : [...remarks.candidates, summary(name, remarks, remarks.candidates, melds, others)];
}

/**
 * Melds in the order of the rounds, then what is refused in the end, then the switches: those that became chains and
 * those that stay. Then the summary.
 */
export function remarksOf({ function: name, rounds, lastRemarks, bailout }: EditLog): Remark[] {
  const first = rounds[0]?.remarks ?? lastRemarks;
  const candidates: CandidateRemark[] = [];
  let round = 1;
  let latest: CandidateRemark[] = [];
  const switches: (SwitchRemark | LoweredRemark)[] = [];
  for (const { remarks: before, melds, lowered } of rounds) {
    if (lowered.length > 0)
      for (const { reason, ...each } of before?.switches ?? [])
        if (reason === null) switches.push({ ...each, kind: 'lowered' });
    latest = ofKind(before, 'missed', round);
    // Lowering switches changes the function, too, but does not count as a round of melding.
    if (melds.length === 0) continue;
    candidates.push(...ofKind(before, 'passed', round));
    round++;
  }
  // Nothing was surveyed in the end when something failed.
  candidates.push(...(lastRemarks === null ? latest : ofKind(lastRemarks, 'missed', round)));

  const location: DebugLocation | null = first?.location ?? null;
  for (const each of lastRemarks?.switches ?? [])
    switches.push({ ...each, reason: each.reason ?? 'melding ended before it came to switches' });
  const remarks: Remark[] = [...candidates, ...switches];
  if (bailout !== null) remarks.push(failureRemark(name, location, bailout));
  const melds = rounds.flatMap((each) => each.melds);
  if (first !== null) remarks.push(summary(name, first, candidates, melds, othersOf(rounds)));
  return remarks;
}

const ofKind = (from: SurveyRemarks | null, kind: CandidateRemark['kind'], round: number): CandidateRemark[] =>
  (from?.candidates ?? []).filter((each) => each.kind === kind).map((each) => ({ ...each, round }));

function summary(
  name: string,
  { location, divergentBranches, netUnit }: SurveyRemarks,
  { length: candidates }: readonly CandidateRemark[],
  melds: readonly Meld[],
  others: OtherChanges,
): Remark {
  const { byKind, saved } = tally(melds);
  return {
    kind: 'analysis',
    function: name,
    location,
    divergentBranches,
    candidates,
    melds: byKind,
    saved,
    netUnit,
    ...others,
  };
}
