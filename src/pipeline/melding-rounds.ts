/**
 * The rounds of one function: survey it (snapshot → analyses → plan), carry the plan out, survey again. What is done is
 * logged, and judged as a whole.
 */
import { brokenUniformDemands } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import type { LogRound } from '../job/edit-log.js';
import type { JobOptions } from '../job/options.js';
import { expectedCycles, expectedGain } from '../melding/cost/expected-cycles.js';
import { HopelessBlocks } from '../melding/decide/hopeless-blocks.js';
import type { PlanInputs } from '../melding/decide/plan-function.js';
import { isTrialWorth } from '../melding/decide/whole-function.js';
import type { ExpectedCycles, FunctionPlan } from '../melding/plan.js';
import { carryOut } from './carry-out.js';
import { surveyRemarks } from './collect-remarks.js';
import type { Compilation } from './compilation.js';
import { finalCycles, lossOf, mayLose } from './function-gain.js';
import type { Guide } from './guide.js';
import { beforeMelds, lossOfWaves, type BeforeMelds } from './lost-waves.js';
import type { HistoryRecorder } from './record-history.js';
import { planOpen, surveyFunction, type Foreseen, type Survey } from './survey.js';

/** Melding stops here even if the cost model should go round in circles. */
const MOST_ROUNDS = 64;

/** Branches with doubtful melds, one behind the other, while waves that part lose by all that melds with them. */
const MOST_DOUBTFUL = 2;

/** What the cost model says about all melds of a function together. */
export interface Judgement {
  /** How much faster they make it; 1 where nobody asks. */
  readonly gain: number;
  /** Why they are taken back, or null. */
  readonly loss: string | null;
}

export const UNJUDGED: Judgement = { gain: 1, loss: null };

type Edits = Pick<LogRound, 'lowered' | 'versions' | 'melds' | 'hoisted' | 'flattened'>;

const NO_EDITS: Edits = { lowered: [], versions: [], melds: [], hoisted: [], flattened: [] };

export class MeldingRounds {
  readonly made: LogRound[] = [];
  /** Sum of what the melds save, by the cost model. */
  net = 0;
  /** How many rounds held melds. */
  melded = 0;
  /** Whether the function may be other than it was read. */
  hasEdited = false;
  #last: Survey | null = null;
  /** Of the function without melds; null until it holds some, and where they are not judged as a whole. */
  #unmelded: ExpectedCycles | null = null;
  /** What the function needs and takes without melds; null where their registers are not judged. */
  #beforeMelds: BeforeMelds | null = null;
  #demandsBroken: number | null = null;
  /** Whether doubtful melds are among the rounds: then the whole function gains more than rounds must. */
  #isDoubtful = false;
  /** Whether waves may be asked about branches; null: that is not decided yet. */
  #asks: boolean | null = null;
  /** What surveys have planned here, and what the next ones will plan: a trial has found that out. */
  readonly #planned: Foreseen[] = [];
  #foreseen: readonly Foreseen[] = [];
  #hopeless = new HopelessBlocks();

  constructor(
    private readonly compilation: Compilation,
    private readonly module: LlvmModule,
    private readonly name: string,
    private readonly recorder: HistoryRecorder | null,
    readonly guide: Guide | null,
  ) {}

  /** The survey behind the last round. */
  get last(): Survey {
    return this.#last!;
  }

  get mayGoOn(): boolean {
    return this.#roundsLeft > 0;
  }

