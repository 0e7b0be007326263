/**
 * Looks at the corpus itself, not at melding: no kernel races, the data reach the code, and the results are not
 * trivial.
 *
 *   node dist/test/campaign/corpus.js [PARTS OF NAMES...]
 *
 * Prints the kernels of which less than nine tenths of the code run: mostly copies that LLVM made of loops. Exit code 1
 * for races, and for outputs without any information or with many NaNs.
 */
import { CORPUS, corpusModule, corpusSpec } from '../../kernels/corpus/index.js';
import { getElement } from '../../src/simulator/launch/elements.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate, type SimulatedBuffer } from '../../src/simulator/run.js';
import { decoded, type Decoded } from '../support/kernel-launch.js';

const TARGETS = ['gfx906', 'gfx1100'] as const;
const LEAST_COVERED = 0.9;
const MOST_NANS = 0.1;

/**
 * LLVM makes one atomic of two and loses what it knows about their memory, so it becomes a loop with a
 * compare-and-swap, whose first load is not atomic.
 */
const RACY = ['components_hook'];

const only = process.argv.slice(2);
const kernels = CORPUS.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));

/** What is wrong with the contents of the outputs. */
function complaint(outputs: readonly SimulatedBuffer[]): string | null {
  const varied = outputs.some(({ bytes }) => bytes.some((byte) => byte !== bytes[0]));
  if (!varied) return 'all outputs are of one value';
  for (const { name, element, bytes } of outputs) {
    if (element !== 'f32') continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let nans = 0;
    for (let at = 0; at < bytes.length; at += 4) nans += Number(Number.isNaN(getElement(view, element, at)));
    if (nans > (MOST_NANS * bytes.length) / 4) return `${nans} of the ${bytes.length / 4} values of '${name}' are NaN`;
  }
  return null;
}

function covered({ object, disassembly }: Decoded, name: string, executed: readonly number[]): number {
  const { entryAddress, endAddress } = object.kernels.find(({ info }) => info.name === name)!;
  const [start, end] = [entryAddress - object.code.address, endAddress! - object.code.address];
  const places = disassembly.offset.filter((offset) => offset >= start && offset < end);
  return executed.filter((pc) => pc >= start && pc < end).length / places.length;
}

let failed = 0;
for (const target of TARGETS)
  for (const family of new Set(kernels.map((each) => each.family))) {
    const code = await decoded(corpusModule(family, target), { meld: 'off' });
    for (const kernel of kernels.filter((each) => each.family === family)) {
      const fail = (what: string) => {
        failed++;
        console.log(`FAIL ${target} ${kernel.name}: ${what}`);
      };
      const spec = corpusSpec(kernel, { seed: 1, size: 1 });
      const options = { ...DEFAULT_SIMULATION, cycles: false, detectRaces: !RACY.includes(kernel.name) };
      try {
        const { object, disassembly } = code;
        const { buffers, launches } = await simulate({ object, spec, options, disassembly: () => disassembly });
        const what = complaint(buffers.filter(({ out }) => out));
        if (what !== null) fail(what);
        const places = launches.flatMap(({ instructions }) => instructions.map(({ pc }) => pc));
        const share = covered(code, kernel.name, places);
        if (share < LEAST_COVERED)
          console.log(`${target} ${kernel.name}: ${Math.round(100 * share)} % of the code run`);
      } catch (error) {
        fail((error as Error).message);
      }
    }
  }
console.log(`${kernels.length} kernels for ${TARGETS.length} targets, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
