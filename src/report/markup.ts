/**
 * Markup of pages and of Graphviz's HTML-like labels. Names in IR may hold anything, so templates escape what is put
 * into them, and characters that cannot be seen are shown as their numbers: no name can look like another one, or end a
 * document early.
 */
import { html as template } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { visible } from './visible.js';

/** Markup: a template that it is put into takes it as it is. */
export type Html = HtmlEscapedString;

/** Hono's `html`. It returns a promise only if it is given one, which we never do. */
export const html = template as (strings: TemplateStringsArray, ...values: unknown[]) => Html;

/** Text as markup: visible, and with entities for what has a meaning in markup. */
export const escaped = (text: string): string => html`${visible(text)}`.toString();
