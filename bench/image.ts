/**
 * The compile service as a function of Lambda, in a folder as its README packages it: what it takes on disk, unpacked
 * and with prepared code, and how long it takes to start with one processor: the handler is there (init), the first
 * answer, the second. The function runs in a root folder of its own with nothing but Node, as a user who owns nothing.
 * Node's own packages come from the registry; what is read is in the system's cache already. For root, with the Node
 * that the function is to have.
 * usage: node dist/bench/image.js [--rounds N]
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kernelPath, median, ms, option, printTable, REPOSITORY } from './support.js';

const MB = 1e6;
/** What Lambda takes, unpacked. */
const LIMIT = 250 * MB;
const NOBODY = '65534:65534';
/** Where Lambda has the function's folder. */
const TASK = '/var/task';

const rounds = option('rounds', 5);
const root = mkdtempSync(path.join(tmpdir(), 'darm-image-'));
const task = path.join(root, TASK);

function run(program: string, words: readonly string[], { env = {}, input = '' } = {}): string {
  const { error, status, stdout, stderr } = spawnSync(program, words, {
    cwd: task,
    env: { ...process.env, ...env },
    input,
    encoding: 'utf8',
  });
  if (error !== undefined || status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return stdout;
}

function bytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

/** Node, and the libraries that it is linked with, where the system has them. */
function copyNode(): number {
  const libraries = spawnSync('ldd', [process.execPath], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  for (const file of libraries) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    copyFileSync(file, path.join(root, file));
  }
  copyFileSync(process.execPath, path.join(root, 'node'));
  return statSync(process.execPath).size + libraries.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Loads the handler and sends it the same request twice; milliseconds since the process began. */
const START = `
import { readFileSync } from 'node:fs';
const { handler } = await import('./handler.mjs');
const init = performance.now();
const body = readFileSync('./kernel.bc').toString('base64');
const http = { method: 'POST', path: '/v1/compile', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'bench' };
const event = { version: '2.0', rawPath: http.path, rawQueryString: 'mcpu=gfx906', body, isBase64Encoded: true,
  headers: { host: 'example.on.aws', 'content-type': 'application/octet-stream' },
  requestContext: { domainName: 'example.on.aws', http, requestId: 'bench' } };
const times = [init];
for (let n = 0; n < 2; n++) {
  const begun = performance.now();
  const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 60_000 });
  if (statusCode !== 200) throw new Error('the answer is ' + statusCode);
  times.push(performance.now() - begun);
}
console.log(JSON.stringify(times));
process.exit();
`;

function start(environment: readonly string[]): number[] {
  const alone = ['-c', '0', 'chroot', `--userspec=${NOBODY}`, root];
  const inside = ['/node', '--input-type=module', '-e', `process.chdir('${TASK}'); await import('${TASK}/start.mjs')`];
  // The environment of a container, and nothing of this one.
  return JSON.parse(
    run('env', ['-i', `PATH=${process.env['PATH']}`, 'HOME=/tmp', ...environment, 'taskset', ...alone, ...inside]),
  ) as number[];
}

try {
  // As examples/lambda/README.md says it.
  mkdirSync(task, { recursive: true });
  mkdirSync(path.join(root, 'tmp'), { mode: 0o777 });
  chmodSync(path.join(root, 'tmp'), 0o777);
  chmodSync(root, 0o755);
  const packed = run('npm', ['pack', REPOSITORY, '--ignore-scripts', '--silent']).trim().split('\n').at(-1)!;
  for (const file of ['handler.mjs', 'package.json'])
    cpSync(path.join(REPOSITORY, 'examples/lambda', file), path.join(task, file));
  run('npm', ['install', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', `./${packed}`]); // prettier-ignore
  rmSync(path.join(task, packed));
  const parts: [string, number][] = [['as it is installed', bytesOf(task)]];
  const main = path.join(task, 'node_modules/darm/dist/command/main.js');
  const words = ['compile', '-', '--optimize', 'O1', '--emit', 'll', '-o', '/dev/null'];
  run(process.execPath, [main, ...words], { input: 'target triple = "amdgcn-amd-amdhsa"\n' });
  parts.push(['LLVM unpacked', bytesOf(task)]);
  const folder = path.join(task, 'prepared');
  run(process.execPath, [main, 'prepare'], { env: { DARM_PREPARED_DIR: folder } });
  chmodSync(folder, 0o755);
  parts.push(['clang unpacked, optimised code of both', bytesOf(task)]);
  const node = copyNode();
  const row = (name: string, bytes: number): string[] => [
    name,
    `${(bytes / MB).toFixed(0)} MB`,
    `${(bytes / LIMIT).toFixed(2)}`,
  ];
  printTable(
    ['the function', 'size', 'of 250 MB'],
    parts.map(([name, bytes]) => row(name, bytes)),
  );
  process.stdout.write(`Node ${process.version} and its libraries: ${(node / MB).toFixed(0)} MB more\n\n`);

  copyFileSync(kernelPath('bitonic.gfx906.O3'), path.join(task, 'kernel.bc'));
  writeFileSync(path.join(task, 'start.mjs'), START);
  const variants = [
    ['without prepared code', []],
    ['with prepared code', [`DARM_PREPARED_DIR=${TASK}/prepared`]],
  ] as const;
  const times = new Map(variants.map(([name]) => [name, [] as number[][]]));
  for (let round = 0; round < rounds; round++)
    for (const [name, environment] of variants) times.get(name)!.push(start(environment));
  printTable(
    ['one processor', 'init', 'first answer', 'second'],
    [...times].map(([name, all]) => [name, ...[0, 1, 2].map((n) => ms(median(all.map((each) => each[n]!))))]),
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
