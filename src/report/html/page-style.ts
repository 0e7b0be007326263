/** The style of report pages: light or dark as the reader's system is, wide things scroll by themselves. */
import { variables } from '../palette.js';

export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #ffffff; --panel: #f4f4f2; --rule: #d6d8dc; --muted: #5d6570;
  --accent: #0b5cad; --gain: #0b6b4a; ${variables('light')} }
@media (prefers-color-scheme: dark) { :root { --page: #16191d; --panel: #1d2126; --rule: #3a4048; --muted: #9aa4b0;
  --accent: #7db8f5; --gain: #63c9a2; ${variables('dark')} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 3rem) 5rem; max-width: 120rem; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 code { font-size: inherit; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .5rem; }
a { color: var(--accent); }
code { font: 12.5px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.muted, .note { color: var(--muted); }
.note { margin: .4rem 0; }
.scroll { overflow-x: auto; }
section { margin-top: 3rem; padding-top: 1.4rem; border-top: 1px solid var(--rule); }
table { border-collapse: collapse; }
th, td { padding: .28rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; white-space: nowrap; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.better { color: var(--gain); font-weight: 600; }
dl.facts { display: flex; flex-wrap: wrap; gap: .2rem 1.6rem; margin: .5rem 0 1.2rem; }
dl.facts div { display: flex; gap: .4rem; }
dl.facts dt { color: var(--muted); }
dl.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: center; color: var(--muted); margin: .4rem 0; }
.legend .sample { border: 2px solid var(--divergent); color: var(--divergent); font-weight: 600; padding: 0 .4rem; }
.chip { display: inline-block; padding: 0 .45rem; border: 1px solid var(--line); color: var(--text); font-weight: 600;
  font-size: .85em; text-decoration: none; }
.rounds { display: flex; flex-wrap: wrap; gap: .4rem; margin: .6rem 0; }
.rounds button { font: inherit; padding: .2rem .8rem; border: 1px solid var(--rule); border-radius: 1rem; cursor: pointer;
  background: var(--panel); color: var(--text); }
.rounds button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--page); }
.graphs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; border: 1px solid var(--rule); border-radius: .4rem; background: var(--panel); }
figure[hidden] { display: none; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem .8rem; border-bottom: 1px solid var(--rule);
  font-weight: 600; }
figcaption label { font-weight: 400; color: var(--muted); white-space: nowrap; }
.canvas { overflow: auto; max-height: 80vh; padding: .6rem; text-align: center; }
.canvas svg { display: inline-block; max-width: none; }
figure:has(.fit:checked) .canvas svg { width: 100%; height: calc(80vh - 1.5rem); }
svg g.lit > g > a > polygon:first-child { stroke-width: 4px; }
svg text { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
svg a { cursor: pointer; }
details { margin: .5rem 0; border: 1px solid var(--rule); border-radius: .4rem; }
details > summary { padding: .4rem .8rem; cursor: pointer; background: var(--panel); border-radius: .4rem; }
h4 .chip { cursor: pointer; }
details > :not(summary) { margin-left: .8rem; margin-right: .8rem; }
details:target, details.lit { outline: 2px solid var(--accent); }
h4 { margin: .9rem 0 .3rem; font-size: .95rem; font-weight: 600; }
table.alignment { margin-bottom: 1rem; }
table.alignment td { padding: .12rem .7rem; border: 1px solid var(--rule); }
table.alignment td code { white-space: pre; }
table.alignment th { border: 1px solid var(--rule); }
table.alignment tr.pair td:nth-child(-n+2) { background: color-mix(in srgb, var(--pair-2) 45%, transparent); }
table.alignment th:last-child, table.alignment td:last-child { position: sticky; right: 0; border: 0; background: var(--page);
  white-space: nowrap; }
td.gap { background: repeating-linear-gradient(45deg, transparent 0 5px, var(--rule) 5px 6px); }
.metadata { color: var(--muted); }
.mark { font-size: .82em; padding: 0 .4rem; border: 1px solid var(--rule); border-radius: .8rem; white-space: nowrap; }
.mark.select { background: var(--pair-3); }
.mark.swapped { background: var(--pair-4); }
.mark.own { border-color: var(--divergent); color: var(--divergent); }
.failed { color: var(--divergent); font-weight: 600; }
${Array.from({ length: 6 }, (_, index) => `.color-${index} { background: var(--pair-${index + 1}); }`).join('\n')}
`;
