/**
 * One job on its way through LLVM: its bytes, its options, its runtime, and whom it tells what happens. Its methods are
 * the steps that compile.ts, analyze.ts, settle.ts and trial.ts have in common.
 */
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { DarmError } from '../errors.js';
import { hasEdits, meldedFunctions, type EditLog } from '../job/edit-log.js';
import type { Events } from '../job/events.js';
import type { JobOptions } from '../job/options.js';
import { parsePlan } from '../job/tuned-plan.js';
import { parseTargetId } from '../job/target-id.js';
import { replayLog } from './carry-out.js';
import { hasCalls } from '../ir/snapshot.js';
import { functionsOfFailures } from './failure-functions.js';
import { mayLose } from './function-gain.js';
import { PlanGuide, type Guide } from './guide.js';
import { spareBodies } from './kernel-bodies.js';
import { beforeEarlyMeld, beforeLateMeld, defaultPipeline, meldsEarly } from './passes.js';
import { Stopwatch } from './stopwatch.js';

/** Who decides about the melds of a function; null: the cost model. */
type Guides = (module: LlvmModule, name: string) => Guide | null;

interface CompilationStart {
  readonly guides?: Guides;
  /** Whether the passes in front of the meld point have run. */
  readonly isAtMeldPoint?: boolean;
  /**
   * Whether the melds of each function are judged together (function-gain.ts). By default, if they are early ones that
   * the model chose.
   */
  readonly judges?: boolean;
  /**
   * Whether melds may be judged by the code that LLVM generates (lost-waves.ts). Not where generating code has failed.
   */
  readonly generates?: boolean;
}

export class Compilation {
  readonly watch = new Stopwatch();
  readonly #guides: Guides;
  readonly #isAtMeldPoint: boolean;
  readonly judges: boolean;
  readonly generates: boolean;
  /** The functions whose plans do not fit, and why. */
  readonly misfits = new Map<string, string>();

  /** @param start by default, a module of a user's, and the guides of the options' plan */
  constructor(
    private readonly runtime: LlvmRuntime,
    private readonly bytes: Uint8Array,
    readonly options: JobOptions,
    readonly events: Events,
    {
      guides = guidesOf(options),
      isAtMeldPoint = false,
      judges = mayLose(options),
      generates = true,
    }: CompilationStart = {},
  ) {
    this.#guides = guides;
    this.#isAtMeldPoint = isAtMeldPoint;
    this.judges = judges;
    this.generates = generates;
  }

  guideFor(module: LlvmModule, name: string): Guide | null {
    return this.misfits.has(name) ? null : this.#guides(module, name);
  }

  /** Lets go of everything that was done. */
  startOver(): void {
    this.watch.time('reset', () => this.runtime.reset());
  }

  /** The same job without a plan, and with a stopwatch of its own. */
  unplanned(): Compilation {
    return new Compilation(this.runtime, this.bytes, { ...this.options, plan: null }, this.events);
  }

  /** The same job with the late meld point. */
  late(): Compilation {
    return new Compilation(this.runtime, this.bytes, { ...this.options, meldPoint: 'late' }, this.events);
  }

