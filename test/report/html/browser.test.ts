/**
 * The pages of bitonic sort and of PCM as a reader sees them: in a real browser, by what they show and not by pixels.
 * Without a browser on the machine only what needs none is tested, and said.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { loadLayout } from '../../../src/report/graph/layout.js';
import { reportPage } from '../../../src/report/html/page.js';
import { browserPath, openFile, withBrowser } from '../../support/browser.js';
import type { JobOptions } from '../../../src/job/options.js';
import { inFolder } from '../../support/command.js';
import { example, reportOf } from '../../support/history.js';
import { compile, kernel } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const BROWSER = browserPath();
const test = suite('report/browser', { tests: BROWSER === null ? 1 : 4, timeoutMs: 120_000 });

async function pageOf(name: string, options: Partial<JobOptions> = {}): Promise<string> {
  const result = await compile(await kernel(name), { emit: ['asm'], stats: true, report: true, ...options });
  const { target, functions, histories } = result;
  return reportPage({ title: name, target, settings: [], functions, histories, launches: null }, await loadLayout());
}

/** What a reader of a function's section sees. */
const look = (page: Page, section: string) =>
  page.evaluate((id) => {
    const root = document.getElementById(id)!;
    const all = <T extends Element = HTMLElement>(selector: string, from: Element = root) =>
      Array.from(from.querySelectorAll<T>(selector));
    const box = (node: Element) => getComputedStyle(node.querySelector('polygon')!);
    const figures = all('figure').filter((figure) => !figure.hidden);
    return {
      captions: figures.map((figure) => figure.querySelector('figcaption span')!.textContent),
      drawn: figures.map((figure) => figure.querySelector('svg')!.getBoundingClientRect().height > 200),
      figures: figures.map((figure) =>
        all<SVGGElement>('g.node', figure).map((node) => ({
          text: all<SVGTextElement>('text', node).map((line) => line.textContent),
          tags: Array.from(node.classList)
            .filter((name) => name.startsWith('tag-'))
            .map((name) => name.slice(4)),
          fill: box(node).fill,
          stroke: box(node).stroke,
          href: node.querySelector('a')?.getAttribute('xlink:href') ?? null,
        })),
      ),
      melds: all('details.meld').map((meld) => ({
        id: meld.id,
        summary: meld.querySelector('summary')!.textContent!.trim().replace(/\s+/g, ' '),
        rows: all<HTMLTableRowElement>('tbody tr', meld).map((row) =>
          Array.from(row.cells, (cell) => cell.textContent),
        ),
      })),
      refusals: all<HTMLTableRowElement>('details.refusals tbody tr').map((row) => row.cells[5]!.textContent),
    };
  }, section);

type Seen = Awaited<ReturnType<typeof look>>;
type Node = Seen['figures'][0][0];

const isDivergent = ({ text }: Node): boolean => text.some((line) => line.includes('divergent branch'));

function assertDivergentBranchesColoured({ figures }: Seen): void {
  for (const nodes of figures) {
    const colors = new Set(nodes.filter(isDivergent).map(({ stroke }) => stroke));
    assert.is(colors.size, 1);
    for (const node of nodes) if (!isDivergent(node)) assert.not(colors.has(node.stroke));
  }
}

/** Both sides in front and what they became behind have one colour, one label, and lead to their alignment. */
function assertJoined([before, after]: readonly Node[][], labels: readonly string[], melds: Seen['melds']): void {
  const plain = before!.find(({ tags }) => tags.length === 0)!.fill;
  for (const label of labels) {
    const sides = before!.filter(({ tags }) => tags.includes(label));
    const holders = after!.filter(({ tags }) => tags.includes(label));
    const shown = label.replace('_', '.');
    assert.equal(sides.map(({ text }) => text.at(-1)).sort(), [`${shown} F`, `${shown} T`]);
    assert.is(holders.length, 1);
    assert.ok(holders[0]!.text.includes(`holds ${shown}`));
    assert.is(sides[0]!.fill, sides[1]!.fill);
    assert.is.not(sides[0]!.fill, plain);
    if (holders[0]!.tags[0] === label) assert.is(holders[0]!.fill, sides[0]!.fill);
    for (const { href } of sides) assert.ok(melds.some(({ id }) => `#${id}` === href));
  }
}

