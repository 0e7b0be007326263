/** `darm batch` as users run it: inputs, events, failures, interruption, and repeated runs. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createCompiler } from '../../src/index.js';
import { darm, filesIn, inFolder, MAIN } from '../support/command.js';
import { artifact, compile, kernel, kernelPath, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('batch', { tests: 12, timeoutMs: 120_000 });

const MANY = 20;
const NAMES = ['sb1.gfx906.O3', 'sb2.gfx906.O3', 'sb1.gfx1100.O3'];

async function inputs(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'in', 'deep'), { recursive: true });
  for (const name of NAMES)
    await cp(kernelPath(name), path.join(folder, 'in', name.includes('1100') ? 'deep' : '', `${name}.bc`));
}

/** Different modules with the same code, of which a batch has not done all when it has done five. */
async function manyInputs(folder: string): Promise<void> {
  const ir = text(artifact(await compile(await kernel('bitonic.gfx906.O3'), { emit: ['ll'], meld: 'off' }), 'll'));
  for (let n = 0; n < MANY; n++) await writeFile(path.join(folder, 'in', `k${n}.ll`), `${ir}; ${n}\n`);
}

interface Event {
  readonly event: string;
  readonly input?: string;
  readonly output?: string;
  readonly sha256?: string;
  readonly [name: string]: unknown;
}

async function batch(
  folder: string,
  ...args: string[]
): Promise<{ code: number | null; events: Event[]; stderr: string }> {
  const { code, stdout, stderr } = await darm(['batch', '--out-dir', 'out', '--json', ...args], { cwd: folder });
  const events = stdout.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line) as Event); // prettier-ignore
  return { code, events, stderr };
}

const count = (events: readonly Event[], event: string): number => events.filter((each) => each.event === event).length;

/** The results in a folder by their path, without journal and cache. */
async function results(folder: string): Promise<Map<string, Buffer>> {
  const files = (await readdir(path.join(folder, 'out'), { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile())
    .map((file) => path.relative(path.join(folder, 'out'), path.join(file.parentPath, file.name)))
    .filter((file) => !file.startsWith('.darm'))
    .sort();
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(path.join(folder, 'out', file))] as const)),
  );
}

test('a folder: the tree is kept, the bytes are those of compile; a second run does nothing', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    const first = await batch(folder, 'in', '-j', '2');
    assert.is(first.code, 0, first.stderr);
    assert.equal(
      [first.events[0]!.event, first.events.at(-1)!.event, count(first.events, 'done')],
      ['start', 'end', 3],
    );
    const files = await results(folder);
    assert.equal([...files.keys()], ['deep/sb1.gfx1100.O3.hsaco', 'sb1.gfx906.O3.hsaco', 'sb2.gfx906.O3.hsaco']);
    await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
    for (const name of NAMES) {
      const { artifacts } = await compiler.compile(await kernel(name));
      const [file, bytes] = [...files].find(([file]) => file.endsWith(`${name}.hsaco`))!;
      assert.ok(bytes.equals(artifacts[0]!.bytes), name);
      const hash = createHash('sha256').update(bytes).digest('hex');
      assert.is(first.events.find(({ output }) => output === file)!.sha256, hash);
    }
    const second = await batch(folder, 'in');
    assert.equal([second.code, count(second.events, 'skipped'), count(second.events, 'done')], [0, 3, 0]);
    // Results that were removed or changed are made again, from the cache.
    await rm(path.join(folder, 'out', 'sb2.gfx906.O3.hsaco'));
    await writeFile(path.join(folder, 'out', 'sb1.gfx906.O3.hsaco'), 'something else');
    const third = await batch(folder, 'in');
    assert.equal([count(third.events, 'skipped'), third.events.at(-1)!['cached']], [1, 2]);
    assert.equal(await results(folder), files);
  }));

