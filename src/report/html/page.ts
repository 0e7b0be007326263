/**
 * The report of a module as one HTML page that holds all it shows: no request, no font, no library. A content security policy lets
 * nothing run but the page's own script, whatever names in the module hold; they are escaped besides.
 */
import { createHash } from 'node:crypto';
import type { FunctionHistory } from '../../job/history.js';
import type { Counts, FunctionReport } from '../../job/results.js';
import { counterRows, type MeasuredLaunch } from '../counters.js';
import { escaped } from './escape.js';
import { functionSection } from './function-section.js';
import { Gallery } from './gallery.js';
import type { Layout } from './layout.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

export interface Report {
  /** Name of the module. */
  readonly title: string;
  readonly target: string;
  /** What was asked for: names and values. */
  readonly settings: readonly (readonly [string, string])[];
  readonly functions: readonly FunctionReport[];
  /** Of the functions that there is something to say about. */
  readonly histories: readonly FunctionHistory[];
  /** Launches of a spec, or null. */
  readonly launches: readonly MeasuredLaunch[] | null;
}

export function reportPage(report: Report, layout: Layout): string {
  const { title, histories } = report;
  const gallery = new Gallery(layout);
  const sections = histories.map((history, index) => {
    const counts = report.functions.find(({ name }) => name === history.function) ?? null;
    return functionSection(history, counts, `f${index + 1}`, gallery);
  });
  const script = `<script>${PAGE_SCRIPT}</script>`;
  const policy =
    `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; ` +
    `script-src 'sha256-${createHash('sha256').update(PAGE_SCRIPT).digest('base64')}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · darm</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
${facts([['target', report.target], ...report.settings])}
</header>
<main>
${overview(report)}
${report.launches === null ? '' : launchTables(report.launches)}
${sections.join('\n')}
</main>
${script}
</body>
</html>
`;
}

export function facts(pairs: readonly (readonly [string, string])[]): string {
  const items = pairs.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`);
  return `<dl class="facts">${items.join('')}</dl>`;
}

/** All functions; those with a section lead to it. */
function overview({ functions, histories }: Report): string {
  const places = new Map(histories.map((history, index) => [history.function, index + 1]));
  // The optimiser may have inlined a function away that melding had something to say about.
  const gone = histories.filter((history) => !functions.some(({ name }) => name === history.function));
  const name = (fn: string) => {
    const place = places.get(fn);
    return place === undefined ? escaped(fn) : `<a href="#f${place}">${escaped(fn)}</a>`;
  };
  const rows = functions.map((fn) => {
    const net = fn.melds.reduce((sum, meld) => sum + meld.net, 0);
    const refused = histories[(places.get(fn.name) ?? 0) - 1]?.after.candidates.filter(isRefused).length ?? 0;
    const figures = [fn.melds.length, refused, Math.round(net)].map((value) => `<td class="figure">${value}</td>`);
    const counts = (['divergentBranches', 'instructions', 'machineInstructions'] as const).map((each) =>
      change(fn.before?.[each] ?? null, fn.after[each]),
    );
    return `<tr><td>${name(fn.name)}</td>${figures.join('')}${counts.join('')}</tr>`;
  });
  rows.push(
    ...gone.map(
      (fn) => `<tr><td>${name(fn.function)}</td><td colspan="6" class="muted">not in the final code any more</td></tr>`,
    ),
  );
  const heads = ['melds', 'refused', 'cycles saved', 'divergent branches', 'instructions', 'machine instructions'];
  return (
    `<h3>Functions</h3><div class="scroll"><table class="overview"><thead><tr><th scope="col">function</th>` +
    `${heads.map((head) => `<th scope="col" class="figure">${head}</th>`).join('')}</tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>` +
    `<p class="note">Counts are those of the final code, without melding → with. Cycles saved are the cost model's, of one execution,
weighted by loop depth. Functions without a link have no divergent branch to meld at.</p>`
  );
}

const isRefused = ({ verdict }: { readonly verdict: string }): boolean => verdict === 'refuse';

/** `before → after` */
export function change(before: number | null, after: Counts[keyof Counts]): string {
  if (after === null) return '<td class="figure muted">–</td>';
  if (before === null) return `<td class="figure">${after}</td>`;
  return `<td class="figure${after < before ? ' better' : ''}">${before} → ${after}</td>`;
}

function launchTables(launches: readonly MeasuredLaunch[]): string {
  const tables = launches.map(({ kernel, before, after }) => {
    const rows = counterRows([before, after]).map(
      ([label, ...figures]) =>
        `<tr><th scope="row">${label}</th>${figures.map((figure) => `<td class="figure">${figure}</td>`).join('')}</tr>`,
    );
    const head = ['without melding', 'with', 'ratio'].map((each) => `<th scope="col" class="figure">${each}</th>`);
    return (
      `<div><h4>${escaped(kernel)}</h4><table class="counters"><thead><tr><th scope="col">counter</th>${head.join('')}</tr></thead>` +
      `<tbody>${rows.join('')}</tbody></table></div>`
    );
  });
  return `<h3>Simulated counters</h3><div class="scroll">${tables.join('')}</div>`;
}
