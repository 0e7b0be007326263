/**
 * What a page does beyond showing: the reader chooses a round, and pointing at a meld's label points out its blocks.
 *
 * The text of the function is put into the page and runs in the reader's browser. It may use what browsers have, and
 * nothing of ours.
 */
/* eslint no-restricted-imports: ["error", { "patterns": ["*"] }] */
/* eslint no-restricted-globals: ["error", "Buffer", "global", "process", "require"] */

/** @param root what the sections are in; the explorer shows one of them in a part of its page */
export function runPage(root: ParentNode = document): void {
  root.querySelectorAll('section').forEach(runSection);
  if (root === document) {
    addEventListener('hashchange', openTarget);
    openTarget();
  }

  function runSection(section: HTMLElement): void {
    const tagged = Array.from(section.querySelectorAll('[class*="tag-"]'));
    const figures = Array.from(section.querySelectorAll<HTMLElement>('figure[data-stage]'));
    const buttons = Array.from(section.querySelectorAll<HTMLElement>('.rounds button'));
    // Tags count up with the melds, but blocks come in the order of the function.
    const [first] = tagged
      .filter((element) => element.matches('.node'))
      .flatMap(tagsOf)
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

    const choose = (button: HTMLElement): void => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
      const stages = button.dataset['stages']!.split(' ');
      for (const figure of figures) figure.hidden = !stages.includes(figure.dataset['stage']!);
      showStart();
    };
    const showStart = (): void => scrollTo(section, first === undefined ? '.node.divergent' : `.node.${first}`);
    const light = (names: readonly string[]): void => {
      for (const each of tagged)
        each.classList.toggle(
          'lit',
          names.some((name) => each.classList.contains(name)),
        );
    };

    for (const button of buttons) button.addEventListener('click', () => choose(button));
    if (buttons.length > 0) choose(buttons[0]!);
    else showStart();
    for (const element of tagged) {
      element.addEventListener('pointerenter', () => light(tagsOf(element)));
      element.addEventListener('pointerleave', () => light([]));
      if (element.matches('.chip'))
        element.addEventListener('click', () => scrollTo(section, `.node.${tagsOf(element)[0]}`));
    }
  }

  function tagsOf(element: Element): string[] {
    return Array.from(element.classList).filter((name) => name.startsWith('tag-'));
  }

  /** Brings a block to the middle of every graph that shows it. */
  function scrollTo(section: HTMLElement, selector: string): void {
    for (const canvas of Array.from(section.querySelectorAll('figure:not([hidden]) .canvas'))) {
      const block = canvas.querySelector(selector);
      if (block === null) continue;
      const [inner, outer] = [block.getBoundingClientRect(), canvas.getBoundingClientRect()];
      canvas.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
      canvas.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
    }
  }

  /** The alignment that a block of a graph leads to may be folded. */
  function openTarget(): void {
    const target = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  }
}