test.long('patterns, lists on standard input, plain lines', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    const glob = await batch(folder, 'in/**/sb1.*.bc');
    assert.equal([glob.code, count(glob.events, 'done')], [0, 2]);
    const { code, stderr, stdout } = await darm(['batch', '-', '--out-dir', 'list'], { cwd: folder, input: 'in/sb1.gfx906.O3.bc\n\nin/sb2.gfx906.O3.bc\n' }); // prettier-ignore
    assert.equal([code, stdout.length], [0, 0]);
    assert.match(stderr, /^\[2\/2\] in\/sb\d/m);
    assert.match(stderr, /^ *2 +0 +0 +0 +0 /m);
    const none = await batch(folder, 'in/*.nothing');
    assert.is(none.code, 1);
    assert.match(none.stderr, /nothing matches/);
  }),
);

test('a manifest may give options and names', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    const lines = [
      { input: 'in/sb1.gfx906.O3.bc', output: 'a/plain.s', options: { meld: 'off', emit: ['asm'] } },
      { input: 'in/sb1.gfx906.O3.bc', output: 'melded.hsaco' },
    ];
    await writeFile(path.join(folder, 'm.jsonl'), lines.map((line) => JSON.stringify(line) + '\n').join(''));
    const { code, events } = await batch(folder, 'm.jsonl');
    assert.is(code, 0);
    assert.equal(events.filter(({ event }) => event === 'done').map((each) => each['melds']).sort(), [0, 1]); // prettier-ignore
    const files = await results(folder);
    assert.equal([...files.keys()], ['a/plain.s', 'melded.hsaco']);
    assert.match(files.get('a/plain.s')!.toString(), /s_endpgm/);
  }));

test('a manifest may ask for several kinds: each is written, and each has to be there the next time', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    const line = { input: 'in/sb1.gfx906.O3.bc', options: { emit: ['ll', 'hsaco', 'asm'] } };
    await writeFile(path.join(folder, 'm.jsonl'), JSON.stringify(line));
    const first = await batch(folder, 'm.jsonl');
    assert.is(first.code, 0, first.stderr);
    const files = await results(folder);
    const names = ['ll', 'hsaco', 's'].map((extension) => `sb1.gfx906.O3.${extension}`);
    assert.equal([...files.keys()], names.toSorted());
    await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
    const { artifacts } = await compiler.compile(await kernel('sb1.gfx906.O3'), { emit: ['ll', 'hsaco', 'asm'] });
    for (const [at, { bytes }] of artifacts.entries()) assert.ok(files.get(names[at]!)!.equals(bytes), names[at]);
    const done = first.events.find(({ event }) => event === 'done')!;
    const told = [done, ...(done['others'] as Event[])];
    assert.equal(told.map(({ output }) => output), names); // prettier-ignore
    for (const { output, sha256 } of told)
      assert.is(sha256, createHash('sha256').update(files.get(output!)!).digest('hex'));
    assert.is(count((await batch(folder, 'm.jsonl')).events, 'skipped'), 1);
    await rm(path.join(folder, 'out', names[1]!));
    assert.is(count((await batch(folder, 'm.jsonl')).events, 'done'), 1);
    assert.equal(await results(folder), files);
    // No kind replaces a result of another job.
    const other = { input: 'in/sb2.gfx906.O3.bc', output: names[2] };
    await writeFile(path.join(folder, 'm.jsonl'), [line, other].map((each) => JSON.stringify(each)).join('\n'));
    const refused = await batch(folder, 'm.jsonl');
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /would both be written to sb1\.gfx906\.O3\.s/);
  }));

test('mistakes in a manifest are reported with their line', () =>
  inFolder(async (folder) => {
    for (const [line, message, ...flags] of [
      ['{"input":', /m\.jsonl:2: this line is not JSON/],
      ['{"input":"a.bc","color":1}', /:2: unknown name "color"/],
      ['{"input":"a.bc","options":{"meld":"all"}}', /:2: option "meld"/],
      ['{"input":"a.bc","output":"../a"}', /:2: "output" must be a path below/],
      ['{"output":"a"}', /:2: "input" must be/],
      ['{"input":"a.bc","output":"a","options":{"emit":["ll","hsaco"]}}', /:2: "output" is one file, and "emit" asks/],
      ['{"input":"a.bc","options":{"emit":["ll"]}}', /:2: option "emit" and --emit fatbin exclude/, '--emit', 'fatbin'],
      ...['stats', 'remarks', 'report'].map(
        (name) =>
          [`{"input":"a.bc","options":{"${name}":true}}`, new RegExp(`:2: option "${name}" is not for`)] as const,
      ),
    ] as const) {
      await writeFile(path.join(folder, 'm.jsonl'), `\n${line}\n`);
      const { code, stderr } = await batch(folder, 'm.jsonl', ...flags);
      assert.is(code, 1);
      assert.match(stderr, message);
    }
  }));

