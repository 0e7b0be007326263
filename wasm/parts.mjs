/**
 * Which functions of a module go into which part, as `wasm-split --multi-split` reads it: each into the first of the
 * lists that names it, or into the rest. Those of the first list are left out: they stay where they are.
 *
 *   node parts.mjs IN.wasm LIST [NAME LIST]... REST
 *
 * A list is a file with numbers of functions, imports not counted.
 */
import { readFile } from 'node:fs/promises';
import { Reader, Section, sections } from './binary.mjs';

const [input, ...parts] = process.argv.slice(2);
const rest = parts.pop();
const numbers = async (file) => (await readFile(file, 'utf8')).split('\n').filter(Boolean).map(Number);
const place = new Map((await numbers(parts.shift())).map((index) => [index, null]));
const members = new Map();
for (; parts.length > 0; parts.splice(0, 2)) {
  const [name, list] = parts;
  members.set(name, []);
  for (const index of await numbers(list)) if (!place.has(index)) place.set(index, name);
}
members.set(rest, []);
const code = sections(await readFile(input)).find(({ id }) => id === Section.Code);
const count = new Reader(code.body).number();
for (let index = 0; index < count; index++) members.get(place.has(index) ? place.get(index) : rest)?.push(index);
console.log([...members].map((section) => section.flat().join('\n')).join('\n\n'));
