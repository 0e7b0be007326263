/** The table of all functions of a module; those that have a section of their own lead to it. */
import type { FunctionHistory } from '../../job/history.js';
import type { FunctionReport } from '../../job/results.js';
import { html, type Html } from '../markup.js';

const SAVED = {
  cycles: "Cycles saved are the cost model's, of one execution, weighted by loop depth.",
  bytes: "Bytes saved are the cost model's, of the code.",
} as const;

const COUNTS = ['divergentBranches', 'instructions', 'machineInstructions'] as const;

export function functionTable(functions: readonly FunctionReport[], histories: readonly FunctionHistory[]): Html {
  const places = new Map(histories.map((history, index) => [history.function, index + 1]));
  // Functions that LLVM has inlined everywhere and deleted after melding.
  const gone = histories.filter((history) => !functions.some(({ name }) => name === history.function));
  const link = (name: string): Html | string => {
    const place = places.get(name);
    return place === undefined ? name : html`<a href="#f${place}">${name}</a>`;
  };
  const unit = functions[0]?.netUnit ?? 'cycles';
  const heads = ['melds', 'refused', `${unit} saved`, 'divergent branches', 'instructions', 'machine instructions'];
  const rows = functions.map(({ name, melds, before, after }) => {
    const net = melds.reduce((sum, meld) => sum + meld.net, 0);
    const refused = histories[(places.get(name) ?? 0) - 1]?.after.candidates.filter(isRefused).length ?? 0;
    return html`<tr>
      <td>${link(name)}</td>
      ${[melds.length, refused, Math.round(net)].map((figure) => html`<td class="figure">${figure}</td>`)}
      ${COUNTS.map((count) => change(before?.[count] ?? null, after[count]))}
    </tr>`;
  });
  return html`<h3>Functions</h3>
    <div class="scroll">
      <table class="overview">
        <thead>
          <tr>
            <th scope="col">function</th>
            ${heads.map((head) => html`<th scope="col" class="figure">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}${gone.map(
            (history) =>
              html`<tr>
                <td>${link(history.function)}</td>
                <td colspan="6" class="muted">not in the final code any more</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="note">
      Counts are those of the final code, without melding → with. ${SAVED[unit]} Functions without a link have no
      divergent branch to meld at.
    </p>`;
}

const isRefused = ({ verdict }: { readonly verdict: string }): boolean => verdict === 'refuse';

/** `before → after`; null: not known. */
function change(before: number | null, after: number | null): Html {
  if (after === null) return html`<td class="figure muted">–</td>`;
  if (before === null) return html`<td class="figure">${after}</td>`;
  return html`<td class="figure${after < before ? ' better' : ''}">${before} → ${after}</td>`;
}
