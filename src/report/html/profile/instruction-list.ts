/** Every instruction with its figures, by basic block. */
import { WAITS, type LaunchProfile, type ProfiledInstruction, type Wait } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { activity, blockName, hex, listedInstructions, meanLanes, percent, unit, weight, whole } from './figures.js';
import { laneStrip } from './lane-strip.js';
import { WAIT_NAMES } from './wait-bar.js';

/** A wait is shown if it takes this part of an instruction's time. */
const WORTH_SAYING = 0.2;
/** Those for which it is known which instruction is waited for. */
const AT_WAITCNT: readonly Wait[] = ['vectorMemory', 'lds', 'scalarMemory', 'message'];

/** @param id begins the ids of rows */
export function instructionList(profile: LaunchProfile, id: string): Html {
  const { functions, blocks, instructions } = profile;
  const most = instructions.reduce((largest, each) => Math.max(largest, weight(each)), 1);
  const listed = listedInstructions(profile);
  const hasLines = profile.lines.length > 0;
  const columns = hasLines ? 7 : 6;
  const bodies = blocks.map((block, number) => {
    if (block.first >= listed) return '';
    const own = functions[block.function]!;
    const begins = number === 0 || blocks[number - 1]!.function !== block.function;
    const rows = instructions.slice(block.first, Math.min(block.first + block.count, listed));
    return html`<tbody>
      ${
        begins &&
        html`<tr class="function">
          <th scope="rowgroup" colspan="${columns}">${own.name}</th>
        </tr>`
      }
      <tr class="block" id="${id}-b${number}">
        <th scope="rowgroup" colspan="${columns}">
          ${blockName(number)}
          <span class="muted">
            ${
              block.entered === 0
                ? 'never entered'
                : `entered ${whole(block.entered)} times · ` +
                  `${meanLanes(block, profile.waveSize).toFixed(1)} lanes · ${whole(weight(block))} ${unit(profile)}`
            }${block.successors.length > 0 && html` · then ${block.successors.map((next, at) => html`${at > 0 && ', '}${blockLink(profile, next, id)}`)}`}
          </span>
        </th>
      </tr>
      ${rows.map((each, at) => instructionRow(profile, each, `${id}-i${block.first + at}`, most, id))}
    </tbody>`;
  });
  return html`<div class="scroll">
      <table class="instructions">
        <thead>
          <tr>
            <th scope="col">address</th>
            ${hasLines && html`<th scope="col" class="figure">line</th>`}
            <th scope="col">instruction</th>
            <th scope="col" class="figure">ran</th>
            <th scope="col">lanes at work</th>
            <th scope="col">${unit(profile)}</th>
            <th scope="col">waits for</th>
          </tr>
        </thead>
        ${bodies}
      </table>
    </div>
    ${listed < instructions.length && html`<p class="note">The other instructions are in the JSON profile.</p>`}`;
}

const blockLink = (profile: LaunchProfile, block: number, id: string): Html | string =>
  profile.blocks[block]!.first < listedInstructions(profile)
    ? html`<a href="#${id}-b${block}">${blockName(block)}</a>`
    : blockName(block);

function instructionRow(
  profile: LaunchProfile,
  each: ProfiledInstruction,
  rowId: string,
  most: number,
  id: string,
): Html {
  const { address, text, executed, lanes, line } = each;
  const source = profile.lines[line];
  const ran = executed > 0;
  return html`<tr
    id="${rowId}"
    class="${ran ? '' : 'muted'}"
    ${source !== undefined && html`data-line="${source.line}"`}
  >
    <td><code>${hex(address)}</code></td>
    ${profile.lines.length > 0 && html`<td class="figure">${source?.line ?? ''}</td>`}
    <td><code>${text}</code></td>
    <td class="figure">${whole(executed)}</td>
    <td class="lanes">${ran && html`${laneStrip(activity(each))} ${(lanes / executed).toFixed(1)}`}</td>
    <td class="share">
      ${
        ran &&
        html`<span class="bar work" style="width: ${((80 * weight(each)) / most).toFixed(1)}px"></span>
          ${whole(weight(each))}`
      }
    </td>
    <td class="waits">${waitText(profile, each, id)}</td>
  </tr>`;
}

function waitText(profile: LaunchProfile, { time, waitedFor }: ProfiledInstruction, id: string): Html | string {
  if (time === null || time.waveCycles === 0) return '';
  const [longest] = WAITS.filter((wait) => wait !== 'issue').sort((a, b) => time.waits[b] - time.waits[a]);
  const spent = time.waits[longest!];
  if (spent < WORTH_SAYING * time.waveCycles) return '';
  const [producer] = AT_WAITCNT.includes(longest!) ? waitedFor : [];
  return html`${WAIT_NAMES[longest!]} ${percent(spent, time.waveCycles)}
  ${producer !== undefined && html`· ${instructionLink(profile, producer.instruction, id)}`}`;
}

function instructionLink(profile: LaunchProfile, instruction: number, id: string): Html {
  const address = html`<code>${hex(profile.instructions[instruction]!.address)}</code>`;
  return instruction < listedInstructions(profile) ? html`<a href="#${id}-i${instruction}">${address}</a>` : address;
}
