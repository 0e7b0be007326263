/**
 * Runs single instructions through the whole simulator: LLVM assembles and disassembles them, and one wave executes
 * them.
 */
import { disassemble } from '../../src/binding/disassemble.js';
import { parseElf, elfSectionBytes } from '../../src/formats/elf.js';
import { bindCode, type KernelCode } from '../../src/simulator/code.js';
import { Lds } from '../../src/simulator/lds.js';
import type { MemoryPlan } from '../../src/simulator/memory.js';
import { GlobalMemory, type Region } from '../../src/simulator/memory.js';
import { makeProgram } from '../../src/simulator/program.js';
import { simulatedTarget } from '../../src/simulator/target.js';
import { EXEC, RegisterFile, Wave } from '../../src/simulator/wave.js';
import { ExecutionCounts, runWorkgroup } from '../../src/simulator/workgroup.js';
import { artifact, compile, runtime } from './llvm.js';

/** Assembles lines of assembly for a processor. `s_endpgm` is added. */
export async function assemble(cpu: string, lines: readonly string[], waveSize?: 32 | 64): Promise<KernelCode> {
  const size = waveSize ?? (cpu.startsWith('gfx9') ? 64 : 32);
  const text = [...lines, 's_endpgm'];
  const header = 'target triple = "amdgcn-amd-amdhsa"';
  // Assembly at the module level is read for the processor's default wave size, assembly in a function for the
  // function's.
  const module =
    size === 64 && !cpu.startsWith('gfx9')
      ? `${header}
define amdgpu_kernel void @code() "target-features"="+wavefrontsize64" {
  call void asm sideeffect "${text.join('\\0A')}", ""()
  ret void
}
`
      : `${header}\n${text.map((line) => `module asm "${line}"`).join('\n')}\n`;
  const object = artifact(await compile(module, { emit: ['obj'], meld: 'off', mcpu: cpu }), 'obj');
  const llvm = await runtime();
  llvm.reset();
  const code = elfSectionBytes(parseElf(object), '.text');
  if (code === null) throw new Error('the assembler gave no code');
  const program = makeProgram(disassemble(llvm, code, cpu, `+wavefrontsize${size}`));
  return bindCode(program, simulatedTarget(cpu), size, 256);
}

export interface Machine {
  readonly wave: Wave;
  readonly code: KernelCode;
  /** Index of the word that is lane 0 of a VGPR. */
  vgpr(number: number): number;
}

export interface MachineOptions {
  readonly lds?: number;
  readonly plan?: MemoryPlan;
  readonly exec?: readonly [low: number, high: number];
}

/** A wave that is ready to run the code. All registers are zero; fill `wave.u32` or `wave.f32`, then call `execute`. */
export function machine(code: KernelCode, { lds = 65536, plan, exec }: MachineOptions = {}): Machine {
  const regions: readonly Region[] = plan?.regions ?? [];
  const memory = new GlobalMemory(regions, new ArrayBuffer(plan?.end ?? 4096));
  const wave = new Wave(new RegisterFile(code.registers), {
    id: 0,
    memory,
    lds: new Lds(lds, false),
    scratch: 0,
    scratchPerLane: 0,
  });
  if (exec !== undefined) {
    wave.u32[EXEC] = exec[0];
    wave.u32[EXEC + 1] = exec[1];
    wave.execChanged();
  }
  return { wave, code, vgpr: (number) => code.layout.vgpr(number) };
}

/** Runs to the end; the result is the counts. Throws DarmError `simulation-failed`. */
export function execute({ wave, code }: Machine): ExecutionCounts {
  const counts = new ExecutionCounts(code.steps.length);
  runWorkgroup({ kernel: 'test', code, id: [0, 0, 0], waves: [wave], counts, traces: null, budget: { left: 1e6 } });
  return counts;
}
