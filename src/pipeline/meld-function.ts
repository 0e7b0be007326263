/**
 * Melding of one function of a module, round by round until nothing is left that pays: survey it (snapshot → analyses →
 * plan), carry the plan out, survey again. What is done is logged.
 */
import { brokenUniformDemands } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import { expectedGain, type ExpectedCycles } from '../melding/cost/expected-cycles.js';
import type { EditLog, LogRound, SurveyRemarks } from '../job/edit-log.js';
import type { JobOptions } from '../job/options.js';
import { HopelessBlocks } from '../melding/decide/hopeless-blocks.js';
import { netUnitOf } from '../melding/plan.js';
import { leastGainOfLowering, loweredSwitches, loweringCost, loweringGain } from '../melding/decide/switches.js';
import { carryOut } from './carry-out.js';
import type { Compilation } from './compilation.js';
import { finalCycles, lossOf, mayLose } from './function-gain.js';
import type { Guide } from './guide.js';
import { liveWords, lossOfWaves } from './lost-waves.js';
import { meldsEarly } from './passes.js';
import { HistoryRecorder, type FunctionTexts } from './record-history.js';
import { surveyFunction, type Survey } from './survey.js';
import { cutBack } from './take-back.js';

/** Melding stops here even if the cost model should go round in circles. */
const MOST_ROUNDS = 64;

/**
 * Melds one function to the fixpoint. If divergent switches are left, it then lowers them to branches and melds once
 * more. It takes these melds back unless they gain more than the chains of compares cost, and the chains, too, unless
 * they are cheaper than the switches. Early melds are taken back unless they gain more than LLVM's later passes do
 * (function-gain.ts), late ones unless they are worth the waves that they cost (lost-waves.ts). A failure leaves the
 * rounds that went well, which nobody judges then, and the reason.
 *
 * @throws PlanMisfit
 */
export function meldFunction(
  compilation: Compilation,
  module: LlvmModule,
  name: string,
  texts: FunctionTexts,
): Omit<EditLog, 'position' | 'planMisfit'> {
  const recorder = compilation.options.report ? new HistoryRecorder(module, name, texts) : null;
  const guide = compilation.guideFor(module, name);
  const melding = new FunctionMelding(compilation, module, name, recorder, guide);
  const { rounds } = melding;
  /** The rounds before switches were lowered, while it is not known that lowering pays. */
  let kept: readonly LogRound[] | null = null;
  /** What else is done where lowering is taken back; the report's pages do not show it. */
  let hoisting: readonly LogRound[] = [];
  let lastRemarks: SurveyRemarks | null = null;
  let judged: Judgement = UNJUDGED;
  const log = (bailout: string | null) => {
    const made = kept ?? rounds;
    const history = recorder?.history(made, bailout) ?? null;
    return { function: name, rounds: [...made, ...hoisting], gain: judged.gain, lastRemarks, bailout, history };
  };
  try {
    let last = melding.run();
    judged = melding.judgement(last);
    if (melding.mayGoOn) lastRemarks = last.remarks;
    const switches = melding.mayGoOn ? loweredSwitches(last.snapshot, last.analyses) : [];
    const asked = switches.length > 0 ? (guide?.lowers(last, switches) ?? null) : null;
    if (switches.length > 0 && asked !== false) {
      kept = asked ? null : [...rounds];
      const { pays, needed } = worthOfLowering(compilation.options, last, switches, () => texts.hasWeighedSwitch(name));
      // What guides, guides round by round, and these rounds are not made here.
      const unlowered = guide === null ? melding.hoisting(last) : [];
      const { net, melded } = melding;
      melding.lower(last, switches);
      const withoutMelds = [...rounds];
      last = melding.run();
      const gains = melding.melded > melded;
      const wanted = asked || (gains && (compilation.options.profit === 'paper' || melding.net - net > needed));
      const after = wanted ? melding.judgement(last) : null;
      // What pays without lowering is not lost because lowering does not.
      if (after !== null && (asked || after.loss === null || judged.loss !== null)) {
        kept = null;
        lastRemarks = last.remarks;
        judged = after;
      } else if (pays) kept = gains ? withoutMelds : null;
      if (kept !== null && kept !== withoutMelds && judged.loss === null) hoisting = unlowered;
    }
    // Where rounds are left out, the function is not yet what it will be.
    if (kept === null && judged.loss === null) last = melding.hoist(last);
    last.editor[Symbol.dispose]();
    guide?.ended();
    return judged.loss === null ? { ...log(null), isInPlace: kept === null } : cutBack(log(null), 0, judged.loss);
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    const made = log(error.message);
    return judged.loss === null ? { ...made, isInPlace: false } : cutBack(made, 0, judged.loss);
  }
}

/**
 * Whether chains pay in place of these switches although nothing melds in them, and what melds must gain if not.
 *
 * @param isWeighed whether metadata say how likely cases are: the chain does not keep that
 */
