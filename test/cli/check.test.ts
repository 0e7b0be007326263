/** `darm check`: the same memory with and without melding, and that a wrong code object does not get through. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasFastMath } from '../../src/cli/tolerance.js';
import type { ProfileDocument } from '../../src/report/json/profile-document.js';
import { darm, inFolder } from '../support/command.js';
import { artifact, compile, kernel, REPOSITORY, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/check', { tests: 14, timeoutMs: 120_000 });

const inKernels = (name: string): string => path.join(REPOSITORY, 'kernels', name);

interface CheckDocument {
  readonly equal: boolean;
  readonly tolerance: Readonly<Record<string, number>>;
  readonly kernels: readonly {
    readonly kernel: string;
    readonly inputs: number;
    readonly unfit: readonly string[];
    readonly counters: Readonly<Record<'before' | 'after', Readonly<Record<string, number>>>>;
    readonly differences: readonly { readonly name: string; readonly index: number }[];
    readonly failures: readonly string[];
    readonly races: readonly string[];
  }[];
}

const MELD = ['--profit', 'paper'];

test('a melded kernel leaves the same memory, with other counters', async () => {
  const { code, stdout, stderr } = await darm([
    'check',
    inKernels('ir/sb1.gfx906.O3.bc'),
    ...['--spec', inKernels('specs/sb1.json'), '--json', ...MELD],
  ]);
  assert.is(stderr, '');
  assert.is(code, 0);
  const { equal, kernels } = JSON.parse(stdout.toString()) as CheckDocument;
  assert.ok(equal);
  const [{ counters, inputs }] = kernels as [CheckDocument['kernels'][0]];
  assert.is(inputs, 1);
  assert.ok(counters.after['valuUtilization']! > counters.before['valuUtilization']! + 20);
  assert.ok(counters.after['instructions']! < counters.before['instructions']!);
});

test.long('without a spec, every kernel gets made-up inputs', async () => {
  const { code, stdout, stderr } = await darm(['check', inKernels('ir/many.gfx1100.O3.bc'), '--seeds', '2', ...MELD]);
  assert.is(stderr, '');
  assert.is(code, 0);
  const verdicts = stdout.toString().match(/^many_\w+: same memory \(2 inputs\)$/gm);
  assert.is(verdicts?.length, 13);
  assert.match(stdout.toString(), /\n {2}counter +meld off +melded +ratio\n/);
});

test.long('the profiles of both sides', () =>
  inFolder(async (folder) => {
    const file = path.join(folder, 'profile.json');
    const sb1 = ['check', inKernels('ir/sb1.gfx906.O3.bc'), '--spec', inKernels('specs/sb1.json'), '--json', ...MELD];
    const { stdout, stderr, code } = await darm([...sb1, '--profile', file]);
    assert.is(stderr, '');
    assert.is(code, 0);
    const { kernels } = JSON.parse(stdout.toString()) as CheckDocument;
    const { darmProfile } = JSON.parse(await readFile(file, 'utf8')) as ProfileDocument;
    const [before, after] = darmProfile.runs;
    assert.equal([before!.title, after!.title], ['meld off', 'melded']);
    assert.is(before!.launches[0]!.executed, kernels[0]!.counters.before['instructions']);
    assert.is(after!.launches[0]!.executed, kernels[0]!.counters.after['instructions']);
    // Melding leaves fewer lanes idle.
    assert.ok(after!.launches[0]!.time!.lostCycles < before!.launches[0]!.time!.lostCycles / 2);
    assert.is((await darm(sb1)).stdout.toString(), stdout.toString());
  }),
);

test.long('the profile of source shows its lines, whoever compiles it', () =>
  inFolder(async (folder) => {
    const source = `kernel void parting(global int *out) {
  int i = get_global_id(0);
  if (i & 1)
    out[i] = i * 3;
}
`;
    await writeFile(path.join(folder, 'a.cl'), source);
    const args = ['check', 'a.cl', '--mcpu', 'gfx906', '--seeds', '1', '--profile', 'a.html'];
    const { stderr, code } = await darm(args, { cwd: folder });
    assert.is(stderr, '');
    assert.is(code, 0);
    const page = (await readFile(path.join(folder, 'a.html'), 'utf8')).replace(/\s+/g, ' ');
    assert.match(page, '<code> out[i] = i * 3;</code>');
    assert.match(page, /<a href="#[^"]+">a\.cl:3<\/a>/);
    // Without debug information there is nothing to say about lines.
    await darm([...args, '-g0'], { cwd: folder });
    assert.not.match(await readFile(path.join(folder, 'a.html'), 'utf8'), 'out[i] = i * 3');
  }),
);

/** Bitonic sort, and with one compare the other way round. */
async function rightAndWrong(folder: string): Promise<void> {
  const bitcode = await kernel('bitonic.gfx906.O3');
  const ir = text(artifact(await compile(bitcode, { emit: ['ll'], meld: 'off' }), 'll'));
  const wrong = ir.replace(/icmp sgt i32/, 'icmp slt i32');
  assert.is.not(wrong, ir);
  for (const [name, source] of [
    ['right', ir],
    ['wrong', wrong],
  ] as const) {
    const object = artifact(await compile(source, { emit: ['hsaco'], meld: 'off' }), 'hsaco');
    await writeFile(path.join(folder, `${name}.hsaco`), object);
  }
}

