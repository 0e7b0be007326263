/** The command: what it writes where, its JSON documents, its exit codes. */
import { createHash } from 'node:crypto';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspectCodeObject } from '../../src/formats/code-object.js';
import { assert, suite } from '../support/suite.js';
import { darm, filesIn, inFolder } from '../support/command.js';
import { kernel } from '../support/llvm.js';

const test = suite('cli/command', { tests: 20, timeoutMs: 120_000 });

const TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n';
const KERNEL = `${TRIPLE}define amdgpu_kernel void @k() "target-cpu"="gfx906" {\n  ret void\n}\n`;

type Json = Record<string, unknown>;
const json = (text: Buffer | string): Json => JSON.parse(text.toString()) as Json;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Runs the command in a folder that holds `k.ll`; it has to succeed in silence. */
async function succeeds(folder: string, ...args: string[]): Promise<Buffer> {
  await writeFile(path.join(folder, 'k.ll'), KERNEL);
  const { code, stdout, stderr } = await darm(args, { cwd: folder });
  assert.is(stderr, '');
  assert.is(code, 0);
  return stdout;
}

async function usageError(args: readonly string[], message: RegExp): Promise<void> {
  const { code, stderr, stdout } = await darm(args);
  assert.match(stderr, message);
  assert.match(stderr, /^darm: error: [^\n]*\n$/);
  assert.is(stdout.length, 0);
  assert.is(code, 2);
}

test.long('names the output after the input, in the current folder', () =>
  inFolder(async (folder) => {
    const kinds = { hsaco: 'k.hsaco', obj: 'k.o', asm: 'k.s', bc: 'k.bc' };
    for (const kind of Object.keys(kinds)) await succeeds(folder, 'compile', path.join(folder, 'k.ll'), '--emit', kind);
    assert.equal(await filesIn(folder), ['k.bc', 'k.hsaco', 'k.ll', 'k.o', 'k.s']);
    assert.match(await readFile(path.join(folder, 'k.s'), 'utf8'), /s_endpgm/);
    assert.is(inspectCodeObject(await readFile(path.join(folder, 'k.hsaco'))).linked, true);
    assert.is(inspectCodeObject(await readFile(path.join(folder, 'k.o'))).linked, false);
  }),
);

test('writes where -o says', () =>
  inFolder(async (folder) => {
    await succeeds(folder, 'compile', 'k.ll', '-o', 'out.bin', '--emit', 'll');
    assert.match(await readFile(path.join(folder, 'out.bin'), 'utf8'), /define amdgpu_kernel void @k/);
    // As long as names may be, and with whatever they may hold.
    const others = ['k\n', 'o'.repeat(255)];
    for (const name of others) await succeeds(folder, 'compile', 'k.ll', '-o', name);
    assert.equal(await filesIn(folder), ['k\n', 'k.ll', others[1], 'out.bin']);
  }));

test('does not replace its input by default', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.ll'), KERNEL);
    const { code, stderr } = await darm(['compile', 'k.ll', '--emit', 'll'], { cwd: folder });
    assert.match(stderr, /would replace the input k\.ll/);
    assert.is(code, 2);
  }));

test('follows symbolic links and leaves special files alone', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'real'), 'old');
    await symlink('real', path.join(folder, 'link'));
    await succeeds(folder, 'compile', 'k.ll', '--emit', 'll', '-o', 'link');
    assert.match(await readFile(path.join(folder, 'real'), 'utf8'), /define/);
    assert.equal(await filesIn(folder), ['k.ll', 'link', 'real']);
    await succeeds(folder, 'compile', 'k.ll', '-o', '/dev/null');
  }));

test('- reads standard input and writes standard output', async () => {
  const { code, stdout, stderr } = await darm(['compile', '-', '--emit', 'll'], { input: KERNEL });
  assert.is(stderr, '');
  assert.match(stdout.toString(), /define amdgpu_kernel void @k/);
  assert.is(code, 0);
  const failed = await darm(['compile', '-'], { input: 'nonsense' });
  assert.match(failed.stderr, /^darm: error: <stdin>:1:1: /);
  assert.is(failed.code, 1);
});

test('a large output arrives whole on standard output', () =>
  inFolder(async (folder) => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `@g${i} = addrspace(1) global i32 ${i}`);
    const { code, stdout } = await darm(['compile', '-', '--emit', 'll'], {
      input: `${KERNEL}${lines.join('\n')}\n`,
      cwd: folder,
    });
    assert.is(code, 0);
    assert.match(stdout.toString(), /@g19999 = /);
    assert.match(stdout.toString(), /define amdgpu_kernel void @k/);
  }));

