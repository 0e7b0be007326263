/** A function from which no code can be generated once it is melded. */

/**
 * Values of 17 registers over a join: melded, gfx906 runs out of registers.
 *
 * @param divisions the work of each side: with 6, melding pays by the paper's metric, with 60 by the cost model
 */
export const tooWide = (name: string, divisions: number): string => {
  const work = (s: string): string =>
    Array.from({ length: divisions }, (_, k) => `  %w${s}${k + 1} = udiv i32 %w${s}${k}, 77`).join('\n');
  const side = (s: string, other: string, at: string, value: string): string => `
${s}:
  %x${s} = mul i32 ${other}, 7
  %v${s} = freeze <17 x i32> ${value}
  %a${s} = getelementptr i32, ptr addrspace(1) %o, i32 %x${s}
  %l${s} = load i32, ptr addrspace(1) %a${s}
  %w${s}0 = mul i32 %l${s}, %x${s}
${work(s)}
  %m${s} = add i32 %w${s}${divisions}, 1
  br i1 %c2, label %${s}2, label %J
${s}2:
  store <17 x i32> %v${s}, ptr addrspace(1) ${at}
  %s${s} = add i32 %m${s}, 3
  br label %J`;
  return `define void @${name}(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %o, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %tid, %n
  %e = and i32 %tid, 1
  %c2 = icmp eq i32 %e, 0
  %pa = getelementptr <17 x i32>, ptr addrspace(1) %p, i32 %tid
  %qa = getelementptr <17 x i32>, ptr addrspace(1) %q, i32 %tid
  %a = load <17 x i32>, ptr addrspace(1) %pa
  %b = load <17 x i32>, ptr addrspace(1) %qa
  br i1 %c, label %T, label %F${side('T', '%tid', '%pa', '%a')}${side('F', '%n', '%qa', '%b')}
J:
  %v = phi <17 x i32> [ %vT, %T ], [ %a, %T2 ], [ %vF, %F ], [ %b, %F2 ]
  %r = phi i32 [ %mT, %T ], [ %sT, %T2 ], [ %mF, %F ], [ %sF, %F2 ]
  %oa = getelementptr i32, ptr addrspace(1) %o, i32 %tid
  store i32 %r, ptr addrspace(1) %oa
  %za = getelementptr <17 x i32>, ptr addrspace(1) %qa, i32 999
  store <17 x i32> %v, ptr addrspace(1) %za
  ret void
}
`;
};
