/**
 * Repairs faults of LLVM in the code and the tables that were compiled of it. What is shipped compressed stays as it
 * was built; it is repaired where it is unpacked (src/platform/repair.ts). So a repair adds nothing to the repository.
 *
 *   node repair.mjs FOLDER
 *
 * Repairs the files in the folder, and writes beside each, for the manifest, what was done (`*.repairs`). A repair
 * that does not fit exactly one place is an error: another compiler, or another LLVM, has made other code. Then the
 * function has to be looked at again (`wasm-dis`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CONTROL_FLOW } from './repairs/control-flow.mjs';
import { LANES } from './repairs/lanes.mjs';
import { OPERATIONS } from './repairs/operations.mjs';
import { REGISTERS } from './repairs/registers.mjs';
import { WAITS } from './repairs/waits.mjs';

/**
 * Instructions, in hexadecimal, and as many bytes in their place. A function that is called there has another number
 * wherever the module has other functions; then `behind`, a call of the same function a little later, is not found.
 * `faulty` and `right` can have several parts, one behind the other; what stands between them moves. Only their sum has
 * to have as many bytes as before.
 */
const REPAIRS = [...CONTROL_FLOW, ...LANES, ...OPERATIONS, ...REGISTERS, ...WAITS];

const folder = process.argv[2];
const done = new Map();
for (const { file, faulty, right, behind = '' } of REPAIRS) {
  const place = path.join(folder, file);
  const bytes = await readFile(place);
  const [first, ...others] = [faulty].flat().map((part) => Buffer.from(part, 'hex'));
  const at = bytes.indexOf(first);
  if (at < 0 || bytes.includes(first, at + 1)) throw new Error(`${place}: not exactly one ${first.toString('hex')}`);
  const [beginning, ...replacements] = [right].flat().map((part) => Buffer.from(part, 'hex'));
  const repaired = [beginning];
  let end = at + first.length;
  for (const [index, part] of others.entries()) {
    const next = bytes.indexOf(part, end);
    if (next < 0 || next > end + 1024) throw new Error(`${place}: no ${part.toString('hex')}`);
    repaired.push(bytes.subarray(end, next), replacements[index]);
    end = next + part.length;
  }
  if (!bytes.subarray(at, at + 512).includes(Buffer.from(behind, 'hex'))) throw new Error(`${place}: no ${behind}`);
  const code = Buffer.concat(repaired);
  if (code.length !== end - at) throw new Error(`${place}: ${end - at} bytes become ${code.length}`);
  code.copy(bytes, at);
  await writeFile(place, bytes);
  done.set(place, [...(done.get(place) ?? []), { at, bytes: code.toString('hex') }]);
}
for (const [place, repairs] of done) await writeFile(`${place}.repairs`, JSON.stringify(repairs));
