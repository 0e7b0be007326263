/** How often waves part, by what decides the condition. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { joinedRegionOf, regionOf, type DivergentRegion } from '../../../src/analysis/regions.js';
import { CostModel } from '../../../src/melding/cost/cost-model.js';
import { bitCount } from '../../../src/melding/cost/lane-sets.js';
import { WaveSamples } from '../../../src/melding/cost/wave-samples.js';
import { WaveGains, type ByWave } from '../../../src/melding/decide/wave-choice.js';
import type { Effect } from '../../../src/melding/draft/evaluate.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/wave-samples', { tests: 48 });

const NO_EFFECT: Effect = { net: 0, vain: { t: 0, f: 0 }, idle: { t: 0, f: 0 }, blocks: [], scattered: 0 };

const sharesAt = (s: ReturnType<typeof snapshot>, branch: string): ByWave => gainsAt(s, branch).mean;

const gainsAt = (s: ReturnType<typeof snapshot>, branch: string): WaveGains =>
  new WaveGains(new WaveSamples(s.f, analysesOf(s.f)), regionAt(s, branch));

function regionAt(s: ReturnType<typeof snapshot>, branch: string): DivergentRegion {
  const region = regionOf(analysesOf(s.f), s.block(branch));
  if (region.kind === 'refused') throw new Error(region.problem);
  return region;
}

/** The share of waves that part at `branch if`, which ends in a branch on %c. */
const shares = (lines: string, about: { head?: string; attribute?: string } = {}): ByWave =>
  sharesAt(branching(lines, about), 'if');

const branching = (lines: string, { head = 'func kernel', attribute = '' } = {}): ReturnType<typeof snapshot> =>
  snapshot(`
    ${head}
    arg %n i32
    arg %m i32
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %group = call @llvm.amdgcn.workgroup.id.x
      %base = mul %group 256
      %gid = add %base %tid
      %at = gep %p %gid
      %data = load %at !as=1
      %other = load %at !as=1 !type=float
      %more = load %at !as=1 !type=float
      br if
    if:
      ${lines}
      br %c then else ${attribute}
    then:
      br join
    else:
      br join
    join:
      ret
  `);

test('bits of thread numbers part every wave, or none', () => {
  assert.is(shares('%b = and %tid 1\n %c = icmp eq %b 0').parted, 1);
  assert.is(shares('%b = and %tid 32\n %c = icmp ne %b 0').parted, 1);
  assert.is(shares('%b = and %tid 64\n %c = icmp ne %b 0').parted, 0);
  assert.is(shares('%b = and %tid 32\n %c = icmp ne %b 0', { head: 'func kernel wave=32' }).parted, 0);
  // The parity of several bits.
  assert.is(shares('%h = lshr %tid 1\n %x = xor %tid %h\n %b = and %x 1\n %c = icmp eq %b 0').parted, 1);
});

test('another drawing has other waves, but what is known stays as it is', () => {
  const constants: { drawing: number } = CostModel;
  const launches = (lines: string): readonly number[] => {
    const { f, block } = branching(lines);
    return [...new WaveSamples(f, analysesOf(f)).wavesAt(block('if')).all];
  };
  const [data, known] = ['%c = icmp sgt %data %m', '%b = and %tid 64\n %c = icmp ne %b 0'];
  const [dataBefore, knownBefore] = [launches(data), launches(known)];
  try {
    constants.drawing = 1;
    assert.not.equal(launches(data), dataBefore);
    assert.equal(launches(known), knownBefore);
  } finally {
    constants.drawing = 0;
  }
  assert.equal(launches(data), dataBefore);
});

test('the ways at a switch are the same whatever was asked before', () => {
  // A tree of so many values that they are forgotten for the next question.
  const count = 1100;
  const values = Array.from({ length: count }, (_, k) =>
    2 * k + 2 < count ? `%v${k} = gep %v${2 * k + 1} %v${2 * k + 2}` : `%v${k} = load %at !as=1`,
  ).reverse();
  const ways = (isAskedBefore: boolean): Uint8Array[] => {
    const { f, block } = snapshot(`
      func kernel
      arg %p ptr1
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %at = gep %p %tid
        %data = load %at !as=1
        %c = icmp sgt %data 0
        ${values.join('\n')}
        %w = load %v0
        %way = and %w 3
        br %c pick join
      pick:
        switch %way join 0 one 1 two
      one:
        br join
      two:
        br join
      join:
        ret
    `);
    const waves = new WaveSamples(f, analysesOf(f));
    if (isAskedBefore) waves.comesTo(block('pick'));
    return waves.waysAt(block('pick'));
  };
  assert.equal(ways(false), ways(true));
});

test('what lies behind a case of a divergent switch is judged for the threads that take it', () => {
  const { f, block } = snapshot(`
    func kernel
    arg %p ptr1 never
    arg %n i32 never
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %way = and %tid 3
      %odd = and %tid 1
      %c = icmp eq %odd 0
      %all = icmp slt %tid 9999
      br %all pick join
    pick:
      switch %way rest 0 even 2 even 9 never 3 join
    even:
      br %c x join
    never:
      br %c y join
    rest:
      br %c z join
    x:
      br join
    y:
      br join
    z:
      br join
    join:
      ret
  `);
  const waves = new WaveSamples(f, analysesOf(f));
  const all = (at: string) => waves.wavesAt(block(at)).all.every((bits) => bits === 0b1111);
  const none = (at: string) => waves.wavesAt(block(at)).none.every((bits) => bits === 0b1111);
  assert.ok(all('even'));
  assert.is(waves.shareComing(block('never')), 0);
  assert.ok(none('rest'));
});