test.long('reads a bitcode wrapper', () =>
  inFolder(async (folder) => {
    const bitcode = await kernel('sb1.gfx906.O3');
    const wrapped = Buffer.alloc(20 + bitcode.length + 8);
    for (const [i, word] of [0x0b17c0de, 0, 20, bitcode.length, 0].entries()) wrapped.writeUInt32LE(word, i * 4);
    wrapped.set(bitcode, 20);
    await writeFile(path.join(folder, 'wrapped'), wrapped);
    await writeFile(path.join(folder, 'raw'), bitcode);
    await succeeds(folder, 'compile', 'wrapped');
    await succeeds(folder, 'compile', 'raw');
    assert.equal(await readFile(path.join(folder, 'wrapped.hsaco')), await readFile(path.join(folder, 'raw.hsaco')));
  }),
);

test('compile --json', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'b.bc'), await kernel('bitonic.gfx906.O3'));
    const document = json(await succeeds(folder, 'compile', 'b.bc', '--json', '--stats'));
    assert.is(document['schema'], 1);
    const bytes = await readFile(path.join(folder, 'b.hsaco'));
    assert.equal(document['artifacts'], [
      { path: 'b.hsaco', kind: 'hsaco', bytes: bytes.length, sha256: sha256(bytes) },
    ]);
    const [fn] = document['functions'] as [Record<string, { before: number; after: number }> & { melds: Json[] }];
    assert.is(fn['name'] as unknown, 'bitonic');
    assert.ok(fn.melds.length > 0);
    assert.equal(Object.keys(fn.melds[0]!), ['kind', 'profit', 'net']);
    assert.equal(fn['meldsByKind'] as unknown, {
      'block-block': fn.melds.length,
      'region-region': 0,
      'block-region': 0,
    });
    assert.is(fn['netUnit'] as unknown, 'cycles');
    assert.ok((fn['cyclesSaved'] as unknown as number) > 0);
    assert.equal([fn['switchesLowered'], fn['sidesHoisted']] as unknown, [0, 0]);
    for (const count of ['divergentBranches', 'instructions', 'machineInstructions'])
      assert.ok(fn[count]!.after < fn[count]!.before, count);
    assert.type((document['timings'] as Json)['total'], 'number');
  }));

test('before is there only with --stats', () =>
  inFolder(async (folder) => {
    const document = json(await succeeds(folder, 'compile', 'k.ll', '--json'));
    const [fn] = document['functions'] as [Json];
    assert.equal(Object.keys(fn['instructions'] as Json), ['after']);
  }));

test('analyze --json', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'b.bc'), await kernel('bitonic.gfx906.O3'));
    const document = json(await succeeds(folder, 'analyze', 'b.bc', '--json'));
    assert.is(document['schema'], 1);
    assert.is(document['target'], 'gfx906');
    const [fn] = document['functions'] as [Json & { candidates: Json[] }];
    assert.equal(Object.keys(fn), [
      'name',
      'conditionalBranches',
      'divergentBranches',
      'values',
      'divergentValues',
      'switchesLowered',
      'sidesHoisted',
      'netUnit',
      'candidates',
      'switches',
    ]);
    const meld = fn.candidates.find(({ verdict }) => verdict === 'meld')!;
    assert.equal(Object.keys(meld), [
      'branch',
      'sides',
      'kind',
      'profit',
      'net',
      'verdict',
      'rule',
      'reason',
      'remedy',
    ]);
    assert.type(meld['branch'], 'string');
    assert.type((meld['sides'] as string[][])[0]![0], 'string');
    assert.equal(await filesIn(folder), ['b.bc', 'k.ll']);
  }));

test('a warning is said once for all targets, and is in the document', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'f.ll'), `${TRIPLE}define i32 @f(i32 %x) {\n  ret i32 %x\n}\n`);
    const args = ['compile', 'f.ll', '--emit', 'fatbin', '--mcpu', 'gfx906,gfx1100', '--json'];
    const { code, stdout, stderr } = await darm(args, { cwd: folder });
    assert.is(code, 0);
    const warning = 'the code object has no kernel: no function of the module is one';
    assert.is(stderr, `darm: warning: ${warning}\n`);
    const images = json(stdout)['images'] as Json[];
    assert.equal(
      images.flatMap((image) => image['diagnostics'] ?? []),
      [warning, warning],
    );
  }));

