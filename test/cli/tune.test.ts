/** `darm tune`, and `--plan` of the other commands. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { darm, inFolder } from '../support/command.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/tune', { tests: 4, timeoutMs: 120_000 });

const inKernels = (name: string): string => path.join(REPOSITORY, 'kernels', name);
const MODULE = inKernels('ir/srad.gfx906.O3.bc');
const SPEC = inKernels('specs/srad_16x16.json');

interface TuneDocument {
  readonly plan: string;
  readonly meldPoint: string;
  readonly trials: number;
  readonly kernels: readonly { readonly kernel: string; readonly cycles: Readonly<Record<string, number>> }[];
}

test.long('writes a plan, which compile, batch and check follow', () =>
  inFolder(async (folder) => {
    const plan = path.join(folder, 'srad.json');
    const tuned = await darm(['tune', MODULE, '--spec', SPEC, '-o', plan, '--budget', '6', '-j', '1', '--json']);
    assert.is(tuned.stderr, '');
    const { kernels, meldPoint, trials } = JSON.parse(tuned.stdout.toString()) as TuneDocument;
    assert.is(meldPoint, 'late');
    assert.is(trials, 6);
    const { cycles } = kernels[0]!;
    assert.ok(cycles['tuned']! <= cycles['model']!);

    const output = path.join(folder, 'srad.hsaco');
    const compiled = await darm(['compile', MODULE, '--plan', plan, '-o', output]);
    assert.is(compiled.stderr, '');
    const batch = await darm(['batch', MODULE, '--plan', plan, '--out-dir', path.join(folder, 'out'), '--quiet']);
    assert.is(batch.stderr, '');
    assert.equal(await readFile(path.join(folder, 'out', 'srad.gfx906.O3.hsaco')), await readFile(output));
    const checked = await darm(['check', MODULE, '--plan', plan, '--spec', SPEC, '--json']);
    assert.is(checked.code, 0);
    const document = JSON.parse(checked.stdout.toString()) as TuneDocument;
    assert.is(document.kernels[0]!.cycles['after'], cycles['tuned']);
  }),
);

test.long('a plan that does not fit is a warning, a file that is none an error', () =>
  inFolder(async (folder) => {
    const file = (name: string): string => path.join(folder, name);
    await writeFile(file('old.json'), '{"format":"darm-plan","version":0}');
    const old = await darm(['compile', MODULE, '--plan', file('old.json'), '-o', file('a.hsaco')]);
    assert.is(old.code, 0);
    assert.is(old.stderr, 'darm: warning: the plan is ignored: it has version 0, this darm reads 2\n');
    const plain = await darm(['compile', MODULE, '-o', file('b.hsaco')]);
    assert.is(plain.code, 0);
    assert.equal(await readFile(file('a.hsaco')), await readFile(file('b.hsaco')));

    await writeFile(file('broken.json'), '{"format":"darm-plan","ver');
    const broken = await darm(['compile', MODULE, '--plan', file('broken.json'), '-o', file('c.hsaco')]);
    assert.is(broken.code, 1);
    assert.match(broken.stderr, /^darm: error: .*broken\.json: this is not a plan of darm tune: .*\n$/);
    const missing = await darm(['compile', MODULE, '--plan', file('none.json'), '-o', file('c.hsaco')]);
    assert.is(missing.code, 1);
  }),
);

test.long('refuses command lines that make no sense', () =>
  inFolder(async (folder) => {
    for (const args of [
      ['tune', MODULE],
      ['tune', MODULE, '--spec', SPEC, '-o', '-', '--json'],
      ['tune', '-', '--spec', '-'],
      ['tune', MODULE, '--spec', SPEC, '-o', SPEC],
      ['tune', MODULE, '--spec', SPEC, '--budget', '0'],
      ['tune', MODULE, '--spec', SPEC, '--function', 'srad_32x32', '-o', path.join(folder, 'p.json')],
    ]) {
      const { code, stderr } = await darm(args);
      assert.is(code, 2, args.join(' '));
      assert.match(stderr, /^darm: error: .*\n$/);
    }
  }),
);

/** Every workgroup reads and writes the same elements, so memory depends on the order of the workgroups. */
const RACE = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p) "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="1,64" {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %x = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %x
  %odd = and i32 %i, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %t, label %f
t:
  %t1 = mul i32 %v, 17
  %t2 = xor i32 %t1, %g
  store i32 %t2, ptr addrspace(1) %x
  br label %j
f:
  %f1 = mul i32 %v, 23
  %f2 = xor i32 %f1, %g
  store i32 %f2, ptr addrspace(1) %x
  br label %j
j:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
`;

test.long('launches that race are the fault of the spec, and the message says what races', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.ll'), RACE);
    const args = [{ buffer: 'u32', length: 64, out: true }];
    await writeFile(path.join(folder, 's.json'), JSON.stringify({ kernel: 'k', grid: [4096], block: [64], args }));
    const tuned = await darm(['tune', 'k.ll', '--spec', 's.json', '-j', '2'], { cwd: folder });
    assert.match(tuned.stderr, /^darm: error: k\.ll: a race: a .* of 4 bytes at byte \d+ of buffer .*\n$/);
    assert.is(tuned.code, 1);
  }),
);

test.run();
