/** Draws lanes from left to right, and rows from top to bottom, with marks for branches and labels at the side. */
import { html, type Html } from '../../markup.js';
import { LaneCells } from './lane-cells.js';

const WIDTH = 448;
const LEFT = 44;
const RIGHT = 64;
const TOP = 18;
/** Between the middles of two labels. */
const LABEL = 14;

export interface LaneRow {
  /** By lane: see `level`. */
  readonly levels: readonly number[];
  /** In pixels. */
  readonly height: number;
  /** Shown where the mouse stops. */
  readonly title: string;
}

export interface LanePicture {
  readonly waveSize: number;
  readonly rows: readonly LaneRow[];
  /** Of branches, the most important first; where there is no room, one is left out. */
  readonly marks: readonly { readonly y: number; readonly label: string; readonly href: string }[];
  /** Of what begins at a height, from top to bottom. One that is said already is left out. */
  readonly labels: readonly { readonly y: number; readonly text: string }[];
  /** For those who cannot see it. */
  readonly summary: string;
}

export function lanePicture({ waveSize, rows, marks, labels, summary }: LanePicture): Html {
  const cells = new LaneCells();
  const overlays: Html[] = [];
  let y = TOP;
  for (const { levels, height, title } of rows) {
    cells.row(levels, { x: LEFT, y, width: WIDTH / waveSize, height });
    overlays.push(
      html`<rect class="over" x="${LEFT}" y="${y.toFixed(2)}" width="${WIDTH}" height="${height.toFixed(2)}">
        <title>${title}</title>
      </rect>`,
    );
    y += height;
  }
  const ticks = Array.from({ length: waveSize / 16 + 1 }, (_, tick) => Math.min(waveSize - 1, tick * 16));
  return html`<svg
    class="lane-picture"
    viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${Math.ceil(y + 8)}"
    role="group"
    aria-label="${summary}"
  >
    ${ticks.map(
      (lane) =>
        html`<text class="axis" x="${LEFT + ((lane + 0.5) * WIDTH) / waveSize}" y="12" text-anchor="middle">
          ${lane === 0 ? 'lane 0' : lane}
        </text>`,
    )}
    ${cells.toHtml()}${overlays}${drawMarks(marks)}${drawLabels(labels, y)}
  </svg>`;
}

function drawMarks(marks: LanePicture['marks']): Html[] {
  const taken: number[] = [];
  return marks.flatMap(({ y, label, href }) => {
    if (taken.some((other) => Math.abs(other - y) < LABEL)) return [];
    taken.push(y);
    return [
      html`<a href="${href}" aria-label="branch ${label}">
        <path class="mark-line" d="M${LEFT - 8} ${(TOP + y).toFixed(1)}h${WIDTH + 8}" />
        <text class="branch-mark" x="${LEFT - 11}" y="${(TOP + y + 4).toFixed(1)}" text-anchor="end">◆ ${label}</text>
      </a>`,
    ];
  });
}

function drawLabels(labels: LanePicture['labels'], bottom: number): Html[] {
  let previous = '';
  let free = 0;
  return labels.flatMap(({ y, text }) => {
    if (text === previous || y < free || TOP + y + LABEL > bottom + 8) return [];
    previous = text;
    free = y + LABEL;
    return [html`<text class="axis" x="${LEFT + WIDTH + 6}" y="${(TOP + y + 10).toFixed(1)}">${text}</text>`];
  });
}
