/**
 * Names and messages may hold anything, for instance the control sequences of terminals. No name may look like another
 * one, end a document early, or act on a terminal.
 */

/** Controls but the line feed, lone surrogates, and what changes the direction of text or has no width. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

const numbered = (char: string): string => `\\u{${char.codePointAt(0)!.toString(16).padStart(2, '0')}}`;

/** Replaces each character that cannot be seen by its number; line ends stay. */
export const visible = (text: string): string => text.replace(INVISIBLE, numbered);

/** The same for what is to stay on one line: line ends are replaced, too. */
export const visibleLine = (text: string): string => visible(text).replaceAll('\n', numbered);
