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

/** Whether a body divides floats and need not round the results correctly. */
export const hasRoughDivision = (body: string): boolean => / = fdiv [^\n]*, !fpmath !/.test(body);

/** A compare of floats with a constant, or with anything else. */
export interface FloatCompare {
  /** `CmpInst::Predicate`. */
  readonly predicate: number;
  /** The second operand; NaN if it is no constant, or one that is not read here. */
  readonly bound: number;
}

/** The compares of floats in a body, in order. */
export const floatCompares = (body: string): FloatCompare[] =>
  [...body.matchAll(FLOAT_COMPARE)].map(([, predicate, type, operands]) => ({
    predicate: FLOAT_PREDICATES.indexOf(predicate!),
    bound: floatOf(type!, SECOND.exec(operands!)?.[1] ?? ''),
  }));

/** The names of the intrinsics that a body calls, with their types and without `llvm.`, in order. */
export const calledIntrinsics = (body: string): string[] =>
  [...body.matchAll(CALL_OF_INTRINSIC)].map(([, name]) => name!);

const CALL_OF_INTRINSIC = /^ +(?:%(?:"[^"\n]*"|[-\w$.]+) = )?(?:\w+ )?call [^@"\n]*@llvm\.([\w.]+)\(/gm;

/** By LLVM's numbers. */
const FLOAT_PREDICATES = 'false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true'.split(' ');
/** Flags, the predicate, the type and the operands. */
const FLOAT_COMPARE = new RegExp(
  `^ +%(?:"[^"\\n]*"|[-\\w$.]+) = fcmp (?:[a-z]+ ){0,9}?(${FLOAT_PREDICATES.join('|')}) (\\S+) (.*)$`,
  'gm',
);
const SECOND = /^(?:%"[^"]*"|[^\s,]+), ([^\s,]+)/;

/** A constant as LLVM prints it: in decimals, or as the bits of what they do not give back. */
function floatOf(type: string, text: string): number {
  if (/^[-+]?(\d[\d.e+-]*|inf)$/.test(text)) return Number(text.replace('inf', 'Infinity'));
  const bits = /^f0x([0-9A-F]+)$/.exec(text)?.[1];
  if (bits === undefined || (type !== 'float' && type !== 'double')) return NaN;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits.padEnd(16, '0')}`));
  return type === 'float' ? view.getFloat32(0) : view.getFloat64(0);
}

export interface PrintedSwitch {
  /** In the order in which the cases stand; conditions (`i1`) are 0 and 1. */
  readonly values: readonly bigint[];
  /** The least number that the condition may be, and the first that it is not any more; null if that is not said. */
  readonly range: readonly [bigint, bigint] | null;
  /** Whether metadata say how often it goes where. */
  readonly isWeighed: boolean;
}

/** The switches in a body, in order. */
export function printedSwitches(body: string): PrintedSwitch[] {
  const found = [...body.matchAll(SWITCH)];
  if (found.length === 0) return [];
  const ranges = new Map([...body.matchAll(RANGE)].map(([, name, from, to]) => [name, [BigInt(from!), BigInt(to!)]]));
  return found.map(({ 0: head, 1: condition, index }) => ({
    ...casesFrom(body, index + head.length + 1),
    range: (ranges.get(condition) as [bigint, bigint] | undefined) ?? null,
  }));
}

/** The values of the lines from `at` on that are cases, and what is said behind. There may be millions of them. */
function casesFrom(body: string, at: number): Pick<PrintedSwitch, 'values' | 'isWeighed'> {
  const values: bigint[] = [];
  for (let start = at, end; (end = body.indexOf('\n', start)) >= 0; start = end + 1) {
    const line = body.slice(start, end);
    const value = CASE.exec(line)?.[1];
    if (value === undefined) return { values, isWeighed: /^ *\].*, !prof !/.test(line) };
    values.push(BigInt({ true: 1, false: 0 }[value] ?? value));
  }
  return { values, isWeighed: false };
}

/** The first line, and the condition; where that is a constant, it is cut off. */
const SWITCH = /^ +switch i\d+ (%"[^"\n]*"|[^\s,]+).*$/gm;
const CASE = /^ +i\d+ (true|false|-?\d+), label /;
/** What is said of the result of a call. */
const RANGE = /^ +(%"[^"\n]*"|[^\s="]+) = (?:[a-z]+ )?call (?:[\w()]+ ){0,16}?range\(i\d+ (-?\d+), (-?\d+)\) /gm;

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
