/** The lanes of a wave as a strip: which are active, and how often. */
import { html, type Html } from '../../markup.js';
import { level } from './figures.js';
import { LaneCells } from './lane-cells.js';

/** @param active by lane, 0 to 1; @param label for those who cannot see it, or null where a number stands beside it */
export function laneStrip(active: readonly number[], label: string | null, height = 10): Html {
  const cells = new LaneCells();
  cells.row(
    active.map((each) => level(each)),
    { x: 0, y: 0, width: 1, height },
  );
  const described = label === null ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`;
  return html`<svg class="strip" viewBox="0 0 ${active.length} ${height}" preserveAspectRatio="none" ${described}>
    ${cells.toHtml()}
  </svg>`;
}
