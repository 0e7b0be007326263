/** Makes the profile of a launch from what was recorded while it ran. */
import type { LineTable } from '../../formats/line-table.js';
import { classOf, type InstructionCounts } from '../counters.js';
import type { Dimensions } from '../launch/spec.js';
import type { Instruction, Program } from '../program.js';
import { addTime, noTime, type RecordedTime } from '../timing/time-recorder.js';
import { codeBlocks, followers } from './blocks.js';
import { addLanes, noLanes, splitOf, UNFILLED, type RecordedLanes } from './lane-recorder.js';
import {
  WAITS,
  type DivergentBranch,
  type LaunchProfile,
  type LaneSplit,
  type ProfiledBlock,
  type ProfiledFunction,
  type ProfiledInstruction,
  type ProfiledLine,
  type ProfileFigures,
  type ProfileTime,
} from './profile.js';

/** What the parts of a launch recorded, added up. */
export interface RecordedProfile {
  readonly lanes: RecordedLanes;
  /** Null: nothing was estimated. */
  readonly time: RecordedTime | null;
}

/** Adds up what the parts of a launch recorded. */
export function addProfiles(parts: readonly RecordedProfile[]): RecordedProfile {
  const count = parts[0]!.lanes.taken.length;
  const lanes = noLanes(count);
  const time = parts.some((part) => part.time === null) ? null : noTime(count);
  for (const part of parts) {
    addLanes(lanes, part.lanes);
    if (time !== null) addTime(time, part.time!);
  }
  return { lanes, time };
}

/** A function of the code. */
export interface CodeFunction {
  readonly name: string;
  /** Bytes from the start of the executable segment. */
  readonly offset: number;
  readonly size: number;
}

export interface ProfiledLaunch {
  readonly kernel: string;
  readonly processor: string;
  readonly waveSize: 32 | 64;
  readonly grid: Dimensions;
  readonly block: Dimensions;
  readonly waves: number;
  readonly program: Program;
  readonly functions: readonly CodeFunction[];
  /** Null: no debug information. */
  readonly lines: LineTable | null;
  readonly counts: InstructionCounts;
  /** The estimate. */
  readonly cycles: number | null;
  readonly recorded: RecordedProfile;
}

/**
 * Instructions that make a wave's lanes part, if these are of different minds. LLVM lowers branches and loops to them.
 */
const PARTING = /^(s_and_saveexec_b\d+|s_andn?2?(_not1)?_b\d+(_e\d+)? exec|v_cmpx_)/;
const CONDITIONAL_JUMP = /^s_cbranch_/;

const NOT_IN_A_FUNCTION = '(no symbol)';

