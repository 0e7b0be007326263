/** Reference of tokenizer.hip: finds the tokens of a line with a regular expression. */
import { perThread, u32 } from '../reference.js';

const TOKEN =
  /(?<word>[A-Za-z_][A-Za-z_0-9]*)|(?<number>\d+)|"(?<string>(?:[^"\\]|\\[^])*)(?<close>"?)|(?<comment>#[^\n]*)(?<newline>\n?)|(?<mark>[!-~])/gs;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

const codes = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const hash = (bytes: readonly number[]): number => bytes.reduce((value, byte) => u32(Math.imul(value, 33) ^ byte), 0);

export const tokenizer = perThread(
  { counts: 'u32', digests: 'u32' },
  (thread, { buffers: { text }, scalars: { length } }) => {
    const line = String.fromCharCode(...Array.from(text!).slice(thread * length!, (thread + 1) * length!));
    const kinds = [0, 0, 0, 0];
    let digest = 0;
    let state = 0; // of the kernel's state machine at the end of the line, where the last token may be unfinished
    for (const match of line.matchAll(TOKEN)) {
      const groups = match.groups!;
      const atEnd = match.index + match[0].length === line.length;
      const found = (kind: number, value: number): void => {
        kinds[kind]!++;
        digest = u32(Math.imul(digest, 31) + value);
      };
      if (groups['word'] !== undefined) {
        if (atEnd) state = 1;
        else found(0, hash(codes(groups['word'])));
      } else if (groups['number'] !== undefined) {
        if (atEnd) state = 2;
        else
          found(
            1,
            codes(groups['number']).reduce((value, digit) => u32(Math.imul(value, 10) + digit - 48), 0),
          );
      } else if (groups['string'] !== undefined) {
        if (groups['close'] === '"')
          found(
            2,
            hash(codes(groups['string'].replace(/\\([^])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped))),
          );
        else if (atEnd) state = 3;
        else {
          state = 4; // a backslash is the last byte
          break;
        }
      } else if (groups['comment'] !== undefined) {
        if (groups['newline'] === '') state = 5;
      } else {
        found(3, groups['mark']!.charCodeAt(0));
      }
    }
    return {
      counts: kinds.reduce((packed, count, kind) => u32(packed + (count << (8 * kind))), 0),
      digests: u32(digest + state),
    };
  },
  { length: 'u32' },
);