test('one flipped compare is found, with buffer, index and both values', () =>
  inFolder(async (folder) => {
    await rightAndWrong(folder);
    const spec = ['--spec', inKernels('specs/bitonic.json')];
    const { code, stdout, stderr } = await darm(['check', 'right.hsaco', 'wrong.hsaco', ...spec], { cwd: folder });
    assert.is(code, 1);
    assert.match(
      stderr,
      /^darm: error: right\.hsaco: kernel 'bitonic': values\[\d+\] is -?\d+ \(first\) and -?\d+ \(second\)\n$/,
    );
    assert.match(stdout.toString(), /^bitonic: different memory \(1 input\)\n/);
    const same = await darm(['check', 'right.hsaco', 'right.hsaco', ...spec, '--json'], { cwd: folder });
    assert.is(same.code, 0);
    const json = await darm(['check', 'right.hsaco', 'wrong.hsaco', '--seeds', '1', '--json'], { cwd: folder });
    const { equal, kernels } = JSON.parse(json.stdout.toString()) as CheckDocument;
    assert.is(json.code, 1);
    assert.not.ok(equal);
    assert.ok(kernels[0]!.differences.length > 0);
  }));

const GFX906 = `
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="1,64" }
`;

const module = (body: string): string =>
  `target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {\n${body}\n}\n${GFX906}`;

const AT = `
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr float, ptr addrspace(1) %p, i32 %id
  %x = load float, ptr addrspace(1) %at`;

test.long('fast-math code is compared with a tolerance that is stated', () =>
  inFolder(async (folder) => {
    const contracted = `${AT}
  %y = fmul contract float %x, %x
  store float %y, ptr addrspace(1) %at
  ret void`;
    await writeFile(path.join(folder, 'fast.ll'), module(contracted));
    await writeFile(path.join(folder, 'exact.ll'), module(contracted.replace(' contract', '')));
    const fast = await darm(['check', 'fast.ll', '--seeds', '1'], { cwd: folder });
    assert.match(fast.stdout.toString(), /floats may differ by \(relative\): f16 0\.002, f32 0\.00001, f64 1e-12\n$/);
    const exact = await darm(['check', 'exact.ll', '--seeds', '1', '--json'], { cwd: folder });
    assert.equal((JSON.parse(exact.stdout.toString()) as CheckDocument).tolerance, {});
    const asked = await darm(['check', 'exact.ll', '--seeds', '1', '--json', '--tolerance', '0.5'], { cwd: folder });
    assert.is((JSON.parse(asked.stdout.toString()) as CheckDocument).tolerance['f32'], 0.5);
  }),
);

test('where fast-math flags may stand', () => {
  for (const line of [
    '%a = fadd contract float %b, %c',
    '%a = fmul nnan ninf nsz double %b, %c',
    '%a = fsub fast <2 x float> %b, %c',
    '%a = tail call contract float @llvm.fma.f32(float %b, float %c, float %d)',
    '%a = fdiv nnan arcp float %b, %c',
    '%a = fdiv float %b, %c, !fpmath !3',
  ])
    assert.ok(hasFastMath(`  ${line}\n`), line);
  for (const line of [
    '%a = fadd float %b, %c',
    '%fast = fadd nnan float %contract, %c',
    'call fastcc void @contract()',
  ])
    assert.not.ok(hasFastMath(`  ${line}\n`), line);
});

test.long(
  'made-up inputs: the tolerance is for words that look like floats, integers are compared exactly',
  async () => {
    const source = (result: string): string => `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out) #0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 ${result}, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="1,64" }`;
    // 1.0 and the next float; a million and one more.
    for (const [before, after, code] of [
      [0x3f800000, 0x3f800001, 0],
      [1_000_000, 1_000_001, 1],
    ] as const)
      await inFolder(async (folder) => {
        const files = ['before', 'after'].map((name) => path.join(folder, `${name}.hsaco`));
        for (const [index, result] of [before, after].entries()) {
          const object = await compile(source(String(result)), { emit: ['hsaco'], meld: 'off' });
          await writeFile(files[index]!, artifact(object, 'hsaco'));
        }
        assert.is((await darm(['check', ...files, '--tolerance', '1e-5'])).code, code);
        assert.is((await darm(['check', ...files])).code, 1);
      });
  },
);

