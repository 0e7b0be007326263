/** Waits that LLVM loses in loops, and that are repaired (wasm/repairs/waits.mjs). The simulator has no such races. */
import { assembly } from '../../support/repaired.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('binding/repairs/waits', { tests: 6 });

/** Targets whose barriers do not wait for memory themselves. */
const CPUS = ['gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201'];

const BARRIER = `fence syncscope("workgroup") release
    call void @llvm.amdgcn.s.barrier()
    fence syncscope("workgroup") acquire`;

/**
 * A loop that begins with a barrier.
 *
 * @param before what stands in front of the loop
 * @param step what gives `%w`, the next `%v`, of the sum `%s` of `%v` and what the neighbour stored
 * @param result what is stored behind the loop
 */
const loop = (before: string, step: string, result: string): string => `target triple = "amdgcn-amd-amdhsa"
  @ring = internal unnamed_addr addrspace(3) global [256 x i32] poison
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %neighbour = xor i32 %id, 1
    %own.at = getelementptr [256 x i32], ptr addrspace(3) @ring, i32 0, i32 %id
    %neighbour.at = getelementptr [256 x i32], ptr addrspace(3) @ring, i32 0, i32 %neighbour
    %in.at = getelementptr i32, ptr addrspace(1) %in, i32 %id
    %out.at = getelementptr i32, ptr addrspace(1) %out, i32 %id
    ${before}
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %i.1, %loop ]
    %v = phi i32 [ %id, %entry ], [ %w, %loop ]
    ${BARRIER}
    %r = load i32, ptr addrspace(3) %neighbour.at
    %s = add i32 %v, %r
    ${step}
    %i.1 = add i32 %i, 1
    %more = icmp ult i32 %i.1, %n
    br i1 %more, label %loop, label %end
  end:
    %result = add i32 %s, ${result}
    store i32 %result, ptr addrspace(1) %out.at
    ret void
  }
  declare void @llvm.amdgcn.s.barrier()
  declare i32 @llvm.amdgcn.workitem.id.x()`;

const STORE = 'store i32 %s, ptr addrspace(3) %own.at\n    %w = mul i32 %s, 3';

/** What stands between the header of the loop and its first barrier. */
async function beforeBarrier(ir: string, cpu: string): Promise<string> {
  const [, code] = /Loop Header[^]*?\n([^]*?)\ts_barrier/.exec(await assembly(ir, cpu)) ?? [];
  assert.ok(code !== undefined, cpu);
  return code!;
}

const LDS = /s_waitcnt .*lgkmcnt\(0\)|s_wait_(loadcnt_|storecnt_)?dscnt 0x0/;

test('a barrier at the beginning of a loop waits for a store to LDS at its end', async () => {
  for (const cpu of CPUS) assert.match(await beforeBarrier(loop('', STORE, '0'), cpu), LDS, cpu);
});

test('it does so too where, at first, only a load from memory is pending', async () => {
  const ir = loop('%x = load i32, ptr addrspace(1) %in.at', STORE, '%x');
  for (const cpu of CPUS) assert.match(await beforeBarrier(ir, cpu), LDS, cpu);
});

test('it waits for a store to memory', async () => {
  const ir = loop('', 'store i32 %s, ptr addrspace(1) %in.at\n    %w = mul i32 %s, 3', '0');
  for (const cpu of ['gfx1030', 'gfx1100', 'gfx1201'])
    assert.match(await beforeBarrier(ir, cpu), /s_waitcnt_vscnt null, 0x0|s_wait_storecnt(_dscnt)? 0x0/, cpu);
});

test('where no store is pending, nothing waits for one', async () => {
  const ir = loop('', '%w = mul i32 %s, 3', '0');
  assert.not.match(await beforeBarrier(ir, 'gfx1100'), /s_waitcnt_vscnt|vmcnt/);
  assert.not.match(await beforeBarrier(ir, 'gfx1201'), /s_wait_(storecnt|dscnt)/);
});

/** A function whose loop begins with a fence for the whole device and an atomic store, and ends with a store. */
const PUBLISHING = `target triple = "amdgcn-amd-amdhsa"
  define void @f(ptr addrspace(1) %data, ptr addrspace(1) %flag, i32 %x, i32 inreg %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %i.1, %loop ]
    fence syncscope("agent") release
    store atomic i32 %i, ptr addrspace(1) %flag syncscope("agent") monotonic, align 4
    store i32 %x, ptr addrspace(1) %data
    %i.1 = add i32 %i, 1
    %more = icmp ult i32 %i.1, %n
    br i1 %more, label %loop, label %end
  end:
    ret void
  }`;

test('a fence waits for a store at the end of the loop, in a function, too', async () => {
  for (const cpu of ['gfx906', 'gfx90a']) {
    const [, code] = /Loop Header[^]*?\n([^]*?)global_store/.exec(await assembly(PUBLISHING, cpu))!;
    assert.match(code!, /s_waitcnt .*vmcnt\(0\)/, cpu);
  }
});

/** A loop that begins with a barrier, and ends with a load that writes into the LDS by itself. */
const DIRECT = `target triple = "amdgcn-amd-amdhsa"
  @ring = internal unnamed_addr addrspace(3) global [256 x i32] poison
  define amdgpu_kernel void @f(ptr addrspace(1) %in, i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %i.1, %loop ]
    ${BARRIER}
    call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %in, ptr addrspace(3) @ring, i32 4, i32 0, i32 0)
    %i.1 = add i32 %i, 1
    %more = icmp ult i32 %i.1, %n
    br i1 %more, label %loop, label %end
  end:
    ret void
  }
  declare void @llvm.amdgcn.s.barrier()
  declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)`;

test('a barrier waits for a load into the LDS at the end of the loop', async () => {
  for (const cpu of ['gfx90a', 'gfx942']) {
    assert.match(await beforeBarrier(DIRECT, cpu), /s_waitcnt .*vmcnt\(0\)/, cpu);
    assert.not.match(await assembly(DIRECT, cpu), /lds_direct/, cpu);
  }
  const release = `store atomic i32 %i, ptr addrspace(1) %in syncscope("workgroup") release, align 4`;
  for (const cpu of ['gfx906', 'gfx90a']) {
    const code = await assembly(DIRECT.replace(BARRIER, release), cpu);
    assert.match(code, /Loop Header[^]*?s_waitcnt .*vmcnt\(0\)[^]*?global_store_dword [^]*? lds/, cpu);
  }
});

test.run();
