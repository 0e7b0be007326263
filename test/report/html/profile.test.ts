/** Pages of profiles: they say what the profile says, hold all they need, and keep text text. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { profilePage } from '../../../src/report/html/profile/page.js';
import type { LaunchProfile } from '../../../src/simulator/profile/profile.js';
import { browserPath, openFile, withBrowser } from '../../support/browser.js';
import { inFolder } from '../../support/command.js';
import { kernelProfile, renamed, repeated } from '../../support/profile.js';
import { assert, suite } from '../../support/suite.js';

const BROWSER = browserPath();
const test = suite('report/profile', { tests: BROWSER === null ? 6 : 8, timeoutMs: 120_000 });

let profiles: Promise<readonly [LaunchProfile, LaunchProfile]> | undefined;

/** Of bitonic sort, not melded and melded. */
const both = () =>
  (profiles ??= (async () =>
    [await kernelProfile('bitonic', { meld: 'off' }), await kernelProfile('bitonic', {})] as const)());

const runsOf = ([before, after]: readonly [LaunchProfile, LaunchProfile]) => [
  { title: 'meld off', launches: [before] },
  { title: 'melded', launches: [after] },
];

/** Without the white space of the markup. */
const squeezed = (page: string): string => page.replace(/\s+/g, ' ').replace(/> </g, '><');
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

async function single(): Promise<string> {
  const [before] = await both();
  return squeezed(await profilePage('bitonic.hsaco', [{ title: '', launches: [before] }], new Map()));
}

test('figures, pictures, branches, instructions', async () => {
  const [profile] = await both();
  const page = await single();
  assert.match(
    page,
    `${(profile.waveSize - profile.time!.idleLaneCycles / profile.time!.waveCycles).toFixed(1)}</b> of 64 lanes`,
  );
  assert.match(page, '<dd>5,075</dd>');
  assert.is(count(page, /<svg class="lane-picture"/g), 2);
  assert.is(count(page, /<svg class="timeline"/g), 1);
  assert.is(count(page, /<tr id="launch1-1-branch\d+"/g), profile.branches.length);
  assert.is(count(page, /<tr id="launch1-1-i\d+"/g), profile.instructions.length);
  assert.match(page, 's_and_saveexec_b64 s[4:5], s[0:1]');
  assert.match(page, '32 | 32');
});

test('two runs side by side, on one scale', async () => {
  const [before, after] = await both();
  const page = squeezed(await profilePage('bitonic.bc', runsOf([before, after]), new Map()));
  assert.is(count(page, /<svg class="lane-picture"/g), 4);
  const heights = [...page.matchAll(/class="lane-picture" viewBox="0 0 \d+ (\d+)"/g)].map(([, height]) =>
    Number(height),
  );
  // The last two are those of all waves; 26 pixels are around the lanes.
  const [first, second] = heights.slice(2).map((height) => height - 26) as [number, number];
  assert.ok(Math.abs(second / first - after.time!.cycles / before.time!.cycles) < 0.02, heights.join());
  assert.match(page, /5,075 → <b>[\d,]+<\/b> cycles \(\d+ % fewer\)/);
});

test('links lead somewhere, and no id is twice there', async () => {
  const [before, after] = await both();
  const page = await profilePage('bitonic.bc', runsOf([before, after]), new Map());
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
  assert.is(new Set(ids).size, ids.length);
  const known = new Set(ids);
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(known.has(target!), target!);
});

test('long programs are listed in part, and links still lead somewhere', async () => {
  const [before] = await both();
  const page = await profilePage('long', [{ title: '', launches: [repeated(before, 12)] }], new Map());
  assert.is(count(page, /id="launch1-1-i\d+"/g), 3000);
  assert.is(count(page, /id="launch1-1-branch\d+"/g), 500);
  assert.match(page, 'The other instructions are in the JSON profile.');
  const known = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!));
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(known.has(target!), target!);
});

test('the page is a file by itself, and runs nothing', async () => {
  const page = await single();
  assert.match(page, `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`);
  assert.not.match(page, '<script');
  assert.not.match(page, /(src|srcset|data|action)=/);
  assert.not.match(page, /url\((?!#)/);
});

const EVIL = `</style></title><script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e`;

test('hostile names stay text', async () => {
  const [before] = await both();
  const runs = [{ title: EVIL, launches: [renamed(before, EVIL)] }];
  const page = await profilePage(EVIL, runs, new Map([[EVIL, [EVIL, EVIL]]]));
  assert.not.match(page, '<script');
  assert.not.match(page, '<img');
  assert.not.match(page, '\u202e');
  assert.is(count(page, /<\/style>/g), 1);
  assert.is(count(page, /<\/title>\s*<style>/g), 1);
});

if (BROWSER !== null) {
  test.long('a reader sees it in both themes, and on a phone', async () => {
    const page = await profilePage('bitonic.bc', runsOf(await both()), new Map());
    await inFolder(async (folder) => {
      const file = path.join(folder, 'profile.html');
      await writeFile(file, page);
      await withBrowser(BROWSER, async (browser) => {
        const { page: tab, complaints } = await openFile(browser, file);
        const fills = new Set<string>();
        for (const scheme of ['light', 'dark']) {
          await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          fills.add(await tab.evaluate(() => getComputedStyle(document.querySelector('.lanes-8')!).fill));
          // Lanes at work stand out from the page: a contrast of 3 (WCAG 2.2, 1.4.11).
          assert.ok((await contrast(tab)) >= 3, scheme);
        }
        assert.is(fills.size, 2);
        for (const width of [1280, 390]) {
          await tab.setViewport({ width, height: 800 });
          const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${wide} of ${width} pixels`);
        }
        // The keyboard reaches the branches' marks, and they lead to their rows.
        await tab.evaluate(() => document.querySelector<SVGAElement>('.lane-picture a')!.focus());
        await tab.keyboard.press('Enter');
        assert.match(await tab.evaluate(() => document.querySelector(':target')!.id), /^launch1-1-branch\d+$/);
        assert.equal(complaints, []);
      });
    });
  });

  test.long('hostile names do nothing in a browser', async () => {
    const [before] = await both();
    const runs = [{ title: EVIL, launches: [renamed(before, EVIL)] }];
    await inFolder(async (folder) => {
      const file = path.join(folder, 'profile.html');
      await writeFile(file, await profilePage(EVIL, runs, new Map([[EVIL, [EVIL]]])));
      await withBrowser(BROWSER, async (browser) => {
        const { page: tab, complaints } = await openFile(browser, file);
        assert.is(await tab.evaluate(() => document.querySelectorAll('script, img').length), 0);
        assert.equal(complaints, []);
      });
    });
  });
}

type Tab = Awaited<ReturnType<typeof openFile>>['page'];

/** Between the fill of lanes at work and the page. */
const contrast = (tab: Tab): Promise<number> =>
  tab.evaluate(() => {
    const luminance = (color: string): number => {
      const [r, g, b] = color
        .match(/\d+/g)!
        .map((text) => Number(text) / 255)
        .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)) as [number, number, number];
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const lane = luminance(getComputedStyle(document.querySelector('.lanes-8')!).fill);
    const page = luminance(getComputedStyle(document.body).backgroundColor);
    return (Math.max(lane, page) + 0.05) / (Math.min(lane, page) + 0.05);
  });

test.run();
