/** Lines of machine code, from tables that clang and LLVM write, and from damaged ones. */
import { DarmError } from '../../src/errors.js';
import { parseElf } from '../../src/formats/elf.js';
import { lineSections, readLineTable, type LineSections } from '../../src/formats/line-table.js';
import { readCodeObject } from '../../src/simulator/launch/code-object.js';
import { artifact, compile } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/line-table', { tests: 6 });

/** Instructions of lines 11, 12 and 13 of a file, and one without a line. */
const module = (version: number): string => `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @lined(ptr addrspace(1) %p) #0 !dbg !4 {
  %a = load volatile i32, ptr addrspace(1) %p, !dbg !6
  %b = mul i32 %a, 12345, !dbg !7
  store volatile i32 %b, ptr addrspace(1) %p, !dbg !8
  ret void
}
attributes #0 = { "target-cpu"="gfx906" }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.hip", directory: "sub")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 ${version}}
!4 = distinct !DISubprogram(name: "lined", file: !1, line: 10, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !9)
!6 = !DILocation(line: 11, scope: !4)
!7 = !DILocation(line: 12, scope: !4)
!8 = !DILocation(line: 13, scope: !4)
!9 = !{}
`;

const objectOf = async (text: string): Promise<Uint8Array> =>
  artifact(await compile(text, { emit: ['hsaco'], meld: 'off' }), 'hsaco');

for (const version of [4, 5])
  test(`DWARF ${version}`, async () => {
    const { lineSections: sections, code, functions } = readCodeObject(await objectOf(module(version)));
    const table = readLineTable(sections!, code.address);
    const [{ address, size }] = functions as [(typeof functions)[0]];
    const found = Array.from({ length: size / 4 }, (_, word) => table.at(address - code.address + 4 * word));
    const lines = new Set(found.map((each) => each?.line ?? 0));
    for (const line of [11, 12, 13]) assert.ok(lines.has(line), `line ${line} of ${[...lines].join()}`);
    // The beginning of a function has the function's line.
    for (const line of lines) assert.ok(line === 0 || line === 10 || (line >= 11 && line <= 13), String(line));
    for (const each of found) if (each !== null) assert.is(each.file, 'a.hip');
    assert.is(table.at(address - code.address - 4), null);
    assert.is(table.at(1e9), null);
  });

test('an object without debug information has no table', async () => {
  const text = module(5)
    .replace('!llvm.dbg.cu = !{!0}\n', '')
    .replace(/, !dbg !\d/g, '')
    .replace(' !dbg !4', '');
  assert.is(lineSections(parseElf(await objectOf(text))), null);
});

const NOTHING = new Uint8Array();
const read = (lines: Uint8Array) => readLineTable({ lines, lineStrings: NOTHING, strings: NOTHING }, 0);

test('damaged tables are one clear error, or are read as far as they make sense', async () => {
  const { lineSections: sections } = readCodeObject(await objectOf(module(5)));
  const { lines } = sections!;
  let errors = 0;
  const attempt = (changed: LineSections): void => {
    try {
      const table = readLineTable(changed, 0);
      for (let offset = 0; offset < 0x200; offset += 4) table.at(offset);
    } catch (error) {
      assert.ok(error instanceof DarmError && error.code === 'bad-input', String(error));
      assert.not.match((error as Error).message, /\n/);
      errors++;
    }
  };
  for (let length = 0; length < lines.length; length++) attempt({ ...sections!, lines: lines.subarray(0, length) });
  for (let at = 0; at < lines.length; at++)
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = Uint8Array.from(lines);
      changed[at] = value;
      attempt({ ...sections!, lines: changed });
    }
  assert.ok(errors > lines.length / 2, String(errors));
});

test('counts that no file can have are refused at once', () => {
  // Version 5, one unit: no folders' formats, and 2^49 folders of no bytes each.
  const header = [5, 0, 8, 0, 40, 0, 0, 0, 4, 1, 1, 0xfb, 14, 1, 0, ...Array<number>(6).fill(0xff), 0x7f];
  const unit = Uint8Array.from([64, 0, 0, 0, ...header, ...Array<number>(64 - header.length).fill(0)]);
  assert.throws(() => read(unit), /more names than bytes/);
});

test('numbers without an end end with the table', () => {
  const header = [4, 0, 20, 0, 0, 0, 4, 1, 1, 0xfb, 14, 13, ...Array<number>(12).fill(0), 0, 0];
  const program = [2, ...Array<number>(200).fill(0x80)];
  const all = [...header, ...program];
  assert.throws(() => read(Uint8Array.from([all.length, 0, 0, 0, ...all])), /the line table is damaged/);
});

test.run();