test('a row of a plane is a wave in some launches, and part of one otherwise', () => {
  const odd = '%row = call @llvm.amdgcn.workitem.id.y !never !source=ThreadY\n %b = and %row 1\n %c = icmp eq %b 0';
  assert.is(shares(odd).parted, 0.75);
  assert.is(shares(odd, { head: 'func kernel wave=32' }).parted, 0.5);
  // What the function requires is known.
  assert.is(shares(odd, { head: 'func kernel wave=32 group=16x16x1' }).parted, 1);
  assert.is(shares(odd, { head: 'func kernel wave=32 group=32x8x1' }).parted, 0);
});

test('one bit after the other of data parts waves nearly as often as the last one', () => {
  // An argument may be any size; as an amount of bits it is less than 32.
  const { parted } = shares('%s = lshr %data %n\n %b = and %s 1\n %c = icmp eq %b 0');
  assert.ok(parted > 0.55, `${parted}`);
});

test('the upper bits of a byte are one of sixteen numbers', () => {
  const byte = '%byte = load %at !as=1 !type=i8\n %word = zext %byte !type=i32\n %upper = lshr %word 4';
  const { parted } = shares(`${byte}\n %c = icmp eq %upper 3`);
  // In a quarter of the launches, most waves are alike.
  assert.ok(Math.abs(parted - 0.75) < 0.05, `${parted}`);
});

test('a constant bound parts the wave that it falls into', () => {
  assert.is(shares('%c = icmp slt %tid 128').parted, 0);
  assert.is(shares('%c = icmp slt %tid 100').parted, 0.25);
  assert.is(shares('%c = icmp eq %tid 0').parted, 0.25);
  assert.is(shares('%c = icmp slt %tid 32', { head: 'func kernel group=32x8x1' }).parted, 0);
  // All threads of a group of this shape.
  assert.is(shares('%c = icmp slt %tid 32', { head: 'func kernel group=32x8x1' }).all, 1);
});

test('a bound that is the same for all threads rarely parts waves', () => {
  assert.ok(shares('%c = icmp slt %gid %n').parted < 0.1);
  assert.ok(shares('%last = sub %n 1\n %c = icmp eq %gid %last').parted < 0.1);
});

test('borders of rows part some waves', () => {
  const { parted, none } = shares('%x = srem %gid %n\n %c = icmp eq %x 0');
  assert.ok(parted > 0.01 && parted < 0.5, `${parted}`);
  assert.ok(none > 0.5);
});

test('ordered data part most waves, not all', () => {
  for (const compare of ['icmp slt %data %n', 'icmp sgt %data 0', 'fcmp olt %other 1.5'])
    assert.ok(Math.abs(shares(`%c = ${compare}`).parted - 0.78) < 0.1, compare);
});

test('coordinates part the waves on the border', () => {
  const of = (number: string, computed = '%y = fmul %f %other'): number =>
    shares(`%f = uitofp ${number} !type=float\n ${computed}\n %c = fcmp olt %y 1.5:float`).parted;
  const smooth = [
    '%x = fmul %f 0.5:float\n %y = fadd %x 0.5:float',
    '%s = uitofp %n !type=float\n %x = fdiv %f %s\n %y = call @llvm.fmuladd %x %x %s !type=float',
  ];
  for (const computed of smooth) assert.ok(of('%gid', computed) < 0.15, computed);
  // Whole numbers of it are coordinates, too.
  assert.ok(of('%gid', '%t = fmul %f 0.5:float\n %cell = fptosi %t !type=i32\n %y = sitofp %cell !type=float') < 0.15);
  // So are rows of eight threads.
  const ofBits = (mask: number): number => {
    const bits = `%b = and %tid ${mask}\n %f = uitofp %b !type=float`;
    return shares(`${bits}\n %y = fmul %f 0.5:float\n %c = fcmp olt %y 1.5:float`).parted;
  };
  assert.ok(ofBits(7) < 0.15 && ofBits(3) > 0.4, `${ofBits(7)} ${ofBits(3)}`);
  // Hashes are not, whether they overflow or not.
  for (const head of ['func kernel', 'func kernel wave=32']) {
    const multiplied = '%h = mul %gid 1640531527\n %f = uitofp %h !type=float';
    const shifted =
      '%h = mul %gid 40503\n %s = lshr %h 5\n %x = xor %h %s\n %y = and %x 255\n %f = uitofp %y !type=float';
    for (const hash of [multiplied, shifted])
      assert.ok(shares(`${hash}\n %z = fmul %f 0.5:float\n %c = fcmp olt %z 1.5:float`, { head }).parted > 0.4, hash);
  }
  // Data are not, nor what is periodic.
  assert.ok(of('%gid') > 0.6);
  assert.ok(of('%gid', '%y = call @llvm.sin %f !type=float') > 0.6);
});

