/**
 * Remarks as text, in LLVM's YAML format for optimisation remarks (`clang -fsave-optimization-record`): a stream of
 * documents that opt-viewer and llvm-remarkutil read. docs/remarks.md describes it.
 *
 * LLVM's reader takes scalars as they stand between single quotes, so text is never folded and never in double quotes
 * unless it holds control characters.
 */
import { Document, Scalar, YAMLMap } from 'yaml';
import type { Remark } from '../../job/remarks.js';
import { writtenRemark } from '../remark-text.js';

/** In front of a name it tells code generation to take the name as it is; it is no part of it. */
const MANGLING_ESCAPE = '\u0001';

/** All remarks, as the text of a YAML file. */
export function remarksText(remarks: readonly Remark[]): string {
  return remarks.map(documentText).join('');
}

function documentText(remark: Remark): string {
  const { tag, name, pieces } = writtenRemark(remark);
  const map = new YAMLMap<string, unknown>();
  map.set('Pass', 'darm');
  map.set('Name', name);
  if (remark.location !== null) {
    const { file, line, column } = remark.location;
    const place = new YAMLMap<string, unknown>();
    place.flow = true;
    place.set('File', quoted(file));
    place.set('Line', line);
    place.set('Column', column);
    map.set('DebugLoc', place);
  }
  map.set('Function', text(functionName(remark.function)));
  map.set(
    'Args',
    pieces.map(([key, value]) => ({ [key]: quoted(value) })),
  );
  const body = new Document(map).toString({ singleQuote: true, lineWidth: 0, indentSeq: true });
  return `--- !${tag}\n${body}...\n`;
}

const functionName = (name: string): string => (name.startsWith(MANGLING_ESCAPE) ? name.slice(1) : name);

function quoted(value: string): Scalar {
  const scalar = new Scalar(value);
  scalar.type = Scalar.QUOTE_SINGLE;
  return scalar;
}

/** Plain where that reads back as the same text. */
const text = (value: string): Scalar | string => (/^[A-Za-z_][\w.$]*$/.test(value) ? value : quoted(value));
