/**
 * Divergence profiles: a kernel whose idle lanes are known by hand, in each way that LLVM writes the other side of a
 * branch; and what must hold of every profile, for the modules of kernels/.
 */
import { PLAIN_MODULES, readSizedSpecs, readSpecs, type KernelLaunch } from '../../../kernels/references/specs.js';
import { createCompiler } from '../../../src/compiler/compiler.js';
import type { JobOptions } from '../../../src/job/options.js';
import { parseSpec, type LaunchSpec } from '../../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION, type SimulationOptions } from '../../../src/simulator/options.js';
import type { LaunchProfile, ProfileFigures } from '../../../src/simulator/profile/profile.js';
import { simulate, type LaunchResult } from '../../../src/simulator/run.js';
import { decoded, type Decoded } from '../../support/kernel-launch.js';
import { artifact, compile, kernel } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

/** The plain kernels in three ways, those of several sizes in one. */
const ALL = [
  ['gfx906', { meld: 'off' }, [...readSpecs(PLAIN_MODULES), ...onePerModule()]],
  ['gfx906', { profit: 'paper', threshold: 0.05 }, readSpecs(PLAIN_MODULES)],
  ['gfx1100', { meld: 'off' }, readSpecs(PLAIN_MODULES)],
] as const satisfies readonly (readonly [string, Partial<JobOptions>, readonly KernelLaunch[]])[];

const test = suite('simulator/profile', { tests: 9 + ALL.length, timeoutMs: 120_000 });

function onePerModule(): readonly KernelLaunch[] {
  const threads = ({ spec }: KernelLaunch): number => spec.launches[0]!.block.reduce((all, size) => all * size);
  return [...readSizedSpecs().values()].map((sizes) => sizes.toSorted((a, b) => threads(a) - threads(b))[0]!);
}

const WAVES = 3;

/** A kernel for gfx906 that executes lines of assembly. */
const module = (lines: readonly string[]): string => `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @by_hand() #0 {
  call void asm sideeffect "${lines.join('\\0A')}", "~{s8},~{s9},~{s10},~{s11},~{s12},~{s13},~{s14},~{s15},~{v1},~{vcc},~{scc}"()
  ret void
}
attributes #0 = { "target-cpu"="gfx906" "amdgpu-flat-work-group-size"="1,256" }
`;

const specOf = (block: number): LaunchSpec =>
  parseSpec(JSON.stringify({ grid: [WAVES], block: [block], args: [] }), () => new Uint8Array());

async function run(
  { object, disassembly }: Decoded,
  spec: LaunchSpec,
  options: Partial<SimulationOptions> = { profile: true },
): Promise<LaunchResult> {
  const all = { ...DEFAULT_SIMULATION, ...options };
  return (await simulate({ object, spec, options: all, disassembly: () => disassembly })).launches[0]!;
}

async function profileOf(lines: readonly string[], block = 64): Promise<LaunchProfile> {
  return (await run(await decoded(new TextEncoder().encode(module(lines)), { meld: 'off' }), specOf(block))).profile!;
}

/** Branches that cost something, by their mnemonic. */
const branches = ({ branches: all, instructions }: LaunchProfile) =>
  all
    .filter(({ parted, idleLanes }) => parted > 0 || idleLanes > 0)
    .map(({ instruction, executed, parted, splits, idleLanes }) => ({
      name: instructions[instruction]!.text.replace(/ .*/, ''),
      ...{ executed, parted, splits, idleLanes },
    }));

const THEN_8 = ['s_mov_b64 s[8:9], 0xff', 's_and_saveexec_b64 s[10:11], s[8:9]'];
const EXPECTED = {
  name: 's_and_saveexec_b64',
  executed: WAVES,
  parted: WAVES,
  splits: [{ on: 8, off: 56, times: WAVES }],
};

test('the lanes of both sides of a branch wait for each other', async () => {
  const profile = await profileOf([
    ...THEN_8,
    ...['v_mov_b32 v1, 1', 'v_mov_b32 v1, 2', 'v_mov_b32 v1, 3'],
    's_andn2_saveexec_b64 s[12:13], s[10:11]',
    ...['v_mov_b32 v1, 4', 'v_mov_b32 v1, 5'],
    's_or_b64 exec, exec, s[12:13]',
    'v_mov_b32 v1, 6',
  ]);
  // Three moves and the switch with 8 lanes; two moves and the join with 56.
  assert.equal(branches(profile), [{ ...EXPECTED, idleLanes: WAVES * (4 * 56 + 3 * 8) }]);
  const moves = profile.instructions.filter(({ text }) => text.startsWith('v_mov'));
  assert.equal(
    moves.map(({ lanes }) => lanes),
    [8, 8, 8, 56, 56, 64].map((lanes) => WAVES * lanes),
  );
  assert.equal(
    moves[0]!.laneCounts,
    Array.from({ length: 64 }, (_, lane) => (lane < 8 ? WAVES : 0)),
  );
  assert.equal(
    moves[3]!.laneCounts,
    Array.from({ length: 64 }, (_, lane) => (lane < 8 ? 0 : WAVES)),
  );
});

