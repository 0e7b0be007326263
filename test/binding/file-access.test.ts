/** LLVM opens lld's own files and nothing else, whatever the inline assembly of a module names. */
import { artifact, compile } from '../support/llvm.js';
import { darm, inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const test = suite('file access', { tests: 3 });

const withAssembly = (line: string): string => `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k() #0 { ret void }
attributes #0 = { "target-cpu"="gfx906" }
module asm "${line.replaceAll('"', '\\22')}"
`;

const SECRET = 'SECRET-0123456789';

test('devices, links to open files, and folders do not exist', async () => {
  for (const name of [
    '/dev/stdin',
    '/dev/urandom',
    '/dev/null',
    '/dev/tty',
    '/proc/self/fd/0',
    '/etc/passwd',
    '/',
    '.',
  ])
    for (const directive of ['.incbin', '.include']) {
      const error = await compile(withAssembly(`${directive} "${name}"`), {}).catch((thrown: Error) => thrown);
      assert.instance(error, Error, `${directive} ${name}`);
      assert.match((error as Error).message, /[Cc]ould not find inc/, `${directive} ${name}`);
    }
});

test.long('standard input of the command stays out of the object', async () => {
  await inFolder(async (folder) => {
    const input = path.join(folder, 'a.ll');
    await writeFile(input, withAssembly('.incbin "/dev/stdin", 0, 16'));
    for (const threads of [[], ['--timeout', '60']]) {
      const { code, stderr } = await darm(['compile', input, '-o', path.join(folder, 'a.o'), ...threads], {
        input: SECRET,
      });
      assert.is(code, 1);
      assert.match(stderr, /Could not find incbin file '\/dev\/stdin'/);
    }
  });
});

test('lld reads and writes its own files', async () => {
  assert.ok(artifact(await compile(withAssembly('.long 7'), { emit: ['hsaco'] }), 'hsaco').length > 0);
});

test.run();
