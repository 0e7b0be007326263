/** Runs the kernels of kernels/ on the simulator and compares the results with their references. */
import { expectedOutputs } from '../../kernels/references/index.js';
import { disassemble } from '../../src/binding/disassemble.js';
import type { Disassembly } from '../../src/formats/disassembly.js';
import type { JobOptions } from '../../src/job/options.js';
import { readCodeObject, type LoadableCodeObject } from '../../src/simulator/launch/code-object.js';
import type { LaunchSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { artifact, compile, runtime } from './llvm.js';

export interface Decoded {
  readonly object: LoadableCodeObject;
  readonly disassembly: Disassembly;
}

/** Compiles a module and disassembles the code. */
export async function decoded(input: Uint8Array, options: Partial<JobOptions>): Promise<Decoded & { melds: number }> {
  const result = await compile(input, { emit: ['hsaco'], ...options });
  const object = readCodeObject(artifact(result, 'hsaco'));
  const llvm = await runtime();
  llvm.reset();
  const waveSize = object.target.defaultWaveSize;
  const disassembly = disassemble(llvm, object.code.bytes, object.target.cpu, `+wavefrontsize${waveSize}`);
  return { object, disassembly, melds: result.functions.reduce((total, { melds }) => total + melds.length, 0) };
}

/** Descriptions of what is wrong after the launch; empty if all is well. */
export async function complaints({ object, disassembly }: Decoded, spec: LaunchSpec): Promise<string[]> {
  const options = { ...DEFAULT_SIMULATION, maxInstructions: 1e6, cycles: false };
  const { kernel } = spec.launches[0]!;
  const expected = expectedOutputs(spec);
  try {
    const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
    return buffers
      .filter(({ name, out, bytes }) => out && Buffer.compare(bytes, expected.get(name)!) !== 0)
      .map(({ name, bytes }) => {
        const at = bytes.findIndex((byte, index) => byte !== expected.get(name)![index]);
        return `${kernel}: '${name}' differs from its element ${at >> 2} on`;
      });
  } catch (error) {
    return [`${kernel}: ${(error as Error).message}`];
  }
}
