/**
 * Runs the tests and the benchmark of the cold start on every Node that is supported. Each comes from the registry
 * (package `node`) into a temporary folder.
 *
 *   npm run test:nodes                      Node 22, 24 and 26: all tests, long ones too, then the cold start
 *   npm run test:nodes -- 24 26             some of them
 *   npm run test:nodes -- --only cli,job    the tests whose path contains one of these
 *   npm run test:nodes -- --cold            the cold start alone
 *
 * The tests of a version are run by that version, and so are the commands and workers that they start. The last line is
 * `N passed, N failed`, summed over all versions.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../support/llvm.js';

const SUPPORTED = ['22', '24', '26'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, cold: { type: 'boolean', default: false } },
});

const folder = mkdtempSync(path.join(tmpdir(), 'darm-nodes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Installs a version of Node. Returns the folder of its program. */
function install(version: string): string {
  const prefix = path.join(folder, version);
  mkdirSync(prefix);
  writeFileSync(path.join(prefix, 'package.json'), '{ "private": true }\n');
  const { status } = spawnSync('npm', ['install', '--silent', '--no-audit', '--no-fund', `node@${version}`], {
    cwd: prefix,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`cannot install node@${version}`);
  return path.join(prefix, 'node_modules', 'node', 'bin');
}

function runScript(bin: string, script: string, args: readonly string[]): { status: number | null; stdout: string } {
  const environment = { ...process.env, PATH: `${bin}${path.delimiter}${process.env['PATH']}` };
  const result = spawnSync(path.join(bin, 'node'), [path.join(REPOSITORY, 'dist', script), ...args], {
    cwd: REPOSITORY,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(result.stdout);
  return result;
}

let passed = 0;
let failed = 0;
for (const version of positionals.length > 0 ? positionals : SUPPORTED) {
  const bin = install(version);
  const { stdout } = spawnSync(path.join(bin, 'node'), ['--version'], { encoding: 'utf8' });
  console.log(`== Node ${stdout.trim()}`);
  const runs = values.cold ? [] : values.only === undefined ? [['--long'], []] : [values.only.split(',')];
  for (const words of runs) {
    const tests = runScript(bin, 'test/run.js', words);
    const counts = /^(\d+) passed, (\d+) failed$/m.exec(tests.stdout);
    passed += Number(counts?.[1] ?? 0);
    failed += Number(counts?.[2] ?? 1);
  }
  if (runScript(bin, 'bench/cold-start.js', ['--rounds', '10']).status !== 0) failed++;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
