/** The part of a report page about one function: its graphs before, between and after the steps, its melds, its refusals. */
import type { Candidate, Meld } from '../../melding/plan.js';
import type { FunctionHistory, FunctionPicture, HistoryStep } from '../../job/history.js';
import type { FunctionReport } from '../../job/results.js';
import { alignmentTable } from './alignment-table.js';
import { escaped } from './escape.js';
import type { Gallery } from './gallery.js';
import { PAIR_COLORS } from '../palette.js';
import { MeldLabels, tagsOf } from './tags.js';

/** Melds beyond these are folded. */
const OPEN_MELDS = 3;
/** Refusals beyond these are folded. */
const OPEN_REFUSALS = 12;

export function functionSection(
  history: FunctionHistory,
  counts: FunctionReport | null,
  id: string,
  gallery: Gallery,
): string {
  const { steps, after, bailout } = history;
  const refused = after.candidates.filter(({ verdict }) => verdict === 'refuse');
  const melds = steps.reduce((sum, step) => sum + step.melds.length, 0);
  const before = steps[0]?.before ?? after;
  const divergent = (picture: FunctionPicture) => picture.blocks.filter((block) => block.divergent).length;
  const machine = counts?.after.machineInstructions;
  const figures = [
    `${melds} meld${melds === 1 ? '' : 's'}`,
    `${refused.length} refused`,
    `divergent branches at the meld point ${arrow(divergent(before), divergent(after))}`,
    `instructions ${arrow(before.instructions.length, after.instructions.length)}`,
    ...(machine == null
      ? []
      : [`machine instructions ${arrow(counts!.before?.machineInstructions ?? machine, machine)}`]),
  ];
  return `<section id="${id}">
<h2><code>${escaped(history.function)}</code></h2>
<p class="muted">${figures.join(' · ')}</p>
${bailout === null ? '' : `<p class="failed">Melding stopped half-way: ${escaped(bailout)}</p>`}
${graphs(history, id, gallery)}
${melds === 0 ? '' : `<h3>Melds</h3>${meldList(history, id)}`}
${refused.length === 0 ? '' : refusals(after, refused)}
</section>`;
}

const arrow = (before: number, after: number): string => (before === after ? String(after) : `${before} → ${after}`);

// --- graphs -----------------------------------------------------------------------------------------------------------------

function graphs(history: FunctionHistory, id: string, gallery: Gallery): string {
  const { steps, after } = history;
  const pictures = [...steps.map(({ before }) => before), after];
  const captions = captionsOf(steps);
  // The first and the last matter most, should the limits not allow all.
  const order = [0, pictures.length - 1, ...pictures.keys()].filter((at, index, all) => all.indexOf(at) === index);
  const drawn = new Map<number, string>();
  for (const at of order) {
    const svg = gallery.draw(
      pictures[at]!,
      `${id}-g${at}`,
      `control-flow graph, ${captions[at]!}`,
      tagsOf(history, at, pictures[at]!),
      ({ label }) => `#${id}-${label.split('.')[0]!}`,
    );
    drawn.set(at, svg);
  }
  const figures = pictures.map(
    (_, at) =>
      `<figure data-stage="${at}"><figcaption><span>${captions[at]!}</span>` +
      `<label><input type="checkbox" class="fit"> fit</label></figcaption><div class="canvas">${drawn.get(at)!}</div></figure>`,
  );
  return `${legend(steps.length > 0)}${steps.length > 1 ? rounds(steps) : ''}<div class="graphs">${figures.join('')}</div>`;
}

function captionsOf(steps: readonly HistoryStep[]): string[] {
  if (steps.length === 0) return ['control flow'];
  const captions = ['before melding'];
  let round = 0;
  for (const { lowered } of steps)
    captions.push(lowered.length > 0 ? 'after lowering switches' : `after round ${++round}`);
  if (steps.length === 1) captions[1] = 'after melding';
  else captions[steps.length] += ', the last';
  return captions;
}

