/** The report's section about a function, with lines of the source and the heat of blocks added to its graphs. */
import type { ExploredFunction } from '../src/explorer/protocol.js';
import { runPage } from '../src/report/html/page-script.js';
import { percent } from './heat.js';
import type { ShownHeat } from './listing-view.js';

/** @param index of the function, from 0 */
export function showFlow(into: HTMLElement, { html, blocks }: ExploredFunction, index: number): void {
  // Markup of ours, whose templates escape what is put into them.
  into.innerHTML = html;
  blocks.forEach((picture, at) =>
    picture.forEach(({ lines }, b) => {
      const node = into.querySelector<SVGGElement>(`#f${index + 1}-g${at}-b${b}`);
      if (node !== null && lines.length > 0) node.dataset['lines'] = lines.join(' ');
    }),
  );
  runPage(into);
  // The page's own fragment is the state; these links only lead to another part of the section.
  for (const link of into.querySelectorAll<SVGAElement | HTMLAnchorElement>('a'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const href = link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? '';
      const target = into.querySelector(`#${CSS.escape(href.slice(1))}`);
      if (target instanceof HTMLDetailsElement) target.open = true;
      target?.scrollIntoView({ block: 'nearest' });
    });
}

const SVG = 'http://www.w3.org/2000/svg';

/** @param hot of the code without and with melding */
export function heatFlow(
  into: HTMLElement,
  { name, blocks }: ExploredFunction,
  index: number,
  hot: readonly [ShownHeat, ShownHeat] | null,
): void {
  into.querySelectorAll('.block-heat').forEach((old) => old.remove());
  if (hot === null) return;
  for (const [at, { heat, metric }] of [
    [0, hot[0]],
    [blocks.length - 1, hot[1]],
  ] as const) {
    const found = blocks[at]!.map((block) => heat.block(name, block.name, block.lines));
    const all = found.filter((each) => each !== null);
    found.forEach((figures, b) => {
      const node = into.querySelector<SVGGElement>(`#f${index + 1}-g${at}-b${b}`);
      const outline = node?.querySelector<SVGGraphicsElement>('polygon');
      if (figures === null || !node || !outline) return;
      const box = outline.getBBox();
      const share = heat.share(figures, metric, all);
      const group = document.createElementNS(SVG, 'g');
      group.setAttribute('class', 'block-heat');
      const title = document.createElementNS(SVG, 'title');
      title.textContent = heat.describe(figures);
      group.append(title);
      for (const [kind, height] of [
        ['rail', 1],
        ['bar', share],
      ] as const) {
        const bar = document.createElementNS(SVG, 'rect');
        bar.setAttribute('class', kind);
        bar.setAttribute('x', String(box.x + box.width - 6));
        bar.setAttribute('y', String(box.y + (1 - height) * box.height));
        bar.setAttribute('width', '6');
        bar.setAttribute('height', String(height * box.height));
        group.append(bar);
      }
      group.setAttribute('aria-label', `${percent(heat.idle(figures))} idle`);
      node.append(group);
    });
  }
}
