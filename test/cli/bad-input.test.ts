/**
 * Whatever the input: one clear line on standard error, the right exit code, no output file, nothing left behind. (That
 * the pool goes on is in test/compiler.test.ts.)
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deepLoops } from '../support/deep-loops.js';
import { assert, suite } from '../support/suite.js';
import { darm, filesIn, inFolder, type CommandResult } from '../support/command.js';
import { kernel } from '../support/llvm.js';

const test = suite('cli/bad-input', { tests: 20, timeoutMs: 120_000 });

const TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n';
const GFX906 = 'attributes #0 = { "target-cpu"="gfx906" }\n';
const KERNEL = `${TRIPLE}define amdgpu_kernel void @k() #0 {\n  ret void\n}\n${GFX906}`;

function checkFailure({ code, stdout, stderr }: CommandResult, expectedCode: number, message: RegExp): void {
  assert.match(stderr, message);
  assert.is(stderr.trimEnd().split('\n').length, 1, `more than one line: ${stderr}`);
  assert.match(stderr, /^darm: error: /);
  assert.not.match(stderr, /\n\s+at /);
  assert.is(stdout.length, 0);
  assert.is(code, expectedCode);
}

/** What `darm batch --json` says of an input. */
interface BatchEvent {
  readonly event: string;
  readonly input?: string;
  readonly error?: { readonly message: string; readonly location?: { readonly line: number; readonly column: number } };
}

/** What failed on the main thread. */
const failed: { readonly input: Uint8Array | string; readonly message: RegExp }[] = [];

/** Compiles `input` and checks that it fails cleanly. With further arguments in a worker, too, if it gets that far. */
async function fails(
  input: Uint8Array | string,
  message: RegExp,
  { args = [], code = 1 }: { args?: readonly string[]; code?: number } = {},
): Promise<void> {
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'in.bin'), input);
    for (const threads of args.length > 0 && code !== 2 ? [[], ['-j', '2']] : [[]]) {
      checkFailure(await darm(['compile', 'in.bin', ...threads, ...args], { cwd: folder }), code, message);
      assert.equal(await filesIn(folder), ['in.bin']);
    }
  });
  if (args.length === 0) failed.push({ input, message });
}

test.long('a truncated module', async () => {
  const whole = await kernel('bitonic.gfx906.O3');
  for (const length of [4, 5, 100, 3000, whole.length - 4]) await fails(whole.subarray(0, length), /in\.bin: \S/);
});

test('a damaged module', async () => {
  const bytes = new Uint8Array(await kernel('bitonic.gfx906.O3'));
  let state = 12345;
  for (let i = 0; i < 200; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[64 + (state % (bytes.length - 64))] = state >>> 24;
  }
  await fails(bytes, /in\.bin: /);
});

test('random bytes', async () => {
  let state = 42;
  const bytes = Uint8Array.from(
    { length: 10_000 },
    () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24,
  );
  await fails(bytes, /in\.bin: the input is neither LLVM bitcode nor LLVM IR text/);
});

test('an empty file', () => fails('', /in\.bin: the input is empty/));

test('50 MB of zeros', () => fails(new Uint8Array(50_000_000), /in\.bin: the input is neither/));

test('text that is no IR', () =>
  fails('Dear compiler,\nplease …\n', /in\.bin:1:1: expected top-level entity: this is no LLVM IR .*-x hip/));

test('IR with a mistake is not told to be something else', async () => {
  await fails('define void @f() {\n  ret void\n}\ndefin void @g()\n', /in\.bin:4:1: expected top-level entity$/m);
  await fails('module asm "" and\n', /in\.bin:1:15: expected top-level entity$/m);
});

test('IR with a mistake in it', () =>
  fails(
    `${TRIPLE}define void @f() {\n  %a = add i32 %b, 1\n  ret void\n}\n`,
    /in\.bin:3:16: use of undefined value '%b'/,
  ));

test('IR that the verifier refuses', () =>
  fails(
    `${TRIPLE}define i32 @f(i1 %c) {\nentry:\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n`,
    /in\.bin: .*does not dominate all uses/,
  ));

test('IR that LLVM takes for well-formed before it is verified', async () => {
  const flagged = (flag: string): string => `${KERNEL}!llvm.module.flags = !{!0}\n!0 = !{${flag}}\n`;
  await fails(flagged(''), /in\.bin: invalid IR: incorrect number of operands in module flag/);
  await fails(flagged('i32 1'), /in\.bin: malformed module: LLVM crashed \(.*\) while it read it/);
});

test('a module for the host', () =>
  fails('target triple = "x86_64-unknown-linux-gnu"\ndefine void @f() { ret void }\n', /in\.bin: .*x86_64/));

