/** The explorer's answers, from the library's own compiler; the page's is tested in test/page. */
import { readFile } from 'node:fs/promises';
import { createCompiler } from '../../src/index.js';
import { Explorer } from '../../src/explorer/explorer.js';
import type { Explored, ExploreJob, Launched, LaunchableKernel, Listing } from '../../src/explorer/protocol.js';
import { loadLayout } from '../../src/report/graph/layout.js';
import { assert, suite } from '../support/suite.js';

const test = suite('explorer', { tests: 5, timeoutMs: 120_000 });

const root = new URL('../../../', import.meta.url);
const text = (file: string): Promise<string> => readFile(new URL(file, root), 'utf8');

async function exploring<T>(use: (explorer: Explorer) => Promise<T>): Promise<T> {
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  try {
    return await use(new Explorer(compiler, loadLayout));
  } finally {
    await compiler.close();
  }
}

const DIAMOND: ExploreJob = {
  ...{ language: 'ir', options: {}, flags: [] },
  source: `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) "target-cpu"="gfx1100" {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %slot = getelementptr i32, ptr addrspace(1) %out, i32 %id
  %low = icmp ult i32 %id, 9
  br i1 %low, label %then, label %else
then:
  %a = load i32, ptr addrspace(1) %slot
  %b = udiv i32 %a, %n
  store i32 %b, ptr addrspace(1) %slot
  ret void
else:
  %c = load i32, ptr addrspace(1) %slot
  %d = udiv i32 %c, 77
  store i32 %d, ptr addrspace(1) %slot
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`,
};

test.long('source: melds, remarks, listings and a launch, all with the lines they come from', () =>
  exploring(async (explorer) => {
    const job: ExploreJob = {
      source: await text('kernels/bitonic.hip'),
      ...{ language: 'hip', options: { mcpu: 'gfx1100', meldPoint: 'early' }, flags: ['-gline-tables-only'] },
    };
    const explored = (await explorer.answer({ kind: 'compile', job })) as Explored;
    const [bitonic] = explored.functions;
    assert.is(bitonic!.melds, 1);
    // Graphviz writes dashes as entities.
    assert.match(bitonic!.html.replaceAll('&#45;', '-'), /id="f1-g0-b0"/);
    // The branch on the direction is in line 31, the swaps in 15 and 16, and the melded blocks come from there.
    const melded = bitonic!.blocks.at(-1)!.find(({ name }) => name === '%meld')!;
    assert.ok(melded.lines.includes(32) && melded.lines.includes(35));
    const meld = explored.remarks.find(({ kind }) => kind === 'passed')!;
    assert.is(meld.line, 31);
    assert.match(meld.text, /^melded .*cycles saved/);

    const machine = (await explorer.answer({ kind: 'listing', job, form: 'machine', side: 'after' })) as Listing;
    const rows = machine.rows.filter(({ kind }) => kind === 'instruction');
    assert.equal(
      rows.map(({ position }) => position),
      [...rows.keys()],
    );
    assert.ok(rows.some(({ text: row, lines }) => row.startsWith('ds_load') && lines.includes(32)));
    assert.ok(machine.rows.every(({ text: row }) => !/^\s*\./.test(row) || row.startsWith('.LBB')));
    const ir = (await explorer.answer({ kind: 'listing', job, form: 'ir', side: 'before' })) as Listing;
    assert.ok(ir.rows.some(({ lines }) => lines.length === 1 && lines[0] === 32));
    assert.ok(ir.rows.every(({ text: row }) => !row.includes('!dbg')));

    const spec = await text('kernels/specs/bitonic.json');
    const question = { kind: 'launch', job, spec, simulation: { profile: true } } as const;
    const launched = (await explorer.answer(question)) as Launched;
    assert.equal(launched.differences, []);
    const { profiles } = launched.launches[0]!;
    const idle = profiles.map((each) => 1 - each!.lanes / (each!.executed * each!.waveSize));
    assert.ok(idle[1]! < idle[0]!);
    // Every instruction that ran is one of the listing.
    const name = profiles[1]!.functions[0]!.name;
    assert.is(profiles[1]!.instructions.length, rows.filter((row) => row.function === name).length);
  }),
);

test('IR has the device libraries that its code object gets', () =>
  exploring(async (explorer) => {
    const source = `target triple = "amdgcn-amd-amdhsa"
declare float @__ocml_sin_f32(float)
define amdgpu_kernel void @k(ptr addrspace(1) %out) "target-cpu"="gfx1100" {
  %sine = call float @__ocml_sin_f32(float 1.0)
  store float %sine, ptr addrspace(1) %out
  ret void
}`;
    const job: ExploreJob = { source, language: 'ir', options: {}, flags: [] };
    const listing = (await explorer.answer({ kind: 'listing', job, form: 'ir', side: 'after' })) as Listing;
    assert.ok(listing.rows.some(({ text: row }) => row.startsWith('define internal float @__ocml_sin_f32(')));
  }));

test('IR: lines by the names of blocks; a launch is made up', () =>
  exploring(async (explorer) => {
    const job = DIAMOND;
    const { functions } = (await explorer.answer({ kind: 'compile', job })) as Explored;
    assert.equal(
      functions[0]!.blocks[0]!.map(({ lines }) => [lines[0], lines.at(-1)]),
      [[3, 6], [7, 11], [12, 16]], // prettier-ignore
    );
    const [kernel] = (await explorer.answer({ kind: 'kernels', job })) as LaunchableKernel[];
    const { launches } = (await explorer.answer({
      kind: 'launch',
      job,
      spec: kernel!.spec,
      simulation: {},
    })) as Launched;
    assert.is(launches[0]!.kernel, 'k');
  }));

test('who asks for the same and leaves takes nobody else along', () =>
  exploring(async (explorer) => {
    const leaving = new AbortController();
    const left = explorer.answer({ kind: 'compile', job: DIAMOND }, { signal: leaving.signal });
    const stays = explorer.answer({ kind: 'compile', job: DIAMOND }) as Promise<Explored>;
    leaving.abort();
    const [gone, there] = await Promise.allSettled([left, stays]);
    assert.is(gone.status, 'rejected');
    assert.is(there.status === 'fulfilled' && there.value.functions.length, 1);
  }));

test('mistakes are errors with a place, and are not kept', () =>
  exploring(async (explorer) => {
    const job: ExploreJob = { source: 'define void @f( {', language: 'ir', options: {}, flags: [] };
    for (let time = 0; time < 2; time++) {
      const error = await explorer.answer({ kind: 'compile', job }).catch((thrown: unknown) => thrown);
      assert.is((error as { code: string }).code, 'bad-input');
      assert.is((error as { location: { line: number } }).location.line, 1);
    }
    const fine: ExploreJob = { ...job, source: 'define void @f() "target-cpu"="gfx906" {\n  ret void\n}\n', ...{} };
    const spec = '{"grid": [1], "block": [64], "args": [{"buffer": "u8", "fill": {"file": "/etc/passwd"}}]}';
    const refused = await explorer
      .answer({ kind: 'launch', job: fine, spec, simulation: {} })
      .catch((thrown: unknown) => thrown);
    assert.match((refused as Error).message, /reads no files/);
  }));

test.run();