test('the other side, opened with all lanes and then narrowed', async () => {
  const profile = await profileOf([
    ...THEN_8,
    's_xor_b64 s[10:11], exec, s[10:11]',
    'v_mov_b32 v1, 1',
    's_or_saveexec_b64 s[12:13], s[10:11]',
    'v_mov_b32 v1, 2',
    's_xor_b64 exec, exec, s[12:13]',
    'v_mov_b32 v1, 3',
    's_or_b64 exec, exec, s[12:13]',
  ]);
  // Three instructions with 8 lanes, two with all, two with 56.
  assert.equal(branches(profile), [{ ...EXPECTED, idleLanes: WAVES * (3 * 56 + 2 * 8) }]);
});

test('a branch in a branch: each has its own lanes', async () => {
  const profile = await profileOf([
    ...THEN_8,
    's_mov_b64 s[12:13], 3',
    's_and_saveexec_b64 s[14:15], s[12:13]',
    'v_mov_b32 v1, 1',
    's_mov_b64 exec, s[14:15]',
    'v_mov_b32 v1, 2',
    's_mov_b64 exec, s[10:11]',
  ]);
  const [outer, inner] = branches(profile);
  // The outer one keeps 56 lanes waiting for six instructions, the inner one 6 for two.
  assert.is(outer!.idleLanes, WAVES * 6 * 56);
  assert.is(inner!.idleLanes, WAVES * 2 * 6);
  assert.equal(inner!.splits, [{ on: 2, off: 6, times: WAVES }]);
});

test('lanes that leave a loop early wait for the others', async () => {
  // Lane n runs n + 1 times, in all 64 rounds.
  const profile = await profileOf([
    'v_mov_b32 v1, v0',
    's_mov_b64 s[10:11], exec',
    'again:',
    'v_cmp_eq_u32 vcc, 0, v1',
    'v_sub_u32 v1, v1, 1',
    's_andn2_b64 exec, exec, vcc',
    's_cbranch_execnz again',
    's_mov_b64 exec, s[10:11]',
  ]);
  const [exit] = branches(profile);
  assert.is(exit!.name, 's_andn2_b64');
  assert.is(exit!.executed, WAVES * 64);
  // In the last round the last lane leaves: nobody goes on, so nobody parts.
  assert.is(exit!.parted, WAVES * 63);
  assert.is(exit!.splits.length, 64);
  // Round r begins with r lanes idle for three instructions, and its jump has one more.
  const idle = Array.from({ length: 64 }, (_, round) => 3 * round + (round + 1)).reduce((a, b) => a + b);
  assert.is(exit!.idleLanes, WAVES * (idle + 64));
  const [jump] = profile.jumps;
  assert.equal([jump!.executed, jump!.taken], [WAVES * 64, WAVES * 63]);
});

test('a branch at which all lanes agree costs nothing', async () => {
  const profile = await profileOf(['s_mov_b64 s[8:9], -1', 's_and_saveexec_b64 s[10:11], s[8:9]', 's_nop 0']);
  assert.equal(branches(profile), []);
  assert.equal(
    profile.branches.map(({ executed, parted, splits }) => ({ executed, parted, splits })),
    [{ executed: WAVES, parted: 0, splits: [] }],
  );
  assert.is(profile.time!.lostCycles, 0);
});

test('lanes without a work-item belong to no branch', async () => {
  const profile = await profileOf(['v_mov_b32 v1, 1'], 48);
  assert.equal(branches(profile), []);
  assert.is(profile.unfilled.idleLanes, 16 * profile.executed);
  assert.is(profile.unfilled.time!.lostCycles, profile.time!.cycles / 4);
});

