/** Trees of branches that selects replace (src/melding/decide/flattened-branches.ts), over the real module. */
import { artifact, compile, text } from '../../support/llvm.js';
import type { BufferSpec, LaunchSpec } from '../../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../../src/simulator/options.js';
import { simulate } from '../../../src/simulator/run.js';
import { randomNumbers } from '../../analysis/random-program.js';
import { decoded, type Decoded } from '../../support/kernel-launch.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/flattened-branches', { tests: 17 });

/** A loop that loads `%v` and chooses the next `%a` and `%b` by it. @param body from `loop` to `join` */
const kernel = (body: string, cpu = 'gfx906'): string => `
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, i32 %n) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr i32, ptr addrspace(1) %q, i32 %id
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %join ]
  %a = phi i32 [ 0, %entry ], [ %a1, %join ]
  %b = phi i32 [ 0, %entry ], [ %b1, %join ]
  %k8 = shl i32 %k, 10
  %place = add i32 %k8, %id
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %place
  %v = load i32, ptr addrspace(1) %at
${body}
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %sum = sub i32 %a1, %b1
  store i32 %sum, ptr addrspace(1) %mine
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="${cpu}" }
`;

/** @param conditions of the two branches @param works what the three ways do for the next `%a` and `%b` */
const chain = (
  [first, second]: readonly [string, string],
  [x, y, z]: readonly [string, string, string],
  phis = `%a1 = phi i32 [ %ax, %x ], [ %a, %y ], [ %a, %z ]
  %b1 = phi i32 [ %b, %x ], [ %by, %y ], [ %b, %z ]`,
): string => `  %c1 = ${first}
  br i1 %c1, label %x, label %else
x:
  ${x}
  br label %join
else:
  %c2 = ${second}
  br i1 %c2, label %y, label %z
y:
  ${y}
  br label %join
z:
  ${z}
  br label %join
join:
  ${phis}`;

const COUNTS = ['%ax = add i32 %a, 1', '%by = add i32 %b, 1', ''] as const;
const ORDERS = ['icmp slt i32 %v, 100', 'icmp slt i32 %v, 200'] as const;
const EQUALITIES = ['icmp eq i32 %v, 65', 'icmp eq i32 %v, 66'] as const;

async function flattened(ir: string, options: Parameters<typeof compile>[1] = {}) {
  const result = await compile(ir, { emit: ['ll'], ...options });
  const [fn] = result.functions;
  assert.is(fn!.bailout, null);
  const ll = text(artifact(result, 'll'));
  const count = (what: RegExp): number => ll.match(what)?.length ?? 0;
  return {
    ll,
    sides: fn!.sidesHoisted,
    branches: count(/br i1 /g),
    selects: count(/ = select i1 \S+ i32 /g),
    masks: count(/ = select i1 \S+ i1 /g),
  };
}

test('a chain that only chooses values: no branch is left but that of the loop', async () => {
  for (const cpu of ['gfx906', 'gfx1100']) {
    const { sides, branches, ll } = await flattened(kernel(chain(ORDERS, COUNTS), cpu));
    assert.equal([sides, branches], [4, 1], ll);
  }
});

test('where a value repeats, two masks become one in place of a select', async () => {
  const { selects, masks, ll } = await flattened(kernel(chain(ORDERS, COUNTS)));
  assert.equal([selects, masks], [2, 1], ll);
  assert.match(ll, /select i1 %c1, i1 false, i1 %1\n/);
});

test('of conditions that exclude each other, each needs no other', async () => {
  const { selects, masks } = await flattened(kernel(chain(EQUALITIES, COUNTS)));
  assert.equal([selects, masks], [2, 0]);
  const [first] = EQUALITIES;
  assert.is((await flattened(kernel(chain([first, 'icmp eq i32 %v, %n'], COUNTS)))).masks, 1);
  assert.is((await flattened(kernel(chain([first, 'icmp eq i32 %k, 66'], COUNTS)))).masks, 1);
});

test('every value is chosen by its own threads', async () => {
  const three = ['%ax = add i32 %a, 1', '%by = xor i32 %b, 3', '%az = sub i32 %a, 5'] as const;
  const phis = `%a1 = phi i32 [ %ax, %x ], [ %a, %y ], [ %az, %z ]
  %b1 = phi i32 [ %b, %x ], [ %by, %y ], [ 7, %z ]`;
  const { ll, branches } = await flattened(kernel(chain(ORDERS, three, phis)));
  assert.is(branches, 1);
  const chosen = `  %meld = select i1 %1, i32 %a, i32 %3
  %meld1 = select i1 %c1, i32 %0, i32 %meld
  %meld2 = select i1 %1, i32 %2, i32 7
  %meld3 = select i1 %c1, i32 %b, i32 %meld2
`;
  assert.ok(ll.includes(chosen), ll);
});

