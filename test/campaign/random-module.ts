/** The module around random kernels: their arguments, initial and final values of the variables, device functions, passes. */
import { CLASSES, COUNTS, Emitter, TYPES } from './random-emitter.js';
import type { Class } from './random-emitter.js';
import type { Kernel } from './random-kernel.js';
import { OPS } from './random-operations.js';

export const THREADS = 64;
export const GROUPS = 2;
/** `in`: this many i32, read-only. */
export const IN_WORDS = 544;
/** Bytes of `out` per thread: 128 for the cells, the rest for the final values of the variables. */
export const CELL_BYTES = 256;

/** What other families of kernels add to those of this file. */
export interface Family<E extends Emitter> {
  /** Work-items of a workgroup. */
  readonly threads: number;
  readonly cellBytes: number;
  /** Globals and device functions. */
  readonly frame: string;
  readonly tail: string;
  /** Of kernels: `, TYPE %name` behind the common ones. */
  readonly parameters: string;
  emitter(): E;
  /** Writes allocas and initial values in front of the body, with `%iN`, `%tid`, `%uniform` and more at hand. */
  begin(e: E): void;
  /** Writes what is behind the body; `keep` stores a value in the thread's part of `out`. */
  end(e: E, keep: (type: string, value: string, bytes: number) => void): void;
}

const PLAIN: Family<Emitter> = {
  threads: THREADS,
  cellBytes: CELL_BYTES,
  frame: '',
  tail: '',
  parameters: '',
  emitter: () => new Emitter(OPS, THREADS),
  begin() {},
  end() {},
};

