/** All views of a launch's profile, of one run or of two side by side: a pure function to markup, without a script. */
import type { LaunchProfile } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { branchTable } from './branch-table.js';
import { percent, unit, weight, whole } from './figures.js';
import { headline } from './headline.js';
import { instructionList } from './instruction-list.js';
import { laneMap } from './lane-map.js';
import type { ShownLaunch } from './shown-launch.js';
import { sourceLines, type SourceTexts } from './source-lines.js';
import { timelinePicture } from './timeline.js';
import { waitBar } from './wait-bar.js';
import { typicalWave, waveCalled, waveDuration, waveMap } from './wave-map.js';

/** Of the lane map of the run that takes longest, in pixels. */
const MAP_HEIGHT = 460;
/** Instructions are unfolded if there are at most this many. */
const OPEN_INSTRUCTIONS = 80;

/** @param runs one or two of the same launch; @param id begins the ids of elements */
export function launchView(runs: readonly ShownLaunch[], texts: SourceTexts, id: string): Html {
  const [first] = runs as [ShownLaunch];
  const { kernel, grid, block, waveSize, waves, processor } = first.profile;
  const most = Math.max(1, ...runs.map(({ profile }) => weight(profile)));
  const ids = runs.map((_, run) => `${id}-${run + 1}`);
  const each = (view: (run: ShownLaunch, id: string) => Html | string | false): Html =>
    html`<div class="runs">
      ${runs.map((run, at) => html`<div class="run">${caption(run)}${view(run, ids[at]!)}</div>`)}
    </div>`;
  const lines = runs.some(({ profile }) => profile.lines.length > 0);
  const timed = runs.every(({ profile }) => profile.time !== null);
  return html`<section id="${id}" class="profile">
    <h2><code>${kernel}</code></h2>
    <dl class="facts">
      ${fact('processor', processor)} ${fact('grid', grid.join(' × '))} ${fact('workgroup', block.join(' × '))}
      ${fact('waves', `${whole(waves)} of ${waveSize} lanes`)}
    </dl>
    ${runs.length === 2 && verdict(first.profile, runs[1]!.profile)} ${each(({ profile }) => headline(profile))}
    ${oneWave(runs, ids)}

    <h3>All waves</h3>
    <p class="note">
      The same for all waves together, with the program from top to bottom. An instruction is as high as it takes
      ${unit(first.profile)}, so the area that is not filled is what idle lanes lose.
    </p>
    ${each(({ profile }, own) => laneMap(profile, (MAP_HEIGHT * weight(profile)) / most, own))}

    <h3>Where lanes part</h3>
    <div class="stacked">${runs.map((run, at) => html`${caption(run)}${branchTable(run.profile, ids[at]!)}`)}</div>
    ${
      lines &&
      html`<h3>Source</h3>
        ${sourceLines(runs, texts)}`
    }
    ${
      timed &&
      html`<h3>Where the time goes</h3>
        <p class="note">
          The time of all waves, by the <em>cycle estimate</em>: for comparing two versions, not for predicting a GPU.
        </p>
        ${each(({ profile }) => waitBar(profile.time!))}`
    }
    ${
      runs.some(({ profile }) => profile.timeline !== null) &&
      html`<h3>The first waves over time</h3>
        <div class="stacked">
          ${runs.map(({ title, profile }) =>
            profile.timeline === null
              ? ''
              : html`${title !== '' && html`<h4>${title}</h4>`}${timelinePicture(profile, profile.timeline)}`,
          )}
        </div>`
    }

    <h3>Instructions</h3>
    ${runs.map(({ title, profile }, at) => {
      const count = profile.instructions.length;
      return html`<details ${count <= OPEN_INSTRUCTIONS && 'open'}>
        <summary>
          ${title !== '' && html`<b>${title}</b>: `}${whole(count)} instructions in ${profile.blocks.length} basic
          blocks
        </summary>
        ${instructionList(profile, ids[at]!)}
      </details>`;
    })}
  </section>`;
}

/** The picture to begin with: one wave, the same of both runs. */
function oneWave(runs: readonly ShownLaunch[], ids: readonly string[]): Html {
  const { waveSize } = runs[0]!.profile;
  const explanation = html`<h3>What the lanes do</h3>
    <p class="note">
      A wave executes each instruction for all of its ${waveSize} lanes at once. Where a branch
      <span class="branch-mark">◆</span> sends lanes different ways, the wave goes one way after the other, and the
      lanes that do not belong there wait. Lanes are from left to right, time is from top to bottom.
    </p>
    ${laneKey()}`;
  const typical = typicalWave(runs[0]!.profile);
  const named = typical === null ? null : runs[0]!.profile.timeline!.waves[typical]!;
  const shown = runs.map(({ profile }) => (named === null ? null : waveCalled(profile, named)));
  if (named === null || shown.some((wave) => wave === null)) return explanation;
  const longest = Math.max(1, ...runs.map(({ profile }, at) => waveDuration(profile.timeline!, shown[at]!)));
  return html`${explanation}
    <p>A typical wave: number ${named.wave} of workgroup ${named.workgroup}</p>
    <div class="runs">
      ${runs.map(
        (run, at) =>
          html`<div class="run">
            ${caption(run)}${waveMap(run.profile, run.profile.timeline!, shown[at]!, MAP_HEIGHT / longest, ids[at]!)}
          </div>`,
      )}
    </div>`;
}

const caption = ({ title }: ShownLaunch): Html | string => (title === '' ? '' : html`<h4>${title}</h4>`);

const fact = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** What the cells of lanes mean. */
const laneKey = (): Html =>
  html`<ul class="keys">
    <li>
      <svg class="key" viewBox="0 0 12 12" aria-hidden="true"><path class="lanes-8" d="M0 0h12v12h-12z" /></svg>works
    </li>
    <li>
      <svg class="key" viewBox="0 0 12 12" aria-hidden="true"><path class="lanes-4" d="M0 0h12v12h-12z" /></svg>works in
      a part of the executions
    </li>
    <li>
      <svg class="key" viewBox="0 0 12 12" aria-hidden="true"><path class="lanes-0" d="M0 0h12v12h-12z" /></svg>idle
    </li>
  </ul>`;

function verdict(before: LaunchProfile, after: LaunchProfile): Html {
  const [a, b] = [weight(before), weight(after)];
  const [from, to] = [before, after].map(
    ({ time, executed, lanes, waveSize }) => time?.lostCycles ?? executed - lanes / waveSize,
  ) as [number, number];
  const change = (x: number, y: number): string =>
    x === y ? 'as many' : `${percent(Math.abs(x - y), x)} ${y < x ? 'fewer' : 'more'}`;
  return html`<p class="verdict">
    ${whole(a)} → <b>${whole(b)}</b> ${unit(before)} (${change(a, b)}), of which idle lanes lose ${whole(from)} →
    <b>${whole(to)}</b> (${change(from, to)}).
  </p>`;
}
