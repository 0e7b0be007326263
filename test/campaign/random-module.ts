/** The module around random kernels: arguments, initial and final values of the variables, device functions, passes. */
import { CLASSES, COUNTS, Emitter, OF_OPENCL, TYPES } from './random-emitter.js';
import type { Class } from './random-emitter.js';
import type { Kernel } from './random-kernel.js';
import { OPS } from './random-operations.js';

/** Length of `in`: i32 elements, read-only. */
export const IN_WORDS = 768;

/** Whether the body names a variable or a global: `%v0`, `@left`. */
type Uses = (name: string) => boolean;

/** What other families of kernels add to the parts in this file. */
export interface Family<E extends Emitter> {
  /** Number of work-items in a workgroup. */
  readonly threads: number;
  /** Bytes of `out` per thread: 128 for the cells, the rest for the final values of the variables. */
  readonly cellBytes: number;
  /** Globals and device functions. */
  readonly frame: string;
  /** Further parameters of kernels: `, TYPE %name`. */
  readonly parameters: string;
  emitter(): E;
  /** Writes allocas and initial values before the body. `%iN`, `%tid`, `%uniform` and more are available. */
  begin(e: E, uses: Uses): void;
  /** Writes the code after the body; `keep` stores a value in the thread's part of `out`. */
  end(e: E, keep: (type: string, value: string, bytes: number) => void, uses: Uses): void;
}

export const PLAIN: Family<Emitter> = {
  threads: 64,
  cellBytes: 256,
  frame: '',
  parameters: '',
  emitter: () => new Emitter(OPS, 64),
  begin() {},
  end() {},
};

/** Names that a text uses: variables, globals, functions. */
const namesIn = (text: string): ReadonlySet<string> => new Set(text.match(/[%@][\w.]+/g));

/** How to store the final value of a variable: type, size in bytes, and a conversion to that type, if it needs one. */
const KEPT: { readonly [C in Class]: readonly [type: string, bytes: number, how: string | null] } = {
  v: ['i32', 4, null],
  w: ['i64', 8, null],
  h: ['i16', 2, null],
  b: ['i8', 1, null],
  c: ['i8', 1, 'zext i1 LAST to i8'],
  f: ['i32', 4, 'fptosi float LAST to i32'],
  p: ['i32', 4, 'load i32, ptr addrspace(1) LAST'],
  q: ['<4 x i32>', 16, null],
};

/** Initial values, from words of `in`. */
const START: { readonly [C in Class]: (i: number) => readonly string[] } = {
  v: (i) => [`store i32 %i${i}, ptr addrspace(5) %v${i}`],
  w: (i) => [`%w${i}.x = sext i32 %i${i + 5} to i64`, `store i64 %w${i}.x, ptr addrspace(5) %w${i}`],
  h: (i) => [`%h${i}.x = trunc i32 %i${i + 2} to i16`, `store i16 %h${i}.x, ptr addrspace(5) %h${i}`],
  b: (i) => [`%b${i}.x = trunc i32 %i${i + 3} to i8`, `store i8 %b${i}.x, ptr addrspace(5) %b${i}`],
  c: (i) => [`%c${i}.x = icmp slt i32 %i${i}, %i${i + 1}`, `store i1 %c${i}.x, ptr addrspace(5) %c${i}`],
  f: (i) => [
    `%f${i}.m = and i32 %i${i + 1}, 255`,
    `%f${i}.x = sitofp i32 %f${i}.m to float`,
    `store float %f${i}.x, ptr addrspace(5) %f${i}`,
  ],
  p: (i) => [`store ptr addrspace(1) %i${i}.p, ptr addrspace(5) %p${i}`],
  q: (i) => [
    `%q${i}.x = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %i4, i32 2`,
    `store <4 x i32> %q${i}.x, ptr addrspace(5) %q${i}`,
  ],
};

