/**
 * Executes kernels on the host and on the simulator and compares memory: first the kernels of kernels/, then random
 * ones until the time is up. Each is compiled for several targets in several ways.
 *
 *   node dist/test/campaign/simulate.js [--seconds N] [--seed S] [--batch N] [--size N] [--target CPU] [--form NAME]
 *                                       [--family plain|wide|retry|wide-retry|goto] [--only KERNEL [--shrink]]
 *                                       [--kernels]
 *
 * `--kernels` runs only those of the repository. `--only` runs one kernel of a batch and writes it to build/campaign/;
 * with `--shrink` (and `--target` and `--form`) the smallest kernel that still fails. A batch depends only on its seed,
 * size and family. Needs clang-22 and opt-22 (CLANG and OPT give other names). Exit code 1 on any failure.
 *
 * The host executes every thread by itself (execute-host.ts), from the IR before optimisation. A difference is a fault
 * of the simulator, of LLVM, or of the generator (behaviour that LLVM leaves open). If the host's result already
 * differs after the optimiser or the structurizer, it counts as LLVM's fault.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { PLAIN_MODULES, readSpecs } from '../../kernels/references/specs.js';
import { disassemble } from '../../src/binding/disassemble.js';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import type { Disassembly } from '../../src/formats/disassembly.js';
import type { JobOptions } from '../../src/job/options.js';
import { compileModule } from '../../src/pipeline/compile.js';
import { readCodeObject, type LoadableCodeObject } from '../../src/simulator/launch/code-object.js';
import { ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import { fillBuffer } from '../../src/simulator/launch/fill.js';
import type { LaunchSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import type { CompileResult } from '../../src/job/results.js';
import { artifact, freshRuntime, kernel as bitcode, SILENT, text, withDefaults } from '../support/llvm.js';
import { SCRATCH, build, contentsAfter, type Argument, type Launch } from './execute-host.js';
import { FAMILIES, type FamilyName } from './families.js';
import { draw, smallest, type Drawn, type Kernel } from './random-kernel.js';

const OPT = process.env['OPT'] ?? 'opt-22';
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
    shrink: { type: 'boolean', default: false },
    kernels: { type: 'boolean', default: false },
  },
});

const TARGETS = ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100'].filter(
  (each) => !args.target || each === args.target,
);

interface Form {
  readonly name: string;
  readonly options: Partial<JobOptions>;
}
const ALL_FORMS: readonly Form[] = [
  { name: 'O0', options: { meld: 'off', codegenLevel: 0 } },
  { name: 'O3', options: { meld: 'off', optimize: 'O3' } },
  // Values that go round loops are in registers, and LoopSimplify does not run.
  { name: 'O1, code O0', options: { meld: 'off', optimize: 'O1', codegenLevel: 0 } },
  { name: 'O1 melded', options: { optimize: 'O1', profit: 'paper', threshold: 0.05 } },
];
const FORMS = ALL_FORMS.filter(({ name }) => !args.form || name === args.form);

/** Of which family batches are, by their seeds. */
const MIX: readonly FamilyName[] = ['plain', 'wide', 'retry', 'wide-retry', 'goto'];

const totals = { passed: 0, failed: 0, llvm: 0, kernels: 0, instructions: 0 };
const mnemonics = new Map<string, Set<string>>();
const started = performance.now();
const elapsed = (): number => (performance.now() - started) / 1000;
const firstLine = (error: unknown): string =>
  (error as Error).message.split('\n').slice(0, 3).join(' | ').slice(0, 400);

function fail(what: string, how: string, repeat: string): void {
  totals.failed++;
  console.log(`FAIL ${what}: ${how}\n     npm run test:simulate -- ${repeat}`);
}

let llvm: LlvmRuntime | undefined;

async function runtime(): Promise<LlvmRuntime> {
  if (!llvm || llvm.poisoned) llvm = await freshRuntime();
  return llvm;
}

async function compile(input: Uint8Array | string, options: Partial<JobOptions>): Promise<CompileResult> {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  return compileModule(await runtime(), bytes, withDefaults(options), SILENT);
}