function worthOfLowering(
  options: JobOptions,
  { snapshot, analyses }: Survey,
  switches: readonly BlockId[],
  isWeighed: () => boolean,
): { pays: boolean; needed: number } {
  const unit = netUnitOf(options.profit);
  const cost = loweringCost(snapshot, analyses, switches, unit);
  const gain = loweringGain(snapshot, analyses, switches, unit);
  const pays = isJudgedByItself(options) && gain > leastGainOfLowering(snapshot, analyses, unit) && !isWeighed();
  return { pays, needed: pays ? cost - gain : cost };
}

/** Whether switches may become chains although nothing melds. Behind an early point they would be switches again. */
const isJudgedByItself = (options: JobOptions): boolean =>
  options.meld === 'darm' && options.profit !== 'paper' && !meldsEarly(options);

/** What the cost model says about all melds of a function together. */
interface Judgement {
  readonly gain: number;
  /** Why they are taken back, or null. */
  readonly loss: string | null;
}

const UNJUDGED: Judgement = { gain: 1, loss: null };

class FunctionMelding {
  readonly rounds: LogRound[] = [];
  /** Sum of what the melds save, by the cost model. */
  net = 0;
  /** How many rounds held melds. */
  melded = 0;
  /** Of the function without melds; null until it holds some, and where they are not judged as a whole. */
  #unmelded: ExpectedCycles | null = null;
  /** How much is live in the function without melds; null where their registers are not judged. */
  #unmeldedLive: number | null = null;
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
      this.#carryOut(survey, { lowered: [], versions, melds, hoisted: [] });
      this.melded++;
      for (const { net } of melds) this.net += net;
    }
    return survey;
  }

  /** Makes divergent switches branches. */
  lower(survey: Survey, switches: readonly BlockId[]): void {
    this.#carryOut(survey, { lowered: switches, versions: [], melds: [], hoisted: [] });
  }

  /** The round that hoists sides where nothing melds any more, by the plan of the last survey. Empty without any. */
  hoisting({ plan: { hoisted }, fingerprint, remarks }: Survey): LogRound[] {
    if (!this.mayGoOn || hoisted.length === 0 || this.guide?.hoists() === false) return [];
    return [{ fingerprint, remarks, lowered: [], versions: [], melds: [], hoisted }];
  }

  /** Carries that round out; returns the last survey then. */
  hoist(last: Survey): Survey {
    const [round] = this.hoisting(last);
    if (round === undefined) return last;
    this.#carryOut(last, round);
    return this.#survey();
  }

  /** @param last the survey behind the last round */
  judgement(last: Survey): Judgement {
    const { compilation, module } = this;
    if (this.rounds.length === 0) return UNJUDGED;
    const live = this.#unmeldedLive;
    const lostWaves =
      live === null ? null : compilation.watch.time('meld', () => lossOfWaves(compilation, module, last, live));
    if (this.#unmelded === null) return { ...UNJUDGED, loss: lostWaves };
    const melded = this.#finalCycles()!;
    const loss = mayLose(compilation.options) ? lossOf(this.#unmelded, melded) : lostWaves;
    return { gain: expectedGain(this.#unmelded, melded), loss };
  }

  /** Null where nobody asks. A plan has measured what it says. */
  #finalCycles(): ExpectedCycles | null {
    const { options, watch, judges } = this.compilation;
    if (!judges || this.guide !== null) return null;
    return watch.time('meld', () => finalCycles(this.module, this.name, options));
  }

  #noteUnmelded(survey: Survey, { hoisted }: Pick<LogRound, 'hoisted'>): void {
    const { compilation, module, guide } = this;
    this.#unmelded = this.#finalCycles();
    // A plan has measured what it says. Hoisted sides are not judged with the melds.
    if (guide === null && hoisted.length === 0)
      this.#unmeldedLive = compilation.watch.time('meld', () => liveWords(compilation, module, survey));
  }

  get mayGoOn(): boolean {
    return this.melded < (this.compilation.options.once ? 1 : MOST_ROUNDS);
  }

  #survey(): Survey {
    const { compilation, module, name, recorder, guide } = this;
    const { watch, options } = compilation;
    const earlier = { hopeless: this.#hopeless, guide, gained: this.net };
    const survey = watch.time('meld', () => surveyFunction(module, name, options, recorder, earlier));
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

  #carryOut(survey: Survey, edits: Pick<LogRound, 'lowered' | 'versions' | 'melds' | 'hoisted'>): void {
    if (this.rounds.length === 0) this.#noteUnmelded(survey, edits);
    const round = { fingerprint: survey.fingerprint, remarks: survey.remarks, ...edits };
    carryOut(this.module, { open: survey, round, watch: this.compilation.watch, recorder: this.recorder });
    this.rounds.push(round);
  }
}
