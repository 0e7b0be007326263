/** Melds are taken back where they cost more waves than they are worth. */
import type { JobOptions } from '../../src/job/options.js';
import type { CompileResult } from '../../src/job/results.js';
import { createCompiler } from '../../src/index.js';
import { LlvmModule } from '../../src/binding/module.js';
import { RULES } from '../../src/melding/rules.js';
import { artifact, compile, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';
import { tooWide } from '../support/too-wide.js';

const test = suite('pipeline/lost-waves', { tests: 13, timeoutMs: 120_000 });

interface Shape {
  /** Words of both rows that a thread compares, a power of two. */
  readonly words: number;
  /** Multiplications behind the branch. */
  readonly behind: number;
  /** Another instruction in front of it. */
  readonly front?: string;
}

/**
 * Threads compare two rows, by their Hadamard transform or word by word. The transform holds a row in registers, and
 * the sum of differences a word at a time. As one block, the differences of the sum wait for those of the transform.
 */
function kernel(name: string, { words, behind, front = '' }: Shape): string {
  const lines: string[] = [];
  const value = (what: string): string => {
    lines.push(`  %v${lines.length} = ${what}`);
    return `%v${lines.length - 1}`;
  };
  const load = (row: string, word: number): string =>
    value(`load i32, ptr addrspace(1) ${value(`getelementptr inbounds i32, ptr addrspace(1) ${row}, i64 ${word}`)}`);
  const difference = (word: number): string => value(`sub i32 ${load('%a', word)}, ${load('%b', word)}`);
  const sum = (values: readonly string[]): string =>
    values
      .map((each) => value(`call i32 @llvm.abs.i32(i32 ${each}, i1 false)`))
      .reduce((all, each) => value(`add i32 ${all}, ${each}`));
  const row = [...Array(words).keys()];

  lines.push('transformed:');
  let changed = row.map(difference);
  for (let step = 1; step < words; step *= 2)
    changed = changed.map((each, k) =>
      (k & step) === 0
        ? value(`add i32 ${each}, ${changed[k + step]}`)
        : value(`sub i32 ${changed[k - step]}, ${each}`),
    );
  const transformed = value(`lshr i32 ${sum(changed)}, 1`);
  lines.push('  br label %end', 'plain:');
  let plain = sum([difference(0)]);
  for (const word of row.slice(1)) plain = value(`add i32 ${plain}, ${sum([difference(word)])}`);
  lines.push('  br label %end', 'end:', `  %r = phi i32 [ ${transformed}, %transformed ], [ ${plain}, %plain ]`);
  let result = '%r';
  for (let k = 0; k < behind; k++) result = value(`mul i32 ${result}, ${value(`xor i32 ${result}, ${k + 77}`)}`);
  return `
define amdgpu_kernel void @${name}(ptr addrspace(1) %as, ptr addrspace(1) %bs, ptr addrspace(1) %out, ptr addrspace(1) %kind) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %start = mul i64 %i, ${words}
  %a = getelementptr i32, ptr addrspace(1) %as, i64 %start
  %b = getelementptr i32, ptr addrspace(1) %bs, i64 %start
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
  %of = getelementptr i32, ptr addrspace(1) %kind, i64 %i
  %k = load i32, ptr addrspace(1) %of
  %c = trunc i32 %t to i1
${front}  br i1 %c, label %transformed, label %plain
${lines.join('\n')}
  store i32 ${result}, ptr addrspace(1) %to
  ret void
}
`;
}

/**
 * For each of its items, a thread takes one of two ways that differ in all numbers, and stores what comes of it behind
 * a condition. What a phi gives waits in a register. What one block computes for both ways is only needed behind the
 * condition, where code generation moves it, and all numbers wait for that.
 */
function guarded(name: string, items: number, behind: number): string {
  const names = [...Array(items).keys()];
  const numbers = (j: number): string =>
    [0, 1, 2, 3, 4, 5]
      .map((k) => `  %n${j}.${k} = call i32 @llvm.amdgcn.ds.bpermute(i32 ${24 * j + 4 * k}, i32 %k)\n`)
      .join('');
  const way = (j: number, side: 't' | 'f', [a, b, c]: readonly [number, number, number]): string => `${side}${j}:
  %${side}x${j} = mul i32 %n${j}.${a}, %n${j}.${b}
  %${side}y${j} = xor i32 %${side}x${j}, %n${j}.${c}
  %${side}z${j} = mul i32 %${side}y${j}, %n${j}.${a}
  br label %j${j}
`;
  const branches = names.map(
    (j) => `${numbers(j)}  br i1 %c, label %t${j}, label %f${j}
${way(j, 't', [0, 1, 2])}${way(j, 'f', [3, 4, 5])}j${j}:
  %r${j} = phi i32 [ %tz${j}, %t${j} ], [ %fz${j}, %f${j} ]
`,
  );
  const stores = names.map(
    (j) => `  %to${j} = getelementptr i32, ptr addrspace(1) %to, i64 ${j}
  %g${j} = icmp sgt i32 %k, ${100 * j}
  br i1 %g${j}, label %s${j}, label %e${j}
s${j}:
  store i32 %r${j}, ptr addrspace(1) %to${j}
  br label %e${j}
e${j}:
`,
  );
  const chain = [...Array(behind).keys()].map((k) => `  %m${k + 1} = mul i32 %m${k}, %k\n`);
  return `
define amdgpu_kernel void @${name}(ptr addrspace(1) %out, ptr addrspace(1) %kind) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %start = mul i64 %i, ${items + 1}
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %start
  %of = getelementptr i32, ptr addrspace(1) %kind, i64 %i
  %k = load i32, ptr addrspace(1) %of
  %m0 = mul i32 %k, %k
${chain.join('')}  %last = getelementptr i32, ptr addrspace(1) %to, i64 ${items}
  store i32 %m${behind}, ptr addrspace(1) %last
  %c = trunc i32 %t to i1
${branches.join('')}${stores.join('')}  ret void
}
`;
}

const moduleOf = (cpu: string, ...kernels: readonly string[]): Uint8Array =>
  new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1, i1)
