/** The report of a module as one HTML page. */
import { raw } from 'hono/html';
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
import { LANE_PATTERN } from './profile/lane-pattern.js';
import { launchView } from './profile/launch-view.js';

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
    ${launches && raw(LANE_PATTERN)}
    <main>
      ${functionTable(functions, histories)} ${launches && counterTables(launches)} ${sections}
      ${launches && launches.map(profileSection)}
    </main>`;
  const style = paletteStyle() + (await styleSheet('page.css', ...(launches === null ? [] : ['profile/profile.css'])));
  return documentPage({ title, body, style, script: `'use strict';\n(${runPage.toString()})();\n` });
}

/** The lanes of a launch, without melding and with it. */
function profileSection({ before, after }: MeasuredLaunch, index: number): Html | string {
  if (before.profile === null || after.profile === null) return '';
  const runs = [
    { title: 'without melding', profile: before.profile },
    { title: 'with melding', profile: after.profile },
  ];
  return launchView(runs, new Map(), `launch${index + 1}`);
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
