/**
 * Edits carried out on LLVM's module, a round at a time: those that melding has just planned, and those of an edit log
 * from another worker. Both make the same calls into LLVM in the same order, so both leave the same module.
 */
import type { LlvmModule, OpenFunction } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { Editor } from '../ir/editor.js';
import type { BlockId } from '../ir/ids.js';
import type { EditLog, LogRound } from '../job/edit-log.js';
import { applyPlan } from '../melding/apply/apply-melds.js';
import type { HistoryRecorder } from './record-history.js';
import type { Stopwatch } from './stopwatch.js';

interface RoundOfEdits {
  /** The function as it is before the round; its editor is disposed of. */
  readonly open: OpenFunction;
  readonly round: LogRound;
  readonly watch: Stopwatch;
  readonly recorder: HistoryRecorder | null;
}

/** Carries out one round, verifies the function and tidies it up. */
export function carryOut(module: LlvmModule, { open, round, watch, recorder }: RoundOfEdits): void {
  using editor = open.editor;
  const { name } = open.snapshot;
  if (open.fingerprint !== round.fingerprint)
    throw new DarmError('internal', `the edit log of '${name}' belongs to another function body`);
  watch.time('meld', () => {
    lowerSwitches(editor, round.lowered);
    applyPlan(editor, round, recorder);
    module.changed(name);
  });
  // LLVM's passes may take for granted what the verifier checks.
  watch.time('verify', () => module.verify(name));
  // After lowering there is nothing to tidy: melding wants the chain of branches as it is.
  if (round.lowered.length > 0) return;
  watch.time('meld', () => tidy(module, name));
}

/** What LLVM does to a function behind a round of melds. */
export function tidy(module: LlvmModule, name: string): void {
  module.shareAddressSelects(name);
  module.tidy(name);
}

/** A switch whose cases are all there are has a default that only it leads to: the chain does not. */
function lowerSwitches(editor: Editor, lowered: readonly BlockId[]): void {
  const blocks = lowered.map((block) => editor.block(block));
  const successors = new Set(blocks.flatMap((block) => editor.successors(block)));
  for (const block of blocks) editor.lowerSwitch(block);
  editor.deleteBlocks([...successors].filter((block) => editor.predecessors(block).length === 0));
}

/** Carries out a log, with the calls into LLVM that `meldFunction` made, its last survey included. */
export function replayLog(module: LlvmModule, { function: name, rounds, bailout }: EditLog, watch: Stopwatch): void {
  for (const round of rounds) carryOut(module, { open: module.open(name), round, watch, recorder: null });
  if (bailout === null) module.look(name);
}