define i32 @called(i32 %x) noinline {
  ret i32 %x
}
${kernels.join('')}
attributes #0 = { "target-cpu"="${cpu}" }
`);

/** With melds a SIMD of gfx906 holds 6 waves instead of 10, and they gain 6 %. */
const CROWDED: Shape = { words: 16, behind: 180 };
/** 4 waves instead of 10; it compiles in a quarter of the time. */
const crowded = (name: string): string => guarded(name, 8, 100);
/** No code can be generated for it, except for gfx10 and later. */
const NO_CODE = `
  %no = call i32 @llvm.amdgcn.permlane16.i32(i32 %t, i32 %t, i32 0, i32 0, i1 false, i1 false)
  store i32 %no, ptr addrspace(1) %to
`;

const compiled = (input: Uint8Array, options: Partial<JobOptions> = {}): Promise<CompileResult> =>
  compile(input, { emit: ['asm'], remarks: true, ...options });
const meldsOf = (result: Pick<CompileResult, 'functions'>, name = 'k'): number =>
  result.functions.find((each) => each.name === name)!.melds.length;
const codeOf = (result: CompileResult): string => text(artifact(result, 'asm'));
/** Of the module's last kernel. */
const lastWaves = (result: CompileResult): number =>
  Number([...codeOf(result).matchAll(/^; Occupancy: (\d+)$/gm)].at(-1)![1]);

test('melds that cost more waves than they are worth are taken back', async () => {
  const input = moduleOf('gfx906', kernel('k', CROWDED));
  const result = await compiled(input);
  assert.is(meldsOf(result), 0);
  assert.is(codeOf(result), codeOf(await compiled(input, { meld: 'off' })));
  // What was taken back: the paper's metric knows no waves.
  const paper = await compiled(input, { profit: 'paper' });
  assert.is(meldsOf(paper), 1);
  assert.is(lastWaves(result), 10);
  assert.is(lastWaves(paper), 6);
});

test('what code generation moves behind a condition counts there', async () => {
  const input = moduleOf('gfx906', crowded('k'));
  const result = await compiled(input);
  const paper = await compiled(input, { profit: 'paper' });
  assert.equal([meldsOf(result), lastWaves(result)], [0, 10]);
  assert.equal([meldsOf(paper), lastWaves(paper)], [8, 4]);
});

test.long('a remark says why', async () => {
  const { remarks } = await compiled(moduleOf('gfx906', kernel('k', CROWDED)));
  const reasons = remarks.flatMap((remark) => (remark.kind === 'missed' ? [[remark.rule, remark.reason]] : []));
  assert.equal(reasons, [
    [
      RULES.NotProfitable.id,
      'a SIMD would hold 6 waves instead of 10, for want of registers, which costs more than all melds of the function ' +
        'gain: they would make it 1.06 times as fast',
    ],
  ]);
  assert.not(remarks.some(({ kind }) => kind === 'passed'));
});

test.long('a report shows the function as it came in', async () => {
  const { histories } = await compiled(moduleOf('gfx906', kernel('k', CROWDED)), { report: true });
  const { steps, after } = histories.find((each) => each.function === 'k')!;
  assert.equal(steps, []);
  assert.match(JSON.stringify(after), /a SIMD would hold 6 waves instead of 10/);
});

test('melds that gain more than their waves are worth stay', async () => {
  const result = await compiled(moduleOf('gfx906', kernel('k', { ...CROWDED, behind: 0 })));
  assert.is(meldsOf(result), 1);
  assert.is(lastWaves(result), 6);
});

test.long('melds stay where a SIMD holds as few waves without them, and where it has room for all', async () => {
  const wide = { ...CROWDED, words: 32 };
  const [melded, unmelded] = await Promise.all(
    (['darm', 'off'] as const).map((meld) => compiled(moduleOf('gfx906', kernel('k', wide)), { meld })),
  );
  assert.is(meldsOf(melded!), 1);
  assert.is(lastWaves(melded!), 4);
  assert.is(lastWaves(unmelded!), 4);
  // gfx90a has twice as many registers.
  assert.is(meldsOf(await compiled(moduleOf('gfx90a', kernel('k', CROWDED)))), 1);
});

/** With so many words of LDS for a work group of 64 threads. */
function withLds(words: number): Uint8Array {
  const store = `  %own = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  store volatile i32 %t, ptr addrspace(3) %own
