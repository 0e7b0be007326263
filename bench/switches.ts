/**
 * What the cost model of divergent switches is worth (src/melding/cost/switch-cycles.ts). A kernel has a switch once as
 * it is, which code generation makes a tree of branches, and once as a chain of compares and branches. Nothing melds.
 * One wave alone executes each, with data for which its threads take one way, two or all. The table has the difference
 * of the simulated cycles, its mean and the root of its mean square, and the root of the mean square of what the model
 * is away from it. "Other sign" counts where the model says that the other one is better, of the waves for which it
 * matters (more than 16 cycles).
 *
 * usage: node dist/bench/switches.js [TARGET …]
 */
import { launchSpec } from '../kernels/corpus/launch.js';
import { analysesOf } from '../src/analysis/analyses.js';
import { caseRuns } from '../src/analysis/case-runs.js';
import { LlvmModule } from '../src/binding/module.js';
import { createCompiler } from '../src/index.js';
import type { BlockId } from '../src/ir/ids.js';
import { chainCycles, treeCycles } from '../src/melding/cost/switch-cycles.js';
import { branchCycles, switchCosts, switchShape } from '../src/melding/cost/switch-shape.js';
import { inFreshHeap } from '../src/pipeline/compilation.js';
import type { KernelLaunch } from '../src/simulator/launch/spec.js';
import { freshLlvm } from './llvm.js';
import { operands, printTable, sum } from './support.js';

/** Where it is less, it hardly matters which of them is better. */
const MATTERS = 16;
/** What no case asks for. It lies behind all of them. */
const OTHER = 99;

interface Shape {
  readonly group: string;
  /** In increasing order. */
  readonly values: readonly number[];
  /** By value, the destination; they are numbered in the order of their first values. */
  readonly destinations: readonly number[];
  /** Whether what is asked about is a byte: then nothing lies in front of 0. */
  readonly isByte: boolean;
  readonly hasDefault: boolean;
  /** Instructions of each destination. Code generation branches around 16 of them, and not around 4. */
  readonly work: number;
}

const inOrder = (count: number): number[] => [...Array(count).keys()];

const SHAPES: readonly Shape[] = [4, 16].flatMap((work) => [
  ...[false, true].flatMap((hasDefault) =>
    [2, 3, 4, 6, 10].flatMap((count): Shape[] => {
      const behind = hasDefault ? 'own default' : 'no default';
      const dense = { values: inOrder(count), destinations: inOrder(count), hasDefault, work };
      return [
        { ...dense, group: `dense i8, ${behind}`, isByte: true },
        { ...dense, group: `dense i32, ${behind}`, isByte: false },
        { ...dense, group: `sparse i32, ${behind}`, isByte: false, values: dense.values.map((k) => 3 * k + 1) },
      ];
    }),
  ),
  {
    group: 'several runs, own default',
    values: inOrder(6),
    destinations: [0, 1, 0, 1, 2, 0],
    isByte: false,
    hasDefault: true,
    work,
  },
]);

/** What the threads of a wave ask about in turn: sets of numbers, of which each leads some way. */
function wavesOf({ values }: Shape): number[][] {
  const all = [...values, OTHER];
  const one = all.map((value) => [value]);
  const two = values.map((value, k) => [value, all[k + 1]!]);
  const sets = [...one, ...two, [values[0]!, values.at(-1)!], [...values], all];
  return [...new Map(sets.map((set) => [set.join(), set])).values()];
}

/** LLVM assembly of a kernel in which each destination computes what a thread writes. */
function kernelText(shape: Shape, kind: 'tree' | 'chain'): string {
  const { values, destinations, isByte, hasDefault, work } = shape;
  const count = Math.max(...destinations) + 1;
  const otherwise = hasDefault ? `to${count}` : 'join';
  const chain = inOrder(count).map((to) => link(shape, to, to === count - 1 ? otherwise : `link${to + 1}`));
  const cases = values.map((value, k) => `i32 ${value}, label %to${destinations[k]}`);
  const blocks = inOrder(count + (hasDefault ? 1 : 0)).map((to) => {
    const instrs = inOrder(work).map(
      (k) => `%w${to}.${k + 1} = ${k % 2 ? 'fadd' : 'fmul'} float ${k ? `%w${to}.${k}` : '%x'}, ${to + k + 2}.0`,
    );
    return `to${to}:\n  ${instrs.join('\n  ')}\n  br label %join`;
  });
  const results = blocks.map((_, to) => `[ %w${to}.${work}, %to${to} ]`);
  if (!hasDefault) results.push(`[ 1.0, %${kind === 'tree' ? 'entry' : `link${count - 1}`} ]`);
  return `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @switches(ptr addrspace(1) %asked, ptr addrspace(1) %xs, ptr addrspace(1) %out) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %asked.at = getelementptr i32, ptr addrspace(1) %asked, i32 %id
  %x.at = getelementptr float, ptr addrspace(1) %xs, i32 %id
  %x = load float, ptr addrspace(1) %x.at
  ${isByte ? '%byte = load i8, ptr addrspace(1) %asked.at' : ''}
  %v = ${isByte ? 'zext i8 %byte to i32' : 'load i32, ptr addrspace(1) %asked.at'}
  ${kind === 'tree' ? `switch i32 %v, label %${otherwise} [ ${cases.join(' ')} ]` : 'br label %link0'}
${kind === 'tree' ? '' : chain.join('\n')}
${blocks.join('\n')}
join:
  %y = phi float ${results.join(', ')}
  %out.at = getelementptr float, ptr addrspace(1) %out, i32 %id
  store float %y, ptr addrspace(1) %out.at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="1,64" }
`;
}