test('what not every thread may run stays behind its branch', async () => {
  for (const y of [
    '%l = load i32, ptr addrspace(1) %mine\n %by = add i32 %b, %l',
    '%by = udiv i32 %b, %v',
    'store i32 1, ptr addrspace(1) %mine\n %by = add i32 %b, 1',
  ])
    assert.is((await flattened(kernel(chain(ORDERS, [COUNTS[0], y, ''])))).branches > 1, true, y);
});

test('not where waves agree: they would run what they pass by now', async () => {
  const rare = '!0 = !{!"branch_weights", i32 1, i32 100000}\n';
  const long = Array.from({ length: 12 }, (_, k) => `%l${k + 1} = mul i32 %l${k}, %v`).join('\n ');
  const work = [`%l0 = add i32 %a, 1\n ${long}\n %ax = xor i32 %l12, 3`, COUNTS[1], ''] as const;
  const ir = kernel(chain(ORDERS, work)).replace('label %x, label %else', 'label %x, label %else, !prof !0');
  assert.is((await flattened(ir + rare)).branches > 1, true);
});

test('not where waves want the vector unit: an exit of a loop has few masks that the scalar unit handles', async () => {
  const loop = (exit: string): string =>
    kernel(`  %odd = and i32 %a, 1
  %c1 = icmp eq i32 %odd, 0
  br i1 %c1, label %x, label %y
x:
  %ax = lshr i32 %a, 1
  br label %join
y:
  %three = mul i32 %a, 3
  %ay = add i32 %three, 1
  br label %join
join:
  %a1 = phi i32 [ %ax, %x ], [ %ay, %y ]
  %b1 = add i32 %b, 1`)
      .replace('[ 0, %entry ], [ %a1, %join ]', '[ %id, %entry ], [ %a1, %join ]')
      .replace('  %v = load i32, ptr addrspace(1) %at\n', '')
      .replace('%more = icmp slt i32 %k1, %n', exit);
  assert.is((await flattened(loop('%more = icmp slt i32 %k1, %n'))).sides, 1);
  assert.is((await flattened(loop('%more = icmp ne i32 %a1, 1'))).sides, 1);
  // A branch with one side has half of the masks of one with two.
  const oneSided = kernel(`  %odd = and i32 %a, 1
  %c1 = icmp eq i32 %odd, 0
  br i1 %c1, label %x, label %join
x:
  %ax0 = xor i32 %a, %id
  %ax = lshr i32 %ax0, 2
  br label %join
join:
  %w = phi i32 [ %ax, %x ], [ %a, %loop ]
  %a1 = add i32 %w, 7
  %b1 = add i32 %b, 1`)
    .replace('[ 0, %entry ], [ %a1, %join ]', '[ %id, %entry ], [ %a1, %join ]')
    .replace('  %v = load i32, ptr addrspace(1) %at\n', '');
  assert.is((await flattened(oneSided)).sides, 0);
});

test('not where values may not be chosen', async () => {
  const phis = `%a1 = phi i32 [ %ax, %x ], [ %a, %y ], [ %a, %z ]
  %b1 = phi i32 [ %b, %x ], [ %by, %y ], [ %b, %z ]
  %w = phi ptr addrspace(5) [ %one, %x ], [ %two, %y ], [ %one, %z ]
  store volatile i32 %a1, ptr addrspace(5) %w`;
  const ir = kernel(chain(ORDERS, COUNTS, phis)).replace(
    'entry:',
    'entry:\n  %one = alloca i32, addrspace(5)\n  %two = alloca i32, addrspace(5)',
  );
  assert.is((await flattened(ir)).branches > 1, true);
});

test('a chain gains more by selects than by melding what is in it', async () => {
  const both = ['%ax = add i32 %a, 1', '%by = add i32 %b, 1', '%az = add i32 %a, 3'] as const;
  const phis = `%a1 = phi i32 [ %ax, %x ], [ %a, %y ], [ %az, %z ]
  %b1 = phi i32 [ %b, %x ], [ %by, %y ], [ %b, %z ]`;
  const result = await compile(kernel(chain(ORDERS, both, phis)), { emit: ['ll'], remarks: true });
  const [fn] = result.functions;
  assert.equal([fn!.melds.length, fn!.sidesHoisted], [0, 4]);
});

