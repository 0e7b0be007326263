/** The views of a compiled kernel and of a launch of it. Each fills its panel. */
import type { Explored, Launched, Listing, ListingForm, Side } from '../src/explorer/protocol.js';
import { byId, element } from './dom.js';
import { heatFlow, showFlow } from './flow-view.js';
import { percent, type Heat, type Metric } from './heat.js';
import { listingView } from './listing-view.js';

/** Heat of the code without and with melding, and what of it is shown. */
export interface Hot {
  readonly heat: readonly [Heat, Heat];
  readonly metric: Metric;
}

/** @param index of the function, from 0 */
export function drawFlow({ functions }: Explored, index: number, hot: Hot | null): void {
  const panel = byId('flow');
  const found = functions[index];
  if (found === undefined) {
    const text = 'No function has a divergent branch to meld at: all threads of a wave go the same way.';
    panel.replaceChildren(element('p', { class: 'empty' }, text));
    return;
  }
  showFlow(panel, found, index);
  if (hot !== null)
    heatFlow(panel, found, index, [
      { heat: hot.heat[0], metric: hot.metric },
      { heat: hot.heat[1], metric: hot.metric },
    ]);
}

/** @param goTo called with a line of the source */
export function drawRemarks({ remarks }: Explored, goTo: (line: number) => void): void {
  const kinds = {
    passed: 'melded',
    missed: 'left alone',
    switch: 'left alone',
    lowered: 'made branches',
    failure: 'stopped',
    analysis: 'summary',
  } as const;
  const items = remarks.map(({ kind, function: name, text, line }) => {
    const item = element(
      'li',
      { class: kind },
      element('b', {}, kinds[kind]),
      ' ',
      element('code', {}, name),
      ' ',
      text,
    );
    if (line !== null) {
      item.dataset['lines'] = String(line);
      const button = element('button', { type: 'button' }, `line ${line}`);
      button.addEventListener('click', () => goTo(line));
      item.append(' ', button);
    }
    return item;
  });
  byId('remarks').replaceChildren(
    items.length === 0
      ? element('p', { class: 'empty' }, 'There is nothing to say: no branch of this kernel is divergent.')
      : element('ul', { class: 'remarks' }, ...items),
  );
}

/** @param name the function to show; null: all */
export function drawListings(
  form: ListingForm,
  [before, after]: readonly [Listing, Listing],
  name: string | null,
  hot: Hot | null,
): void {
  const view = (listing: Listing, side: Side, index: 0 | 1): HTMLElement =>
    listingView(listing, form, side, name, hot === null ? null : { heat: hot.heat[index], metric: hot.metric });
  byId(form).replaceChildren(element('div', { class: 'graphs' }, view(before, 'before', 0), view(after, 'after', 1)));
}

/** @param isOld whether the kernel has changed since; `launched` is null before the first launch */
export function drawCounters(launched: Launched | null, isOld: boolean): void {
  const panel = byId('counters');
  if (launched === null) {
    panel.replaceChildren(element('p', { class: 'empty' }, 'Nothing has run yet: choose a launch and press Run.'));
    return;
  }
  const made = element('div');
  // Markup of ours, as in the other views.
  made.innerHTML = launched.html;
  const same = launched.differences.length === 0;
  panel.replaceChildren(
    element(
      'p',
      { class: same ? 'good' : 'failed' },
      same ? 'Both leave the same memory.' : `The memory differs: ${launched.differences.join('; ')}.`,
    ),
    isOld ? element('p', { class: 'note' }, 'Of an earlier version of the kernel.') : '',
    ...launched.launches.flatMap(({ profiles: [before, after] }) =>
      before === null || after === null ? [] : [element('p', {}, idleSentence(before, after))],
    ),
    made,
  );
}

type Profile = NonNullable<Launched['launches'][0]['profiles'][0]>;

function idleSentence(before: Profile, after: Profile): string {
  const idle = ({ executed, lanes, waveSize }: Profile): string =>
    percent(1 - lanes / Math.max(1, executed * waveSize));
  const lost = ({ time }: Profile): string => (time === null ? '?' : String(Math.round(time.lostCycles)));
  return (
    `Lanes that did nothing: ${idle(before)} without melding, ${idle(after)} with. ` +
    `Cycles lost with idle lanes: ${lost(before)} without, ${lost(after)} with.`
  );
}
