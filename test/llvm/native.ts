/** Debian's LLVM tools; each call is a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LLC_LIMIT_MS = 10_000;
const TOOL_LIMIT_MS = 60_000;

/** A scratch folder of this process, which is removed when it ends. */
const scratch = mkdtempSync(path.join(tmpdir(), 'darm-llvm-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** llc's object file; null when llc refuses the module, crashes or takes too long. */
export function llc(text: string, cpu: string): Uint8Array | null {
  const input = path.join(scratch, 'input.ll');
  const output = path.join(scratch, 'native.o');
  writeFileSync(input, text);
  rmSync(output, { force: true });
  const { status } = spawnSync('llc-22', [`-mcpu=${cpu}`, '-filetype=obj', input, '-o', output], {
    stdio: 'ignore',
    timeout: LLC_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0 && existsSync(output) ? readFileSync(output) : null;
}

/** A tool's output for an object file. */
export function describe(
  tool: 'llvm-objdump-22' | 'llvm-readelf-22',
  options: readonly string[],
  object: Uint8Array,
): string {
  const file = path.join(scratch, 'object.o');
  writeFileSync(file, object);
  const { stdout } = spawnSync(tool, [...options, file], {
    encoding: 'utf8',
    timeout: TOOL_LIMIT_MS,
    maxBuffer: 1 << 29,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return stdout ?? '';
}