test.long('a tolerance lets last bits pass and no more', () =>
  inFolder(async (folder) => {
    const scaled = (factor: string): string => `${AT}
  %y = fmul float %x, ${factor}
  store float %y, ptr addrspace(1) %at
  ret void`;
    for (const [name, factor] of [
      ['one', '1.0'],
      ['close', '0x3FF0001000000000'],
      ['far', '1.5'],
    ] as const) {
      const object = artifact(await compile(module(scaled(factor)), { emit: ['hsaco'], meld: 'off' }), 'hsaco');
      await writeFile(path.join(folder, `${name}.hsaco`), object);
    }
    const check = async (other: string, ...args: string[]): Promise<number | null> =>
      (await darm(['check', 'one.hsaco', `${other}.hsaco`, '--seeds', '2', ...args], { cwd: folder })).code;
    assert.is(await check('close'), 1);
    assert.is(await check('far', '--tolerance', '0.01'), 1);
    const spec = {
      kernel: 'k',
      grid: [1],
      block: [64],
      args: [
        { buffer: 'f32', length: 64, fill: { random: 1 } },
        { scalar: 'u32', value: 0 },
      ],
    };
    await writeFile(path.join(folder, 'spec.json'), JSON.stringify(spec));
    assert.is(await check('close', '--spec', 'spec.json'), 1);
    assert.is(await check('close', '--spec', 'spec.json', '--tolerance', '0.01'), 0);
  }),
);

test('a kernel that no made-up input fits asks for a spec', () =>
  inFolder(async (folder) => {
    const wild =
      '  %w = zext i32 %n to i64\n  %q = inttoptr i64 %w to ptr addrspace(1)\n  store i32 1, ptr addrspace(1) %q\n  ret void';
    await writeFile(path.join(folder, 'wild.ll'), module(wild));
    const { code, stderr, stdout } = await darm(['check', 'wild.ll'], { cwd: folder });
    assert.is(code, 1);
    assert.match(stderr, /^darm: error: wild\.ll: kernel 'k': no made-up input fits it, pass --spec; .*no memory of/);
    assert.match(stdout.toString(), /^k: not checked \(0 inputs, 4 more did not fit the kernel\)\n/);
  }));

test('code that fails only when melded is a failure', () =>
  inFolder(async (folder) => {
    const store = (offset: number): string =>
      module(
        `  %q = getelementptr i8, ptr addrspace(1) %p, i64 ${offset}\n  store i32 1, ptr addrspace(1) %q\n  ret void`,
      );
    for (const [name, offset] of [
      ['right', 0],
      ['wrong', 2 ** 24],
    ] as const)
      await writeFile(
        path.join(folder, `${name}.hsaco`),
        artifact(await compile(store(offset), { emit: ['hsaco'], meld: 'off' }), 'hsaco'),
      );
    const { code, stderr } = await darm(['check', 'right.hsaco', 'wrong.hsaco'], { cwd: folder });
    assert.is(code, 1);
    assert.match(
      stderr,
      /^darm: error: right\.hsaco: kernel 'k': second fails where first does not: a write of 4 bytes/,
    );
  }));

test('a difference that a race may have made is one, and the race is named', () =>
  inFolder(async (folder) => {
    // All threads store to the same word.
    const racing = (more: string): string =>
      module(`  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %v = add i32 %id, ${more}
  store i32 %v, ptr addrspace(1) %p
  ret void`);
    for (const [name, more] of [
      ['one', '0'],
      ['other', '%n'],
    ] as const)
      // prettier-ignore
      await writeFile(
        path.join(folder, `${name}.hsaco`),
        artifact(await compile(racing(more), { emit: ['hsaco'], meld: 'off' }), 'hsaco'),
      );
    const spec = { kernel: 'k', grid: [1], block: [64], args: [{ name: 'p', buffer: 'u32', length: 1, out: true }, { scalar: 'i32', value: 5 }] }; // prettier-ignore
    await writeFile(path.join(folder, 'spec.json'), JSON.stringify(spec));
    const pair = ['check', 'one.hsaco', 'other.hsaco'];
    const { code, stderr } = await darm([...pair, '--spec', 'spec.json'], { cwd: folder });
    assert.is(code, 1);
    assert.match(
      stderr,
      /: p\[0\] is 63 \(first\) and 68 \(second\); that may be chance, because 'first' has a race: a write of /,
    );
    const json = await darm([...pair, '--spec', 'spec.json', '--json'], { cwd: folder });
    const { kernels } = JSON.parse(json.stdout.toString()) as CheckDocument;
    assert.match(kernels[0]!.races[0]!, /^a race: a write/);
  }));

test('command lines and inputs that make no sense', () =>
  inFolder(async (folder) => {
    await rightAndWrong(folder);
    const usage = await darm(['check', 'right.hsaco'], { cwd: folder });
    assert.match(usage.stderr, /compares two code objects, or compiles a module twice; one is missing\n$/);
    assert.is(usage.code, 2);
    const bad = await darm(['check', inKernels('README.md')], { cwd: folder });
    assert.is(bad.code, 1);
    const none = await darm(['check', 'right.hsaco', 'wrong.hsaco', '--kernel', 'nobody'], { cwd: folder });
    assert.match(none.stderr, /there is no kernel 'nobody'\n$/);
    assert.is(none.code, 1);
  }));

test('a processor that is not simulated is no fault of the made-up inputs', async () => {
  const input = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p) "target-cpu"="gfx1201" { ret void }`;
  const { code, stderr } = await darm(['check', '-'], { input });
  assert.match(stderr, /^darm: error: <stdin>: the simulator does not know the processor 'gfx1201', but gfx900, .*\n$/);
  assert.is(code, 1);
});

test.run();
