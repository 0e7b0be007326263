/** `darm prepare`, and what `darm --version --verbose` says of it. */
import { prepareCode, versions } from '../compiler/prepare.js';
import { writeStandardOutput } from '../process/files.js';
import { exitCodeOf, stoppedBySignal } from './signals.js';

/** @returns the exit code: 0, or 128 plus the number of the signal that ended it */
export async function runPrepare({ json }: { readonly json: boolean }): Promise<number> {
  const { signal } = stoppedBySignal();
  const files = await prepareCode(signal).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (files === null) return exitCodeOf(signal);
  const lines = files.map(({ file, bytes }) => `${file}: ${(bytes / 2 ** 20).toFixed(1)} MiB of code\n`);
  await writeStandardOutput(json ? JSON.stringify({ schema: 1, files }) + '\n' : lines.join(''));
  return 0;
}

export async function printVersions(version: string): Promise<void> {
  const { llvm, node, v8, prepared } = await versions();
  const code = 'folder' in prepared ? `from ${prepared.folder}` : `none (${prepared.none})`;
  const lines = [version, `LLVM ${llvm}`, `Node ${node}, V8 ${v8}`, `prepared code: ${code}`];
  await writeStandardOutput(lines.join('\n') + '\n');
}