test('bounds that all threads share leave a number what it is', () => {
  const odd = (call: string): number =>
    shares(`%x = call ${call} !+Commutative\n %b = and %x 1\n %c = icmp eq %b 0`).parted;
  assert.equal([odd('@llvm.smax %tid 1'), odd('@llvm.smin %n %tid'), odd('@llvm.smax %group %n')], [1, 1, 0]);
  // Other functions, numbers of two threads, data, and a constant that cuts numbers off.
  for (const call of [
    '@f %tid 1',
    '@llvm.smax %tid %gid',
    '@llvm.smax %data 1',
    '@llvm.fshl %tid %tid 3',
    '@llvm.umin %tid 3',
  ])
    assert.ok(odd(call) < 1, call);
  assert.ok(shares('%x = call @llvm.usub.sat %tid 1\n %b = and %x 1\n %c = icmp eq %b 0').parted < 1);
});

test('coordinates that are computed two at a time', () => {
  const bitOf = (element: number): number => {
    const pair = '%v = insertelement poison:v2xi32 %tid 0\n %w = insertelement %v %group 1';
    const twice = '%s = add %w %w\n %z = zext %s !type=v2xi64';
    return shares(
      `${pair}\n ${twice}\n %e = extractelement %z ${element} !type=i64\n %b = and %e 2\n %c = icmp eq %b 0`,
    ).parted;
  };
  assert.equal([bitOf(0), bitOf(1)], [1, 0]);
  // Bits that are cut off are not followed (one wave of four has a thread 0), nor an element that is not known.
  const pair = '%v = insertelement poison:v2xi32 %tid 0\n %w = insertelement %v %tid 1';
  const byte = '%t = trunc %w !type=v2xi8\n %e = extractelement %t 0 !type=i8\n %c = icmp eq %e 0';
  assert.ok(shares(`${pair}\n ${byte}`).parted !== 0.25);
  assert.ok(shares(`${pair}\n %e = extractelement %w %n !type=i32\n %b = and %e 1\n %c = icmp eq %b 0`).parted < 1);
});

test('a launch begins at its first thread, and a group is as large as is supposed', () => {
  // The last of eight rows is in one of four waves.
  const s = branching(
    [
      '%hidden = call @llvm.amdgcn.implicitarg.ptr !type=ptr4',
      '%at0 = gep %hidden 40',
      '%start = load %at0 !as=4 !type=i64',
      '%at1 = gep %hidden 14',
      '%height = load %at1 !as=4 !type=i16',
      '%size = zext %height !type=i64',
      '%row = call @llvm.amdgcn.workitem.id.y !never !source=ThreadY !type=i64',
      '%y = add %row %start',
      '%last = sub %size 1',
      '%c = icmp eq %y %last',
    ].join('\n'),
    { head: 'func kernel group=32x8x1' },
  );
  const offsets: Record<string, number> = { '%at0': 40, '%at1': 14 };
  for (const [name, offset] of Object.entries(offsets)) s.f.valueOffset[s.value(name)] = offset;
  assert.equal(sharesAt(s, 'if'), { parted: 0.25, all: 0, none: 0.75 });
});

test('sorted data are as often large as small', () => {
  // Whatever is drawn for a value: its number differs by what stands in front of it.
  for (let k = 0; k < 8; k++) {
    const front = Array.from({ length: k }, (_, n) => `%x${n} = add %data ${n + 1}`).join('\n');
    const { all, none } = shares(`${front}\n %c = icmp slt %data %n`);
    assert.ok(Math.abs(all - none) < 0.1, `${all} and ${none}`);
  }
});

test('constants that 32 bits do not hold: a bit of data is as uncertain as an order, a mask leaves thread numbers', () => {
  const parted = (bit: string): number =>
    shares(`%wide = zext %data !type=i64\n %b = and %wide ${bit} !type=i64\n %c = icmp eq %b 0`).parted;
  assert.ok(Math.abs(parted(String(2 ** 32)) - shares('%c = icmp slt %data %n').parted) < 0.1);
  const low = `%wide = zext %tid !type=i64\n %low = and %wide ${2 ** 32 - 1} !type=i64\n %b = and %low 1 !type=i64`;
  assert.is(shares(`${low}\n %c = icmp eq %b 0`).parted, 1);
});

test('data that are gathered by an index part more waves than data in the order of threads', () => {
  const gathered = ['%index = add %data 1', '%there = gep %p %index', '%far = load %there !as=1'].join('\n ');
  const parted = (x: string, compare: string): number => shares(`${gathered}\n ${compare.replaceAll('X', x)}`).parted;
  // So do their kinds and classes.
  const kinds = ['%k = icmp eq X 4\n %c = icmp eq X 3', '%k = and X 3\n %c = icmp eq %k 1'];
  for (const compare of ['%c = icmp slt X %n', '%c = icmp eq X 0', '%c = trunc X !type=i1', ...kinds]) {
    const more = parted('%far', compare) - parted('%data', compare);
    assert.ok(more > 0 && more < 0.2, `${compare}: ${more}`);
  }
});

