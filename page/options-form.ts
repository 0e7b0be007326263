/** The options of a job as controls, made from the table that the command's flags come from. */
import { completeSource } from '../src/frontend/options.js';
import type { ExploredLanguage, ExploreJob } from '../src/explorer/protocol.js';
import { complaintAbout, type OptionEntry, type OptionType } from '../src/job/option-table.js';
import { DEFAULT_OPTIONS, JOB_OPTIONS, type JobOptions } from '../src/job/options.js';
import { element } from './dom.js';

type Name = keyof JobOptions;
type Options = Partial<JobOptions>;

/** These have a place of their own, or would show nothing here. */
const ELSEWHERE: readonly Name[] = ['mcpu', 'meld', 'stats', 'deviceLibs', 'partitions'];

const ENTRIES = Object.entries(JOB_OPTIONS) as unknown as readonly (readonly [Name, OptionEntry])[];
const OFFERED = ENTRIES.filter(([name, { flag }]) => flag?.commands.includes('compile') && !ELSEWHERE.includes(name));

/** What holds without any option: for source, some defaults are others. */
export function defaultsFor(language: ExploredLanguage): JobOptions {
  if (language === 'ir') return DEFAULT_OPTIONS;
  return completeSource('the explorer', '', { language, mcpu: 'gfx1100' }).job;
}

const flagName = (name: Name, entry: OptionEntry): string =>
  entry.flag?.name ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Fills `into` with a control for each option.
 *
 * @param changed called with the options that differ from their defaults
 */
export function showOptions(
  into: HTMLElement,
  language: ExploredLanguage,
  given: Options,
  changed: (options: Options) => void,
): void {
  const defaults = defaultsFor(language);
  const set = (name: Name, value: unknown): void => {
    const options: Record<string, unknown> = { ...given, [name]: value };
    if (JSON.stringify(value) === JSON.stringify(defaults[name])) delete options[name];
    given = options;
    changed(given);
  };
  into.replaceChildren(
    ...OFFERED.map(([name, entry]) => {
      const id = `option-${name}`;
      const value = given[name] ?? defaults[name];
      const control = controlOf(entry.type, value, defaults[name], (next) => set(name, next));
      control.id = id;
      control.setAttribute('aria-describedby', `${id}-about`);
      return element(
        'div',
        { class: 'option' },
        element('label', { for: id }, flagName(name, entry)),
        control,
        element('p', { id: `${id}-about`, class: 'note' }, entry.about),
      );
    }),
  );
}

function controlOf(
  type: OptionType,
  value: unknown,
  fallback: unknown,
  changed: (value: unknown) => void,
): HTMLInputElement | HTMLSelectElement {
  if (type.kind === 'boolean') {
    const box = element('input', { type: 'checkbox' });
    box.checked = value === true;
    box.addEventListener('change', () => changed(box.checked));
    return box;
  }
  if (type.kind === 'choice') {
    const options = type.values.map((each) =>
      element('option', { value: String(each) }, each === fallback ? `${each} (default)` : String(each)),
    );
    const select = element('select', {}, ...options);
    select.value = String(value);
    select.addEventListener('change', () => changed(type.values.find((each) => String(each) === select.value)));
    return select;
  }
  const input = element('input', { autocomplete: 'off', spellcheck: 'false' });
  if (type.kind === 'number') {
    input.type = 'number';
    input.step = type.whole ? '1' : 'any';
    input.min = String(type.low);
    input.max = String(type.high);
  }
  input.value = textOf(value);
  input.addEventListener('change', () => {
    const next = valueOf(type, input.value);
    const complaint = complaintAbout(type, next);
    input.setCustomValidity(complaint ?? '');
    if (complaint === null) changed(next);
    else input.reportValidity();
  });
  return input;
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String((value as string) ?? ''));

function valueOf(type: OptionType, text: string): unknown {
  switch (type.kind) {
    case 'number':
      return text.trim() === '' ? NaN : Number(text);
    case 'list':
      return text.split(',').flatMap((each) => each.trim() || []);
    case 'nullable':
      return text.trim() === '' ? null : valueOf(type.of, text);
    default:
      return text.trim();
  }
}

const EXTENSIONS: Readonly<Record<ExploredLanguage, string>> = {
  hip: 'kernel.hip',
  opencl: 'kernel.cl',
  ir: 'kernel.ll',
};

/** The command that does the same. */
export function commandOf({ language, options, flags }: Omit<ExploreJob, 'source'>): string {
  const words = ['darm', 'compile', EXTENSIONS[language]];
  for (const [name, entry] of ENTRIES) {
    const value = options[name];
    if (value === undefined || value === null || entry.flag === undefined) continue;
    const flag = entry.flag.letter !== undefined ? `-${entry.flag.letter}` : `--${flagName(name, entry)}`;
    if (entry.type.kind === 'boolean')
      words.push(value === entry.default ? '' : value ? flag : `--no-${flagName(name, entry)}`);
    else for (const each of Array.isArray(value) ? value : [value]) words.push(flag, quoted(String(each)));
  }
  if (language !== 'ir') words.push(...flags.map(quoted));
  return words.filter(Boolean).join(' ');
}

const quoted = (word: string): string =>
  /^[\w.,:+=/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