function emitKernel<E extends Emitter>(k: Kernel, family: Family<E>): string {
  const { threads, cellBytes } = family;
  const e = family.emitter();
  family.begin(e);
  const begin = e.lines.splice(0);
  e.body(k.body);
  e.jump('done');
  const allocas = CLASSES.flatMap((of) =>
    Array.from({ length: COUNTS[of] }, (_, i) => `  %${of}${i} = alloca ${TYPES[of]}, addrspace(5)`),
  );
  const start: string[] = [];
  const init = (text: string): void => void start.push(`  ${text}`);
  for (let i = 0; i < 8; i++) {
    init(`%i${i}.at = getelementptr inbounds i32, ptr addrspace(1) %in, i32 ${i * 65}`);
    init(`%i${i}.p = getelementptr inbounds i32, ptr addrspace(1) %i${i}.at, i32 %tid`);
    init(`%i${i} = load i32, ptr addrspace(1) %i${i}.p, align 4`);
  }
  for (let i = 0; i < COUNTS.v; i++) init(`store i32 %i${i}, ptr addrspace(5) %v${i}`);
  for (let i = 0; i < COUNTS.w; i++)
    (init(`%w${i}.x = sext i32 %i${i + 5} to i64`), init(`store i64 %w${i}.x, ptr addrspace(5) %w${i}`));
  for (let i = 0; i < COUNTS.h; i++)
    (init(`%h${i}.x = trunc i32 %i${i + 2} to i16`), init(`store i16 %h${i}.x, ptr addrspace(5) %h${i}`));
  for (let i = 0; i < COUNTS.b; i++)
    (init(`%b${i}.x = trunc i32 %i${i + 3} to i8`), init(`store i8 %b${i}.x, ptr addrspace(5) %b${i}`));
  for (let i = 0; i < COUNTS.c; i++)
    (init(`%c${i}.x = icmp slt i32 %i${i}, %i${i + 1}`), init(`store i1 %c${i}.x, ptr addrspace(5) %c${i}`));
  for (let i = 0; i < COUNTS.f; i++)
    (init(`%f${i}.m = and i32 %i${i + 1}, 255`),
      init(`%f${i}.x = sitofp i32 %f${i}.m to float`),
      init(`store float %f${i}.x, ptr addrspace(5) %f${i}`));
  for (let i = 0; i < COUNTS.p; i++) init(`store ptr addrspace(1) %i${i}.p, ptr addrspace(5) %p${i}`);
  init('%q.x = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %i4, i32 2');
  init('store <4 x i32> %q.x, ptr addrspace(5) %q0');
  for (let a = 0; a < 2; a++)
    for (let i = 0; i < 8; i++) {
      init(`%array${a}.${i} = getelementptr inbounds [8 x i32], ptr addrspace(5) %array${a}, i32 0, i32 ${i}`);
      init(`store i32 %i${(i + a) % 8}, ptr addrspace(5) %array${a}.${i}`);
    }
  for (const [a, name] of ['left', 'right'].entries())
    for (let row = 0; row < 4; row++) {
      init(
        `%${name}.${row} = getelementptr inbounds [4 x [${threads} x i32]], ptr addrspace(3) @${name}, i32 0, i32 ${row}, i32 %tid`,
      );
      init(`store i32 %i${row + a * 4}, ptr addrspace(3) %${name}.${row}`);
    }
  const end: string[] = [];
  let offset = 128;
  const keep = (type: string, value: string, bytes: number): void => {
    offset = Math.ceil(offset / bytes) * bytes;
    end.push(`  %out${offset} = getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${offset}`);
    end.push(`  store ${type} ${value}, ptr addrspace(1) %out${offset}, align ${bytes}`);
    offset += bytes;
  };
  const last = (of: Class, i: number): string => {
    end.push(`  %last.${of}${i} = load ${TYPES[of]}, ptr addrspace(5) %${of}${i}`);
    return `%last.${of}${i}`;
  };
  for (let i = 0; i < COUNTS.v; i++) keep('i32', last('v', i), 4);
  for (let i = 0; i < COUNTS.w; i++) keep('i64', last('w', i), 8);
  for (let i = 0; i < COUNTS.h; i++) keep('i16', last('h', i), 2);
  for (let i = 0; i < COUNTS.b; i++) keep('i8', last('b', i), 1);
  for (let i = 0; i < COUNTS.c; i++) {
    const value = last('c', i);
    end.push(`  %wide.c${i} = zext i1 ${value} to i8`);
    keep('i8', `%wide.c${i}`, 1);
  }
  for (let i = 0; i < COUNTS.f; i++) {
    const value = last('f', i);
    end.push(`  %int.f${i} = fptosi float ${value} to i32`);
    keep('i32', `%int.f${i}`, 4);
  }
  for (let i = 0; i < COUNTS.p; i++) {
    const value = last('p', i);
    end.push(`  %at.p${i} = load i32, ptr addrspace(1) ${value}`);
    keep('i32', `%at.p${i}`, 4);
  }
  const vector = last('q', 0);
  for (let i = 0; i < 4; i++) {
    end.push(`  %q.${i} = extractelement <4 x i32> ${vector}, i32 ${i}`);
    keep('i32', `%q.${i}`, 4);
  }
  for (const name of ['left', 'right'])
    for (let row = 0; row < 4; row++) {
      end.push(`  %${name}.last${row} = load i32, ptr addrspace(3) %${name}.${row}`);
      keep('i32', `%${name}.last${row}`, 4);
    }
  const body = e.lines.splice(0);
  family.end(e, (type, value, bytes) => {
    end.push(...e.lines.splice(0));
    keep(type, value, bytes);
  });
  return [
    `define amdgpu_kernel void @${k.name}(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %uniform${family.parameters}) #0 {`,
    'entry:',
    ...allocas,
    ...e.counters.map((counter) => `  ${counter} = alloca i32, addrspace(5)`),
    '  %array0 = alloca [8 x i32], addrspace(5)',
    '  %array1 = alloca [8 x i32], addrspace(5)',
    '  %tid = call i32 @llvm.amdgcn.workitem.id.x(), !range !2',
    '  %group = call i32 @llvm.amdgcn.workgroup.id.x()',
    `  %first = mul i32 %group, ${threads}`,
    '  %gid = add i32 %first, %tid',
    '  %gid64 = zext i32 %gid to i64',
    `  %own.offset = mul nuw nsw i64 %gid64, ${cellBytes}`,
    '  %own = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %own.offset',
    '  %seen.p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %gid64',
    '  %seen = load i32, ptr addrspace(1) %seen.p, align 4',
    ...start,
    ...begin,
    '  br label %start',
    'start:',
    ...body,
    'done:',
    ...end,
    '  ret void',
    '}',
  ].join('\n');
}