/** @param large what is done on the side of F @param sides of the branch, T first */
const ofAngle = (large: string, sides = 'then else'): ByWave =>
  sharesAt(
    snapshot(`
      func kernel
      arg %p ptr1 never
      arg %x double never
      entry:
        %angle = load %p !as=1 !type=float
        %wide = load %p !as=1 !type=i64
        br if
      if:
        %c = fcmp olt %angle %angle
        br %c ${sides}
      then:
        br join
      else:
        ${large}
        br join
      join:
        ret
    `),
    'if',
  );

test('the uppermost bits of a loaded number are a tag, which most numbers do not have', () => {
  const tagged = (number: string): number =>
    shares(`%x = xor %data 12345\n %t = lshr ${number} 30\n %c = icmp eq %t 1`).parted;
  assert.ok(tagged('%data') < 0.4, `${tagged('%data')}`);
  // Random numbers are computed.
  assert.ok(tagged('%x') > 0.6, `${tagged('%x')}`);
  // What is looked up by a tag is the same for most threads.
  const looked = '%t = lshr %data 30\n %q = gep %p %t\n %l = load %q !as=1 !type=float\n';
  const byTag = shares(`${looked} %c = fcmp ogt %l 1.0`).parted;
  assert.ok(byTag < 0.4 && byTag > 0, `${byTag}`);
});

test('hardly any thread has an angle that wants 2/π to hundreds of bits', () => {
  const [usual, rare] = [ofAngle('%d = mul %wide 12345 !type=i64'), ofAngle('%d = mul %wide 1011060801 !type=i64')];
  assert.ok(usual.parted > 0.5, `${usual.parted}`);
  assert.ok(rare.parted < 0.2 && rare.none < 0.1, `${rare.parted}`);
  assert.ok(ofAngle('%d = mul %wide 1313084713 !type=i64', 'else then').all < 0.1);
  // For doubles, an intrinsic gives the digits.
  const preop = (from: number): ByWave => ofAngle(`%d = call @llvm.amdgcn.trig.preop.f64 %x ${from} !type=double`);
  assert.ok(preop(0).parted < 0.2);
  assert.ok(preop(1).parted > 0.5);
});

test('hardly any computed float is next to nothing, or larger than data are', () => {
  const given = `
    %s = fmul %other %other
    %sum = call @llvm.fma %more %more %s !type=float
    %both = fadd %s %sum !type=float
    %shifted = fadd %s %more !type=float
    %fused = call @llvm.fma %more %more %less !type=float
    %root = call @llvm.sqrt %both !type=float
    %less = fsub %other %more !type=float
    %size = call @llvm.fabs %other !type=float
    %least = call @llvm.minnum %other %more !type=float
    %one = select %tid %other %more
    %read = call @llvm.amdgcn.raw.buffer.load %other %more %other !type=float !+MayReadMemory`;
  const share = (compare: string): ByWave => shares(`${given}\n %c = fcmp ${compare}`);
  const rare = ['olt %sum 1.0e-38', 'ogt %sum 1.0e30', 'oeq %sum inf', 'uge %sum inf', 'olt %sum -1.0e30'];
  for (const each of [...rare, 'olt %both 1.0e-300', 'ole %root 1.0e-30', 'ogt %less 1.0e30'])
    assert.ok(share(each).none > 0.85, each);
  for (const each of ['ogt %sum 1.0e-38', 'olt %sum 1.0e30', 'une %sum inf', 'ogt %sum -1.0e30', 'oge %root 1.0e-38'])
    assert.ok(share(each).all > 0.85, each);
  // Tolerances, signs, and marks for what was not found.
  const open = ['olt %sum 1.0e-24', 'olt %sum -1.0e-38', 'olt %less 1.0e-38', 'olt %least 1.0e30', 'olt %one 1.0e30'];
  const signed = ['olt %shifted 1.0e-38', 'olt %fused 1.0e-38'];
  for (const each of [...open, ...signed, 'olt %other 1.0e30', 'olt %size 1.0e30', 'olt %read 1.0e30'])
    assert.ok(share(each).parted > 0.5, each);
  // Such a bound is not one of several.
  const alone = shares(`${given}\n %c = fcmp olt %sum 2.5`);
  assert.equal(shares(`${given}\n %c = fcmp olt %sum 2.5\n %d = fcmp olt %sum 1.0e-38`), alone);
});

test('numbers are forgotten with all that was computed from them', () => {
  const ask = (samples: WaveSamples, s: ReturnType<typeof snapshot>): ByWave =>
    new WaveGains(samples, regionAt(s, 'if')).mean;
  const samplesOf = (s: ReturnType<typeof snapshot>): WaveSamples => new WaveSamples(s.f, analysesOf(s.f));
  const [first, second] = ['%c = icmp slt %data %n', '%y = fadd %other %more !type=float\n %c = fcmp olt %y 0.5'].map(
    (lines) => branching(lines),
  ) as [ReturnType<typeof snapshot>, ReturnType<typeof snapshot>];
  const expected = ask(samplesOf(second), second);
  const samples = samplesOf(second);
  samples.values.numbersOf(second.value('%c'));
  samples.values.forget();
  // Another function takes the memory that was given back.
  ask(samplesOf(first), first);
  assert.equal(ask(samples, second), expected);
});