test('what is analysed has the device libraries that a code object gets, in the table and on the page', () =>
  inFolder(async (folder) => {
    const text = KERNEL.replace('  ret void', '  %x = call float @__ocml_sin_f32(float 1.0)\n  ret void');
    const module = `${text}declare float @__ocml_sin_f32(float)\n`;
    await writeFile(path.join(folder, 'sine.ll'), module);
    const functionsOf = (stdout: Buffer): string[] =>
      (json(stdout)['functions'] as { name: string }[]).map(({ name }) => name);
    const analyze = (...flags: string[]) => succeeds(folder, 'analyze', 'sine.ll', '--json', ...flags);
    assert.ok(functionsOf(await analyze('--html', 'sine.html')).includes('__ocml_sin_f32'));
    assert.match(await readFile(path.join(folder, 'sine.html'), 'utf8'), /__ocml_sin_f32/);
    assert.equal(functionsOf(await analyze('--device-libs', 'never')), ['k']);
    // There are none for this processor.
    await writeFile(path.join(folder, 'sine.ll'), module.replace('gfx906', 'gfx1170'));
    assert.equal(functionsOf(await analyze('--html', 'other.html')), ['k']);
    assert.match(await readFile(path.join(folder, 'other.html'), 'utf8'), /gfx1170/);
  }));

test.long('analyze prints a table', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'b.bc'), await kernel('bitonic.gfx906.early'));
    const late = (await succeeds(folder, 'analyze', 'b.bc')).toString();
    assert.match(late, /^target gfx906\n/);
    const flags = ['--optimize', 'O3', '--meld-point', 'early'];
    const early = (await succeeds(folder, 'analyze', 'b.bc', ...flags)).toString();
    assert.match(early, /\bmeld\b/);
    assert.match(early, / net cycles$/m);
    assert.match((await succeeds(folder, 'analyze', 'b.bc', ...flags, '--profit', 'size')).toString(), / net bytes$/m);
  }),
);

test.long('inspect', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'b.bc'), await kernel('bitonic.gfx906.O3'));
    await succeeds(folder, 'compile', 'b.bc');
    const object = json(await succeeds(folder, 'inspect', 'b.hsaco', '--json'));
    assert.is(object['schema'], 1);
    assert.is(object['kind'], 'code-object');
    assert.is(object['target'], 'gfx906');
    assert.match((await succeeds(folder, 'inspect', 'b.hsaco')).toString(), /bitonic +\d+ +\d+/);
    const module = json(await succeeds(folder, 'inspect', 'b.bc', '--json'));
    assert.is(module['kind'], 'module');
    assert.match((await succeeds(folder, 'inspect', 'b.bc')).toString(), /module for amdgcn-amd-amdhsa/);
    // Looking needs no processor: functions for several are an error of compiling only.
    const mixed = ['gfx906', 'gfx1100'].map((cpu) => `define void @${cpu}() "target-cpu"="${cpu}" { ret void }`);
    await writeFile(path.join(folder, 'mixed.ll'), `target triple = "amdgcn-amd-amdhsa"\n${mixed.join('\n')}`);
    assert.match((await succeeds(folder, 'inspect', 'mixed.ll')).toString(), /gfx906 [^]*gfx1100 /);
  }),
);

test('errors as JSON', async () => {
  const { code, stdout, stderr } = await darm(['compile', '-', '-o', 'x', '--json'], { input: 'define x' });
  assert.is(code, 1);
  assert.match(stderr, /^darm: error: <stdin>:1:8: [^\n]+\n$/);
  const document = json(stdout);
  assert.is(document['schema'], 1);
  const error = document['error'] as Json;
  assert.is(error['code'], 'bad-input');
  assert.equal(error['location'], { file: '<stdin>', line: 1, column: 8 });
});