test('what an instruction waits for', async () => {
  const text = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @load(ptr addrspace(1) %p) #0 {
  %v = load volatile i32, ptr addrspace(1) %p
  %s = add i32 %v, 1
  store volatile i32 %s, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "target-cpu"="gfx906" }
`;
  const spec = parseSpec(
    JSON.stringify({ grid: [1], block: [64], args: [{ buffer: 'i32', length: 1 }] }),
    () => new Uint8Array(),
  );
  const { profile } = await run(await decoded(new TextEncoder().encode(text), { meld: 'off' }), spec);
  const { instructions } = profile!;
  const waits = instructions
    .filter(({ waitedFor }) => waitedFor.length > 0)
    .map(({ text: own, time, waitedFor: [first] }) => {
      const [kind] = Object.entries(time!.waits).sort(([, a], [, b]) => b - a)[0]!;
      assert.is(first!.waveCycles, time!.waits[kind as 'lds']);
      return [own, kind, instructions[first!.instruction]!.text.replace(/ .*/, '')];
    });
  assert.equal(waits, [
    ['s_waitcnt lgkmcnt(0)', 'scalarMemory', 's_load_dwordx2'],
    ['s_waitcnt vmcnt(0)', 'vectorMemory', 'global_load_dword'],
    ['s_waitcnt vmcnt(0)', 'vectorMemory', 'global_store_dword'],
  ]);
});

test.long('the number of threads does not show', async () => {
  const lines = [...THEN_8, 's_andn2_saveexec_b64 s[12:13], s[10:11]', 'v_mov_b32 v1, 4'];
  const object = artifact(await compile(module(lines), { emit: ['hsaco'], meld: 'off' }), 'hsaco');
  // More workgroups than the parts of a launch begin with.
  const spec = parseSpec(JSON.stringify({ grid: [1000], block: [64], args: [] }), () => new Uint8Array());
  const profiles: LaunchProfile[] = [];
  for (const threads of [0, 3]) {
    await using compiler = createCompiler({ threads, tierPolicy: 'short' });
    profiles.push((await compiler.simulate(object, spec, { profile: true })).launches[0]!.profile!);
  }
  assert.equal(profiles[0], profiles[1]);
});

test('without the option there is none', async () => {
  const code = await decoded(new TextEncoder().encode(module(THEN_8)), { meld: 'off' });
  assert.is((await run(code, specOf(64), {})).profile, null);
  assert.is((await run(code, specOf(64), { profile: true, cycles: false })).profile!.time, null);
});

/** Held against the counters of a run without a profile. */
function checkSums({ counters, cycles }: LaunchResult, profile: LaunchProfile): void {
  const { instructions, waveSize } = profile;
  const sum = <T>(all: readonly T[], of: (each: T) => number): number =>
    all.reduce((total, each) => total + of(each), 0);
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, a, b);
  const ofKind = (...kinds: readonly string[]) => instructions.filter(({ kind }) => kinds.includes(kind));
  const executed = (...kinds: readonly string[]): number => sum(ofKind(...kinds), (each) => each.executed);

  for (const kind of ['valu', 'salu', 'smem', 'lds', 'vmemRead', 'vmemWrite', 'branch', 'barrier'] as const)
    assert.is(executed(kind), counters[kind], kind);
  assert.is(profile.executed, counters.instructions);
  assert.is(profile.waves, counters.waves);
  assert.is(
    sum(ofKind('valu'), ({ lanes }) => lanes),
    counters.activeLanes,
  );
  assert.is(
    sum(ofKind('vmemRead', 'vmemWrite', 'vmemOther'), ({ transactions }) => transactions),
    counters.cacheLines,
  );
  assert.is(profile.time!.cycles, cycles);
  for (const each of instructions) {
    assert.is(
      sum(each.laneCounts, (count) => count),
      each.lanes,
    );
    assert.is(sum(Object.values(each.time!.waits), (spent) => spent), each.time!.waveCycles); // prettier-ignore
  }
  // Every grouping of the instructions has all of them.
  const parts: readonly (readonly ProfileFigures[])[] = [instructions, profile.blocks, profile.functions];
  for (const all of parts) {
    assert.is(sum(all, (each) => each.executed), profile.executed); // prettier-ignore
    assert.is(sum(all, ({ lanes }) => lanes), profile.lanes); // prettier-ignore
    for (const field of ['cycles', 'waveCycles', 'idleLaneCycles'] as const)
      assert.is(sum(all, ({ time }) => time![field]), profile.time![field]); // prettier-ignore
  }
  // Every idle lane has its branch.
  assert.is(
    sum(profile.branches, ({ idleLanes }) => idleLanes) + profile.unfilled.idleLanes,
    profile.executed * waveSize - profile.lanes,
  );
  const lost = sum(profile.branches, ({ time }) => time!.lostCycles) + profile.unfilled.time!.lostCycles;
  assert.ok(near(lost, profile.time!.lostCycles), `${lost} ${profile.time!.lostCycles}`);
  // The time line's waves are as long as they are, without gaps.
  const { wave, start, end, lanes, lowMask, highMask, truncated } = profile.timeline!;
  for (let at = 1; at < wave.length; at++)
    if (wave[at] === wave[at - 1] && !truncated) assert.is(start[at], end[at - 1]);
  const bits = (word: number): number => word.toString(2).replaceAll('0', '').length;
  for (const at of wave.keys()) assert.is(bits(lowMask[at]!) + bits(highMask[at]!), lanes[at]);
}

for (const [target, options, specs] of ALL) {
  const register = 'meld' in options ? test.long : test;
  register(
    `the sums are the counters: ${specs.length} kernels, ${target}, ${'meld' in options ? 'not ' : ''}melded`,
    async () => {
      assert.ok(specs.length > 10);
      for (const name of new Set(specs.map(({ module: own }) => own))) {
        const code = await decoded(await kernel(`${name}.${target}.O3`), options);
        for (const { spec } of specs.filter(({ module: own }) => own === name)) {
          const plain = await run(code, spec, {});
          const { profile, ...rest } = await run(code, spec, { profile: true });
          // A profile changes nothing.
          assert.equal({ ...rest, profile: null }, plain);
          checkSums(plain, profile!);
        }
      }
    },
  );
}

test.run();
