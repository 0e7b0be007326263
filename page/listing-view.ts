/** Rows of IR or machine code, with how often they ran and how many lanes did nothing. */
import type { Listing, Side } from '../src/explorer/protocol.js';
import { element } from './dom.js';
import { percent, type Heat, type Metric } from './heat.js';

const TITLES: Readonly<Record<Side, string>> = { before: 'without melding', after: 'with melding' };

export interface ShownHeat {
  readonly heat: Heat;
  readonly metric: Metric;
}

/** @param name the function to show; null: all */
export function listingView(listing: Listing, side: Side, name: string | null, hot: ShownHeat | null): HTMLElement {
  const rows = listing.rows.filter((row) => name === null || row.function === name);
  const body = element('tbody');
  for (const row of rows) {
    const line = element('tr', { class: row.kind });
    if (row.lines.length > 0) line.dataset['lines'] = row.lines.join(' ');
    if (hot !== null) line.append(...heatCells(hot, hot.heat.row(row)));
    line.append(element('td', { class: 'code' }, row.kind === 'instruction' ? `  ${row.text.trim()}` : row.text));
    body.append(line);
  }
  const count = rows.filter(({ kind }) => kind === 'instruction').length;
  const heads = hot === null ? [] : ['ran', 'lanes', ''];
  return element(
    'figure',
    { class: 'listing', 'data-side': side },
    element(
      'figcaption',
      {},
      element('span', {}, TITLES[side]),
      element('span', { class: 'muted' }, `${count} instructions`),
    ),
    element(
      'div',
      { class: 'canvas', tabindex: '0', role: 'region', 'aria-label': `code ${TITLES[side]}` },
      element(
        'table',
        {},
        hot !== null &&
          element(
            'thead',
            {},
            element(
              'tr',
              {},
              ...heads.map((head) => element('th', { scope: 'col' }, head)),
              element('th', { scope: 'col' }, 'instruction'),
            ),
          ),
        body,
      ),
      listing.omitted > 0 && element('p', { class: 'note' }, `${listing.omitted} more rows are not shown.`),
    ),
  );
}

function heatCells({ heat, metric }: ShownHeat, figures: ReturnType<Heat['row']>): HTMLElement[] {
  if (figures === null) return [element('td'), element('td'), element('td')];
  const mean = figures.lanes / Math.max(1, figures.executed);
  const bar = element('td', { class: 'heat', title: heat.describe(figures) });
  bar.style.setProperty('--heat', heat.rowShare(figures, metric).toFixed(3));
  bar.append(element('span', { class: 'hidden' }, `${percent(heat.idle(figures))} idle`));
  return [
    element('td', { class: 'figure' }, String(figures.executed)),
    element('td', { class: 'figure' }, Number.isInteger(mean) ? String(mean) : mean.toFixed(1)),
    bar,
  ];
}
