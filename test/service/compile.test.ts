/**
 * POST /v1/compile and /v1/analyze with a real compiler: the library's results, in the forms that a client may ask for.
 */
import { createHash } from 'node:crypto';
import { analyzeDocument } from '../../src/report/json/analyze-document.js';
import { analyzeSchema, compileSchema } from '../../src/service/schemas.js';
import { assert, suite } from '../support/suite.js';
import { kernel } from '../support/llvm.js';
import { figure, post, problem, text, tinyKernel, withService } from '../support/service.js';

const test = suite('service/compile', { tests: 8, timeoutMs: 60_000 });

const blob = (bytes: Uint8Array): Blob => new Blob([new Uint8Array(bytes)]);
const bytesOf = async (response: Response): Promise<Uint8Array> => {
  assert.is(response.status, 200);
  return new Uint8Array(await response.arrayBuffer());
};

test("the artifact is the library's, with its digest", async () => {
  await withService({ threads: 1 }, {}, async (service, compiler) => {
    const bytes = new Uint8Array(await kernel('sb1.gfx906.O3'));
    const { artifacts } = await compiler.compile(bytes, { emit: ['hsaco'] });
    const response = await post(service, '/v1/compile', bytes);
    assert.is(response.headers.get('content-type'), 'application/octet-stream');
    const hash = createHash('sha256').update(artifacts[0]!.bytes);
    assert.is(response.headers.get('repr-digest'), `sha-256=:${hash.copy().digest('base64')}:`);
    assert.is(response.headers.get('etag'), `"${hash.digest('hex')}"`);
    assert.equal(await bytesOf(response), artifacts[0]!.bytes);
  });
});

test('options in the query and in a form; the form wins', async () => {
  await withService({ threads: 1 }, {}, async (service, compiler) => {
    const bytes = new Uint8Array(await kernel('sb1.gfx906.O3'));
    const options = { emit: ['asm'], threshold: 0.1, once: true, functions: ['sb1'], codegenLevel: 1 } as const;
    const expected = (await compiler.compile(bytes, options)).artifacts[0]!.bytes;
    const query = '/v1/compile?emit=asm&threshold=0.1&once=true&functions=sb1&codegenLevel=1';
    const plain = await post(service, query, bytes);
    assert.is(plain.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(await bytesOf(plain), expected);

    const form = new FormData();
    form.append('module', blob(bytes), 'kernel.bc');
    form.append('options', JSON.stringify(options));
    assert.equal(await bytesOf(await post(service, '/v1/compile?emit=ll&once=true', form)), expected);
    const typed = new FormData();
    typed.append('options', new Blob([JSON.stringify(options)], { type: 'application/json' }));
    typed.append('module', blob(bytes), 'kernel.bc');
    assert.equal(await bytesOf(await post(service, '/v1/compile', typed)), expected);
  });
});

test('a plan is an option; what is none is refused, and what does not fit is told', async () => {
  await withService({ threads: 1 }, {}, async (service) => {
    const send = (plan: string): Promise<Response> => {
      const form = new FormData();
      form.append('module', blob(tinyKernel(1)), 'kernel.bc');
      form.append('options', JSON.stringify({ emit: ['asm'], plan }));
      return post(service, '/v1/compile', form, { headers: { Accept: 'application/json' } });
    };
    const misfit = compileSchema.parse(await (await send('{"format":"darm-plan","version":7}')).json());
    assert.match(misfit.diagnostics.join(), /the plan is ignored: it has version 7/);
    assert.is((await send('{"format":')).status, 422);
  });
});

test.long('JSON holds several artifacts and what the command prints', async () => {
  await withService({ threads: 1 }, {}, async (service, compiler) => {
    const bytes = new Uint8Array(await kernel('bitonic.gfx906.O3'));
    const { artifacts } = await compiler.compile(bytes, { emit: ['hsaco', 'bc'] });
    const path = '/v1/compile?emit=hsaco,bc&stats=true&remarks=true';
    const answer = await post(service, path, bytes, { headers: { Accept: 'application/json' } });
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    const document = compileSchema.parse(await answer.json());
    assert.equal(
      document.artifacts.map(({ kind, data }) => [kind, new Uint8Array(Buffer.from(data, 'base64'))]),
      artifacts.map(({ kind, bytes }) => [kind, bytes]),
    );
    assert.ok(document.functions[0]!.melds.length > 0 && document.remarks.length > 0);
    assert.type(document.functions[0]!.instructions.before, 'number');

    const refused = await post(service, path, bytes);
    assert.is(refused.status, 400);
    assert.match((await problem(refused)).detail, /"emit".*Accept: application\/json/);
  });
});

test("analyze sends the command's document", async () => {
  await withService({ threads: 1 }, {}, async (service, compiler) => {
    const bytes = new Uint8Array(await kernel('bitonic.gfx906.O3'));
    const answer = await post(service, '/v1/analyze?profit=paper', bytes);
    const document: unknown = await answer.json();
    assert.equal(document, analyzeDocument(await compiler.analyze(bytes, { profit: 'paper' })));
    assert.ok(analyzeSchema.parse(document).functions[0]!.candidates.length > 0);
  });
});

test('modules that are refused', async () => {
  await withService({ threads: 1 }, {}, async (service) => {
    const good = await kernel('sb1.gfx906.O3');
    const refused = async (body: Uint8Array, query = ''): Promise<string> => {
      const response = await post(service, `/v1/compile${query}`, new Uint8Array(body));
      assert.is(response.headers.get('content-type'), 'application/problem+json');
      const { code, status } = await problem(response);
      assert.is(status, response.status);
      return `${status} ${code}`;
    };
    assert.is(await refused(new Uint8Array(0)), '422 bad-input');
    assert.is(await refused(good.subarray(0, 1000)), '422 bad-input');
    assert.is(await refused(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 0)), '422 bad-input');
    assert.is(await refused(tinyKernel(1), '?mcpu=gfx9999'), '422 bad-target');
    const undefinedCall = text(`target triple = "amdgcn-amd-amdhsa"
declare void @nowhere()
define amdgpu_kernel void @k() "target-cpu"="gfx906" {
  call void @nowhere()
  ret void
}`);
    assert.is(await refused(undefinedCall), '422 link-failed');
    const broken = await post(service, '/v1/compile', text('define void @f( {'));
    const { location } = (await broken.json()) as { location: { line: number } };
    assert.is(location.line, 1);
    assert.is(await figure(service, 'darm_jobs_total{kind="compile",outcome="bad-input"}'), 4);
  });
});