async function inBrowser(page: string, use: (tab: Page, browser: Browser) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const file = path.join(folder, 'report.html');
    await writeFile(file, page);
    await withBrowser(BROWSER!, async (browser) => {
      const { page: tab, complaints } = await openFile(browser, file);
      await use(tab, browser);
      assert.equal(complaints, []);
    });
  });
}

test('a browser is there, or its absence is said', () => {
  if (BROWSER === null) console.log('\nskipped: report pages in a browser; none found on the PATH, nor by CHROME_PATH');
  else assert.ok(path.isAbsolute(BROWSER) || BROWSER === process.env['CHROME_PATH']);
});

if (BROWSER !== null) {
  test.long('bitonic sort: 21 melds in one round', async () => {
    await inBrowser(await pageOf('bitonic.gfx906.O3'), async (tab) => {
      const seen = await look(tab, 'f1');
      assert.equal(seen.captions, ['before melding', 'after melding']);
      assert.equal(seen.drawn, [true, true]);
      assert.equal(
        seen.figures.map((nodes) => nodes.filter(isDivergent).length),
        [84, 42],
      );
      assertDivergentBranchesColoured(seen);
      assert.is(seen.melds.length, 21);
      assertJoined(seen.figures, Array.from({ length: 21 }, (_, meld) => `M${meld + 1}`), seen.melds); // prettier-ignore
      const [{ summary, rows }] = seen.melds as [Seen['melds'][0]];
      assert.match(summary!, /profitability \(MPS\) 0\.5, net cycles saved [1-9]/);
      assert.equal(
        rows.map((row) => row.map((text) => text!.split(' ').slice(0, 4).join(' '))),
        [
          ['%cmp16.1 = icmp sgt', '%cmp26.1 = icmp slt', '⇄ swapped select: operand'],
          ['br i1 %cmp16.1, label', 'br i1 %cmp26.1, label', ''],
        ],
      );
      assert.is(seen.refusals.length, 42);
      for (const reason of seen.refusals) assert.match(reason!, /\w/);

      await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      const dark = await look(tab, 'f1');
      assertDivergentBranchesColoured(dark);
      assert.is.not(dark.figures[0]![0]!.fill, seen.figures[0]![0]!.fill);
    });
  });

  test.long('PCM: two rounds, one region', async () => {
    await inBrowser(await pageOf('pcm.gfx906.O3', { profit: 'paper' }), async (tab) => {
      assert.is((await tab.$$('section')).length, 4);
      const seen = await look(tab, 'f1');
      assert.equal(seen.captions, ['before melding', 'after round 2, the last']);
      assertDivergentBranchesColoured(seen);
      const labels = [...new Set(seen.figures[0]!.flatMap(({ tags }) => tags))].sort();
      assert.equal(labels, ['M1_1', 'M1_2', 'M1_3', 'M1_4', 'M1_5']);
      assertJoined(seen.figures, ['M1_2'], seen.melds);
      assert.is(seen.melds.length, 2);
      assert.match(seen.melds[0]!.summary!, 'region-region');
      assert.ok(seen.melds[0]!.rows.length > 20);

      await tab.click('#f1 .rounds button:nth-child(2)');
      const round = await look(tab, 'f1');
      assert.equal(round.captions, ['before melding', 'after round 1']);
      assertJoined(round.figures, ['M1_1', 'M1_2'], round.melds);

      // A block leads to its alignment, and opens it.
      await tab.evaluate(() => document.querySelectorAll('details').forEach((each) => (each.open = false)));
      await tab.evaluate(() => (location.hash = '#f1-M1'));
      await tab.waitForSelector('#f1-M1[open]');
    });
  });

  test.long('hostile names do nothing', async () => {
    const evil = `</script><script>alert(1)</script><img src=x onerror="alert(2)"><a href="javascript:alert(3)">`;
    const history = example({ fn: evil, block: evil, instruction: evil, reason: evil });
    const report = { title: evil, target: evil, settings: [], functions: [reportOf(evil)], histories: [history] };
    await inBrowser(await reportPage({ ...report, launches: null }, await loadLayout()), async (tab) => {
      assert.is(await tab.title(), `${evil} · darm`);
      const seen = await look(tab, 'f1');
      assert.match(seen.figures[0]![0]!.text[0]!, /^<\/script><script>alert\(1\)/);
      assert.is((await tab.$$('img, main script, section a[href]')).length, 0);
    });
  });
}

test.run();