/** Parts that the body does not use are left out. */
function emitKernel<E extends Emitter>(k: Kernel, family: Family<E>): string {
  const { threads, cellBytes } = family;
  const e = family.emitter();
  e.body(k.body);
  e.jump('done');
  const body = e.lines.splice(0);
  const named = namesIn(body.join('\n'));
  const variables = CLASSES.flatMap((of) => Array.from({ length: COUNTS[of] }, (_, i) => [of, i] as const)).filter(
    ([of, i]) => named.has(`%${of}${i}`),
  );
  const arrays = [0, 1].filter((a) => named.has(`%array${a}`));
  const rows = ['left', 'right'].filter((name) => named.has(`@${name}`));

  const start: string[] = [];
  const init = (text: string): void => void start.push(`  ${text}`);
  for (const [of, i] of variables) START[of](i).forEach(init);
  for (const a of arrays)
    for (let i = 0; i < 8; i++) {
      init(`%array${a}.${i} = getelementptr inbounds [8 x i32], ptr addrspace(5) %array${a}, i32 0, i32 ${i}`);
      init(`store i32 %i${(i + a) % 8}, ptr addrspace(5) %array${a}.${i}`);
    }
  for (const name of rows)
    for (let row = 0; row < 4; row++) {
      init(
        `%${name}.${row} = getelementptr inbounds [4 x [${threads} x i32]], ptr addrspace(3) @${name}, i32 0, i32 ${row}, i32 %tid`,
      );
      init(`store i32 %i${row + (name === 'left' ? 0 : 4)}, ptr addrspace(3) %${name}.${row}`);
    }
  const uses = (name: string): boolean => named.has(name);
  family.begin(e, uses);
  start.push(...e.lines.splice(0));
  const wanted = namesIn(start.join('\n'));
  const words = Array.from({ length: 8 }, (_, i) => i).filter((i) => wanted.has(`%i${i}`) || wanted.has(`%i${i}.p`));

  const end: string[] = [];
  let offset = 128;
  const keep = (type: string, value: string, bytes: number): void => {
    offset = Math.ceil(offset / bytes) * bytes;
    end.push(`  %out${offset} = getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${offset}`);
    end.push(`  store ${type} ${value}, ptr addrspace(1) %out${offset}, align ${bytes}`);
    offset += bytes;
  };
  for (const [of, i] of variables) {
    const [type, bytes, how] = KEPT[of];
    const last = `%last.${of}${i}`;
    end.push(`  ${last} = load ${TYPES[of]}, ptr addrspace(5) %${of}${i}`);
    if (how !== null) end.push(`  ${last}.kept = ${how.replace('LAST', last)}`);
    keep(type, how === null ? last : `${last}.kept`, bytes);
  }
  for (const name of rows)
    for (let row = 0; row < 4; row++) {
      end.push(`  %${name}.last${row} = load i32, ptr addrspace(3) %${name}.${row}`);
      keep('i32', `%${name}.last${row}`, 4);
    }
  family.end(
    e,
    (type, value, bytes) => {
      end.push(...e.lines.splice(0));
      keep(type, value, bytes);
    },
    uses,
  );
  return [
    `define amdgpu_kernel void @${k.name}(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %uniform${family.parameters}) #0 {`,
    'entry:',
    ...variables.map(([of, i]) => `  %${of}${i} = alloca ${TYPES[of]}, addrspace(5)`),
    ...e.allocas,
    ...arrays.map((a) => `  %array${a} = alloca [8 x i32], addrspace(5)`),
    '  %tid = call i32 @llvm.amdgcn.workitem.id.x(), !range !2',
    '  %group = call i32 @llvm.amdgcn.workgroup.id.x()',
    `  %first = mul i32 %group, ${threads}`,
    '  %gid = add i32 %first, %tid',
    '  %gid64 = zext i32 %gid to i64',
    `  %own.offset = mul nuw nsw i64 %gid64, ${cellBytes}`,
    '  %own = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %own.offset',
    ...(named.has('%seen')
      ? [
          '  %seen.p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %gid64',
          '  %seen = load i32, ptr addrspace(1) %seen.p, align 4',
        ]
      : []),
    ...words.flatMap((i) => [
      `  %i${i}.at = getelementptr inbounds i32, ptr addrspace(1) %in, i32 ${i * 65}`,
      `  %i${i}.p = getelementptr inbounds i32, ptr addrspace(1) %i${i}.at, i32 %tid`,
      `  %i${i} = load i32, ptr addrspace(1) %i${i}.p, align 4`,
    ]),
    ...start,
    '  br label %start',
    'start:',
    ...body,
    'done:',
    ...end,
    '  ret void',
    '}',
  ].join('\n');
}

/** The globals and functions that something uses. */
function withoutUnused(frame: string, named: ReadonlySet<string>): string {
  const parts = frame.split(/\n(?=@|define )/);
  return parts
    .filter((part) => !/^(@|define )/.test(part) || named.has(/@[\w.]+/.exec(part)![0]))
    .map((part) => `${part.trimEnd()}\n`)
    .join('');
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
attributes${OF_OPENCL} = { convergent nounwind }

!0 = !{}
!1 = !{i8 0, i8 -1}
!2 = !{i32 0, i32 ${threads}}
`;

/** A module of kernels. Each takes (out, in, uniform) and the family's parameters. */
export function emitFamily<E extends Emitter>(kernels: readonly Kernel[], family: Family<E>): string {
  const { threads } = family;
  const bodies = kernels.map((kernel) => emitKernel(kernel, family)).join('\n\n');
  const start = withoutUnused(`${frame(threads)}${family.frame}`, namesIn(bodies));
  return start + bodies + tail(threads);
}

/** Pass pipelines that bring the allocas into SSA form, in different shapes. */
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
