/** Graphviz (compiled to WebAssembly, inside @viz-js/viz), loaded when something is to be drawn. */
import { GRAPH_COLORS, withVariables } from './palette.js';

/** From Graphviz's language to an SVG element. Throws when it is not well-formed. */
export type Layout = (dot: string) => string;

export async function loadLayout(): Promise<Layout> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return (dot) => {
    const svg = viz.renderString(dot, { format: 'svg', engine: 'dot' });
    const element = svg.slice(svg.indexOf('<svg'));
    // Text without a colour is Graphviz's black.
    return withVariables(element).replace(/<text (?![^>]*fill)/g, `<text fill="${GRAPH_COLORS.text.light}" `);
  };
}
