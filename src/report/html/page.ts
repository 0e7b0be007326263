/**
 * The report of a module as one HTML page that holds all it shows: it makes no request, and uses no font and no
 * library. A content security policy lets only the page's own script run, whatever the names in the module are;
 * besides, templates escape them.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { raw } from 'hono/html';
import type { FunctionHistory } from '../../job/history.js';
import type { FunctionReport } from '../../job/results.js';
import type { MeasuredLaunch } from '../counter-rows.js';
import type { Layout } from '../graph/layout.js';
import { paletteStyle } from '../graph/palette.js';
import { html, type Html } from '../markup.js';
import { visible } from '../visible.js';
import { counterTables } from './counter-tables.js';
import { functionSection } from './function-section.js';
import { functionTable } from './function-table.js';
import { Gallery } from './gallery.js';
import { runPage } from './page-script.js';

export interface Report {
  /** Name of the module. */
  readonly title: string;
  readonly target: string;
  /** What was asked for: names and values. */
  readonly settings: readonly (readonly [string, string])[];
  readonly functions: readonly FunctionReport[];
  /** Of the functions that have a section: those with a divergent branch to meld at. */
  readonly histories: readonly FunctionHistory[];
  /** Launches of a spec, or null. */
  readonly launches: readonly MeasuredLaunch[] | null;
}

/** The package holds it in src/, too: the TypeScript compiler copies no style sheets to dist/. */
const STYLE_SHEET = new URL('../../../../src/report/html/page.css', import.meta.url);

export async function reportPage(report: Report, layout: Layout): Promise<string> {
  const { title, target, settings, functions, histories, launches } = report;
  const gallery = new Gallery(layout);
  const sections = histories.map((history, index) => {
    const counts = functions.find(({ name }) => name === history.function) ?? null;
    return functionSection(history, counts, `f${index + 1}`, gallery);
  });
  const style = paletteStyle() + (await readFile(STYLE_SHEET, 'utf8'));
  const script = `'use strict';\n(${runPage.toString()})();\n`;
  const policy =
    `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; ` +
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${raw(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · darm</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          ${facts([['target', target], ...settings])}
        </header>
        <main>${functionTable(functions, histories)} ${launches && counterTables(launches)} ${sections}</main>
        ${raw(`<script>${script}</script>`)}
      </body>
    </html>`;
  // Only names can hold characters that cannot be seen; our own markup has none.
  return `${visible(page.toString())}\n`;
}

const facts = (pairs: Report['settings']): Html =>
  html`<dl class="facts">
    ${pairs.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