test('two inputs with one output, and an input as output, are refused before anything is done', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    await cp(path.join(folder, 'in', 'sb1.gfx906.O3.bc'), path.join(folder, 'sb1.gfx906.O3.ll'));
    const twice = await batch(folder, 'in/sb1.gfx906.O3.bc', 'sb1.gfx906.O3.ll');
    assert.is(twice.code, 2);
    assert.match(twice.stderr, /would both be written to sb1\.gfx906\.O3\.hsaco/);
    const { code, stderr } = await darm(['batch', '--out-dir', 'in', '--emit', 'bc', 'in'], { cwd: folder });
    assert.is(code, 2);
    assert.match(stderr, /would replace the input/);
  }));

test('failures do not stop the rest; --fail-fast does', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    await writeFile(path.join(folder, 'in', 'a-broken.bc'), (await kernel('sb1.gfx906.O3')).subarray(0, 700));
    await writeFile(path.join(folder, 'in', 'b-host.ll'), 'target triple = "x86_64-pc-linux-gnu"\n');
    const all = await batch(folder, 'in');
    assert.is(all.code, 1);
    assert.equal([count(all.events, 'done'), count(all.events, 'failed')], [3, 2]);
    for (const { event, error } of all.events)
      if (event === 'failed') assert.match((error as { code: string }).code, /^bad-/);
    await rm(path.join(folder, 'out'), { recursive: true });
    const fast = await batch(folder, 'in', '--fail-fast');
    assert.is(fast.code, 1);
    assert.ok(count(fast.events, 'done') < 3 && (fast.events.at(-1)!['left'] as number) > 0);
  }));

test.long('containers become fat binaries', () =>
  inFolder(async (folder) => {
    const created = await darm(
      [
        'bundle',
        '--create',
        '-o',
        'k.bundle',
        ...['gfx906', 'gfx1100'].map((cpu) => `${cpu}=${kernelPath(`sb1.${cpu}.O3`)}`),
      ],
      { cwd: folder },
    );
    assert.is(created.code, 0, created.stderr);
    await cp(kernelPath('sb1.gfx906.O3'), path.join(folder, 'one.bc'));
    const { code, events } = await batch(folder, 'k.bundle', 'one.bc', '--emit', 'fatbin');
    assert.is(code, 0);
    assert.equal(events.filter(({ event }) => event === 'done').map((each) => each['melds']).sort(), [1, 2]); // prettier-ignore
    const listed = await darm(['bundle', 'out/k.hipfb', '--json'], { cwd: folder });
    const { images } = JSON.parse(listed.stdout.toString()) as { images: { kind: string; target: string }[] };
    assert.equal(images.map(({ target }) => target).filter((target) => target.startsWith('gfx')), ['gfx906', 'gfx1100']); // prettier-ignore
    // Its images are what compile makes of each module.
    await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
    const { artifacts } = await compiler.compile(await kernel('sb1.gfx906.O3'));
    assert.ok((await results(folder)).get('one.hipfb')!.includes(Buffer.from(artifacts[0]!.bytes)));
    await writeFile(path.join(folder, 'k.hip'), 'extern "C" __attribute__((global)) void k(int *p) { *p = 1; }');
    const source = ['k.hip', '--offload-arch=gfx906', '-nogpuinc', '--emit', 'fatbin'];
    const sizes: unknown[] = [];
    for (const flags of [[], ['--offload-compress'], ['--offload-compress']]) {
      const again = await batch(folder, ...source, ...flags);
      assert.is(again.code, 0);
      sizes.push(again.events.find(({ event }) => event === 'done')?.['bytes']);
    }
    assert.ok(Number(sizes[1]) < Number(sizes[0]) / 2 && sizes[2] === undefined, sizes.join());
    const refused = await batch(folder, 'k.bundle');
    assert.match(JSON.stringify(refused.events), /--emit fatbin/);
    assert.is(refused.code, 1);
  }),
);