function rounds(steps: readonly HistoryStep[]): string {
  let round = 0;
  const button = (text: string, from: number, to: number) =>
    `<button type="button" data-stages="${from} ${to}" aria-pressed="false">${text}</button>`;
  const buttons = steps.map(({ lowered }, at) =>
    button(lowered.length > 0 ? 'lowering of switches' : `round ${++round}`, at, at + 1),
  );
  return `<div class="rounds">${button('first and last', 0, steps.length)}${buttons.join('')}</div>`;
}

function legend(melds: boolean): string {
  const meaning = melds
    ? '<span><span class="chip color-0">M1 T</span> <span class="chip color-0">M1 F</span> will be melded: true and false side</span>' +
      '<span><span class="chip color-0">holds M1</span> what became of them</span>'
    : '';
  return `<div class="legend"><span><span class="sample">◆ divergent branch</span> threads of a wave may part</span>${meaning}</div>`;
}

// --- melds --------------------------------------------------------------------------------------------------------------------

function meldList(history: FunctionHistory, id: string): string {
  const labels = new MeldLabels(history);
  let count = 0;
  let round = 0;
  return history.steps
    .map((step, at) => {
      if (step.melds.length > 0) round++;
      return step.melds
        .map((meld, index) => meldDetails(labels, step, at, meld, index, round, id, count++ < OPEN_MELDS))
        .join('');
    })
    .join('');
}

function meldDetails(
  labels: MeldLabels,
  step: HistoryStep,
  at: number,
  meld: Meld,
  index: number,
  round: number,
  id: string,
  open: boolean,
): string {
  const label = labels.meld(at, index);
  const blocks = meld.blocks.map((pair, block) => {
    const place = { step: at, meld: index, block };
    const own = labels.block(place);
    const color = labels.color(place) % PAIR_COLORS.length;
    return (
      `<h4><span class="chip color-${color} tag-${own.replace('.', '_')}">${own}</span></h4>` +
      `<div class="scroll">${alignmentTable(step, pair)}</div>`
    );
  });
  return (
    `<details class="meld" id="${id}-${label}"${open ? ' open' : ''}><summary><b>${label}</b> ${meld.kind}, parted by the branch in ` +
    `<code>${escaped(step.before.blocks[meld.branch]!.name)}</code>: profitability (MP<sub>S</sub>) <b>${figure(meld.profit)}</b>, ` +
    `net cycles saved <b>${figure(meld.net)}</b>, round ${round}</summary>${blocks.join('')}</details>`
  );
}

/** At most three decimals. */
const figure = (value: number): string => String(Math.round(value * 1000) / 1000);

// --- refusals -----------------------------------------------------------------------------------------------------------------

function refusals({ blocks }: FunctionPicture, refused: readonly Candidate[]): string {
  const names = (ids: readonly number[]): string => ids.map((id) => escaped(blocks[id]!.name)).join(' ');
  const code = (text: string): string => `<td><code>${text}</code></td>`;
  const rows = refused.map(
    ({ branch, sides, kind, profit, net, rule, reason }) =>
      `<tr>${code(names([branch]))}${code(names(sides[0]))}${code(names(sides[1]))}<td>${kind}</td>` +
      `<td>${escaped(rule ?? '')}</td><td>${escaped(reason)}</td>` +
      `<td class="figure">${profit === 0 ? '' : figure(profit)}</td><td class="figure">${net === 0 ? '' : figure(net)}</td></tr>`,
  );
  const heads = ['branch in', 'true side', 'false side', 'kind', 'rule', 'reason'];
  return (
    `<h3>Refused</h3><details class="refusals"${refused.length <= OPEN_REFUSALS ? ' open' : ''}>` +
    `<summary>${refused.length} candidate${refused.length === 1 ? '' : 's'}, of the function as it is in the end</summary>` +
    `<div class="scroll"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}` +
    `<th scope="col" class="figure">MP<sub>S</sub></th><th scope="col" class="figure">net</th></tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div></details>`
  );
}
