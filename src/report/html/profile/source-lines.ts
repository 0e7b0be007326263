/** What each line of source costs, beside its text where that is known. */
import type { LaunchProfile, ProfiledLine } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { baseName, lost, meanLanes, percent, unit, weight, whole } from './figures.js';

/** By file, as debug information names it: its lines. */
export type SourceTexts = ReadonlyMap<string, readonly string[]>;

const MOST_LINES = 500;

export function sourceLines(profile: LaunchProfile, texts: SourceTexts): Html {
  const { lines, waveSize } = profile;
  const files = [...new Set(lines.map(({ file }) => file))];
  let left = MOST_LINES;
  return html`${files.map((file) => {
    const own = lines.filter((line) => line.file === file);
    const rows = rowsOf(own, texts.get(file) ?? null).slice(0, left);
    left -= rows.length;
    if (rows.length === 0) return '';
    return html`<h4>${baseName(file)}</h4>
      <div class="scroll">
        <table class="source">
          <thead>
            <tr>
              <th scope="col" class="figure">line</th>
              <th scope="col">${texts.has(file) ? 'source' : ''}</th>
              <th scope="col" class="figure">${unit(profile)}</th>
              <th scope="col" class="figure">lanes</th>
              <th scope="col">worked | lost with idle lanes</th>
            </tr>
          </thead>
          <tbody>
            ${rows.map(({ number, text, line }) => lineRow(profile, waveSize, number, text, line))}
          </tbody>
        </table>
      </div>`;
  })}
  ${left === 0 && html`<p class="note">Only the first ${MOST_LINES} lines are shown.</p>`}`;
}

interface SourceRow {
  readonly number: number;
  readonly text: string;
  readonly line: ProfiledLine | null;
}

/** Lines with instructions; where the text is known, all lines from the first of them to the last. */
function rowsOf(lines: readonly ProfiledLine[], text: readonly string[] | null): SourceRow[] {
  if (text === null) return lines.map((line) => ({ number: line.line, text: '', line }));
  const known = new Map(lines.map((line) => [line.line, line]));
  const first = Math.max(1, Math.min(...known.keys()) - 2);
  const last = Math.min(text.length, Math.max(...known.keys()) + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => {
    const number = first + at;
    return { number, text: text[number - 1] ?? '', line: known.get(number) ?? null };
  });
}

function lineRow(
  profile: LaunchProfile,
  waveSize: number,
  number: number,
  text: string,
  line: ProfiledLine | null,
): Html {
  if (line === null)
    return html`<tr class="muted">
      <td class="figure">${number}</td>
      <td><code>${text}</code></td>
      <td></td>
      <td></td>
      <td></td>
    </tr>`;
  const all = weight(profile);
  const idle = lost(line, waveSize);
  const width = (value: number): string => ((240 * value) / Math.max(1, all)).toFixed(1);
  return html`<tr data-line="${number}">
    <td class="figure">${number}</td>
    <td><code>${text}</code></td>
    <td class="figure">${whole(weight(line))}</td>
    <td class="figure">${line.executed === 0 ? '' : meanLanes(line, waveSize).toFixed(1)}</td>
    <td class="share">
      <span class="bar work" style="width: ${width(weight(line) - idle)}px"></span
      ><span class="bar loss" style="width: ${width(idle)}px"></span> ${percent(weight(line), all)}
    </td>
  </tr>`;
}
