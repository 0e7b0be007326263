/** The first waves over time: a row for each, filled where their lanes work. */
import type { LaunchProfile, Timeline } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { level, whole } from './figures.js';
import { LaneCells } from './lane-cells.js';

const MOST_WAVES = 16;
const WIDTH = 900;
const LEFT = 120;
const ROW = 12;
const STEP = 16;
const TOP = 18;

export function timelinePicture({ waveSize, kernel }: LaunchProfile, timeline: Timeline): Html {
  const waves = timeline.waves.slice(0, MOST_WAVES);
  const until = timeline.end.reduce(
    (most, end, at) => (timeline.wave[at]! < MOST_WAVES ? Math.max(most, end) : most),
    1,
  );
  const cells = new LaneCells();
  /** Spans of a wave that are too short to be seen become one, with the mean of their lanes. */
  let [wave, from, to, lanes] = [-1, 0, 0, 0];
  const flush = (): void => {
    if (wave < 0 || to === from) return;
    const mean = lanes / (to - from) / waveSize;
    const [x, width] = [LEFT + (from * WIDTH) / until, ((to - from) * WIDTH) / until];
    cells.cell(level(mean), x, TOP + wave * STEP, width, ROW);
    wave = -1;
  };
  timeline.wave.forEach((own, at) => {
    if (own >= MOST_WAVES) return;
    const [start, end] = [timeline.start[at]!, timeline.end[at]!];
    if (own !== wave || ((to - from) * WIDTH) / until >= 1) {
      flush();
      [wave, from, lanes] = [own, start, 0];
    }
    lanes += (end - start) * timeline.lanes[at]!;
    to = end;
  });
  flush();
  const left = timeline.waves.length - waves.length;
  const label = `Time line of ${kernel}: the first ${waves.length} waves over ${whole(until)} cycles`;
  return html`<div class="scroll">
      <svg
        class="timeline"
        viewBox="0 0 ${LEFT + WIDTH + 10} ${TOP + waves.length * STEP}"
        role="img"
        aria-label="${label}"
      >
        <text class="axis" x="${LEFT}" y="12">0</text>
        <text class="axis" x="${LEFT + WIDTH}" y="12" text-anchor="end">${whole(until)} cycles</text>
        ${waves.map(
          (each, row) =>
            html`<text class="axis" x="0" y="${TOP + row * STEP + 10}"
              >group ${each.workgroup} wave ${each.wave}</text
            >`,
        )}
        ${cells.toHtml()}
      </svg>
    </div>
    ${left > 0 && html`<p class="note">${left} more waves are in the JSON profile.</p>`}
    ${timeline.truncated && html`<p class="note">The launch is longer than what is shown here.</p>`}`;
}
