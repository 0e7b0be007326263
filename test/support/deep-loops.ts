/**
 * A module of two functions: the loops of `deep` are nested more deeply than analysis/cycles.ts takes, and `plain` has
 * one divergent branch. It names no target, for which LLVM would generate code for minutes.
 */
export function deepLoops(depth = 4200): string {
  const indices = Array.from({ length: depth }, (_, k) => k);
  const heads = indices.map((k) => `h${k}:\n  br label %${k + 1 < depth ? `h${k + 1}` : `l${k}`}\n`);
  const latches = indices.map((k) => `l${k}:\n  br i1 %c, label %h${k}, label %${k > 0 ? `l${k - 1}` : 'end'}\n`);
  return `define amdgpu_kernel void @deep(i1 %c) {
  br label %h0
${heads.join('')}${latches.reverse().join('')}end:
  ret void
}
define amdgpu_kernel void @plain(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %t, 7
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr addrspace(1) %p
  br label %b
b:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`;
}
