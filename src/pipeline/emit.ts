/** From a module that is ready to the artifacts that were asked for, and what they hold in figures. */
import { summarize } from '../analysis/summary.js';
import type { LlvmModule } from '../binding/module.js';
import { DarmError } from '../errors.js';
import { analysesOf } from '../analysis/analyses.js';
import type { Emit } from '../job/options.js';
import type { Stopwatch } from './stopwatch.js';
import type { Artifact, Counts } from '../job/results.js';

type Code = 'asm' | 'obj';

export interface Emitted {
  readonly artifacts: readonly Artifact[];
  readonly counts: ReadonlyMap<string, Counts>;
  readonly target: string;
  readonly warnings: readonly string[];
}

/**
 * Emits from `module`; what needs another one, because code generation uses a module up, takes it from `again`.
 * `withFigures` asks for all counts; it changes no byte of the artifacts.
 */
export function emitFrom(
  module: LlvmModule,
  again: () => LlvmModule,
  emit: readonly Emit[],
  withFigures: boolean,
  watch: Stopwatch,
): Emitted {
  const artifacts: Artifact[] = [];
  const target = module.cpu || (module.isAmdgcn ? 'amdgcn' : 'nvptx64');
  for (const kind of emit) checkEmit(kind, module);
  const counts = withFigures ? module.peek(() => countFunctions(module, true)) : countFunctions(module, false);
  if (emit.includes('bc')) artifacts.push({ kind: 'bc', bytes: module.bitcode() });
  if (emit.includes('ll')) artifacts.push({ kind: 'll', bytes: module.text() });

  const codes = new Set<Code>();
  if (emit.includes('asm') || emit.includes('ptx')) codes.add('asm');
  if (emit.includes('obj') || emit.includes('hsaco') || (withFigures && codes.size === 0))
    codes.add(module.isAmdgcn ? 'obj' : 'asm');
  let fresh = artifacts.length === 0;
  for (const code of codes) {
    if (!fresh) module = again();
    fresh = false;
    const bytes = watch.time('codegen', () => module.emit(code));
    if (code === 'asm') {
      for (const kind of ['asm', 'ptx'] as const) if (emit.includes(kind)) artifacts.push({ kind, bytes });
      continue;
    }
    if (emit.includes('obj')) artifacts.push({ kind: 'obj', bytes });
    if (emit.includes('hsaco')) artifacts.push({ kind: 'hsaco', bytes: watch.time('link', () => module.link()) });
  }
  if (codes.size > 0)
    for (const [name, machineInstructions] of module.machineInstructions())
      if (counts.has(name)) counts.set(name, { ...counts.get(name)!, machineInstructions });
  return { artifacts, counts, target, warnings: module.warnings() };
}

function checkEmit(kind: Emit, module: LlvmModule): void {
  if (kind === 'ptx' && module.isAmdgcn)
    throw new DarmError('bad-target', 'ptx needs an nvptx module; this one is for amdgcn');
  if ((kind === 'hsaco' || kind === 'obj') && !module.isAmdgcn)
    throw new DarmError('bad-target', `${kind} needs an amdgcn module; this one is for nvptx (use ptx)`);
}

function countFunctions(module: LlvmModule, withFigures: boolean): Map<string, Counts> {
  return new Map(
    module.functions().map(({ name, instructions }) => {
      const divergentBranches = withFigures ? countDivergentBranches(module, name) : null;
      return [name, { divergentBranches, instructions, machineInstructions: null }];
    }),
  );
}

function countDivergentBranches(module: LlvmModule, name: string): number {
  const { snapshot, editor } = module.open(name);
  editor[Symbol.dispose]();
  return summarize(snapshot, analysesOf(snapshot).divergence).divergentBranches;
}
