/** Sides whose work runs in front of their branch (src/melding/decide/hoisted-sides.ts), over the real module. */
import { artifact, compile, text } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/hoisted-sides', { tests: 19 });

interface Parts {
  /** In front of the branch. */
  readonly front?: string;
  /** The small side, which makes `%s`. */
  readonly small?: string;
  /** What the branch asks. */
  readonly decides?: string;
  /** What the join takes from the large side. */
  readonly other?: string;
  readonly triple?: string;
  readonly cpu?: string;
}

/** A loop whose divergent branch has a small side, and a large one that stores. */
const kernel = ({
  front = '',
  small = '%s = add i32 %row, -1',
  decides = '%row',
  other = '%row5',
  triple = 'amdgcn-amd-amdhsa',
  cpu = 'gfx906',
}: Parts = {}) => `
target triple = "${triple}"
@shared = internal addrspace(3) global [64 x i32] poison
define ${triple.startsWith('amdgcn') ? 'amdgpu_kernel' : 'ptx_kernel'} void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q) #0 {
entry:
  %id = call i32 @llvm.${triple.startsWith('amdgcn') ? 'amdgcn.workitem.id.x' : 'nvvm.read.ptx.sreg.tid.x'}()
  %mine = getelementptr i32, ptr addrspace(1) %q, i32 %id
  %first = load i32, ptr addrspace(1) %mine
  br label %loop
loop:
  %row = phi i32 [ %first, %entry ], [ %next, %join ]
  ${front}
  %bit = and i32 ${decides}, 64
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %small, label %large
small:
  ${small}
  br label %join
large:
  %row5 = xor i32 %row, 5
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %row5
  store i32 %row, ptr addrspace(1) %at
  br label %join
join:
  %next = phi i32 [ %s, %small ], [ ${other}, %large ]
  %more = icmp sgt i32 %next, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
attributes #0 = { "target-cpu"="${cpu}" }
`;

async function hoisted(parts: Parts = {}, options: Parameters<typeof compile>[1] = {}) {
  const result = await compile(kernel(parts), { emit: ['ll'], ...options });
  return { count: result.functions[0]!.sidesHoisted, ll: text(artifact(result, 'll')) };
}

test('a side of one harmless instruction runs in front of its branch', async () => {
  const { count, ll } = await hoisted();
  assert.is(count, 1);
  assert.match(ll, /add i32 %row, -1\n +br i1 %c, label %join, label %large/);
});

test('a side stays that not every thread may run', async () => {
  for (const small of [
    '%s = load i32, ptr addrspace(1) %mine',
    '%s = udiv i32 7, %row',
    'store i32 1, ptr addrspace(1) %q\n %s = add i32 %row, -1',
  ])
    assert.is((await hoisted({ small })).count, 0, small);
});

test('a long side stays: a wave would run it that now branches around it', async () => {
  const steps = (count: number) =>
    Array.from(
      { length: count },
      (_, k) => `%${k === count - 1 ? 's' : `s${k}`} = xor i32 %${k === 0 ? 'row' : `s${k - 1}`}, ${k * 77 + 3}`,
    );
  const ofSteps = async (count: number) => {
    const list = steps(count).map((step, k) => (k % 2 === 0 ? step : step.replace('xor', 'mul')));
    return (await hoisted({ small: list.join('\n') })).count;
  };
  assert.is(await ofSteps(2), 1);
  assert.is(await ofSteps(14), 0);
});

test('a side stays whose intrinsic may need an instruction more than LLVM runs without a branch', async () => {
  const ofSteps = async (count: number, last: string) => {
    const steps = Array.from({ length: count }, (_, k) => `%s${k} = sub i32 %id, ${k === 0 ? '%row' : `%s${k - 1}`}`);
    return (await hoisted({ small: [...steps, last.replace('%x', `%s${count - 1}`)].join('\n') })).count;
  };
  const [plain, call] = ['%s = and i32 %x, %id', '%s = call i32 @llvm.smin.i32(i32 %x, i32 %id)'];
  assert.equal([await ofSteps(8, plain), await ofSteps(9, plain)], [1, 0]);
  assert.equal([await ofSteps(7, call), await ofSteps(8, call)], [1, 0]);
});

