/** Assembly that LLVM writes for AMD's targets, as functions of basic blocks. */
import type { Family } from './counters.js';
import { effectOf, effectOfComment, firstOperand, withHalves, type Effect } from './operations.js';
import { registersIn, type Halves } from './registers.js';

export interface Instruction {
  readonly line: number;
  readonly text: string;
  readonly effect: Effect;
  /** The registers that it uses or writes, but for those that a memory operation writes when it is done. */
  readonly registers: Halves;
}

export interface Block {
  readonly instructions: Instruction[];
  readonly successors: number[];
}

export interface AssemblyFunction {
  readonly name: string;
  readonly isKernel: boolean;
  readonly blocks: readonly Block[];
}

const BEGINNING = /^([\w.$]+):\s+; @/;
const LABEL = /^(\.L[\w.$]+):/;
const INSTRUCTION = /^\s+([a-z]\w+)\s*(.*)/;
/** What a branch too far for its offset adds to the address behind `s_getpc_b64`. */
const FAR = /\((\.L\w+)-\.L\w+\)/;
const IMPLICIT_VCC = /_vccn?z$|^v_div_fmas/;

/** @throws Error where the text is not what LLVM writes */
export function parseAssembly(text: string, family: Family): readonly AssemblyFunction[] {
  const kernels = new Set([...text.matchAll(/^\s*\.amdhsa_kernel (\S+)/gm)].map(([, name]) => name!));
  const functions: AssemblyFunction[] = [];
  let name: string | null = null;
  let lines: [number, string][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [, beginning] = BEGINNING.exec(line) ?? [];
    if (beginning !== undefined) [name, lines] = [beginning, []];
    else if (name !== null && line.startsWith('.Lfunc_end')) {
      const isKernel = kernels.has(name);
      functions.push({ name, isKernel, blocks: blocksOf(lines, isKernel, family) });
      name = null;
    } else lines.push([index + 1, line]);
  }
  if (name !== null) throw new Error(`${name} has no end`);
  return functions;
}

function blocksOf(lines: readonly [number, string][], isKernel: boolean, family: Family): Block[] {
  const blocks: Block[] = [{ instructions: [], successors: [] }];
  const labels = new Map<string, number>();
  const jumps: { readonly from: Block; readonly target: string }[] = [];
  let falls = true;
  const next = (): void => {
    const index = blocks.push({ instructions: [], successors: [] }) - 1;
    if (falls) blocks[index - 1]!.successors.push(index);
    falls = true;
  };
  let far: string | null = null;
  for (const [line, text] of lines) {
    const [, label] = LABEL.exec(text) ?? [];
    if (label !== undefined) {
      next();
      labels.set(label, blocks.length - 1);
      continue;
    }
    const block = blocks.at(-1)!;
    const instruction = instructionOf(line, text, family);
    if (instruction === null) continue;
    far = FAR.exec(instruction.text)?.[1] ?? far;
    let { effect } = instruction;
    if (effect.kind === 'tail-call' && far !== null) effect = { kind: 'branch', target: far, falls: false };
    else if (effect.kind === 'tail-call' && isKernel) effect = { kind: 'unknown' };
    block.instructions.push({ ...instruction, effect });
    if (effect.kind === 'branch') jumps.push({ from: block, target: effect.target });
    falls = effect.kind === 'branch' ? effect.falls : !['return', 'tail-call', 'end'].includes(effect.kind);
    if (effect.kind === 'branch' || !falls) {
      next();
      far = null;
    }
  }
  for (const { from, target } of jumps) {
    const to = labels.get(target);
    if (to === undefined) throw new Error(`there is no ${target}`);
    from.successors.push(to);
  }
  return blocks;
}

function instructionOf(line: number, raw: string, family: Family): Instruction | null {
  const comment = effectOfComment(raw);
  if (comment !== null) return { line, text: raw.trim(), effect: comment, registers: [] };
  const [text = ''] = raw.split(/;|\/\//, 1);
  const [, mnemonic, operands] = INSTRUCTION.exec(text) ?? [];
  if (mnemonic === undefined) return null;
  const args = withHalves(mnemonic, operands!.trim(), family);
  const effect = effectOf(mnemonic, args, line, family);
  const writes = effect.kind === 'begin' && effect.operations.some(({ destination }) => destination!.length > 0);
  const implicit = IMPLICIT_VCC.test(mnemonic) ? ' vcc' : '';
  const registers = registersIn((writes ? args.slice(firstOperand(args).length) : args) + implicit);
  return { line, text: text.trim(), effect, registers };
}
