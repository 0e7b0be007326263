/** What pages do beyond showing: choose the round, and point out what belongs to a meld. All is readable without it. */
export const PAGE_SCRIPT = `
'use strict';
for (const section of document.querySelectorAll('section')) {
  const tagsOf = (element) => [...element.classList].filter((name) => name.startsWith('tag-'));
  const tagged = [...section.querySelectorAll('[class*="tag-"]')];
  const scrollTo = (selector) => {
    for (const canvas of section.querySelectorAll('figure:not([hidden]) .canvas')) {
      const block = canvas.querySelector(selector);
      if (block === null) continue;
      const [inner, outer] = [block.getBoundingClientRect(), canvas.getBoundingClientRect()];
      canvas.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
      canvas.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
    }
  };
  // Tags count up with the melds, but blocks come in the order of the function.
  const first = tagged.filter((element) => element.matches('.node')).flatMap(tagsOf)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))[0];

  const start = () => scrollTo(first === undefined ? '.node.divergent' : '.node.' + first);

  const figures = [...section.querySelectorAll('figure[data-stage]')];
  const buttons = [...section.querySelectorAll('.rounds button')];
  const choose = (button) => {
    for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
    const stages = button.dataset.stages.split(' ');
    for (const figure of figures) figure.hidden = !stages.includes(figure.dataset.stage);
    start();
  };
  for (const button of buttons) button.addEventListener('click', () => choose(button));
  if (buttons.length > 0) choose(buttons[0]);
  else start();

  const light = (names) => {
    for (const each of tagged) each.classList.toggle('lit', names.some((name) => each.classList.contains(name)));
  };
  for (const element of tagged) {
    element.addEventListener('pointerenter', () => light(tagsOf(element)));
    element.addEventListener('pointerleave', () => light([]));
    if (element.matches('.chip')) element.addEventListener('click', () => scrollTo('.node.' + tagsOf(element)[0]));
  }
}
const reveal = () => {
  const target = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', reveal);
reveal();
`;
