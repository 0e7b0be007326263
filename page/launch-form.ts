/**
 * A launch specification as a form. The specification is JSON, and the form is a view of it: what the form changes is
 * written into the JSON, and what the form cannot show can be written there.
 */
import { ELEMENT_BYTES } from '../src/simulator/launch/elements.js';
import { element } from './dom.js';

type Fields = Record<string, unknown>;

const ELEMENTS = Object.keys(ELEMENT_BYTES);
const FILLS = ['random', 'iota', 'value'] as const;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One launch, as a form can show it; null for the rest. */
function simpleLaunch(text: string): Fields | null {
  try {
    const spec: unknown = JSON.parse(text);
    if (!isFields(spec) || 'launches' in spec || 'buffers' in spec) return null;
    const args = spec['args'] ?? [];
    const areSimple =
      Array.isArray(args) &&
      args.every((each) => isFields(each) && ('buffer' in each || 'scalar' in each || 'bytes' in each));
    return areSimple && Array.isArray(spec['grid']) && Array.isArray(spec['block']) ? spec : null;
  } catch {
    return null;
  }
}

/** As people write it: a line for each argument. */
export function specText(spec: Fields): string {
  const line = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\s*\n\s*/g, ' ');
  const rows = Object.entries(spec).map(([key, value]) => {
    const list = key === 'args' && Array.isArray(value) && value.length > 0;
    const shown = list ? `[\n${value.map((each) => `    ${line(each)}`).join(',\n')}\n  ]` : line(value);
    return `  ${JSON.stringify(key)}: ${shown}`;
  });
  return `{\n${rows.join(',\n')}\n}\n`;
}

/** With another kernel; as it is where it cannot be changed. */
export function withKernel(text: string, kernel: string): string {
  const spec = simpleLaunch(text);
  return spec === null ? text : specText({ ...spec, kernel });
}

export function kernelOf(text: string): string | null {
  const name = simpleLaunch(text)?.['kernel'];
  return typeof name === 'string' ? name : null;
}

/**
 * Shows the form.
 *
 * @param changed called with the new text
 * @returns false when there is no form for this text
 */
export function showLaunch(into: HTMLElement, text: string, changed: (text: string) => void): boolean {
  const spec = simpleLaunch(text);
  if (spec === null) {
    into.replaceChildren(element('p', { class: 'note' }, 'This launch is more than the form can show: see its JSON.'));
    return false;
  }
  const write = (): void => changed(specText(spec));
  const args = (spec['args'] ?? []) as Fields[];
  into.replaceChildren(
    element(
      'div',
      { class: 'row' },
      dimensions('Workgroups', spec, 'grid', write),
      dimensions('Work-items of each', spec, 'block', write),
    ),
    element('div', { class: 'arguments' }, ...args.map((each, index) => argument(each, index, write))),
  );
  return true;
}

function dimensions(label: string, spec: Fields, key: string, write: () => void): HTMLElement {
  const sizes = spec[key] as number[];
  return element(
    'fieldset',
    { class: 'dimensions' },
    element('legend', {}, label),
    ...['x', 'y', 'z'].map((axis, at) =>
      number(`${label}, ${axis}`, sizes[at] ?? 1, (value) => {
        while (sizes.length <= at) sizes.push(1);
        sizes[at] = value;
        write();
      }),
    ),
  );
}

function argument(arg: Fields, index: number, write: () => void): HTMLElement {
  const name = typeof arg['name'] === 'string' ? arg['name'] : `argument ${index}`;
  const parts: (Node | string)[] = [element('code', {}, name)];
  if ('scalar' in arg) {
    parts.push(
      choice(`type of ${name}`, ELEMENTS, String(arg['scalar']), (value) => ((arg['scalar'] = value), write())),
      free(`value of ${name}`, arg['value'], (value) => ((arg['value'] = value), write())),
    );
  } else if ('bytes' in arg) {
    parts.push(free(`bytes of ${name}`, arg['bytes'], (value) => ((arg['bytes'] = String(value)), write())));
  } else {
    parts.push(
      choice(`elements of ${name}`, ELEMENTS, String(arg['buffer']), (value) => ((arg['buffer'] = value), write())),
      '×',
      number(`length of ${name}`, Number(arg['length'] ?? 0), (value) => ((arg['length'] = value), write()), 0),
      ...fill(arg, name, write),
      output(arg, name, write),
    );
  }
  return element('div', { class: 'argument', role: 'group', 'aria-label': name }, ...parts);
}

function fill(arg: Fields, name: string, write: () => void): HTMLElement[] {
  const of = isFields(arg['fill']) ? arg['fill'] : { value: 0 };
  const kind = FILLS.find((each) => each in of) ?? 'value';
  const replace = (next: Fields): void => {
    arg['fill'] = next;
    write();
  };
  const select = choice(`contents of ${name}`, FILLS, kind, (value) =>
    replace(value === 'random' ? { random: 1, min: 0, max: 100 } : { [value]: 0 }),
  );
  const field = (key: string, label: string): HTMLElement =>
    element(
      'span',
      {},
      label,
      free(`${label} ${name}`, of[key], (value) => replace({ ...of, [key]: value })),
    );
  if (kind !== 'random') return [select, field(kind, '')];
  return [select, ...('min' in of ? [field('min', 'from '), field('max', 'to ')] : [])];
}

function output(arg: Fields, name: string, write: () => void): HTMLElement {
  const box = element('input', { type: 'checkbox', 'aria-label': `${name} is an output` });
  box.checked = arg['out'] === true;
  box.addEventListener('change', () => ((arg['out'] = box.checked), write()));
  return element('label', {}, box, ' out');
}

function number(label: string, value: number, changed: (value: number) => void, least = 1): HTMLInputElement {
  const input = element('input', { type: 'number', min: String(least), step: '1', 'aria-label': label, class: 'size' });
  input.value = String(value);
  input.addEventListener('change', () => {
    if (input.checkValidity() && input.value !== '') changed(Number(input.value));
  });
  return input;
}

/** A number, or what JSON's numbers cannot say, as text. */
function free(label: string, value: unknown, changed: (value: string | number) => void): HTMLInputElement {
  const input = element('input', { 'aria-label': label, class: 'value', autocomplete: 'off', spellcheck: 'false' });
  input.value = String((value as string | number | undefined) ?? 0);
  input.addEventListener('change', () => {
    const given = Number(input.value);
    const isExact = input.value.trim() !== '' && Number.isFinite(given) && Math.abs(given) <= Number.MAX_SAFE_INTEGER;
    changed(isExact && !/^0x/i.test(input.value) ? given : input.value.trim());
  });
  return input;
}

function choice(
  label: string,
  values: readonly string[],
  value: string,
  changed: (value: string) => void,
): HTMLSelectElement {
  const select = element('select', { 'aria-label': label }, ...values.map((each) => element('option', {}, each)));
  select.value = value;
  select.addEventListener('change', () => changed(select.value));
  return select;
}
