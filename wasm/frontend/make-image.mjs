/**
 * Writes the image of headers and device libraries: every file of a folder, in the order of their paths, in the format
 * that wasm/frontend/files.cpp reads. The result depends on names and contents only.
 *
 *   node make-image.mjs FOLDER IMAGE
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const [folder, output] = process.argv.slice(2);
const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath, entry.name))
  .map((file) => ({ file, name: Buffer.from(path.relative(folder, file)) }))
  .sort((a, b) => Buffer.compare(a.name, b.name));

const contents = await Promise.all(files.map(({ file }) => readFile(file)));
const header = new Uint32Array(1 + 4 * files.length);
header[0] = files.length;
const parts = [];
let at = header.byteLength;
const add = (bytes, alignment) => {
  const padding = (alignment - (at % alignment)) % alignment;
  parts.push(Buffer.alloc(padding), bytes);
  at += padding + bytes.length;
  return at - bytes.length;
};
files.forEach(({ name }, index) => {
  header[1 + 4 * index] = add(name, 1);
  header[2 + 4 * index] = name.length;
});
contents.forEach((bytes, index) => {
  // clang reads text up to a NUL byte, and bitcode in words.
  header[3 + 4 * index] = add(Buffer.concat([bytes, Buffer.of(0)]), 4);
  header[4 + 4 * index] = bytes.length;
});
await writeFile(output, Buffer.concat([Buffer.from(header.buffer), ...parts]));
console.log(`${files.length} files, ${at} bytes`);
