/** `darm prepare`, and what `darm --version --verbose` says of it. */
import { prepareCode, versions } from '../compiler/prepare.js';
import { writeStandardOutput } from '../process/files.js';

export async function runPrepare({ json }: { readonly json: boolean }): Promise<void> {
  const files = await prepareCode();
  const lines = files.map(({ file, bytes }) => `${file}: ${(bytes / 2 ** 20).toFixed(1)} MiB of code\n`);
  await writeStandardOutput(json ? JSON.stringify({ schema: 1, files }) + '\n' : lines.join(''));
}

export async function printVersions(version: string): Promise<void> {
  const { llvm, node, v8, prepared } = await versions();
  const code = 'folder' in prepared ? `from ${prepared.folder}` : `none (${prepared.none})`;
  const lines = [version, `LLVM ${llvm}`, `Node ${node}, V8 ${v8}`, `prepared code: ${code}`];
  await writeStandardOutput(lines.join('\n') + '\n');
}