  /** The module at the point where melding looks at it. */
  readAtMeldPoint(): LlvmModule {
    const module = this.#read();
    if (this.#isAtMeldPoint) return module;
    if (meldsEarly(this.options)) this.#runPasses(module, beforeEarlyMeld(module.isAmdgcn));
    else {
      this.#optimize(module);
      this.#runPasses(module, beforeLateMeld(module.isAmdgcn));
    }
    return module;
  }

  /**
   * Whether a module in which nothing melds must be made again, because the passes in front of melding changed it.
   * NVPTX's code generation begins with the one in front of a late meld: so not where only code is asked for, and
   * LLVM's pipeline would have to run again.
   */
  isChanged({ isAmdgcn }: LlvmModule): boolean {
    const { codegenLevel, emit, optimize } = this.options;
    if (meldsEarly(this.options)) return true;
    if (beforeLateMeld(isAmdgcn) === null) return false;
    return optimize === 'none' || codegenLevel === 0 || emit.includes('bc') || emit.includes('ll');
  }

  /** The same with these edits, from the bytes in a heap like a fresh instance's. */
  readWithEdits(logs: readonly EditLog[]): LlvmModule {
    this.startOver();
    const module = this.readAtMeldPoint();
    this.#replay(module, logs);
    return module;
  }

  /** @throws DarmError `bad-input` when the options name a function that the module does not have */
  checkWantedFunctions(module: LlvmModule): void {
    const known = new Set(module.functions().map((fn) => fn.name));
    for (const name of this.options.functions)
      if (!known.has(name)) throw new DarmError('bad-input', `the module has no function '${name}'`);
  }

  /** Whether the options want this function melded. */
  wants(name: string): boolean {
    return this.options.functions.length === 0 || this.options.functions.includes(name);
  }

  /** The functions to meld, which the options name or which are expected to run, with their places in the module. */
  wanted(module: LlvmModule): { name: string; position: number }[] {
    const all = module.functions().map(({ name }, position) => ({ name, position }));
    if (this.options.functions.length > 0) return all.filter(({ name }) => this.wants(name));
    const spare = spareBodies(module);
    // The size of what does not run counts all the same.
    const failing = this.options.profit === 'size' ? new Set() : functionsOfFailures(module);
    return all.filter(({ name }) => !spare.has(name) && !failing.has(name));
  }

  /**
   * Takes a module from the meld point to where code generation starts.
   *
   * @param melded the functions with edits
   */
  finish(module: LlvmModule, melded: readonly string[]): LlvmModule {
    if (meldsEarly(this.options)) this.#optimize(module);
    if (module.isAmdgcn && melded.length > 0) this.#prepareCodegen(module, new Set(melded));
    return module;
  }

  /**
   * The module where code generation starts, made again from the bytes in a heap like a fresh instance's. With no edits
   * it goes through as it would without melding, unless a plan has found an early meld point without melds better.
   */
  rebuild(logs: readonly EditLog[]): LlvmModule {
    const isAsFound = this.#isAtMeldPoint || (this.options.plan !== null && meldsEarly(this.options));
    if (logs.some(hasEdits) || isAsFound) return this.finish(this.readWithEdits(logs), meldedFunctions(logs));
    this.startOver();
    const module = this.#read();
    this.#optimize(module);
    if (this.options.meld !== 'off' && !this.isChanged(module))
      this.#runPasses(module, beforeLateMeld(module.isAmdgcn));
    return module;
  }

  #read(): LlvmModule {
    const { mcpu, codegenLevel } = this.options;
    return this.watch.time('read', () => {
      const module = LlvmModule.read(this.runtime, this.bytes, parseTargetId(mcpu), codegenLevel);
      module.requireOneProcessor();
      return module;
    });
  }

  #optimize(module: LlvmModule): void {
    this.#runPasses(module, defaultPipeline(this.options.optimize));
  }

  /** @param pipeline null: nothing */
  #runPasses(module: LlvmModule, pipeline: string | null): void {
    if (pipeline !== null) this.watch.time('optimize', () => module.runPasses(pipeline));
  }

  /** In the order of the module's functions, as melding went. */
  #replay(module: LlvmModule, logs: readonly EditLog[]): void {
    const byName = new Map(logs.map((log) => [log.function, log]));
    for (const { name } of module.functions()) {
      const log = byName.get(name);
      if (log !== undefined) replayLog(module, log, this.watch);
    }
  }

  /** Prepares what was melded for code generation. Other functions get the code that `llc` makes of them. */
  #prepareCodegen(module: LlvmModule, melded: ReadonlySet<string>): void {
    this.watch.time('meld', () => {
      const functions = module.functions();
      // LLVM's pipeline, after an early meld point, inlined what was melded. Code generation will inline some, too:
      // melded code may get into a function that calls others.
      const all = meldsEarly(this.options);
      const isInlined = functions.some(({ name, kernel }) => melded.has(name) && !kernel);
      for (const { name } of functions)
        if (all || melded.has(name) || (isInlined && hasCalls(module.look(name).snapshot)))
          prepareFunction(module, name);
    });
  }
}

/** Does what helps LLVM's code generator with a melded function. */
export function prepareFunction(module: LlvmModule, name: string): void {
  module.prepareCodegen(name);
  module.verify(name);
}

/** The plan of a job, which settle.ts has found to fit. */
function guidesOf({ plan: text }: JobOptions): Guides {
  const plan = text === null ? null : parsePlan(text);
  if (plan === null || 'misfit' in plan) return () => null;
  const byName = new Map(plan.functions.map((each) => [each.name, each]));
  return (_, name) => {
    const found = byName.get(name);
    return found === undefined ? null : new PlanGuide(found);
  };
}

/** Every job starts from the heap of a fresh instance. LLVM's failures come out as typed errors. */
export function inFreshHeap<T>(runtime: LlvmRuntime, work: () => T): T {
  if (!runtime.poisoned) runtime.reset();
  return runtime.run(work);
}
