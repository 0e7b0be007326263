/** The evaluation as one self-contained page: summary, figures, tables, notes. It has no scripts and loads nothing. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { raw } from 'hono/html';
import { html, type Html } from '../../src/report/markup.js';
import { REPOSITORY } from '../support.js';
import { figures, type Figure } from './figures.js';
import { tables, type Results, type Table } from './tables.js';

const STYLE_SHEET = path.join(REPOSITORY, 'bench', 'paper', 'report.css');

export async function reportPage(all: readonly Results[], notes: readonly string[]): Promise<string> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>darm on the paper's ground</title>
        ${raw(`<style>${await readFile(STYLE_SHEET, 'utf8')}</style>`)}
      </head>
      <body>
        <h1>darm on the paper's ground</h1>
        ${notes.map((note) => html`<p>${note}</p>`)} ${all.map(resultsOf)}
      </body>
    </html>`;
  return `${page}\n`;
}

function resultsOf(results: Results): Html {
  const [means, ...others] = tables(results);
  return html`<h2>${results.target}</h2>
    ${tableOf(means!)} ${figures(results).map(figureOf)}
    <h2>${results.target}: all figures</h2>
    ${others.map(tableOf)}`;
}

const figureOf = ({ title, svg, caption }: Figure): Html =>
  html`<figure>
    <h3>${title}</h3>
    ${svg.map((each) => raw(each))}
    <figcaption>${caption}</figcaption>
  </figure>`;

const tableOf = ({ title, header, rows, note }: Table): Html =>
  html`<h3>${title}</h3>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            ${header.map((cell) => html`<th>${cell}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (cells) =>
              html`<tr>
                ${cells.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="note">${note}</p>`;