`;
  const ofSmallGroups = crowded('k')
    .replace('#0', '#0 "amdgpu-flat-work-group-size"="64,64"')
    .replace('  %c = trunc', `${store}$&`);
  return moduleOf('gfx906', `@lds = internal addrspace(3) global [${words} x i32] poison\n`, ofSmallGroups);
}

test.long('where LDS has room for few waves, melds lose none', async () => {
  const found: number[][] = [];
  for (const words of [64, 640, 2048]) {
    const result = await compiled(withLds(words));
    found.push([meldsOf(result), lastWaves(result)]);
  }
  // With melds a SIMD has room for 4.
  assert.equal(found, [
    [0, 10],
    [0, 7],
    [8, 2],
  ]);
});

test('kernels that call functions are not judged', async () => {
  const front = '  %x = call i32 @called(i32 %t)\n  store i32 %x, ptr addrspace(1) %to\n';
  assert.is(meldsOf(await compiled(moduleOf('gfx906', kernel('k', { ...CROWDED, front })))), 1);
});

/** How often code is generated to count waves. */
async function questionsIn(input: Uint8Array): Promise<number> {
  const { generate } = LlvmModule.prototype;
  let count = 0;
  LlvmModule.prototype.generate = function (kind) {
    count++;
    generate.call(this, kind);
  };
  try {
    await compile(input, { emit: ['bc'] });
  } finally {
    LlvmModule.prototype.generate = generate;
  }
  return count;
}

test('code is generated only where many values are live and LDS has room for more waves than registers', async () => {
  assert.is(await questionsIn(moduleOf('gfx906', kernel('k', { words: 8, behind: 0 }))), 0);
  assert.is(await questionsIn(withLds(64)), 2);
  assert.is(await questionsIn(withLds(2048)), 0);
});

test.long('a kernel that nobody sees is not judged, and others are', async () => {
  const unseen = kernel('unseen', CROWDED).replace('define ', 'define internal ');
  const result = await compiled(moduleOf('gfx906', kernel('k', CROWDED), unseen), { emit: ['bc'] });
  assert.is(meldsOf(result), 0);
  assert.is(meldsOf(result, 'unseen'), 1);
});

test.long('the same for any number of threads and partitions, and for every artifact', async () => {
  const names = ['k', 'k2', 'roomy'];
  const input = moduleOf('gfx906', crowded('k'), crowded('k2'), kernel('roomy', { words: 8, behind: 0 }));
  const results: CompileResult[] = [];
  for (const threads of [1, 2]) {
    const compiler = createCompiler({ threads, tierPolicy: 'short' });
    try {
      for (const partitions of [1, 2] as const) results.push(await compiler.compile(input, { partitions }));
      results.push(await compiler.compile(input, { emit: ['bc'] }));
    } finally {
      await compiler.close();
    }
  }
  for (const result of results)
    assert.equal(
      names.map((name) => meldsOf(result, name)),
      [0, 0, 1],
    );
  for (const [k, result] of results.slice(3).entries())
    assert.equal(result.artifacts[0]!.bytes, results[k]!.artifacts[0]!.bytes);
});

test.long('where no code can be generated, melds stay, for any number of threads', async () => {
  const input = moduleOf('gfx906', crowded('first'), kernel('k', { ...CROWDED, front: NO_CODE }));
  const results: CompileResult[] = [];
  for (const threads of [1, 2]) {
    const compiler = createCompiler({ threads, tierPolicy: 'short' });
    try {
      results.push(await compiler.compile(input, { emit: ['bc'] }));
    } finally {
      await compiler.close();
    }
  }
  for (const result of results) assert.is(meldsOf(result), 1);
  assert.equal(results[0]!.artifacts[0]!.bytes, results[1]!.artifacts[0]!.bytes);
});

test.long(
  'where code cannot be generated from what melding made, others are judged, for any number of threads',
  async () => {
    const input = moduleOf('gfx906', crowded('k'), crowded('k2'), tooWide('wide', 60));
    const results: CompileResult[] = [];
    for (const threads of [1, 2]) {
      const compiler = createCompiler({ threads, tierPolicy: 'short' });
      try {
        // With versions, less of it would meld, and code could be generated.
        results.push(await compiler.compile(input, { emit: ['hsaco'], versions: 'never' }));
      } finally {
        await compiler.close();
      }
    }
    for (const result of results) {
      assert.match(result.functions.find(({ name }) => name === 'wide')!.bailout!, /no code can be generated/);
      assert.is(meldsOf(result), 0);
      assert.is(meldsOf(result, 'k2'), 0);
    }
    assert.equal(results[0]!.artifacts[0]!.bytes, results[1]!.artifacts[0]!.bytes);
  },
);

test.run();
