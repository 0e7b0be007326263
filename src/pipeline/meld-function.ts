/**
 * Melding of one function of a module, to the fixpoint: look (snapshot → analyses → plan), carry out, tidy, verify, look
 * again. What was done is logged (and recorded for a report, where one is wanted); replaying the log on another copy of the module makes the same calls into LLVM.
 */
import { brokenUniformDemands } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { lookRemarks } from './collect-remarks.js';
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import { applyMelds } from '../melding/apply/apply-melds.js';
import { analysesOf } from '../analysis/analyses.js';
import type { FunctionPlan, PlanOptions } from '../melding/plan.js';
import { planFunction } from '../melding/decide/plan-function.js';
import { loweredSwitches, loweringCost } from '../melding/decide/switches.js';
import type { JobOptions } from '../job/options.js';
import { meldsEarly } from './passes.js';
import { HistoryRecorder, type FunctionTexts } from './record-history.js';
import type { Stopwatch } from './stopwatch.js';
import { verifyAnalyses } from './verify-analyses.js';
import type { EditLog, LogRound, LookRemarks } from '../job/results.js';

/** Melding stops here even if the cost model should go round in circles. */
const MOST_ROUNDS = 64;

function planOptions(options: JobOptions): PlanOptions {
  const { meld, profit, threshold, regionReplication, unpredicate } = options;
  // An analysis with melding off says what melding would do.
  const mode = meld === 'off' ? 'darm' : meld;
  return { mode, profit, threshold, regionReplication, unpredicate, optimizesLater: meldsEarly(options) };
}

/** What there is to meld in a function as it is now; the caller disposes of the editor. */
export function lookAt(module: LlvmModule, name: string, options: JobOptions, recorder: HistoryRecorder | null) {
  const open = module.open(name);
  const analyses = analysesOf(open.snapshot);
  if (options.verifyAnalyses) verifyAnalyses(open.snapshot, analyses, module.oracle(name));
  const plan: FunctionPlan = planFunction(open.snapshot, analyses, planOptions(options), (t, f) =>
    open.editor.canPair(t, f),
  );
  const look = { ...open, analyses, plan };
  const picture = recorder?.look(look) ?? null;
  return { ...look, picture, remarks: options.remarks ? lookRemarks(module, name, look) : null };
}

/** Carries out one round and checks the function. */
function carryOut(
  module: LlvmModule,
  name: string,
  round: LogRound,
  watch: Stopwatch,
  open = module.open(name),
  recorder: HistoryRecorder | null = null,
): void {
  using editor = open.editor;
  if (open.fingerprint !== round.fingerprint)
    throw new DarmError('internal', `the edit log of '${name}' belongs to another function body`);
  watch.time('meld', () => {
    for (const block of round.lowered) editor.lowerSwitch(editor.block(block));
    applyMelds(editor, round.melds, recorder);
  });
  // LLVM's passes may take for granted what the verifier checks.
  watch.time('verify', () => module.verify(name));
  // Nothing to tidy up: the chain is as melding wants it.
  if (round.lowered.length > 0) return;
  watch.time('meld', () => {
    module.shareAddressSelects(name);
    module.tidy(name);
  });
}

/** Melding of one function, round by round. */
class FunctionMelding {
  readonly rounds: LogRound[] = [];
  /** Sum of what the melds save, in the cost model's cycles. */
  net = 0;
  /** How many rounds held melds. */
  melded = 0;
  private demandsBroken: number | null = null;

  constructor(
    private readonly module: LlvmModule,
    private readonly name: string,
    private readonly options: JobOptions,
    private readonly watch: Stopwatch,
    private readonly recorder: HistoryRecorder | null,
  ) {}

  /** Melds until nothing is left that pays; returns the last look. */
  run(): Look {
    let look = this.look();
    for (; this.mayGoOn && look.plan.melds.length > 0; look = this.look()) {
      const { melds } = look.plan;
      this.carryOut(look, { lowered: [], melds });
      this.melded++;
      for (const { net } of melds) this.net += net;
    }
    return look;
  }

  /** Makes divergent switches branches. */
  lower(look: Look, switches: readonly BlockId[]): void {
    this.carryOut(look, { lowered: switches, melds: [] });
  }

  get mayGoOn(): boolean {
    return this.melded < (this.options.once ? 1 : MOST_ROUNDS);
  }

  private look(): Look {
    const look = this.watch.time('meld', () => lookAt(this.module, this.name, this.options, this.recorder));
    // The planner forecasts that no operand the target wants uniform becomes divergent; here it shows (rule 2).
    const broken = brokenUniformDemands(look.snapshot, look.analyses.divergence);
    if (this.demandsBroken !== null && broken > this.demandsBroken) {
      this.rounds.pop();
      throw new DarmError('internal', 'an operand that must be uniform became divergent');
    }
    this.demandsBroken = broken;
    return look;
  }

  private carryOut(look: Look, edits: Pick<LogRound, 'lowered' | 'melds'>): void {
    const round = { fingerprint: look.fingerprint, look: look.remarks, ...edits };
    carryOut(this.module, this.name, round, this.watch, look, this.recorder);
    this.rounds.push(round);
  }
}

type Look = ReturnType<typeof lookAt>;

/**
 * Melds one function to the fixpoint; then, if divergent switches are left, once more with those lowered to branches, and
 * takes that back unless melding gains more than a chain of compares costs. A failure leaves the rounds that went well and
 * the reason.
 */
export function meldFunction(
  module: LlvmModule,
  name: string,
  options: JobOptions,
  watch: Stopwatch,
  texts: FunctionTexts | null,
): Omit<EditLog, 'position'> {
  const recorder = texts && new HistoryRecorder(module, name, texts);
  const melding = new FunctionMelding(module, name, options, watch, recorder);
  const { rounds } = melding;
  let kept: readonly LogRound[] | null = null;
  let lastLook: LookRemarks | null = null;
  const log = (bailout: string | null) => {
    const made = kept ?? rounds;
    return { function: name, rounds: made, lastLook, bailout, history: recorder?.history(made, bailout) ?? null };
  };
  try {
    let last = melding.run();
    if (melding.mayGoOn) lastLook = last.remarks;
    const switches = melding.mayGoOn ? loweredSwitches(last.snapshot, last.analyses) : [];
    if (switches.length > 0) {
      kept = [...rounds];
      const cost = loweringCost(last.snapshot, last.analyses, switches);
      const { net, melded } = melding;
      melding.lower(last, switches);
      last = melding.run();
      const pays = melding.melded > melded && (options.profit === 'paper' || melding.net - net > cost);
      if (pays) {
        kept = null;
        lastLook = last.remarks;
      }
    }
    last.editor[Symbol.dispose]();
    return { ...log(null), isInPlace: kept === null };
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    return { ...log(error.message), isInPlace: false };
  }
}

/** Carries out a log, with the calls into LLVM that `meldFunction` made, its last look included. */
export function replayLog(module: LlvmModule, { function: name, rounds, bailout }: EditLog, watch: Stopwatch): void {
  for (const round of rounds) carryOut(module, name, round, watch);
  if (bailout === null) module.open(name).editor[Symbol.dispose]();
}
