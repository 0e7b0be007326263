/** Cells of lanes as SVG paths, one for each level of activity: small, however many cells there are. */
import { raw } from 'hono/html';
import { html, type Html } from '../../markup.js';
import { LEVELS } from './figures.js';

const short = (value: number): string => String(Math.round(value * 100) / 100);

export class LaneCells {
  readonly #paths: string[] = new Array<string>(LEVELS + 1).fill('');

  /** A row of lanes. Lanes side by side with one level become one cell. @param width of a lane */
  row(
    levels: readonly number[],
    { x, y, width, height }: { x: number; y: number; width: number; height: number },
  ): void {
    for (let lane = 0; lane < levels.length;) {
      const level = levels[lane]!;
      let end = lane + 1;
      while (end < levels.length && levels[end] === level) end++;
      this.cell(level, x + lane * width, y, (end - lane) * width, height);
      lane = end;
    }
  }

  cell(level: number, x: number, y: number, width: number, height: number): void {
    this.#paths[level] += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
  }

  toHtml(): Html[] {
    return this.#paths.flatMap((path, level) =>
      path === '' ? [] : [html`<path class="lanes-${String(level)}" d="${raw(path)}" />`],
    );
  }
}