test('a wave is at blocks for as long as it comes to them', () => {
  const s = snapshot(`
    func kernel
    arg %p ptr1 never
    entry:
      %angle = load %p !as=1 !type=float
      %wide = load %p !as=1 !type=i64
      br if
    if:
      %c = fcmp olt %angle 2.0
      br %c then else
    then:
      %large = fcmp ogt %angle 3.0
      br %large slow fast
    slow:
      %d = mul %wide 1011060801 !type=i64
      br fast
    fast:
      br join
    else:
      br join
    join:
      ret
  `);
  const block = { f: -1, passed: true, net: 0, waiting: 0 } as const;
  const blocks = [
    { ...block, t: s.block('slow'), vain: { t: 1000, f: 0 } },
    { ...block, t: s.block('fast'), vain: { t: 100, f: 0 } },
  ];
  const work = gainsAt(s, 'if').workOfParted({ ...NO_EFFECT, vain: { t: 1110, f: 20 }, blocks });
  assert.ok(work >= 130 && work < 400, `${work}`);
});

test('equality with a number is rarer than order, and a test for not-a-number rarer still', () => {
  const { parted, none } = shares('%c = icmp eq %data 777');
  assert.ok(parted > 0.2 && parted < 0.6, `${parted}`);
  assert.ok(none > 0.4);
  assert.ok(shares('%c = icmp ne %data 777').all > 0.4);
  assert.ok(shares('%c = fcmp uno %other %other').parted < 0.2);
});

test('data that are compared with several numbers are of a kind', () => {
  const kinds = (others: readonly number[]): string =>
    ['%c = icmp eq %data 3', ...others.map((k) => `%k${k + 100} = icmp eq %data ${k}`)].join('\n ');
  const parted = (...others: readonly number[]): number => shares(kinds(others)).parted;
  const alone = parted();
  assert.ok(parted(4) > alone + 0.05 && parted(4, 5, 6) > alone + 0.05, `${alone} ${parted(4)}`);
  // The same number again, or one that stands for what is missing, makes no kinds.
  assert.equal([parted(3), parted(-1)], [alone, alone]);
  // No two kinds at once.
  const both = shares('%a = icmp eq %data 3\n %b = icmp eq %data 4\n %c = and %a %b !type=i1');
  assert.equal(both, { parted: 0, all: 0, none: 1 });
  const either = shares('%a = icmp eq %data 3\n %b = icmp eq %data 4\n %c = or %a %b !type=i1');
  assert.ok(either.all > 0, `${either.all}`);
});

test('where a number lies answers all that is asked of its order', () => {
  const both = (a: string, b: string): ByWave => shares(`%a = ${a}\n %b = ${b}\n %c = and %a %b !type=i1`);
  const never = { parted: 0, all: 0, none: 1 };
  assert.equal(both('fcmp olt %other 1.0', 'fcmp uge %other 5.5'), never);
  assert.equal(both('fcmp olt %other 1.0', 'fcmp ogt %other 1.0'), never);
  assert.equal(both('icmp sgt %data 7', 'icmp slt %data 8'), never);
  assert.equal(both('icmp ult %data 8', 'icmp ugt %data -9'), never);
  // Of two numbers.
  assert.equal(both('icmp sgt %data %n', 'icmp sgt %n %data'), never);
  assert.equal(both('fcmp olt %other %more', 'fcmp olt %more %other'), never);
  const isLess = shares('%c = fcmp olt %other 1.0\n %d = fcmp olt %other 5.5');
  assert.equal(both('fcmp olt %other 1.0', 'fcmp olt %other 5.5'), isLess);
  const between = both('fcmp oge %other 1.0', 'fcmp olt %other 5.5');
  assert.ok(between.parted > 0.5 && between.all > 0, JSON.stringify(between));
});

test('all thresholds of a number are asked of the same launches', () => {
  const chain = (k: number): string =>
    [1, 2, 3].map((n) => `%${n === k ? 'c' : `c${n}`} = fcmp olt %other ${n}.5`).join('\n ');
  const whole = [1, 2, 3].map((k) => shares(chain(k)));
  const rates = whole.map(({ all, parted }) => all + parted / 2);
  assert.ok(rates[0]! < rates[1]! && rates[1]! < rates[2]!, String(rates));
  // In a quarter of the launches, nearly all waves lie between the same two.
  const inside = '%a = fcmp oge %other 1.5\n %b = fcmp olt %other 2.5\n %c = and %a %b !type=i1';
  assert.ok(shares(inside).parted <= 0.8, JSON.stringify(shares(inside)));
});

test('a bound that is not known says nothing, nor does a compare alone, nor one of very many', () => {
  const alone = shares('%c = icmp slt %data 8');
  assert.equal(shares('%c = icmp slt %data 8\n %d = icmp eq %data 0\n %e = icmp slt %data large'), alone);
  assert.equal(shares('%c = icmp slt %data 8\n %d = icmp slt %data 8'), alone);
  const among = (count: number): ByWave =>
    shares(Array.from({ length: count }, (_, k) => `%c${k || ''} = icmp slt %data ${k + 8}`).join('\n'));
  assert.equal(among(65), alone);
  assert.not.equal(among(64), alone);
});

test('data that are the same for all threads are of one kind', () => {
  const { parted } = shares('%one = load %p !as=1\n %d = icmp eq %one 4\n %c = icmp eq %one 3');
  assert.is(parted, 0);
});

