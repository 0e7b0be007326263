/**
 * The corpus: its parts fit together, its data follow from seed and size, and some kernels compute what their
 * references say, without and with melding. `npm run bench:corpus` compares all kernels melded with unmelded, and
 * `npm run test:corpus` looks for races and for data that do not reach the code.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  CORPUS,
  CORPUS_TARGETS,
  corpusLaunch,
  corpusModule,
  corpusSource,
  corpusSpec,
} from '../../kernels/corpus/index.js';
import { launchSpec, specDocument } from '../../kernels/corpus/launch.js';
import { CORPUS_REFERENCES } from '../../kernels/corpus/references.js';
import { DEFAULT_SIMULATION } from '../../src/simulator/options.js';
import { fillBuffer } from '../../src/simulator/launch/fill.js';
import { ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import { parseSpec, type LaunchSpec } from '../../src/simulator/launch/spec.js';
import { simulate } from '../../src/simulator/run.js';
import { decoded } from '../support/kernel-launch.js';
import { REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const FOLDER = `${REPOSITORY}kernels/corpus`;
const USUAL = { seed: 1, size: 1 };
const FAMILIES = [...new Set(CORPUS.map(({ family }) => family))];
const CHECKED = FAMILIES.filter((family) =>
  CORPUS.some((each) => each.family === family && each.name in CORPUS_REFERENCES),
);

const test = suite('kernels/corpus', { tests: 5 + CHECKED.length, timeoutMs: 60_000 });

test('every kernel has a launch, and every family its modules', () => {
  const sources = readdirSync(FOLDER).filter((name) => /\.(hip|cl)$/.test(name));
  assert.equal(sources.map((name) => path.parse(name).name).sort(), FAMILIES);
  for (const family of FAMILIES) {
    const { text } = corpusSource(family);
    const kernels = [...text.matchAll(/(?:__global__|\bkernel) void (\w+)\(/g)].map(([, name]) => name!);
    assert.equal(
      CORPUS.filter((each) => each.family === family)
        .map(({ name }) => name)
        .sort(),
      kernels.sort(),
    );
    for (const target of CORPUS_TARGETS) assert.ok(corpusModule(family, target).length > 0);
  }
  assert.is(new Set(CORPUS.map(({ name }) => name)).size, CORPUS.length, 'names are unique');
  for (const name of Object.keys(CORPUS_REFERENCES))
    assert.ok(
      CORPUS.some((each) => each.name === name),
      name,
    );
});

test('the halves are fixed', () => {
  const halves = new Map(CORPUS.map(({ name, half }) => [name, half]));
  assert.is(halves.get('black_scholes_book'), 'fit');
  assert.is(halves.get('upwind_advection'), 'unseen');
  const fit = CORPUS.filter(({ half }) => half === 'fit').length;
  assert.ok(fit > 0.4 * CORPUS.length && fit < 0.6 * CORPUS.length);
});

test('seed and size make the data', () => {
  const kernel = CORPUS.find(({ name }) => name === 'csr_scalar')!;
  const values = (seed: number, size: number) => corpusLaunch(kernel, { seed, size }).args.slice(1, 5);
  assert.equal(values(1, 1), values(1, 1));
  assert.not.equal(values(1, 1), values(2, 1));
  assert.is(corpusSpec(kernel, { seed: 1, size: 2 }).buffers[0]!.length, 2000);
});

test.long('every kernel has a launch of other sizes', () => {
  for (const kernel of CORPUS)
    for (const size of [0.3, 2]) {
      const { launches, buffers } = corpusSpec(kernel, { seed: 7, size });
      assert.ok(launches[0]!.grid.every((groups) => groups >= 1) && buffers.some(({ out }) => out), kernel.name);
    }
});

test('launches are launch specifications', () => {
  const contents = ({ buffers }: LaunchSpec) =>
    buffers.map(({ element, length, fill, out }) => {
      const bytes = new Uint8Array(length * ELEMENT_BYTES[element]);
      fillBuffer(bytes, element, fill);
      return { element, out, bytes };
    });
  for (const kernel of CORPUS.filter(({ family }) => family === 'sparse' || family === 'audio')) {
    const spec = corpusSpec(kernel, USUAL);
    const { document, files } = specDocument(kernel.name, spec);
    const read = parseSpec(JSON.stringify(document), (name) => files.get(name)!);
    assert.equal(read.launches, [{ ...spec.launches[0]! }]);
    assert.equal(contents(read), contents(spec));
  }
});

for (const family of CHECKED) {
  const register = family === 'graph' || family === 'sparse' ? test : test.long;
  register(`references: ${family}`, async () => {
    for (const [target, options] of [
      ['gfx906', { meld: 'off' }],
      ['gfx1100', { profit: 'paper', threshold: 0.05 }],
    ] as const) {
      const { object, disassembly } = await decoded(corpusModule(family, target), options);
      for (const kernel of CORPUS.filter((each) => each.family === family && each.name in CORPUS_REFERENCES)) {
        const launch = corpusLaunch(kernel, USUAL);
        const expected = CORPUS_REFERENCES[kernel.name]!(launch.args);
        const spec = launchSpec(kernel.name, launch);
        const simulation = { ...DEFAULT_SIMULATION, cycles: false };
        const { buffers } = await simulate({ object, spec, options: simulation, disassembly: () => disassembly });
        const outputs = buffers.filter(({ out }) => out);
        for (const [index, { buffer, byteOffset, byteLength }] of expected.entries()) {
          const wanted = new Uint8Array(buffer, byteOffset, byteLength);
          const found = outputs[index]!.bytes;
          const at = wanted.findIndex((byte, place) => byte !== found[place]);
          assert.is(at < 0 ? null : `${kernel.name}, output ${index}, byte ${at}`, null);
          assert.is(found.length, wanted.length);
        }
      }
    }
  });
}

test.run();
