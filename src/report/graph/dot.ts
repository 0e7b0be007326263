/**
 * A picture of a function as a control-flow graph in Graphviz's language. The labels of blocks are HTML-like tables, so
 * that names are escaped as in HTML and every tag has a cell with its own colour. Divergent branches have a label, a
 * colour of their own and thick edges.
 */
import type { FunctionPicture } from '../../job/history.js';
import { escaped } from '../markup.js';
import { GRAPH_COLORS, pairColor } from './palette.js';
import type { Tag } from './tags.js';

export interface DotOptions {
  readonly title: string;
  /** The ids of the SVG's elements begin with it; a page holds several graphs. */
  readonly id: string;
  /** By block. */
  readonly tags: readonly (readonly Tag[])[];
  /** Whether blocks show their instructions, or only how many there are. */
  readonly instructions: boolean;
  /** Where a click on a block with a tag leads to; null: nowhere. */
  readonly link: ((tag: Tag) => string) | null;
}

/**
 * If the edges of a graph span more blocks than this in total, Graphviz draws straight lines and searches less for a
 * good layout: it would take minutes otherwise.
 */
const MOST_SPAN = 6000;

export function graphDot(picture: FunctionPicture, options: DotOptions): string {
  const { block, line, text } = GRAPH_COLORS;
  const speed = spanOf(picture) > MOST_SPAN ? ', splines=line, mclimit=0.2, nslimit=2, nslimit1=2' : '';
  const lines = [
    `digraph ${quoted(options.title)} {`,
    `  graph [id=${quoted(options.id)}, bgcolor="transparent", ranksep=0.35, nodesep=0.3${speed}];`,
    `  node [shape=box, style="filled", fontname="Courier", fontsize=11, margin="0.06,0.03", height=0, width=0, ` +
      `fillcolor="${block.light}", color="${line.light}", fontcolor="${text.light}"];`,
    `  edge [fontname="Courier", fontsize=10, arrowsize=0.7, labeldistance=1.7, color="${line.light}", ` +
      `fontcolor="${text.light}"];`,
  ];
  for (let b = 0; b < picture.blocks.length; b++) lines.push(...blockLines(picture, b, options));
  return `${lines.join('\n')}\n}\n`;
}

/** The number of blocks between the ends of each edge, in total: the time of a drawing depends on it. */
const spanOf = ({ blocks }: FunctionPicture): number =>
  blocks.reduce((sum, { successors }, b) => successors.reduce((own, to) => own + Math.abs(to - b), sum), 0);

function blockLines(picture: FunctionPicture, b: number, options: DotOptions): string[] {
  const { blocks } = picture;
  const { divergent, successors } = blocks[b]!;
  const { id, tags, link } = options;
  const own = tags[b]!;
  const classes = ['block', ...(divergent ? ['divergent'] : []), ...own.map(({ label }) => `tag-${label}`)];
  const attributes = [
    `id=${quoted(`${id}-b${b}`)}`,
    `class=${quoted(classes.map((name) => name.replace('.', '_')).join(' '))}`,
    `label=<${label(picture, b, options)}>`,
  ];
  if (divergent) attributes.push(`color="${GRAPH_COLORS.divergent.light}"`, 'penwidth=2.2');
  if (own.length > 0) attributes.push(`fillcolor="${pairColor(own[0]!.color).light}"`);
  if (own.length > 0 && link !== null)
    attributes.push(`URL=${quoted(link(own[0]!))}`, `tooltip=${quoted(own[0]!.label)}`);
  const lines = [`  b${b} [${attributes.join(', ')}];`];
  const end = blocks[b + 1]?.first ?? picture.instructions.length;
  const branches = successors.length === 2 && picture.instructions[end - 1]!.startsWith('br ');
  for (const [slot, to] of successors.entries()) {
    const edge = [`id=${quoted(`${id}-e${b}-${slot}`)}`];
    if (branches) edge.push(`taillabel="${slot === 0 ? 'T' : 'F'}"`, 'labelangle=40');
    if (divergent) edge.push('class="divergent"', `color="${GRAPH_COLORS.divergent.light}"`, 'penwidth=1.8');
    lines.push(`  b${b} -> b${to} [${edge.join(', ')}];`);
  }
  return lines;
}

function label(picture: FunctionPicture, b: number, { tags, instructions }: DotOptions): string {
  const { blocks } = picture;
  const { name, first, divergent } = blocks[b]!;
  const end = blocks[b + 1]?.first ?? picture.instructions.length;
  const row = (text: string, cell = '') => `<TR><TD${cell}>${text}</TD></TR>`;
  const rows = [row(`<B>${escaped(shortened(name))}</B>`)];
  if (instructions) {
    const texts = picture.instructions.slice(first, end).map((text) => escaped(text.replace(/\s*\n\s*/g, ' ')));
    const lines = texts.map((text) => `${text}<BR ALIGN="LEFT"/>`).join('');
    rows.push(row(`${lines}`, ' ALIGN="LEFT" BALIGN="LEFT"'));
  } else rows.push(row(`${end - first} instruction${end - first === 1 ? '' : 's'}`));
  if (divergent) rows.push(row(`<FONT COLOR="${GRAPH_COLORS.divergent.light}"><B>◆ divergent branch</B></FONT>`));
  for (const { label, color, side } of tags[b]!) {
    const said = side === null ? `holds ${label}` : `${label} ${side}`;
    const { light } = pairColor(color);
    rows.push(row(`<B>${said}</B>`, ` BORDER="1" COLOR="${GRAPH_COLORS.line.light}" BGCOLOR="${light}"`));
  }
  return `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="1">${rows.join('')}</TABLE>`;
}

const LONGEST_NAME = 60;
const shortened = (name: string): string =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 20)}…${name.slice(-19)}`;

/** In quotes, too, a backslash and `&` have a meaning for Graphviz. */
const quoted = (text: string): string => `"${escaped(text).replace(/\\/g, '\\\\').replace(/\n/g, ' ')}"`;