const frame = (threads: number): string => `
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%record = type { i32, i16, i16, i64 }

@left = internal addrspace(3) global [4 x [${threads} x i32]] undef, align 16
@right = internal addrspace(3) global [4 x [${threads} x i32]] undef, align 16

define internal i32 @mix(i32 %a, i32 %b) #1 {
  %low = and i32 %a, 1
  %odd = icmp ne i32 %low, 0
  br i1 %odd, label %t, label %f
t:
  %t0 = mul i32 %a, 5
  %t1 = add i32 %t0, %b
  %t2 = lshr i32 %t1, 3
  %t3 = xor i32 %t1, %t2
  br label %end
f:
  %f0 = mul i32 %b, 9
  %f1 = sub i32 %f0, %a
  %f2 = lshr i32 %f1, 5
  %f3 = xor i32 %f2, %f1
  br label %end
end:
  %r = phi i32 [ %t3, %t ], [ %f3, %f ]
  ret i32 %r
}

define internal i32 @ratio(i32 %a, i32 %b) #2 {
  %r = udiv i32 %a, %b
  ret i32 %r
}

define internal i32 @touch(ptr addrspace(1) %own, i32 %a) #1 {
  %p = getelementptr inbounds i32, ptr addrspace(1) %own, i64 31
  %old = load i32, ptr addrspace(1) %p
  %new = add i32 %old, %a
  store i32 %new, ptr addrspace(1) %p
  ret i32 %old
}

`;

const tail = (threads: number): string => `
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()

attributes #0 = { nounwind "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="${threads},${threads}" }
attributes #1 = { noinline nounwind willreturn "target-cpu"="gfx906" }
attributes #2 = { noinline nounwind willreturn memory(none) "target-cpu"="gfx906" }

!0 = !{}
!1 = !{i8 0, i8 -1}
!2 = !{i32 0, i32 ${threads}}
`;

/** A module of kernels; each takes (out, in, uniform). */
export const emitModule = (kernels: readonly Kernel[]): string => emitFamily(kernels, PLAIN);

export function emitFamily<E extends Emitter>(kernels: readonly Kernel[], family: Family<E>): string {
  const { threads } = family;
  const bodies = kernels.map((kernel) => emitKernel(kernel, family)).join('\n\n');
  return frame(threads) + family.frame + bodies + tail(threads) + family.tail;
}

/** Pass lists that bring the allocas into SSA, in shapes that differ. */
export const PREPARATIONS: readonly string[] = [
  'mem2reg',
  'sroa,simplifycfg',
  'mem2reg,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop-mssa(loop-rotate<header-duplication>)',
  'mem2reg,early-cse,simplifycfg<no-hoist-common-insts;no-sink-common-insts>,adce',
  'mem2reg,jump-threading,instcombine<no-verify-fixpoint>,simplifycfg<no-sink-common-insts>',
  'sroa,gvn,loop-simplify,lcssa,loop-mssa(loop-rotate,licm),simplifycfg<no-hoist-common-insts;no-sink-common-insts>,adce',
  'mem2reg,loop-simplify,lcssa,loop-mssa(loop-rotate),sink,adce',
  'mem2reg,break-crit-edges,reg2mem,mem2reg,dce',
  'default<O1>',
  'default<O2>',
];