export function makeProfile(launch: ProfiledLaunch): LaunchProfile {
  const { program, counts, recorded, waveSize } = launch;
  const { executed } = counts;
  const functionOf = functionsOf(launch);
  const ran = new Set<number>();
  for (const index of program.instructions.keys()) if (executed[index]! > 0) ran.add(functionOf[index]!);
  /** Instructions of the profile, as positions in the program; and back, -1 for others. */
  const shown = [...program.instructions.keys()].filter(
    (index) => program.instructions[index] !== null && ran.has(functionOf[index]!),
  );
  const places = new Int32Array(program.instructions.length).fill(-1);
  shown.forEach((index, place) => (places[index] = place));

  const figures = figuresOf(launch, shown);
  const functions = [...ran].sort((a, b) => a - b);
  const functionPlaces = new Map(functions.map((number, place) => [number, place]));
  const blocks = codeBlocks(
    program,
    launch.functions.map(({ offset }) => offset),
  );
  const shownBlocks = [...new Set(shown.map((index) => blocks.blockOf[index]!))];
  const blockPlaces = new Map(shownBlocks.map((block, place) => [block, place]));
  const lines = linesOf(launch, shown);

  const instructions = shown.map((index, place): ProfiledInstruction => {
    const instruction = program.instructions[index]!;
    const waitedFor = [...(recorded.time?.waitedFor.get(index) ?? [])].sort(([a, x], [b, y]) => y - x || a - b);
    return {
      address: instruction.offset,
      text: instruction.text,
      kind: classOf(instruction),
      function: functionPlaces.get(functionOf[index]!)!,
      block: blockPlaces.get(blocks.blockOf[index]!)!,
      line: lines.of[place]!,
      transactions: counts.transactions[index]!,
      laneCounts: Array.from(recorded.lanes.laneCounts[index] ?? []),
      waitedFor: waitedFor.map(([producer, waveCycles]) => ({ instruction: places[producer]!, waveCycles })),
      ...figures[place]!,
    };
  });

  const sumOf = (own: readonly number[]): ProfileFigures => sumFigures(own.map((at) => figures[at]!));

  return {
    kernel: launch.kernel,
    processor: launch.processor,
    waveSize,
    grid: launch.grid,
    block: launch.block,
    waves: launch.waves,
    ...sumFigures(figures),
    instructions,
    blocks: grouped(instructions, ({ block }) => block, shownBlocks.length).map((own): ProfiledBlock => {
      const { function: place, executed: entered } = instructions[own[0]!]!;
      const next = followers(program, shown[own.at(-1)!]!).flatMap((index) => instructions[places[index]!] ?? []);
      return {
        function: place,
        first: own[0]!,
        count: own.length,
        entered,
        successors: next.filter((each) => each.function === place).map(({ block }) => block),
        ...sumOf(own),
      };
    }),
    functions: grouped(instructions, (each) => each.function, functions.length).map((own, place): ProfiledFunction => {
      const { address, executed: entered } = instructions[own[0]!]!;
      const symbol = launch.functions[functions[place]!];
      return { name: symbol?.name ?? NOT_IN_A_FUNCTION, address: symbol?.offset ?? address, entered, ...sumOf(own) };
    }),
    lines: grouped(instructions, ({ line }) => line, lines.all.length).map((own, place): ProfiledLine => {
      return { ...lines.all[place]!, instructions: own.length, ...sumOf(own) };
    }),
    ...branchesOf(launch, instructions, places),
    jumps: instructions.flatMap(({ text, executed: times }, instruction) =>
      times > 0 && CONDITIONAL_JUMP.test(text)
        ? [{ instruction, executed: times, taken: recorded.lanes.taken[shown[instruction]!]! }]
        : [],
    ),
    timeline:
      recorded.time?.timeline == null
        ? null
        : {
            ...recorded.time.timeline,
            block: recorded.time.timeline.block.map((block) => blockPlaces.get(block)!),
            instruction: recorded.time.timeline.instruction.map((index) => places[index]!),
          },
  };
}

/** The positions of items by their group; those of group -1 are left out. */
function grouped<T>(items: readonly T[], groupOf: (item: T) => number, groups: number): number[][] {
  const members: number[][] = Array.from({ length: groups }, () => []);
  items.forEach((item, at) => members[groupOf(item)]?.push(at));
  return members;
}

/** By instruction: the function, or -1. */
function functionsOf({ program, functions }: ProfiledLaunch): Int32Array {
  const found = new Int32Array(program.instructions.length).fill(-1);
  const order = functions
    .map((_, number) => number)
    .sort((a, b) => functions[a]!.offset - functions[b]!.offset || a - b);
  let next = 0;
  let current = -1;
  program.instructions.forEach((instruction, index) => {
    if (instruction === null) return;
    while (next < order.length && functions[order[next]!]!.offset <= instruction.offset) current = order[next++]!;
    const own = functions[current];
    if (own !== undefined && instruction.offset < own.offset + own.size) found[index] = current;
  });
  return found;
}

/** Of each instruction; the shares of the estimate are rounded so that they add up to it. */
function figuresOf({ counts, recorded, cycles, waveSize }: ProfiledLaunch, shown: readonly number[]): ProfileFigures[] {
  const { time } = recorded;
  let before = 0;
  let given = 0;
  return shown.map((index) => {
    const base = { executed: counts.executed[index]!, lanes: counts.lanes[index]! };
    if (time === null || cycles === null) return { ...base, time: null };
    const spent = time.waits.subarray(index * WAITS.length, (index + 1) * WAITS.length);
    const waveCycles = spent.reduce((sum, each) => sum + each, 0);
    before += waveCycles;
    const due = time.waveCycles === 0 ? 0 : Math.round((cycles * before) / time.waveCycles);
    const share = due - given;
    given = due;
    const idleLaneCycles = time.idleLaneCycles[index]!;
    return {
      ...base,
      time: {
        waveCycles,
        waits: Object.fromEntries(WAITS.map((wait, column) => [wait, spent[column]!])) as ProfileTime['waits'],
        idleLaneCycles,
        cycles: share,
        lostCycles: waveCycles === 0 ? 0 : (share * idleLaneCycles) / (waveCycles * waveSize),
      },
    };
  });
}

