/** Simulation on an executor: LLVM decodes the code there, then the parts of a launch run there side by side. */
import { completeOptions } from '../job/option-table.js';
import { SIMULATION_OPTIONS } from '../job/simulation-options.js';
import type { Executor } from '../workers/executor.js';
import type { TaskLimits } from '../workers/task-limits.js';
import type { Disassembly } from '../formats/disassembly.js';
import { unsupportedOperations } from '../simulator/code.js';
import { readCodeObject, type LoadableCodeObject } from '../simulator/launch/code-object.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import { makeProgram } from '../simulator/program.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { UnsupportedOperation } from './api.js';
import { simulate, type SimulationInput, type SimulationResult } from '../simulator/run.js';

export async function simulateOn(
  executor: Executor,
  codeObject: Uint8Array,
  spec: LaunchSpec,
  options: Partial<SimulationOptions>,
  { onInstruction, ...limits }: TaskLimits & Pick<SimulationInput, 'onInstruction'>,
): Promise<SimulationResult> {
  const complete = completeOptions('simulate()', options, SIMULATION_OPTIONS);
  const object = readCodeObject(codeObject);
  const disassemblies = await disassemble(executor, object, limits);
  const input: SimulationInput = {
    object,
    disassembly: (waveSize) => disassemblies.get(waveSize)!,
    spec,
    options: complete,
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
