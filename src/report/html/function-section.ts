/** The part of a report page about one function: its control-flow graphs, its melds, its refusals. */
import type { FunctionHistory, FunctionPicture } from '../../job/history.js';
import type { FunctionReport } from '../../job/results.js';
import { html, type Html } from '../markup.js';
import { functionGraphs } from './function-graphs.js';
import type { Gallery } from './gallery.js';
import { meldList } from './meld-list.js';
import { refusalTable } from './refusal-table.js';

export function functionSection(
  history: FunctionHistory,
  counts: FunctionReport | null,
  id: string,
  gallery: Gallery,
): Html {
  const { steps, after, bailout } = history;
  const refused = after.candidates.filter(({ verdict }) => verdict === 'refuse');
  const melds = steps.reduce((sum, step) => sum + step.melds.length, 0);
  const before = steps[0]?.before ?? after;
  const divergent = (picture: FunctionPicture) => picture.blocks.filter((block) => block.divergent).length;
  const machine = counts?.after.machineInstructions;
  const hoisted = counts?.sidesHoisted ?? 0;
  const figures = [
    count(melds, 'meld'),
    ...(hoisted > 0 ? [`${count(hoisted, 'side')} hoisted`] : []),
    `${refused.length} refused`,
    `divergent branches at the meld point ${change(divergent(before), divergent(after))}`,
    `instructions ${change(before.instructions.length, after.instructions.length)}`,
    ...(machine == null
      ? []
      : [`machine instructions ${change(counts!.before?.machineInstructions ?? machine, machine)}`]),
  ];
  return html`<section id="${id}">
    <h2><code>${history.function}</code></h2>
    <p class="muted">${figures.join(' · ')}</p>
    ${bailout !== null && html`<p class="failed">Melding stopped half-way: ${bailout}</p>`}
    ${functionGraphs(history, id, gallery)} ${melds > 0 && meldList(history, id)}
    ${refused.length > 0 && refusalTable(after, refused)}
  </section>`;
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const change = (before: number, after: number): string => (before === after ? String(after) : `${before} → ${after}`);
