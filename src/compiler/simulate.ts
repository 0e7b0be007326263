/** Simulation on an executor: LLVM decodes the code there, then the parts of a launch run there side by side. */
import { boolean, checkOptions, wholeNumberIn, type Checks } from '../job/check-options.js';
import type { Executor, TaskLimits } from '../workers/executor.js';
import type { Disassembly } from '../formats/disassembly.js';
import { unsupportedOperations } from '../simulator/code.js';
import { readCodeObject, type LoadableCodeObject } from '../simulator/launch/code-object.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import { makeProgram } from '../simulator/program.js';
import { DEFAULT_SIMULATION, type SimulationOptions } from '../simulator/options.js';
import { simulate, type SimulationInput, type SimulationResult } from '../simulator/run.js';

/** An operation of a code object that the simulator lacks. */
export interface UnsupportedOperation {
  readonly mnemonic: string;
  /** One of its instructions, as LLVM prints it. */
  readonly example: string;
}

const CHECKS: Checks<SimulationOptions> = {
  maxInstructions: wholeNumberIn(1, Number.MAX_SAFE_INTEGER),
  checkUninitializedLds: boolean,
  unalignedLds: boolean,
  detectRaces: boolean,
  cycles: boolean,
};

export async function simulateOn(
  executor: Executor,
  codeObject: Uint8Array,
  spec: LaunchSpec,
  options: Partial<SimulationOptions>,
  { onInstruction, ...limits }: TaskLimits & Pick<SimulationInput, 'onInstruction'>,
): Promise<SimulationResult> {
  checkOptions('simulate()', options, CHECKS as Checks<Partial<SimulationOptions>>);
  const object = readCodeObject(codeObject);
  const disassemblies = await disassemble(executor, object, limits);
  const input: SimulationInput = {
    object,
    disassembly: (waveSize) => disassemblies.get(waveSize)!,
    spec,
    options: { ...DEFAULT_SIMULATION, ...options },
    onInstruction,
  };
  return simulate(input, {
    width: executor.width,
    run: (part) => executor.run({ kind: 'simulate', part }, limits),
  });
}

export async function unsupportedOn(
  executor: Executor,
  codeObject: Uint8Array,
  limits: TaskLimits,
): Promise<UnsupportedOperation[]> {
  const missing = new Map<string, string>();
  for (const disassembly of (await disassemble(executor, readCodeObject(codeObject), limits)).values())
    for (const [mnemonic, example] of unsupportedOperations(makeProgram(disassembly))) missing.set(mnemonic, example);
  return [...missing]
    .map(([mnemonic, example]) => ({ mnemonic, example }))
    .sort((a, b) => (a.mnemonic < b.mnemonic ? -1 : 1));
}

/** The code decoded, once for each wave size that a kernel has. */
async function disassemble(
  executor: Executor,
  { kernels, code, target }: LoadableCodeObject,
  limits: TaskLimits,
): Promise<ReadonlyMap<32 | 64, Disassembly>> {
  const disassemblies = new Map<32 | 64, Disassembly>();
  for (const waveSize of new Set(kernels.map(({ descriptor }) => (descriptor.wave32 ? 32 : 64) as 32 | 64)))
    disassemblies.set(
      waveSize,
      await executor.run({ kind: 'disassemble', code: new Uint8Array(code.bytes), cpu: target.cpu, waveSize }, limits),
    );
  return disassemblies;
}
