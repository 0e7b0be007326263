/** `darm check --queue`: the same output and exit code as here, whatever comes back. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { createCompiler } from '../../src/index.js';
import type { LaunchQuestion } from '../../src/compiler/check-launch.js';
import { decodeCheck, encodeCheck, encodeRest, questionOf } from '../../src/fleet/check.js';
import { decodeExact, encodeExact } from '../../src/fleet/exact-json.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { darm, inFolder } from '../support/command.js';
import { connectionTo, startWorker } from '../support/fleet.js';
import { REPOSITORY } from '../support/llvm.js';
import { hasRedis, TestRedis } from '../support/redis.js';
import { text, tinyKernel } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('fleet/check', { tests: 4, timeoutMs: 120_000 });

test('values come back as they were', () => {
  const value = {
    big: 2n ** 64n - 1n,
    zero: -0,
    list: [NaN, Infinity, -Infinity, 1.5],
    bytes: new Uint8Array([0, 255]),
  };
  assert.equal(decodeExact(encodeExact(value)), value);
  assert.ok(Object.is((decodeExact(encodeExact(value)) as typeof value).zero, -0));
  fc.assert(
    fc.property(fc.uint8Array(), fc.bigInt(), fc.double(), (bytes, integer, number) => {
      const [one, two, three] = decodeExact(encodeExact([bytes, integer, number])) as unknown[];
      assert.equal([one, two, Object.is(three, number)], [bytes, integer, true]);
    }),
  );
});

test('a question keeps its spec; an answer must be that to its key', () => {
  const spec = parseSpec(
    '{"grid":[1],"block":[64],"args":[{"buffer":"u64","length":2,"fill":{"value":"18446744073709551615"}}]}',
    () => new Uint8Array(),
  );
  const [before, after] = [new Uint8Array([1]), new Uint8Array([2])];
  const question: LaunchQuestion = {
    ...{ before, after, spec, tolerance: { f32: 1e-5 }, madeUp: true },
    options: { maxInstructions: 1e8 },
  };
  assert.equal(questionOf(before, after, encodeRest(question)), question);
  const check = { unfit: 'no', failure: null, kernels: [], before: [], after: [], differences: [], race: null };
  assert.equal(decodeCheck(encodeCheck('key', check), 'key'), check);
  for (const wrong of [
    encodeCheck('other', check),
    encodeExact({ key: 'key' }),
    encodeExact({ key: 'key', check: { ...check, before: null } }),
    encodeExact({ key: 'key', check: { ...check, after: [null] } }),
    encodeExact({ key: 'key', check: { ...check, differences: [{}] } }),
    text('{'),
  ])
    assert.throws(() => decodeCheck(wrong, 'key'));
});

const queueFlags = ({ url }: TestRedis): string[] => ['--queue', url, '--queue-name', 'test'];

test.long('launches that a fleet simulates: same output, same exit code', () =>
  inFolder(async (folder) => {
    if (!hasRedis()) return;
    await using redis = await TestRedis.start(folder);
    await using worker = await startWorker(redis.url);
    await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
    const objects: string[] = [];
    for (const value of [1, 2]) {
      const module = new TextDecoder().decode(tinyKernel(1)).replace('store i32 1', `store i32 ${value}`);
      const file = path.join(folder, `${value}.hsaco`);
      await writeFile(file, (await compiler.compile(text(module))).artifacts[0]!.bytes);
      objects.push(file);
    }
    for (const [code, ...words] of [
      [0, path.join(REPOSITORY, 'kernels/ir/many.gfx1100.O3.bc'), '--seeds', '1', '--json'],
      [1, ...objects],
    ] as const) {
      const here = await darm(['check', ...words]);
      const there = await darm(['check', ...words, ...queueFlags(redis)]);
      assert.is(here.code, code);
      assert.equal(there, here);
    }
    assert.ok(worker.log.filter(({ msg }) => msg === 'simulates').length >= 2 * 13 + 2 * 4);
  }),
);

test.long('an answer that is none is refused: the launch is simulated here', () =>
  inFolder(async (folder) => {
    if (!hasRedis()) return;
    await using redis = await TestRedis.start(folder);
    const connection = await connectionTo(redis.url);
    const wrong = { key: 'other', check: { unfit: 'the worker says so' } };
    const inline = Buffer.from(encodeExact(wrong)).toString('base64');
    const liar = connection.openWorker(() => Promise.resolve({ schema: 1, result: { inline } }), {});
    const words = ['check', path.join(REPOSITORY, 'kernels/ir/bitonic.gfx906.O3.bc'), '--seeds', '2', '--json'];
    const [here, there] = [await darm(words), await darm([...words, ...queueFlags(redis)])];
    await liar.close();
    assert.equal([there.stdout, there.code], [here.stdout, 0]);
    assert.match(there.stderr, /2 jobs were done here, and not by the fleet: .* not what belongs to its job/);
  }),
);

test.run();