test('a side stays that would wait for a load which the branch does not need', async () => {
  const front = '%w = getelementptr i32, ptr addrspace(3) @shared, i32 %row\n %v = load i32, ptr addrspace(3) %w';
  const small = '%s = sub i32 %v, 1';
  assert.is((await hoisted({ front, small })).count, 0);
  assert.is((await hoisted({ front, small, decides: '%v' })).count, 1);
});

test('a side stays where the other side would have to copy what it passes on', async () => {
  assert.is((await hoisted({ other: '%row', small: '%s = xor i32 %row, 3' })).count, 0);
  // A constant is copied in any case.
  assert.is((await hoisted({ other: '7' })).count, 1);
});

test('a count that the other side passes on is chosen by a select where that is a carry', async () => {
  const small = '%s = add i32 %row, 1';
  const { count, ll } = await hoisted({ small, other: '%row' });
  assert.is(count, 1);
  assert.match(ll, /%meld = select i1 %c, i32 %\S+, i32 %row\n +br i1 %c, label %join, label %large/);
  assert.is((await hoisted({ small, other: '%row', cpu: 'gfx1100' })).count, 0);
  assert.is((await hoisted({ small: '%s = add i32 %row, 2', other: '%row' })).count, 0);
});

/** A loop with a divergent branch between two small sides. @param phis what the join takes of them, as `%next` */
const diamond = (t: string, f: string, phis: string, cpu = 'gfx906'): string =>
  kernel({ small: t, cpu })
    .replace(/ {2}%row5 = xor[^]*?store i32 %row, ptr addrspace\(1\) %at\n/, `  ${f}\n`)
    .replace('%next = phi i32 [ %s, %small ], [ %row5, %large ]', phis);

const ONE_PHI = '%next = phi i32 [ %s, %small ], [ %u, %large ]';
const ONE_EACH = ['%s = sub i32 %row, %id', '%u = lshr i32 %row, 3'] as const;

async function hoistedIn(ir: string) {
  const result = await compile(ir, { emit: ['ll'], versions: 'never' });
  const [{ melds, sidesHoisted }] = result.functions as [(typeof result.functions)[0]];
  assert.is(melds.length, 0);
  return { count: sidesHoisted, ll: text(artifact(result, 'll')) };
}

test('both sides, with a select in place of the branch', async () => {
  const { count, ll } = await hoistedIn(diamond(...ONE_EACH, ONE_PHI));
  assert.is(count, 2);
  assert.match(ll, /%meld = select i1 %c, i32 %\S+, i32 %\S+\n/);
  assert.is(ll.match(/br i1 /g)!.length, 1, 'the loop is left');
});

test('not both, where the loop has more vector work than masks, and many waves want both', async () => {
  const work = (length: number): string =>
    Array.from({ length }, (_, k) => `%w${k + 1} = ${k % 2 === 0 ? 'xor' : 'sub'} i32 %w${k}, %id\n`).join('');
  const joined = (length: number): string =>
    `%w0 = phi i32 [ %s, %small ], [ %u, %large ]\n${work(length)}%next = xor i32 %w${length}, 9`;
  assert.is((await hoistedIn(diamond(...ONE_EACH, joined(0)))).count, 2);
  // One of them goes instead.
  assert.is((await hoistedIn(diamond(...ONE_EACH, joined(8)))).count, 1);
});

test('also where lowering a switch is taken back', async () => {
  const weights = '!0 = !{!"branch_weights", i32 5, i32 3, i32 2}\n';
  const ir = (diamond(...ONE_EACH, ONE_PHI) + weights).replace(
    'done:\n',
    `done:
  switch i32 %first, label %away [
    i32 7, label %a
    i32 90, label %b
  ], !prof !0
a:
  store i32 1, ptr addrspace(1) %mine
  br label %away
b:
  %r = urem i32 %first, 7
  store volatile i32 %r, ptr addrspace(1) %q
  br label %away
away:
`,
  );
  const { count, ll } = await hoistedIn(ir);
  assert.is(count, 2);
  assert.match(ll, /switch i32/);
});

/** What every kernel below begins with: `%t`, `%p` and `%v` are the thread's. */
const BEGIN = `target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) "target-cpu"="gfx906" {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %v = load i32, ptr addrspace(1) %p`;

