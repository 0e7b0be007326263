/**
 * Draws the graphs of a page, within limits: laying out a graph takes more than proportionally longer the larger it is, and a page
 * of many stays usable only if they are not too many.
 */
import type { FunctionPicture } from '../../job/history.js';
import { graphDot } from '../dot.js';
import type { Layout } from './layout.js';
import type { Tag } from './tags.js';

/** Blocks of one graph, edges of one graph, and blocks of all graphs of a page. */
export const MOST_BLOCKS = 400;
const MOST_EDGES = 1200;
const MOST_BLOCKS_OF_PAGE = 4000;

export class Gallery {
  private drawn = 0;

  constructor(private readonly layout: Layout) {}

  /** An SVG element, or a paragraph that says why there is none. */
  draw(
    picture: FunctionPicture,
    id: string,
    description: string,
    tags: readonly (readonly Tag[])[],
    link: (tag: Tag) => string,
  ): string {
    const { length: blocks } = picture.blocks;
    const edges = picture.blocks.reduce((sum, { successors }) => sum + successors.length, 0);
    if (blocks > MOST_BLOCKS || edges > MOST_EDGES)
      return note(
        `The graph has ${blocks} blocks and ${edges} edges, too many to be drawn (at most ${MOST_BLOCKS} and ${MOST_EDGES}).`,
      );
    if (this.drawn + blocks > MOST_BLOCKS_OF_PAGE)
      return note(`Not drawn: the graphs of this page before it have ${this.drawn} blocks together.`);
    this.drawn += blocks;
    const svg = this.layout(graphDot(picture, { title: id, id, tags, instructions: false, link }));
    // What Graphviz calls things shows up as the mouse stops over them.
    return svg
      .replace(/<title>[^<]*<\/title>\n?/g, '')
      .replace(/<!--.*?-->\n?/gs, '')
      .replace('<svg', `<svg role="group" aria-label="${description}"`);
  }
}

const note = (text: string): string =>
  `<p class="note">${text} <code>darm analyze --dot</code> writes it for Graphviz.</p>`;
