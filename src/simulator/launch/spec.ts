/**
 * Launch specifications: JSON that says which kernels run on what (docs/launch-spec.md). Reading is strict: what the
 * format does not know is an error that names the place, so that a misspelt field never silently does nothing. What
 * only the code object can tell (argument counts, sizes, workgroup limits) is checked when spec and kernel meet, in
 * arguments.ts.
 */
import { DarmError } from '../../errors.js';
import { isBytes } from '../../formats/bytes.js';
import {
  ELEMENT_BYTES,
  isElementType,
  isFiniteIn,
  isFloat,
  putElement,
  rangeOf,
  type ElementType,
} from './elements.js';
import { defaultRange, type Fill } from './fill.js';

export interface BufferSpec {
  /** Null when it takes the name of the argument that it is passed for. */
  readonly name: string | null;
  readonly element: ElementType;
  /** Elements. */
  readonly length: number;
  readonly fill: Fill;
  /** Its contents after the last launch are an output. */
  readonly out: boolean;
}

export type ArgumentSpec =
  /** The address of a buffer. */
  | { readonly kind: 'buffer'; readonly name: string | null; readonly buffer: number; readonly offset: number }
  /** Bytes as they are: a scalar or a struct. */
  | { readonly kind: 'bytes'; readonly name: string | null; readonly bytes: Uint8Array };

export type Dimensions = readonly [x: number, y: number, z: number];

export interface KernelLaunch {
  /** Null for the kernel that the caller asks for, or else the only one of the code object. */
  readonly kernel: string | null;
  /** In workgroups. */
  readonly grid: Dimensions;
  /** In work-items. */
  readonly block: Dimensions;
  /** Bytes of LDS behind those that the kernel declares. */
  readonly dynamicLds: number;
  readonly args: readonly ArgumentSpec[];
}

export interface LaunchSpec {
  readonly buffers: readonly BufferSpec[];
  readonly launches: readonly KernelLaunch[];
}

/** Whether a caller's value has the outline of a spec, as `parseSpec` makes it. */
export function isLaunchSpec(value: unknown): value is LaunchSpec {
  const fieldsOf = (each: unknown): Readonly<Record<string, unknown>> => Object(each) as Record<string, unknown>;
  const areAll = (list: unknown, holds: (each: unknown) => boolean): list is readonly unknown[] =>
    Array.isArray(list) && list.every(holds);
  const { buffers, launches } = fieldsOf(value);
  const isBuffer = (each: unknown): boolean => {
    const { element, length, fill } = fieldsOf(each);
    return isElementType(element) && Number.isSafeInteger(length) && typeof fieldsOf(fill)['kind'] === 'string';
  };
  if (!areAll(buffers, isBuffer)) return false;
  const isSize = (each: unknown): boolean =>
    areAll(each, (size) => Number.isSafeInteger(size) && Number(size) > 0) && each.length === 3;
  const isArgument = (each: unknown): boolean => {
    const { kind, bytes, buffer } = fieldsOf(each);
    return kind === 'bytes' ? isBytes(bytes) : kind === 'buffer' && buffers[Number(buffer)] !== undefined;
  };
  const isLaunch = (each: unknown): boolean => {
    const { grid, block, args } = fieldsOf(each);
    return isSize(grid) && isSize(block) && areAll(args, isArgument);
  };
  return areAll(launches, isLaunch) && launches.length > 0;
}

/** Reads a file that a spec names, relative to the spec. */
export type ReadFile = (name: string) => Uint8Array;

export const MAX_BUFFER_BYTES = 2 ** 30;

/** @throws DarmError `bad-input`, naming the place in the document; `usage` where something else is given */
export function parseSpec(text: string, readFile: ReadFile): LaunchSpec {
  if (typeof text !== 'string' || typeof readFile !== 'function')
    throw new DarmError('usage', 'parseSpec() takes a text and a function that reads files');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new DarmError('bad-input', `the launch spec is no JSON: ${(error as Error).message}`);
  }
  return new SpecReader(readFile).spec(document);
}

type Fields = Readonly<Record<string, unknown>>;

class SpecReader {
  readonly #readFile: ReadFile;
  readonly #buffers: BufferSpec[] = [];
  readonly #shared = new Map<string, number>();

  constructor(readFile: ReadFile) {
    this.#readFile = readFile;
  }

