/**
 * Every kernel of kernels/ that has a launch spec, on every target: debug build, optimised, and optimised and melded. What the
 * simulator leaves in the output buffers is, byte for byte, what the kernel's reference says.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expectedOutputs } from '../../kernels/references/index.js';
import { disassemble } from '../../src/binding/disassemble.js';
import type { Disassembly } from '../../src/formats/disassembly.js';
import type { JobOptions } from '../../src/options.js';
import { readCodeObject, type LoadableCodeObject } from '../../src/simulator/launch/code-object.js';
import { parseSpec, type LaunchSpec } from '../../src/simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { simulate } from '../../src/simulator/run.js';
import { artifact, compile, kernel, REPOSITORY, runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const MODULES = ['bitonic', 'sb1', 'sb2', 'sb3', 'many'] as const;
const TARGETS = ['gfx906', 'gfx1100', 'gfx90a', 'gfx942', 'gfx1030'] as const;

interface Form {
  readonly name: string;
  /** Of the file in kernels/ir. */
  readonly input: 'O0' | 'O3';
  readonly options: Partial<JobOptions>;
}
const FORMS: readonly Form[] = [
  { name: 'O0', input: 'O0', options: { meld: 'off', codegenLevel: 0 } },
  { name: 'O3', input: 'O3', options: { meld: 'off' } },
  { name: 'O3 melded', input: 'O3', options: { profit: 'paper', threshold: 0.05 } },
];

const test = suite('simulator/kernels', { tests: TARGETS.length * FORMS.length + 1, timeoutMs: 60_000 });

const SPECS: readonly LaunchSpec[] = readdirSync(`${REPOSITORY}kernels`)
  .filter((name) => name.endsWith('.spec.json'))
  .map((name) =>
    parseSpec(readFileSync(`${REPOSITORY}kernels/${name}`, 'utf8'), () => {
      throw new Error('no spec here reads a file');
    }),
  );

const kernelOf = ({ launches }: LaunchSpec): string => launches[0]!.kernel!;

interface Decoded {
  readonly object: LoadableCodeObject;
  readonly disassembly: Disassembly;
}

/** Compiles a module and has LLVM decode the code. */
async function decoded(input: Uint8Array, options: Partial<JobOptions>): Promise<Decoded & { melds: number }> {
  const result = await compile(input, { emit: ['hsaco'], ...options });
  const object = readCodeObject(artifact(result, 'hsaco'));
  const llvm = await runtime();
  llvm.reset();
  const waveSize = object.target.generation === 9 ? 64 : 32;
  const disassembly = disassemble(llvm, object.code.bytes, object.target.cpu, `+wavefrontsize${waveSize}`);
  return { object, disassembly, melds: result.functions.reduce((total, { melds }) => total + melds.length, 0) };
}

/** What is wrong after the launch; nothing when all is well. */
async function complaints({ object, disassembly }: Decoded, spec: LaunchSpec): Promise<string[]> {
  const options = { ...DEFAULT_SIMULATION, maxInstructions: 1e6, cycles: false };
  const expected = expectedOutputs(spec);
  try {
    const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
    return buffers
      .filter(({ name, out, bytes }) => out && Buffer.compare(bytes, expected.get(name)!) !== 0)
      .map(({ name, bytes }) => {
        const at = bytes.findIndex((byte, index) => byte !== expected.get(name)![index]);
        return `${kernelOf(spec)}: '${name}' differs from its element ${at >> 2} on`;
      });
  } catch (error) {
    return [`${kernelOf(spec)}: ${(error as Error).message}`];
  }
}

for (const target of TARGETS)
  for (const { name, input, options } of FORMS)
    test(`${target} ${name}`, async () => {
      const failures: string[] = [];
      let launches = 0;
      let melds = 0;
      for (const module of MODULES) {
        const code = await decoded(await kernel(`${module}.${target}.${input}`), options);
        melds += code.melds;
        const kernels = code.object.kernels.map(({ info }) => info.name);
        for (const spec of SPECS.filter((each) => kernels.includes(kernelOf(each)))) {
          failures.push(...(await complaints(code, spec)));
          launches++;
        }
      }
      assert.equal(failures, []);
      assert.is(launches, SPECS.length);
      assert.ok(options.meld === 'off' ? melds === 0 : melds > 5, `${melds} melds`);
    });

test('a kernel that computes something else is noticed', async () => {
  const spec = SPECS.find((each) => kernelOf(each) === 'sb1')!;
  const compiled = await compile(await kernel('sb1.gfx906.O3'), { emit: ['ll'], meld: 'off' });
  const correct = text(artifact(compiled, 'll'));
  // One of the operations, the other way round.
  const wrong = await decoded(new TextEncoder().encode(correct.replace('= sub i32', '= add i32')), { meld: 'off' });
  assert.match((await complaints(wrong, spec)).join(), /^sb1: 'out' differs from its element \d+ on$/);
});

test.run();
