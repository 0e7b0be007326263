/** Small kernels that show what LLVM did wrong before the module was repaired (wasm/repair.mjs). */
import { LlvmModule } from '../../src/binding/module.js';
import type { JobOptions } from '../../src/job/options.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { decoded } from './kernel-launch.js';
import { runtime, text } from './llvm.js';

export const CPUS = ['gfx906', 'gfx1100'];
/** At level 0, loops reach the structurizer with several back edges; above it, CodeGenPrepare leaves them one. */
export const LEVELS = [0, 3] as const;

/**
 * A kernel whose threads store a word each.
 *
 * @param body from the first block on, which has the thread's number in `%id`
 * @param result the word, an i32
 */
export const storing = (result: string, body: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
${body}
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 ${result}, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

/** What LLVM generates for `ir` at level 2. */
export async function assembly(ir: string, cpu: string): Promise<string> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    module.generate('asm');
    return text(module.generated());
  });
}

/** What 64 threads of the kernel store. Behind that is a word of zero. */
export async function stored(ir: string, mcpu: string, more: Partial<JobOptions> = {}): Promise<Uint32Array> {
  const args = [{ buffer: 'u32', length: 65, out: true }];
  const spec = parseSpec(JSON.stringify({ kernel: 'f', grid: [1], block: [64], args }), () => new Uint8Array());
  const { object, disassembly } = await decoded(new TextEncoder().encode(ir), { mcpu, meld: 'off', ...more });
  const options = { ...DEFAULT_SIMULATION, cycles: false };
  const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
  return new Uint32Array(buffers[0]!.bytes.slice().buffer).subarray(0, 64);
}