test('a divergent switch becomes a chain if the chain can go', async () => {
  const body = `  switch i32 %v, label %join [
    i32 65, label %x
    i32 67, label %y
    i32 71, label %z
  ]
x:
  %ax = add i32 %a, 1
  br label %join
y:
  %by = add i32 %b, 1
  br label %join
z:
  %az = add i32 %a, -1
  br label %join
join:
  %a1 = phi i32 [ %a, %loop ], [ %ax, %x ], [ %a, %y ], [ %az, %z ]
  %b1 = phi i32 [ %b, %loop ], [ %b, %x ], [ %by, %y ], [ %b, %z ]`;
  for (const cpu of ['gfx906', 'gfx1100']) {
    const result = await compile(kernel(body, cpu), { emit: ['ll'] });
    assert.equal([result.functions[0]!.switchesLowered, result.functions[0]!.sidesHoisted], [1, 5], cpu);
  }
});

test('not where code generation would load a byte twice', async () => {
  const byte = (ir: string): string =>
    ir
      .replace('%v = load i32', '%v8 = load i8')
      .replaceAll(/icmp slt i32 %v, (\d+)/g, 'icmp ult i8 %v8, $1')
      .replace('%k1 = add', '%wide = zext i8 %v8 to i32\n  %twice = xor i32 %wide, %a1\n  %k1 = add')
      .replaceAll('[ %a1, %join ]', '[ %twice, %join ]');
  assert.is((await flattened(byte(kernel(chain(ORDERS, COUNTS))))).branches > 1, true);
  const alone = byte(kernel(chain(ORDERS, COUNTS))).replace('zext i8 %v8 to i32', 'add i32 %k, 5');
  assert.is((await flattened(alone)).branches, 1);
});

test('not in a chain of arithmetic that would get so long that LLVM takes far longer', async () => {
  const row = (count: number): string => {
    const trees = Array.from(
      { length: count },
      (_, k) => `b${k}:
  %c${k} = icmp slt i32 %a${k}, ${k * 3}
  br i1 %c${k}, label %t${k}, label %f${k}
t${k}:
  %x${k} = add i32 %a${k}, 1
  br label %b${k + 1}
f${k}:
  %y${k} = sub i32 %a${k}, %id
  br label %b${k + 1}
b${k + 1}:
  %a${k + 1} = phi i32 [ %x${k}, %t${k} ], [ %y${k}, %f${k} ]`,
    );
    return `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias %p) "target-cpu"="gfx906" {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %a0 = load i32, ptr addrspace(1) %at
  br label %b0
${trees.join('\n').replace(/^b[1-9]\d*:\n(?= {2}%c)/gm, '')}
  store i32 %a${count}, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`;
  };
  assert.is((await flattened(row(20))).branches, 0);
  assert.is((await flattened(row(300))).branches, 300);
});

test('also where bytes count', async () => {
  const { sides } = await flattened(kernel(chain(ORDERS, COUNTS)), { profit: 'size' });
  assert.is(sides, 4);
});

test('only by the cost model, behind the optimiser, on AMD', async () => {
  const ir = kernel(chain(ORDERS, COUNTS));
  const others: readonly Parameters<typeof compile>[1][] = [
    { meld: 'off' },
    { meld: 'branch-fusion' },
    { profit: 'paper' },
    { optimize: 'O1', meldPoint: 'early' },
  ];
  for (const options of others) assert.is((await flattened(ir, options)).sides, 0, JSON.stringify(options));
});

test('remarks and reports tell what became of the branches', async () => {
  const result = await compile(kernel(chain(ORDERS, COUNTS)), { emit: ['ll', 'hsaco'], stats: true, report: true });
  const [history] = result.histories;
  const [step] = history!.steps;
  assert.equal([step!.melds.length, history!.after.blocks.length], [0, 3]);
  const reasons = step!.before.candidates.map(({ reason }) => reason);
  assert.ok(
    reasons.some((reason) => reason.endsWith('; both sides run in front instead')),
    reasons.join('\n'),
  );
});

test('two trees in a row, a tree in a tree, a branch without else, and one that is uniform', async () => {
  const one = chain(ORDERS, COUNTS);
  const two = `${one}
  %d = icmp sgt i32 %a1, %b1
  br i1 %d, label %p2, label %q2
p2:
  %ap = xor i32 %a1, 9
  %d2 = icmp sgt i32 %n, 7
  br i1 %d2, label %r2, label %join2
r2:
  %ar = sub i32 %ap, %b1
  br label %join2
q2:
  %aq = sub i32 %a1, 3
  br label %join2
join2:
  %a2 = phi i32 [ %ap, %p2 ], [ %ar, %r2 ], [ %aq, %q2 ]`;
  const ir = kernel(two).replaceAll('%join ]', '%join2 ]').replace('[ %a1, %join2 ]', '[ %a2, %join2 ]');
  const { branches, sides, ll } = await flattened(ir);
  assert.equal([branches, sides], [1, 7], ll);
});

