/**
 * Records what lanes do while workgroups execute: how often each was active at each instruction, which branch turned
 * idle lanes off, and how branches part waves.
 *
 * A branch is an instruction after which fewer lanes are active: EXEC is compared before and after each step, so that
 * every way of writing it counts. Each idle lane has an owner, the branch that turned it off. On the other side of a
 * branch the lanes change places; those that wait then belong to the same branch. LLVM writes that in two ways
 * (SILowerControlFlow, SI_ELSE):
 *
 *     s_andn2_saveexec a, a             turns some lanes on and others off at once
 *     s_or_saveexec a, a … s_xor exec   turns the waiting lanes on, and then those off that were on before
 *
 * So where an instruction turns lanes off and waiting lanes have just been turned on, the lanes that go inherit the
 * owner that the others had.
 */
import type { KernelCode } from '../code.js';
import type { Instruction } from '../program.js';
import { EXEC, type Step, type Wave } from '../wave.js';
import type { LaneTrace } from './lane-trace.js';

/** The owner of lanes that never had a work-item. */
export const UNFILLED = -1;
const NO_OWNER = -2;
/** More than a wave has lanes. */
const SPLIT_BASE = 65;

/** Plain data; the numbers of instructions are positions in the program. */
export interface RecordedLanes {
  /** By instruction: how often each lane was active; null where it never ran. */
  readonly laneCounts: (Float64Array | null)[];
  /** By instruction: how often it jumped. */
  readonly taken: Float64Array;
  /** By instruction: idle lanes, summed, by their owner. */
  readonly idle: Map<number, Map<number, number>>;
  /** By branch: how often it turned lanes off, by `splitKey`. */
  readonly splits: Map<number, Map<number, number>>;
  /** By instruction that begins the other side of a branch: the branch. */
  readonly otherSides: Map<number, number>;
}

const splitKey = (on: number, off: number): number => on * SPLIT_BASE + off;

export const splitOf = (key: number): { on: number; off: number } => ({
  on: Math.floor(key / SPLIT_BASE),
  off: key % SPLIT_BASE,
});

export const noLanes = (instructions: number): RecordedLanes => ({
  laneCounts: Array.from({ length: instructions }, () => null),
  taken: new Float64Array(instructions),
  idle: new Map(),
  splits: new Map(),
  otherSides: new Map(),
});

/** Turns waiting lanes on without turning others off: what comes next may turn those off. */
const opensOtherSide = ({ mnemonic }: Instruction): boolean => /^s_orn?[12]?_saveexec/.test(mnemonic);

/** The state of one wave. */
interface WaveLanes {
  /** By lane: who turned it off; `NO_OWNER` while it is on. */
  readonly owner: Int32Array;
  /** By lane: who had turned it off before EXEC was last widened. */
  readonly former: Int32Array;
  /** The last write of EXEC began the other side of a branch. */
  opened: boolean;
  /** Lanes by owner: `counts[i]` of `owners[i]`, for the first `groups`. */
  readonly owners: Int32Array;
  readonly counts: Int32Array;
  groups: number;
  trace: LaneTrace | null;
}

export class LaneRecorder {
  readonly lanes: RecordedLanes;
  readonly #waves: readonly WaveLanes[];
  readonly #size: 32 | 64;

