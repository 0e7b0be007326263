/** Where the time of waves goes: execution, and what they wait for. */
import { WAITS, type ProfileTime, type Wait } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { percent } from './figures.js';

export const WAIT_NAMES: Readonly<Record<Wait, string>> = {
  issue: 'executing',
  unit: 'unit busy, other waves first',
  result: 'result of the instruction before',
  vectorMemory: 'vector memory',
  lds: 'LDS',
  scalarMemory: 'scalar memory',
  message: 'message',
  barrier: 'barrier',
};

export function waitBar({ waits, waveCycles }: ProfileTime): Html {
  const spent = WAITS.filter((wait) => waits[wait] > 0);
  return html`<div class="wait-bar" aria-hidden="true">
      ${spent.map(
        (wait) =>
          html`<span class="wait-${wait}" style="width: ${((100 * waits[wait]) / waveCycles).toFixed(2)}%"></span>`,
      )}
    </div>
    <ul class="keys">
      ${spent.map(
        (wait) =>
          html`<li>
            <span class="key wait-${wait}"></span>${WAIT_NAMES[wait]} <b>${percent(waits[wait], waveCycles)}</b>
          </li>`,
      )}
    </ul>`;
}
