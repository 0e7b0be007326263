/**
 * The control-flow graphs of a function before and after each step of melding, with a legend and buttons that choose a
 * round.
 */
import type { FunctionHistory, HistoryStep } from '../../job/history.js';
import { pairClass } from '../graph/palette.js';
import { tagsOf } from '../graph/tags.js';
import { html, type Html } from '../markup.js';
import type { Gallery } from './gallery.js';
import { roundsOf } from './rounds.js';

export function functionGraphs(history: FunctionHistory, id: string, gallery: Gallery): Html {
  const { steps, after } = history;
  const pictures = [...steps.map(({ before }) => before), after];
  const captions = captionsOf(steps);
  const drawn = new Map<number, Html>();
  // The first and the last graph matter most, in case the limits do not allow all.
  for (const at of new Set([0, pictures.length - 1, ...pictures.keys()])) {
    const picture = pictures[at]!;
    const graph = gallery.draw(picture, {
      id: `${id}-g${at}`,
      description: `control-flow graph, ${captions[at]!}`,
      tags: tagsOf(history, at, picture),
      link: ({ label }) => `#${id}-${label.split('.')[0]!}`,
    });
    drawn.set(at, graph);
  }
  const figures = captions.map(
    (caption, at) =>
      html`<figure data-stage="${at}">
        <figcaption>
          <span>${caption}</span><label><input type="checkbox" class="fit" /> fit</label>
        </figcaption>
        <div class="canvas">${drawn.get(at)}</div>
      </figure>`,
  );
  return html`<div class="legend">${legend(steps.length > 0)}</div>
    ${steps.length > 1 && html`<div class="rounds">${roundButtons(steps)}</div>`}
    <div class="graphs">${figures}</div>`;
}

/** By picture. */
function captionsOf(steps: readonly HistoryStep[]): string[] {
  if (steps.length === 0) return ['control flow'];
  if (steps.length === 1) return ['before melding', 'after melding'];
  const after = roundsOf(steps).map((round) => (round === null ? 'after lowering switches' : `after round ${round}`));
  after[after.length - 1] += ', the last';
  return ['before melding', ...after];
}

function roundButtons(steps: readonly HistoryStep[]): Html[] {
  const button = (text: string, from: number, to: number) =>
    html`<button type="button" data-stages="${from} ${to}" aria-pressed="false">${text}</button>`;
  const names = roundsOf(steps).map((round) => (round === null ? 'lowering of switches' : `round ${round}`));
  return [button('first and last', 0, steps.length), ...names.map((name, at) => button(name, at, at + 1))];
}

function legend(melds: boolean): Html[] {
  const divergent = html`<span><span class="sample">◆ divergent branch</span> threads of a wave may part</span>`;
  if (!melds) return [divergent];
  const chip = (text: string) => html`<span class="chip ${pairClass(0)}">${text}</span>`;
  return [
    divergent,
    html`<span>${chip('M1 T')} ${chip('M1 F')} will be melded: true and false side</span>`,
    html`<span>${chip('holds M1')} what became of them</span>`,
  ];
}
