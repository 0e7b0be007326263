/** The explorer's page: a kernel on the left, what becomes of it on the right, a launch below. */
import './first-worker.js';
import { DarmError } from '../src/errors.js';
import {
  LANGUAGES,
  type Explored,
  type ExploreJob,
  type ExploreQuestions,
  type Launched,
  type Listing,
  type ListingForm,
} from '../src/explorer/protocol.js';
import { JOB_OPTIONS } from '../src/job/options.js';
import { ServerBackend, WorkerBackend, type Backend, type LoadProgress } from './backend.js';
import { byId, element, fillSelect } from './dom.js';
import { Editor, type SourceMessage } from './editor.js';
import type { Example } from './examples.js';
import { Heat, METRICS, type Metric } from './heat.js';
import { kernelOf, showLaunch, withKernel } from './launch-form.js';
import { linkOf, stateOf, type PageState } from './link.js';
import { errorsOf, showMessages, warningsOf } from './messages.js';
import { commandOf, defaultsFor, showOptions } from './options-form.js';
import { drawCounters, drawFlow, drawListings, drawRemarks, type Hot } from './views.js';

const TABS = ['flow', 'remarks', 'ir', 'machine', 'counters'] as const;
type Tab = (typeof TABS)[number];

const LANGUAGE_NAMES = { hip: 'HIP C++', opencl: 'OpenCL C', ir: 'LLVM IR' } as const;
/** How long a pause of the typist means that the kernel is to be compiled. */
const PAUSE_MS = 120;
/** How long the reader waits before the page offers to stop. */
const PATIENCE_MS = 400;

const PROCESSORS =
  'gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1101 gfx1150 gfx1151 gfx1200 gfx1201'.split(
    ' ',
  );

type Job = PageState['job'];

/** A launch, and the code that it ran. */
interface Ran {
  readonly job: Job;
  readonly launched: Launched;
  readonly heat: readonly [Heat, Heat] | null;
}

const backend: Backend =
  document.documentElement.dataset['backend'] === 'server' ? new ServerBackend() : new WorkerBackend(showLoading);

let job: Job = { source: '', language: 'hip', options: { mcpu: 'gfx1100' }, flags: [] };
let spec = '';
let tab: Tab = 'flow';
/** The last that compiled, and from what. */
let shown: { readonly job: Job; readonly explored: Explored } | null = null;
let ran: Ran | null = null;
/** About the link that the page was opened with; until the reader asks for something else. */
let notice: readonly SourceMessage[] = [];
let metric: Metric = 'lost';
/** Which function is shown. */
let chosen = 0;

const source = new Editor(byId('editor'), 'source of the kernel', 'hip', {
  changed: () => edited(PAUSE_MS),
  pointed: (line) => light(line === null ? [] : [line]),
});
const launchJson = new Editor(byId('json'), 'launch specification as JSON', 'json', {
  changed: () => void (spec = launchJson.text),
  pointed: () => {},
});

// --- compiling -------------------------------------------------------------------------------------------------------

let timer: ReturnType<typeof setTimeout> | undefined;
/** Questions that are being worked on. */
let busy = 0;
let isDue = false;
/** While the page itself changes the source. */
let isSetting = false;

function edited(delay = 0): void {
  if (isSetting) return;
  job = { ...job, source: source.text };
  notice = [];
  byId<HTMLSelectElement>('example').value = '';
  clearTimeout(timer);
  timer = setTimeout(() => void compile(), delay);
}

/** One compilation at a time; of those that were asked for meanwhile, the last. */
async function compile(): Promise<void> {
  if (busy > 0) {
    isDue = true;
    return;
  }
  const now = job;
  await working('compiling …', async () => {
    const started = performance.now();
    const known = await backend.recall('compile', { job: now });
    const explored = known ?? (await backend.ask('compile', { job: now }));
    const isSame = shown !== null && JSON.stringify(shown.job) === JSON.stringify(now);
    shown = { job: now, explored };
    showMessages(source, [...notice, ...warningsOf(explored)]);
    showFunctions();
    if (!isSame) refresh();
    const took = known === null ? `${Math.round(performance.now() - started)} ms` : 'known from before';
    const melds = explored.functions.reduce((sum, each) => sum + each.melds, 0);
    // Before it is said: what takes long, the page says itself.
    await remember();
    say(`${explored.target}: ${melds === 1 ? '1 meld' : `${melds} melds`}, ${took}`);
    document.body.dataset['compiled'] = String(Number(document.body.dataset['compiled'] ?? 0) + 1);
  });
}