/** A kernel of random trees over `%v`, `%a` and `%b`. */
function randomKernel(name: string, seed: number): string {
  const below = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  let count = 0;
  const lines: string[] = [];
  const leaves: string[] = [];
  const emit = (block: string, [a, b]: readonly [string, string], depth: number): void => {
    const next = (text: string): string => {
      lines.push(`  %n${count} = ${text}`);
      return `%n${count++}`;
    };
    const work = (x: string): string =>
      pick([
        () => x,
        () => next(`add i32 ${x}, 1`),
        () => next(`xor i32 ${a}, ${b}`),
        () => next(`sub i32 ${x}, %v`),
        () => String(below(9)),
      ])();
    const [x, y] = [work(a), work(b)];
    if (depth === 0 || below(5) === 0) {
      lines.push('  br label %join');
      leaves.push(block, x, y);
      return;
    }
    const left = pick([
      `icmp eq i32 %v, ${below(6)}`,
      'icmp eq i32 %v, %n',
      `icmp slt i32 %v, ${below(6)}`,
      'icmp sgt i32 %n, 2',
    ]);
    const condition = next(left);
    const [t, f] = [`l${count++}`, `l${count++}`];
    const isTriangle = below(3) === 0;
    lines.push(`  br i1 ${condition}, label %${t}, label %${isTriangle ? 'join' : f}`);
    if (isTriangle) leaves.push(block, x, y);
    for (const each of isTriangle ? [t] : [t, f]) {
      lines.push(`${each}:`);
      emit(each, [x, y], depth - 1);
    }
  };
  emit('loop', ['%a', '%b'], 3);
  const phi = (place: 1 | 2): string =>
    Array.from({ length: leaves.length / 3 }, (_, k) => `[ ${leaves[3 * k + place]!}, %${leaves[3 * k]!} ]`).join(', ');
  const body = `${lines.join('\n')}\njoin:\n  %a1 = phi i32 ${phi(1)}\n  %b1 = phi i32 ${phi(2)}`;
  return kernel(body)
    .replace('@k(', `@${name}(`)
    .replace('%k8 = shl i32 %k, 10', '%k8 = shl i32 %k, 6')
    .replace(/target triple.*\n/, '');
}

test.long('random trees: the same memory with selects as with branches', async () => {
  const names = Array.from({ length: 70 }, (_, k) => `k${k}`);
  const one = (text: string, name: string): string =>
    text.replace(/^declare.*\n|^attributes.*\n/gm, name === 'k0' ? '$&' : '');
  const ir = names.map((name, k) => one(randomKernel(name, 900 + k), name)).join('');
  const input = new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"\n${ir}`);
  const plain = await decoded(input, { meld: 'off' });
  const melded = await decoded(input, {});
  let flattened_ = 0;
  for (const { sidesHoisted } of (await compile(input, { emit: ['ll'] })).functions)
    flattened_ += Number(sidesHoisted > 1);
  assert.ok(flattened_ > 20, String(flattened_));
  for (const kernel of names) {
    const buffer = (name: string, out: boolean, fill: BufferSpec['fill']): BufferSpec => ({
      name,
      element: 'i32',
      length: 64 * 9,
      fill,
      out,
    });
    const values = new Uint8Array(Int32Array.from({ length: 64 * 9 }, (_, k) => (k * 2654435761) >>> 29).buffer);
    const spec: LaunchSpec = {
      buffers: [buffer('p', false, { kind: 'bytes', bytes: values }), buffer('q', true, { kind: 'value', value: 0 })],
      launches: [
        {
          kernel,
          grid: [1, 1, 1],
          block: [64, 1, 1],
          dynamicLds: 0,
          args: [
            { kind: 'buffer', name: null, buffer: 0, offset: 0 },
            { kind: 'buffer', name: null, buffer: 1, offset: 0 },
            { kind: 'bytes', name: null, bytes: new Uint8Array(Int32Array.of(3).buffer) },
          ],
        },
      ],
    };
    const memory = async ({ object, disassembly }: Decoded): Promise<string> => {
      const options = { ...DEFAULT_SIMULATION, cycles: false };
      const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
      return Buffer.from(buffers[1]!.bytes).toString('hex');
    };
    assert.is(await memory(melded), await memory(plain), kernel);
  }
});

test.run();