  spec(document: unknown): LaunchSpec {
    const fields = object(document, 'the document');
    if (!('launches' in fields) && !('buffers' in fields)) {
      known(fields, '', ['kernel', 'grid', 'block', 'dynamicLds', 'args']);
      return { launches: [this.#launch(fields, '')], buffers: this.#buffers };
    }
    known(fields, '', ['buffers', 'launches']);
    for (const [name, buffer] of Object.entries(object(fields['buffers'] ?? {}, 'buffers'))) {
      const at = `buffers.${name}`;
      const of = object(buffer, at);
      known(of, at, ['buffer', 'length', 'fill', 'out']);
      this.#shared.set(name, this.#buffer(of, at, name));
    }
    const launches = list(fields['launches'], 'launches');
    if (launches.length === 0) fail('launches', 'must not be empty');
    return {
      launches: launches.map((launch, index) => {
        const at = `launches[${index}]`;
        const of = object(launch, at);
        known(of, at, ['kernel', 'grid', 'block', 'dynamicLds', 'args']);
        return this.#launch(of, `${at}.`);
      }),
      buffers: this.#buffers,
    };
  }

  #launch(fields: Fields, prefix: string): KernelLaunch {
    const block = dimensions(fields['block'], `${prefix}block`);
    const grid = dimensions(fields['grid'], `${prefix}grid`);
    grid.forEach((groups, axis) => {
      if (groups * block[axis]! >= 2 ** 32) fail(`${prefix}grid`, 'has 2^32 work-items or more in one dimension');
    });
    return {
      kernel: fields['kernel'] === undefined ? null : string(fields['kernel'], `${prefix}kernel`),
      grid,
      block,
      dynamicLds: whole(fields['dynamicLds'] ?? 0, `${prefix}dynamicLds`, 0, 2 ** 20),
      args: list(fields['args'] ?? [], `${prefix}args`).map((each, index) =>
        this.#argument(each, `${prefix}args[${index}]`),
      ),
    };
  }

  #argument(value: unknown, at: string): ArgumentSpec {
    const fields = object(value, at);
    const name = fields['name'] === undefined ? null : string(fields['name'], `${at}.name`);
    const kinds = ['buffer', 'scalar', 'bytes', 'use'].filter((kind) => kind in fields);
    if (kinds.length !== 1) fail(at, 'must have exactly one of "buffer", "scalar", "bytes" and "use"');
    switch (kinds[0]) {
      case 'buffer':
        known(fields, at, ['name', 'buffer', 'length', 'fill', 'out']);
        return { kind: 'buffer', name, buffer: this.#buffer(fields, at, name), offset: 0 };
      case 'use': {
        known(fields, at, ['name', 'use', 'offset']);
        const buffer = this.#shared.get(string(fields['use'], `${at}.use`));
        if (buffer === undefined) fail(`${at}.use`, `names no buffer of "buffers": "${String(fields['use'])}"`);
        const bytes = this.#buffers[buffer]!.length * ELEMENT_BYTES[this.#buffers[buffer]!.element];
        return { kind: 'buffer', name, buffer, offset: whole(fields['offset'] ?? 0, `${at}.offset`, 0, bytes) };
      }
      case 'bytes':
        known(fields, at, ['name', 'bytes']);
        return { kind: 'bytes', name, bytes: hexadecimal(fields['bytes'], `${at}.bytes`) };
      default: {
        known(fields, at, ['name', 'scalar', 'value']);
        const type = elementType(fields['scalar'], `${at}.scalar`);
        const bytes = new Uint8Array(ELEMENT_BYTES[type]);
        putElement(new DataView(bytes.buffer), type, 0, number(fields['value'], `${at}.value`, type));
        return { kind: 'bytes', name, bytes };
      }
    }
  }

  #buffer(fields: Fields, at: string, name: string | null): number {
    const element = elementType(fields['buffer'], `${at}.buffer`);
    const size = ELEMENT_BYTES[element];
    const fill = this.#fill(fields['fill'], `${at}.fill`, element);
    if (fields['length'] === undefined && fill.kind !== 'bytes') fail(`${at}.length`, 'is missing');
    const length =
      fields['length'] === undefined && fill.kind === 'bytes'
        ? fill.bytes.length / size
        : whole(fields['length'], `${at}.length`, 0, MAX_BUFFER_BYTES / size);
    if (fill.kind === 'bytes' && fill.bytes.length !== length * size)
      fail(`${at}.fill.file`, `has ${fill.bytes.length} bytes instead of the buffer's ${Math.floor(length) * size}`);
    const { out = false } = fields;
    if (typeof out !== 'boolean') fail(`${at}.out`, 'must be true or false');
    if (!Number.isInteger(length))
      fail(`${at}.fill.file`, `has a size that is no multiple of ${element}'s ${size} bytes`);
    return this.#buffers.push({ name, element, length, fill, out }) - 1;
  }