/** Does something with the backend, and says what came of it. */
async function working(what: string, work: () => Promise<void>): Promise<void> {
  busy++;
  document.body.dataset['state'] = 'busy';
  const offer = setTimeout(() => {
    byId('stop').hidden = false;
    say(what);
  }, PATIENCE_MS);
  try {
    await work();
    document.body.dataset['state'] = 'idle';
    byId('messages').classList.remove('stale');
  } catch (thrown) {
    const error = thrown instanceof DarmError ? thrown : new DarmError('internal', String(thrown));
    say(error.code === 'aborted' ? 'stopped' : `${error.code}: see the messages`);
    // What the reader stopped leaves the messages of the last result.
    if (error.code !== 'aborted') showMessages(source, errorsOf(error));
    document.body.dataset['state'] = 'failed';
  } finally {
    clearTimeout(offer);
    busy--;
    byId('stop').hidden = busy === 0;
    byId('tab-flow')
      .closest('.output')!
      .classList.toggle('stale', shown !== null && shown.job !== job && !isDue);
  }
  if (isDue && busy === 0) {
    isDue = false;
    void compile();
  }
}

const say = (text: string): void => void (byId('status').textContent = text);

function showLoading(progress: LoadProgress | null): void {
  byId('loading').hidden = progress === null;
  if (progress === null) return;
  const bar = byId<HTMLProgressElement>('progress');
  bar.max = progress.total;
  bar.value = progress.loaded;
  const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  byId('loading-text').textContent = `loading the compiler: ${mib(progress.loaded)} of ${mib(progress.total)} MiB`;
}

// --- views -----------------------------------------------------------------------------------------------------------

function showFunctions(): void {
  const { functions } = shown!.explored;
  fillSelect(
    byId<HTMLSelectElement>('function'),
    functions.map(({ name, melds, refused }, index) => [
      String(index),
      `${name} (${melds} melded, ${refused} refused)`,
    ]),
  );
  chosen = Math.max(0, byId<HTMLSelectElement>('function').selectedIndex);
}

function openTab(next: Tab): void {
  tab = next;
  for (const each of TABS) {
    const button = byId(`tab-${each}`);
    button.setAttribute('aria-selected', String(each === next));
    button.tabIndex = each === next ? 0 : -1;
    byId(each).hidden = each !== next;
  }
  byId('selection').hidden = next === 'counters' || next === 'remarks';
  refresh();
  void remember();
}

/** Draws the open view anew. */
function refresh(): void {
  const hot = currentHeat();
  const isHot = hot !== null;
  byId('heat-label').hidden = !isHot;
  byId('heat-key').textContent = isHot ? 'of the last launch' : '';
  heatSource();
  if (shown === null) return;
  const { explored } = shown;
  if (tab === 'flow') drawFlow(explored, chosen, hot);
  else if (tab === 'remarks') drawRemarks(explored, (line) => source.goTo(line, null));
  else if (tab === 'counters') drawCounters(ran?.launched ?? null, ran?.job !== shown.job);
  else return void drawListing(tab);
  listenToLines(byId(tab));
}

async function drawListing(form: ListingForm): Promise<void> {
  const { job: of, explored } = shown!;
  try {
    const both = await listings(of, form);
    if (shown?.job !== of || tab !== form) return;
    drawListings(form, both, explored.functions[chosen]?.name ?? null, currentHeat());
    listenToLines(byId(form));
  } catch (error) {
    byId(form).replaceChildren(element('p', { class: 'failed' }, (error as Error).message));
  }
  document.body.dataset['drawn'] = form;
}

