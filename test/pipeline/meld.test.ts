/** The melds that the paper describes happen, LLVM's verifier accepts them, and nothing else changes. */
import { elfSymbols, parseElf, symbolBytes } from '../../src/formats/elf.js';
import { LlvmModule } from '../../src/binding/module.js';
import { compileMelded, meldFunctions } from '../../src/pipeline/compile.js';
import { artifact, compile, kernel, runtime, SILENT, text, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/meld', { tests: 17, timeoutMs: 120_000 });
const EARLY = { meldPoint: 'early', optimize: 'O3' } as const;

/** Kinds of the melds of a kernel, and its report. */
async function melds(name: string, fn: string, options: Parameters<typeof compile>[1] = {}) {
  const result = await compile(await kernel(name), { emit: ['hsaco'], stats: true, ...options });
  const report = result.functions.find((each) => each.name === fn)!;
  assert.is(report.bailout, null);
  return { kinds: report.melds.map((meld) => meld.kind), before: report.before!, after: report.after };
}

test('BIT, late: every stage of the unrolled sort melds its two compares (rule 1.8)', async () => {
  for (const cpu of ['gfx906', 'gfx1100']) {
    // By default, stages stay in which the model knows that waves do not part: which these are depends on the wave's
    // size.
    const options = { versions: 'never', profit: 'paper' } as const;
    const { kinds, before, after } = await melds(`bitonic.${cpu}.O3`, 'bitonic', options);
    assert.equal(kinds, Array(21).fill('block-block'));
    assert.is(after.divergentBranches! * 2, before.divergentBranches);
    assert.ok(after.machineInstructions! < before.machineInstructions!);
  }
});

test('BIT, early: region with region', async () => {
  const { kinds, before, after } = await melds('bitonic.gfx906.early', 'bitonic', EARLY);
  assert.equal(kinds, ['region-region']);
  assert.ok(after.machineInstructions! < before.machineInstructions!);
});

test('SB1: the diamond becomes one block', async () => {
  const { kinds, after } = await melds('sb1.gfx906.O3', 'sb1');
  assert.equal(kinds, ['block-block']);
  assert.is(after.divergentBranches, 0);
});

test('SB2: region with region', async () => {
  const { kinds } = await melds('sb2.gfx906.O3', 'sb2');
  assert.ok(kinds.includes('region-region'));
});

test('SB3: several pairs', async () => {
  const { kinds, before, after } = await melds('sb3.gfx906.O3', 'sb3');
  assert.ok(kinds.filter((kind) => kind === 'region-region').length >= 2);
  assert.ok(after.divergentBranches! < before.divergentBranches!);
});

test('an NVPTX kernel melds, too', async () => {
  const result = await compile(await kernel('nvptx-threshold.sm_70.O3'), { emit: ['ptx'] });
  assert.ok(result.functions.some((fn) => fn.melds.length > 0));
  assert.match(text(artifact(result, 'ptx')), /\.target sm_70/);
});

/** Threads read shared or global memory; as clang writes it, both through generic pointers. */
const SHARED_OR_GLOBAL = `
  target triple = "nvptx64-nvidia-cuda"
  @tile = internal addrspace(3) global [256 x float] undef
  define ptx_kernel void @k(ptr %in, ptr %out, ptr %flags) #0 {
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %i = zext i32 %tid to i64
    %own = getelementptr [256 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i
    store float 1.0, ptr %own
    call void @llvm.nvvm.barrier0()
    %slot = getelementptr i32, ptr %flags, i64 %i
    %flag = load i32, ptr %slot
    %other = xor i64 %i, 7
    %c = icmp eq i32 %flag, 0
    br i1 %c, label %near, label %far
  near:
    %p = getelementptr [256 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %other
    %x = load float, ptr %p
    %x2 = fmul float %x, 2.0
    %x3 = call float @llvm.sqrt.f32(float %x2)
    %x4 = fdiv float %x3, 3.0
    br label %end
  far:
    %q = getelementptr float, ptr %in, i64 %other
    %y = load float, ptr %q
    %y2 = fmul float %y, 2.0
    %y3 = call float @llvm.sqrt.f32(float %y2)
    %y4 = fdiv float %y3, 3.0
    br label %end
  end:
    %r = phi float [ %x4, %near ], [ %y4, %far ]
    %to = getelementptr float, ptr %out, i64 %i
    store float %r, ptr %to
    ret void
  }
  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  declare void @llvm.nvvm.barrier0()
  declare float @llvm.sqrt.f32(float)
  attributes #0 = { "target-cpu"="sm_70" }`;

test('NVPTX: loads of shared and of global memory do not become one load of both', async () => {
  const result = await compile(SHARED_OR_GLOBAL, { emit: ['ptx'], profit: 'paper' });
  const ptx = text(artifact(result, 'ptx'));
  assert.match(ptx, /ld\.shared\.b32/);
  assert.not.match(ptx, /\bld\.b32/);
});

test('NVPTX: where nothing melds, nothing is left of what comes in front of melding', async () => {
  const ir = SHARED_OR_GLOBAL.replace('br i1 %c,', 'br i1 true,');
  for (const options of [
    { emit: ['ll'] },
    { emit: ['ll', 'ptx'], optimize: 'O1' },
    { emit: ['ptx'], optimize: 'O1' },
    { emit: ['ptx'], optimize: 'O1', codegenLevel: 0 },
  ] as const) {
    const [on, off] = [await compile(ir, options), await compile(ir, { ...options, meld: 'off' })];
    assert.is(on.functions[0]!.melds.length, 0);
    for (const kind of options.emit) assert.is(text(artifact(on, kind)), text(artifact(off, kind)));
  }
});

test('a melded function that is no kernel changes no function that calls nothing', async () => {
  const loop = (name: string, work: string): string => `
    define amdgpu_kernel void @${name}(ptr addrspace(1) %p) #0 {
    entry:
      br label %loop
    loop:
      %k = phi i32 [ 0, %entry ], [ %next, %loop ]
      %slot = getelementptr i32, ptr addrspace(1) %p, i32 %k
      %x = load volatile i32, ptr addrspace(1) %slot
      ${work}
      store volatile i32 %y, ptr addrspace(1) %slot
      %next = add i32 %k, 1
      %more = icmp slt i32 %next, %y
      br i1 %more, label %loop, label %end
    end:
      ret void
    }`;
  const side = (name: string, by: number): string =>
    `${name}: %${name}1 = mul i32 %x, ${by} %${name}2 = xor i32 %${name}1, %x %${name}3 = mul i32 %${name}2, %x br label %end`.replaceAll(
      / (?=%\w+ =|br )/g,
      '\n ',
    );
  const ir = `
    target triple = "amdgcn-amd-amdhsa"
    define i32 @melded(i32 %x) noinline #0 {
      %odd = icmp slt i32 %x, 7
      br i1 %odd, label %t, label %f
    ${side('t', 3)}
    ${side('f', 5)}
    end:
      %r = phi i32 [ %t3, %t ], [ %f3, %f ]
      ret i32 %r
    }
    ${loop('caller', '%y = call i32 @melded(i32 %x)')}
    ${loop('bystander', '%y = add i32 %x, 3')}
    attributes #0 = { "target-cpu"="gfx906" }`;
  const { artifacts, functions } = await compile(new TextEncoder().encode(ir), { emit: ['ll'], profit: 'paper' });
  assert.is(functions.find(({ name }) => name === 'melded')!.melds.length, 1);
  const found = text(artifacts[0]!.bytes);
  const attributesOf = (name: string): string =>
    new RegExp(`attributes ${new RegExp(`define .*@${name}\\(.*(#\\d+)`).exec(found)![1]!} = .*`).exec(found)![0];
  assert.match(attributesOf('caller'), /amdgpu-max-memory-clause/);
  assert.not.match(attributesOf('bystander'), /amdgpu-max-memory-clause/);
});

test('debug information changes no code', async () => {
  for (const name of ['bitonic.gfx906.O3', 'sb1.gfx906.O3']) {
    const code = async (input: string) => {
      const elf = parseElf(artifact(await compile(await kernel(input), { emit: ['hsaco'] }), 'hsaco'));
      const symbol = elfSymbols(elf).find((each) => each.name === name.split('.')[0])!;
      return symbolBytes(elf, symbol)!;
    };
    assert.equal(await code(`${name}-g`), await code(name));
  }
});

test('replayed edit logs give the bytes of melding in place', async () => {
  const rt = await runtime();
  for (const [name, options] of [
    ['many.gfx906.O3', {}],
    ['many.gfx1100.early', EARLY],
  ] as const) {
    const bytes = await kernel(name);
    const job = withDefaults({ emit: ['obj', 'bc'], ...options });
    rt.reset();
    const functions = LlvmModule.read(rt, bytes, { cpu: '', features: '' }, 2)
      .functions()
      .map((fn) => fn.name);
    // Two workers, each melding every second function, last first.
    const shares = [0, 1].map((worker) => functions.filter((_, index) => index % 2 === worker).reverse());
    const logs = shares.flatMap((share) => meldFunctions(rt, bytes, job, { only: share }, SILENT));
    const replayed = compileMelded(rt, bytes, job, structuredClone(logs).reverse(), SILENT);
    const inPlace = await compile(bytes, job);
    for (const kind of ['obj', 'bc'] as const) assert.equal(artifact(replayed, kind), artifact(inPlace, kind));
  }
});

test('asking for figures changes no byte', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const without = await compile(bytes, { emit: ['hsaco', 'bc'] });
  const with_ = await compile(bytes, { emit: ['hsaco', 'bc'], stats: true });
  assert.equal(with_.artifacts, without.artifacts);
  for (const { before, after } of without.functions) assert.equal([before, after.divergentBranches], [null, null]);
  for (const { before, after } of with_.functions)
    for (const { divergentBranches } of [before!, after]) assert.type(divergentBranches, 'number');
});

test('nothing melds: the output is that of --meld off', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const options = { emit: ['obj', 'bc', 'asm'] as const, threshold: 0.5, functions: ['many_stream'] };
  const on = await compile(bytes, options);
  const off = await compile(bytes, { ...options, meld: 'off' });
  for (const kind of options.emit) assert.equal(artifact(on, kind), artifact(off, kind));
});

/** A kernel with one branch on `condition`, whose sides load, compute and join in two phis. */
const module = (condition: string): string => `
  target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) "target-cpu"="gfx906" {
  entry:
    %tid = call i32 @llvm.amdgcn.workitem.id.x()
    %at = getelementptr i32, ptr addrspace(1) %p, i32 %tid
    %data = load i32, ptr addrspace(1) %at
    %c = ${condition}
    br i1 %c, label %t, label %f
  t:
    %t0 = mul i32 %data, %n
    %t1 = udiv i32 %t0, %data
    %t2 = mul i32 %t1, %t0
    %t3 = icmp sgt i32 %t2, 100
    br i1 %t3, label %t.then, label %join
  t.then:
    store i32 %t2, ptr addrspace(1) %at
    br label %join
  f:
    %f0 = mul i32 %data, %tid
    %f1 = udiv i32 %f0, %data
    %f2 = mul i32 %f1, %f0
    %f3 = icmp sgt i32 %f2, 300
    br i1 %f3, label %f.then, label %join
  f.then:
    store i32 %f2, ptr addrspace(1) %at
    br label %join
  join:
    %r = phi i32 [ %t2, %t ], [ %t1, %t.then ], [ %f2, %f ], [ %f1, %f.then ]
    %out = getelementptr i32, ptr addrspace(1) %at, i32 4096
    store i32 %r, ptr addrspace(1) %out
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()
`;

test('versions: waves are asked, the copies stand behind uniform branches, and LLVM agrees about that', async () => {
  const input = module('icmp sgt i32 %data, 7');
  const options = { emit: ['ll'], versions: 'always', verifyAnalyses: true } as const;
  const melded = await compile(input, options);
  assert.equal(melded.functions[0]!.bailout, null);
  const code = text(artifact(melded, 'll'));
  assert.match(code, /call i64 @llvm\.amdgcn\.ballot\.i64\(i1 %c\)/);
  assert.match(code, /^f\.agreed:/m);
  assert.match(code, /^t\.agreed:/m);
  // The melded code is there, and in front of it both questions.
  assert.match(code, /^wave\.some:/m);
  assert.ok(melded.functions[0]!.melds.length > 0);
  const wave32 = await compile(input.replace('gfx906', 'gfx1100'), options);
  assert.match(text(artifact(wave32, 'll')), /call i32 @llvm\.amdgcn\.ballot\.i32\(i1 %c\)/);
});

test('versions: what one side alone needs runs in its copy and in front of the melds, not in front of the questions', async () => {
  const front = '%early = udiv i32 %n, %tid\n    %late = udiv i32 %early, %data\n    %c =';
  const input = module('icmp sgt i32 %data, 7')
    .replace('%c =', front)
    .replace('mul i32 %data, %n', 'mul i32 %late, %n');
  const melded = await compile(input, { emit: ['ll'], versions: 'always', verifyAnalyses: true });
  assert.equal(melded.functions[0]!.bailout, null);
  const code = text(artifact(melded, 'll'));
  const divisionsIn = (block: string): number =>
    [...new RegExp(`^${block}:[^]*?\n\n`, 'm').exec(code)![0].matchAll(/udiv i32/g)].length;
  assert.is(divisionsIn('entry'), 0);
  assert.is(divisionsIn('f.agreed'), 1, 'its own');
  assert.is(divisionsIn('t.agreed'), 3);
  assert.is(divisionsIn('wave.parted'), 3, 'both, and the melded one');
});

test('versions: not where every wave parts, and not if they are not wanted', async () => {
  const ballots = async (condition: string, versions: 'auto' | 'always' | 'never'): Promise<number> => {
    const result = await compile(module(condition), { emit: ['ll'], versions });
    return text(artifact(result, 'll')).split('call i64 @llvm.amdgcn.ballot').length - 1;
  };
  assert.is(await ballots('trunc i32 %tid to i1', 'auto'), 0);
  assert.ok((await ballots('trunc i32 %tid to i1', 'always')) > 0);
  assert.is(await ballots('icmp eq i32 %data, 777', 'never'), 0);
});

test('versions: each copy has its own way to a failed check', async () => {
  const report = (x: string): string => `
  ${x}.failed:
    store volatile i32 %${x}0, ptr addrspace(1) %at
    call void @llvm.trap()
    unreachable
  ${x}.on:`;
  const checked = (x: string, code: string): string =>
    code.replace(
      new RegExp(`%${x}1 =`),
      `%${x}.fails = icmp eq i32 %${x}0, 99
    br i1 %${x}.fails, label %${x}.failed, label %${x}.on${report(x)}
    %${x}1 =`,
    );
  const input = checked('t', checked('f', module('icmp sgt i32 %data, 7')))
    .replace('[ %t2, %t ]', '[ %t2, %t.on ]')
    .replace('[ %f2, %f ]', '[ %f2, %f.on ]')
    .replace('declare', 'declare void @llvm.trap()\n  declare');
  const melded = await compile(input, { emit: ['ll'], versions: 'always', verifyAnalyses: true });
  assert.equal(melded.functions[0]!.bailout, null);
  assert.ok(melded.functions[0]!.melds.length > 0);
  const code = text(artifact(melded, 'll'));
  for (const x of ['t', 'f'])
    assert.match(
      code,
      new RegExp(`^${x}\\.failed\\.agreed:[^]*?store volatile i32 %${x}0\\.agreed, [^]*?unreachable`, 'm'),
    );
});

test.run();
