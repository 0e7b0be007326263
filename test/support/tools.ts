/** External programs that some tests compare with. A test whose program is not installed says so and passes. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const isInstalled = (tool: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Whether all of the tools are installed; prints what is missing otherwise. */
export function haveTools(...tools: readonly string[]): boolean {
  const missing = tools.filter((tool) => !isInstalled(tool));
  if (missing.length > 0) console.log(`not tested here: ${missing.join(', ')} not installed`);
  return missing.length === 0;
}

/** Runs a tool in a folder. Throws its output when it fails. */
export async function runTool(
  cwd: string,
  tool: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, ...environment };
  return (await promisify(execFile)(tool, [...args], { cwd, env, encoding: 'utf8' })).stdout;
}
