/** Elements made by hand: text goes in as text. */
type Child = Node | string | null | false;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(key, value === true ? '' : value);
  for (const child of children) if (child !== null && child !== false) made.append(child);
  return made;
}

/** The element of the page with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

/** Fills a select; the value stays if it is still there. */
export function fillSelect(
  select: HTMLSelectElement,
  options: readonly (readonly [value: string, text: string])[],
): void {
  const { value } = select;
  select.replaceChildren(...options.map(([each, text]) => element('option', { value: each }, text)));
  if (options.some(([each]) => each === value)) select.value = value;
}
