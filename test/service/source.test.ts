/** Source over HTTP: what the request brings, and the package's own headers; never the server's disk. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileSchema, problemSchema } from '../../src/service/schemas.js';
import { post, withService } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('service/source', { tests: 3, timeoutMs: 120_000 });

const QUERY = '/v1/compile?language=hip&mcpu=gfx906&flags=-nogpuinc';
const text = (source: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(source);

/** A service that closes waits for answers that nobody reads. */
async function read(response: Response): Promise<Response> {
  await response.arrayBuffer();
  return response;
}

test('a kernel, with headers and macros of the request', async () => {
  await withService({ threads: 1 }, {}, async (service) => {
    const form = new FormData();
    form.append(
      'module',
      new Blob([text('#include "v.h"\n__attribute__((global)) void k(int *p) { *p = V; }')]),
      'k.hip',
    );
    const options = {
      language: 'hip',
      mcpu: 'gfx906',
      emit: ['ll'],
      flags: ['-nogpuinc'],
      headers: { 'v.h': '#define V N' },
      defines: { N: 9 },
    };
    form.append('options', JSON.stringify(options));
    const response = await post(service, '/v1/compile', form);
    assert.is(response.status, 200);
    assert.match(await response.text(), /store i32 9/);
    const json = await post(
      service,
      `${QUERY}&emit=hsaco`,
      text('__attribute__((global)) void k(int *p) { *p = 1; }'),
      {
        headers: { Accept: 'application/json' },
      },
    );
    const document = compileSchema.parse(await json.json());
    assert.is(document.target, 'gfx906');
    assert.equal(document.source, { log: '', loweredNames: {} });
    const analyzed = await post(
      service,
      QUERY.replace('compile', 'analyze'),
      text('__attribute__((global)) void k() {}'),
    );
    assert.is(analyzed.status, 200);
    await read(analyzed);
  });
});

test("what clang refuses is a problem with clang's text", async () => {
  await withService({ threads: 1 }, {}, async (service) => {
    const response = await post(service, QUERY, text('int f( {'));
    assert.is(response.status, 422);
    const problem = problemSchema.parse(await response.json());
    assert.is(problem.code, 'compile-failed');
    assert.is(problem.title, 'clang refused the source');
    assert.match(problem.log!, /kernel\.hip:1:\d+: error: expected/);
    for (const query of ['&includePaths=/etc', '&disk=true', '&flags=-fplugin=x']) {
      const refused = await post(service, QUERY + query, text(''));
      assert.is(refused.status, 400);
    }
    assert.is((await post(service, '/v1/compile?flags=-O3', text(''))).status, 400);
  });
});

test("no flag and no directive reaches the server's disk", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-service-'));
  try {
    const file = path.join(folder, 'secret.h');
    await writeFile(file, '#define SECRET 1\n');
    await withService({ threads: 1 }, {}, async (service) => {
      const sources: [string, string][] = [
        ['', `#include "${file}"`],
        ['', `int x = {\n#embed "${file}"\n};`],
        [`&flags=-I${folder}`, '#include <secret.h>'],
        [`&flags=-include&flags=${file}`, ''],
        [`&name=${file}x`, '#include "secret.h"'],
      ];
      for (const [query, source] of sources) {
        const { status } = await post(service, QUERY + query, text(source)).then(read);
        assert.is(status, 422, source + query);
      }
      const asks = `#if __has_include("${file}") || __has_embed("${file}")\n#error seen\n#endif`;
      const { status } = await post(service, `${QUERY}&emit=ll`, text(asks)).then(read);
      assert.is(status, 200);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
