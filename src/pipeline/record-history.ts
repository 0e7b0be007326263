/**
 * Records what happens to one function, for reports (job/history.ts): a picture before each round and at the end, and
 * which instructions each melded instruction stands for. Names and texts are asked for before the next round changes
 * them, and without a trace in LLVM's memory, so that a report changes no byte of the output.
 *
 * A reference tells whether a block or an instruction is the same as in the picture before. References to what melding
 * deletes are forgotten, because LLVM may use their addresses again. What LLVM's passes delete and make between two
 * pictures is not known: a select that a pass makes at the address of a deleted instruction is taken for that
 * instruction.
 */
import type { LlvmModule } from '../binding/module.js';
import { DebugLines } from '../formats/debug-lines.js';
import { instructionTexts } from '../formats/ir-text.js';
import type { BlockRef, ValueRef } from '../ir/editor.js';
import type { BlockId, InstrId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { printInstr } from '../ir/print.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';
import type { MeldWatcher } from '../melding/apply/apply-melds.js';
import type { Candidate, FlattenedBranch, HoistedSide, Meld } from '../melding/plan.js';
import { RULES } from '../melding/rules.js';
import type { LogRound } from '../job/edit-log.js';
import type { FunctionHistory, FunctionPicture, MeldedPlace, SelectedOperands } from '../job/history.js';
import type { PlannedFunction } from './planned-function.js';

interface PrintedModule {
  /** By function. */
  readonly bodies: ReadonlyMap<string, string>;
  readonly lines: DebugLines;
}

/** Instructions of a function, by block, and what their debug information says. */
interface FunctionText {
  readonly blocks: string[][];
  readonly lines: DebugLines;
}

/** The text of functions. As long as none has changed, one print of the module serves for all of them. */
export class FunctionTexts {
  #first: PrintedModule | null = null;

  constructor(private readonly module: LlvmModule) {}

  /** @param changed whether the function has changed since the first call for any function */
  of(name: string, changed: boolean): FunctionText {
    if (!changed) this.#first ??= this.#print();
    const { bodies, lines } = changed ? this.#print() : this.#first!;
    return { blocks: instructionTexts(bodies.get(name) ?? ''), lines };
  }

  #print(): PrintedModule {
    const text = new TextDecoder().decode(this.module.text());
    return { bodies: this.module.bodies(text), lines: new DebugLines(text) };
  }
}

export class HistoryRecorder implements MeldWatcher {
  readonly #pictures: FunctionPicture[] = [];
  /** By step. */
  readonly #selects: SelectedOperands[][] = [];
  #identities = new Map<BlockRef, number>();
  #identityCount = 0;
  /** What instructions, and blocks that may hold none, come from. */
  #origins = new Map<ValueRef | BlockRef, readonly MeldedPlace[]>();
  #now: PlannedFunction | null = null;
  #ids = new Map<ValueRef, InstrId>();
  #meld = 0;

  constructor(
    private readonly module: LlvmModule,
    private readonly name: string,
    private readonly texts: FunctionTexts,
  ) {}

