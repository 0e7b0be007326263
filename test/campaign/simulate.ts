/**
 * Executes kernels on the host and on the simulator and compares memory: the kernels of kernels/, then random ones until the time
 * is up, each compiled for several targets in several ways.
 *
 *   node dist/test/campaign/simulate.js [--seconds N] [--seed S] [--batch N] [--size N] [--family plain|wide] [--target CPU]
 *                                       [--form NAME] [--only KERNEL] [--kernels]
 *
 * `--kernels` runs only those of the repository, `--only` one kernel of a batch, which is also written to build/campaign/. A batch
 * is a function of its seed, size and family. Needs clang-22 and opt-22 (other names: CLANG, OPT). Exit code 1 on any failure.
 *
 * The host runs every thread on its own (execute-host.ts), from the IR before optimisation; a difference is a fault of the
 * simulator, of code generation, or of the generator (behaviour that LLVM leaves open).
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { disassemble } from '../../src/binding/disassemble.js';
import type { Disassembly } from '../../src/formats/disassembly.js';
import type { JobOptions } from '../../src/options.js';
import { readCodeObject, type LoadableCodeObject } from '../../src/simulator/launch/code-object.js';
import { ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import { fillBuffer } from '../../src/simulator/launch/fill.js';
import { parseSpec, type LaunchSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { artifact, compile, kernel as bitcode, REPOSITORY, runtime, text } from '../support/llvm.js';
import { SCRATCH, build, contentsAfter, type Argument, type Launch } from './execute-host.js';
import { randomKernel, Random, type Kernel } from './random-kernel.js';
import { CELL_BYTES, GROUPS, IN_WORDS, THREADS, emitModule } from './random-module.js';
import { WIDE, emitWideModule, wideArguments, wideKernel } from './wide-module.js';

const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    batch: { type: 'string', default: '6' },
    size: { type: 'string' },
    family: { type: 'string' },
    target: { type: 'string' },
    form: { type: 'string' },
    only: { type: 'string' },
    kernels: { type: 'boolean', default: false },
  },
});

const TARGETS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100'].filter((each) => !args.target || each === args.target);

interface Form {
  readonly name: string;
  readonly options: Partial<JobOptions>;
}
const ALL_FORMS: readonly Form[] = [
  { name: 'O0', options: { meld: 'off', codegenLevel: 0 } },
  { name: 'O3', options: { meld: 'off', optimize: 'O3' } },
  { name: 'O1 melded', options: { optimize: 'O1', profit: 'paper', threshold: 0.05 } },
];
const FORMS = ALL_FORMS.filter(({ name }) => !args.form || name === args.form);

const totals = { passed: 0, failed: 0, kernels: 0, instructions: 0 };
const mnemonics = new Map<string, Set<string>>();
const started = performance.now();
const elapsed = (): number => (performance.now() - started) / 1000;
const firstLine = (error: unknown): string => (error as Error).message.split('\n').slice(0, 3).join(' | ').slice(0, 400);

function fail(what: string, how: string, repeat: string): void {
  totals.failed++;
  console.log(`FAIL ${what}: ${how}\n     npm run test:simulate -- ${repeat}`);
}

// --- On the simulator -----------------------------------------------------------------------------------------------------

interface Decoded {
  readonly object: LoadableCodeObject;
  readonly disassembly: Disassembly;
}

async function decoded(input: Uint8Array | string, options: Partial<JobOptions>): Promise<Decoded> {
  const object = readCodeObject(artifact(await compile(input, { emit: ['hsaco'], ...options }), 'hsaco'));
  const llvm = await runtime();
  llvm.reset();
  const waveSize = object.target.generation === 9 ? 64 : 32;
  const disassembly = disassemble(llvm, object.code.bytes, object.target.cpu, `+wavefrontsize${waveSize}`);
  return { object, disassembly };
}

function specOf({ kernel, grid, block, args: list }: Launch): LaunchSpec {
  const buffers: LaunchSpec['buffers'][number][] = [];
  return {
    buffers,
    launches: [
      {
        kernel,
        grid,
        block,
        dynamicLds: 0,
        args: list.map((each) => {
          if ('scalar' in each) {
            const bytes = new Uint8Array(8);
            new DataView(bytes.buffer).setBigUint64(0, each.scalar, true);
            return { kind: 'bytes', name: null, bytes: bytes.subarray(0, each.bytes ?? 4) };
          }
          const fill = { kind: 'bytes', bytes: each.bytes } as const;
          const name = `b${buffers.length}`;
          const buffer = buffers.push({ name, element: 'u8', length: each.bytes.length, fill, out: true }) - 1;
          return { kind: 'buffer', name: null, buffer, offset: 0 };
        }),
      },
    ],
  };
}

/** What is wrong, or null. */
async function complaint(
  { object, disassembly }: Decoded,
  spec: LaunchSpec,
  expected: readonly Uint8Array[],
): Promise<string | null> {
  const options = { ...DEFAULT_SIMULATION, maxInstructions: 2e7, cycles: false };
  try {
    const { buffers, launches } = await simulate({ object, spec, options, disassembly: () => disassembly });
    const seen = mnemonics.get(object.target.cpu) ?? new Set();
    mnemonics.set(object.target.cpu, seen);
    for (const { instructions } of launches)
      for (const { text: line, executed } of instructions) {
        seen.add(line.split(' ')[0]!);
        totals.instructions += executed;
      }
    for (const [index, { bytes }] of buffers.entries()) {
      const want = expected[index]!;
      const at = bytes.findIndex((byte, offset) => byte !== want[offset]);
      if (at < 0) continue;
      const hex = (of: Uint8Array): string => Buffer.from(of.subarray(at & ~7, (at & ~7) + 8)).toString('hex');
      return `buffer ${index} differs from byte ${at} on: at ${at & ~7} expected ${hex(want)}, got ${hex(bytes)}`;
    }
    return null;
  } catch (error) {
    return firstLine(error);
  }
}