test('which of several numbers was chosen is nearly as uncertain as their order', () => {
  const most = '%x = load %at !as=1\n %y = call @llvm.smax %data %x\n %z = call @llvm.smax %y 7';
  const parted = (compare: string): number => shares(`${most}\n %c = icmp ${compare}`).parted;
  for (const compare of ['eq %z %data', 'ne %x %z'])
    assert.ok(parted(compare) > parted('eq %z 777') && parted(compare) < parted('slt %z 777'), compare);
});

test('masks and remainders give data a scale', () => {
  // In a quarter of the launches, nearly all waves have data of one kind.
  const isBetween = (x: number): void => assert.ok(x >= 0.7 && x <= 0.8, String(x));
  isBetween(shares('%b = and %data 3\n %c = icmp eq %b 2').parted);
  isBetween(shares('%b = urem %data 10\n %c = icmp ult %b 5').parted);
  assert.is(shares('%b = and %data 3\n %c = icmp ult %b 4').all, 1);
});

test('and, or and select of conditions', () => {
  const both = shares('%a = icmp slt %tid 128\n %b = icmp sge %tid 64\n %c = and %a %b !type=i1');
  assert.equal(both, { parted: 0, all: 0.25, none: 0.75 });
  const either = shares('%a = icmp slt %tid 64\n %b = icmp sge %tid 192\n %c = or %a %b !type=i1');
  assert.equal(either, { parted: 0, all: 0.5, none: 0.5 });
  assert.is(shares('%a = icmp slt %tid 128\n %b = icmp slt %tid 16\n %c = select %a %b false:i1').parted, 0.25);
});

test('metadata', () => {
  assert.ok(shares('%c = icmp slt %data %n', { attribute: '!taken=1' }).none > 0.85);
  assert.is(shares('%c = icmp eq %data 777', { attribute: '!taken=-2' }).parted, 1);
  // What is known exactly stays.
  assert.is(shares('%b = and %tid 1\n %c = icmp eq %b 0', { attribute: '!taken=1' }).parted, 1);
});

test('the same question on both sides has the same answer', () => {
  const { f, block } = snapshot(`
    func kernel
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %at = gep %p %tid
      %data = load %at !as=1 !type=float
      %b = and %tid 1
      %odd = icmp ne %b 0
      br %odd t f
    t:
      %x = fadd %data %data
      %c = fcmp olt %x %data
      br %c t1 t2
    f:
      %y = fadd %data %data
      %d = fcmp olt %y %data
      br %d f1 f2
    t1:
      br t2
    t2:
      br join
    f1:
      br f2
    f2:
      br join
    join:
      ret
  `);
  const { values } = new WaveSamples(f, analysesOf(f));
  assert.equal(values.condition(block('f')), values.condition(block('t')));
});

test('nested branches are judged for the lanes that come to them', () => {
  const nested = (outer: string): number => {
    const s = snapshot(`
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        ${outer}
        br %o inner join
      inner:
        %b = and %tid 1
        %c = icmp eq %b 0
        br %c then else
      then:
        br join
      else:
        br join
      join:
        ret
    `);
    return sharesAt(s, 'inner').parted;
  };
  assert.is(nested('%o = icmp slt %tid 256'), 1);
  // One lane alone does not part.
  assert.is(nested('%o = icmp eq %tid 3'), 0);
  assert.is(nested('%q = and %tid 1\n %o = icmp eq %q 0'), 0);
});

test('a selector is tried on the ways that lead to both sides', () => {
  // Odd threads come to `t` at once, of the even ones those with bit 1.
  const s = snapshot(`
    func kernel
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %odd = and %tid 1
      %c = icmp ne %odd 0
      br %c t or
    or:
      %bit = and %tid 2
      %d = icmp ne %bit 0
      br %d t f
    t:
      %x = add %tid 1
      br join
    f:
      %y = add %tid 2
      br join
    join:
      ret
  `);
  const analyses = analysesOf(s.f);
  const region = regionOf(analyses, s.block('entry'));
  if (region.kind === 'refused') throw new Error(region.problem);
  const joined = joinedRegionOf(analyses, region)!;
  const samples = new WaveSamples(s.f, analyses);
  assert.is(new WaveGains(samples, joined).mean.parted, 1);
  const { parted, all } = samples.wavesBehind(joined.branch, joined.front!, joined.t.start);
  assert.equal([new Set(parted), new Set(all)], [new Set([15]), new Set([0])]);
  // Nobody comes to the block in front.
  const none = samples.wavesBehind(joined.branch, [], joined.f.start);
  assert.equal(new Set(none.none), new Set([15]));
});