test.long('usage errors', async () => {
  await usageError([], /no subcommand/);
  await usageError(['frobnicate'], /unknown command 'frobnicate'/);
  await usageError(['help', 'frobnicate'], /unknown command 'frobnicate'/);
  await usageError(['compile'], /missing required argument 'input'/);
  await usageError(['compile', 'a.bc', '--frobnicate'], /unknown option '--frobnicate'/);
  await usageError(['batch', 'a.hip', '--out-dir', 'o', '-MD'], /unknown option '-MD'/);
  await usageError(['compile', 'a.bc', 'b.bc'], /too many arguments/);
  await usageError(['compile', 'a.bc', '-j', '0'], /-j, --jobs .* from 1 to 256/);
  await usageError(['compile', 'a.bc', '-O', '4'], /must be one of 0, 1, 2, 3/);
  await usageError(['compile', 'a.bc', '--threshold', '0.9'], /from 0 to 0\.5/);
  await usageError(['compile', 'a.bc', '--emit', 'exe'], /Allowed choices are hsaco/);
  await usageError(
    ['compile', 'a.bc', '--cache', ''],
    /'--cache <folder>' argument '' is invalid\. It must not be empty/,
  );
  await usageError(['compile', 'a.bc', '-o', ''], /must not be empty/);
  for (const flag of ['--version', '--toolchain-digest', '--persistent_worker'])
    await usageError(['compile', 'a.bc', flag], new RegExp(`unknown option '${flag}'`));
  // It is clang's there.
  await usageError(['compile', 'a.bc', '-v'], /-v is for source, and a\.bc does not look like it/);
  const misspelt = await darm(['compile', 'a.bc', '--jsno', '--json']);
  assert.is((json(misspelt.stdout)['error'] as Json)['message'], "unknown option '--jsno' (Did you mean --json?)");
  await usageError(['compile', '-', '-o', 'x', '--meld-point', 'early'], /needs an optimisation level/);
  const both = await darm(['compile', 'a.bc', '-o', '-', '--json']);
  assert.match(both.stderr, /exclude each other/);
  assert.is(both.code, 2);
});

test.long('--version, -v, --help, --', () =>
  inFolder(async (folder) => {
    const { version } = json(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    for (const words of [['--version'], ['-v'], ['compile', '--version']])
      assert.is((await succeeds(folder, ...words)).toString(), `${String(version)}\n`);
    const all = await succeeds(folder, '--verbose', '--version');
    assert.equal(await succeeds(folder, 'compile', '--verbose', '--version'), all);
    assert.match(all.toString(), /^LLVM /m);
    assert.match((await succeeds(folder, '--help')).toString(), /compile[^]*analyze[^]*inspect/);
    assert.match((await succeeds(folder, 'compile', '--help')).toString(), /--meld-point/);
    await succeeds(folder, 'compile', '-o', '-k.hsaco', '--', 'k.ll');
    assert.equal(await filesIn(folder), ['-k.hsaco', 'k.ll']);
  }),
);

test.long('-O, -j, --timeout and --memory-limit', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'm.bc'), await kernel('many.gfx906.O3'));
    await succeeds(folder, 'compile', 'm.bc', '-o', 'one', '-O2');
    await succeeds(folder, 'compile', 'm.bc', '-o', 'two', '-j2', '--timeout', '100', '--memory-limit', '2048');
    assert.equal(await readFile(path.join(folder, 'one')), await readFile(path.join(folder, 'two')));
    const { code, stderr } = await darm(['compile', 'm.bc', '-o', 'three', '--timeout', '0.001'], { cwd: folder });
    assert.match(stderr, /^darm: error: m\.bc: the job took longer than its limit of 0\.001 s\n$/);
    assert.is(code, 1);
    assert.equal(await filesIn(folder), ['k.ll', 'm.bc', 'one', 'two']);
  }),
);

test('--stats prints a table, warnings go to standard error', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'b.bc'), await kernel('bitonic.gfx906.O3'));
    const { code, stdout, stderr } = await darm(['compile', 'b.bc', '--stats'], { cwd: folder });
    assert.is(code, 0);
    assert.is(stdout.length, 0);
    assert.match(
      stderr,
      /function +melds +block-block +region-region +block-region +switches lowered +sides hoisted +cycles saved /,
    );
    assert.match(stderr, /bitonic +(\d+) +\1 +0 +0 +0 +0 +\d+ +\d+ → \d+/);
  }));

test('--stats with --function has rows of these functions only', () =>
  inFolder(async (folder) => {
    const kernels = ['a', 'b', 'c'].map((name) => `define amdgpu_kernel void @${name}() {\n  ret void\n}\n`);
    await writeFile(path.join(folder, 'm.ll'), `target triple = "amdgcn-amd-amdhsa"\n${kernels.join('')}`);
    const words = ['m.ll', '--mcpu', 'gfx906', '--function', 'c', '--function', 'a', '--stats'];
    const { stderr } = await darm(['compile', ...words], { cwd: folder });
    assert.equal(stderr.match(/^\w+/gm), ['function', 'a', 'c']);
  }));

test.run();
