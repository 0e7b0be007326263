/**
 * The text form of clang's offload bundles. It holds the texts for each target one after the other, between the comment
 * lines `; __CLANG_OFFLOAD_BUNDLE____START__ ID` and `; __CLANG_OFFLOAD_BUNDLE____END__ ID`. The comment sign is that
 * of the language: `;` for LLVM IR, `#` for assembler and dependency files, `//` for sources.
 */
import { DarmError } from '../../errors.js';
import { checkCount } from './damage.js';
import { imageContent, parseImageId, type OffloadImage } from './image.js';
import type { Replacements } from './layout.js';
import { TEXT_END, TEXT_START, textBundleComment } from './magic.js';

export interface TextBundle {
  readonly format: 'text-bundle';
  readonly bytes: Uint8Array;
  readonly images: readonly OffloadImage[];
}

/** Reads all of `bytes`: there are entries to the end. */
export function readTextBundle(bytes: Uint8Array): TextBundle {
  const damaged = (what: string): DarmError =>
    new DarmError('bad-input', `the text offload bundle is damaged: ${what}`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const comment = textBundleComment(bytes);
  if (comment === null) throw damaged('it does not begin with an entry');
  const images: OffloadImage[] = [];
  let at = 0;
  for (;;) {
    while (buffer[at] === 0x0a) at++;
    if (at === buffer.length) break;
    const idAt = at + comment.length + TEXT_START.length;
    if (buffer.toString('latin1', at, idAt) !== comment + TEXT_START) throw damaged(`no entry begins at byte ${at}`);
    const lineEnd = buffer.indexOf('\n', idAt);
    if (lineEnd < 0) throw damaged('the last entry has no contents');
    const id = buffer.toString('utf8', idAt, lineEnd);
    const end = buffer.indexOf(`\n${comment}${TEXT_END}${id}\n`, lineEnd + 1);
    if (end < 0) throw damaged(`the entry ${id} has no end`);
    const span = { offset: lineEnd + 1, size: end - lineEnd - 1 };
    images.push({ ...parseImageId(id), bytes: bytes.subarray(span.offset, end), span });
    checkCount(images.length, 'the text offload bundle');
    at = end + 1 + comment.length + TEXT_END.length + Buffer.byteLength(id) + 1;
  }
  return { format: 'text-bundle', bytes, images };
}

export function replaceInTextBundle({ bytes, images }: TextBundle, replacements: Replacements): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const [index, { id, span }] of images.entries()) {
    const replacement = replacements.get(index);
    if (replacement === undefined) continue;
    const content = imageContent(replacement);
    if (content !== 'text' && content !== 'empty')
      throw new DarmError('bad-input', `a text bundle holds text only, and the replacement of ${id} is not text`);
    pieces.push(bytes.subarray(at, span.offset), replacement);
    at = span.offset + span.size;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}