test('no check fails, whatever it compares, but many threads may be done', () => {
  const checked = (end: string): ReturnType<typeof snapshot> =>
    snapshot(`
      func kernel
      arg %n i32
      arg %p ptr1
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %at = gep %p %tid
        %data = load %at !as=1
        %inside = icmp ult %data %n
        br %inside next failed
      next:
        %low = icmp slt %tid 40
        br %low failed last
      last:
        br join
      failed:
        ${end}
      join:
        ret
    `);
  const coming = (s: ReturnType<typeof snapshot>): readonly number[] =>
    ['next', 'last', 'failed'].map((name) => new WaveSamples(s.f, analysesOf(s.f)).shareComing(s.block(name)));
  assert.equal(coming(checked('unreachable')), [1, 1, 0]);
  const ends = 'call @llvm.amdgcn.endpgm !+Convergent !+WritesWaveState\n unreachable';
  for (const end of ['br join', ends]) {
    const [next, , failed] = coming(checked(end));
    assert.ok(next! < 1 && failed! > 0, `${next} ${failed}`);
  }
});

test('behind a question to the wave, it is known that it parts', () => {
  const s = snapshot(`
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %at = gep %p %tid
      %data = load %at !as=1
      %c = icmp slt %data 5
      %taken = call @llvm.amdgcn.ballot %c !type=i64 !always !source=Ballot
      %none = icmp eq %taken 0
      br %none agreed asked
    agreed:
      br join
    asked:
      %active = call @llvm.amdgcn.ballot true:i1 !type=i64 !always !source=Ballot
      %all = icmp eq %taken %active
      br %all agreed2 parted
    agreed2:
      br join
    parted:
      br %c then else
    then:
      br join
    else:
      br join
    join:
      ret
  `);
  assert.is(sharesAt(s, 'parted').parted, 1);
});

/** Lines of so many multiplications. */
const multiplications = (count: number, name = 'm'): string =>
  Array.from({ length: count }, (_, n) => `%${name}${n} = mul %data ${n}`).join('\n');

/** The share of the threads that leave at `entry`, and how many of the waves part there. */
function leaving(
  main: string,
  { condition = '%c = icmp slt %data 0', more = '', end = '', place = '%tid', isSwapped = false, inLoop = false } = {},
): { share: number; parted: number } {
  const s = snapshot(`
    func kernel
    arg %p ptr1
    arg %n i32
    start:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %at = gep %p ${place}
      br entry
    entry:
      ${inLoop ? '%k = phi [0 start] [%next main]' : ''}
      %data = load %at !as=1
      ${condition}
      br %c ${isSwapped ? 'main out' : 'out main'}
    out:
      ${more}
      br join
    main:
      ${main}
      ${inLoop ? '%next = add %k 1\n %again = icmp slt %next %n\n br %again entry join' : 'br join'}
    join:
      ${end}
      ret
  `);
  const samples = new WaveSamples(s.f, analysesOf(s.f));
  const taking = samples.shareTaking(s.block('entry'));
  const parted = samples.wavesAt(s.block('entry')).parted.reduce((sum, waves) => sum + bitCount(waves), 0) / 64;
  return { share: isSwapped ? 1 - taking : taking, parted };
}

const areFew = (share: number): boolean => share > 0.15 && share < 0.3;
const areHalf = (share: number): boolean => Math.abs(share - 0.5) < 0.1;

test('few threads leave early where the main work is on the other side', () => {
  for (const isSwapped of [false, true]) {
    const share = (main: number, out = 0, end = 0): number =>
      leaving(multiplications(main), {
        isSwapped,
        condition: `%c = icmp ${isSwapped ? 'sge' : 'slt'} %data 0`,
        more: multiplications(out, 's'),
        end: multiplications(end, 'e'),
      }).share;
    assert.ok(areFew(share(40)));
    assert.ok(areHalf(share(30)));
    assert.ok(areFew(share(60, 11)));
    // As much as a fourth of the main work, or more than a few.
    assert.ok(areHalf(share(42, 11)));
    assert.ok(areHalf(share(60, 12)));
    // The function does not end there.
    assert.ok(areHalf(share(60, 0, 12)));
  }
});

test('of conditions that leave, each part does so to few threads; a loop is left in another way', () => {
  const main = multiplications(60);
  const two = (how: string): string => `%a = icmp slt %data 0\n %b = icmp eq %tid 3\n ${how}`;
  for (const how of ['%c = or %a %b', '%c = select %a 1:i1 %b !type=i1'])
    assert.ok(areFew(leaving(main, { condition: two(how) }).share), how);
  for (const how of ['%c = and %a %b', '%c = select %a %b 0:i1 !type=i1']) {
    const stays = two(how).replace('eq %tid 3', 'ne %tid 3');
    assert.ok(areFew(leaving(main, { condition: stays, isSwapped: true }).share), how);
  }
  assert.ok(areHalf(leaving(main, { inLoop: true }).share));
});

test('what is known of threads that leave early stays known', () => {
  const [short, main] = [multiplications(2), multiplications(60)];
  const place = '%group = lshr %tid 6\n';
  for (const condition of ['%x = and %data 3\n %c = icmp eq %x 2', '%c = icmp eq %data 7', '%c = icmp slt %tid 20'])
    assert.equal(leaving(main, { condition }), leaving(short, { condition }));
  // All threads of a wave load from one address.
  const ofWave = { condition: `${place} %w = gep %p %group\n %same = load %w !as=1\n %c = icmp slt %same 0` };
  assert.is(leaving(main, ofWave).parted, 0);
  assert.ok(areFew(leaving(main, ofWave).share));
  const uniform = { condition: '%u = load %p !as=1\n %c = icmp slt %u 0' };
  assert.equal(leaving(main, uniform), leaving(short, uniform));
});

