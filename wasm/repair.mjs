/**
 * Repairs faults of LLVM in the code that was compiled of it. What is shipped compressed stays as it was built; it is
 * repaired where it is unpacked (src/platform/repair.ts). So a repair adds nothing to the repository.
 *
 *   node repair.mjs FOLDER
 *
 * Repairs the files in the folder, and writes beside each, for the manifest, what was done (`*.wasm.repairs`). A repair
 * that does not fit exactly one place is an error: another compiler, or another LLVM, has made other code. Then the
 * function has to be looked at again (`wasm-dis`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const NOP = '01';

/** Instructions, in hexadecimal, and as many bytes in their place. */
const REPAIRS = [
  {
    // LiveRangeCalc::isDefOnEntry (llvm/lib/CodeGen/LiveRangeCalc.cpp), in front of "No segment overlaps with this
    // block". A block that undefines a part of a register, by setting another part of it, counts as one in front of
    // which the part is undefined already (`UndefOnEntry[N] = true`). If the block itself uses the part before that, the
    // use gets no value (docs/simulator.md). The assignment is left out. Without it, the function asks again next time.
    file: 'rest.wasm',
    // local.get 2, local.get 15, local.get 18, i32.or, i32.store; end; local.get 23
    faulty: '2002200f2012723602000b2017',
    right: NOP.repeat(10) + '0b2017',
  },
];

const folder = process.argv[2];
const done = new Map();
for (const { file, faulty, right } of REPAIRS) {
  const place = path.join(folder, file);
  const bytes = await readFile(place);
  const wanted = Buffer.from(faulty, 'hex');
  const at = bytes.indexOf(wanted);
  if (at < 0 || bytes.includes(wanted, at + 1)) throw new Error(`${place}: not exactly one ${faulty}`);
  Buffer.from(right, 'hex').copy(bytes, at);
  await writeFile(place, bytes);
  done.set(place, [...(done.get(place) ?? []), { at, bytes: right }]);
}
for (const [place, repairs] of done) await writeFile(`${place}.repairs`, JSON.stringify(repairs));
