/** Takes instructions out of the text that LLVM prints. */
import {
  calledIntrinsics,
  floatCompares,
  functionBodies,
  globalsIn,
  hasRoughDivision,
  instructionTexts,
  ldsVariables,
  printedSwitches,
} from '../../src/formats/ir-text.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/ir-text', { tests: 11 });

const MODULE = `; ModuleID = 'define '
@s = constant [9 x i8] c"\\0Adefine x"

declare void @f()

; Function Attrs: nounwind
define void @"a } b"(i1 %c) #0 {
  br i1 %c, label %"x:y", label %2

"x:y":                                            ; preds = %0
    #dbg_value(i32 0, !3, !DIExpression(), !4)
  call void asm "nop", ""(), !dbg !4
  br label %2

2:                                                ; preds = %0, %"x:y"
  switch i32 0, label %d [
    i32 1, label %"x:y"
    i32 2, label %d
  ]

d:                                                ; preds = %2
  %i = invoke i32 @g()
          to label %d unwind label %2
}

define void @empty.label() {
entry:
  ret void
}

attributes #0 = { nounwind }
`;

test('bodies, in order', () => {
  const bodies = functionBodies(MODULE);
  assert.is(bodies.length, 2);
  assert.match(bodies[0]!, /^ {2}br i1 %c/);
  assert.is(bodies[1], 'entry:\n  ret void\n');
});

test('what weighs a switch, and not what weighs a branch', () => {
  const weighed = (end: string, branch = '') =>
    printedSwitches(`  switch i32 0, label %d [\n    i32 1, label %e\n  ]${end}\n\nd:\n  br label %e${branch}\n`).map(
      ({ isWeighed }) => isWeighed,
    );
  assert.equal(weighed(', !prof !3'), [true]);
  assert.equal(weighed(', !dbg !5, !prof !3'), [true]);
  assert.equal(weighed(', !dbg !5', ', !prof !3'), [false]);
});

test('divisions that need not be rounded correctly', () => {
  assert.ok(hasRoughDivision('  %q = fdiv nsz float %a, 3.000000e+00, !dbg !2, !fpmath !4\n'));
  assert.ok(hasRoughDivision('  %"a quotient" = fdiv float %a, 3.000000e+00, !fpmath !4\n'));
  assert.not.ok(hasRoughDivision('  %q = fdiv float %a, %b\n  %r = call float @sqrtf(float %q), !fpmath !4\n'));
});

test('variables in LDS and their sizes', () => {
  const text = `@a = internal unnamed_addr addrspace(3) global [4 x [3 x float]] poison, align 16
@"b c" = internal addrspace(3) global <2 x half> undef
@c = addrspace(3) global i1 undef, align 1
@launch = external hidden addrspace(3) global [0 x i32], align 4
@named = internal addrspace(3) global %struct.pair undef
@structure = internal addrspace(3) global { i32, i32 } undef
@wide = internal thread_local(initialexec) addrspace(3) externally_initialized global i65 undef
@other = internal addrspace(1) global [4 x i32] zeroinitializer
@text = constant [40 x i8] c"@x = addrspace(3) global [4 x i32] poison"
@pointer = global ptr addrspace(3) null
`;
  assert.equal([...ldsVariables(text)], [
    ...[['@a', 48], ['@"b c"', 4], ['@c', 1], ['@launch', Infinity], ['@named', Infinity]],
    ...[['@structure', Infinity], ['@wide', 9]],
  ]); // prettier-ignore
  const hostile = `@s = constant [9 x i8] c"${'a addrspace(3) '.repeat(100_000)}"\n@t = ${'internal '.repeat(100_000)}\n`;
  assert.is(ldsVariables(hostile).size, 0);
});

test('globals of a body', () => {
  const body =
    '  %x = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @"b c", i32 4)\n  call void @f.1(ptr @a)\n' +
    '    #dbg_value(ptr addrspace(3) @only_debugged, !5, !DIExpression(), !6)\n';
  assert.equal([...globalsIn(body)], ['@"b c"', '@f.1', '@a']);
});

test('a module that begins with a function', () => {
  assert.equal(functionBodies('define void @f() {\n  ret void\n}\n'), ['  ret void\n']);
  assert.equal(functionBodies(''), []);
});

