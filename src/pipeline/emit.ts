/**
 * From a module that is ready for code generation to the artifacts that were asked for, and to the figures about its
 * functions.
 */
import { analysesOf } from '../analysis/analyses.js';
import { summarize } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import type { Emit } from '../job/options.js';
import { NO_KERNEL, type Artifact, type Counts } from '../job/results.js';
import { elfFunctionSizes } from '../formats/elf.js';
import { generateCode } from './generate-code.js';
import { spareBodies, withoutWarningsAbout } from './kernel-bodies.js';
import { leftOutWarnings } from './left-out.js';
import { isForRocm, notesScratch, scratchOf, type Scratch } from './scratch.js';
import type { Stopwatch } from './stopwatch.js';

export interface EmitRequest {
  readonly module: LlvmModule;
  /** Makes the module again: code generation uses a module up. */
  readonly rebuild: () => LlvmModule;
  readonly kinds: readonly Emit[];
  /** Asks for all counts; it changes no byte of the artifacts. */
  readonly withFigures: boolean;
  /** Asks what the code comes to, and has it generated where no artifact is made of it. */
  readonly withCode?: boolean;
  readonly watch: Stopwatch;
}

export interface Emitted {
  readonly artifacts: readonly Artifact[];
  /** By the name of the function, in module order. */
  readonly counts: ReadonlyMap<string, Counts>;
  readonly target: string;
  readonly warnings: readonly string[];
  /** Null if it was not asked for. */
  readonly code: CodeFigures | null;
}

export interface CodeFigures {
  /** By function, of those with code of their own. */
  readonly sizes: ReadonlyMap<string, number>;
  /** On NVPTX the driver makes machine code, which has bytes. */
  readonly unit: 'bytes' | 'instructions of PTX';
  readonly scratch: Scratch;
}

export function emitArtifacts(request: EmitRequest): Emitted {
  const { rebuild, kinds, withFigures, withCode = false, watch } = request;
  let { module } = request;
  let object: Uint8Array | null = null;
  const hasNotes = notesScratch(module);
  const artifacts: Artifact[] = [];
  const target = module.cpu || (module.isAmdgcn ? 'amdgcn' : 'nvptx64');
  for (const kind of kinds) checkKind(kind, module);
  const spare = spareBodies(module);
  const counts = withFigures ? module.peek(() => countFunctions(module, true)) : countFunctions(module, false);
  if (kinds.includes('bc')) artifacts.push({ kind: 'bc', bytes: module.bitcode() });
  if (kinds.includes('ll')) artifacts.push({ kind: 'll', bytes: module.text() });

  // Without a target there is no code to count.
  const codes = codesFor(kinds, withFigures && module.triple !== '', module.isAmdgcn);
  const hasFigures = codes.size > 0;
  if (withCode) codes.add(module.isAmdgcn ? 'obj' : 'asm');
  const noKernel = kernelWarnings(kinds, module);
  const leftOut = codes.size > 0 ? leftOutWarnings(module, spare) : [];
  let isUntouched = artifacts.length === 0;
  for (const code of codes) {
    if (!isUntouched) module = rebuild();
    isUntouched = false;
    watch.time('codegen', () => {
      generateCode(module, code);
    });
    const asked = CODES[code].filter((kind) => kinds.includes(kind));
    if (asked.length > 0) {
      const bytes = module.generated();
      artifacts.push(...asked.map((kind) => ({ kind, bytes })));
    }
    if (code === 'obj' && withCode) object = module.generated();
    if (code === 'obj' && kinds.includes('hsaco'))
      artifacts.push({ kind: 'hsaco', bytes: watch.time('link', () => module.link()) });
  }
  if (hasFigures)
    for (const [name, machineInstructions] of module.machineInstructions())
      if (counts.has(name)) counts.set(name, { ...counts.get(name)!, machineInstructions });
  const code = withCode
    ? {
        sizes: object === null ? module.machineInstructions() : sizesIn(object, counts.keys()),
        unit: object === null ? ('instructions of PTX' as const) : ('bytes' as const),
        scratch: object !== null && hasNotes ? scratchOf(object) : new Map<string, number>(),
      }
    : null;
  const warnings = [...noKernel, ...leftOut, ...withoutWarningsAbout(module.warnings(), spare)];
  return { artifacts, counts, target, warnings, code };
}

/** Without functions of which no symbol is left: those that were inlined, and private ones. */
function sizesIn(object: Uint8Array, functions: Iterable<string>): Map<string, number> {
  const bySymbol = elfFunctionSizes(object);
  return new Map(
    [...functions].flatMap((name) => {
      const size = bySymbol.get(name.startsWith(VERBATIM) ? name.slice(VERBATIM.length) : name);
      return size === undefined ? [] : [[name, size]];
    }),
  );
}

/** Where a name begins with this, LLVM makes the rest of it a symbol as it is. */
const VERBATIM = '\x01';

/** The artifacts that are what code generation has written. */
const CODES = { asm: ['asm', 'ptx'], obj: ['obj'] } as const;

/** What code generation has to write for these artifacts. Figures need one of both. */
function codesFor(kinds: readonly Emit[], withFigures: boolean, isAmdgcn: boolean): Set<'asm' | 'obj'> {
  const codes = new Set<'asm' | 'obj'>();
  if (kinds.includes('asm') || kinds.includes('ptx')) codes.add('asm');
  if (kinds.includes('obj') || kinds.includes('hsaco')) codes.add('obj');
  if (withFigures && codes.size === 0) codes.add(isAmdgcn ? 'obj' : 'asm');
  return codes;
}

/** Functions without a kernel are a normal thing to compile, until they are linked. Graphics drivers launch shaders. */
export const kernelWarnings = (kinds: readonly Emit[], module: LlvmModule): string[] =>
  kinds.includes('hsaco') && isForRocm(module) && module.functions().every(({ kernel }) => !kernel) ? [NO_KERNEL] : [];

export function checkKind(kind: Emit, module: LlvmModule): void {
  // LLVM reads it and takes it for AMD's; its code generator then crashes.
  if ((kind === 'hsaco' || kind === 'obj' || kind === 'asm') && module.triple === '')
    throw new DarmError('bad-target', 'the module names no target: it lacks target triple = "amdgcn-amd-amdhsa"');
  if (kind === 'ptx' && module.isAmdgcn)
    throw new DarmError('bad-target', 'ptx needs an nvptx module; this one is for amdgcn');
  if ((kind === 'hsaco' || kind === 'obj') && !module.isAmdgcn)
    throw new DarmError('bad-target', `${kind} needs an amdgcn module; this one is for nvptx (use ptx)`);
  if (kind === 'hsaco' || kind === 'obj') module.requireProcessor();
}

export function countFunctions(module: LlvmModule, withFigures: boolean): Map<string, Counts> {
  return new Map(
    module.functions().map(({ name, instructions }) => {
      const divergentBranches = withFigures ? countDivergentBranches(module, name) : null;
      return [name, { divergentBranches, instructions, machineInstructions: null }];
    }),
  );
}

/** Null where the function cannot be analysed. */
function countDivergentBranches(module: LlvmModule, name: string): number | null {
  const { snapshot } = module.look(name);
  try {
    return summarize(snapshot, analysesOf(snapshot).divergence).divergentBranches;
  } catch (error) {
    if (error instanceof DarmError && error.code === 'compile-failed') return null;
    throw error;
  }
}