test.long('an output that the module has no code for', async () => {
  await fails(KERNEL, /in\.bin: ptx needs an nvptx module/, { args: ['--emit', 'ptx'] });
  await fails(await kernel('nvptx-threshold.sm_70.O3'), /in\.bin: hsaco needs an amdgcn module/);
});

test.long('an unknown processor', async () => {
  await fails(KERNEL, /gfx9999/, { args: ['--mcpu', 'gfx9999'] });
  await fails(KERNEL, /'gfx90a:foo\+' is no target id/, { args: ['--mcpu', 'gfx90a:foo+'], code: 2 });
  for (const flag of ['--mcpu', '--function'])
    await fails(
      KERNEL,
      new RegExp(`'${flag} <\\w+>' argument '' is invalid\\. It must be a string that is not empty`),
      {
        args: [flag, ''],
        code: 2,
      },
    );
  await fails(KERNEL, /'gfx906,gfx90a' are several targets.*--emit fatbin/, {
    args: ['--mcpu', 'gfx906,gfx90a'],
    code: 2,
  });
});

test('functions for different processors, and no --mcpu', () =>
  fails(
    `${TRIPLE}define amdgpu_kernel void @a() "target-cpu"="gfx906" { ret void }\n` +
      'define amdgpu_kernel void @b() "target-cpu"="gfx1100" { ret void }\n',
    /in\.bin: .*(gfx906.*gfx1100|gfx1100.*gfx906)/,
  ));

test('a call of a function that is not there', () =>
  fails(
    `${TRIPLE}declare void @missing()\ndefine amdgpu_kernel void @k() #0 {\n  call void @missing()\n  ret void\n}\n${GFX906}`,
    /in\.bin: .*undefined.*missing/,
  ));

test.long('a function that is not in the module', () =>
  fails(KERNEL, /no function 'nothing'/, { args: ['--function', 'nothing'] }),
);

test.long('a function that cannot be analysed: a warning, and the others are', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'deep.ll'), deepLoops());
    const { code, stdout, stderr } = await darm(['analyze', 'deep.ll', '--mcpu', 'gfx906', '--json'], { cwd: folder });
    assert.is(code, 0);
    assert.is(stderr, "darm: warning: function 'deep' is not analysed: loops are nested too deeply\n");
    const { functions, failures } = JSON.parse(stdout.toString()) as Record<string, { name: string }[]>;
    assert.equal([functions!.map(({ name }) => name), failures!.map(({ name }) => name)], [['plain'], ['deep']]);
  }),
);

test.long('all of them in workers, one after the other', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'in'));
    for (const [n, { input }] of failed.entries()) await writeFile(path.join(folder, 'in', `${n}.bc`), input);
    const { code, stdout } = await darm(['batch', 'in', '--out-dir', 'out', '-j', '2', '--json'], { cwd: folder });
    const events = stdout.toString().trim().split('\n').map((line) => JSON.parse(line) as BatchEvent); // prettier-ignore
    const errors = events.filter(({ event }) => event === 'failed');
    assert.is(errors.length, failed.length);
    for (const { input, error } of errors) {
      const { message } = failed[Number.parseInt(path.basename(input!), 10)]!;
      const { line, column } = error!.location ?? {};
      assert.match(`in.bin:${line === undefined ? '' : `${line}:${column}:`} ${error!.message}`, message);
    }
    assert.is(code, 1);
    assert.equal((await filesIn(path.join(folder, 'out'))).filter((name) => name !== '.darm'), []); // prettier-ignore
  }),
);

test.long('an output that cannot be written', async () => {
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'in.ll'), KERNEL);
    await mkdir(path.join(folder, 'taken'));
    const compile = (output: string): Promise<CommandResult> =>
      darm(['compile', 'in.ll', '-o', output], { cwd: folder });
    checkFailure(await compile('no/such/folder/x.hsaco'), 1, /cannot write no\/such\/folder\/x\.hsaco: no such file/);
    checkFailure(await compile('taken'), 1, /cannot write taken: it is a directory/);
    checkFailure(await compile('in.ll/x'), 1, /cannot write in\.ll\/x: a part of the path is not a directory/);
    assert.equal(await filesIn(folder), ['in.ll', 'taken']);
    assert.equal(await filesIn(path.join(folder, 'taken')), []);
  });
});

test('an input that cannot be read', async () => {
  await inFolder(async (folder) => {
    checkFailure(await darm(['compile', 'nothing.bc'], { cwd: folder }), 1, /cannot read nothing\.bc: no such file/);
    checkFailure(await darm(['analyze', '.'], { cwd: folder }), 1, /cannot read \.: it is a directory/);
    checkFailure(await darm(['inspect', 'nothing'], { cwd: folder }), 1, /cannot read nothing/);
    assert.equal(await filesIn(folder), []);
  });
});

test.run();
