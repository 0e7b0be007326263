/**
 * Classifies the difference between two object files of the same module: first by its place (code, or only symbols,
 * notes or relocations), then, for code, by the kind: the same instructions in another order, the same except for
 * registers, or other instructions. There is a class of its own for files for which llc gives different results each
 * time: LLVM iterates over a map whose keys are addresses, and these are random in a native process.
 */
import { describe } from './native.js';

export const DifferenceClass = {
  Unstable: "llc's own bytes vary from run to run",
  OutsideCode: 'same code; symbols, notes, relocations or data differ',
  MemoryCluster: 'order within neighbouring memory operations',
  MemoryOrder: 'order: only memory operations moved',
  Order: 'order: the same instructions, moved',
  OrderAndWaits: 'order, and the waits and hints that follow it',
  OrderAndRegisters: 'order and register numbers',
  Registers: 'register numbers only',
  Mnemonics: 'the same operations, operands differ',
  Other: 'other instructions',
} as const;
export type DifferenceClass = (typeof DifferenceClass)[keyof typeof DifferenceClass];

export interface Difference {
  readonly class: DifferenceClass;
  /** Functions whose code differs, or parts of the file that differ. */
  readonly where: readonly string[];
  /** The first lines that differ, ours after `-`, llc's after `+`. */
  readonly excerpt: readonly string[];
}

const EXCERPT_LINES = 12;
const MEMORY = /^(global|flat|buffer|tbuffer|scratch|ds|image|s_load|s_buffer_load|s_scratch_load)_/;
const WAITS = /^(s_waitcnt|s_wait_|s_delay_alu|s_nop|s_clause|s_set_vgpr_msb)/;

/** Instructions by function, without addresses and encodings. */
function listing(object: Uint8Array): Map<string, string[]> {
  const functions = new Map<string, string[]>();
  let name = '';
  const text = describe('llvm-objdump-23', ['-d', '-r', '--no-show-raw-insn', '--no-leading-addr'], object);
  for (const line of text.split('\n')) {
    const label = /^<(.*)>:$/.exec(line);
    if (label) functions.set((name = label[1]!), []);
    else if (functions.has(name) && line.trim() !== '') functions.get(name)!.push(withoutAddress(line));
  }
  return functions;
}

/** objdump prints the address after an instruction, as a comment, and before a relocation. */
function withoutAddress(line: string): string {
  return line
    .replace(/\/\/.*$/, '')
    .replace(/^\s*[0-9a-f]{16}:\s*R_/, 'R_')
    .replace(/\s+/g, ' ')
    .trim();
}

const sorted = (lines: readonly string[]) => [...lines].sort().join('\n');
const withoutRegisters = (lines: readonly string[]) =>
  lines.map((line) =>
    line.replace(/\b[vsa](\d+|\[\d+:\d+\])/g, (found) => found[0]!).replace(/\bvcc(_lo|_hi)?\b/g, 's'),
  );
const mnemonics = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]!.replace(/_e(32|64)$/, ''));

/** The kind of difference between two listings of one function. */
function compareCode(ours: readonly string[], theirs: readonly string[]): DifferenceClass {
  const isMemory = (line: string) => MEMORY.test(line);
  if (sorted(ours) === sorted(theirs)) {
    const changed = ours.flatMap((line, at) => (line === theirs[at] ? [] : [line, theirs[at]!]));
    if (changed.every(isMemory)) return DifferenceClass.MemoryCluster;
    const rest = (lines: readonly string[]) => lines.filter((line) => !isMemory(line)).join('\n');
    return rest(ours) === rest(theirs) ? DifferenceClass.MemoryOrder : DifferenceClass.Order;
  }
  const settled = (lines: readonly string[]) => lines.filter((line) => !WAITS.test(line));
  const [a, b] = [settled(ours), settled(theirs)];
  if (sorted(a) === sorted(b)) return DifferenceClass.OrderAndWaits;
  const [p, q] = [withoutRegisters(a), withoutRegisters(b)];
  if (p.join('\n') === q.join('\n')) return DifferenceClass.Registers;
  if (sorted(p) === sorted(q)) return DifferenceClass.OrderAndRegisters;
  return sorted(mnemonics(a)) === sorted(mnemonics(b)) ? DifferenceClass.Mnemonics : DifferenceClass.Other;
}

/** A few lines around the first difference. */
function excerptOf(ours: readonly string[], theirs: readonly string[]): string[] {
  const first = ours.findIndex((line, at) => line !== theirs[at]);
  const from = first < 0 ? ours.length : first;
  let [oursEnd, theirsEnd] = [ours.length, theirs.length];
  while (oursEnd > from && theirsEnd > from && ours[oursEnd - 1] === theirs[theirsEnd - 1])
    [oursEnd, theirsEnd] = [oursEnd - 1, theirsEnd - 1];
  const take = (lines: readonly string[], end: number, sign: string) =>
    lines.slice(from, Math.min(end, from + EXCERPT_LINES)).map((line) => sign + line);
  return [...take(ours, oursEnd, '-'), ...take(theirs, theirsEnd, '+')];
}

/** From the mildest to the worst class. A file has the worst class of its functions. */
const SEVERITY: readonly DifferenceClass[] = Object.values(DifferenceClass);

/** @param known why they differ, if that is known */
export function classify(ours: Uint8Array, theirs: Uint8Array, known: DifferenceClass | null): Difference {
  const difference = compareObjects(ours, theirs);
  return { ...difference, class: known ?? difference.class };
}

function compareObjects(ours: Uint8Array, theirs: Uint8Array): Difference {
  const [mine, native] = [listing(ours), listing(theirs)];
  let worst: DifferenceClass | null = null;
  const where: string[] = [];
  let excerpt: string[] = [];
  for (const name of new Set([...mine.keys(), ...native.keys()])) {
    const [a, b] = [mine.get(name) ?? [], native.get(name) ?? []];
    if (a.join('\n') === b.join('\n')) continue;
    const found = compareCode(a, b);
    where.push(name);
    if (worst !== null && SEVERITY.indexOf(worst) >= SEVERITY.indexOf(found)) continue;
    worst = found;
    excerpt = [`<${name}>:`, ...excerptOf(a, b)];
  }
  if (worst !== null) return { class: worst, where, excerpt };
  for (const [part, option] of [
    ['symbols', '-s'],
    ['notes', '--notes'],
    ['relocations', '-r'],
    ['sections', '-S'],
  ] as const) {
    const [a, b] = [ours, theirs].map((object) => describe('llvm-readelf-23', [option], object).split('\n'));
    if (a!.join('\n') === b!.join('\n')) continue;
    where.push(part);
    if (excerpt.length === 0) excerpt = excerptOf(a!, b!);
  }
  return { class: DifferenceClass.OutsideCode, where: where.length > 0 ? where : ['data'], excerpt };
}
