/**
 * A kernel with two nested branches. At the inner one hardly any wave parts, so its two divisions do not become one for
 * what that saves. But with them as one, the outer side has one division, too, and three become one.
 *
 * @param behind multiplications behind both branches
 */
export const nestedDivisions = (behind: number): string => `
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @envelope(ptr addrspace(1) %out, ptr addrspace(1) %times, ptr addrspace(1) %ends,
                                    ptr addrspace(1) %kinds) "target-cpu"="gfx906" {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %to = getelementptr float, ptr addrspace(1) %out, i64 %i
  %time = getelementptr float, ptr addrspace(1) %times, i64 %i
  %t = load float, ptr addrspace(1) %time
  %end.of = getelementptr float, ptr addrspace(1) %ends, i64 %i
  %e = load float, ptr addrspace(1) %end.of
  %kind = getelementptr i32, ptr addrspace(1) %kinds, i64 %i
  %k = load i32, ptr addrspace(1) %kind
  %late = fcmp oge float %t, %e
  br i1 %late, label %release, label %held
release:
  %r0 = fsub float %t, %e
  %r1 = fdiv float %r0, 0x3FD3333340000000
  %r2 = fmul float %r1, 2.0
  %r = fsub float %r2, 1.0
  br label %end
held:
  %seven = icmp eq i32 %k, 7
  br i1 %seven, label %attack, label %decay
attack:
  %a = fdiv float %t, 0x3FA99999A0000000
  br label %join
decay:
  %d0 = fsub float %t, 0x3FA99999A0000000
  %d1 = fdiv float %d0, 0x3FC3333340000000
  %d2 = fmul float %d1, 3.0
  %d = fsub float %d2, 1.0
  br label %join
join:
  %h = phi float [ %a, %attack ], [ %d, %decay ]
  br label %end
end:
  %v0 = phi float [ %r, %release ], [ %h, %join ]
${Array.from({ length: behind }, (_, n) => `  %v${n + 1} = fmul float %v${n}, %t\n`).join('')}  store float %v${behind}, ptr addrspace(1) %to
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`;
