/**
 * Markup of pages and of Graphviz's HTML-like labels. Names in IR may hold anything, so templates escape what is put
 * into them, and characters that cannot be seen are shown as their numbers: no name can look like another one, or end a
 * document early.
 */
import { html as template } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup: a template that it is put into takes it as it is. */
export type Html = HtmlEscapedString;

/** Hono's `html`. It returns a promise only if it is given one, which we never do. */
export const html = template as (strings: TemplateStringsArray, ...values: unknown[]) => Html;

/** Controls but the line feed, lone surrogates, and what changes the direction of text or has no width. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

/** Replaces each character that cannot be seen by its number; line ends stay. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0)!.toString(16).padStart(2, '0')}}`);

/** Text as markup: visible, and with entities for what has a meaning in markup. */
export const escaped = (text: string): string => html`${visible(text)}`.toString();
