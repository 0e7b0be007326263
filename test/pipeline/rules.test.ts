/**
 * Rules of melding on small functions, over the real module: what one instruction keeps of two, what is refused, and
 * why.
 */
import { analyzeModule } from '../../src/pipeline/analyze.js';
import { artifact, compile, runtime, text, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/rules', { tests: 36, timeoutMs: 60_000 });

const HEADER = 'target triple = "amdgcn-amd-amdhsa"\n';
const FOOTER = `
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
attributes #0 = { "target-cpu"="gfx906" }
!0 = !{}
!1 = !{!"a"}
!2 = !{!"b"}
`;

/** A kernel whose divergent branch on an odd thread id has these two sides. */
const diamond = (t: string, f: string, join = '', globals = '') => `${HEADER}${globals}
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, i32 %n, i32 %m) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %id, 1
  %c = icmp eq i32 %bit, 0
  %gp = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %gq = getelementptr i32, ptr addrspace(1) %q, i32 %id
  br i1 %c, label %a, label %b
a:
${t}
  br label %join
b:
${f}
  br label %join
join:
${join}
  ret void
}${FOOTER}`;

async function melded(ir: string, options: Parameters<typeof compile>[1] = {}): Promise<string> {
  const result = await compile(ir, { emit: ['ll'], profit: 'paper', ...options });
  const [fn] = result.functions;
  assert.is(fn!.bailout, null);
  assert.ok(fn!.melds.length > 0, 'nothing was melded');
  return text(artifact(result, 'll'));
}

/** Verdict and rule of the first candidate. */
async function refusal(ir: string): Promise<string | null> {
  const result = analyzeModule(await runtime(), new TextEncoder().encode(ir), withDefaults({ profit: 'paper' }));
  const candidates = result.functions[0]!.plan.candidates;
  assert.ok(candidates.length > 0);
  assert.ok(
    candidates.every((candidate) => candidate.verdict === 'refuse'),
    'something melds',
  );
  return candidates[0]!.rule;
}

const LOAD_STORE = (pointer: string, add: string, align: number) => `
  %l${pointer} = load i32, ptr addrspace(1) %${pointer}, align ${align}
  %s${pointer} = ${add} i32 %l${pointer}, %n
  %u${pointer} = mul i32 %s${pointer}, %l${pointer}
  store i32 %u${pointer}, ptr addrspace(1) %${pointer}, align ${align}`;

test('poison flags are intersected', async () => {
  const ll = await melded(diamond(LOAD_STORE('gp', 'add nuw nsw', 4), LOAD_STORE('gq', 'add nsw', 4)));
  assert.match(ll, /= add nsw i32/);
  assert.not.match(ll, /nuw/);
  assert.is(ll.match(/= load i32/g)!.length, 1);
  assert.is(ll.match(/store i32/g)!.length, 1);
});

test('the smaller alignment stays', async () => {
  const ll = await melded(diamond(LOAD_STORE('gp', 'add', 16), LOAD_STORE('gq', 'add', 2)));
  assert.match(ll, /load i32, ptr addrspace\(1\) %\S+, align 2/);
  assert.match(ll, /store i32 %\S+, ptr addrspace\(1\) %\S+, align 2/);
});

test('operands that differ are selected, equal ones are not', async () => {
  const ll = await melded(diamond(LOAD_STORE('gp', 'add', 4), LOAD_STORE('gq', 'add', 4)));
  assert.is(ll.match(/= select i1/g)!.length, 1);
});

test('a store without partner stays guarded', async () => {
  const extra =
    '\n  %far = getelementptr i32, ptr addrspace(1) %q, i32 4096\n  store i32 7, ptr addrspace(1) %far, align 4';
  const ll = await melded(diamond(LOAD_STORE('gp', 'add', 4) + extra, LOAD_STORE('gq', 'add', 4)));
  const block = ll.split(/\n\n/).find((part) => part.includes('store i32 7'))!;
  assert.ok(block.split('\n').length <= 5, `the store is alone in its block:\n${block}`);
  assert.match(ll, /br i1 %c/);
});

test('a division by a variable is never speculated', async () => {
  const ll = await melded(
    diamond(
      `  %d = udiv i32 %m, %id${LOAD_STORE('gp', 'add', 4)}\n  store i32 %d, ptr addrspace(1) %p, align 4`,
      LOAD_STORE('gq', 'add', 4),
    ),
  );
  const entry = ll.slice(ll.indexOf('entry:'), ll.indexOf('br i1'));
  assert.not.match(entry, /udiv/);
});

test('swapped compares and commuted operands match', async () => {
  const side = (pointer: string, compare: string) => `${LOAD_STORE(pointer, 'add', 4)}
  %k${pointer} = icmp ${compare}
  %w${pointer} = select i1 %k${pointer}, i32 %u${pointer}, i32 %m
  store i32 %w${pointer}, ptr addrspace(1) %${pointer}, align 4`;
  const ll = await melded(diamond(side('gp', 'ult i32 %lgp, %m'), side('gq', 'ugt i32 %m, %lgq')));
  assert.is(ll.match(/= icmp u/g)!.length, 1);
});

test('values of one side reach the join by a select', async () => {
  const ll = await melded(
    diamond(
      LOAD_STORE('gp', 'add', 4),
      LOAD_STORE('gq', 'add', 4),
      '  %r = phi i32 [ %ugp, %a ], [ 5, %b ]\n  store i32 %r, ptr addrspace(1) %p',
    ),
  );
  assert.match(ll, /select i1 %c, i32 %\S+, i32 5/);
});

test('where both sides leave each block with one value, the join gets one phi and no select', async () => {
  const region = (side: string, pointer: string): string => `  %v${side} = load i32, ptr addrspace(1) %${pointer}
  %k${side} = icmp sgt i32 %v${side}, %n
  br i1 %k${side}, label %${side}1, label %${side}2
${side}1:
  %x${side} = mul i32 %v${side}, %m
  store i32 %x${side}, ptr addrspace(1) %${pointer}
  br label %join
${side}2:
  %y${side} = udiv i32 %v${side}, %m
  store i32 %y${side}, ptr addrspace(1) %${pointer}`;
  const phi = '  %r = phi i32 [ %n, %a1 ], [ %m, %a2 ], [ %n, %b1 ], [ %m, %b2 ]\n  store i32 %r, ptr addrspace(1) %p';
  const ir = diamond(region('a', 'gp'), region('b', 'gq'), phi);
  const ll = await melded(ir);
  assert.is(ll.match(/= udiv/g)!.length, 1);
  assert.not.match(ll, /select i1 %c, i32/);
});

test('a barrier is refused (1.5)', async () => {
  const side = (pointer: string) => `${LOAD_STORE(pointer, 'add', 4)}\n  call void @llvm.amdgcn.s.barrier()`;
  assert.is(await refusal(diamond(side('gp'), side('gq'))), '1.5');
});

test('a uniform branch is no candidate', async () => {
  const ir = diamond(LOAD_STORE('gp', 'add', 4), LOAD_STORE('gq', 'add', 4)).replace(
    'icmp eq i32 %bit, 0',
    'icmp eq i32 %n, 0',
  );
  const result = analyzeModule(await runtime(), new TextEncoder().encode(ir), withDefaults({}));
  const [fn] = result.functions;
  assert.equal([fn!.conditionalBranches, fn!.divergentBranches, fn!.plan.candidates.length], [1, 0, 0]);
});

test('atomics whose target metadata differ do not become one', async () => {
  const atomic = (pointer: string, metadata: string) =>
    `${LOAD_STORE(pointer, 'add', 4)}\n  %x${pointer} = atomicrmw fadd ptr addrspace(1) %${pointer}, float 1.0 syncscope("agent") monotonic, align 4${metadata}`;
  const same = ', !amdgpu.no.fine.grained.memory !0';
  const kept = await melded(diamond(atomic('gp', same), atomic('gq', same)));
  assert.is(kept.match(/atomicrmw/g)!.length, 1);
  assert.match(kept, /atomicrmw .*!amdgpu\.no\.fine\.grained\.memory/);
  const apart = await melded(diamond(atomic('gp', same), atomic('gq', '')));
  assert.is(apart.match(/atomicrmw/g)!.length, 2);
});

test('pointers to different allocas are not selected', async () => {
  const ir = `${HEADER}target datalayout = "A5"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %x = alloca [4 x i32], align 4, addrspace(5)
  %y = alloca [4 x i32], align 4, addrspace(5)
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %id, 16
  br i1 %c, label %a, label %b
a:
  %ga = getelementptr i32, ptr addrspace(5) %x, i32 %n
  store i32 %id, ptr addrspace(5) %ga, align 4
  br label %join
b:
  %gb = getelementptr i32, ptr addrspace(5) %y, i32 %n
  store i32 %id, ptr addrspace(5) %gb, align 4
  br label %join
join:
  %gx = getelementptr i32, ptr addrspace(5) %x, i32 1
  %vx = load i32, ptr addrspace(5) %gx, align 4
  %vy = load i32, ptr addrspace(5) %y, align 4
  %sum = add i32 %vx, %vy
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}${FOOTER}`.replace('target datalayout = "A5"\n', '');
  const result = await compile(ir, { emit: ['ll'], profit: 'paper' });
  assert.not.match(text(artifact(result, 'll')), /select i1 .*ptr addrspace\(5\)/);
});

test('a switch may have several edges into a side', async () => {
  const side = (pointer: string) => LOAD_STORE(pointer, 'add', 4);
  const ir = diamond(side('gp'), side('gq')).replace(
    'br i1 %c, label %a, label %b\na:',
    `br i1 %c, label %head, label %b
head:
  switch i32 %n, label %other [
    i32 1, label %a
    i32 2, label %a
  ]
other:
  store i32 0, ptr addrspace(1) %p, align 4
  br label %a
a:
  %from = phi i32 [ 1, %head ], [ 1, %head ], [ %m, %other ]
  store i32 %from, ptr addrspace(1) %q, align 4`,
  );
  const ll = await melded(ir);
  assert.match(ll, /phi i32/);
});

test('what became one stays one through the clean-up', async () => {
  const side = (pointer: string, constant: string) => `
  %l${pointer} = load float, ptr addrspace(1) %${pointer}, align 4
  %d${pointer} = fdiv float %l${pointer}, ${constant}
  store float %d${pointer}, ptr addrspace(1) %${pointer}, align 4`;
  const own = (value: number) => `\n  store i32 ${value}, ptr addrspace(1) %q, align 4`;
  const ll = await melded(
    diamond(own(9) + side('gp', '3.0') + own(7), side('gp', '5.0').replaceAll('%lgp', '%lf').replaceAll('%dgp', '%df')),
  );
  assert.is(ll.match(/= fdiv/g)!.length, 1);
});

test('promises about operands that changed places are dropped', async () => {
  const side = (pointer: string, operands: string) =>
    `${LOAD_STORE(pointer, 'add', 4)}
  %m${pointer} = call i32 @llvm.umin.i32(${operands})
  store i32 %m${pointer}, ptr addrspace(1) %${pointer}, align 4`;
  const ll = await melded(
    diamond(
      side('gp', 'i32 noundef range(i32 0, 10) %n, i32 %m'),
      side('gq', 'i32 noundef range(i32 0, 10) %id, i32 %n'),
    ) + 'declare i32 @llvm.umin.i32(i32, i32)\n',
  );
  const call = ll
    .split('\n')
    .find((line) => line.includes('= call i32 @llvm.umin') || line.includes('tail call i32 @llvm.umin'))!;
  assert.not.match(call, /range|noundef/);
});

test('arguments in scalar registers are not selected (2)', async () => {
  const side = (pointer: string, argument: string) =>
    `${LOAD_STORE(pointer, 'add', 4)}\n  call void @callee(i32 inreg ${argument}, i32 %id)`;
  const ir =
    diamond(side('gp', '%n'), side('gq', '%m')) +
    'declare void @callee(i32 inreg, i32) #2\nattributes #2 = { nounwind }\n';
  const ll = await melded(ir);
  assert.is(ll.match(/call void @callee/g)!.length, 2);
});

test('nobody is kept in front of a meld by a loop that waits (1.6)', async () => {
  const work = (pointer: string) => LOAD_STORE(pointer, 'add', 4);
  const ir = diamond(
    work('gp') + '\n  store atomic i32 1, ptr addrspace(1) %q syncscope("agent") release, align 4',
    work('gq'),
  ).replace(
    'label %a, label %b\na:',
    'label %a, label %spin\nspin:\n  %v = load atomic i32, ptr addrspace(1) %q syncscope("agent") acquire, align 4\n  %w = icmp eq i32 %v, 1\n  br i1 %w, label %b, label %spin\na:',
  );
  assert.is(await refusal(ir), '1.6');
});

/** A loop that threads leave for %a from two blocks, and for %b from one. */
const exits = (inLoop: string, inA = ''): string => `${HEADER}
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %id
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %more, %latch ]
  %more = add i32 %k, 1
  %c = icmp ugt i32 %k, %id
  br i1 %c, label %a, label %body
body:
${inLoop}
  %d = icmp eq i32 %got, %k
  br i1 %d, label %b, label %latch
latch:
  %e = icmp ugt i32 %more, %n
  br i1 %e, label %a, label %head
a:
${inA}
  %la = load i32, ptr addrspace(1) %g, align 4
  %sa = mul i32 %la, 3
  store i32 %sa, ptr addrspace(1) %g, align 4
  br label %join
b:
  %lb = load i32, ptr addrspace(1) %g, align 4
  %sb = mul i32 %lb, %k
  store i32 %sb, ptr addrspace(1) %g, align 4
  br label %join
join:
  ret void
}${FOOTER}`;

test('threads that left a loop by different exits meld, unless the loop may wait for them (1.3, 1.6)', async () => {
  const load = '  %got = load i32, ptr addrspace(1) %q, align 4';
  const wait = (name: string) =>
    `  %${name} = load atomic i32, ptr addrspace(1) %q syncscope("agent") acquire, align 4`;
  const spin = `${wait('v')}\n  %w = icmp eq i32 %v, 1\n  br i1 %w, label %a2, label %a\na2:`;
  assert.is((await melded(exits(load))).match(/store i32/g)!.length, 1);
  assert.is(await refusal(exits(wait('got'))), '1.3');
  // So may a loop of one side, in front of what would meld.
  assert.is(await refusal(exits(load, spin)), '1.6');
});

/** Short-circuit code: block %a is reached from %entry and from %or, so %c does not say who is in %a. */
const shortCircuit = (between: string): string => `${HEADER}
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %c = icmp ult i32 %id, 16
  br i1 %c, label %a, label %or
or:
  %d = icmp eq i32 %id, 40
  %twice = shl i32 %id, 1
${between}
  br i1 %d, label %a, label %b
a:
  %la = load i32, ptr addrspace(1) %g, align 4
  %sa = mul i32 %la, 3
  store i32 %sa, ptr addrspace(1) %g, align 4
  br label %join
b:
  %lb = load i32, ptr addrspace(1) %g, align 4
  %sb = mul i32 %lb, %twice
  store i32 %sb, ptr addrspace(1) %g, align 4
  br label %join
join:
  ret void
}${FOOTER}`;

test('a phi says which side a thread is on where others enter it, too (1.3)', async () => {
  const ll = await melded(shortCircuit(''));
  assert.match(ll, /phi i1 \[ (true, %entry \], \[ %d, %or|%d, %or \], \[ true, %entry) \]/);
  // What the front defines comes by a phi.
  assert.match(ll, /phi i32 \[ (poison, %entry \], \[ %twice, %or|%twice, %or \], \[ poison, %entry) \]/);
  assert.is(ll.match(/store i32/g)!.length, 1);
});

test('lifetime markers of an alloca between branch and join cannot follow it through a phi (4)', async () => {
  const alloca = (markers: boolean) =>
    shortCircuit(
      `  %al = alloca i32, align 4, addrspace(5)
       ${markers ? 'call void @llvm.lifetime.start.p5(ptr addrspace(5) %al)' : ''}
       store volatile i32 %n, ptr addrspace(5) %al`,
    )
      .replace(
        'br label %join\njoin:',
        `br label %tail
tail:
  %v = load volatile i32, ptr addrspace(5) %al
  ${markers ? 'call void @llvm.lifetime.end.p5(ptr addrspace(5) %al)' : ''}
  store volatile i32 %v, ptr addrspace(1) %p
  br label %join
join:`,
      )
      .replace(
        'triple = "amdgcn-amd-amdhsa"',
        'triple = "amdgcn-amd-amdhsa"\ndeclare void @llvm.lifetime.start.p5(ptr addrspace(5))\ndeclare void @llvm.lifetime.end.p5(ptr addrspace(5))',
      );
  await melded(alloca(false));
  assert.is(await refusal(alloca(true)), '4');
});

test('where a barrier stands in front, the edges decide nothing (1.3)', async () => {
  assert.is(await refusal(shortCircuit('  call void @llvm.amdgcn.s.barrier()')), '1.3');
});

test('accesses that overlap keep their order, also where the distance wraps around', async () => {
  const stores = (value: string) =>
    ['low', 'low4', 'low8'].map((name) => `  store i32 ${value}, ptr addrspace(3) %${name}, align 1`).join('\n');
  const load = (side: string) => `  %l${side} = load i32, ptr addrspace(3) %high, align 1`;
  const end = (side: string, k: number) =>
    `  %s${side} = add i32 %l${side}, ${k}\n  store i32 %s${side}, ptr addrspace(1) %gp, align 4`;
  const ir = (high: number) =>
    diamond(
      `${stores('%n')}\n${load('a')}\n${end('a', 5)}`,
      `${load('b')}\n${stores('%m')}\n${end('b', 7)}`,
      '',
      '@lds = internal addrspace(3) global [4096 x i8] poison, align 16',
    ).replace(
      '  br i1 %c',
      `  %far = xor i32 %id, -2147483648
  %l = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @lds, i32 1), i32 %far
  %low = getelementptr i8, ptr addrspace(3) %l, i32 -2147483648
  %low4 = getelementptr i8, ptr addrspace(3) %l, i32 -2147483644
  %low8 = getelementptr i8, ptr addrspace(3) %l, i32 -2147483640
  %high = getelementptr i8, ptr addrspace(3) %l, i32 ${high}
  br i1 %c`,
    );
  const accesses = async (high: number) =>
    (await melded(ir(high), { profit: 'net' })).match(/(load|store) i32.* addrspace\(3\)/g)!.length;
  // 2³² − 8 bytes: apart, so that the load may pass the stores. 2³² − 2 bytes: the load ends in what %low stores.
  assert.is(await accesses(2147483640), 4);
  assert.ok((await accesses(2147483646)) > 4);
});

test('addresses shared by one condition may lead to addresses shared by another', async () => {
  const ir = diamond(
    `%t = load i32, ptr addrspace(1) %p
     %t1 = mul i32 %t, %sum
     store i32 %t1, ptr addrspace(1) %gp`,
    `%f = load i32, ptr addrspace(1) %q
     %f1 = mul i32 %f, %sum
     store i32 %f1, ptr addrspace(1) %gp`,
  ).replace(
    '  br i1 %c, label %a',
    `  %c1 = icmp ult i32 %id, 7
  %c2 = icmp ult i32 %id, 19
  %p8 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %q8 = getelementptr i8, ptr addrspace(1) %q, i64 8
  %s1 = select i1 %c1, ptr addrspace(1) %p, ptr addrspace(1) %q
  %s2 = select i1 %c1, ptr addrspace(1) %p8, ptr addrspace(1) %q8
  %p16 = getelementptr i8, ptr addrspace(1) %p, i64 16
  %m1 = select i1 %c1, ptr addrspace(1) %q, ptr addrspace(1) %p
  %m2 = select i1 %c1, ptr addrspace(1) %q8, ptr addrspace(1) %p8
  %s4 = getelementptr i8, ptr addrspace(1) %s1, i64 4
  %s12 = getelementptr i8, ptr addrspace(1) %s1, i64 12
  %n1 = select i1 %c2, ptr addrspace(1) %s4, ptr addrspace(1) %q
  %n2 = select i1 %c2, ptr addrspace(1) %s12, ptr addrspace(1) %q8
  ${['s2', 'm1', 'm2', 'n1', 'n2'].map((name) => `%v${name} = load i32, ptr addrspace(1) %${name}`).join('\n  ')}
  %x1 = add i32 %vs2, %vm1
  %x2 = add i32 %x1, %vm2
  %x3 = add i32 %x2, %vn1
  %sum = add i32 %x3, %vn2
  br i1 %c, label %a`,
  );
  const out = await melded(ir);
  const [, base] = /(%[\w.]+) = select i1 %c1, ptr addrspace\(1\) %p, ptr addrspace\(1\) %q\n/.exec(out)!;
  // The third group starts from 4 bytes behind the base of the first.
  const [, from] = /(%[\w.]+) = getelementptr[^\n]* ptr addrspace\(1\) %[\w.]+, i64 4\n/.exec(out)!;
  assert.match(out, new RegExp(`${from} = getelementptr[^\\n]* ptr addrspace\\(1\\) ${base}, i64 4\\n`));
  assert.match(out, new RegExp(`select i1 %c2, ptr addrspace\\(1\\) ${from}, ptr addrspace\\(1\\) %q\\n`));
});

/** A divergent switch over the thread id; every arm stores what it computes of its own pointer. */
const switched = (type: string, cases: string, arms: readonly string[], tail = '  ret void') => `${HEADER}
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %o) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %v = trunc i32 %id to ${type}
  %go = getelementptr i32, ptr addrspace(1) %o, i32 %id
  switch ${type} %v, ${cases}
${arms
  .map((pointer, index) => {
    const steps = Array.from({ length: 40 }, (_, n) => `  %x${index}.${n + 1} = mul i32 %x${index}.${n}, %id`);
    return `arm${index}:
  %x${index}.0 = load i32, ptr addrspace(1) %${pointer}
${steps.join('\n')}
  store i32 %x${index}.40, ptr addrspace(1) %go
  br label %join`;
  })
  .join('\n')}
join:
${tail}
}${FOOTER}`;

test('a switch whose cases are all there are becomes a branch that is taken', async () => {
  const cases = 'label %arm1 [ i1 false, label %arm0\n i1 true, label %arm0 ]';
  const out = await melded(switched('i1', cases, ['p', 'q']));
  assert.not.match(out, /icmp ult i1/);
  assert.not.match(out, /select i1[^\n]*ptr addrspace\(1\) %q, ptr addrspace\(1\) %p/);
});

test('a switch of two arms is lowered only if melding gains by it', async () => {
  const ir = (arms: readonly string[]) => switched('i8', 'label %join [ i8 1, label %arm0\n i8 3, label %arm1 ]', arms);
  const switches = (ll: string) => ll.match(/^ +switch /gm)?.length ?? 0;
  assert.is(switches(await melded(ir(['p', 'q']), { profit: 'net' })), 0);
  // Nothing of one arm is like the other: a division against multiplications.
  const unlike = ir(['p', 'q']).replaceAll(/(%x1\.\d+ = )mul/g, '$1udiv');
  const result = await compile(unlike, { emit: ['ll'] });
  assert.equal([result.functions[0]!.switchesLowered, result.functions[0]!.melds], [0, []]);
  assert.is(switches(text(artifact(result, 'll'))), 1);
});

/** A switch over loaded bytes of which each destination only chooses a value. */
const choosing = (names: readonly number[], other: string, weights = '') => `${HEADER}
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %o) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i8, ptr addrspace(1) %p, i32 %id
  %v = load i8, ptr addrspace(1) %at
  switch i8 %v, label %other [
${names.map((value, k) => `    i8 ${value}, label %arm${k}`).join('\n')}
  ]${weights && ', !prof !9'}
${names.map((_, k) => `arm${k}:\n  br label %join`).join('\n')}
other:
  ${other}
join:
  %x = phi i32 ${other === 'unreachable' ? '' : '[ %id, %other ], '}${names.map((value, k) => `[ ${value * value}, %arm${k} ]`).join(', ')}
  %go = getelementptr i32, ptr addrspace(1) %o, i32 %id
  store i32 %x, ptr addrspace(1) %go
  ret void
}${FOOTER}${weights && `\n!9 = !{!"branch_weights", ${weights}}\n`}`;

const NAMES = [0, 3, 5, 9, 12, 17];

test('a switch that only chooses values becomes a chain of selects, late', async () => {
  const ir = choosing(NAMES, 'br label %join');
  const late = await compile(ir, { emit: ['ll'] });
  assert.equal([late.functions[0]!.switchesLowered, late.functions[0]!.melds], [1, []]);
  assert.not.match(text(artifact(late, 'll')), /^ +switch /m);
  for (const options of [{ meld: 'off' }, { meld: 'branch-fusion' }, { optimize: 'O1', meldPoint: 'early' }] as const)
    assert.is((await compile(ir, { emit: ['ll'], ...options })).functions[0]?.switchesLowered ?? 0, 0);
});

/** Three ways that have nothing in common. The first one uses what `first` names, the others both loads. */
const threeWays = (first: string): string => `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias readonly %k, ptr addrspace(1) noalias readonly %a, ptr addrspace(1) noalias readonly %b, ptr addrspace(1) noalias %o) "target-cpu"="gfx1030" {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %k, i32 %id
  %way = load i32, ptr addrspace(1) %kp
  %ap = getelementptr float, ptr addrspace(1) %a, i32 %id
  %x = load float, ptr addrspace(1) %ap
  %bp = getelementptr float, ptr addrspace(1) %b, i32 %id
  %y = load float, ptr addrspace(1) %bp
  switch i32 %way, label %third [
    i32 0, label %first
    i32 1, label %second
  ]
first:
  %f = fmul float %x, ${first}
  br label %join
second:
  %s = call float @llvm.sqrt.f32(float %x)
  %q = fdiv float %s, %y
  br label %join
third:
  %l = call float @llvm.log.f32(float %y)
  %m = fsub float %l, %x
  br label %join
join:
  %r = phi float [ %f, %first ], [ %q, %second ], [ %m, %third ]
  %op = getelementptr float, ptr addrspace(1) %o, i32 %id
  store float %r, ptr addrspace(1) %op
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.sqrt.f32(float)
declare float @llvm.log.f32(float)`;

test('a switch stays where a chain would make loads come one after the other', async () => {
  const lowered = async (first: string): Promise<[number, string]> => {
    const { functions, remarks } = await compile(threeWays(first), { emit: ['ll'], remarks: true });
    const stays = remarks.flatMap((each) => (each.kind === 'switch' ? each.reason : []));
    return [functions[0]!.switchesLowered, stays.join()];
  };
  assert.equal(await lowered('%y'), [1, '']);
  assert.equal(await lowered('0.5'), [
    0,
    'in a chain of branches, loads that are on their way together would come one after the other',
  ]);
});

test('what is said about how often a switch goes where is not lost where nothing melds', async () => {
  const weights = ['i32 1', ...NAMES.map(() => 'i32 2000')].join(', ');
  const { functions } = await compile(choosing(NAMES, 'br label %join', weights), { emit: ['ll'] });
  assert.is(functions[0]!.switchesLowered, 0);
});

test('remarks say why a switch stays', async () => {
  const reasons = async (ir: string, options: object = {}): Promise<string[]> =>
    ((await compile(ir, { emit: ['bc'], remarks: true, ...options })).remarks ?? []).flatMap((each) =>
      each.kind === 'switch' ? `${each.branch} ${each.destinations}: ${each.reason}` : [],
    );
  const ir = choosing(NAMES, 'br label %join');
  assert.equal(await reasons(ir), []);
  const early = await reasons(ir, { optimize: 'O1', meldPoint: 'early' });
  assert.match(early.join(), /^%entry 7: .* less than .*, but LLVM's passes would make it a switch again, and nothing/);
  const weights = ['i32 1', ...NAMES.map(() => 'i32 2000')].join(', ');
  assert.match((await reasons(choosing(NAMES, 'br label %join', weights))).join(), /, but metadata say how often/);
  // Nothing of one arm is like the other.
  const two = switched('i8', 'label %join [ i8 1, label %arm0\n i8 2, label %arm1 ]', ['p', 'q']);
  const unlike = (await reasons(two.replaceAll(/(%x1\.\d+ = )mul/g, '$1udiv'))).join();
  assert.match(unlike, /^%entry 3: as a chain of branches it takes [\d.]+ cycles .* tree that code generation makes/);
  assert.match(unlike, / and nothing melds in it$/);
  // All that is in the arms is next to nothing of the function.
  const other = Array.from({ length: 4000 }, (_, k) => `%w${k + 1} = udiv i32 %w${k}, %id\n`).join('');
  const work = `%w0 = add i32 %id, 1\n${other}store i32 %w4000, ptr addrspace(1) %o\nret void`;
  assert.match((await reasons(ir.replace('ret void', work))).join(), / and there is too little in it that could meld$/);
  const many = choosing(
    [...Array(20).keys()].map((k) => 3 * k),
    'br label %join',
  );
  assert.match((await reasons(many)).join(), /^%entry 21: it has 21 destinations/);
});

/** Switches behind each other, in which nothing melds. */
const SIDES_OF_A_FIELD = (() => {
  const level = (id: string, k: number, next: string): string => `l${k}:
  switch i32 %${id}, label %${next} [ i32 0, label %first${k}
    i32 15, label %last${k} ]
first${k}:
  store i32 ${k}, ptr addrspace(1) %g
  br label %done
last${k}:
  store i64 7, ptr addrspace(1) %g
  br label %done
`;
  return `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %x
  br label %l1
${level('y', 1, 'l2')}${level('x', 2, 'done')}done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
attributes #0 = { "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="256,256" }
`;
})();

test('remarks name the switches that became chains, and no others stay', async () => {
  const { functions, remarks } = await compile(SIDES_OF_A_FIELD, { emit: ['bc'], remarks: true });
  assert.equal([functions[0]!.switchesLowered, functions[0]!.melds], [2, []]);
  const switches = remarks.flatMap((each) =>
    each.kind === 'switch' || each.kind === 'lowered' ? `${each.kind} ${each.branch} ${each.destinations}` : [],
  );
  assert.equal(switches, ['lowered %l1 3', 'lowered %l2 3']);
});

test('a chain has as many divergent branches as its switch is said to have, and no default that nothing gets to', async () => {
  const names = Array.from({ length: 12 }, (_, k) => k * 3);
  const work = (k: number): string =>
    `arm${k}:\n%a${k} = mul i32 %id, %id\n%b${k} = mul i32 %a${k}, %id\nstore i32 %b${k}, ptr addrspace(1) %o\n`;
  // What melds makes the chain pay.
  const ir = choosing(names, 'unreachable').replace(/arm1[01]:\n/g, (arm) => work(Number(arm.slice(3, 5))));
  const result = await compile(ir, { emit: ['ll'], stats: true, profit: 'paper' });
  const { switchesLowered, melds, before, after } = result.functions[0]!;
  assert.equal([switchesLowered, melds.length, before!.divergentBranches], [1, 1, 11]);
  assert.is(after.divergentBranches, 10);
  assert.not.match(text(artifact(result, 'll')), /unreachable/);
});

test('a straight side saves nothing by running in the loop of the other', async () => {
  const ir = `${HEADER}
define amdgpu_kernel void @k(ptr addrspace(1) %o, i32 %n) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %id, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %t, label %f
t:
  %i = phi i32 [ 0, %entry ], [ %i1, %t ]
  %acc = phi i32 [ %id, %entry ], [ %t4, %t ]
  %t2 = mul i32 %acc, %i
  %t3 = mul i32 %t2, %acc
  %t4 = mul i32 %t3, %t2
  %i1 = add i32 %i, 1
  %e = icmp slt i32 %i1, %n
  br i1 %e, label %t, label %x
f:
  %f2 = mul i32 %id, %n
  %f3 = mul i32 %f2, %id
  %f4 = mul i32 %f3, %f2
  br label %x
x:
  %r = phi i32 [ %t4, %t ], [ %f4, %f ]
  %go = getelementptr i32, ptr addrspace(1) %o, i32 %id
  store i32 %r, ptr addrspace(1) %go
  ret void
}${FOOTER}`;
  const { functions } = await compile(ir, { emit: ['ll'] });
  assert.equal(functions[0]!.melds, []);
});

/** A side that would meld if nothing stood against it. */
const WORK = (s: string, value: string): string => `
  %x${s} = mul i32 %n, ${value}
  %y${s} = mul i32 %x${s}, %m
  %z${s} = udiv i32 %y${s}, 77
  store i32 %z${s}, ptr addrspace(1) %gp`;

/** In front of `diamond`'s branch. */
const inFront = (ir: string, front: string): string => ir.replace('  br i1 %c', `${front}\n  br i1 %c`);

const ALLOCAS = '  %a1 = alloca i32, addrspace(5)\n  %a2 = alloca i32, addrspace(5)';
const CASTS = `  %lds = getelementptr i32, ptr addrspace(3) @l, i32 %id
  %f1 = addrspacecast ptr addrspace(1) %gp to ptr
  %f2 = addrspacecast ptr addrspace(3) %lds to ptr`;
const LDS = '@l = internal addrspace(3) global [64 x i32] poison';
const joined = (type: string, t: string, f: string, globals = ''): string =>
  diamond(WORK('a', '7'), WORK('b', '9'), `  %r = phi ${type} [ ${t}, %a ], [ ${f}, %b ]`, globals);

test("intrinsics in the place of OpenCL's functions meld, whatever their calls say (1.5)", async () => {
  const side = (s: string, factor: string): string => `
  %x${s} = load float, ptr addrspace(1) %gp
  %y${s} = fmul float %x${s}, ${factor}
  %z${s} = call float @llvm.maxnum.f32(float %y${s}, float ${factor}) #1
  store float %z${s}, ptr addrspace(1) %gp`;
  const globals = 'declare float @llvm.maxnum.f32(float, float)\nattributes #1 = { convergent nounwind }';
  const ll = await melded(diamond(side('a', '3.0'), side('b', '5.0'), '', globals));
  assert.is(ll.match(/call float @llvm.maxnum/g)!.length, 1);
});

test('no select between different allocas where a meld has a single exit (3)', async () => {
  assert.is(await refusal(inFront(joined('ptr addrspace(5)', '%a1', '%a2'), ALLOCAS)), '3');
  await melded(inFront(joined('ptr addrspace(5)', '%a1', '%a1'), ALLOCAS));
});

test('no select between casts from different address spaces where a meld has a single exit (3)', async () => {
  assert.is(await refusal(inFront(joined('ptr', '%f1', '%f2', LDS), CASTS)), '3');
  await melded(inFront(joined('ptr', '%f1', '%f1', LDS), CASTS));
});

test('vectors and structures of pointers are asked as pointers are (3)', async () => {
  const vector = (n: number): string =>
    `  %v${n} = insertelement <2 x ptr addrspace(5)> poison, ptr addrspace(5) %a${n}, i32 0`;
  const vectors = `${ALLOCAS}\n${vector(1)}\n${vector(2)}`;
  assert.is(await refusal(inFront(joined('<2 x ptr addrspace(5)>', '%v1', '%v2'), vectors)), '3');
  await melded(inFront(joined('<2 x ptr addrspace(5)>', '%v1', 'poison'), vectors));
  const structure = (n: number): string => `  %s${n} = insertvalue { i32, ptr } poison, ptr %f${n}, 1`;
  const structures = `${CASTS}\n${structure(1)}\n${structure(2)}`;
  assert.is(await refusal(inFront(joined('{ i32, ptr }', '%s1', '%s2', LDS), structures)), '3');
  // What is taken out is asked, too.
  const taken = (n: number): string => `  %e${n} = extractvalue { i32, ptr } %s${n}, 1`;
  assert.is(await refusal(inFront(joined('ptr', '%e1', '%e2', LDS), `${structures}\n${taken(1)}\n${taken(2)}`)), '3');
});

test.run();