  #fill(value: unknown, at: string, type: ElementType): Fill {
    if (value === undefined) return { kind: 'value', value: 0 };
    const fields = object(value, at);
    const kinds = ['random', 'iota', 'value', 'file'].filter((kind) => kind in fields);
    if (kinds.length !== 1) fail(at, 'must have exactly one of "random", "iota", "value" and "file"');
    switch (kinds[0]) {
      case 'random': {
        known(fields, at, ['random', 'min', 'max']);
        const seed = whole(fields['random'], `${at}.random`, 0, 2 ** 32 - 1);
        const [least, largest] = defaultRange(type);
        const min = bound(fields['min'] ?? least, `${at}.min`, type);
        const max = bound(fields['max'] ?? largest, `${at}.max`, type);
        if (max < min) fail(at, 'has a "max" below its "min"');
        if (!isFloat(type) && max - min >= 2 ** 53) fail(at, 'spans more than 2^53 integers');
        return { kind: 'random', seed, min, max };
      }
      case 'iota':
        known(fields, at, ['iota']);
        return { kind: 'iota', start: number(fields['iota'], `${at}.iota`, type) };
      case 'value':
        known(fields, at, ['value']);
        return { kind: 'value', value: number(fields['value'], `${at}.value`, type) };
      default:
        known(fields, at, ['file']);
        return { kind: 'bytes', bytes: this.#bytesOf(string(fields['file'], `${at}.file`)) };
    }
  }

  #bytesOf(file: string): Uint8Array {
    const bytes: unknown = this.#readFile(file);
    // What reads files with promises is the wrong function, and not the fault of the document.
    if (!(bytes instanceof Uint8Array)) throw new DarmError('usage', 'the function that reads files must return bytes');
    return bytes;
  }
}

// --- Values of the document ------------------------------------------------------------------------------------------

function fail(at: string, complaint: string): never {
  throw new DarmError('bad-input', `in the launch spec, ${at} ${complaint}`);
}

function object(value: unknown, at: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(at, 'must be an object');
  return value as Fields;
}

function known(fields: Fields, at: string, names: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined)
    fail(at === '' ? `"${unknown}"` : `${at}.${unknown}`, `is no field of the format (${names.join(', ')})`);
  // It would otherwise count as missing: JSON.stringify writes null for numbers that are none.
  const absent = Object.keys(fields).find((name) => fields[name] === null);
  if (absent !== undefined) fail(at === '' ? `"${absent}"` : `${at}.${absent}`, 'must not be null');
}

function list(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) fail(at, 'must be an array');
  return value;
}

function string(value: unknown, at: string): string {
  if (typeof value !== 'string' || value === '') fail(at, 'must be a string that is not empty');
  return value;
}

function whole(value: unknown, at: string, low: number, high: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high)
    fail(at, `must be a whole number from ${low} to ${high}`);
  return value;
}

function dimensions(value: unknown, at: string): Dimensions {
  const sizes = list(value, at);
  if (sizes.length === 0 || sizes.length > 3) fail(at, 'must have one to three numbers');
  const [x, y = 1, z = 1] = sizes.map((size, axis) => whole(size, `${at}[${axis}]`, 1, 2 ** 31 - 1));
  return [x!, y, z];
}

function elementType(value: unknown, at: string): ElementType {
  if (!isElementType(value)) fail(at, `must be one of ${Object.keys(ELEMENT_BYTES).join(', ')}`);
  return value;
}

function hexadecimal(value: unknown, at: string): Uint8Array {
  const text = string(value, at).replace(/[\s_]/g, '');
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) fail(at, 'must be hexadecimal, two digits a byte');
  return Uint8Array.from(text.match(/../g)!, (byte) => Number.parseInt(byte, 16));
}

const FLOAT_NAMES: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, '-inf': -Infinity };

/**
 * A number of an element type. Strings say what JSON numbers cannot: large integers, hexadecimal ones, NaN, infinities.
 */
function number(value: unknown, at: string, type: ElementType): number | bigint {
  if (isFloat(type)) {
    if (typeof value === 'number' && isFiniteIn(type, value)) return value;
    const named = typeof value === 'string' ? FLOAT_NAMES[value.toLowerCase()] : undefined;
    if (named === undefined) fail(at, `must be a number that ${type} holds, "nan", "inf" or "-inf"`);
    return named;
  }
  let exact: bigint | null = null;
  if (typeof value === 'number' && Number.isSafeInteger(value)) exact = BigInt(value);
  if (typeof value === 'string' && /^(-?\d+|0x[0-9a-fA-F]+)$/.test(value)) exact = BigInt(value);
  const [low, high] = rangeOf(type);
  if (exact === null || exact < low || exact > high)
    fail(
      at,
      `must be a whole number from ${low} to ${high}${ELEMENT_BYTES[type] === 8 ? ' (above 2^53 as a string)' : ''}`,
    );
  return ELEMENT_BYTES[type] === 8 ? exact : Number(exact);
}

function bound(value: unknown, at: string, type: ElementType): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) fail(at, 'must be a number');
  if (isFloat(type)) {
    if (!isFiniteIn(type, value)) fail(at, `must be a number that ${type} holds`);
    return value;
  }
  const [low, high] = rangeOf(type);
  if (!Number.isSafeInteger(value) || value < low || value > high)
    fail(at, `must be a whole number that ${type} holds`);
  return value;
}