// --- On the simulator
// -----------------------------------------------------------------------------------------------------

interface Decoded {
  readonly object: LoadableCodeObject;
  readonly disassembly: Disassembly;
}

async function decoded(input: Uint8Array | string, options: Partial<JobOptions>): Promise<Decoded> {
  const object = readCodeObject(artifact(await compile(input, { emit: ['hsaco'], ...options }), 'hsaco'));
  const decoder = await runtime();
  decoder.reset();
  const waveSize = object.target.defaultWaveSize;
  const disassembly = disassemble(decoder, object.code.bytes, object.target.cpu, `+wavefrontsize${waveSize}`);
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

/** A description of the difference, or null. */
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

// --- The kernels of the repository
// ------------------------------------------------------------------------------------------

/** On the host a thread cannot see other threads. */
const NOT_ON_THE_HOST = ['many_crosslane'];

async function repositoryKernels(): Promise<void> {
  const specs = readSpecs(PLAIN_MODULES).filter(({ kernel }) => !NOT_ON_THE_HOST.includes(kernel));
  for (const module of PLAIN_MODULES) {
    const reference = await compile(await bitcode(`${module}.gfx906.O0`), { emit: ['ll'], meld: 'off' });
    const mine = specs.filter((each) => each.module === module).map(({ spec }) => spec);
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
          const wrong =
            typeof expected === 'string' ? `on the host: ${expected}` : await complaint(code, spec, expected);
          if (wrong === null) totals.passed++;
          else fail(`${spec.launches[0]!.kernel} ${target} ${name}`, wrong, '--kernels');
        }
      }
  }
}

// --- Random kernels
// -------------------------------------------------------------------------------------------------------

interface Batch {
  readonly kernels: readonly Drawn[];
  readonly module: string;
  readonly launches: readonly Launch[];
}

function batchOf(seed: number, family: FamilyName): Batch {
  const { body, module, launch } = FAMILIES[family];
  const bodies = [1, 2].map(body);
  const kernels = Array.from({ length: Number(args.batch) }, (_, index) => {
    const from = args.size ? body(Number(args.size)) : bodies[(seed + index) % 2]!;
    return draw(`k${seed}_${index}`, from, Math.imul(seed, 1009) + index);
  }).filter(({ name }) => !args.only || name === args.only);
  return { kernels, module: module(kernels), launches: kernels.map((each) => launch(each.name, each.seed)) };
}

const structurized = async (ir: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const passes = 'fix-irreducible,unify-loop-exits,structurizecfg';
    const child = execFile(OPT, ['-S', `-passes=${passes}`, '-o', '-', '-'], { maxBuffer: 1 << 28 }, (error, stdout) =>
      error ? reject(new Error(error.message)) : resolve(stdout),
    );
    child.stdin!.end(ir);
  });

/** LLVM 22 does not know `target_mem`, which is never the first of several, nor names of numbers, as `+qnan`. */
const forOldLlvm = (ll: string): string =>
  ll
    .replaceAll(/, target_mem: \w+/g, '')
    .replaceAll(/\b(half|float|double) ([+-])(inf|qnan)\b/g, (_, type: string, sign: string, what: string) => {
      const first = sign === '-' ? 'F' : '7';
      if (type === 'half') return `half 0xH${first}${what === 'inf' ? 'C' : 'E'}00`;
      return `${type} 0x${first}FF${what === 'inf' ? '0' : '8'}${'0'.repeat(12)}`;
    });

/**
 * Whose fault a difference may be: compares the host's results for the IR after the optimiser and after the
 * structurizer (LLVM 22's hoists values to places where they are wrong; llvm/llvm-project#183792), and the simulator's
 * for the optimised IR with code generation at -O0.
 */
