/** The native tools of the same LLVM (`build.sh --native`); each call is a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const LLC_LIMIT_MS = 10_000;
const TOOL_LIMIT_MS = 60_000;

const toolPath = (name: string): string => fileURLToPath(new URL(`../../../build/bin/${name}`, import.meta.url));

/** A scratch folder of this process, which is removed when it ends. */
const scratch = mkdtempSync(path.join(tmpdir(), 'darm-llvm-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** llc's object file; null when llc refuses the module, crashes or takes too long. */
export function llc(text: string, cpu: string): Uint8Array | null {
  const input = path.join(scratch, 'input.ll');
  const output = path.join(scratch, 'native.o');
  writeFileSync(input, text);
  rmSync(output, { force: true });
  const { status } = spawnSync(toolPath('llc-23'), [`-mcpu=${cpu}`, '-filetype=obj', input, '-o', output], {
    stdio: 'ignore',
    timeout: LLC_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0 && existsSync(output) ? readFileSync(output) : null;
}

/** A tool's output for an object file. */
export function describe(
  tool: 'llvm-objdump-23' | 'llvm-readelf-23',
  options: readonly string[],
  object: Uint8Array,
): string {
  const file = path.join(scratch, 'object.o');
  writeFileSync(file, object);
  const { stdout } = spawnSync(toolPath(tool), [...options, file], {
    encoding: 'utf8',
    timeout: TOOL_LIMIT_MS,
    maxBuffer: 1 << 29,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return stdout ?? '';
}
