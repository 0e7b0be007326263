/**
 * Colours of graphs. Hues are those of Okabe and Ito, "Color Universal Design" (2008), lightened for the light theme
 * and darkened for the dark one, so that text on them is easy to read. Whatever a colour says, a label says as well. On
 * a page each colour is a CSS variable, so that a drawing follows the reader's theme.
 */
interface Themed {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

const themed = (name: string, light: string, dark: string): Themed => ({ name, light, dark });

/** Of melded blocks, in turn. */
export const PAIR_COLORS: readonly Themed[] = [
  themed('pair-1', '#c3e3f6', '#1d5272'),
  themed('pair-2', '#c2e8d8', '#0e5a45'),
  themed('pair-3', '#f5edaa', '#5c5613'),
  themed('pair-4', '#efd3e2', '#66344f'),
  themed('pair-5', '#c9d5f0', '#2b4080'),
  themed('pair-6', '#e6dccb', '#574a35'),
];
export const GRAPH_COLORS = {
  block: themed('block', '#fbfbfa', '#22262b'),
  line: themed('line', '#6b7280', '#8b95a3'),
  text: themed('text', '#1b1f24', '#e4e7eb'),
  /** Of divergent branches: vermilion. */
  divergent: themed('divergent', '#c04a00', '#ff8f4d'),
} as const;

export const pairColor = (index: number): Themed => PAIR_COLORS[index % PAIR_COLORS.length]!;

/** The class of `paletteStyle` that has the colour as its background. */
export const pairClass = (index: number): string => `color-${index % PAIR_COLORS.length}`;

const ALL: readonly Themed[] = [...PAIR_COLORS, ...Object.values(GRAPH_COLORS)];
const BY_LIGHT = new Map(ALL.map((each) => [each.light, each.name]));

/**
 * Style sheet of a page that shows graphs: a variable for each colour, by theme, and a class for each colour of melded
 * blocks.
 */
export function paletteStyle(): string {
  const variables = (theme: 'light' | 'dark') => ALL.map((each) => `--${each.name}: ${each[theme]};`).join(' ');
  const classes = PAIR_COLORS.map(({ name }, index) => `.${pairClass(index)} { background: var(--${name}); }\n`);
  return `:root { ${variables('light')} }
@media (prefers-color-scheme: dark) { :root { ${variables('dark')} } }
${classes.join('')}`;
}

/** Replaces the palette's colours in an SVG of Graphviz by their variables. */
export const withVariables = (svg: string): string =>
  svg
    .replace(/ (fill|stroke)="(#[0-9a-f]{6})"/g, (all, property: string, color: string) => {
      const name = BY_LIGHT.get(color);
      return name === undefined ? all : ` style="${property}:var(--${name})"`;
    })
    // An element has only one style attribute.
    .replace(/ style="(fill:[^"]*)" style="(stroke:[^"]*)"/g, ' style="$1;$2"');
