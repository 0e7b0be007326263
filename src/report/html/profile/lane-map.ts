/**
 * The picture of a launch: lanes from left to right, the program from top to bottom, and as much height for each
 * instruction as it takes time. So the filled area is work, and the hatched area is what idle lanes lose.
 */
import type { LaunchProfile } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { activity, blockName, hex, level, percent, unit, weight, whole } from './figures.js';
import { LaneCells } from './lane-cells.js';

const WIDTH = 448;
const LEFT = 44;
const RIGHT = 64;
const TOP = 18;
/** Rows that are less high are joined, because nobody could see them. */
const LEAST_ROW = 2;
/** Between the middles of two labels. */
const LABEL = 14;
/** Branches that are numbered. */
export const NUMBERED = 9;

interface Row {
  readonly levels: readonly number[];
  readonly height: number;
  readonly first: number;
  readonly last: number;
}

/**
 * @param height of the picture, in pixels; two pictures with heights in proportion to their cycles can be compared
 * @param id begins the ids of the instructions that marks lead to
 */
export function laneMap(profile: LaunchProfile, height: number, id: string): Html {
  const { waveSize, kernel } = profile;
  const total = weight(profile);
  const scale = total === 0 ? 0 : height / total;
  const cells = new LaneCells();
  const starts = new Map<number, number>();
  const overlays: Html[] = [];
  let y = TOP;
  for (const row of rowsOf(profile, scale)) {
    for (let at = row.first; at <= row.last; at++) starts.set(at, y);
    cells.row(row.levels, { x: LEFT, y, width: WIDTH / waveSize, height: row.height });
    overlays.push(
      html`<rect class="over" x="${LEFT}" y="${y.toFixed(2)}" width="${WIDTH}" height="${row.height.toFixed(2)}">
        <title>${rowTitle(profile, row)}</title>
      </rect>`,
    );
    y += row.height;
  }
  const bottom = y;
  const ticks = Array.from({ length: waveSize / 16 + 1 }, (_, tick) => Math.min(waveSize - 1, tick * 16));
  const summary =
    `Lane map of ${kernel}: ${waveSize} lanes from left to right, ${whole(total)} ${unit(profile)} from top to bottom. ` +
    `${percent(emptyPart(profile), 1)} of the area is idle. The tables below have the figures.`;
  return html`<svg
    class="lane-map"
    viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${Math.ceil(bottom + 6)}"
    role="img"
    aria-label="${summary}"
  >
    ${ticks.map(
      (lane) =>
        html`<text class="axis" x="${LEFT + ((lane + 0.5) * WIDTH) / waveSize}" y="12" text-anchor="middle">
          ${lane === 0 ? 'lane 0' : lane}
        </text>`,
    )}
    ${cells.toHtml()}${overlays}${branchMarks(profile, starts, id)}${sideLabels(profile, starts, bottom)}
  </svg>`;
}

const emptyPart = (profile: LaunchProfile): number => {
  const all = weight(profile);
  const idle = profile.instructions.reduce(
    (sum, each) =>
      sum + (each.executed === 0 ? 0 : weight(each) * (1 - each.lanes / (each.executed * profile.waveSize))),
    0,
  );
  return all === 0 ? 0 : idle / all;
};

function rowsOf({ instructions, waveSize }: LaunchProfile, scale: number): Row[] {
  const rows: Row[] = [];
  let [sums, height, first] = [new Array<number>(waveSize).fill(0), 0, -1];
  const flush = (last: number): void => {
    if (height === 0) return;
    const levels = sums.map((sum) => level(Math.abs(sum - height) < 1e-9 ? 1 : sum / height));
    rows.push({ levels, height, first, last });
    [sums, height, first] = [new Array<number>(waveSize).fill(0), 0, -1];
  };
  let latest = -1;
  instructions.forEach((each, at) => {
    const own = weight(each) * scale;
    if (each.executed === 0 || own === 0) return;
    if (height >= LEAST_ROW || (height > 0 && own >= LEAST_ROW)) flush(latest);
    if (first < 0) first = at;
    height += own;
    activity(each).forEach((active, lane) => (sums[lane]! += own * active));
    latest = at;
  });
  flush(latest);
  return rows;
}

function rowTitle({ instructions, lines, waveSize }: LaunchProfile, { first, last }: Row): string {
  const run = instructions.slice(first, last + 1).filter(({ executed }) => executed > 0);
  const executed = run.reduce((sum, each) => sum + each.executed, 0);
  const lanes = run.reduce((sum, each) => sum + each.lanes, 0);
  const spent = run.reduce((sum, each) => sum + weight(each), 0);
  const source = lines[run[0]!.line];
  const where =
    run.length === 1
      ? `${hex(run[0]!.address)} ${run[0]!.text}`
      : `${hex(run[0]!.address)} to ${hex(run.at(-1)!.address)}`;
  return (
    `${where} · ${blockName(run[0]!.block)}${source === undefined ? '' : ` · line ${source.line}`} · ` +
    `${(lanes / executed).toFixed(1)} of ${waveSize} lanes · ${whole(spent)} ${unit(run[0]!)}`
  );
}

/** The costly branches, numbered as in their table, where there is room. */
function branchMarks({ branches }: LaunchProfile, starts: ReadonlyMap<number, number>, id: string): Html[] {
  const taken: number[] = [];
  return branches.slice(0, NUMBERED).flatMap(({ instruction, parted }, rank) => {
    const y = starts.get(instruction);
    if (y === undefined || parted === 0 || taken.some((other) => Math.abs(other - y) < LABEL)) return [];
    taken.push(y);
    return [
      html`<a href="#${id}-branch${rank + 1}" aria-label="branch ${rank + 1}">
        <path class="mark-line" d="M${LEFT - 8} ${y.toFixed(1)}h${WIDTH + 8}" />
        <text class="branch-mark" x="${LEFT - 11}" y="${(y + 4).toFixed(1)}" text-anchor="end">◆ ${rank + 1}</text>
      </a>`,
    ];
  });
}

/** Lines of source, or blocks, at the right. */
function sideLabels(profile: LaunchProfile, starts: ReadonlyMap<number, number>, bottom: number): Html[] {
  const { instructions, lines } = profile;
  const labels: Html[] = [];
  let previous = '';
  let free = TOP;
  instructions.forEach(({ executed, line, block }, at) => {
    const y = starts.get(at);
    if (executed === 0 || y === undefined) return;
    const label = lines.length === 0 ? blockName(block) : line < 0 ? previous : `line ${lines[line]!.line}`;
    if (label === previous) return;
    if (y < free || y + LABEL / 2 > bottom) return;
    previous = label;
    free = y + LABEL;
    labels.push(html`<text class="axis" x="${LEFT + WIDTH + 6}" y="${(y + 9).toFixed(1)}">${label}</text>`);
  });
  return labels;
}
