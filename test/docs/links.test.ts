/** The documentation leads somewhere: links, anchors, and the files that pages and comments name. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, suite } from '../support/suite.js';

const test = suite('docs/links', { tests: 4 });

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const read = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');

async function filesBelow(folder: string, extension: RegExp): Promise<string[]> {
  const files = await readdir(path.join(ROOT, folder), { recursive: true });
  const ours = files.filter((file) => extension.test(file) && !/(^|\/)(node_modules|build)\//.test(file));
  return ours.map((file) => path.posix.join(folder, file));
}

async function pages(): Promise<string[]> {
  const folders = await Promise.all(['docs', 'examples', 'kernels'].map((folder) => filesBelow(folder, /\.md$/)));
  return ['README.md', 'CONTRIBUTING.md', ...folders.flat()].sort();
}

const withoutCode = (text: string): string => text.replace(/^( *)```.*\n[^]*?^\1```/gm, '').replace(/`[^`]*`/g, '`…`');

/** The targets of a page's links and pictures that are in this repository. */
const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of text.replace(/^```.*\n[^]*?^```/gm, '').matchAll(/^#+ +(.*)$/gm)) {
    const slug = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

test('every link of a page leads to a file, and to a heading in it', async () => {
  const broken: string[] = [];
  let links = 0;
  for (const page of await pages()) {
    for (const link of linksOf(await read(page))) {
      links++;
      const [name = '', anchor] = link.split('#');
      const file = name === '' ? page : path.posix.join(path.posix.dirname(page), name);
      if (!existsSync(path.join(ROOT, file))) broken.push(`${page}: ${link}`);
      else if (anchor !== undefined && !anchorsOf(await read(file)).has(anchor)) broken.push(`${page}: ${link}`);
    }
  }
  assert.ok(links > 40, `only ${links} links were found`);
  assert.equal(broken, []);
});

test('the index leads to every page of docs/', async () => {
  const linked = linksOf(await read('docs/README.md'));
  const missing = (await filesBelow('docs', /\.md$/)).filter(
    (page) => !linked.includes(path.posix.relative('docs', page)),
  );
  assert.equal(missing, ['docs/README.md']);
});

test('every source file that a page names is there', async () => {
  const broken: string[] = [];
  for (const page of await pages()) {
    const text = await read(page);
    // Names with placeholders (`src/melding/*`, `kernels/NAME.json`) are not looked for.
    for (const [, name] of text.matchAll(/`((?:src|test|wasm|workers|kernels|bench|docs|examples)\/[\w./-]*)`/g))
      if (!/[A-Z]{2}/.test(name!) && !existsSync(path.join(ROOT, name!))) broken.push(`${page}: ${name}`);
  }
  assert.equal(broken, []);
});

test('every page that a comment names is there', async () => {
  const broken: string[] = [];
  const folders = ['src', 'workers', 'test', 'bench', 'kernels', 'wasm'];
  const sources = await Promise.all(folders.map((folder) => filesBelow(folder, /\.(ts|cpp|h|hip|cu|sh)$/)));
  for (const source of sources.flat())
    for (const [page] of (await read(source)).matchAll(/\bdocs\/[\w/-]+\.md\b/g))
      if (!existsSync(path.join(ROOT, page))) broken.push(`${source}: ${page}`);
  assert.equal(broken, []);
});

test.run();
