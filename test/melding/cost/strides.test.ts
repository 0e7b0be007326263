/** Strides of address computations: known, of data with a range, of data, in a loop. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { WaveSamples } from '../../../src/melding/cost/wave-samples.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';
import { Strides } from '../../../src/melding/cost/strides.js';

const test = suite('melding/cost/strides', { tests: 5 });

test('how far apart neighbouring threads access memory', () => {
  const s = snapshot(`
    func kernel
    arg %n i32
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %start = mul %tid 48
      br loop
    loop:
      %at = phi %start entry %next loop
      %row = gep %p %at
      %data = load %row !as=1
      %beside = gep %p %tid
      %masked = and %data 255
      %entry = gep %p %masked
      %any = gep %p %data
      %byte = load %beside !type=i8 !as=1
      %number = load %row !type=i64 !as=1
      %step = and %data 3
      %next = add %at %step
      %c = icmp slt %next %n
      br %c loop out
    out:
      ret
  `);
  const analyses = analysesOf(s.f);
  const strides = new Strides(s.f, analyses.divergence, new WaveSamples(s.f, analyses).values);
  assert.is(strides.of(s.value('%beside')), 1);
  // Each thread has a row of its own, wherever it is in it.
  assert.is(strides.of(s.value('%row')), 48);
  assert.ok(strides.of(s.value('%entry')) <= 4);
  assert.is(strides.of(s.value('%any')), Infinity);
  // Loads and stores have it in words.
  assert.is(strides.ofAccess(s.instr('%byte')), 1 / 4);
  assert.is(strides.ofAccess(s.instr('%number')), 96);
});

// As compressed arrays are read: a thread knows its block, and an array says where that starts.
test('neighbours that load from one place have the same number', () => {
  const s = snapshot(`
    func kernel
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %block = lshr %tid 5
      %start = gep %p %block
      %at = load %start !as=1
      %head = gep %p %at
      %in = and %tid 7
      %byte = add %at %in
      %packed = gep %p %byte
      %own = gep %p %tid
      %other = load %own !as=1
      %any = gep %p %other
      %slot = alloca
      %kept = load %slot !as=5 !never
      %anywhere = gep %p %kept
      ret
  `);
  const analyses = analysesOf(s.f);
  const strides = new Strides(s.f, analyses.divergence, new WaveSamples(s.f, analyses).values);
  assert.is(strides.of(s.value('%head')), 0);
  assert.is(strides.of(s.value('%packed')), 1);
  assert.is(strides.of(s.value('%any')), Infinity);
  // In memory of the thread's own.
  assert.is(strides.of(s.value('%anywhere')), Infinity);
});

// As images are read whose rows are counted by the first number of a thread.
test('threads that are above each other may share the lines that neighbours do not', () => {
  const share = (column: string, header = ''): number => {
    const s = snapshot(`
      func kernel ${header}
      arg %n i32
      arg %p ptr1
      entry:
        %x = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %y = call @llvm.amdgcn.workitem.id.y !never !source=ThreadY
        %row = mul %x %n
        %pixel = add %row ${column}
        %at = gep %p %pixel
        %z = load %at !as=1
        ret
    `);
    const analyses = analysesOf(s.f);
    return new Strides(s.f, analyses.divergence, new WaveSamples(s.f, analyses).values).scattered(s.instr('%z'));
  };
  // Rows of 16, 32 and 64 threads.
  assert.is(share('%y'), (1 / 15 + 1 / 3 + 1) / 3);
  assert.is(share('%y', 'group=8x8x1'), 1 / 255);
  assert.is(share('%y', 'group=64x4x1'), 1);
  assert.equal([share('%y', 'group=8x1x1'), share('%y', 'group=8x2x1')], [1, 1 / 3]);
  // All threads of a column have the same, or each has its own.
  assert.is(share('%n'), (1 / 15 + 1 / 3 + 1) / 3);
  assert.is(share('%row'), (1 / 15 + 1 / 3 + 1) / 3);
});

// As images are read: coordinates are clamped, and a row starts at a multiple of its width.
test('numbers between bounds are as far apart as the numbers', () => {
  const s = snapshot(`
    func kernel
    arg %n i32
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %x = call @llvm.smin.i32 %tid 127
      %y = lshr %x 8
      %row = shl %y 7
      %half = lshr %x 1
      %column = mul %x 3
      %at = or %row %x
      %pixel = gep %p %at
      %small = gep %p %half
      %channels = gep %p %column
      %widths = mul %x %n
      %pitched = gep %p %widths
      ret
  `);
  const analyses = analysesOf(s.f);
  const strides = new Strides(s.f, analyses.divergence, new WaveSamples(s.f, analyses).values);
  assert.ok(strides.of(s.value('%pixel')) <= 1.5);
  assert.is(strides.of(s.value('%small')), 1 / 2);
  assert.is(strides.of(s.value('%channels')), 3);
  assert.is(strides.of(s.value('%pitched')), Infinity);
});

test('coordinates in vectors are followed one by one', () => {
  const s = snapshot(`
    func kernel
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      %two = mul %tid 48
      %x = insertelement undef:v2xi32 %tid 0 !type=v2xi32
      %xy = insertelement %x %two 1 !type=v2xi32
      %clamped = call @llvm.smin.v2i32 %xy 127:v2xi32 !type=v2xi32
      %c0 = extractelement %clamped 0 !type=i32
      %c1 = extractelement %clamped 1 !type=i32
      %cx = extractelement %clamped %tid !type=i32
      %row = gep %p %c0
      %column = gep %p %c1
      %any = gep %p %cx
      %complement = xor %clamped 127:v2xi32
      %n1 = extractelement %complement 1 !type=i32
      %mirrored = gep %p %n1
      %hash = xor %xy %clamped
      %h1 = extractelement %hash 1 !type=i32
      %hashed = gep %p %h1
      ret
  `);
  const analyses = analysesOf(s.f);
  const strides = new Strides(s.f, analyses.divergence, new WaveSamples(s.f, analyses).values);
  assert.is(strides.of(s.value('%row')), 1);
  assert.is(strides.of(s.value('%column')), 48);
  assert.is(strides.of(s.value('%any')), Infinity);
  // A maximum may be the complement of a minimum of complements.
  assert.is(strides.of(s.value('%mirrored')), 48);
  assert.is(strides.of(s.value('%hashed')), Infinity);
});

test.run();
