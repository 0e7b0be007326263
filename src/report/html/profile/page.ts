/** The divergence profile of a run, or of two runs of the same launches, as one HTML page. */
import { raw } from 'hono/html';
import type { ProfiledLaunches } from '../../json/profile-document.js';
import { html } from '../../markup.js';
import { paletteStyle } from '../../graph/palette.js';
import { documentPage, styleSheet } from '../document.js';
import { launchView } from './launch-view.js';
import { LANE_PATTERN } from './lane-pattern.js';
import type { SourceTexts } from './source-lines.js';

/** @param runs one or two; two have the same launches */
export async function profilePage(
  title: string,
  runs: readonly ProfiledLaunches[],
  texts: SourceTexts,
): Promise<string> {
  const [first] = runs as [ProfiledLaunches];
  const sections = first.launches.map((_, index) => {
    const shown = runs.map((run) => ({ title: run.title, profile: run.launches[index]! }));
    return launchView(shown, texts, `launch${index + 1}`);
  });
  const titles = runs.map((run) => run.title).filter((each) => each !== '');
  const body = html`<header>
      <h1>${title}</h1>
      <p class="muted">Divergence profile${titles.length > 0 && `: ${titles.join(' and ')}`}</p>
    </header>
    ${raw(LANE_PATTERN)}
    <main>${sections.length === 0 ? html`<p>Nothing ran to its end.</p>` : sections}</main>`;
  const style = paletteStyle() + (await styleSheet('page.css', 'profile/profile.css'));
  return documentPage({ title, body, style, script: null });
}
