/**
 * Draws graphs with Graphviz (compiled to WebAssembly, in @viz-js/viz), which is loaded only when something is drawn.
 */
import { withVariables } from './palette.js';

/** Makes an SVG element from text in Graphviz's language. Throws if the text is not well-formed. */
export type Layout = (dot: string) => string;

export async function loadLayout(): Promise<Layout> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return (dot) => {
    const svg = viz.renderString(dot, { format: 'svg', engine: 'dot' });
    return withVariables(svg.slice(svg.indexOf('<svg')));
  };
}
