/** The melds of a function: what each one saves, and the alignments of its blocks. */
import type { FunctionHistory, HistoryStep, MeldedPlace } from '../../job/history.js';
import { pairClass } from '../graph/palette.js';
import { MeldLabels } from '../graph/tags.js';
import { html, type Html } from '../markup.js';
import { alignmentTable } from './alignment-table.js';
import { shortNumber } from './short-number.js';
import { roundsOf } from './rounds.js';

/** The first melds are unfolded. */
const OPEN_MELDS = 3;

/** @param id of the section: `f1` makes the second meld `#f1-M2` */
export function meldList({ steps, netUnit }: FunctionHistory, id: string): Html {
  const labels = new MeldLabels({ steps });
  const rounds = roundsOf(steps);
  const melds = steps.flatMap((step, at) => step.melds.map((meld, index) => ({ step, at, meld, index })));
  const items = melds.map(({ step, at, meld, index }, count) => {
    const label = labels.meld(at, index);
    return html`<details class="meld" id="${id}-${label}" ${count < OPEN_MELDS && 'open'}>
      <summary>
        <b>${label}</b> ${meld.kind}, parted by the branch in <code>${step.before.blocks[meld.branch]!.name}</code>:
        profitability (MP<sub>S</sub>) <b>${shortNumber(meld.profit)}</b>, net ${netUnit} saved
        <b>${shortNumber(meld.net)}</b>, round ${rounds[at]}
      </summary>
      ${meld.blocks.map((_, block) => alignment(labels, step, { step: at, meld: index, block }))}
    </details>`;
  });
  return html`<h3>Melds</h3>
    ${items}`;
}

function alignment(labels: MeldLabels, step: HistoryStep, place: MeldedPlace): Html {
  const label = labels.block(place);
  const pair = step.melds[place.meld]!.blocks[place.block]!;
  return html`<h4>
      <span class="chip ${pairClass(labels.color(place))} tag-${label.replace('.', '_')}">${label}</span>
    </h4>
    <div class="scroll">${alignmentTable(step, pair)}</div>`;
}