/** The branch of a chain that asks for all values of a destination. */
function link({ values, destinations }: Shape, to: number, next: string): string {
  const own = values.filter((_, k) => destinations[k] === to);
  const compares = own.map((value, k) => `%is${to}.${k} = icmp eq i32 %v, ${value}`);
  const ors = own.slice(1).map((_, k) => {
    const before = k === 0 ? `%is${to}.0` : `%or${to}.${k}`;
    return `%or${to}.${k + 1} = or i1 ${before}, %is${to}.${k + 1}`;
  });
  const asked = own.length > 1 ? `%or${to}.${own.length - 1}` : `%is${to}.0`;
  return `link${to}:\n  ${[...compares, ...ors].join('\n  ')}\n  br i1 ${asked}, label %to${to}, label %${next}`;
}

const rt = await freshLlvm();
const compiler = createCompiler({ threads: 2, tierPolicy: 'long' });

/** What the cost model says of each wave, tree − chain, and how many threads a wave has. */
function model(text: string, cpu: string, waves: readonly number[][]): { differences: number[]; waveSize: number } {
  return inFreshHeap(rt, () => {
    using module = LlvmModule.read(rt, new TextEncoder().encode(text), { cpu, features: '' }, 2);
    const { snapshot: fn } = module.look('switches');
    const analyses = analysesOf(fn);
    const work = switchCosts(fn, analyses);
    const entry = 0 as BlockId;
    const found = caseRuns(fn, entry);
    const shape = switchShape(work, analyses, entry, found);
    const { inTree, inChain } = branchCycles(fn, analyses, entry, work.costs.target);
    const differences = waves.map((asked) => {
      const isOther = asked.includes(OTHER);
      const takes = found.runs.map(({ low, high }) => asked.some((value) => value >= low && value <= high));
      const taken = Uint8Array.from([...takes, isOther], Number);
      return treeCycles(shape, taken, takes.length, inTree) - chainCycles(shape, taken, inChain);
    });
    return { differences, waveSize: fn.waveSize };
  });
}

/** Cycles of each wave alone, and what its threads wrote. */
async function simulated(code: Uint8Array, waves: readonly number[][], lanes: number) {
  const numbers = (asked: readonly number[]): number[] => inOrder(lanes).map((lane) => asked[lane % asked.length]!);
  const asked = Int32Array.from(waves.flatMap(numbers));
  const xs = Float32Array.from(asked, (_, k) => 1 + (k % lanes) / lanes);
  const args = [asked, xs, { contents: new Float32Array(asked.length) }];
  const { buffers, launches } = launchSpec('switches', { grid: [1], block: [lanes], args });
  // All in one job: it spends far more time on reading the code than on a wave.
  const launchOf = (k: number): KernelLaunch => {
    const at = launches[0]!.args.map((each) => (each.kind === 'buffer' ? { ...each, offset: 4 * lanes * k } : each));
    return { ...launches[0]!, args: at };
  };
  const spec = { buffers, launches: waves.map((_, k) => launchOf(k)) };
  const result = await compiler.simulate(code, spec, { cycles: true });
  return { cycles: result.launches.map((launch) => launch.cycles!), out: result.buffers.find(({ out }) => out)!.bytes };
}

/** Tree − chain, of one wave. */
interface Measurement {
  readonly group: string;
  readonly measured: number;
  readonly modelled: number;
}

async function measure(shape: Shape, cpu: string): Promise<Measurement[]> {
  const waves = wavesOf(shape);
  const texts = { tree: kernelText(shape, 'tree'), chain: kernelText(shape, 'chain') };
  const { differences, waveSize } = model(texts.tree, cpu, waves);
  const compiled = async (text: string): Promise<Uint8Array> =>
    (await compiler.compile(text, { mcpu: cpu, meld: 'off' })).artifacts[0]!.bytes;
  const [tree, chain] = await Promise.all([compiled(texts.tree), compiled(texts.chain)]);
  const [inTree, inChain] = [await simulated(tree, waves, waveSize), await simulated(chain, waves, waveSize)];
  if (Buffer.compare(inTree.out, inChain.out) !== 0) throw new Error(`${shape.group}: tree and chain differ`);
  return differences.map((modelled, k) => {
    const measured = inTree.cycles[k]! - inChain.cycles[k]!;
    return { group: shape.group, measured, modelled };
  });
}

const mean = (values: readonly number[]): number => sum(values) / values.length;
const rootMeanSquare = (values: readonly number[]): number => Math.sqrt(mean(values.map((value) => value ** 2)));

function row(name: string, measurements: readonly Measurement[]): (string | number)[] {
  const measured = measurements.map((each) => each.measured);
  const errors = measurements.map((each) => each.modelled - each.measured);
  const mattering = measurements.filter((each) => Math.abs(each.measured) > MATTERS);
  const wrong = mattering.filter((each) => each.measured * each.modelled < 0);
  const figures = [mean(measured), rootMeanSquare(measured), rootMeanSquare(errors)].map((each) => each.toFixed(1));
  return [name, measurements.length, ...figures, `${wrong.length} of ${mattering.length}`];
}

const targets = operands();
const rows: (string | number)[][] = [];
for (const cpu of targets.length > 0 ? targets : ['gfx906', 'gfx90a', 'gfx1030', 'gfx1100']) {
  const measurements = (await Promise.all(SHAPES.map((shape) => measure(shape, cpu)))).flat();
  for (const name of new Set(SHAPES.map(({ group }) => group))) {
    const ofGroup = measurements.filter(({ group }) => group === name);
    rows.push(row(`${cpu} ${name}`, ofGroup));
  }
  rows.push(row(`${cpu} all`, measurements));
}
await compiler.close();
printTable(['switch', 'waves', 'tree − chain: mean', 'root mean square', 'error of the model', 'other sign'], rows);