const listings = (of: ExploreJob, form: ListingForm): Promise<[Listing, Listing]> =>
  Promise.all([listing({ job: of, form, side: 'before' }), listing({ job: of, form, side: 'after' })]);

const listing = async (question: ExploreQuestions['listing']): Promise<Listing> =>
  (await backend.recall('listing', question)) ?? (await backend.ask('listing', question));

// --- lines -----------------------------------------------------------------------------------------------------------

/** Lights up what comes from these lines. */
function light(lines: readonly number[]): void {
  const wanted = new Set(lines.map(String));
  for (const each of document.querySelectorAll<HTMLElement | SVGElement>('.output [data-lines]'))
    each.classList.toggle(
      'from-line',
      wanted.size > 0 && each.dataset['lines']!.split(' ').some((line) => wanted.has(line)),
    );
}

/** Pointing at a row or a block lights up the lines that it comes from. */
function listenToLines(panel: HTMLElement): void {
  for (const each of panel.querySelectorAll<HTMLElement | SVGElement>('[data-lines]')) {
    const lines = each.dataset['lines']!.split(' ').map(Number);
    each.addEventListener('pointerenter', () => source.light(lines));
    each.addEventListener('pointerleave', () => source.light([]));
    each.addEventListener('click', () => source.light(lines, true));
  }
}

function currentHeat(): Hot | null {
  return ran !== null && ran.heat !== null && ran.job === shown?.job ? { heat: ran.heat, metric } : null;
}

function heatSource(): void {
  const hot = currentHeat();
  if (hot === null) return source.heat([]);
  const [before, after] = hot.heat;
  const all = [...before.lines.values()];
  source.heat(
    [...before.lines].map(([line, figures]) => {
      const melded = after.lines.get(line);
      const title =
        `without melding it ${before.describe(figures)}` +
        (melded ? `\nwith melding it ${after.describe(melded)}` : '');
      return { line, share: before.share(figures, metric, all), title };
    }),
  );
}

// --- launches --------------------------------------------------------------------------------------------------------

/** @param text null: as it is, in another editor */
function setSpec(text: string, from: 'form' | 'json' | 'page'): void {
  spec = text;
  if (from !== 'json') launchJson.text = text;
  if (from !== 'form') drawLaunch();
}

function drawLaunch(): void {
  const json = byId('as-json').getAttribute('aria-pressed') === 'true';
  byId('json').hidden = !json;
  byId('form').hidden = json;
  if (!json && spec !== '') showLaunch(byId('form'), spec, (text) => setSpec(text, 'form'));
  else if (!json)
    byId('form').replaceChildren(
      element('p', { class: 'note' }, 'Run makes a launch up from what the kernel says about itself.'),
    );
}

async function run(): Promise<void> {
  clearTimeout(timer);
  byId('launch-error').textContent = '';
  const now = job;
  await working('running …', async () => {
    const kernels = await backend.ask('kernels', { job: now });
    if (kernels.length === 0) throw new DarmError('bad-input', 'the module has no kernel');
    const select = byId<HTMLSelectElement>('kernel');
    const wanted = select.value;
    fillSelect(
      select,
      kernels.map(({ name }) => [name, name]),
    );
    const named = kernelOf(spec);
    if (spec === '') setSpec((kernels.find(({ name }) => name === wanted) ?? kernels[0]!).spec, 'page');
    else if (named !== null) select.value = named;
    const simulation = { profile: true, detectRaces: byId<HTMLInputElement>('races').checked };
    const launched = await backend.ask('launch', { job: now, spec, simulation });
    const [before, after] = await listings(now, 'machine');
    const profiles = launched.launches[0]?.profiles ?? [null, null];
    const heat =
      profiles[0] === null || profiles[1] === null
        ? null
        : ([new Heat(profiles[0], before), new Heat(profiles[1], after)] as const);
    ran = { job: now, launched, heat };
    if (shown?.job !== now) shown = { job: now, explored: await backend.ask('compile', { job: now }) };
    openTab('counters');
    const [one, two] = launched.launches[0]!.cycles;
    const cycles = one === null || two === null ? '' : `: ${one} → ${two} cycles`;
    say(`ran in ${Math.round(launched.time[0] + launched.time[1])} ms${cycles}`);
    document.body.dataset['ran'] = String(Number(document.body.dataset['ran'] ?? 0) + 1);
  });
  if (document.body.dataset['state'] === 'failed')
    byId('launch-error').textContent = byId('messages').querySelector('li')?.textContent ?? '';
}

