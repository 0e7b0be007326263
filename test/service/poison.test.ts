/** Modules that crash, hang or exhaust a worker, among good ones: only they fail, and every other answer is right. */
import { createHash } from 'node:crypto';
import { assert, suite } from '../support/suite.js';
import { kernel } from '../support/llvm.js';
import { base64, figure, LINES, POISON, post, problem, tinyKernel, withService } from '../support/service.js';
import type { Service } from '../../src/service/index.js';

const test = suite('service/poison', { tests: 2, timeoutMs: 120_000 });

const MIB = 2 ** 20;
/** Long enough for every good job, even on a busy machine; the endless job gets a shorter limit. */
const TIMEOUT = 60_000;

const query = (name: string): string => (name === 'endless' ? '?timeout=300' : '');
const STATUS: Readonly<Record<string, number>> = {
  internal: 500,
  'compile-failed': 422,
  timeout: 504,
  'out-of-memory': 422,
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function good(service: Service, bytes: Uint8Array): Promise<string> {
  const response = await post(service, '/v1/compile', new Uint8Array(bytes));
  assert.is(response.status, 200);
  return sha256(new Uint8Array(await response.arrayBuffer()));
}

test.long('two clients, one of which sends poison', async () => {
  await withService({ threads: 2, memoryLimit: 64 * MIB }, { timeout: TIMEOUT }, async (service, compiler) => {
    const modules = [tinyKernel(1), await kernel('sb1.gfx906.O3'), tinyKernel(2), await kernel('dct.gfx1100.O3')];
    const compiled = await Promise.all(modules.map((bytes) => compiler.compile(bytes)));
    const expected = compiled.map(({ artifacts }) => sha256(artifacts[0]!.bytes));

    let poisoning = true;
    let answers = 0;
    const client = async (): Promise<void> => {
      for (let i = 0; poisoning || i < modules.length; i = (i + 1) % modules.length) {
        assert.is(await good(service, modules[i]!), expected[i], `module ${i}`);
        answers++;
        if (!poisoning) return;
      }
    };
    const poisoner = async (): Promise<void> => {
      for (const [name, { bytes, code }] of Object.entries(POISON)) {
        const response = await post(service, `/v1/compile${query(name)}`, bytes);
        assert.is(response.status, STATUS[code], name);
        assert.is((await problem(response)).code, code, name);
      }
      poisoning = false;
    };
    await Promise.all([client(), poisoner()]);
    assert.ok(answers > 0);
    for (const code of ['internal', 'timeout', 'out-of-memory', 'compile-failed'])
      assert.ok((await figure(service, `darm_jobs_total{kind="compile",outcome="${code}"}`)) >= 1, code);
    assert.is(await figure(service, 'darm_jobs_running'), 0);
  });
});

test.long('a batch with poison in it', async () => {
  await withService({ threads: 2, memoryLimit: 64 * MIB }, { timeout: TIMEOUT }, async (service) => {
    const items = Object.entries(POISON).flatMap(([name, { bytes }], i) => [
      { name, module: base64(bytes), options: name === 'endless' ? { timeout: 300 } : {} },
      { name: `good ${i}`, module: base64(tinyKernel(i)) },
    ]);
    const response = await post(service, '/v1/batch', items.map((item) => JSON.stringify(item)).join('\n'), LINES);
    const lines = (await response.text()).trimEnd().split('\n');
    const found: Record<string, string> = {};
    for (const line of lines) {
      const { name, error } = JSON.parse(line) as { name?: string; error?: { code: string } };
      if (name !== undefined) found[name] = error?.code ?? 'ok';
    }
    const expected = Object.entries(POISON).flatMap(([name, { code }], i) => [
      [name, code],
      [`good ${i}`, 'ok'],
    ]);
    assert.equal(found, Object.fromEntries(expected));
  });
});

test.run();
