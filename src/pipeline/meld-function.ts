/**
 * Melding of one function of a module, to the fixpoint (melding-rounds.ts). If divergent switches are left then, they
 * are lowered to branches, and melding goes on.
 *
 * The new melds are taken back unless they gain more than the chains of compares cost, and the chains, too, unless they
 * are cheaper than the switches. Early melds are taken back unless they gain more than LLVM's later passes do
 * (function-gain.ts), late ones unless they are worth the waves that they cost (lost-waves.ts). A failure leaves the
 * rounds that went well, which nobody judges then, and the reason.
 */
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import type { EditLog, LogRound, SurveyRemarks } from '../job/edit-log.js';
import type { JobOptions } from '../job/options.js';
import { loadsApart } from '../melding/cost/loads-apart.js';
import { areWeighed, loweredSwitches, mayBecomeSelects, worthOfLowering } from '../melding/decide/switches.js';
import { netUnitOf } from '../melding/plan.js';
import { keptSwitches, refusedMelds } from './collect-remarks.js';
import type { Compilation } from './compilation.js';
import { MeldingRounds, UNJUDGED, type Judgement } from './melding-rounds.js';
import { meldsEarly } from './passes.js';
import { HistoryRecorder, type FunctionTexts } from './record-history.js';
import type { Survey } from './survey.js';
import { cutBack } from './take-back.js';

/** What comes of a function if melding ends here. */
interface Outcome {
  /** The rounds that stay, where it is not known that those behind them pay; null: all. */
  readonly kept: readonly LogRound[] | null;
  /** What else is done where lowering is taken back; the report's pages do not show it. */
  readonly hoisting: LogRound | null;
  readonly judged: Judgement;
  readonly lastRemarks: SurveyRemarks | null;
}

/**
 * What became of a function, and whether it is left in the module as it must not stay: an edit may have failed
 * half-way.
 *
 * @throws PlanMisfit
 */
export function meldFunction(
  compilation: Compilation,
  module: LlvmModule,
  name: string,
  texts: FunctionTexts,
): { log: Omit<EditLog, 'position' | 'planMisfit'>; isSpoilt: boolean } {
  const { options } = compilation;
  const recorder = options.report ? new HistoryRecorder(module, name, texts) : null;
  const guide = compilation.guideFor(module, name);
  const rounds = new MeldingRounds(compilation, module, name, recorder, guide);
  let outcome: Outcome = { kept: null, hoisting: null, judged: UNJUDGED, lastRemarks: null };
  let bailout: string | null = null;
  try {
    rounds.meld();
    outcome = outcomeOf(rounds);
    if (rounds.mayGoOn) {
      const { snapshot, analyses } = rounds.last;
      const switches = loweredSwitches(snapshot, analyses);
      const asked = switches.length > 0 ? (guide?.lowers(rounds.last, switches) ?? null) : false;
      if (asked === false && switches.length > 0) outcome = keeping(outcome, 'the plan leaves it');
      if (asked === true) {
        rounds.lower(switches);
        // What the survey in front of it says of switches is true no more.
        outcome = { ...outcome, lastRemarks: null };
        rounds.meld();
        outcome = outcomeOf(rounds);
      } else if (asked === null) {
        outcome = { ...outcome, kept: [...rounds.made] };
        outcome = lowerIfItPays(options, rounds, switches, outcome);
      }
    } else outcome = { ...outcome, lastRemarks: withoutRounds(outcome.lastRemarks, rounds.melded) };
    // Where rounds are left out, the function is not yet what it will be.
    if (outcome.kept === null && outcome.judged.loss === null) rounds.hoist();
    rounds.last.editor[Symbol.dispose]();
    guide?.ended();
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    bailout = error.message;
  }
  const { kept, hoisting, judged, lastRemarks } = outcome;
  const made = kept ?? rounds.made;
  const log = {
    function: name,
    rounds: hoisting === null ? made : [...made, hoisting],
    gain: judged.gain,
    lastRemarks,
    bailout,
    history: recorder?.history(made, bailout) ?? null,
    isInPlace: bailout === null && kept === null,
  };
  return {
    log: judged.loss === null ? log : cutBack(log, 0, judged.loss),
    isSpoilt: bailout !== null && rounds.hasEdited,
  };
}

/** What there is to say where the number of rounds has ended melding: what would meld next does not. */
function withoutRounds(remarks: SurveyRemarks | null, count: number): SurveyRemarks | null {
  const why = `no more rounds: this would have been number ${count + 1}`;
  return refusedMelds(keptSwitches(remarks, why), why);
}

