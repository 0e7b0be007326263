/** What the simulator counted in the launches of a spec, without and with melding: one table per launch. */
import { counterRows, type MeasuredLaunch } from '../counter-rows.js';
import { html, type Html } from '../markup.js';

export const counterTables = (launches: readonly MeasuredLaunch[]): Html =>
  html`<h3>Simulated counters</h3>
    <div class="scroll">${launches.map(counterTable)}</div>`;

const counterTable = ({ kernel, before, after }: MeasuredLaunch): Html =>
  html`<div>
    <h4>${kernel}</h4>
    <table class="counters">
      <thead>
        <tr>
          <th scope="col">counter</th>
          <th scope="col" class="figure">without melding</th>
          <th scope="col" class="figure">with</th>
          <th scope="col" class="figure">ratio</th>
        </tr>
      </thead>
      <tbody>
        ${counterRows([before, after]).map(
          ([label, ...figures]) =>
            html`<tr>
              <th scope="row">${label}</th>
              ${figures.map((figure) => html`<td class="figure">${figure}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
