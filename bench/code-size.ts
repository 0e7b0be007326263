/**
 * Bytes of machine code of every kernel of kernels/ir and kernels/corpus, behind -O3: without melds, with `--profit
 * net`, and with `--profit size`. The exit status is 1 if the latter makes any function larger.
 * usage: node dist/bench/code-size.js [--totals] [TARGET …]
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { elfFunctionSizes } from '../src/formats/elf.js';
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { BODY_PREFIX } from '../src/pipeline/kernel-bodies.js';
import { freshLlvm } from './llvm.js';
import { geometricMean, operands, printTable, REPOSITORY, sum } from './support.js';

interface Sizes {
  readonly kernel: string;
  readonly plain: number;
  readonly net: number;
  readonly size: number;
}

const asked = operands();
const rt = await freshLlvm();

function codeOf(bytes: Uint8Array, options: Partial<JobOptions>): Map<string, number> {
  const { artifacts } = compileModule(rt, bytes, { ...DEFAULT_OPTIONS, emit: ['obj'], ...options }, NO_EVENTS);
  const sizes = elfFunctionSizes(artifacts[0]!.bytes);
  // Bodies that OpenCL kernels have a second time are never melded, and nothing calls them.
  return new Map([...sizes].filter(([name]) => !name.startsWith(BODY_PREFIX)));
}

async function sizesOf(file: string): Promise<Sizes[]> {
  const bytes = await readFile(file);
  const [net, size] = [codeOf(bytes, { profit: 'net' }), codeOf(bytes, { profit: 'size' })];
  return [...codeOf(bytes, { meld: 'off' })].map(([kernel, plain]) => ({
    kernel,
    plain,
    net: net.get(kernel)!,
    size: size.get(kernel)!,
  }));
}

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(REPOSITORY + folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => `${REPOSITORY}${folder}/${file}`);

/** How kernels that one profit changes come out. */
function summary(all: readonly Sizes[], profit: 'net' | 'size'): string[] {
  const changed = all.filter((each) => each[profit] !== each.plain);
  const larger = all.filter((each) => each[profit] > each.plain);
  const mean = changed.length === 0 ? 1 : geometricMean(changed.map((each) => each[profit] / each.plain));
  const total = sum(all.map((each) => each[profit])) / sum(all.map(({ plain }) => plain));
  return [profit, `${changed.length}`, `${larger.length}`, mean.toFixed(3), total.toFixed(3)];
}

for (const target of asked.length === 0 ? ['gfx906', 'gfx1100'] : asked) {
  const files = [...filesIn('kernels/ir', `.${target}.O3.bc`), ...filesIn('kernels/corpus/ir', `.${target}.bc`)];
  const all: Sizes[] = [];
  for (const file of files) all.push(...(await sizesOf(file)));
  if (!process.argv.includes('--totals')) {
    const rows = all.map(({ kernel, plain, net, size }) => [kernel, plain, net, size, (size / plain).toFixed(3)]);
    printTable([target, 'without melds', 'net', 'size', 'size / without'], rows);
  }
  const heads = ['profit', 'changed', 'larger', 'geometric mean of these', 'all bytes'];
  console.log(`${target}: ${all.length} functions, ${sum(all.map(({ plain }) => plain))} bytes without melds`);
  printTable(heads, [summary(all, 'net'), summary(all, 'size')]);
  if (all.some(({ plain, size }) => size > plain)) process.exitCode = 1;
}
