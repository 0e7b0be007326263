/** The picture of one wave: its lanes from left to right, its time from top to bottom, filled where a lane works. */
import type { LaunchProfile, Timeline, TimelineWave } from '../../../simulator/profile/profile.js';
import type { Html } from '../../markup.js';
import { blockName, level, listedBranches, percent, sideLabel, whole } from './figures.js';
import { lanePicture, type LaneRow } from './lane-picture.js';

const LEAST_ROW = 2;

/** The position in the time line of the wave whose lanes idle most nearly as much as those of all; null: none. */
export function typicalWave({ timeline, time, waveSize }: LaunchProfile): number | null {
  if (timeline === null || time === null || timeline.wave.length === 0) return null;
  const spent = timeline.waves.map(() => ({ cycles: 0, idle: 0 }));
  timeline.wave.forEach((wave, at) => {
    const cycles = timeline.end[at]! - timeline.start[at]!;
    spent[wave]!.cycles += cycles;
    spent[wave]!.idle += cycles * (waveSize - timeline.lanes[at]!);
  });
  const mean = time.idleLaneCycles / time.waveCycles;
  const distance = ({ cycles, idle }: (typeof spent)[number]): number =>
    cycles === 0 ? Infinity : Math.abs(idle / cycles - mean);
  return spent.reduce((best, each, wave) => (distance(each) < distance(spent[best]!) ? wave : best), 0);
}

/** The position in a time line of the wave that is called so; null: it is not there. */
export function waveCalled({ timeline }: LaunchProfile, { workgroup, wave }: TimelineWave): number | null {
  const found = timeline?.waves.findIndex((each) => each.workgroup === workgroup && each.wave === wave) ?? -1;
  return found < 0 ? null : found;
}

/** How long a wave of the time line runs, in cycles. */
export function waveDuration({ wave, start, end }: Timeline, which: number): number {
  const first = wave.indexOf(which);
  return first < 0 ? 0 : end[wave.lastIndexOf(which)]! - start[first]!;
}

/** @param scale pixels of a cycle; @param id begins the ids of the branches that marks lead to */
export function waveMap(profile: LaunchProfile, timeline: Timeline, which: number, scale: number, id: string): Html {
  const { waveSize, instructions } = profile;
  const ranks = new Map(listedBranches(profile).map(({ branch, rank }) => [branch.instruction, rank]));
  const spans = [...timeline.wave.keys()].filter((at) => timeline.wave[at] === which);
  const begin = timeline.start[spans[0]!] ?? 0;
  const yOf = (at: number): number => (timeline.start[at]! - begin) * scale;
  const { workgroup, wave } = timeline.waves[which]!;
  const cycles = waveDuration(timeline, which);
  const idle = spans.reduce(
    (sum, at) => sum + (timeline.end[at]! - timeline.start[at]!) * (1 - timeline.lanes[at]! / waveSize),
    0,
  );
  return lanePicture({
    waveSize,
    rows: rowsOf(profile, timeline, spans, scale),
    // A branch is the last instruction with the lanes from before it.
    marks: spans
      .flatMap((at, place) => {
        const rank = ranks.get(timeline.instruction[at]! - 1);
        const parts = place > 0 && timeline.lanes[at]! < timeline.lanes[spans[place - 1]!]!;
        return rank === undefined || !parts ? [] : [{ y: yOf(at), rank }];
      })
      .sort((a, b) => a.rank - b.rank || a.y - b.y)
      .map(({ y, rank }) => ({ y, label: String(rank), href: `#${id}-branch${rank}` })),
    labels: spans.flatMap((at) => {
      const text = sideLabel(profile, timeline.instruction[at]!);
      return text === null ? [] : [{ y: yOf(at), text }];
    }),
    summary:
      `Wave ${wave} of workgroup ${workgroup}: ${waveSize} lanes from left to right, ${whole(cycles)} cycles from top ` +
      `to bottom, ${whole(instructions.length)} instructions. ${percent(idle, cycles)} of the area is idle.`,
  });
}

function rowsOf(profile: LaunchProfile, timeline: Timeline, spans: readonly number[], scale: number): LaneRow[] {
  const { waveSize } = profile;
  const rows: LaneRow[] = [];
  const none = (): number[] => new Array<number>(waveSize).fill(0);
  let [sums, height, first] = [none(), 0, -1];
  const flush = (): void => {
    if (height === 0) return;
    rows.push({ levels: sums.map((sum) => level(sum, height)), height, title: titleOf(profile, timeline, first) });
    [sums, height, first] = [none(), 0, -1];
  };
  for (const at of spans) {
    const own = (timeline.end[at]! - timeline.start[at]!) * scale;
    if (own === 0) continue;
    if (height >= LEAST_ROW || (height > 0 && own >= LEAST_ROW)) flush();
    if (first < 0) first = at;
    height += own;
    for (let lane = 0; lane < waveSize; lane++) {
      const mask = lane < 32 ? timeline.lowMask[at]! : timeline.highMask[at]!;
      if (((mask >>> (lane & 31)) & 1) !== 0) sums[lane]! += own;
    }
  }
  flush();
  return rows;
}

function titleOf(profile: LaunchProfile, timeline: Timeline, at: number): string {
  const source = profile.lines[profile.instructions[timeline.instruction[at]!]!.line];
  return [
    `cycle ${whole(timeline.start[at]!)}`,
    blockName(timeline.block[at]!),
    ...(source === undefined ? [] : [`line ${source.line}`]),
    `${timeline.lanes[at]!} of ${profile.waveSize} lanes`,
  ].join(' · ');
}
