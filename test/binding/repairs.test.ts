/**
 * What LLVM does wrong and is repaired in the module (wasm/repair.mjs): sums of products, halves, and loops that share a
 * header. The other repairs show in what kernels compute (test/melding/fixtures/, `structurizer-*` and `lost-*`).
 */
import { LlvmModule } from '../../src/binding/module.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { decoded } from '../support/kernel-launch.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/repairs', { tests: 4 });

const CPUS = ['gfx906', 'gfx1100'];
const DOT = /v_dot4/;

async function assembly(ir: string, cpu: string): Promise<string> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    module.generate('asm');
    return text(module.generated());
  });
}

/** A kernel that stores `%s`. `%a` to `%d` are loaded bytes; `%p` is `%a * %b`, `%q` is `%c * %d`. */
const sums = (body: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in, i1 %wanted) {
    ${[...'abcd'].map((name, k) => `%${name}.at = getelementptr i8, ptr addrspace(1) %in, i32 ${8 * k}`).join('\n')}
    ${[...'abcd'].map((name) => `%${name}.byte = load i8, ptr addrspace(1) %${name}.at`).join('\n')}
    ${[...'abcd'].map((name) => `%${name} = zext i8 %${name}.byte to i32`).join('\n')}
    %p = mul i32 %a, %b
    %q = mul i32 %c, %d
    ${body}
    store i32 %s, ptr addrspace(1) %out
    ret void
  }`;

const MISTAKEN = {
  or: '%o = or i32 %q, %a\n %s = add i32 %p, %o',
  'or, its product second': '%o = or i32 %a, %q\n %s = add i32 %o, %p',
  select: '%o = select i1 %wanted, i32 %q, i32 %a\n %s = add i32 %p, %o',
  'a factor of ten bits':
    '%w = load i32, ptr addrspace(1) %in\n %f = and i32 %w, 1023\n %m = mul i32 %f, %b\n %t = add i32 %p, %q\n %s = add i32 %t, %m',
  'a factor of two bytes that are apart':
    '%w = load i32, ptr addrspace(1) %in\n %f = and i32 %w, 16711935\n %m = mul i32 %f, %b\n %t = add i32 %p, %q\n %s = add i32 %t, %m',
  shift: '%o = lshr i32 %q, %a\n %s = add i32 %p, %o',
  bytes:
    '%m = mul i8 %a.byte, %b.byte\n %o = or i8 %m, %a.byte\n %t = add i8 %o, %m\n %s = zext i8 %t to i32',
} as const; // prettier-ignore

test('an operation on a product that is no sum does not become a part of one', async () => {
  for (const cpu of CPUS)
    for (const [what, body] of Object.entries(MISTAKEN))
      assert.not.match(await assembly(sums(body), cpu), DOT, `${what}, ${cpu}`);
});

test('sums of products become dot products', async () => {
  for (const cpu of CPUS)
    assert.match(await assembly(sums('%t = add i32 %p, %a\n %s = add i32 %t, %q'), cpu), DOT, cpu);
});

test('a uniform half that the vector unit computes is there in another block', async () => {
  const ir = `target triple = "amdgcn-amd-amdhsa"
    define amdgpu_kernel void @f(ptr addrspace(1) %out, half %a, half %b, i32 %n) {
    entry:
      %id = call i32 @llvm.amdgcn.workitem.id.x()
      %uniform = fadd half %a, %b
      %c = icmp slt i32 %id, %n
      br i1 %c, label %then, label %end
    then:
      %p = getelementptr half, ptr addrspace(1) %out, i32 %id
      %h = load half, ptr addrspace(1) %p
      %r = call half @llvm.copysign.f16(half %h, half %uniform)
      store half %r, ptr addrspace(1) %p
      br label %end
    end:
      ret void
    }
    declare i32 @llvm.amdgcn.workitem.id.x()
    declare half @llvm.copysign.f16(half, half)`;
  for (const cpu of CPUS) assert.match(await assembly(ir, cpu), /v_add_f16/, cpu);
});

/**
 * Three loops share the block `header`. Threads leave the first one at different times; `%b`, which it computes, decides
 * about the second.
 */
const SHARED_HEADER = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %seed = mul i32 %id, 74755
    br label %header
  header:
    %x = phi i32 [ %seed, %entry ], [ %next, %header ], [ %next, %middle ], [ %next, %outer ]
    %sum = phi i32 [ 0, %entry ], [ %sum.1, %header ], [ %sum.2, %middle ], [ %sum.3, %outer ]
    %m = mul i32 %x, 1664525
    %next = add i32 %m, 1013904223
    %low = and i32 %next, 805306368
    %a = icmp ne i32 %low, 0
    %high = and i32 %next, 1073741824
    %b = icmp ne i32 %high, 0
    %step = select i1 %b, i32 1, i32 3
    %sum.1 = add i32 %sum, %step
    br i1 %a, label %header, label %middle
  middle:
    %sum.2 = add i32 %sum, 256
    br i1 %b, label %header, label %outer
  outer:
    %sum.3 = add i32 %sum, 65536
    %c = icmp ult i32 %sum.3, 196608
    br i1 %c, label %header, label %end
  end:
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %sum.3, ptr addrspace(1) %p
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

function expectedSum(id: number): number {
  let sum = 0;
  for (let x = Math.imul(id, 74755); ;) {
    x = (Math.imul(x, 1664525) + 1013904223) | 0;
    const [a, b] = [(x & 805306368) !== 0, (x & 1073741824) !== 0];
    if (a) sum += b ? 1 : 3;
    else if (b) sum += 256;
    else if ((sum += 65536) >= 196608) return sum;
  }
}

test('a loop that shares its header is left for what each thread found', async () => {
  const args = [{ buffer: 'u32', length: 64, out: true }];
  const spec = parseSpec(JSON.stringify({ kernel: 'f', grid: [1], block: [64], args }), () => new Uint8Array());
  const options = { ...DEFAULT_SIMULATION, cycles: false };
  const expected = Uint32Array.from({ length: 64 }, (_, id) => expectedSum(id));
  for (const mcpu of CPUS) {
    const { object, disassembly } = await decoded(new TextEncoder().encode(SHARED_HEADER), { mcpu, meld: 'off' });
    const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
    assert.equal(new Uint32Array(buffers[0]!.bytes.slice().buffer), expected, mcpu);
  }
});

test.run();
