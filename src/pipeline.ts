/**
 * What happens to a kernel, in order:
 *
 *   read → [before an early meld: LLVM passes] → per function until nothing profitable is left:
 *          snapshot → analyses → plan → edits → tidy → verify
 *   → [after an early meld: LLVM's pipeline] → code generation → lld
 *
 * The bytes that come out depend on the module and the options only, never on what this worker did before, nor on which
 * workers planned which functions: every job starts from the heap of a fresh instance, and replaying edit logs makes the
 * calls into LLVM that planning and melding in place make, in the same order. When nothing was melded, the module starts
 * over and goes through as it would without melding.
 */
import { brokenUniformDemands, summarize } from './analysis/summary.js';
import { LlvmModule } from './binding/module.js';
import type { LlvmRuntime } from './binding/runtime.js';
import { lookRemarks, plannedRemarks, remarksOf } from './collect-remarks.js';
import { DarmError } from './errors.js';
import { applyMelds } from './melding/apply.js';
import { analysesOf } from './melding/context.js';
import type { FunctionPlan, PlanOptions } from './melding/plan.js';
import { planFunction } from './melding/planner.js';
import { loweredSwitches, loweringCost } from './melding/switches.js';
import type { Emit, JobOptions } from './options.js';
import { AFTER_ROUND, BEFORE_EARLY_MELD, defaultPipeline } from './passes.js';
import type { Remark } from './remark.js';
import { parseTargetId } from './target-id.js';
import { Stopwatch } from './stopwatch.js';
import { verifyAnalyses } from './verify-analyses.js';
import type {
  AnalyzeResult,
  Artifact,
  CompileResult,
  Counts,
  EditLog,
  FunctionReport,
  LogRound,
  LookRemarks,
  ModuleInfo,
} from './wire.js';

/** What a running job tells while it runs. */
export interface Events {
  progress(phase: string, functionName?: string): void;
  diagnostic(line: string): void;
}

/** Melding stops here even if the cost model should go round in circles. */
const MOST_ROUNDS = 64;
const mostRounds = (options: JobOptions) => (options.once ? 1 : MOST_ROUNDS);

// --- Reading --------------------------------------------------------------------------------------------------------------

function read(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions): LlvmModule {
  const module = LlvmModule.read(rt, bytes, parseTargetId(options.mcpu), options.codegenLevel);
  module.requireOneProcessor();
  return module;
}

const meldsEarly = (options: JobOptions) => options.meldPoint === 'early' && options.optimize !== 'none';

/** The module at the point where melding looks at it. */
function readAtMeldPoint(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions, watch: Stopwatch): LlvmModule {
  const module = watch.time('read', () => read(rt, bytes, options));
  if (meldsEarly(options)) watch.time('optimize', () => module.runPasses(BEFORE_EARLY_MELD));
  else runDefaultPipeline(module, options, watch);
  return module;
}

function runDefaultPipeline(module: LlvmModule, options: JobOptions, watch: Stopwatch): void {
  const pipeline = defaultPipeline(options.optimize);
  if (pipeline !== null) watch.time('optimize', () => module.runPasses(pipeline));
}

/** What is in a module, for whatever processors: nothing is compiled. */
export function moduleInfo(rt: LlvmRuntime, bytes: Uint8Array): ModuleInfo {
  return job(rt, () => {
    using module = LlvmModule.read(rt, bytes, { cpu: '', features: '' }, 0);
    return { triple: module.triple, functions: module.functions() };
  });
}

// --- Melding --------------------------------------------------------------------------------------------------------------

function planOptions(options: JobOptions): PlanOptions {
  const { meld, profit, threshold, regionReplication, unpredicate } = options;
  // An analysis with melding off says what melding would do.
  const mode = meld === 'off' ? 'darm' : meld;
  return { mode, profit, threshold, regionReplication, unpredicate, optimizesLater: meldsEarly(options) };
}

function plan(module: LlvmModule, name: string, options: JobOptions) {
  const open = module.open(name);
  const analyses = analysesOf(open.snapshot);
  if (options.verifyAnalyses) verifyAnalyses(open.snapshot, analyses, module.oracle(name));
  const chosen: FunctionPlan = planFunction(open.snapshot, analyses, planOptions(options), (t, f) =>
    open.editor.canPair(t, f),
  );
  const look = { ...open, analyses, plan: chosen };
  return { ...look, remarks: options.remarks ? lookRemarks(module, name, look) : null };
}

