/** What pages do beyond showing: choose the round, and point out what belongs to a meld. All is readable without it. */
export const PAGE_SCRIPT = `
'use strict';
for (const section of document.querySelectorAll('section')) {
  const figures = [...section.querySelectorAll('figure[data-stage]')];
  const buttons = [...section.querySelectorAll('.rounds button')];
  const choose = (button) => {
    for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
    const stages = button.dataset.stages.split(' ');
    for (const figure of figures) figure.hidden = !stages.includes(figure.dataset.stage);
  };
  for (const button of buttons) button.addEventListener('click', () => choose(button));
  if (buttons.length > 0) choose(buttons[0]);

  const tagsOf = (element) => [...element.classList].filter((name) => name.startsWith('tag-'));
  const tagged = [...section.querySelectorAll('[class*="tag-"]')];
  const light = (names) => {
    for (const each of tagged) each.classList.toggle('lit', names.some((name) => each.classList.contains(name)));
  };
  for (const element of tagged) {
    element.addEventListener('pointerenter', () => light(tagsOf(element)));
    element.addEventListener('pointerleave', () => light([]));
  }
}
const reveal = () => {
  const target = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', reveal);
reveal();
`;