const outcomeOf = (rounds: MeldingRounds): Outcome => ({
  kept: null,
  hoisting: null,
  judged: rounds.judgement(),
  lastRemarks: rounds.last.remarks,
});

/**
 * Lowers switches and melds on. What does not pay is left out of the outcome, and what cannot pay is not tried.
 *
 * @param unlowered the outcome without that
 */
function lowerIfItPays(
  options: JobOptions,
  rounds: MeldingRounds,
  switches: readonly BlockId[],
  unlowered: Outcome,
): Outcome {
  const { pays, needed, most, why } = chainsWorth(options, rounds.last, switches);
  if (!pays && options.profit === 'net' && most <= needed)
    return keeping({ ...unlowered, kept: null }, `${why}, and there is too little in it that could meld`);
  const { snapshot } = rounds.last;
  const isTold = mayBecomeSelects(snapshot, switches) && areWeighed(snapshot, switches);
  // What guides, guides round by round, and this round is not made here.
  const hoisting = rounds.guide === null ? rounds.hoisting : null;
  const { net, melded } = rounds;
  const isAboutTime = pays && options.profit !== 'size';
  const apart = isAboutTime ? loadsApart(snapshot, rounds.last.analyses) : 0;
  rounds.lower(switches);
  const partsLoads = isAboutTime && loadsApart(rounds.last.snapshot, rounds.last.analyses) > apart;
  const withChains = [...rounds.made];
  rounds.meld();
  // Melds are judged without what metadata say of the switch: that is lost in the chain. Selects alone are not.
  const hasMelds = rounds.made.slice(withChains.length).some(({ melds }) => melds.length > 0);
  const gains = rounds.melded > melded && (hasMelds || !isTold);
  const isWorth = gains && (options.profit === 'paper' || rounds.net - net > needed);
  const lowered = isWorth ? outcomeOf(rounds) : null;
  // What pays without lowering is not lost because lowering does not.
  if (lowered !== null && (lowered.judged.loss === null || unlowered.judged.loss !== null)) return lowered;
  const gained = amount(rounds.net - net, options);
  if (pays && !partsLoads) {
    // The chains stay, without what would meld in them.
    const { remarks } = rounds.made[withChains.length] ?? rounds.last;
    const loss = lowered?.judged.loss ?? `all melds in chains of branches together save only ${gained}`;
    const lastRemarks = refusedMelds(remarks, loss);
    return { ...unlowered, kept: gains ? withChains : null, lastRemarks };
  }
  const saved = hasMelds ? `what melds in it saves ${gained}` : 'nothing melds in it';
  const reason = partsLoads ? PARTS_LOADS : `${why}, and ${saved}`;
  const kept = keeping(unlowered, lowered?.judged.loss ?? reason);
  return unlowered.judged.loss === null ? { ...kept, hoisting } : kept;
}

const PARTS_LOADS = 'in a chain of branches, loads that are on their way together would come one after the other';

const keeping = (outcome: Outcome, reason: string): Outcome => ({
  ...outcome,
  lastRemarks: keptSwitches(outcome.lastRemarks, reason),
});

const amount = (net: number, { profit }: JobOptions): string => `${net.toFixed(1)} ${netUnitOf(profit)}`;

/**
 * Whether chains pay in place of these switches although nothing melds in them; if not, what melds must gain, a bound
 * for what they can gain, and why.
 */
function chainsWorth(
  options: JobOptions,
  { snapshot, analyses, waves }: Survey,
  switches: readonly BlockId[],
): { pays: boolean; needed: number; most: number; why: string } {
  const { gain, least, needed, most } = worthOfLowering(snapshot, analyses, switches, netUnitOf(options.profit), waves);
  const pays = isJudgedByItself(options) && gain > least && !areWeighed(snapshot, switches);
  const difference = `${amount(Math.abs(gain), options)} ${gain < 0 ? 'more' : 'less'}`;
  const but =
    gain < 0
      ? ''
      : gain <= least
        ? `, and it must save at least ${amount(least, options)}`
        : `, but ${unjudged(options)}`;
  const why = `as a chain of branches it takes ${difference} than as the tree that code generation makes of it${but}`;
  return { pays, needed: pays ? 0 : needed, most, why };
}

/** Why chains that gain enough do not stay. */
const unjudged = (options: JobOptions): string =>
  isJudgedByItself(options)
    ? 'metadata say how often its cases are taken'
    : "LLVM's passes would make it a switch again";

/** Whether switches may become chains although nothing melds. Behind an early point they would be switches again. */
const isJudgedByItself = (options: JobOptions): boolean =>
  options.meld === 'darm' && options.profit !== 'paper' && !meldsEarly(options);
