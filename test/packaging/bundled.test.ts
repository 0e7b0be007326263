/** What becomes of the library in the hands of a bundler that does not leave it as it is. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('packaging/bundled', { tests: 2, timeoutMs: 60_000 });

const LIBRARY = fileURLToPath(new URL('../../src/index.js', import.meta.url));
const USER = `
import { createCompiler } from ${JSON.stringify(LIBRARY)};
try {
  createCompiler({ threads: 1 });
} catch ({ name, code, message }) {
  console.log(name, code, message);
}
`;

test("no line of the package's code is long: Node shows that of an error that nobody catches", async () => {
  const dist = fileURLToPath(new URL('../../', import.meta.url));
  for (const folder of ['bundle', 'command'].map((name) => path.join(dist, name)))
    for (const name of await readdir(folder)) {
      const lines = (await readFile(path.join(folder, name), 'utf8')).split('\n');
      // But for the index of headers, which is one literal.
      const longest = Math.max(...lines.map((line) => (/^[{"]|String\.raw/.test(line) ? 0 : line.length)));
      assert.ok(longest < 1000, `${name} has a line of ${longest} characters`);
    }
});

test('it says what to do, as a module and as CommonJS', () =>
  inFolder(async (folder) => {
    const user = path.join(folder, 'user.mjs');
    await writeFile(user, USER);
    for (const format of ['esm', 'cjs'] as const) {
      const outfile = path.join(folder, 'out', format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
      await build({
        ...{ entryPoints: [user], outfile, format, bundle: true, platform: 'node', logLevel: 'silent' },
        // Optional, and not found from a folder of its own.
        external: ['bullmq', 'ioredis', 'pg'],
      });
      const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
      assert.match(stdout, /^DarmError usage darm's code is not where its package is: .* name darm among .* external/);
    }
  }));

test.run();
