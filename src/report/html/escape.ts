/**
 * Text for HTML and for Graphviz's HTML-like labels. Names in IR may hold anything: what is no plain character (controls, and what
 * turns the direction of writing or takes no room) is shown as its number, so that no name can look like another or end a document early.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** With a number for each character that cannot be seen; `keep` says which may stay. */
export function visible(text: string, keep = ''): string {
  return text.replace(INVISIBLE, (char) =>
    keep.includes(char) ? char : `\\u{${char.codePointAt(0)!.toString(16).padStart(2, '0')}}`,
  );
}

/** For text and for attribute values between quotes. Line ends stay. */
export const escaped = (text: string): string => visible(text, '\n').replace(/[&<>"']/g, (char) => ENTITIES[char]!);