  /** Takes a picture of the function as it is now. */
  record(planned: PlannedFunction): FunctionPicture {
    const { snapshot: f, editor, analyses, plan } = planned;
    const [names, { blocks: texts, lines }] = this.module.peek(() => [
      this.module.blockNames(this.name),
      this.texts.of(this.name, this.#pictures.length > 0),
    ]);
    const instructions = instructionsOf(f, texts);
    this.#now = planned;
    this.#ids = new Map(Array.from({ length: f.instrCount }, (_, i) => [editor.instr(i as InstrId), i as InstrId]));
    const refs = names.map((_, b) => editor.block(b as BlockId));
    const alive = new Set<ValueRef | BlockRef>([...refs, ...this.#ids.keys()]);
    this.#origins = new Map([...this.#origins].filter(([ref]) => alive.has(ref)));
    this.#identities = new Map(refs.map((ref) => [ref, this.#identities.get(ref) ?? this.#identityCount++]));
    const picture: FunctionPicture = {
      blocks: names.map((name, b) => ({
        name,
        first: f.blockInstrStart[b]! as InstrId,
        successors: [...f.succ.subarray(f.succStart[b], f.succStart[b + 1])] as BlockId[],
        divergent: analyses.divergence.terminatorDivergent[b] === 1,
        identity: this.#identities.get(refs[b]!)!,
        holds: this.#holds(f, refs[b]!, b),
      })),
      instructions,
      lines: lines.isEmpty ? [] : instructions.map((text) => lines.lineOf(text)),
      candidates: plan.candidates,
    };
    this.#pictures.push(picture);
    this.#selects.push([]);
    this.#meld = 0;
    return picture;
  }

  /** Says something else of the candidates of the last picture. */
  replan(candidates: readonly Candidate[]): FunctionPicture {
    const picture = { ...this.#pictures.at(-1)!, candidates };
    this.#pictures[this.#pictures.length - 1] = picture;
    return picture;
  }

  #holds(f: FunctionSnapshot, ref: BlockRef, b: number): MeldedPlace[] {
    const { editor } = this.#now!;
    const own = [...(this.#origins.get(ref) ?? [])];
    for (let i = f.blockInstrStart[b]!; i < f.blockInstrStart[b + 1]!; i++)
      own.push(...(this.#origins.get(editor.instr(i as InstrId)) ?? []));
    return distinct(own);
  }

  // --- what melding tells
  // -----------------------------------------------------------------------------------------------

  created(block: BlockRef, index: number | null): void {
    this.#identities.delete(block);
    this.#origins.delete(block);
    if (index !== null) this.#origins.set(block, [this.#place(index)]);
  }

  melded(instr: ValueRef, t: ValueRef | null, f: ValueRef | null, index: number): void {
    const before = [t, f].flatMap((ref) => (ref === null ? [] : (this.#origins.get(ref) ?? [])));
    this.#origins.set(instr, distinct([this.#place(index), ...before]));
  }

  selected(t: ValueRef, f: ValueRef, operand: number): void {
    const [idT, idF] = [this.#ids.get(t)!, this.#ids.get(f)!];
    const list = this.#selects.at(-1)!;
    const found = list.find((each) => each.t === idT && each.f === idF);
    if (found === undefined) list.push({ t: idT, f: idF, operands: [operand] });
    else (found.operands as number[]).push(operand);
  }

  done({ blocks }: Meld): void {
    const { editor, snapshot: f } = this.#now!;
    for (const block of blocks.flatMap((pair) => [pair.t, pair.f])) {
      if (block === NONE) continue;
      this.#identities.delete(editor.block(block as BlockId));
      this.#origins.delete(editor.block(block as BlockId));
      for (let i = f.blockInstrStart[block]!; i < f.blockInstrStart[block + 1]!; i++)
        this.#origins.delete(editor.instr(i as InstrId));
    }
    this.#meld++;
  }

  hoisted({ side, instrs }: HoistedSide): void {
    const { editor } = this.#now!;
    this.#identities.delete(editor.block(side));
    for (const i of instrs) this.#origins.delete(editor.instr(i));
  }

  flattened({ blocks, instrs }: FlattenedBranch): void {
    const { editor } = this.#now!;
    for (const b of blocks) this.#identities.delete(editor.block(b));
    for (const i of instrs) this.#origins.delete(editor.instr(i));
  }

  #place(block: number): MeldedPlace {
    return { step: this.#pictures.length - 1, meld: this.#meld, block };
  }

  // --- what comes of it
  // -------------------------------------------------------------------------------------------------

  /** The history of these rounds, the first that were recorded; null when there is nothing to say. */
  history(rounds: readonly LogRound[], bailout: string | null): FunctionHistory | null {
    const after = this.#pictures[rounds.length];
    if (after === undefined || (rounds.length === 0 && after.candidates.length === 0 && bailout === null)) return null;
    const steps = rounds.map(({ lowered, melds }, index) => ({
      before: this.#pictures[index]!,
      lowered,
      melds,
      selects: this.#selects[index]!,
    }));
    return { function: this.name, steps, after, netUnit: this.#now!.plan.netUnit, bailout };
  }
}

/** A picture of a function whose melds are taken back from there on. */
export const withoutMelds = (picture: FunctionPicture, reason: string): FunctionPicture => ({
  ...picture,
  candidates: picture.candidates.map((each) =>
    each.verdict === 'meld' ? { ...each, verdict: 'refuse', rule: RULES.NotProfitable.id, reason } : each,
  ),
});

function distinct(places: readonly MeldedPlace[]): MeldedPlace[] {
  const byKey = new Map(places.map((place) => [`${place.step} ${place.meld} ${place.block}`, place]));
  return [...byKey.values()].sort((a, b) => b.step - a.step || a.meld - b.meld || a.block - b.block);
}

/** In the order of their ids; the snapshot's own words should LLVM's not fit it. */
function instructionsOf(f: FunctionSnapshot, texts: readonly (readonly string[])[]): string[] {
  const fits =
    texts.length === f.blockCount &&
    texts.every((block, b) => block.length === f.blockInstrStart[b + 1]! - f.blockInstrStart[b]!);
  return fits ? texts.flat() : Array.from({ length: f.instrCount }, (_, i) => printInstr(f, i as InstrId));
}