test('branches that share a join, in the other order of blocks', async () => {
  const ir = `${BEGIN}
  %w = xor i32 %v, %t
  %c0 = icmp sgt i32 %w, 1000
  br i1 %c0, label %E1, label %X
E2:
  %d = mul i32 %v, 77
  %d2 = xor i32 %d, %t
  store i32 %d2, ptr addrspace(1) %p
  %c2 = icmp sgt i32 %d2, 9
  br i1 %c2, label %T2, label %F2
T2:
  %g = lshr i32 %w, 3
  br label %J
F2:
  %h = sub i32 %t, %w
  %h2 = xor i32 %h, 123
  br label %J
E1:
  %c1 = icmp sgt i32 %w, 7000
  br i1 %c1, label %T1, label %E2
T1:
  %a1 = add i32 %w, 1
  br label %J
J:
  %x = phi i32 [ %a1, %T1 ], [ %w, %T2 ], [ %h2, %F2 ]
  %y = phi i32 [ 4, %T1 ], [ %g, %T2 ], [ 8, %F2 ]
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(1) %p
  br label %X
X:
  ret void
}`;
  const result = await compile(ir, { emit: ['ll'] });
  assert.equal([result.functions[0]!.bailout, result.functions[0]!.sidesHoisted > 0], [null, true]);
});

test('what is the same for all threads, because one side passes poison, stays so', async () => {
  const ir = `${BEGIN}
  %c = icmp sgt i32 %v, 7
  br i1 %c, label %T, label %F
T:
  %a1 = xor i32 %v, 55
  %a2 = lshr i32 %a1, 2
  br label %J
F:
  %b1 = sub i32 %v, %n
  %u = sub i32 %n, 9
  br label %J
J:
  %x = phi i32 [ %a2, %T ], [ %b1, %F ]
  %y = phi i32 [ poison, %T ], [ %u, %F ]
  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %y)
  %s = add i32 %r, %x
  store i32 %s, ptr addrspace(1) %p
  ret void
}`;
  const result = await compile(ir, { emit: ['ll'] });
  assert.is(result.functions[0]!.bailout, null);
  assert.not.match(text(artifact(result, 'll')), /select i1 \S+ i32 poison/);
});

test('what lies behind a loop does not go into it', async () => {
  const ir = kernel()
    .replace('br i1 %c, label %small, label %large', 'br i1 %c, label %small, label %join')
    .replace('small:', 'small:\n  %late = add i32 %row, -1')
    .replace(/ {2}%s = add i32 %row, -1\n {2}br label %join\nlarge:[^]*?br label %join\n/, '  br label %done\n')
    .replace('[ %s, %small ], [ %row5, %large ]', '[ %row, %loop ]')
    .replace(
      'done:',
      'done:\n  %out = phi i32 [ %late, %small ], [ %next, %join ]\n  store i32 %out, ptr addrspace(1) %mine',
    );
  assert.match(ir, /small:\n {2}%late = add i32 %row, -1\n {2}br label %done/);
  const [fn] = (await compile(ir, { emit: ['ll'] })).functions;
  assert.is(fn!.sidesHoisted, 0);
});

test('nothing is hoisted without melding, in front of the optimiser, or by the paper alone', async () => {
  assert.is((await hoisted({}, { optimize: 'O1', meldPoint: 'late' })).count, 1);
  const others: readonly Parameters<typeof compile>[1][] = [
    { meld: 'off' },
    { meld: 'branch-fusion' },
    { profit: 'paper' },
    { optimize: 'O1', meldPoint: 'early' },
  ];
  for (const options of others) assert.is((await hoisted({}, options)).count, 0, JSON.stringify(options));
});

test('only where the program handles the mask', async () => {
  assert.is((await hoisted({ cpu: 'gfx1100' })).count, 1);
  assert.is((await hoisted({ triple: 'nvptx64-nvidia-cuda', cpu: 'sm_70' }, { mcpu: 'sm_70' })).count, 0);
});

test('a report shows a round without melds', async () => {
  const result = await compile(kernel(), { emit: ['ll', 'hsaco'], stats: true, report: true });
  const [history] = result.histories;
  assert.is(history!.steps.length, 1);
  assert.equal(
    [history!.steps[0]!.melds.length, history!.after.blocks.length],
    [0, history!.steps[0]!.before.blocks.length - 1],
  );
});