test('what the memory unit hides of a loss does not count, and of what is left, more than a gain does', () => {
  const s = branching('%c = icmp slt %tid 128');
  const worth = (net: number, hidden: number): number =>
    gainsAt(s, 'if').worth([], [{ ...NO_EFFECT, net }], 0, 0, { small: 0, hidden });
  assert.is(worth(-30, 0), -30 * CostModel.lossAversion);
  assert.is(worth(-30, 20), -10 * CostModel.lossAversion);
  assert.is(worth(-30, 40), 0);
  assert.is(worth(30, 40), 30);
});

test('the estimate is deterministic', () => {
  const once = shares('%c = icmp slt %data %n');
  assert.equal(shares('%c = icmp slt %data %n'), once);
});

test('a wave that agrees pays for its own question, and more for one about the other side before it', () => {
  // One wave of four takes the true side.
  const gains = gainsAt(branching('%b = and %tid 192\n %c = icmp eq %b 64'), 'if');
  assert.equal(gains.mean, { parted: 0, all: 0.25, none: 0.75 });
  const costs = (sides: readonly ('t' | 'f')[]): ReadonlySet<number> => new Set(gains.byLaunch(sides, [], 0, 64));
  const { ownQuestion: own, otherQuestion: other } = CostModel;
  assert.equal(costs(['f', 't']), new Set([-64 * (own + 0.25 * other)]));
  assert.equal(costs(['t', 'f']), new Set([-64 * (own + 0.75 * other)]));
  // The others go to melded code.
  assert.equal(costs(['f']), new Set([-64 * (0.75 * own + 0.25)]));
});

test('what waves run of the other side without melds is spared by a question, and no loss without one', () => {
  // One wave of four takes the true side.
  const gains = gainsAt(branching('%b = and %tid 192\n %c = icmp eq %b 64'), 'if');
  const meld = { ...NO_EFFECT, vain: { t: 12, f: 20 }, idle: { t: 8, f: 16 } };
  const all: readonly ('t' | 'f')[][] = [[], ['f'], ['t'], ['f', 't']];
  const expected = [-(0.25 * 4 + 0.75 * 4), -0.25 * 4 + 0.75 * 8, 0.25 * 16 - 0.75 * 4, 0.25 * 16 + 0.75 * 8];
  assert.equal(
    all.map((sides) => gains.average(sides, meld)),
    expected,
  );
  for (const [k, sides] of all.entries()) {
    assert.equal(new Set(gains.byLaunch(sides, [meld], 0, 0)), new Set([expected[k]]));
    assert.is(gains.ifAllAgree(sides, [meld], 0, 0), expected[k]);
  }
});

test('threads wait for those of the other side only in waves that come to both blocks', () => {
  const average = (condition: string): number => {
    const s = branching(condition);
    const waiting = 30;
    const block = { t: s.block('then'), f: s.block('else'), passed: false, net: 100, vain: NO_EFFECT.vain, waiting };
    return gainsAt(s, 'if').average([], { ...NO_EFFECT, net: 100 - waiting, blocks: [block] });
  };
  assert.is(average('%b = and %tid 1\n %c = icmp eq %b 0'), 70);
  assert.is(average('%c = icmp slt %tid 128'), 100);
});

/** What waves do at the last of so many branches, each on a value that depends on the condition in front of it. */
function atEndOfChain(count: number, condition: (k: number) => string): ByWave {
  const links = Array.from(
    { length: count },
    (_, k) => `
    if${k}:
      ${condition(k)}
      br %c${k} then${k} else${k}
    then${k}:
      %t${k} = add %v${k} 1
      br if${k + 1}
    else${k}:
      %e${k} = xor %v${k} %n
      br if${k + 1}`,
  );
  const phis = links.map((_, k) => `%v${k + 1} = phi [%t${k} then${k}] [%e${k} else${k}]`);
  const chain = links.map((link, k) => (k === 0 ? link : link.replace(/:/, `:\n      ${phis[k - 1]}`)));
  const s = snapshot(`
    func kernel
    arg %n i32
    arg %m i32
    entry:
      %v0 = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      br if0
    ${chain.join('')}
    if${count}:
      ${phis.at(-1)}
      ret
  `);
  return sharesAt(s, `if${count - 1}`);
}

test.long('a long chain of values that each depend on the condition of a branch has an end', () => {
  const { parted, all, none } = atEndOfChain(3000, (k) => `%c${k} = icmp slt %v${k} %m`);
  assert.ok(Math.abs(parted + all + none - 1) < 1e-9);
});

test('a long chain of conditions on elements of vectors has an end, too', () => {
  const { parted, all, none } = atEndOfChain(400, (k) => {
    const sums = Array.from({ length: 26 }, (_, n) => `%s${k}_${n + 1} = add %s${k}_${n} %s${k}_${n}`);
    const vector = [`%s${k}_0 = insertelement poison:v2xi32 %v${k} 0`, ...sums].join('\n');
    return `${vector}\n %x${k} = extractelement %s${k}_26 0 !type=i32\n %c${k} = icmp slt %x${k} %m`;
  });
  assert.ok(Math.abs(parted + all + none - 1) < 1e-9);
});

test.run();