// --- controls --------------------------------------------------------------------------------------------------------

function setJob(next: Partial<Job>): void {
  job = { ...job, ...next };
  showControls();
  edited();
}

function showControls(): void {
  const { language, options, flags } = job;
  byId<HTMLSelectElement>('language').value = language;
  byId<HTMLInputElement>('mcpu').value = options.mcpu ?? '';
  byId<HTMLInputElement>('mcpu').placeholder = language === 'ir' ? "the module's" : 'gfx1100';
  byId<HTMLSelectElement>('meld').value = options.meld ?? 'darm';
  byId<HTMLInputElement>('flags').value = flags.join(' ');
  byId('flags-label').hidden = language === 'ir';
  showOptions(byId('controls'), language, options, (changed) => {
    job = { ...job, options: changed };
    showChanged();
    edited();
  });
  showChanged();
}

function showChanged(): void {
  const defaults = defaultsFor(job.language);
  const changed = Object.entries(job.options).filter(
    ([name, value]) => name !== 'mcpu' && value !== defaults[name as keyof typeof defaults],
  );
  byId('changed').textContent = changed.length === 0 ? '' : `(${changed.map(([name]) => name).join(', ')})`;
  byId('command').textContent = commandOf(job);
}

function setState(state: Pick<PageState, 'job' | 'spec'>): void {
  isSetting = true;
  job = state.job;
  ran = null;
  source.setLanguage(job.language);
  source.text = job.source;
  isSetting = false;
  byId('launch-error').textContent = '';
  fillSelect(
    byId<HTMLSelectElement>('kernel'),
    state.spec === '' ? [] : [[kernelOf(state.spec) ?? '', kernelOf(state.spec) ?? 'the only one']],
  );
  setSpec(state.spec, 'page');
  showControls();
  clearTimeout(timer);
  void compile();
}

/** The address of the page holds what it shows. */
async function remember(): Promise<void> {
  history.replaceState(null, '', await linkOf({ job, spec, tab }));
}

async function share(): Promise<void> {
  await remember();
  try {
    await navigator.clipboard.writeText(location.href);
    say('the link is on the clipboard: it holds the kernel, its options and the launch');
  } catch {
    say('the address of this page is the link');
  }
}

