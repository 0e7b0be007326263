/** The branches at which waves part: how often, how their lanes split, and what it costs. */
import type { DivergentBranch, LaneSplit, LaunchProfile } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { decimal, listedBranches, listedInstructions, percent, place, unit, weight, whole } from './figures.js';

/** More than these are folded. */
const OPEN_BRANCHES = 10;

/** @param id begins the ids of rows and of instructions */
export function branchTable(profile: LaunchProfile, id: string): Html {
  const { branches, unfilled, waveSize } = profile;
  if (branches.length === 0 && unfilled.idleLanes === 0)
    return html`<p class="note">No instruction of this launch can part the lanes of a wave.</p>`;
  const row = (branch: DivergentBranch, rank: number) => branchRow(profile, branch, rank, id);
  const numbered = listedBranches(profile);
  const first = numbered.filter(({ branch, rank }) => rank <= OPEN_BRANCHES && costOf(branch, waveSize) > 0);
  const rest = numbered.slice(first.length);
  return html`${table(profile, [
    ...first.map(({ branch, rank }) => row(branch, rank)),
    unfilled.idleLanes > 0 && unfilledRow(profile),
  ])}
  ${
    rest.length > 0 &&
    html`<details>
      <summary>${rest.length} more branch${rest.length === 1 ? '' : 'es'}</summary>
      ${table(
        profile,
        rest.map(({ branch, rank }) => row(branch, rank)),
      )}
    </details>`
  }
  ${numbered.length < branches.length && html`<p class="note">The other branches are in the JSON profile.</p>`}`;
}

/** In the unit of `weight`. */
const costOf = ({ time, idleLanes }: Pick<DivergentBranch, 'time' | 'idleLanes'>, waveSize: number): number =>
  time?.lostCycles ?? idleLanes / waveSize;

const table = (profile: LaunchProfile, rows: readonly (Html | false)[]): Html =>
  html`<div class="scroll">
    <table class="branches">
      <thead>
        <tr>
          <th scope="col"><span class="hidden">number</span></th>
          <th scope="col">branch</th>
          <th scope="col" class="figure">waves part</th>
          <th scope="col">how the lanes split: go on | wait</th>
          <th scope="col" class="figure">lost ${unit(profile)}</th>
          <th scope="col"><span class="hidden">share of the launch</span></th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

function branchRow(profile: LaunchProfile, branch: DivergentBranch, rank: number, id: string): Html {
  const { instructions, waveSize } = profile;
  const { instruction, executed, parted, splits } = branch;
  const where = place(profile, instruction);
  const isListed = instruction < listedInstructions(profile);
  return html`<tr id="${id}-branch${rank}">
    <td class="branch-number">◆ ${rank}</td>
    <td>
      ${isListed ? html`<a href="#${id}-i${instruction}">${where}</a>` : where}<br /><code
        >${instructions[instruction]!.text}</code
      >
    </td>
    <td class="figure">
      ${whole(parted)} of ${whole(executed)}<br /><span class="muted">${percent(parted, executed)}</span>
    </td>
    <td>${splitPicture(splits, waveSize)}</td>
    ${costCells(profile, costOf(branch, waveSize))}
  </tr>`;
}

const unfilledRow = (profile: LaunchProfile): Html =>
  html`<tr>
    <td></td>
    <td colspan="3">no branch: the workgroups do not fill their waves</td>
    ${costCells(profile, costOf(profile.unfilled, profile.waveSize))}
  </tr>`;

function costCells(profile: LaunchProfile, cost: number): Html {
  const share = percent(cost, weight(profile));
  return html`<td class="figure">${decimal(cost)}</td>
    <td class="share">
      <span
        class="bar loss"
        style="width: ${Math.min(100, (100 * cost) / Math.max(1, weight(profile))).toFixed(1)}px"
      ></span>
      ${share}
    </td>`;
}

/** The average of the times that waves part, as a bar, and in words. */
function splitPicture(all: readonly LaneSplit[], waveSize: number): Html {
  const parting = all.filter(({ on }) => on > 0);
  const times = parting.reduce((sum, each) => sum + each.times, 0);
  if (times === 0) return html`<span class="muted">never: all lanes go the same way</span>`;
  const mean = (of: (split: LaneSplit) => number): number =>
    parting.reduce((sum, each) => sum + each.times * of(each), 0) / times;
  const [on, off] = [mean((each) => each.on), mean((each) => each.off)];
  const width = (lanes: number): string => ((100 * lanes) / waveSize).toFixed(1);
  const [most] = parting;
  const often = parting.length === 1 ? 'always' : `most often ${most!.on} | ${most!.off}`;
  return html`<span class="split" aria-hidden="true"
      ><span class="go" style="width: ${width(on)}%"></span><span class="wait" style="width: ${width(off)}%"></span
    ></span>
    ${decimal(round(on))} | ${decimal(round(off))}
    <span class="muted">${parting.length === 1 ? '' : 'on average, '}${often}</span>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
