/**
 * Draws the graphs of a page, within limits: the time to lay out a graph grows faster than the graph, and a browser is
 * slow with a page of too many.
 */
import { raw } from 'hono/html';
import type { FunctionPicture } from '../../job/history.js';
import { graphDot } from '../graph/dot.js';
import type { Layout } from '../graph/layout.js';
import type { Tag } from '../graph/tags.js';
import { html, type Html } from '../markup.js';

/** Blocks of one graph, edges of one graph, and blocks of all graphs of a page. */
export const MOST_BLOCKS = 400;
const MOST_EDGES = 1200;
const MOST_BLOCKS_OF_PAGE = 4000;

export interface Drawing {
  /** Begins the ids of the graph's elements. */
  readonly id: string;
  /** For those who cannot see it; plain words. */
  readonly description: string;
  /** By block. */
  readonly tags: readonly (readonly Tag[])[];
  /** Where a tag leads to. */
  readonly link: (tag: Tag) => string;
}

export class Gallery {
  private drawn = 0;

  constructor(private readonly layout: Layout) {}

  /** An SVG element, or a paragraph that says why there is none. */
  draw(picture: FunctionPicture, { id, description, tags, link }: Drawing): Html {
    const { length: blocks } = picture.blocks;
    const edges = picture.blocks.reduce((sum, { successors }) => sum + successors.length, 0);
    if (blocks > MOST_BLOCKS || edges > MOST_EDGES)
      return note(
        `The graph has ${blocks} blocks and ${edges} edges, too many to be drawn ` +
          `(at most ${MOST_BLOCKS} and ${MOST_EDGES}).`,
      );
    if (this.drawn + blocks > MOST_BLOCKS_OF_PAGE)
      return note(`Not drawn: the graphs of this page before it have ${this.drawn} blocks together.`);
    this.drawn += blocks;
    const svg = this.layout(graphDot(picture, { title: id, id, tags, instructions: false, link }));
    return raw(
      svg
        // Browsers show an element's title where the mouse stops; Graphviz's titles mean nothing to the reader.
        .replace(/<title>[^<]*<\/title>\n?/g, '')
        .replace(/<!--.*?-->\n?/gs, '')
        .replace('<svg', `<svg role="group" aria-label="${description}"`),
    );
  }
}

const note = (text: string): Html =>
  html`<p class="note">${text} <code>darm analyze --dot</code> writes it for Graphviz.</p>`;