test('response files', () =>
  inFolder(async (folder) => {
    await inputs(folder);
    await writeFile(path.join(folder, 'args.rsp'), `--no-cache 'in/sb1.gfx906.O3.bc'\n"in/sb2.gfx906.O3.bc"`);
    const { code, events } = await batch(folder, '@args.rsp');
    assert.equal([code, count(events, 'done')], [0, 2]);
    assert.equal(await readdir(path.join(folder, 'out', '.darm')), ['journal.jsonl']);
  }));

test.long('killed in the middle: no incomplete result, and the next run does the rest', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'in'));
    await manyInputs(folder);
    const child = spawn(process.execPath, [MAIN, 'batch', 'in', '--out-dir', 'out', '-j', '2', '--no-cache', '--json'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    let seen = 0;
    for await (const chunk of child.stdout) {
      seen += String(chunk).split('"done"').length - 1;
      if (seen >= 5) break;
    }
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exit;
    const before = await results(folder);
    const whole = [...before].filter(([file]) => !file.endsWith('.tmp'));
    assert.ok(whole.length >= 5 && whole.length < MANY, `${whole.length} results`);
    const second = await batch(folder, 'in', '-j', '2', '--no-cache');
    assert.is(second.code, 0);
    assert.equal(count(second.events, 'skipped') + count(second.events, 'done'), MANY);
    assert.ok(count(second.events, 'skipped') >= 5);
    const after = await results(folder);
    assert.is([...after.keys()].filter((file) => file.endsWith('.hsaco')).length, MANY);
    for (const [file, result] of whole) assert.ok(result.equals(after.get(file)!), file);
    const hashes = new Set([...after].filter(([file]) => file.endsWith('.hsaco')).map(([, result]) => createHash('sha256').update(result).digest('hex'))); // prettier-ignore
    assert.is(hashes.size, 1);
  }),
);

test('interrupted: it says how many jobs are left', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'in'));
    await manyInputs(folder);
    const child = spawn(process.execPath, [MAIN, 'batch', 'in', '--out-dir', 'out', '--no-cache', '--json'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    const exit = new Promise((resolve) => child.once('exit', resolve));
    let out = '';
    for await (const chunk of child.stdout) {
      if (out === '') child.kill('SIGINT');
      out += String(chunk);
    }
    assert.is(await exit, 130);
    const end = JSON.parse(out.trimEnd().split('\n').at(-1)!) as Event;
    assert.is(end.event, 'end');
    assert.ok((end['left'] as number) > 0);
  }));

test.long('SIGTERM in the middle: whole results, nothing temporary, 143; the next run does the rest', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'in'));
    await manyInputs(folder);
    const words = ['batch', 'in', '--out-dir', 'out', '-j', '2', '--json'];
    const child = spawn(process.execPath, [MAIN, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = new Promise((resolve) => child.once('exit', resolve));
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('"done"') && ++seen === 5) child.kill('SIGTERM');
    assert.is(await exit, 143);
    const done = await results(folder);
    assert.ok(done.size >= 5 && done.size < MANY, `${done.size} results`);
    assert.ok([...done.keys()].every((file) => /^k\d+\.hsaco$/.test(file)));
    assert.equal(await readdir(path.join(folder, 'out', '.darm')), ['cache', 'journal.jsonl']);
    assert.equal(await filesIn(path.join(folder, 'out', '.darm', 'cache', 'tmp')).catch(() => []), []);
    const { events, code } = await batch(folder, 'in', '-j', '2');
    assert.equal([code, count(events, 'skipped'), count(events, 'done')], [0, done.size, MANY - done.size]);
  }),
);

test.run();
