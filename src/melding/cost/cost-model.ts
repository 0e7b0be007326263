/**
 * The constants of the cost model that do not depend on the target, in cycles unless a comment says otherwise.
 * target-costs.ts has those of the targets. docs/melding.md, rule 7, explains how they are used.
 */
export const CostModel = {
  /** Which of many drawings of the unknown waves are sampled from (wave-samples.ts): none is better than another. */
  drawing: 0,
  /** Per instruction that runs for every thread although not every thread needs it. */
  speculate: 0.25,
  /** The second guarded run of a group, as a share of the first: both share one diamond. */
  secondGuard: 0.75,
  /**
   * The longest run that is speculated, in instructions, and the most cycles that it may take. Measured, see
   * docs/melding.md, rule 4.
   */
  longestSpeculation: 8,
  speculationCycles: 48,
  /**
   * An LDS access that loses its constant offset, as a share of its issue: two of them no longer become one `ds_read2`.
   */
  lostLdsOffset: 0.5,
  /** An access that a smaller alignment splits: a share of the access per extra part. */
  splitAccess: 0.5,
  /**
   * Where a smaller subgraph stands in a larger one, the conditions inside divide the threads among more paths. The
   * loss, as a share of the work of both sides.
   */
  embedded: 0.025,
  /** A branch that is taken, and one that is not: what skipping work must spare (docs/cycle-model.md). */
  skipping: 24,
  /** How much more a loss in one kind of launch counts than a gain in another: the data may be of that kind always. */
  lossAversion: 8,
  /** Iterations of the shorter of two loops that become one, as a share of those of the longer. */
  iterations: 0.75,
  /** The same where threads leave a loop in different iterations. Set by hand, see docs/evaluation.md. */
  iterationsOfData: 0.5,
  /**
   * Per iteration of a loop whose uniform branch becomes divergent while LLVM may still unroll it: the indices of such
   * a loop no longer become constants.
   */
  lostUnrolling: 200,
  /** Keeps a pair when gains and costs are equal: fewer values are live. */
  pairBonus: 0.05,
  /** A meld must gain more than this, in cycles or bytes. This lets the rounds end. */
  leastNet: 0.5,
  /**
   * What a question about its own side costs a wave that agrees, and one before it about the other side: shares of what
   * it costs a wave that parts. Measured with the simulator.
   */
  ownQuestion: 0.25,
  otherQuestion: 0.75,
  /**
   * How much of the price of questions counts where melds pay anyway, and only which questions to ask is open: usually
   * other waves hide the rest. Set by hand, see docs/evaluation.md, "Data on which waves agree".
   */
  questionShare: 0.5,
  /**
   * There, what melds lose in a launch in which all waves agree counts too, however few of such launches are drawn:
   * what goes beyond this share of what a wave spends in the function at least. Set by hand.
   */
  acceptedRisk: 0.02,
  /**
   * What a wave that is alone may lose by the melds of a branch that cost one of many nothing, with aversion to losses:
   * a share of the work of what they meld. Less is within the error of the estimate. Set by hand, see
   * docs/evaluation.md.
   */
  acceptedAlone: 0.03,
  /**
   * How much more melds must be worth with questions than without in a side of a branch that could meld, too: a
   * question is convergent, so there it could not any more.
   */
  enclosedQuestion: 2.25,
  /**
   * What all melds of a branch must be worth: more than two vector instructions, and more than this share of the work
   * of what they meld. Anything less is within the error of the estimate.
   */
  leastWorth: 8,
  leastShare: 0.06,
  /** What all melds of a function must gain, as a share of what a wave spends in it. Chance does as much. */
  leastOfFunction: 0.025,
  /**
   * The same, with aversion to losses, where waves are asked: the estimate knows less of copied code. Of what a wave
   * spends at least. Fitted.
   */
  leastWithVersions: 0.08,
  /** The same of all hoisted sides together: the estimate knows less of them. Fitted. */
  leastOfHoisting: 0.06,
} as const;

/** A gain as it is; of a loss, what goes beyond `small` counts `lossAversion` times. */
export const averse = (gain: number, small = 0): number =>
  gain >= -small ? gain : CostModel.lossAversion * gain + (CostModel.lossAversion - 1) * small;
