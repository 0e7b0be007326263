/**
 * What a launch hands to a kernel, end to end on every target: code that LLVM generated looks for ids, arguments,
 * scratch, LDS and variables where the ABI puts them, optimised or not.
 */
import { readCodeObject } from '../../../src/simulator/launch/code-object.js';
import { parseSpec } from '../../../src/simulator/launch/spec.js';
import { inlineCompiler } from '../../support/inline-compiler.js';
import { artifact, compile } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/targets', { tests: 4, timeoutMs: 120_000 });

const TARGETS = ['gfx906', 'gfx1100', 'gfx90a', 'gfx942', 'gfx1030'];

/** out[item] = ids of workgroup and work-item, plus what went through scratch, dynamic LDS and a module variable. */
const everything = (target: string, attributes: string, argument = ''): string => `
target triple = "amdgcn-amd-amdhsa"
@factors = addrspace(1) global [4 x i32] [i32 1, i32 10, i32 100, i32 1000]
@fixed = internal addrspace(3) global [4 x i32] poison
@dynamic = external addrspace(3) global [0 x i32]
define amdgpu_kernel void @k(ptr addrspace(1) ${argument} %out, i32 ${argument} %n, i8 %small) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %z4 = mul i32 %z, 4
  %zy = add i32 %z4, %y
  %zy8 = mul i32 %zy, 8
  %item = add i32 %zy8, %x
  %gz2 = mul i32 %gz, 2
  %gzy = add i32 %gz2, %gy
  %gzy2 = mul i32 %gzy, 2
  %group = add i32 %gzy2, %gx
  %base = mul i32 %group, 96
  %index = add i32 %base, %item
  ; through scratch: slot (item & 7) of eight, the others hold junk
  %slots = alloca [8 x i32], addrspace(5)
  call void @llvm.memset.p5.i32(ptr addrspace(5) %slots, i8 -1, i32 32, i1 true)
  %slot = and i32 %item, 7
  %mine = getelementptr i32, ptr addrspace(5) %slots, i32 %slot
  store volatile i32 %item, ptr addrspace(5) %mine
  %generic = addrspacecast ptr addrspace(5) %mine to ptr
  %back = load volatile i32, ptr %generic
  ; through LDS: the item that is reversed within the workgroup
  %there = getelementptr i32, ptr addrspace(3) @dynamic, i32 %back
  store i32 %index, ptr addrspace(3) %there
  store i32 7, ptr addrspace(3) @fixed
  call void @llvm.amdgcn.s.barrier()
  %reverse = sub i32 95, %item
  %here = getelementptr i32, ptr addrspace(3) @dynamic, i32 %reverse
  %other = load i32, ptr addrspace(3) %here
  %seven = load i32, ptr addrspace(3) @fixed
  ; a variable and the arguments
  %which = and i32 %item, 3
  %factor.at = getelementptr i32, ptr addrspace(1) @factors, i32 %which
  %factor = load i32, ptr addrspace(1) %factor.at
  %part = mul i32 %factor, %n
  %wide = sext i8 %small to i32
  %sum1 = add i32 %part, %other
  %sum2 = add i32 %sum1, %wide
  %sum = add i32 %sum2, %seven
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %index
  store i32 %sum, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.memset.p5.i32(ptr addrspace(5), i8, i32, i1)
attributes #0 = { "target-cpu"="${target}" "amdgpu-flat-work-group-size"="1,256" ${attributes} }
`;

const SPEC = JSON.stringify({
  grid: [2, 2, 2],
  block: [8, 4, 3],
  dynamicLds: 96 * 4,
  args: [
    { name: 'out', buffer: 'u32', length: 768, out: true },
    { scalar: 'u32', value: 5 },
    { scalar: 'i8', value: -2 },
  ],
});

const EXPECTED = Array.from({ length: 768 }, (_, index) => {
  const item = index % 96;
  const group = Math.floor(index / 96);
  return 5 * 10 ** (item & 3) + (group * 96 + 95 - item) - 2 + 7;
});

async function check(source: string, codegenLevel: 0 | 2, what: string): Promise<void> {
  const object = artifact(await compile(source, { emit: ['hsaco'], meld: 'off', codegenLevel }), 'hsaco');
  const [kernel] = readCodeObject(object).kernels;
  assert.is(kernel!.descriptor.preload.length > 0, source.includes(' inreg '));
  const spec = parseSpec(SPEC, () => new Uint8Array());
  const result = await inlineCompiler().simulate(object, spec, { checkUninitializedLds: true, detectRaces: false });
  assert.equal([...new Uint32Array(result.buffers[0]!.bytes.buffer)], EXPECTED, what);
}

test('all targets, optimised and not', async () => {
  for (const target of TARGETS)
    for (const level of [0, 2] as const) await check(everything(target, ''), level, `${target} -O${level}`);
});

test('waves of 64 on RDNA', async () => {
  for (const target of ['gfx1030', 'gfx1100'])
    await check(everything(target, '"target-features"="+wavefrontsize64"'), 2, target);
});

test('arguments that are preloaded into registers', async () => {
  for (const target of ['gfx90a', 'gfx942']) await check(everything(target, '', 'inreg'), 2, target);
});

test('code objects v4 and v5', async () => {
  for (const version of [400, 500]) {
    const flags = `!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 ${version}}`;
    for (const target of TARGETS) await check(everything(target, '') + flags, 0, `${target} v${version}`);
  }
});

test.run();
