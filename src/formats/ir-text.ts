/**
 * Takes the instructions of functions out of a module's text. This relies on the way LLVM prints modules: a function
 * extends from `define` to `}`, labels are in the first column, and instructions are indented by two spaces. Lines with
 * a deeper indentation (the cases of a `switch`, the destinations of an `invoke`) continue an instruction. Debug
 * records (`#dbg_value`) are not instructions.
 */

/** Bodies of the functions that have one, in module order, without the lines of `define` and `}`. */
export function functionBodies(module: string): string[] {
  const bodies: string[] = [];
  for (let at = module.startsWith('define ') ? 0 : next(module, 0); at >= 0; at = next(module, at)) {
    const start = module.indexOf('\n', at) + 1;
    const end = module.indexOf('\n}', start - 1) + 1;
    bodies.push(module.slice(start, end));
    at = end;
  }
  return bodies;
}

function next(module: string, from: number): number {
  const found = module.indexOf('\ndefine ', from);
  return found < 0 ? found : found + 1;
}

/** Instructions of a body, block by block. The lines of one instruction stay separate, without their indentation. */
export function instructionTexts(body: string): string[][] {
  const blocks: string[][] = [[]];
  for (const line of body.split('\n')) {
    const text = line.trimStart();
    const indentation = line.length - text.length;
    if (text === '' || text.startsWith('#dbg_') || text.startsWith('; ')) continue;
    if (indentation === 0) {
      // LLVM may leave out the label of the entry block.
      if (blocks.length > 1 || blocks[0]!.length > 0 || !isFirstLabel(body, line)) blocks.push([]);
      continue;
    }
    const block = blocks.at(-1)!;
    if (indentation > 2 || text.startsWith(']')) block.push(`${block.pop() ?? ''}\n${text}`);
    else block.push(text);
  }
  return blocks;
}

/** Whether metadata says of anything in a body how often it is so. */
export const hasWeights = (body: string): boolean => body.includes(', !prof !');

/** Whether a body holds a `switch` of which metadata says how often it goes where. */
export const hasWeighedSwitch = (body: string): boolean => /^ {2}\].*, !prof !/m.test(body);

/** Whether a body divides floats and need not round the results correctly. */
export const hasRoughDivision = (body: string): boolean =>
  body.split('\n').some((line) => line.includes(' = fdiv ') && line.includes(', !fpmath !'));

/**
 * Sizes of a module's variables in LDS, in bytes, by name with `@`. Infinity: of a type that the text names only, or as
 * large as the launch says.
 */
export function ldsVariables(module: string): ReadonlyMap<string, number> {
  const found = module.matchAll(
    /^(@"[^"\n]*"|@[\w$.-]+) = (?:[a-z_]+(?:\([a-z]+\))? )*addrspace\(3\) (?:externally_initialized )?global (.*)$/gm,
  );
  return new Map([...found].map(([, name, type]) => [name!, bytesOf(type!) || Infinity]));
}

/** Bytes of a type of numbers at the beginning of a text; NaN for other types. */
function bytesOf(text: string): number {
  const [, count, element] = /^[[<](\d+) x (.*)/.exec(text) ?? [];
  if (element !== undefined) return Number(count) * bytesOf(element);
  const [, bits, float] = /^(?:i(\d+)|(half|bfloat|float|double))\b/.exec(text) ?? [];
  if (bits !== undefined) return Math.ceil(Number(bits) / 8);
  return { half: 2, bfloat: 2, float: 4, double: 8 }[float ?? ''] ?? NaN;
}

/** The names of globals in a body, with `@`. What only debug records name does not count: `-g` changes no code. */
export const globalsIn = (body: string): ReadonlySet<string> =>
  new Set(body.replace(/^ +#dbg_.*$/gm, '').match(/@"[^"\n]*"|@[\w$.-]+/g));

const isFirstLabel = (body: string, line: string): boolean => body.trimStart().startsWith(line);