async function suspect(
  module: string,
  options: Partial<JobOptions>,
  launch: Launch,
  expected: readonly Uint8Array[],
): Promise<{ llvm: boolean; how: string }> {
  try {
    const onHost = async (name: string, ir: string): Promise<boolean> => {
      const [found] = await contentsAfter(await build(name, ir, 'junk'), [launch]);
      return typeof found === 'object' && found.every((bytes, index) => Buffer.compare(bytes, expected[index]!) === 0);
    };
    const ll = text(artifact(await compile(module, { ...options, emit: ['ll'] }), 'll'));
    const optimised = forOldLlvm(ll);
    if (!(await onHost('optimised', optimised))) return { llvm: true, how: 'the optimised IR is wrong on the host' };
    if (!(await onHost('structurized', await structurized(optimised))))
      return { llvm: true, how: 'the structurized IR is wrong on the host' };
    const plain = await decoded(optimised, { meld: 'off', codegenLevel: 0 });
    const wrong = await complaint(plain, specOf(launch), expected);
    return { llvm: false, how: `-O0 code generation of the optimised IR is ${wrong === null ? 'right' : 'wrong'}` };
  } catch (error) {
    return { llvm: false, how: firstLine(error) };
  }
}

/** Writes the smallest kernel that still differs on the first target in the first form, and the code made from it. */
async function shrink(kernel: Drawn, launch: Launch, family: FamilyName): Promise<void> {
  const [target, { options }] = [TARGETS[0]!, FORMS[0]!];
  const moduleOf = (one: Kernel): string => FAMILIES[family].module([one]).replaceAll('"gfx906"', `"${target}"`);
  const differs = async (smaller: Kernel): Promise<boolean> => {
    try {
      const [expected] = await contentsAfter(await build('small', moduleOf(smaller), 'junk'), [launch]);
      if (typeof expected !== 'object') return false;
      return (await complaint(await decoded(moduleOf(smaller), options), specOf(launch), expected)) !== null;
    } catch {
      return false;
    }
  };
  const least = moduleOf(await smallest(kernel, 90, differs));
  const base = path.join(SCRATCH, `small-${kernel.name}-${target}`);
  await writeFile(`${base}.ll`, least);
  const compiled = await compile(least, { emit: ['ll', 'asm'], ...options });
  await writeFile(`${base}.out.ll`, artifact(compiled, 'll'));
  await writeFile(`${base}.s`, artifact(compiled, 'asm'));
  console.log(`${base}.*`);
}

async function randomKernels(): Promise<void> {
  const first = Number(args.seed);
  const goesOn = (seed: number): boolean =>
    args.only ? seed === first : elapsed() < Number(args.seconds) && totals.failed < 40;
  for (let seed = first; goesOn(seed); seed++) {
    const family = (args.family as FamilyName | undefined) ?? MIX[seed % MIX.length]!;
    const repeat = `--seed ${seed} --seconds 1 --batch ${args.batch} --family ${family}${args.size ? ` --size ${args.size}` : ''}`;
    try {
      const { kernels, module, launches } = batchOf(seed, family);
      if (args.only) await writeFile(path.join(SCRATCH, `${args.only}.ll`), module);
      const host = await build('raw', module, 'junk', seed);
      const contents = await contentsAfter(host, launches);
      for (const [index, found] of contents.entries())
        if (typeof found === 'string') fail(`${kernels[index]!.name} on the host`, found, repeat);
      totals.kernels += kernels.length;
      if (args.shrink) return await shrink(kernels[0]!, launches[0]!, family);
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
            if (wrong === null) {
              totals.passed++;
              continue;
            }
            const ir = module.replaceAll('"gfx906"', `"${target}"`);
            const { llvm: notOurs, how } = await suspect(ir, options, launch, expected);
            const what = `${launch.kernel} ${target} ${name}`;
            const again = `${repeat} --only ${launch.kernel} --target ${target} --form '${name}'`;
            if (!notOurs) fail(what, `${wrong}\n     ${how}`, again);
            else {
              totals.llvm++;
              console.log(`LLVM ${what}: ${how}\n     npm run test:simulate -- ${again}`);
            }
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
console.log(`${totals.llvm} compiled wrongly by LLVM`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