function sumFigures(all: readonly ProfileFigures[]): ProfileFigures {
  const sum = (of: (each: ProfileFigures) => number): number => all.reduce((total, each) => total + of(each), 0);
  const sumTime = (of: (time: ProfileTime) => number): number => sum(({ time }) => of(time!));
  return {
    executed: sum(({ executed }) => executed),
    lanes: sum(({ lanes }) => lanes),
    time: all.some(({ time }) => time === null)
      ? null
      : {
          waveCycles: sumTime(({ waveCycles }) => waveCycles),
          waits: Object.fromEntries(
            WAITS.map((wait) => [wait, sumTime(({ waits }) => waits[wait])]),
          ) as ProfileTime['waits'],
          idleLaneCycles: sumTime(({ idleLaneCycles }) => idleLaneCycles),
          cycles: sumTime(({ cycles }) => cycles),
          lostCycles: sumTime(({ lostCycles }) => lostCycles),
        },
  };
}

/** The source lines that instructions are of, and for each instruction the line, or -1. */
function linesOf({ program, lines }: ProfiledLaunch, shown: readonly number[]) {
  const found = shown.map((index) => lines?.at(program.instructions[index]!.offset) ?? null);
  const all = new Map<string, { file: string; line: number }>();
  const key = ({ file, line }: { file: string; line: number }): string => `${line}:${file}`;
  for (const each of found) if (each !== null) all.set(key(each), each);
  const sorted = [...all.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  const places = new Map(sorted.map((each, place) => [key(each), place]));
  return { all: sorted, of: found.map((each) => (each === null ? -1 : places.get(key(each))!)) };
}

function branchesOf(
  { program, recorded: { lanes, time } }: ProfiledLaunch,
  instructions: readonly ProfiledInstruction[],
  places: Int32Array,
): Pick<LaunchProfile, 'branches' | 'unfilled'> {
  type Cost = { idleLanes: number; idleLaneCycles: number; lostCycles: number };
  const costs = new Map<number, Cost>();
  const costOf = (branch: number): Cost => {
    const known = costs.get(branch) ?? { idleLanes: 0, idleLaneCycles: 0, lostCycles: 0 };
    costs.set(branch, known);
    return known;
  };
  for (const [index, owners] of lanes.idle) {
    const { time: spent } = instructions[places[index]!]!;
    const all = [...owners.values()].reduce((sum, count) => sum + count, 0);
    for (const [owner, idle] of owners) {
      const cost = costOf(lanes.otherSides.get(owner) ?? owner);
      cost.idleLanes += idle;
      cost.idleLaneCycles += ((spent?.idleLaneCycles ?? 0) * idle) / all;
      cost.lostCycles += ((spent?.lostCycles ?? 0) * idle) / all;
    }
  }
  const timeOf = ({ idleLaneCycles, lostCycles }: Cost): DivergentBranch['time'] =>
    time === null ? null : { idleLaneCycles, lostCycles };

  const isBranch = ({ index, text }: Instruction): boolean =>
    (places[index]! >= 0 && instructions[places[index]!]!.executed > 0 && PARTING.test(text)) ||
    lanes.splits.has(index) ||
    costs.has(index);
  const branches = program.instructions
    .filter((each) => each !== null && isBranch(each) && !lanes.otherSides.has(each.index))
    .map((each): DivergentBranch => {
      const splits = splitsOf(lanes.splits.get(each!.index));
      const cost = costs.get(each!.index) ?? { idleLanes: 0, idleLaneCycles: 0, lostCycles: 0 };
      return {
        instruction: places[each!.index]!,
        executed: instructions[places[each!.index]!]!.executed,
        parted: splits.reduce((sum, { on, times }) => sum + (on > 0 ? times : 0), 0),
        splits,
        idleLanes: cost.idleLanes,
        time: timeOf(cost),
      };
    });
  const weight = (each: DivergentBranch): number => each.time?.lostCycles ?? each.idleLanes;
  branches.sort((a, b) => weight(b) - weight(a) || a.instruction - b.instruction);
  const unfilled = costs.get(UNFILLED) ?? { idleLanes: 0, idleLaneCycles: 0, lostCycles: 0 };
  return { branches, unfilled: { idleLanes: unfilled.idleLanes, time: timeOf(unfilled) } };
}

const splitsOf = (counts: ReadonlyMap<number, number> = new Map()): LaneSplit[] =>
  [...counts]
    .map(([key, times]) => ({ ...splitOf(key), times }))
    .sort((a, b) => b.times - a.times || b.on - a.on || a.off - b.off);
