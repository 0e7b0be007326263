/**
 * The picture of all waves of a launch: lanes from left to right, the program from top to bottom, and as much height
 * for each instruction as it takes time. So the filled area is work, and the rest is what idle lanes lose.
 */
import type { LaunchProfile } from '../../../simulator/profile/profile.js';
import type { Html } from '../../markup.js';
import {
  activity,
  blockName,
  hex,
  level,
  listedBranches,
  lost,
  percent,
  sideLabel,
  unit,
  weight,
  whole,
} from './figures.js';
import { lanePicture, type LaneRow } from './lane-picture.js';

/** Rows that are less high are joined, because nobody could see them. */
const LEAST_ROW = 2;

/**
 * @param height of the picture, in pixels; two pictures with heights in proportion to their cycles can be compared
 * @param id begins the ids of the branches that marks lead to
 */
export function laneMap(profile: LaunchProfile, height: number, id: string): Html {
  const { waveSize, kernel, instructions } = profile;
  const total = weight(profile);
  const rows = rowsOf(profile, total === 0 ? 0 : height / total);
  const starts = new Map<number, number>();
  let y = 0;
  for (const { first, last, height: own } of rows) {
    for (let at = first; at <= last; at++) starts.set(at, y);
    y += own;
  }
  return lanePicture({
    waveSize,
    rows,
    marks: listedBranches(profile).flatMap(({ branch: { instruction, parted }, rank }) => {
      const at = starts.get(instruction);
      return at === undefined || parted === 0 ? [] : [{ y: at, label: String(rank), href: `#${id}-branch${rank}` }];
    }),
    labels: instructions.flatMap((each, at) => {
      const start = starts.get(at);
      const text = sideLabel(profile, at);
      return each.executed === 0 || start === undefined || text === null ? [] : [{ y: start, text }];
    }),
    summary:
      `All waves of ${kernel}: ${waveSize} lanes from left to right, ${whole(total)} ${unit(profile)} of the program ` +
      `from top to bottom. ${percent(lost(profile, waveSize), total)} of the area is idle.`,
  });
}

interface ProgramRow extends LaneRow {
  readonly first: number;
  readonly last: number;
}

function rowsOf(profile: LaunchProfile, scale: number): ProgramRow[] {
  const { instructions, waveSize } = profile;
  const rows: ProgramRow[] = [];
  const none = (): number[] => new Array<number>(waveSize).fill(0);
  let [sums, height, first, last] = [none(), 0, -1, -1];
  const flush = (): void => {
    if (height === 0) return;
    const levels = sums.map((sum) => level(sum, height));
    rows.push({ levels, height, first, last, title: titleOf(profile, first, last) });
    [sums, height, first] = [none(), 0, -1];
  };
  instructions.forEach((each, at) => {
    const own = weight(each) * scale;
    if (each.executed === 0 || own === 0) return;
    if (height >= LEAST_ROW || (height > 0 && own >= LEAST_ROW)) flush();
    if (first < 0) first = at;
    height += own;
    activity(each).forEach((active, lane) => (sums[lane]! += own * active));
    last = at;
  });
  flush();
  return rows;
}

function titleOf({ instructions, lines, waveSize }: LaunchProfile, first: number, last: number): string {
  const run = instructions.slice(first, last + 1).filter(({ executed }) => executed > 0);
  const sum = (of: (each: (typeof run)[number]) => number): number => run.reduce((total, each) => total + of(each), 0);
  const [begin, end] = [run[0]!, run.at(-1)!];
  const where = begin === end ? `${hex(begin.address)} ${begin.text}` : `${hex(begin.address)} to ${hex(end.address)}`;
  const source = lines[begin.line];
  return [
    where,
    blockName(begin.block),
    ...(source === undefined ? [] : [`line ${source.line}`]),
    `${(sum(({ lanes }) => lanes) / sum(({ executed }) => executed)).toFixed(1)} of ${waveSize} lanes`,
    `${whole(sum(weight))} ${unit(begin)}`,
  ].join(' · ');
}