// --- The kernels of the repository ------------------------------------------------------------------------------------------

async function repositoryKernels(): Promise<void> {
  const folder = path.join(REPOSITORY, 'kernels');
  const specs = (await readdir(folder))
    .filter((name) => name.endsWith('.spec.json'))
    .map((name) =>
      parseSpec(readFileSync(path.join(folder, name), 'utf8'), (file) => readFileSync(path.join(folder, file))),
    );
  for (const module of ['bitonic', 'sb1', 'sb2', 'sb3', 'many'] as const) {
    const reference = await compile(await bitcode(`${module}.gfx906.O0`), { emit: ['ll'], meld: 'off' });
    const mine = specs.filter(({ launches }) => reference.functions.some(({ name }) => name === launches[0]!.kernel));
    const host = await build('reference', text(artifact(reference, 'll')), 'junk');
    const contents = await contentsAfter(
      host,
      mine.map(({ launches: [launch], buffers }) => {
        const { kernel, grid, block, args: list } = launch!;
        const bind = (each: (typeof list)[number]): Argument => {
          if (each.kind === 'bytes') {
            const word = new Uint8Array(8);
            word.set(each.bytes);
            return { scalar: new DataView(word.buffer).getBigUint64(0, true) };
          }
          const { element, length, fill } = buffers[each.buffer]!;
          const bytes = new Uint8Array(length * ELEMENT_BYTES[element]);
          fillBuffer(bytes, element, fill);
          return { bytes, out: true };
        };
        return { kernel: kernel!, grid, block, args: list.map(bind) };
      }),
    );
    for (const target of TARGETS)
      for (const [name, input, options] of [
        ['O0', 'O0', { meld: 'off', codegenLevel: 0 }],
        ['O3', 'O3', { meld: 'off' }],
        ['melded', 'O3', { profit: 'paper', threshold: 0.05 }],
      ] as const) {
        const code = await decoded(await bitcode(`${module}.${target}.${input}`), options);
        for (const [index, spec] of mine.entries()) {
          totals.kernels++;
          const expected = contents[index]!;
          const wrong = typeof expected === 'string' ? `on the host: ${expected}` : await complaint(code, spec, expected);
          if (wrong === null) totals.passed++;
          else fail(`${spec.launches[0]!.kernel} ${target} ${name}`, wrong, '--kernels');
        }
      }
  }
}

// --- Random kernels -------------------------------------------------------------------------------------------------------

