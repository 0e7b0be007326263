/**
 * Melding of one function of a module, round by round until nothing is left that pays: survey it (snapshot → analyses →
 * plan), carry the plan out, survey again. What is done is logged.
 */
import { brokenUniformDemands } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import type { EditLog, LogRound, SurveyRemarks } from '../job/edit-log.js';
import { HopelessBlocks } from '../melding/decide/hopeless-blocks.js';
import { loweredSwitches, loweringCost } from '../melding/decide/switches.js';
import { carryOut } from './carry-out.js';
import type { Compilation } from './compilation.js';
import type { Guide } from './guide.js';
import { HistoryRecorder, type FunctionTexts } from './record-history.js';
import { surveyFunction, type Survey } from './survey.js';

/** Melding stops here even if the cost model should go round in circles. */
const MOST_ROUNDS = 64;

/**
 * Melds one function to the fixpoint. If divergent switches are left, it then lowers them to branches and melds once
 * more, and takes that back unless melding gains more than the chains of compares cost. A failure leaves the rounds
 * that went well and the reason.
 *
 * @throws PlanMisfit
 * @param texts null unless a report is wanted
 */
export function meldFunction(
  compilation: Compilation,
  module: LlvmModule,
  name: string,
  texts: FunctionTexts | null,
): Omit<EditLog, 'position' | 'planMisfit'> {
  const recorder = texts && new HistoryRecorder(module, name, texts);
  const guide = compilation.guideFor(module, name);
  const melding = new FunctionMelding(compilation, module, name, recorder, guide);
  const { rounds } = melding;
  /** The rounds before switches were lowered, while it is not known that lowering pays. */
  let kept: readonly LogRound[] | null = null;
  let lastRemarks: SurveyRemarks | null = null;
  const log = (bailout: string | null) => {
    const made = kept ?? rounds;
    return { function: name, rounds: made, lastRemarks, bailout, history: recorder?.history(made, bailout) ?? null };
  };
  try {
    let last = melding.run();
    if (melding.mayGoOn) lastRemarks = last.remarks;
    const switches = melding.mayGoOn ? loweredSwitches(last.snapshot, last.analyses) : [];
    const asked = switches.length > 0 ? (guide?.lowers(last, switches) ?? null) : null;
    if (switches.length > 0 && asked !== false) {
      kept = asked ? null : [...rounds];
      const cost = loweringCost(last.snapshot, last.analyses, switches);
      const { net, melded } = melding;
      melding.lower(last, switches);
      last = melding.run();
      const gains = melding.melded > melded;
      if (asked || (gains && (compilation.options.profit === 'paper' || melding.net - net > cost))) {
        kept = null;
        lastRemarks = last.remarks;
      }
    }
    last.editor[Symbol.dispose]();
    guide?.ended();
    return { ...log(null), isInPlace: kept === null };
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    return { ...log(error.message), isInPlace: false };
  }
}

class FunctionMelding {
  readonly rounds: LogRound[] = [];
  /** Sum of what the melds save, in the cost model's cycles. */
  net = 0;
  /** How many rounds held melds. */
  melded = 0;
  #demandsBroken: number | null = null;
  readonly #hopeless = new HopelessBlocks();

  constructor(
    private readonly compilation: Compilation,
    private readonly module: LlvmModule,
    private readonly name: string,
    private readonly recorder: HistoryRecorder | null,
    private readonly guide: Guide | null,
  ) {}

  /** Melds until nothing is left that pays; returns the last survey. */
  run(): Survey {
    let survey = this.#survey();
    for (; this.mayGoOn && survey.plan.melds.length > 0; survey = this.#survey()) {
      const { melds, versions } = survey.plan;
      this.#carryOut(survey, { lowered: [], versions, melds });
      this.melded++;
      for (const { net } of melds) this.net += net;
    }
    return survey;
  }

  /** Makes divergent switches branches. */
  lower(survey: Survey, switches: readonly BlockId[]): void {
    this.#carryOut(survey, { lowered: switches, versions: [], melds: [] });
  }

  get mayGoOn(): boolean {
    return this.melded < (this.compilation.options.once ? 1 : MOST_ROUNDS);
  }

  #survey(): Survey {
    const { compilation, module, name, recorder, guide } = this;
    const { watch, options } = compilation;
    const survey = watch.time('meld', () => surveyFunction(module, name, options, recorder, this.#hopeless, guide));
    // The planner forecasts that no operand which the target wants uniform becomes divergent. Here it shows
    // (docs/melding.md).
    const broken = brokenUniformDemands(survey.snapshot, survey.analyses.divergence);
    if (this.#demandsBroken !== null && broken > this.#demandsBroken) {
      this.rounds.pop();
      throw new DarmError('internal', 'an operand that must be uniform became divergent');
    }
    this.#demandsBroken = broken;
    return survey;
  }

  #carryOut(survey: Survey, edits: Pick<LogRound, 'lowered' | 'versions' | 'melds'>): void {
    const round = { fingerprint: survey.fingerprint, remarks: survey.remarks, ...edits };
    carryOut(this.module, { open: survey, round, watch: this.compilation.watch, recorder: this.recorder });
    this.rounds.push(round);
  }
}