test('instructions by block, without labels, debug records and comments', () => {
  assert.equal(instructionTexts(functionBodies(MODULE)[0]!), [
    ['br i1 %c, label %"x:y", label %2'],
    ['call void asm "nop", ""(), !dbg !4', 'br label %2'],
    ['switch i32 0, label %d [\ni32 1, label %"x:y"\ni32 2, label %d\n]'],
    ['%i = invoke i32 @g()\nto label %d unwind label %2'],
  ]);
});

test('the label of the entry block is optional', () => {
  assert.equal(instructionTexts(functionBodies(MODULE)[1]!), [['ret void']]);
  assert.equal(instructionTexts('\n0:\n  br label %1\n\n1:\n  ret void\n'), [['br label %1'], ['ret void']]);
});

test('compares of floats, and the constants among their bounds', () => {
  const body = `  %a = fcmp olt float %x, 1.500000e+00
  %b = fcmp nnan ninf nsz afn contract oge double %"x y", -2.000000e+00, !dbg !4
  %"c d" = fcmp fast une half %h, 1.099610e+00
  %e = icmp slt i32 %i, 5
  %f = fcmp ugt float f0x3F800000, f0x00800000, !fpmath !3
  %g = fcmp ult double %d, f0x7FEFFFFFFFFFFFFF
  %h = fcmp ule float %x, -inf
  %i = fcmp olt <2 x float> %v, <float 1.000000e+00, float 2.000000e+00>
  %j = fcmp ord float %x, %y
  %k = fcmp ole bfloat %b, f0x3F80
  %l = fcmp ole double %d, +qnan
  %m = fcmp oge float %"p, 5.0 q", %y
  %" = fcmp olt float x, 7.0" = icmp eq i32 %i, 1
`;
  assert.equal(
    floatCompares(body).map(({ predicate, bound }) => [predicate, bound]),
    [
      [4, 1.5],
      [3, -2],
      [14, 1.09961],
      [10, 2 ** -126],
      [12, Number.MAX_VALUE],
      [13, -Infinity],
      [4, NaN],
      [7, NaN],
      [5, NaN],
      [5, NaN],
      [3, NaN],
    ],
  );
  assert.equal(floatCompares(`  %a = fcmp ${'a '.repeat(2 ** 24)}`), []);
});

test('the intrinsics that are called, in order', () => {
  const body = `entry:
  %r = tail call contract noundef double @llvm.sqrt.f64(double %x), !dbg !3
  %"a = b" = call double @llvm.ldexp.f64.i32(double %r, i32 3)
  %v = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %w)
  %f = call float @llvm.sqrt.f32(float %y)
  %own = call double @sqrt(double %x)
  %asm = call double asm "double @llvm.sqrt.f64(", "=v"()
  call void @llvm.donothing()
  %sum = call nnan double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %u)
`;
  assert.equal(calledIntrinsics(body), [
    'sqrt.f64',
    'ldexp.f64.i32',
    'sqrt.v2f64',
    'sqrt.f32',
    'donothing',
    'vector.reduce.fadd.v4f64',
  ]);
  assert.equal(calledIntrinsics(`  %a = call ${'double '.repeat(2 ** 22)}`), []);
  assert.equal(calledIntrinsics(`  call double @llvm.a${'.f1'.repeat(2 ** 20)}-x(`), []);
});

test('the values of the cases of switches, and what is said of their conditions', () => {
  const body = `entry:
  %n = call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %x)
  %"m = 1" = tail call amdgpu_gfx noundef align 4 range(i8 -4, 5) i8 @f(), !dbg !3
  switch i32 %n, label %"out [" [
    i32 0, label %one
    i32 -7, label %"two, label %x ["
    i32 4294967296, label %out
  ], !prof !2
one:
  switch i8 %"m = 1", label %out [
  ]
two:
  switch i1 true, label %out [
    i1 true, label %one
    i1 false, label %one
  ]
`;
  assert.equal(printedSwitches(body), [
    { values: [0n, -7n, 4294967296n], range: [0n, 33n], isWeighed: true },
    { values: [], range: [-4n, 5n], isWeighed: false },
    { values: [1n, 0n], range: null, isWeighed: false },
  ]);
  assert.equal(printedSwitches(`  switch i32 ${'%a, '.repeat(2 ** 20)}`), [
    { values: [], range: null, isWeighed: false },
  ]);
  const many = 2 ** 21;
  const [{ values } = { values: [] }] = printedSwitches(
    `  switch i8 %a, label %b [\n${'  i8 1, label %b\n'.repeat(many)}  ]\n`,
  );
  assert.is(values.length, many);
});

test.run();
