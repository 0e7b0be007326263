/** Machine code and IR as rows that know where they come from. */
import { DebugLines } from '../formats/debug-lines.js';
import type { Listing, ListingRow } from './protocol.js';

/** More rows than a reader or a page can do with. */
const MOST_ROWS = 30_000;

/** Lines of the source by function and name of the block. */
export type BlockLines = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

const NONE: readonly number[] = [];

class Rows {
  readonly rows: ListingRow[] = [];
  omitted = 0;
  function = '';
  block: string | null = null;
  position = 0;

  constructor(private readonly blocks: BlockLines) {}

  begin(name: string): void {
    this.function = name;
    this.block = null;
    this.position = 0;
  }

  get ofBlock(): readonly number[] {
    return (this.block === null ? undefined : this.blocks.get(this.function)?.get(this.block)) ?? NONE;
  }

  add(kind: ListingRow['kind'], text: string, lines: readonly number[]): void {
    const position = kind === 'instruction' ? this.position++ : -1;
    if (this.rows.length === MOST_ROWS) this.omitted++;
    else this.rows.push({ kind, text, lines, function: this.function, block: this.block, position });
  }

  get listing(): Listing {
    return { rows: this.rows, omitted: this.omitted };
  }
}

/**
 * The functions of an assembly text without directives. This relies on the way LLVM prints it: `.loc` in front of the
 * instructions of a line, with the place as a comment, and the name of a block's IR block as a comment.
 *
 * @param file the source's name in debug information; null without
 */
export function machineListing(assembly: string, file: string | null, blocks: BlockLines): Listing {
  const rows = new Rows(blocks);
  let isInside = false;
  let line = 0;
  for (const text of assembly.split('\n')) {
    const begun = /^("?)([^\s"]+)\1:.*; @/.exec(text);
    if (begun !== null) {
      isInside = true;
      line = 0;
      rows.begin(begun[2]!);
      rows.add('function', `${begun[2]!}:`, NONE);
    } else if (/^\.Lfunc_end\d+:/.test(text)) {
      isInside = false;
    } else if (isInside && /^(\.LBB\d|; %bb\.)/.test(text)) {
      rows.block = /; (%\S+)\s*$/.exec(text.replace(/^; %bb\.\d+:/, ''))?.[1] ?? null;
      rows.add('label', text.replace(/\s+;/, '  ;'), rows.ofBlock);
    } else if (isInside && text.startsWith('\t')) {
      const code = text.slice(1);
      if (code.startsWith('.loc\t')) line = lineOf(code, file);
      else if (/^[a-z]/.test(code))
        rows.add('instruction', code.replaceAll('\t', ' '), line === 0 ? rows.ofBlock : [line]);
    }
  }
  return rows.listing;
}

/** The innermost place in the source: the others are in headers. */
function lineOf(directive: string, file: string | null): number {
  const comment = directive.slice(directive.indexOf(';') + 1);
  for (const place of comment.split(' @[ ')) {
    const [, name, line] = /^\s*(.*?):(\d+)(?::\d+)?[\s\]]*$/.exec(place) ?? [];
    if (name !== undefined && name === file && line !== '0') return Number(line);
  }
  return 0;
}

/** The functions of a module's text, without what is attached to instructions for debuggers. */
export function irListing(module: string, blocks: BlockLines): Listing {
  const rows = new Rows(blocks);
  const lines = new DebugLines(module);
  let isInside = false;
  for (const text of module.split('\n')) {
    if (text.startsWith('define ')) {
      isInside = true;
      const [, quoted, plain] = /@(?:"([^"]*)"|([-\w.$]+))/.exec(text) ?? [];
      rows.begin(quoted ?? plain ?? '');
      rows.add('function', withoutDebug(text), NONE);
    } else if (!isInside || text === '' || text.trimStart().startsWith('#dbg_')) {
      continue;
    } else if (text === '}') {
      isInside = false;
      rows.add('note', text, NONE);
    } else if (text.startsWith(' ')) {
      const line = lines.lineOf(text);
      const isContinued = /^\s{3,}|^\s+\]/.test(text);
      rows.add(isContinued ? 'note' : 'instruction', withoutDebug(text), line === 0 ? rows.ofBlock : [line]);
    } else {
      const name = /^(?:"([^"]*)"|([-\w.$]+)):/.exec(text);
      rows.block = name === null ? rows.block : `%${name[1] ?? name[2]!}`;
      rows.add('label', text.replace(/\s+;.*/, ''), rows.ofBlock);
    }
  }
  return rows.listing;
}

const withoutDebug = (text: string): string => text.replace(/,? !dbg !\d+/, '');
