/**
 * The alignment of two blocks side by side, as in the DARM paper's figure "Instruction Alignment": the instructions of
 * the true side and of the false side, a row for each melded instruction, with a gap where only one side has an
 * instruction.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { BlockPair } from '../../melding/plan.js';
import type { FunctionPicture, HistoryStep } from '../../job/history.js';
import { html, type Html } from '../markup.js';

interface Line {
  readonly t: InstrId | -1;
  readonly f: InstrId | -1;
  /** For an instruction without a partner: which threads execute it. */
  readonly kind: 'pair' | 'guarded' | 'speculated' | 'copied';
  readonly swapped: boolean;
}

/** Rows of a table; the rest is left out. */
const MOST_LINES = 1000;

export function alignmentTable({ before, selects }: HistoryStep, pair: BlockPair): Html {
  const lines = linesOf(before, pair);
  const operands = new Map(selects.map((each) => [`${each.t} ${each.f}`, each.operands]));
  const rows = lines.slice(0, MOST_LINES).map((line) => {
    const selected = line.kind === 'pair' ? (operands.get(`${line.t} ${line.f}`) ?? []) : [];
    return html`<tr class="${line.kind}">
      ${cell(before, line.t)}${cell(before, line.f)}
      <td>${marks(line, selected)}</td>
    </tr>`;
  });
  const more = lines.length - rows.length;
  const name = (block: BlockId | -1): Html =>
    block === NONE ? html`<i>no block</i>` : html`<code>${before.blocks[block]!.name}</code>`;
  return html`<table class="alignment">
      <thead>
        <tr>
          <th scope="col">T ${name(pair.t)}</th>
          <th scope="col">F ${name(pair.f)}</th>
          <th scope="col">melded</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${more > 0 && html`<p class="note">${more} more lines are not shown.</p>`}`;
}

/** In the order of the melded block: phis, what the alignment holds, branches. */
function linesOf(picture: FunctionPicture, pair: BlockPair): Line[] {
  const pairedT = new Set(pair.phis.map(([t]) => t));
  const pairedF = new Set(pair.phis.map(([, f]) => f));
  const only = (side: 't' | 'f', id: InstrId): Line => ({
    t: side === 't' ? id : NONE,
    f: side === 'f' ? id : NONE,
    kind: 'copied',
    swapped: false,
  });
  const lines: Line[] = pair.phis.map(([t, f]) => ({ t, f, kind: 'pair', swapped: false }));
  for (const id of phisOf(picture, pair.t)) if (!pairedT.has(id)) lines.push(only('t', id));
  for (const id of phisOf(picture, pair.f)) if (!pairedF.has(id)) lines.push(only('f', id));
  for (const { t, f, swapped, speculate } of pair.alignment) {
    const kind = t !== NONE && f !== NONE ? 'pair' : speculate || !pair.passed ? 'speculated' : 'guarded';
    lines.push({ t, f, kind, swapped: swapped ?? false });
  }
  const [t, f] = [lastOf(picture, pair.t), lastOf(picture, pair.f)];
  if (t !== NONE && f !== NONE && pair.takes === null) lines.push({ t, f, kind: 'pair', swapped: pair.swapped });
  else for (const [side, id] of [['t', t], ['f', f]] as const) if (id !== NONE) lines.push(only(side, id)); // prettier-ignore
  return lines;
}

const endOf = ({ blocks, instructions }: FunctionPicture, b: number): number =>
  blocks[b + 1]?.first ?? instructions.length;

const lastOf = (picture: FunctionPicture, b: number): InstrId | -1 =>
  b === NONE ? NONE : ((endOf(picture, b) - 1) as InstrId);

function phisOf(picture: FunctionPicture, b: number): InstrId[] {
  const found: InstrId[] = [];
  if (b === NONE) return found;
  const end = endOf(picture, b);
  for (let i = picture.blocks[b]!.first; i < end && / phi /.test(picture.instructions[i]!); i++) found.push(i);
  return found;
}

/** Attached metadata is long and says little here, so it is grey. */
function cell({ instructions }: FunctionPicture, id: InstrId | -1): Html {
  if (id === NONE) return html`<td class="gap" aria-label="gap"></td>`;
  const [, code, metadata] = /^(.*?)((?:, ![\w.]+ ![\w.()]+)*)$/s.exec(instructions[id]!)!;
  return html`<td><code>${code}${metadata !== '' && html`<span class="metadata">${metadata}</span>`}</code></td>`;
}

function marks({ kind, swapped }: Line, selected: readonly number[]): Html[] {
  const mark = (name: string, title: string, text: string) =>
    html`<span class="mark ${name}" title="${title}">${text}</span> `;
  const list: Html[] = [];
  if (swapped) list.push(mark('swapped', 'operands, or successors, of F change places', '⇄ swapped'));
  if (selected.length > 0) {
    const which = selected.map((operand) => operand + 1).join(', ');
    list.push(mark('select', "a select between the sides' values", `select: operand ${which}`));
  }
  if (kind === 'guarded') list.push(mark('own', 'behind a branch of its own', 'own threads only'));
  if (kind === 'speculated') list.push(mark('all', 'harmless for the others', 'all threads'));
  if (kind === 'copied') list.push(mark('copied', 'has no partner', 'as it is'));
  return list;
}
