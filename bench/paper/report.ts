/** The evaluation as one self-contained page: summary, figures, tables, notes. No scripts, nothing from outside. */
import { figures } from './figures.js';
import { tables, type Results, type Table } from './tables.js';

const STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1d2430; --soft: #5b6472; --line: #dde1e7;
  --o3: #6b7280; --paper-o3: #b9bfc9; --bf: #c26a12; --paper-bf: #ecc08f; --darm: #1f6fb8; --paper-darm: #9cc6ec;
  --line-0: #1f6fb8; --line-1: #c26a12; --line-2: #2a8a57; --line-3: #b83253; --line-4: #7a52c7; --line-5: #8a6d1b; --line-6: #13858f; }
@media (prefers-color-scheme: dark) { :root { --page: #14181f; --text: #e4e8ee; --soft: #9aa4b2; --line: #333b47;
  --o3: #aab2bf; --paper-o3: #59616e; --bf: #f0a050; --paper-bf: #7d5526; --darm: #5aa9ee; --paper-darm: #2b557c;
  --line-0: #5aa9ee; --line-1: #f0a050; --line-2: #5fc78d; --line-3: #ee7391; --line-4: #b096f2; --line-5: #d5b75a; --line-6: #54c5cf; } }
body { margin: 0 auto; padding: 1.5rem; max-width: 1200px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; } h3 { margin: 2rem 0 .4rem; }
p, figcaption { max-width: 75ch; } .note, figcaption { color: var(--soft); font-size: .9em; }
figure { margin: 0; } svg { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85em; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
`;

export function reportPage(all: readonly Results[], notes: readonly string[]): string {
  const sections = all.map((results) => {
    const [means, ...others] = tables(results);
    return `<h2>${escape(results.target)}</h2>
${tableHtml(means!)}
${figures(results).map(figureHtml).join('\n')}
<h2>${escape(results.target)}: all figures</h2>
${others.map(tableHtml).join('\n')}`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>darm on the paper's ground</title>
<style>${STYLE}</style>
</head>
<body>
<h1>darm on the paper's ground</h1>
${notes.map((note) => `<p>${escape(note)}</p>`).join('\n')}
${sections.join('\n')}
</body>
</html>
`;
}

const figureHtml = ({ title, svg, caption }: ReturnType<typeof figures>[number]): string =>
  `<figure><h3>${escape(title)}</h3>${svg.join('')}<figcaption>${escape(caption)}</figcaption></figure>`;

function tableHtml({ title, header, rows, note }: Table): string {
  const row = (cells: readonly string[], tag: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  return `<h3>${escape(title)}</h3>
<div class="scroll"><table><thead>${row(header, 'th')}</thead>
<tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table></div>
<p class="note">${escape(note)}</p>`;
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
