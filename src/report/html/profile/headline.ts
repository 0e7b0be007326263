/** The result of a profile at a glance: how many lanes work, which, and what the idle ones cost. */
import type { LaunchProfile } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { lost, meanLanes, percent, unit, weight, whole } from './figures.js';

export function headline(profile: LaunchProfile): Html {
  const { waveSize } = profile;
  const mean = meanLanes(profile, waveSize);
  const idle = lost(profile, waveSize);
  return html`<div class="headline">
    <p class="big"><b>${mean.toFixed(1)}</b> of ${waveSize} lanes work on average</p>
    <div class="split" aria-hidden="true">
      <span class="go" style="width: ${((100 * mean) / waveSize).toFixed(2)}%"></span><span class="wait"></span>
    </div>
    <dl class="tiles">
      ${tile(unit(profile) + (profile.time === null ? '' : ' (estimate)'), whole(weight(profile)))}
      ${tile('of these lost with idle lanes', `${whole(idle)} · ${percent(idle, weight(profile))}`, 'loss')}
      ${tile('wave instructions', whole(profile.executed))} ${tile('branches that part waves', partingText(profile))}
    </dl>
  </div>`;
}

const partingText = ({ branches }: LaunchProfile): string =>
  `${branches.filter(({ parted }) => parted > 0).length} of ${branches.length}`;

const tile = (name: string, value: string, kind = ''): Html =>
  html`<div class="${kind}">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
