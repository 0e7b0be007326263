/**
 * Runs test files in this process, one after the other. For test/run.ts.
 * usage: node run-together.js FILE...
 */
import { pathToFileURL } from 'node:url';

const files = process.argv.slice(2);
// Else uvu runs the tests of the first file while the second is read.
const uvu = Object.assign(globalThis, { UVU_DEFER: true, UVU_QUEUE: files.map((file) => [file]), UVU_INDEX: 0 });
const { exec } = await import('uvu');
for (const [index, file] of files.entries()) {
  uvu.UVU_INDEX = index;
  await import(pathToFileURL(file).href);
}
await exec();