/** The branch behind another one, whose join takes `passed` where control comes past the branch. */
const nested = (passed: string): string => `
target triple = "amdgcn-amd-amdhsa"
@shared = internal addrspace(3) global [64 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) noalias %q) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr i32, ptr addrspace(1) %q, i32 %id
  %first = load i32, ptr addrspace(1) %mine
  %at = getelementptr i32, ptr addrspace(3) @shared, i32 %id
  br label %loop
loop:
  %row = phi i32 [ %first, %entry ], [ %last, %outer ]
  %k = phi i32 [ 0, %entry ], [ %k1, %outer ]
  %c1 = icmp slt i32 %row, 1000
  br i1 %c1, label %inside, label %past
inside:
  %bit = and i32 %row, 64
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %small, label %large
small:
  %s = add i32 %row, -1
  br label %join
large:
  %l = xor i32 %row, 5
  store i32 %row, ptr addrspace(3) %at
  br label %join
past:
  %o = add i32 %row, -4
  store i32 %o, ptr addrspace(3) %at
  br label %outer
join:
  %next = phi i32 [ %s, %small ], [ %l, %large ]
  br label %outer
outer:
  %last = phi i32 [ %next, %join ], [ ${passed}, %past ]
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}
attributes #0 = { "target-cpu"="gfx906" }
`;

test('a side stays where an outer join would have to copy the last value of its variable', async () => {
  const countOf = async (text: string): Promise<number> =>
    (await compile(text, { emit: ['ll'] })).functions[0]!.sidesHoisted;
  assert.is(await countOf(nested('%o')), 1);
  assert.is(await countOf(nested('%row')), 0);
});

/** A loop that puts an element into a vector in both sides of a branch. @param large the vector of the large side */
const vectors = (large: string) => `
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, i32 %n, i32 %slot) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr <8 x i32>, ptr addrspace(1) %q, i32 %id
  %first = load <8 x i32>, ptr addrspace(1) %mine
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %join ]
  %v = phi <8 x i32> [ zeroinitializer, %entry ], [ %last, %join ]
  %row = xor i32 %id, %k
  %bit = and i32 %row, 64
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %small, label %large
small:
  %s = insertelement <8 x i32> %v, i32 %row, i32 %slot
  br label %join
large:
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %row
  store i32 %id, ptr addrspace(1) %at
  %l = insertelement <8 x i32> ${large}, i32 %id, i32 %slot
  br label %join
join:
  %next = phi <8 x i32> [ %s, %small ], [ %l, %large ]
  %last = insertelement <8 x i32> %next, i32 %row, i32 0
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  store <8 x i32> %last, ptr addrspace(1) %mine
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx906" }
`;

test('a side stays that changes a vector where the other side changes the same one', async () => {
  const countOf = async (large: string): Promise<number> =>
    (await compile(vectors(large), { emit: ['ll'] })).functions[0]!.sidesHoisted;
  assert.is(await countOf('%first'), 1);
  assert.is(await countOf('%v'), 0);
});

test.long('a value that thousands of phis pass on is not followed, and its side stays', async () => {
  const chain = (count: number): string => {
    const links = Array.from(
      { length: count },
      (_, k) => `b${k}:
  %p${k} = phi i32 [ ${k === 0 ? '%first, %entry' : `%x${k - 1}, %t${k - 1} ], [ %p${k - 1}, %f${k - 1}`} ]
  %bit${k} = and i32 %id, ${2 ** (k % 5)}
  %c${k} = icmp eq i32 %bit${k}, 0
  br i1 %c${k}, label %t${k}, label %f${k}
t${k}:
  %x${k} = add i32 %p${k}, 1
  br label %b${k + 1}
f${k}:
  %q${k} = getelementptr i32, ptr addrspace(1) %mine, i32 %p${k}
  store i32 ${k}, ptr addrspace(1) %q${k}
  br label %b${k + 1}
`,
    );
    const last = `%x${count - 1}, %t${count - 1} ], [ %p${count - 1}, %f${count - 1}`;
    return `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias %q) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr i32, ptr addrspace(1) %q, i32 %id
  %first = load i32, ptr addrspace(1) %mine
  br label %b0
${links.join('')}b${count}:
  %p${count} = phi i32 [ ${last} ]
  store i32 %p${count}, ptr addrspace(1) %mine
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx906" }
`;
  };
  const hoistedOf = async (count: number): Promise<number> =>
    (await compile(chain(count), { emit: ['bc'] })).functions[0]!.sidesHoisted;
  assert.is(await hoistedOf(20), 20);
  const long = await hoistedOf(5000);
  assert.ok(long > 2000 && long < 4000, `${long}`);
});

test.run();
