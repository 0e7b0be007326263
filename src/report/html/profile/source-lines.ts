/** What each line of source costs, in one run or two, beside its text where that is known. */
import type { LaunchProfile, ProfiledLine } from '../../../simulator/profile/profile.js';
import { html, type Html } from '../../markup.js';
import { baseName, lost, percent, unit, weight, whole } from './figures.js';
import type { ShownLaunch } from './shown-launch.js';

/** By file, as debug information names it: its lines. */
export type SourceTexts = ReadonlyMap<string, readonly string[]>;

const MOST_LINES = 600;
/** Of the bar of a line that takes all the time, in pixels. */
const BAR = 200;

export function sourceLines(runs: readonly ShownLaunch[], texts: SourceTexts): Html {
  const files = [...new Set(runs.flatMap(({ profile }) => profile.lines.map(({ file }) => file)))].sort(
    // Files whose text is known come first.
    (a, b) => Number(texts.has(b)) - Number(texts.has(a)) || (a < b ? -1 : 1),
  );
  const most = Math.max(1, ...runs.map(({ profile }) => weight(profile)));
  let left = MOST_LINES;
  return html`${files.map((file) => {
    const rows = rowsOf(runs, file, texts.get(file) ?? null).slice(0, left);
    left -= rows.length;
    return rows.length === 0 ? '' : fileTable(runs, file, rows, { hasText: texts.has(file), most });
  })}
  ${left === 0 && html`<p class="note">Only the first ${MOST_LINES} lines are shown.</p>`}`;
}

interface SourceRow {
  readonly number: number;
  readonly text: string;
  /** In each run. */
  readonly costs: readonly (ProfiledLine | null)[];
}

/** Lines with instructions; where the text is known, all lines from the first of them to the last. */
function rowsOf(runs: readonly ShownLaunch[], file: string, text: readonly string[] | null): SourceRow[] {
  const known = runs.map(
    ({ profile }) => new Map(profile.lines.filter((line) => line.file === file).map((line) => [line.line, line])),
  );
  const numbers = [...new Set(known.flatMap((lines) => [...lines.keys()]))].sort((a, b) => a - b);
  const row = (number: number): SourceRow => ({
    number,
    text: text?.[number - 1] ?? '',
    costs: known.map((lines) => lines.get(number) ?? null),
  });
  if (text === null) return numbers.map(row);
  const first = Math.max(1, numbers[0]! - 1);
  const last = Math.min(text.at(-1) === '' ? text.length - 1 : text.length, numbers.at(-1)! + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => row(first + at));
}

function fileTable(
  runs: readonly ShownLaunch[],
  file: string,
  rows: readonly SourceRow[],
  { hasText, most }: { readonly hasText: boolean; readonly most: number },
): Html {
  const title = ({ title: name, profile }: ShownLaunch): string =>
    name === '' ? unit(profile) : `${name}: ${unit(profile)}`;
  return html`<h4>${baseName(file)}</h4>
    <div class="scroll">
      <table class="source">
        <thead>
          <tr>
            <th scope="col" class="figure">line</th>
            ${hasText && html`<th scope="col">source</th>`}
            ${runs.map(
              (run) =>
                html`<th scope="col" class="figure">${title(run)}</th>
                  <th scope="col">at work | idle</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ number, text, costs }) =>
              html`<tr data-line="${number}" class="${costs.every((cost) => cost === null) ? 'muted' : ''}">
                <td class="figure">${number}</td>
                ${hasText && html`<td><code>${text}</code></td>`}
                ${costs.map((cost, run) => costCells(runs[run]!.profile, cost, most))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function costCells(profile: LaunchProfile, line: ProfiledLine | null, most: number): Html {
  if (line === null || line.executed === 0)
    return html`<td></td>
      <td></td>`;
  const idle = lost(line, profile.waveSize);
  const width = (value: number): string => ((BAR * value) / most).toFixed(1);
  return html`<td class="figure">${whole(weight(line))}</td>
    <td class="share">
      <span class="bar work" style="width: ${width(weight(line) - idle)}px"></span
      ><span class="bar loss" style="width: ${width(idle)}px"></span> ${percent(weight(line), weight(profile))}
    </td>`;
}