  constructor(instructions: number, waveSize: 32 | 64, wavesPerWorkgroup: number) {
    this.lanes = noLanes(instructions);
    this.#size = waveSize;
    this.#waves = Array.from({ length: wavesPerWorkgroup }, () => ({
      owner: new Int32Array(waveSize),
      former: new Int32Array(waveSize),
      opened: false,
      owners: new Int32Array(waveSize),
      counts: new Int32Array(waveSize),
      groups: 0,
      trace: null,
    }));
  }

  /** A workgroup begins; its waves have their first EXEC. */
  begin(waves: readonly Wave[], traces: readonly LaneTrace[] | null): void {
    waves.forEach((wave, index) => {
      const state = this.#waves[index]!;
      for (let lane = 0; lane < this.#size; lane++) state.owner[lane] = wave.isActive(lane) ? NO_OWNER : UNFILLED;
      state.former.fill(NO_OWNER);
      state.opened = false;
      state.trace = traces?.[index] ?? null;
      this.#group(state);
    });
  }

  /** The code with every step recorded. */
  recorded(code: KernelCode): KernelCode {
    const { instructions } = code.program;
    return { ...code, steps: code.steps.map((step, index) => this.#step(step, index, instructions[index] ?? null)) };
  }

  #step(step: Step, index: number, instruction: Instruction | null): Step {
    const size = this.#size;
    const { laneCounts, taken } = this.lanes;
    const opens = instruction !== null && opensOtherSide(instruction);
    let counts: Float64Array | null = null;
    return (wave) => {
      counts ??= laneCounts[index] = new Float64Array(size);
      const { lanes, active, i32 } = wave;
      for (let k = 0; k < active; k++) counts[lanes[k]!]! += 1;
      const state = this.#waves[wave.id]!;
      if (active < size) this.#countIdle(state, index);
      const low = i32[EXEC]!;
      const high = size === 64 ? i32[EXEC + 1]! : 0;
      state.trace?.pushLanes(active, low, high);
      const { pc } = wave;
      step(wave);
      if (wave.pc !== pc) taken[index]! += 1;
      if (i32[EXEC] !== low || (size === 64 && i32[EXEC + 1] !== high)) this.#masked(state, index, wave, low, high);
      if (opens) state.opened = true;
    };
  }

  #countIdle({ owners, counts, groups }: WaveLanes, index: number): void {
    const { idle } = this.lanes;
    let ofInstruction = idle.get(index);
    if (ofInstruction === undefined) idle.set(index, (ofInstruction = new Map<number, number>()));
    for (let group = 0; group < groups; group++)
      ofInstruction.set(owners[group]!, (ofInstruction.get(owners[group]!) ?? 0) + counts[group]!);
  }

  /** EXEC has changed from `low` and `high`. */
  #masked(state: WaveLanes, index: number, wave: Wave, low: number, high: number): void {
    const { owner, former } = state;
    const size = this.#size;
    const wasOn = (lane: number): boolean => (((lane < 32 ? low : high) >>> (lane & 31)) & 1) !== 0;
    let off = 0;
    /** Whose other side this is. */
    let side = NO_OWNER;
    for (let lane = 0; lane < size; lane++) {
      const isOn = wave.isActive(lane);
      if (wasOn(lane) && !isOn) off++;
      else if (isOn && side < 0 && state.opened && former[lane]! >= 0) side = former[lane]!;
      else if (isOn && side < 0 && !wasOn(lane)) side = owner[lane]!;
    }
    const switches = state.opened || side >= 0;
    for (let lane = 0; lane < size; lane++) {
      const isOn = wave.isActive(lane);
      if (wasOn(lane) && !isOn) {
        // A lane that was on only for a moment goes back to its branch.
        const back = state.opened ? former[lane]! : NO_OWNER;
        owner[lane] = back !== NO_OWNER ? back : side >= 0 ? side : index;
      } else if (isOn) {
        former[lane] = wasOn(lane) ? NO_OWNER : owner[lane]!;
        owner[lane] = NO_OWNER;
      }
    }
    if (off > 0 && !switches) this.#countSplit(index, wave.active, off);
    if (off > 0 && side >= 0) addOtherSide(this.lanes.otherSides, index, side);
    state.opened = false;
    this.#group(state);
  }

  #countSplit(index: number, on: number, off: number): void {
    const { splits } = this.lanes;
    let ofBranch = splits.get(index);
    if (ofBranch === undefined) splits.set(index, (ofBranch = new Map<number, number>()));
    const key = splitKey(on, off);
    ofBranch.set(key, (ofBranch.get(key) ?? 0) + 1);
  }

  #group(state: WaveLanes): void {
    const { owner, owners, counts } = state;
    state.groups = 0;
    for (let lane = 0; lane < this.#size; lane++) {
      const whose = owner[lane]!;
      if (whose === NO_OWNER) continue;
      let group = 0;
      while (group < state.groups && owners[group] !== whose) group++;
      if (group === state.groups) {
        owners[group] = whose;
        counts[group] = 0;
        state.groups++;
      }
      counts[group]!++;
    }
  }
}

/** Adds what another part of the launch recorded. */
export function addLanes(to: RecordedLanes, { laneCounts, taken, idle, splits, otherSides }: RecordedLanes): void {
  laneCounts.forEach((counts, index) => {
    if (counts === null) return;
    const sums = (to.laneCounts[index] ??= new Float64Array(counts.length));
    counts.forEach((count, lane) => (sums[lane]! += count));
  });
  taken.forEach((count, index) => (to.taken[index]! += count));
  addNested(to.idle, idle);
  addNested(to.splits, splits);
  for (const [index, branch] of otherSides) addOtherSide(to.otherSides, index, branch);
}

/** In which order workgroups are asked must not matter. */
function addOtherSide(otherSides: Map<number, number>, index: number, branch: number): void {
  otherSides.set(index, Math.min(branch, otherSides.get(index) ?? branch));
}

export function addNested(to: Map<number, Map<number, number>>, from: Map<number, Map<number, number>>): void {
  for (const [key, counts] of from) {
    const sums = to.get(key) ?? new Map<number, number>();
    to.set(key, sums);
    for (const [inner, count] of counts) sums.set(inner, (sums.get(inner) ?? 0) + count);
  }
}
