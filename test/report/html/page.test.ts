/** Pages say what happened, hold all they need, and nothing in a module can break out of its place. */
import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { Gallery, MOST_BLOCKS } from '../../../src/report/html/gallery.js';
import { loadLayout } from '../../../src/report/graph/layout.js';
import { reportPage, type Report } from '../../../src/report/html/page.js';
import type { Counters } from '../../../src/simulator/counters.js';
import { assert, suite } from '../../support/suite.js';
import { chain, example, PLAIN, reportOf } from '../../support/history.js';

const test = suite('report/page', { tests: 10, timeoutMs: 60_000 });

const COUNTERS: Counters = {
  waves: 4,
  valu: 100,
  salu: 10,
  smem: 3,
  lds: 8,
  ldsBankConflicts: 0,
  vmemRead: 2,
  vmemWrite: 2,
  flat: 4,
  branch: 5,
  barrier: 1,
  activeLanes: 6400,
  valuUtilization: 100,
  cacheLines: 16,
  instructions: 130,
};

const report = (names = PLAIN, more: Partial<Report> = {}): Report => ({
  title: 'module.bc',
  target: 'gfx906',
  settings: [['profit', 'net']],
  functions: [reportOf(names.fn), { ...reportOf('other'), melds: [] }],
  histories: [example(names)],
  launches: null,
  ...more,
});

/** Without the white space of the markup. */
async function pageOf(...args: Parameters<typeof report>): Promise<string> {
  const page = await reportPage(report(...args), await loadLayout());
  return page.replace(/\s+/g, ' ').replace(/> </g, '><');
}
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

test('two graphs, a meld, a refusal, figures', async () => {
  const page = await pageOf();
  assert.is(count(page, /<svg /g), 2);
  assert.match(page, 'before melding');
  assert.match(page, 'after melding');
  assert.match(page, /<details class="meld" id="f1-M1" open>/);
  assert.match(page, 'profitability (MP<sub>S</sub>) <b>0.25</b>, net cycles saved <b>12.346</b>');
  assert.match(page, '<td>7</td><td>costs more than it saves</td>');
  assert.match(page, '<td class="figure better">40 → 30</td>');
  assert.match(page, '<a href="#f1">kernel</a>');
  assert.match(page, '<td>other</td>');
});

test('sides that only run in front of their branch', async () => {
  const hoisted = { ...reportOf('kernel'), sidesHoisted: 2 };
  assert.match(await pageOf(PLAIN, { functions: [hoisted] }), '>1 meld · 2 sides hoisted · ');
  assert.not.match(await pageOf(), 'hoisted');
});

test('the alignment side by side', async () => {
  const page = await pageOf();
  const rows = [...page.matchAll(/<tr class="(\w+)">(.*?)<\/tr>/gs)].map(([, kind, cells]) => [kind, cells!] as const);
  assert.equal(
    rows.map(([kind]) => kind),
    ['pair', 'speculated', 'guarded', 'pair'],
  );
  const [pair, speculated, guarded] = rows.map(([, cells]) => cells);
  assert.match(pair!, '<code>%a = add i32 %x, %y<span class="metadata">, !tbaa !3</span></code>');
  assert.match(pair!, '<code>%b = add i32 %y, %x</code>');
  assert.match(pair!, '⇄ swapped');
  assert.match(pair!, 'select: operand 1, 2');
  assert.match(speculated!, /^<td><code>%n.*<td class="gap".*all threads/);
  assert.match(guarded!, /^<td><code>store.*<td class="gap".*own threads only/);
});

test('hostile names stay text', async () => {
  const evil = `</script></style></title><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
  const page = await pageOf({ fn: evil, block: evil, instruction: evil, reason: evil }, { title: evil });
  assert.is(count(page, /<script/g), 1);
  assert.is(count(page, /<img/g), 0);
  assert.is(count(page, /<\/style>/g), 1);
  assert.is(count(page, /<title>/g), 1);
  assert.ok(count(page, /&lt;img src=x onerror=alert\(1\)&gt;/g) > 6);
});

test('nothing is asked for from outside, and no other script may run', async () => {
  const page = await pageOf();
  const rest = page.replace(/xmlns(:xlink)?="http:\/\/www\.w3\.org\/[^"]*"/g, '');
  assert.not.match(rest, /https?:|url\(|@import|<link|<iframe| src=/);
  assert.match(page, /default-src 'none'; .*script-src 'sha256-[\w+/=]+'/);
  for (const [, target] of page.matchAll(/href="([^"]*)"/g)) assert.match(target!, /^#f\d/);
});

test('the policy allows the script that the page has', async () => {
  const page = await reportPage(report(), await loadLayout());
  const [, script] = /<script>(.*)<\/script>/s.exec(page)!;
  assert.match(page, `script-src 'sha256-${createHash('sha256').update(script!).digest('base64')}'`);
  // Throws if it does not parse outside of its module.
  new Script(script!);
});

test('ids are unique and links lead somewhere', async () => {
  const page = await pageOf(PLAIN, { histories: [example(), example({ ...PLAIN, fn: 'other' })] });
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
  assert.is(new Set(ids).size, ids.length);
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target!), target!);
});

test('simulated counters, where there are some', async () => {
  const launch = {
    kernel: 'k<',
    before: { counters: COUNTERS, cycles: 200, profile: null },
    after: { counters: COUNTERS, cycles: 50, profile: null },
  };
  const page = await pageOf(PLAIN, { launches: [launch] });
  assert.match(page, '<h4>k&lt;</h4>');
  assert.match(
    page,
    /cycles \(estimate\)<\/th><td class="figure">200<\/td><td class="figure">50<\/td><td class="figure">0\.25/,
  );
  assert.not.match(await pageOf(), 'Simulated counters');
});

test('a function that melding failed in says so', async () => {
  const history = { ...example(), steps: [], after: example().steps[0]!.before, bailout: 'an <operand>' };
  const page = await pageOf(PLAIN, { histories: [history] });
  assert.match(page, 'Melding stopped half-way: an &lt;operand&gt;');
  assert.is(count(page, /<svg /g), 1);
  assert.is(count(page, /class="meld"/g), 0);
});

test('large graphs are not drawn, and the page says why', async () => {
  const gallery = new Gallery(await loadLayout());
  const draw = (length: number) => {
    const picture = chain(length);
    const tags = picture.blocks.map(() => []);
    return gallery.draw(picture, { id: 'g', description: 'a chain', tags, link: () => '' }).toString();
  };
  assert.match(draw(3), /^<svg role="group" aria-label="a chain"/);
  assert.match(draw(MOST_BLOCKS + 1), 'too many to be drawn');
  let drawn = 0;
  while (/^<svg/.test(draw(MOST_BLOCKS))) drawn++;
  assert.is(drawn, 9);
  assert.match(draw(MOST_BLOCKS), 'the graphs of this page before it have 3603 blocks together');
});

test.run();