test('options are refused by name', async () => {
  await withService({ threads: 1 }, {}, async (service) => {
    const refused = async (query: string): Promise<string> => {
      const response = await post(service, `/v1/compile?${query}`, tinyKernel(1));
      assert.is(response.status, 400, query);
      const { code, detail } = await problem(response);
      assert.is(code, 'usage');
      return detail;
    };
    assert.match(await refused('emmit=bc'), /unknown option "emmit" in the request/);
    assert.match(await refused('__proto__=1'), /unknown option "__proto__"/);
    assert.match(await refused('emit=exe'), /option "emit" in the request must be one of/);
    assert.match(await refused('emit='), /option "emit"/);
    assert.match(await refused('threshold=much'), /option "threshold"/);
    assert.match(await refused('threshold='), /option "threshold"/);
    assert.match(await refused('threshold=1e9'), /option "threshold"/);
    assert.match(await refused('once=yes'), /option "once" .* true or false/);
    assert.match(await refused('once=true&once=false'), /option "once" .* given once/);
    assert.match(await refused('meldPoint=early'), /early meld point/);
    assert.match(await refused('timeout=0'), /option "timeout"/);
    const form = new FormData();
    form.append('module', blob(tinyKernel(1)), 'x');
    form.append('options', '{"emit":"bc"}');
    assert.match((await problem(await post(service, '/v1/compile', form))).detail, /option "emit" .* array/);
    assert.is(await figure(service, 'darm_jobs_total{kind="compile",outcome="usage"}'), 0);
  });
});

test('a request may set a shorter time limit', async () => {
  await withService({ threads: 1 }, { timeout: 60_000 }, async (service) => {
    const bytes = new Uint8Array(await kernel('many.gfx906.early'));
    const response = await post(service, '/v1/compile?optimize=O3&timeout=1', bytes);
    assert.is(response.status, 504);
    assert.match((await problem(response)).detail, /limit of 0.001 s/);
    await bytesOf(await post(service, '/v1/compile', tinyKernel(2)));
  });
});

test.run();
