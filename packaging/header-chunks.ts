/**
 * Divides a header of HIP or clang into what could be left out of it, function by function, and everything else.
 *
 * It is no parser of C++: what it does not know for the declaration or definition of functions stays in the header. A
 * chunk is left out only together with all other chunks that may declare the same name, and only where nothing that is
 * read has that name (src/frontend/lean.ts).
 */

/** A piece of a header. */
export interface Chunk {
  /** Bytes, without the end. Comments in front of it belong to it. */
  readonly from: number;
  readonly to: number;
  /** Functions that it may declare. Null where it has to stay. */
  readonly names: readonly string[] | null;
  /** The macro that it defines. */
  readonly macro: string | null;
  /** All identifiers in it. */
  readonly words: ReadonlySet<string>;
}

interface Token {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly isDirective: boolean;
}

interface Macro {
  readonly name: string;
  /** Null where it takes none. */
  readonly parameters: readonly string[] | null;
  readonly body: string;
}

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\d[\w.]*|::|##|^[ \t]*#(?:\\\n|\/\*[^]*?\*\/|[^\n])*|[^\s]/gm;
export const WORD = /[A-Za-z_]\w*/g;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//g;

/** Words in front of a parenthesis that are no functions. */
const SYNTAX = new Set(
  '__attribute__ sizeof decltype noexcept alignas __asm__ asm static_assert __declspec void'.split(' '),
);
/** What a declaration begins with that stays. */
const OTHERS = new Set('typedef using struct class union enum static_assert namespace friend'.split(' '));
const TYPES = new Set('typedef struct class union enum'.split(' '));

export const wordsOf = (text: string): string[] => text.replace(COMMENT, ' ').match(WORD) ?? [];

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: found, index } of text.matchAll(TOKEN)) {
    if (found.startsWith('//') || found.startsWith('/*')) continue;
    const isDirective = /^[ \t]*#(?!#)/.test(found) && (index === 0 || text[index - 1] === '\n');
    tokens.push({ text: found, from: index, to: index + found.length, isDirective });
  }
  return tokens;
}

function macroOf(directive: string): Macro | null {
  const found = /^\s*#\s*define\s+(\w+)(?:\(([^)]*)\))?([^]*)$/.exec(directive);
  if (found === null) return null;
  const [, name, parameters, body] = found;
  return {
    name: name!,
    parameters: parameters === undefined ? null : parameters.split(',').map((each) => each.trim()),
    body: body!.replace(/\\\n/g, '\n').replace(COMMENT, ' '),
  };
}

/** What a call of the macro becomes, as far as arguments and `##` go. */
function expanded({ parameters, body }: Macro, given: readonly string[]): string {
  const byName = new Map(parameters!.map((name, index) => [name, given[index] ?? '']));
  return body.replace(WORD, (word) => byName.get(word) ?? word).replace(/\s*##\s*/g, '');
}

/** Without `template <…>` in front. */
function behindTemplates(words: readonly string[]): readonly string[] {
  let at = 0;
  while (words[at] === 'template') {
    let depth = 0;
    let parentheses = 0;
    for (at++; at < words.length; at++) {
      if (words[at] === '(') parentheses++;
      else if (words[at] === ')') parentheses--;
      else if (parentheses > 0) continue;
      else if (words[at] === '<') depth++;
      else if (words[at] === '>' && --depth === 0) break;
    }
    at++;
  }
  return words.slice(at);
}

/** The identifiers in front of a parenthesis, outside of bodies: the function is among them. */
function candidates(words: readonly string[]): string[] {
  const names = new Set<string>();
  let depth = 0;
  words.forEach((word, index) => {
    if (word === '{') depth++;
    else if (word === '}') depth--;
    if (word !== '(' || depth > 0) return;
    let at = index - 1;
    if (words[at] === '>') at = beforeArguments(words, at);
    const name = words[at] ?? '';
    if (/^[A-Za-z_]/.test(name) && !SYNTAX.has(name)) names.add(name);
  });
  return [...names];
}

/** @param end where arguments of a template end */
function beforeArguments(words: readonly string[], end: number): number {
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (words[at] === '>') depth++;
    else if (words[at] === '<' && --depth === 0) return at - 1;
  }
  return -1;
}

