/** The report of a module as one HTML page. */
import type { FunctionHistory } from '../../job/history.js';
import type { FunctionReport } from '../../job/results.js';
import type { MeasuredLaunch } from '../counter-rows.js';
import type { Layout } from '../graph/layout.js';
import { paletteStyle } from '../graph/palette.js';
import { html, type Html } from '../markup.js';
import { counterTables } from './counter-tables.js';
import { documentPage, styleSheet } from './document.js';
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

export async function reportPage(report: Report, layout: Layout): Promise<string> {
  const { title, target, settings, functions, histories, launches } = report;
  const gallery = new Gallery(layout);
  const sections = histories.map((history, index) => {
    const counts = functions.find(({ name }) => name === history.function) ?? null;
    return functionSection(history, counts, `f${index + 1}`, gallery);
  });
  const body = html`<header>
      <h1>${title}</h1>
      ${facts([['target', target], ...settings])}
    </header>
    <main>${functionTable(functions, histories)} ${launches && counterTables(launches)} ${sections}</main>`;
  const style = paletteStyle() + (await styleSheet('page.css'));
  return documentPage({ title, body, style, script: `'use strict';\n(${runPage.toString()})();\n` });
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