  /** Melds until nothing is left that pays, by itself or with what melds behind it. */
  meld(): void {
    if (this.#last === null) this.#survey();
    this.#meldOn();
    while (this.#doubtfulPay()) this.#meldDoubtful();
  }

  get #roundsLeft(): number {
    return (this.compilation.options.once ? 1 : MOST_ROUNDS) - this.melded;
  }

  #meldOn(): void {
    for (;;) {
      if (this.last.plan.asksByModel && this.#asks === null) this.#decideQuestions();
      const { melds, versions, flattened } = this.last.plan;
      if (!this.mayGoOn || melds.length + flattened.length === 0) break;
      this.#carryOut({ ...NO_EDITS, versions, melds, flattened });
      this.melded++;
      for (const { net } of [...melds, ...flattened]) this.net += net;
      this.#survey();
    }
  }

  /** Carries out doubtful melds, and melds on behind them; with a second branch, if that saves nothing yet. */
  #meldDoubtful(): void {
    const { net: before } = this;
    for (let k = 0; k === 0 || (k < MOST_DOUBTFUL && this.net < before); k++) {
      const { doubtful } = this.last.plan;
      if (doubtful === null || !this.#mayTry) return;
      this.#planInstead(doubtful);
      this.#isDoubtful = true;
      this.#meldOn();
    }
  }

  /** Changes what the last survey has planned. */
  #planInstead(changes: Partial<FunctionPlan>): void {
    const { module, name, recorder, guide, last } = this;
    const planned = { ...last, plan: { ...last.plan, ...changes } };
    guide?.planned(planned, planned.plan);
    const picture = recorder?.replan(planned.plan.candidates) ?? null;
    const remarks = last.remarks && surveyRemarks(module, name, planned);
    this.#last = { ...planned, picture, remarks };
  }