/** Carries out one round and checks the function. */
function carryOut(module: LlvmModule, name: string, round: LogRound, watch: Stopwatch, open = module.open(name)): void {
  using editor = open.editor;
  if (open.fingerprint !== round.fingerprint)
    throw new DarmError('internal', `the edit log of '${name}' belongs to another function body`);
  watch.time('meld', () => {
    for (const block of round.lowered) editor.lowerSwitch(editor.block(block));
    applyMelds(editor, round.melds);
  });
  // LLVM's passes may take for granted what the verifier checks.
  watch.time('verify', () => module.verify(name));
  // Tidying up would turn a chain of compares back into the switch.
  if (round.lowered.length > 0) return;
  watch.time('meld', () => {
    module.shareAddressSelects(name);
    module.foldPhis(name);
    module.runFunctionPasses(name, AFTER_ROUND);
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
  ) {}

  /** Melds until nothing is left that pays, lowering divergent switches on the way if asked to. Returns the last look. */
  run(lowering: boolean): Look | null {
    while (this.melded < mostRounds(this.options)) {
      const look = this.look();
      const switches = lowering ? loweredSwitches(look.snapshot, look.analyses) : [];
      if (switches.length > 0) {
        this.carryOut(look, { lowered: switches, melds: [] });
        continue;
      }
      if (look.plan.melds.length === 0) return look;
      this.carryOut(look, { lowered: [], melds: look.plan.melds });
      this.melded++;
      for (const { net } of look.plan.melds) this.net += net;
    }
    return null;
  }

  private look(): Look {
    const look = this.watch.time('meld', () => plan(this.module, this.name, this.options));
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
    carryOut(this.module, this.name, round, this.watch, look);
    this.rounds.push(round);
  }
}

type Look = ReturnType<typeof plan>;

/**
 * Melds one function to the fixpoint; then, if divergent switches are left, once more with those lowered to branches, and
 * takes that back unless melding gains more than a chain of compares costs. A failure leaves the rounds that went well and
 * the reason.
 */
function meldFunction(
  module: LlvmModule,
  name: string,
  options: JobOptions,
  watch: Stopwatch,
): Omit<EditLog, 'position'> {
  const melding = new FunctionMelding(module, name, options, watch);
  let kept: readonly LogRound[] | null = null;
  let lastLook: LookRemarks | null = null;
  try {
    const look = melding.run(false);
    lastLook = look?.remarks ?? null;
    look?.editor[Symbol.dispose]();
    const cost = look && loweringCost(look.snapshot, look.analyses);
    if (cost !== null) {
      const { rounds, net, melded } = melding;
      kept = [...rounds];
      const last = melding.run(true);
      last?.editor[Symbol.dispose]();
      const pays = melding.melded > melded && (options.profit === 'paper' || melding.net - net > cost);
      if (pays) {
        kept = null;
        lastLook = last?.remarks ?? null;
      }
    }
    return { function: name, rounds: kept ?? melding.rounds, lastLook, isInPlace: kept === null, bailout: null };
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    return { function: name, rounds: kept ?? melding.rounds, lastLook, isInPlace: false, bailout: error.message };
  }
}

/** Which functions a worker melds: these, or all but these. */
export interface FunctionShare {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

const isInShare = ({ only, except }: FunctionShare, name: string): boolean =>
  (only === undefined || only.includes(name)) && except?.includes(name) !== true;

function isWanted(options: JobOptions, name: string): boolean {
  return options.functions.length === 0 || options.functions.includes(name);
}

function checkWanted(module: LlvmModule, options: JobOptions): void {
  const known = new Set(module.functions().map((fn) => fn.name));
  for (const name of options.functions)
    if (!known.has(name)) throw new DarmError('bad-input', `the module has no function '${name}'`);
}

/** Melds a share of the functions (those that the options want); the costly part of a job. */
export function meldFunctions(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  share: FunctionShare,
  events: Events,
): EditLog[] {
  if (options.meld === 'off') return [];
  return job(rt, () => meldAll(rt, bytes, options, share, events, new Stopwatch()).logs);
}

function meldAll(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  share: FunctionShare,
  events: Events,
  watch: Stopwatch,
): { module: LlvmModule; logs: EditLog[] } {
  const module = readAtMeldPoint(rt, bytes, options, watch);
  checkWanted(module, options);
  const logs: EditLog[] = [];
  for (const [position, fn] of module.functions().entries()) {
    if (!isInShare(share, fn.name) || !isWanted(options, fn.name)) continue;
    events.progress('meld', fn.name);
    const log = meldFunction(module, fn.name, options, watch);
    if (log.bailout !== null) events.diagnostic(`'${fn.name}' is melded only in part: ${log.bailout}`);
    logs.push({ ...log, position });
  }
  return { module, logs };
}

/** Carries out logs, with the calls into LLVM that `meldAll` made, its last look at each function included. */
function replay(module: LlvmModule, logs: readonly EditLog[], options: JobOptions, watch: Stopwatch): void {
  const byName = new Map(logs.map((log) => [log.function, log]));
  for (const { name } of module.functions()) {
    const log = byName.get(name);
    if (log === undefined) continue;
    for (const round of log.rounds) carryOut(module, name, round, watch);
    const melded = log.rounds.filter(({ melds }) => melds.length > 0).length;
    if (log.bailout === null && melded < mostRounds(options)) module.open(name).editor[Symbol.dispose]();
  }
}

// --- Emitting -------------------------------------------------------------------------------------------------------------

const isMelded = (log: EditLog) => log.rounds.length > 0;

/** From the meld point to what code generation takes. */
function finish(module: LlvmModule, logs: readonly EditLog[], options: JobOptions, watch: Stopwatch): LlvmModule {
  if (meldsEarly(options)) runDefaultPipeline(module, options, watch);
  if (!module.isAmdgcn) return module;
  const melded = new Set(logs.filter(isMelded).map((log) => log.function));
  watch.time('meld', () => {
    // The pipeline may have inlined one away.
    for (const { name } of module.functions()) if (melded.has(name)) module.prepareCodegen(name);
  });
  return module;
}

/** The final module from the bytes that came in, in a heap like a fresh instance's. */
function rebuild(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  watch: Stopwatch,
): LlvmModule {
  watch.time('reset', () => rt.reset());
  if (!logs.some(isMelded)) {
    const module = watch.time('read', () => read(rt, bytes, options));
    runDefaultPipeline(module, options, watch);
    return module;
  }
  const module = readAtMeldPoint(rt, bytes, options, watch);
  replay(module, logs, options, watch);
  return finish(module, logs, options, watch);
}

type Code = 'asm' | 'obj';

interface Emitted {
  readonly artifacts: readonly Artifact[];
  readonly counts: ReadonlyMap<string, Counts>;
  readonly target: string;
  readonly warnings: readonly string[];
}

/** Emits from `module`; what needs another one, because code generation uses a module up, takes it from `again`. */
function emitFrom(
  module: LlvmModule,
  again: () => LlvmModule,
  emit: readonly Emit[],
  withMachineCode: boolean,
  watch: Stopwatch,
): Emitted {
  const artifacts: Artifact[] = [];
  const target = module.cpu || (module.isAmdgcn ? 'amdgcn' : 'nvptx64');
  for (const kind of emit) checkEmit(kind, module);
  const counts = countFunctions(module);
  if (emit.includes('bc')) artifacts.push({ kind: 'bc', bytes: module.bitcode() });
  if (emit.includes('ll')) artifacts.push({ kind: 'll', bytes: module.text() });

  const codes = new Set<Code>();
  if (emit.includes('asm') || emit.includes('ptx')) codes.add('asm');
  if (emit.includes('obj') || emit.includes('hsaco') || (withMachineCode && codes.size === 0))
    codes.add(module.isAmdgcn ? 'obj' : 'asm');
  let fresh = artifacts.length === 0;
  for (const code of codes) {
    if (!fresh) module = again();
    fresh = false;
    const bytes = watch.time('codegen', () => module.emit(code));
    if (code === 'asm') {
      for (const kind of ['asm', 'ptx'] as const) if (emit.includes(kind)) artifacts.push({ kind, bytes });
      continue;
    }
    if (emit.includes('obj')) artifacts.push({ kind: 'obj', bytes });
    if (emit.includes('hsaco')) artifacts.push({ kind: 'hsaco', bytes: watch.time('link', () => module.link()) });
  }
  if (codes.size > 0)
    for (const [name, machineInstructions] of module.machineInstructions())
      if (counts.has(name)) counts.set(name, { ...counts.get(name)!, machineInstructions });
  return { artifacts, counts, target, warnings: module.warnings() };
}

function checkEmit(kind: Emit, module: LlvmModule): void {
  if (kind === 'ptx' && module.isAmdgcn)
    throw new DarmError('bad-target', 'ptx needs an nvptx module; this one is for amdgcn');
  if ((kind === 'hsaco' || kind === 'obj') && !module.isAmdgcn)
    throw new DarmError('bad-target', `${kind} needs an amdgcn module; this one is for nvptx (use ptx)`);
}

function countFunctions(module: LlvmModule): Map<string, Counts> {
  return new Map(
    module.functions().map(({ name, instructions }) => {
      const open = module.open(name);
      open.editor[Symbol.dispose]();
      const divergentBranches = summarize(open.snapshot, analysesOf(open.snapshot).divergence).divergentBranches;
      return [name, { divergentBranches, instructions, machineInstructions: null }];
    }),
  );
}

function report(logs: readonly EditLog[], after: Emitted, before: Emitted | null): FunctionReport[] {
  const byName = new Map(logs.map((log) => [log.function, log]));
  return [...after.counts].map(([name, counts]) => ({
    name,
    melds: (byName.get(name)?.rounds ?? []).flatMap((round) =>
      round.melds.map(({ kind, profit, net }) => ({ kind, profit, net })),
    ),
    switchesLowered: (byName.get(name)?.rounds ?? []).reduce((sum, { lowered }) => sum + lowered.length, 0),
    before: before?.counts.get(name) ?? null,
    after: counts,
    bailout: byName.get(name)?.bailout ?? null,
  }));
}

function emitAll(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
  watch: Stopwatch,
  melded: LlvmModule | null,
): CompileResult {
  events.progress('emit');
  const again = () => rebuild(rt, bytes, options, logs, watch);
  const after = emitFrom(melded ?? again(), again, options.emit, options.stats, watch);
  let before: Emitted | null = null;
  if (options.stats) {
    const plain = () => rebuild(rt, bytes, options, [], new Stopwatch());
    before = emitFrom(plain(), plain, [], true, new Stopwatch());
  }
  return {
    target: after.target,
    artifacts: options.emit.map((kind) => after.artifacts.find((artifact) => artifact.kind === kind)!),
    functions: report(logs, after, before),
    remarks: options.remarks ? [...logs].sort((a, b) => a.position - b.position).flatMap(remarksOf) : [],
    diagnostics: after.warnings,
    timings: watch.milliseconds(),
  };
}

/** Replays what other workers melded, in function order, and emits. */
export function emitModule(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
): CompileResult {
  return job(rt, () => emitAll(rt, bytes, options, logs, events, new Stopwatch(), null));
}

/** Everything in one worker. The bytes equal those of `emitModule` over `meldFunctions`. */
export function compileModule(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions, events: Events): CompileResult {
  if (options.meld === 'off') return emitModule(rt, bytes, options, [], events);
  return job(rt, () => {
    const watch = new Stopwatch();
    const { module, logs } = meldAll(rt, bytes, options, {}, events, watch);
    // A function that failed half-way or was taken back is not fit to be written: start over with what went well.
    const inPlace = logs.some(isMelded) && logs.every((log) => log.isInPlace);
    return emitAll(rt, bytes, options, logs, events, watch, inPlace ? finish(module, logs, options, watch) : null);
  });
}

// --- Analyzing ------------------------------------------------------------------------------------------------------------

/** What melding would do, function by function, before anything is changed. */
export function analyzeModule(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions): AnalyzeResult {
  return job(rt, () => {
    const module = readAtMeldPoint(rt, bytes, options, new Stopwatch());
    checkWanted(module, options);
    const functions = module.functions().filter((fn) => isWanted(options, fn.name));
    const remarks: Remark[] = [];
    return {
      target: module.cpu,
      functions: functions.map(({ name }) => {
        const open = plan(module, name, options);
        open.editor[Symbol.dispose]();
        remarks.push(...plannedRemarks(name, open));
        return {
          name,
          ...summarize(open.snapshot, open.analyses.divergence),
          plan: open.plan,
          blockNames: module.blockNames(name),
        };
      }),
      remarks,
    };
  });
}

/** Every job starts from the heap of a fresh instance; LLVM's failures come out as typed errors. */
function job<T>(rt: LlvmRuntime, work: () => T): T {
  if (!rt.poisoned) rt.reset();
  return rt.run(work);
}
