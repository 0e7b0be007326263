/**
 * Switches options of LLVM's command line off, of those that are `cl::opt<bool>` and on by default.
 *
 * The options are global objects of the module, and nothing that it exports sets them. So their values are written in
 * its memory. An object is found by its name, and by what else must be around the name in the class of LLVM 23, for 32
 * bits (llvm/Support/CommandLine.h). If it is not there exactly once, that is an internal error: this can only come of
 * another build of the module, and tests would show it.
 */
import { invariant } from '../errors.js';
import type { LlvmRuntime } from './runtime.js';

/** Where parts of an option are, in words from the pointer to its name, which the length of the name follows. */
const Part = {
  /** The pointer to the option's only category, which lies at `OwnCategory`. */
  Categories: 6,
  OwnCategory: 9,
  Value: 15,
  /** Its lowest two bytes: the default, and that there is one. */
  Default: 17,
} as const;

const TRUE_AND_THERE = 0x0101;
const WORD = 4;

/** By instance and name: no object ever moves. */
const known = new WeakMap<LlvmRuntime, Map<string, number>>();

export function withSwitchedOff<T>(runtime: LlvmRuntime, options: readonly string[], use: () => T): T {
  const addresses = options.map((name) => addressOf(runtime, name));
  const write = (value: number): void => {
    const memory = new Uint8Array(runtime.memory.buffer);
    for (const address of addresses) memory[address] = value;
  };
  write(0);
  try {
    return use();
  } finally {
    write(1);
  }
}

function addressOf(runtime: LlvmRuntime, name: string): number {
  let addresses = known.get(runtime);
  if (addresses === undefined) known.set(runtime, (addresses = new Map<string, number>()));
  let address = addresses.get(name);
  if (address === undefined) addresses.set(name, (address = find(runtime, name)));
  return address;
}

function find(runtime: LlvmRuntime, name: string): number {
  const found: number[] = [];
  const wanted = new TextEncoder().encode(name);
  const { buffer } = runtime.memory;
  const bytes = new Uint8Array(buffer);
  const isName = (address: number): boolean => wanted.every((byte, index) => bytes[address + index] === byte);
  for (const { start, end } of runtime.initialVariables()) {
    const first = Math.ceil(start / WORD) * WORD;
    const words = new Uint32Array(buffer, first, Math.floor((end - first) / WORD));
    // The length of the name comes behind the pointer to it. A new process searches faster with `indexOf` than by a loop.
    for (let at = words.indexOf(wanted.length, 1) - 1; at >= 0; at = words.indexOf(wanted.length, at + 2) - 1)
      if (
        words[at + Part.Categories] === first + WORD * (at + Part.OwnCategory) &&
        (words[at + Part.Default]! & 0xffff) === TRUE_AND_THERE &&
        isName(words[at]!)
      )
        found.push(first + WORD * (at + Part.Value));
  }
  invariant(found.length === 1, `LLVM's option '${name}' is not in its memory as expected`);
  return found[0]!;
}
