/**
 * What LLVM loses of registers and flags, and is repaired (wasm/repairs/registers.mjs). The other repair of this kind
 * shows in what a kernel computes (test/melding/fixtures/lost-live-range-unmelded.ll).
 */
import { assembly, CPUS } from '../../support/repaired.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('binding/repairs/registers', { tests: 2 });

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

/** For each k a loop of `%high` iterations. Both a select and a branch ask whether k is beyond `%high`. */
const ASKED_TWICE = `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %low, i64 %high, i64 %n) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %id.64 = zext nneg i32 %id to i64
    %own.out = getelementptr float, ptr addrspace(1) %out, i64 %id.64
    %any = icmp slt i64 %low, %n
    br i1 %any, label %start, label %end
  start:
    %own.in = getelementptr inbounds nuw float, ptr addrspace(1) %in, i64 %id.64
    br label %outer
  end:
    ret void
  outer:
    %k = phi i64 [ %low, %start ], [ %k.1, %next ]
    %beyond = icmp sgt i64 %k, %high
    %bound = select i1 %beyond, i64 0, i64 %high
    br i1 %beyond, label %next, label %begin
  begin:
    %none = icmp eq i64 %bound, 0
    br i1 %none, label %finish, label %inner
  finish:
    %sum = phi float [ 0.0, %begin ], [ %v.1, %inner ]
    %row = getelementptr float, ptr addrspace(1) %own.out, i64 %k
    %p = getelementptr i8, ptr addrspace(1) %row, i64 32
    store float %sum, ptr addrspace(1) %p
    br label %next
  inner:
    %r = phi i64 [ %r.1, %inner ], [ 0, %begin ]
    %v = phi float [ %v.1, %inner ], [ 0.0, %begin ]
    %at = getelementptr inbounds nuw float, ptr addrspace(1) %own.in, i64 %r
    %x = load float, ptr addrspace(1) %at
    %v.1 = fadd float %v, %x
    %r.1 = add nuw nsw i64 %r, 1
    %done = icmp eq i64 %r.1, %bound
    br i1 %done, label %finish, label %inner
  next:
    %k.1 = add nsw i64 %k, 1
    %more = icmp slt i64 %k.1, %n
    br i1 %more, label %outer, label %end
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('an operation whose SCC is used stays where its result is not needed', async () => {
  for (const mcpu of ['gfx906', 'gfx90a'])
    assert.match(await assembly(ASKED_TWICE, mcpu), /v_cmp_gt_i64.* vcc, .*\n\ts_and_b64 vcc, exec, vcc\n/, mcpu);
});

test.run();