/** Whether every `#if` ends inside, and nothing is defined. */
function areDirectivesClosed(directives: readonly string[]): boolean {
  let depth = 0;
  for (const directive of directives) {
    const [, word] = /#\s*(\w*)/.exec(directive)!;
    if (/^if/.test(word!)) depth++;
    else if (word === 'endif') depth--;
    else if (!/^(else|elif)/.test(word!) || depth === 0) return false;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function functionsOf(tokens: readonly Token[]): readonly string[] | null {
  if (!areDirectivesClosed(tokens.filter((token) => token.isDirective).map((token) => token.text))) return null;
  const words = tokens.filter((token) => !token.isDirective).map((token) => token.text);
  if (words.length === 4 && words[0] === 'using' && words[1] === '::') return [words[2]!];
  const rest = behindTemplates(words);
  const body = rest.indexOf('{');
  const head = body < 0 ? rest : rest.slice(0, body);
  if (OTHERS.has(head[0]!) || head.includes('operator')) return null;
  let depth = 0;
  for (const [index, word] of head.entries()) {
    if (word === '(') depth++;
    else if (word === ')') depth--;
    // A variable with a value, and a member of a class.
    if ((word === '=' && depth === 0) || (word === '(' && head[index - 2] === '::')) return null;
  }
  const names = candidates(words);
  return names.length > 0 ? names : null;
}

/** @param text one character for each byte */
export function chunksOf(text: string): Chunk[] {
  const tokens = tokensOf(text);
  const macros = new Map<string, Macro>();
  for (const token of tokens) {
    const macro = token.isDirective ? macroOf(token.text) : null;
    if (macro) macros.set(macro.name, macro);
  }
  const chunks: Chunk[] = [];
  let behind = 0;
  const add = (
    to: number,
    names: readonly string[] | null,
    words: Iterable<string>,
    macro: string | null = null,
  ): void => {
    chunks.push({ from: behind, to, names, macro, words: new Set(words) });
    behind = to;
  };
  const wordsIn = (some: readonly Token[]): string[] =>
    some.flatMap(({ text: all, isDirective }) =>
      isDirective ? wordsOf(all.replace(/^\s*#\s*\w+/, '')) : /^[A-Za-z_]/.test(all) ? [all] : [],
    );

  let current: Token[] = [];
  let braces = 0;
  let parentheses = 0;
  const close = (isFunction: boolean): void => {
    if (current.length > 0) add(current.at(-1)!.to, isFunction ? functionsOf(current) : null, wordsIn(current));
    current = [];
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.isDirective) {
      current.push(token);
      if (current.length > 1) continue;
      const macro = macroOf(token.text);
      if (macro) add(token.to, null, macro.body.match(WORD) ?? [], macro.name);
      else add(token.to, null, /#\s*(if|elif)/.test(token.text) ? wordsIn([token]) : []);
      current = [];
      continue;
    }
    if (current.length === 0) {
      const call = macroCall(text, tokens, at, macros);
      if (call !== null) {
        const words = tokensOf(call.becomes).map((each) => each.text);
        const names = [...new Set([...candidates(behindTemplates(words)), ...candidates(words)])];
        at = call.last;
        add(tokens[at]!.to, names.length > 0 ? names : null, [...(call.becomes.match(WORD) ?? []), token.text]);
        continue;
      }
    }
    current.push(token);
    if (current.length === 1 && (token.text === '}' || token.text === ';' || isAlone(text, token))) {
      close(false);
      continue;
    }
    if (token.text === '(' || token.text === '[') parentheses++;
    else if (token.text === ')' || token.text === ']') parentheses--;
    if (parentheses > 0) continue;
    if (token.text === '{') {
      if (
        braces === 0 &&
        /^(extern "C(\+\+)?"|(inline )?namespace( \w+)?) \{$/.test(current.map((each) => each.text).join(' '))
      )
        close(false);
      else braces++;
    } else if (token.text === '}' && --braces === 0) {
      const words = behindTemplates(current.filter((each) => !each.isDirective).map((each) => each.text));
      if (!TYPES.has(words[0]!) && tokens[at + 1]?.text !== ';') close(true);
    } else if (token.text === ';' && braces === 0) close(true);
  }
  close(false);
  return chunks;
}

/** A macro of the libraries that opens or closes a namespace. */
const isAlone = (text: string, { text: word, from, to }: Token): boolean =>
  /_(BEGIN|END)_NAMESPACE_/.test(word) &&
  /(^|\n)[ \t]*$/.test(text.slice(Math.max(0, from - 200), from)) &&
  /^[ \t]*(\/\/[^\n]*|\/\*[^]*?\*\/)?[ \t]*(\n|$)/.test(text.slice(to, to + 200));

/** A call of a macro that becomes whole declarations, which needs no semicolon. */
function macroCall(
  text: string,
  tokens: readonly Token[],
  at: number,
  macros: ReadonlyMap<string, Macro>,
): { readonly becomes: string; readonly last: number } | null {
  const macro = macros.get(tokens[at]!.text);
  if (!macro?.parameters || tokens[at + 1]?.text !== '(' || !/[;}]\s*$/.test(macro.body)) return null;
  let depth = 0;
  for (let last = at + 1; last < tokens.length; last++) {
    if (tokens[last]!.text === '(') depth++;
    else if (tokens[last]!.text === ')' && --depth === 0) {
      const given = text.slice(tokens[at + 1]!.to, tokens[last]!.from).split(',');
      const becomes = expanded(
        macro,
        given.map((each) => each.trim()),
      );
      return { becomes, last: tokens[last + 1]?.text === ';' ? last + 1 : last };
    }
  }
  return null;
}