  /** Tries doubtful melds, if there are any, and what melds behind them. */
  #doubtfulPay(): boolean {
    const { doubtful, expected } = this.last.plan;
    if (!this.#mayTry || doubtful === null) return false;
    const { result, planned } = this.#try((trial) => {
      trial.#meldDoubtful();
      return trial.#expectedIfBetter(expected!) !== null;
    });
    if (result) this.#foresee(planned);
    return result;
  }

  /**
   * Questions cost waves that part, and can be in the way: what is asked has less in common with what is not. So,
   * before the first ones, melding is tried without any and, if that pays, with them. Without questions, waves that
   * agree lose what these would have spared them, so much must be gained; and by several rounds, with those before,
   * since of a single one the planner has compared both at each branch.
   */
  #decideQuestions(): void {
    const { last } = this;
    this.#asks = true;
    const inputs = { ...this.#earlier(true), waves: last.waves };
    const plan = this.compilation.watch.time('meld', () => planOpen(last, this.#withoutQuestions, inputs));
    if (plan.melds.length + plan.flattened.length === 0) return;
    const unasked = this.#try((trial) => {
      trial.#forgoQuestions(plan);
      trial.#meldOn();
      return trial.made.length < 2 ? null : trial.#expectedIfBetter(last.plan.expected!);
    });
    if (unasked.result === null) return;
    const asked = this.#try((trial) => {
      trial.#meldOn();
      // What would be taken back gains nothing.
      return trial.judgement().loss === null ? trial.#expected : last.plan.expected!;
    });
    const forgoes = isTrialWorth(asked.result, unasked.result);
    if (forgoes) this.#forgoQuestions(plan);
    this.#foresee((forgoes ? unasked : asked).planned);
  }

  /** @param plan of the next round, like all that follow: without questions */
  #forgoQuestions(plan: FunctionPlan): void {
    this.#asks = false;
    this.#planInstead(plan);
  }

  /**
   * Goes on in some way and tells what comes of it. Leaves no trace. No guide is asked, and what a guide decides later
   * may differ. A failure here is one of ours, and ends the rounds like any other.
   */
  #try<Result>(goOn: (trial: MeldingRounds) => Result): { result: Result; planned: readonly Foreseen[] } {
    const { compilation, module, name } = this;
    const trial = new MeldingRounds(compilation, module, name, null, null);
    const attempt = (): Result => {
      trial.#continue(this);
      return goOn(trial);
    };
    return { result: compilation.watch.time('meld', () => module.peek(attempt)), planned: trial.#planned };
  }

  /** Lets the next surveys plan what those of a trial have planned, unless a guide may have something else in mind. */
  #foresee(planned: readonly Foreseen[]): void {
    if (this.guide === null) this.#foreseen = planned;
  }

  /** What a wave spends in the function now; null unless that pays, and is not worse for another reason. */
  #expectedIfBetter(before: ExpectedCycles): ExpectedCycles | null {
    const now = this.#expected;
    return isTrialWorth(before, now) && this.judgement().loss === null ? now : null;
  }

  get #expected(): ExpectedCycles {
    const { snapshot, analyses } = this.last;
    return expectedCycles(snapshot, analyses);
  }

  /** Whether there is room for doubtful melds and others behind them. */
  get #mayTry(): boolean {
    return this.#roundsLeft > 1;
  }

  /** Goes on where other rounds of the same function are, and leaves these as they are. */
  #continue(others: MeldingRounds): void {
    this.made.push(...others.made);
    this.net = others.net;
    this.melded = others.melded;
    this.#last = { ...others.last, ...this.module.open(this.name) };
    this.#unmelded = others.#unmelded;
    this.#beforeMelds = others.#beforeMelds;
    this.#demandsBroken = others.#demandsBroken;
    this.#isDoubtful = others.#isDoubtful;
    this.#asks = others.#asks;
    this.#hopeless = others.#hopeless;
  }

  /** Makes divergent switches branches, and looks at what they are then. */
  lower(switches: readonly BlockId[]): void {
    this.#carryOut({ ...NO_EDITS, lowered: switches });
    this.#survey();
  }

  /** The round that hoists sides where nothing melds any more, by the cost model. Null without any. */
  get hoisting(): LogRound | null {
    const { hoisted } = this.last.plan;
    return this.mayGoOn && hoisted.length > 0 ? this.#round({ ...NO_EDITS, hoisted }) : null;
  }

  /** Carries that round out, unless a guide does not want it. */
  hoist(): void {
    const round = this.hoisting;
    if (round === null || this.guide?.hoists() === false) return;
    this.#carryOut(round);
    this.#survey(false);
  }

  judgement(): Judgement {
    const { compilation, module, last } = this;
    if (this.made.length === 0) return UNJUDGED;
    const before = this.#beforeMelds;
    const lostWaves =
      before === null ? null : compilation.watch.time('meld', () => lossOfWaves(compilation, module, last, before));
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

  #noteUnmelded({ hoisted }: Edits): void {
    const { compilation, module, guide, last } = this;
    this.#unmelded = this.#finalCycles();
    // A plan has measured what it says. Hoisted sides are not judged with the melds.
    if (guide === null && hoisted.length === 0)
      this.#beforeMelds = compilation.watch.time('meld', () => beforeMelds(compilation, module, last));
  }

  #survey(mayTry = this.#mayTry): void {
    const { compilation, module, name, recorder, guide } = this;
    const [foreseen = null, ...others] = this.#foreseen;
    this.#foreseen = others;
    const earlier = { guide, foreseen, ...this.#earlier(mayTry) };
    const survey = compilation.watch.time('meld', () => surveyFunction(module, name, this.#options, recorder, earlier));
    this.#last = survey;
    if (foreseen !== null && survey.plan !== foreseen.plan) this.#foreseen = [];
    this.#planned.push({ fingerprint: survey.fingerprint, plan: survey.plan });
    // The planner forecasts that no operand which the target wants uniform becomes divergent. Here it shows
    // (docs/melding.md).
    const broken = brokenUniformDemands(survey.snapshot, survey.analyses.divergence);
    if (this.#demandsBroken !== null && broken > this.#demandsBroken) {
      this.made.pop();
      throw new DarmError('internal', 'an operand that must be uniform became divergent');
    }
    this.#demandsBroken = broken;
  }

  /** What earlier rounds leave to the planner. */
  #earlier(mayTry: boolean): PlanInputs {
    return { hopeless: this.#hopeless, gained: this.#isDoubtful ? Infinity : this.net, mayTry };
  }

  get #options(): JobOptions {
    return this.#asks === false ? this.#withoutQuestions : this.compilation.options;
  }

  get #withoutQuestions(): JobOptions {
    return { ...this.compilation.options, versions: 'never' };
  }

  #round(edits: Edits): LogRound {
    const { fingerprint, remarks } = this.last;
    return { fingerprint, remarks, ...edits };
  }

  #carryOut(edits: Edits): void {
    if (this.made.length === 0) this.#noteUnmelded(edits);
    const round = this.#round(edits);
    this.hasEdited = true;
    carryOut(this.module, { open: this.last, round, watch: this.compilation.watch, recorder: this.recorder });
    this.made.push(round);
  }
}
