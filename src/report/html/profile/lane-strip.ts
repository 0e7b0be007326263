/** The lanes of a wave as a strip: which are active, and how often. */
import { html, type Html } from '../../markup.js';
import { level } from './figures.js';
import { LaneCells } from './lane-cells.js';

/** In pixels, as in the style sheet: hatching must not be stretched. */
const [WIDTH, HEIGHT] = [128, 12];

/** Beside a number that says the same. @param active by lane, 0 to 1 */
export function laneStrip(active: readonly number[]): Html {
  const cells = new LaneCells();
  cells.row(
    active.map((each) => level(each)),
    { x: 0, y: 0, width: WIDTH / active.length, height: HEIGHT },
  );
  return html`<svg class="strip" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${cells.toHtml()}</svg>`;
}
