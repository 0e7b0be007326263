// Uses the library from plain JavaScript: `node compile.mjs KERNEL.bc…` compiles each file to KERNEL.hsaco, in
// parallel.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createCompiler, DarmError } from 'darm';

const compiler = createCompiler({ timeout: 60_000 });
try {
  await Promise.all(
    process.argv.slice(2).map(async (file) => {
      try {
        const { artifacts, functions } = await compiler.compile(await readFile(file), { emit: ['hsaco'] });
        await writeFile(`${path.basename(file, path.extname(file))}.hsaco`, artifacts[0].bytes);
        for (const { name, melds } of functions) console.log(`${name}: ${melds.length} melds`);
      } catch (error) {
        if (!(error instanceof DarmError)) throw error;
        console.error(`${file}: ${error.message} (${error.code})`);
        process.exitCode = 1;
      }
    }),
  );
} finally {
  await compiler.close();
}
