/** Rows of IR or machine code, with how often they ran and how many lanes did nothing. */
import type { Listing, ListingForm, ListingRow, Side } from '../src/explorer/protocol.js';
import { element } from './dom.js';
import { percent, type Figures, type Heat, type Metric } from './heat.js';

const TITLES: Readonly<Record<Side, string>> = { before: 'without melding', after: 'with melding' };

export interface ShownHeat {
  readonly heat: Heat;
  readonly metric: Metric;
}

/** @param name the function to show; null: all */
export function listingView(
  listing: Listing,
  form: ListingForm,
  side: Side,
  name: string | null,
  hot: ShownHeat | null,
): HTMLElement {
  const rows = listing.rows.filter((row) => name === null || row.function === name);
  const blocks = hot === null || form !== 'ir' ? new Map<string, Figures>() : blocksOf(hot.heat, rows);
  const body = element('tbody');
  for (const row of rows) {
    const line = element('tr', { class: row.kind });
    if (row.lines.length > 0) line.dataset['lines'] = row.lines.join(' ');
    if (hot !== null) line.append(...(form === 'ir' ? blockCells(hot, row, blocks) : rowCells(hot, row)));
    line.append(element('td', { class: 'code' }, row.kind === 'instruction' ? `  ${row.text.trim()}` : row.text));
    body.append(line);
  }
  const count = rows.filter(({ kind }) => kind === 'instruction').length;
  const heads = hot === null ? [] : form === 'ir' ? ['lanes', ''] : ['ran', 'lanes', ''];
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

/** An instruction of the machine's. */
function rowCells({ heat, metric }: ShownHeat, row: ListingRow): HTMLElement[] {
  const figures = heat.row(row);
  if (figures === null) return [element('td'), element('td'), element('td')];
  return [
    element('td', { class: 'figure' }, String(figures.executed)),
    element('td', { class: 'figure' }, meanLanes(figures)),
    bar(heat.describe(figures), heat.rowShare(figures, metric), heat.idle(figures)),
  ];
}

/** Instructions of IR have the figures of their block: what each becomes is not known. */
function blockCells({ heat, metric }: ShownHeat, row: ListingRow, blocks: BlockFigures): HTMLElement[] {
  const figures = blocks.get(blockKey(row));
  if (figures === undefined) return [element('td'), element('td')];
  const isHead = row.kind === 'label';
  return [
    element('td', { class: 'figure' }, isHead ? meanLanes(figures) : ''),
    bar(
      `its block: ${heat.describe(figures)}`,
      heat.share(figures, metric, blocks.values()),
      heat.idle(figures),
      isHead,
    ),
  ];
}

type BlockFigures = ReadonlyMap<string, Figures>;

const blockKey = ({ function: name, block }: ListingRow): string => `${name} ${block}`;

/** A block's first row, its label, has all of its lines: machine code does not name every block of IR. */
function blocksOf(heat: Heat, rows: readonly ListingRow[]): BlockFigures {
  const blocks = new Map<string, Figures>();
  for (const row of rows) {
    const { function: name, block, lines } = row;
    if (block === null || blocks.has(blockKey(row))) continue;
    const figures = heat.block(name, block, lines);
    if (figures !== null) blocks.set(blockKey(row), figures);
  }
  return blocks;
}

function meanLanes({ executed, lanes }: Figures): string {
  const mean = lanes / Math.max(1, executed);
  return Number.isInteger(mean) ? String(mean) : mean.toFixed(1);
}

/** @param isTold false where the row above has said it */
function bar(title: string, share: number, idle: number, isTold = true): HTMLElement {
  const cell = element('td', { class: 'heat', title });
  cell.style.setProperty('--heat', share.toFixed(3));
  if (isTold) cell.append(element('span', { class: 'hidden' }, `${percent(idle)} idle`));
  return cell;
}
