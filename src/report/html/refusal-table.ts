/** The candidates that were not melded, each with the rule and the reason. */
import type { FunctionPicture } from '../../job/history.js';
import type { Candidate } from '../../melding/plan.js';
import { html, type Html } from '../markup.js';
import { shortNumber } from './short-number.js';

/** More refusals than these are folded. */
const OPEN_REFUSALS = 12;

export function refusalTable({ blocks }: FunctionPicture, refused: readonly Candidate[]): Html {
  const names = (ids: readonly number[]): string => ids.map((id) => blocks[id]!.name).join(' ');
  const figure = (value: number) => html`<td class="figure">${value === 0 ? '' : shortNumber(value)}</td>`;
  const rows = refused.map(
    ({ branch, sides, kind, profit, net, rule, reason }) =>
      html`<tr>
        ${[[branch], ...sides].map((ids) => html`<td><code>${names(ids)}</code></td>`)}
        <td>${kind}</td>
        <td>${rule}</td>
        <td>${reason}</td>
        ${figure(profit)}${figure(net)}
      </tr>`,
  );
  const heads = ['branch in', 'true side', 'false side', 'kind', 'rule', 'reason'];
  return html`<h3>Refused</h3>
    <details class="refusals" ${refused.length <= OPEN_REFUSALS && 'open'}>
      <summary>
        ${refused.length} candidate${refused.length === 1 ? '' : 's'}, of the function as it is in the end
      </summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              ${heads.map((head) => html`<th scope="col">${head}</th>`)}
              <th scope="col" class="figure">MP<sub>S</sub></th>
              <th scope="col" class="figure">net</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
    </details>`;
}