interface Batch {
  readonly kernels: readonly Kernel[];
  readonly module: string;
  readonly launches: readonly Launch[];
}

function batchOf(seed: number, wide: boolean): Batch {
  const r = new Random(seed * 31 + (wide ? 7 : 0));
  const make = wide ? wideKernel : randomKernel;
  const kernels = Array.from({ length: Number(args.batch) }, (_, index) => {
    const size = args.size ? Number(args.size) : 1 + r.below(2);
    return make(`k${seed}_${index}`, r.below(2 ** 31), size);
  }).filter(({ name }) => !args.only || name === args.only);
  const threads = wide ? WIDE.threads : THREADS;
  const launches = kernels.map(({ name }): Launch => {
    const input = new Uint8Array((wide ? 768 : IN_WORDS) * 4);
    // No byte is 255 (loads of single bytes carry a range); every other word is small.
    for (let i = 0; i < input.length; i++) input[i] = i % 8 >= 5 ? 0 : r.below(255);
    const out = new Uint8Array(GROUPS * threads * (wide ? WIDE.cellBytes : CELL_BYTES));
    for (let i = 0; i < out.length; i++) out[i] = r.below(256);
    const common: Argument[] = [{ bytes: out, out: true }, { bytes: input, out: true }, { scalar: BigInt(r.below(8)) }];
    return {
      kernel: name,
      grid: [GROUPS, 1, 1],
      block: [threads, 1, 1],
      args: [...common, ...(wide ? wideArguments(r) : [])],
    };
  });
  return { kernels, module: (wide ? emitWideModule : emitModule)(kernels), launches };
}

async function randomKernels(): Promise<void> {
  for (let seed = Number(args.seed); elapsed() < Number(args.seconds) && totals.failed < 40; seed++) {
    const family = args.family ?? (seed % 4 === 0 ? 'plain' : 'wide');
    const repeat = `--seed ${seed} --seconds 1 --batch ${args.batch} --family ${family}${args.size ? ` --size ${args.size}` : ''}`;
    try {
      const { kernels, module, launches } = batchOf(seed, family === 'wide');
      if (args.only) await writeFile(path.join(SCRATCH, `${args.only}.ll`), module);
      const host = await build('raw', module, 'junk', seed);
      const contents = await contentsAfter(host, launches);
      for (const [index, found] of contents.entries())
        if (typeof found === 'string') fail(`${kernels[index]!.name} on the host`, found, repeat);
      totals.kernels += kernels.length;
      for (const target of TARGETS)
        for (const { name, options } of FORMS) {
          let code: Decoded;
          try {
            code = await decoded(module.replaceAll('"gfx906"', `"${target}"`), options);
          } catch (error) {
            fail(`batch ${seed} ${target} ${name}`, firstLine(error), repeat);
            continue;
          }
          for (const [index, launch] of launches.entries()) {
            const expected = contents[index]!;
            if (typeof expected === 'string') continue;
            const wrong = await complaint(code, specOf(launch), expected);
            if (wrong === null) totals.passed++;
            else
              fail(
                `${launch.kernel} ${target} ${name}`,
                wrong,
                `${repeat} --only ${launch.kernel} --target ${target} --form '${name}'`,
              );
          }
        }
    } catch (error) {
      fail(`seed ${seed}`, `of the campaign itself: ${firstLine(error)}`, repeat);
    }
  }
}

await mkdir(SCRATCH, { recursive: true });
if (!args.only && !args.family) await repositoryKernels();
if (!args.kernels) await randomKernels();
for (const file of await readdir(SCRATCH))
  if (file.startsWith(`${process.pid}-`) || file === `driver-${process.pid}`)
    await rm(path.join(SCRATCH, file), { force: true });
console.log(
  `${totals.kernels} kernels, ${(totals.instructions / 1e6).toFixed(1)} million wavefront instructions, ${elapsed().toFixed(0)} s`,
);
for (const [target, seen] of mnemonics) console.log(`  ${target}: ${seen.size} mnemonics`);
if (process.env['MNEMONICS'])
  await writeFile(
    process.env['MNEMONICS'],
    [...mnemonics].map(([target, seen]) => `${target} ${[...seen].sort().join(' ')}\n`).join(''),
  );
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 ? 1 : 0;
