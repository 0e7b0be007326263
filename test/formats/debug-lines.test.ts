/** Lines of the source from a module's text. */
import { DebugLines } from '../../src/formats/debug-lines.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/debug-lines', { tests: 2 });

const MODULE = `
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "clang", isOptimized: true)
!1 = !DIFile(filename: "kernel.hip", directory: "")
!2 = !DIFile(filename: "header.h", directory: "")
!3 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 3, unit: !0)
!4 = distinct !DISubprogram(name: "inlined", scope: !2, file: !2, line: 9, unit: !0)
!5 = !DILocation(line: 7, column: 2, scope: !3)
!6 = distinct !DILexicalBlock(scope: !3, file: !1, line: 7)
!7 = !DILocation(line: 8, column: 2, scope: !6)
!8 = !DILocation(line: 12, column: 4, scope: !4, inlinedAt: !7)
!9 = !DILocation(line: 0, scope: !3)
!10 = !DILocation(line: 1, scope: !3, inlinedAt: !10)
!11 = !DILocation(line: 0, scope: !4, inlinedAt: !11)
`;

test('the line of an instruction, or of the call that it was inlined for', () => {
  const lines = new DebugLines(MODULE);
  const of = (id: number): number => lines.lineOf(`%x = add i32 %a, %b, !dbg !${id}`);
  assert.equal([5, 7, 8, 9, 99].map(of), [7, 8, 8, 0, 0]);
  assert.is(lines.lineOf('%x = add i32 %a, %b'), 0);
  assert.is(lines.isEmpty, false);
});

test('without debug information, and with some that turns in circles', () => {
  assert.is(new DebugLines('define void @f() {\n  ret void\n}\n').isEmpty, true);
  const lines = new DebugLines(MODULE);
  assert.is(lines.lineOf('ret void, !dbg !11'), 0);
});

test.run();
