/**
 * After `wasm-split`: functions of the rest that have a place in the table of function pointers stand there as stubs of
 * the first part, one for each, which call them through a second table. This lets the rest put the functions themselves
 * there when it is instantiated. Until then their places are empty, and a call traps as it does through a stub.
 *
 *   node fill-table.mjs FIRST.wasm REST.wasm
 *
 * Both files are changed. The stubs are left without a use: `wasm-opt --remove-unused-module-elements` deletes them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { moduleOf, Reader, Section, sections, signed, unsigned } from './binary.mjs';

const [firstFile, restFile] = process.argv.slice(2);
const first = await readFile(firstFile);
const rest = await readFile(restFile);

const Kind = { Function: 0, Table: 1 };
const Op = { End: 0x0b, CallIndirect: 0x11, LocalGet: 0x20, I32Const: 0x41, RefNull: 0xd0, RefFunc: 0xd2 };
const FUNCREF = 0x70;

const bodyOf = (bytes, id) => sections(bytes).find((section) => section.id === id).body;
const functionImports = (bytes) =>
  WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ kind }) => kind === 'function').length;

/** Bytes of each function's code, by its number in the module. */
function codesOf(bytes) {
  const reader = new Reader(bodyOf(bytes, Section.Code));
  const imported = functionImports(bytes);
  const codes = new Map();
  const count = reader.number();
  for (let at = 0; at < count; at++) codes.set(imported + at, reader.take(reader.number()));
  return codes;
}

/** The active segments: table, offset and functions, with null for an empty place. */
function segmentsOf(bytes) {
  const reader = new Reader(bodyOf(bytes, Section.Element));
  return Array.from({ length: reader.number() }, () => {
    const flags = reader.number();
    if ((flags & 1) !== 0) throw new Error('a segment that is not active');
    const table = (flags & 2) === 0 ? 0 : reader.number();
    expect(reader, Op.I32Const);
    const offset = reader.signed();
    expect(reader, Op.End);
    if ((flags & 2) !== 0) reader.take(1); // its kind or type
    const functions = Array.from({ length: reader.number() }, () => {
      if ((flags & 4) === 0) return reader.number();
      const op = reader.take(1)[0];
      const value = reader.number();
      expect(reader, Op.End);
      return op === Op.RefFunc ? value : null;
    });
    return { table, offset, functions };
  });
}

function expect(reader, byte) {
  if (reader.take(1)[0] !== byte) throw new Error('a segment in a form that is not expected');
}

/** A segment of expressions, which can be null. */
function segmentBytes({ table, offset, functions }) {
  const places = functions.map((index) =>
    index === null
      ? Buffer.from([Op.RefNull, FUNCREF, Op.End])
      : Buffer.concat([Buffer.from([Op.RefFunc]), unsigned(index), Buffer.from([Op.End])]),
  );
  return Buffer.concat([
    ...[unsigned(6), unsigned(table), Buffer.from([Op.I32Const]), signed(offset), Buffer.from([Op.End, FUNCREF])],
    ...[unsigned(functions.length), ...places],
  ]);
}

const elementSection = (segments) => Buffer.concat([unsigned(segments.length), ...segments.map(segmentBytes)]);

const withElements = (bytes, segments) =>
  moduleOf(
    bytes,
    sections(bytes).map(({ id, body }) => ({ id, body: id === Section.Element ? elementSection(segments) : body })),
  );

/** The place in the second table that a stub calls through; null for any other code. */
function placeOfStub(code) {
  const reader = new Reader(code);
  if (reader.number() !== 0) return null; // it has locals
  let op = reader.take(1)[0];
  for (let parameter = 0; op === Op.LocalGet; parameter++) {
    if (reader.number() !== parameter) return null;
    op = reader.take(1)[0];
  }
  if (op !== Op.I32Const) return null;
  const place = reader.signed();
  if (reader.take(1)[0] !== Op.CallIndirect) return null;
  reader.number(); // the type
  if (reader.number() !== SECOND) return null;
  return reader.take(1)[0] === Op.End && reader.at === code.length ? place : null;
}

/** The number of the second table, in both parts: the first part's function pointers are in its table 0. */
const SECOND = 1;

/** The rest's name for a table of the first part. */
function importedTables(bytes) {
  return WebAssembly.Module.imports(new WebAssembly.Module(bytes))
    .filter(({ kind }) => kind === 'table')
    .map(({ name }) => name);
}
function exportedTables(bytes) {
  const reader = new Reader(bodyOf(bytes, Section.Export));
  const names = new Map();
  for (let left = reader.number(); left > 0; left--) {
    const name = reader.take(reader.number()).toString();
    const kind = reader.take(1)[0];
    const index = reader.number();
    if (kind === Kind.Table) names.set(name, index);
  }
  return names;
}

const tableNames = exportedTables(first);
const restTables = importedTables(rest).map((name) => tableNames.get(name));
const restSegments = segmentsOf(rest);
const behind = new Map();
for (const { table, offset, functions } of restSegments)
  if (restTables[table] === SECOND) functions.forEach((index, at) => behind.set(offset + at, index));

const codes = codesOf(first);
const added = [];
const emptied = segmentsOf(first).map(({ table, offset, functions }) => {
  if (table === SECOND) return { table, offset, functions };
  let run = null;
  const left = functions.map((index, at) => {
    const code = index === null ? undefined : codes.get(index);
    const place = code === undefined ? null : placeOfStub(code);
    if (place === null || !behind.has(place)) {
      run = null;
      return index;
    }
    if (run === null) added.push((run = { table: restTables.indexOf(table), offset: offset + at, functions: [] }));
    run.functions.push(behind.get(place));
    return null;
  });
  return { table, offset, functions: left };
});
await writeFile(firstFile, withElements(first, emptied));
await writeFile(restFile, withElements(rest, [...restSegments, ...added]));
const places = added.reduce((sum, { functions }) => sum + functions.length, 0);
console.log(`${places} places of the table filled by the rest, in ${added.length} segments`);