async function download(): Promise<void> {
  await working('compiling …', async () => {
    const bytes = await backend.ask('artifact', { job, side: 'after' });
    const url = URL.createObjectURL(new Blob([bytes as BlobPart]));
    element('a', { href: url, download: 'kernel.hsaco' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    say(`kernel.hsaco: ${bytes.length} bytes`);
  });
}

function listen(): void {
  fillSelect(
    byId<HTMLSelectElement>('language'),
    LANGUAGES.map((each) => [each, LANGUAGE_NAMES[each]]),
  );
  const { type } = JOB_OPTIONS.meld;
  if (type.kind === 'choice')
    fillSelect(
      byId<HTMLSelectElement>('meld'),
      type.values.map((each) => [String(each), String(each)]),
    );
  fillSelect(byId<HTMLSelectElement>('heat'), Object.entries(METRICS));
  byId('processors').replaceChildren(...PROCESSORS.map((value) => element('option', { value })));

  const on = <T extends HTMLElement>(id: string, type: string, act: (target: T) => void): void =>
    byId(id).addEventListener(type, () => act(byId<T>(id)));
  on<HTMLSelectElement>('language', 'change', ({ value }) => {
    const language = value as Job['language'];
    source.setLanguage(language);
    const mcpu = language === 'ir' ? {} : { mcpu: job.options.mcpu ?? 'gfx1100' };
    setJob({ language, options: mcpu, flags: language === 'ir' ? [] : ['-gline-tables-only'] });
  });
  on<HTMLInputElement>('mcpu', 'change', ({ value }) => {
    const { mcpu: _, ...rest } = job.options;
    const mcpu = value.trim() || (job.language === 'ir' ? '' : 'gfx1100');
    setJob({ options: mcpu === '' ? rest : { ...rest, mcpu } });
  });
  on<HTMLSelectElement>('meld', 'change', ({ value }) => {
    const { meld: _, ...rest } = job.options;
    setJob({ options: value === 'darm' ? rest : { ...rest, meld: value as NonNullable<Job['options']['meld']> } });
  });
  on<HTMLInputElement>('flags', 'change', ({ value }) => setJob({ flags: value.split(/\s+/).filter(Boolean) }));
  on<HTMLSelectElement>('function', 'change', ({ selectedIndex }) => {
    chosen = selectedIndex;
    refresh();
  });
  on<HTMLSelectElement>('heat', 'change', ({ value }) => {
    metric = value as Metric;
    refresh();
  });
  on<HTMLSelectElement>('kernel', 'change', ({ value }) => setSpec(withKernel(spec, value), 'page'));
  on('as-json', 'click', (button) => {
    button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
    drawLaunch();
  });
  on('run', 'click', () => void run());
  on('stop', 'click', () => backend.stop());
  on('share', 'click', () => void share());
  on('download', 'click', () => void download());
  on('theme', 'click', () => {
    const root = document.documentElement;
    const isDark = root.dataset['theme']
      ? root.dataset['theme'] === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset['theme'] = isDark ? 'light' : 'dark';
  });
  for (const [index, each] of TABS.entries()) {
    const button = byId(`tab-${each}`);
    button.addEventListener('click', () => openTab(each));
    button.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      const next = TABS[(index + step + TABS.length) % TABS.length]!;
      openTab(next);
      byId(`tab-${next}`).focus();
    });
  }
}

async function start(): Promise<void> {
  listen();
  openTabQuietly();
  addEventListener('hashchange', () => void openLink());
  const coming = fetch('examples.json');
  const isOpen = await openLink();
  const examples = (await (await coming).json()) as Example[];
  const select = byId<HTMLSelectElement>('example');
  fillSelect(select, [['', 'own'], ...examples.map(({ id, title }) => [id, title] as const)]);
  const open = (example: Example): void => {
    select.value = example.id;
    setState(example);
  };
  select.addEventListener('change', () => {
    const found = examples.find(({ id }) => id === select.value);
    notice = [];
    if (found !== undefined) open(found);
  });
  if (isOpen) return;
  const query = new URLSearchParams(location.search).get('example');
  open(examples.find(({ id }) => id === query) ?? examples[0]!);
}

/** Shows what the link of this page holds. */
async function openLink(): Promise<boolean> {
  try {
    const state = await stateOf(location.hash);
    if (state === null) return false;
    notice = [];
    byId<HTMLSelectElement>('example').value = '';
    setState(state);
    if (TABS.some((each) => each === state.tab)) openTab(state.tab as Tab);
    return true;
  } catch (error) {
    const text = `the link cannot be read: ${(error as Error).message}`;
    notice = [{ severity: 'warning', text, line: 0, column: null }];
    showMessages(source, notice);
    return false;
  }
}

/** Before there is anything to remember. */
function openTabQuietly(): void {
  for (const each of TABS) {
    byId(`tab-${each}`).setAttribute('aria-selected', String(each === tab));
    byId(`tab-${each}`).tabIndex = each === tab ? 0 : -1;
  }
}

// Pages of files work without a network afterwards; a server that compiles is needed each time.
if (backend instanceof WorkerBackend && 'serviceWorker' in navigator)
  navigator.serviceWorker.register('service-worker.js').catch(() => {});

void start();
