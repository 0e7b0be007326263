/**
 * Records what happens to one function, for reports (report-data.ts): a picture at every look, and which instructions of the
 * melded function stand for which of before. Names and texts are asked for at once, as the next round changes them, and without a
 * trace in LLVM's memory: a report changes no byte of the output.
 *
 * References say which block or instruction is the same as before. One that was deleted is forgotten, as LLVM may use its address
 * again; of what LLVM's passes delete and make between two looks nothing is known, so a select of theirs may be taken for an
 * instruction that stood there.
 */
import type { LlvmModule, OpenFunction } from '../binding/module.js';
import { functionBodies, instructionTexts } from '../formats/ir-text.js';
import type { BlockRef, ValueRef } from '../ir/editor.js';
import type { BlockId, InstrId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { printInstr } from '../ir/print.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';
import type { MeldWatcher } from '../melding/apply/apply-melds.js';
import type { Analyses } from '../analysis/analyses.js';
import type { FunctionPlan, Meld } from '../melding/plan.js';
import type { FunctionHistory, FunctionPicture, MeldedPlace, SelectedOperands } from '../job/history.js';
import type { LogRound } from '../job/results.js';

interface Look extends OpenFunction {
  readonly analyses: Analyses;
  readonly plan: FunctionPlan;
}

/** The text of functions. What no function was changed in front of comes from one print of the module. */
export class FunctionTexts {
  #first: ReadonlyMap<string, string> | null = null;

  constructor(private readonly module: LlvmModule) {}

  /** Instructions by block; `changed` says whether the function was since the first call for any. */
  of(name: string, changed: boolean): string[][] {
    if (!changed) this.#first ??= this.#print();
    return instructionTexts((changed ? this.#print() : this.#first!).get(name) ?? '');
  }

  #print(): Map<string, string> {
    const bodies = functionBodies(new TextDecoder().decode(this.module.text()));
    return new Map(this.module.functions().map(({ name }, index) => [name, bodies[index] ?? '']));
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
  #now: Look | null = null;
  #ids = new Map<ValueRef, InstrId>();
  #meld = 0;

  constructor(
    private readonly module: LlvmModule,
    private readonly name: string,
    private readonly texts: FunctionTexts,
  ) {}

  /** Takes a picture of the function as it is now. */
  look(look: Look): FunctionPicture {
    const { snapshot: f, editor, analyses, plan } = look;
    const [names, texts] = this.module.peek(() => [
      this.module.blockNames(this.name),
      this.texts.of(this.name, this.#pictures.length > 0),
    ]);
    this.#now = look;
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
      instructions: instructionsOf(f, texts),
      candidates: plan.candidates,
    };
    this.#pictures.push(picture);
    this.#selects.push([]);
    this.#meld = 0;
    return picture;
  }

  #holds(f: FunctionSnapshot, ref: BlockRef, b: number): MeldedPlace[] {
    const { editor } = this.#now!;
    const own = [...(this.#origins.get(ref) ?? [])];
    for (let i = f.blockInstrStart[b]!; i < f.blockInstrStart[b + 1]!; i++)
      own.push(...(this.#origins.get(editor.instr(i as InstrId)) ?? []));
    return distinct(own);
  }

  // --- what melding tells -----------------------------------------------------------------------------------------------

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

  #place(block: number): MeldedPlace {
    return { step: this.#pictures.length - 1, meld: this.#meld, block };
  }

  // --- what comes of it -------------------------------------------------------------------------------------------------

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
    return { function: this.name, steps, after, bailout };
  }
}

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
