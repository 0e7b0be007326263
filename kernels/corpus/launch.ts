/** What a kernel of the corpus is launched with: shorthand from which a launch specification is made. */
import type { ElementType } from '../../src/simulator/launch/elements.js';
import { putElement, ELEMENT_BYTES } from '../../src/simulator/launch/elements.js';
import type { ArgumentSpec, BufferSpec, Dimensions, LaunchSpec } from '../../src/simulator/launch/spec.js';

export type Elements =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array;

/** A buffer that is compared afterwards; `contents` is what it holds before. */
export interface Output {
  readonly contents: Elements;
}
export interface Scalar {
  readonly type: ElementType;
  readonly value: number;
}

/** An input buffer, an output buffer, or a value. */
export type Argument = Elements | Output | Scalar;

/** A launch of one kernel: sizes as in a launch specification. */
export interface CorpusLaunch {
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly args: readonly Argument[];
  /** Bytes of LDS that an argument of OpenCL's local memory points to; left out: 0. */
  readonly dynamicLds?: number;
}

/** At least `threads` threads in blocks of `block`, as the host code of most programs has it. */
export const line = (threads: number, block: number, ...args: readonly Argument[]): CorpusLaunch => ({
  grid: [Math.ceil(threads / block)],
  block: [block],
  args,
});

/** At least `width` × `height` threads in blocks of `block` × `rows`. */
export const plane = (
  [width, height]: readonly [number, number],
  [block, rows]: readonly [number, number],
  ...args: readonly Argument[]
): CorpusLaunch => ({ grid: [Math.ceil(width / block), Math.ceil(height / rows)], block: [block, rows], args });

/** `groups` blocks of `block` threads. */
export const groups = (count: number, block: number, ...args: readonly Argument[]): CorpusLaunch => ({
  grid: [count],
  block: [block],
  args,
});

export const i32 = (value: number): Scalar => ({ type: 'i32', value });
export const u32 = (value: number): Scalar => ({ type: 'u32', value });
export const f32 = (value: number): Scalar => ({ type: 'f32', value });

/** Output buffers that are zero before the launch. */
export const out = {
  u8: (length: number): Output => ({ contents: new Uint8Array(length) }),
  u16: (length: number): Output => ({ contents: new Uint16Array(length) }),
  i16: (length: number): Output => ({ contents: new Int16Array(length) }),
  u32: (length: number): Output => ({ contents: new Uint32Array(length) }),
  i32: (length: number): Output => ({ contents: new Int32Array(length) }),
  f32: (length: number): Output => ({ contents: new Float32Array(length) }),
  f64: (length: number): Output => ({ contents: new Float64Array(length) }),
  u64: (length: number): Output => ({ contents: new BigUint64Array(length) }),
} as const;

/** A buffer that the kernel changes. */
export const inOut = (contents: Elements): Output => ({ contents });

const ELEMENT_TYPES: readonly (readonly [new (length: number) => Elements, ElementType])[] = [
  [Uint8Array, 'u8'],
  [Int8Array, 'i8'],
  [Uint16Array, 'u16'],
  [Int16Array, 'i16'],
  [Uint32Array, 'u32'],
  [Int32Array, 'i32'],
  [Float32Array, 'f32'],
  [Float64Array, 'f64'],
  [BigUint64Array, 'u64'],
];
const elementOf = (contents: Elements): ElementType =>
  ELEMENT_TYPES.find(([constructor]) => contents instanceof constructor)![1];

export function launchSpec(kernel: string, { grid, block, args, dynamicLds = 0 }: CorpusLaunch): LaunchSpec {
  const buffers: BufferSpec[] = [];
  const given = args.map((argument): ArgumentSpec => {
    if ('type' in argument) return { kind: 'bytes', name: null, bytes: scalarBytes(argument) };
    const isOut = 'contents' in argument;
    const contents = isOut ? argument.contents : argument;
    const bytes = new Uint8Array(contents.buffer, contents.byteOffset, contents.byteLength);
    const { length } = contents;
    buffers.push({ name: null, element: elementOf(contents), length, fill: { kind: 'bytes', bytes }, out: isOut });
    return { kind: 'buffer', name: null, buffer: buffers.length - 1, offset: 0 };
  });
  return {
    buffers,
    launches: [{ kernel, grid: dimensions(grid), block: dimensions(block), dynamicLds, args: given }],
  };
}

const dimensions = ([x = 1, y = 1, z = 1]: readonly number[]): Dimensions => [x, y, z];

function scalarBytes({ type, value }: Scalar): Uint8Array {
  const bytes = new Uint8Array(ELEMENT_BYTES[type]);
  putElement(new DataView(bytes.buffer), type, 0, value);
  return bytes;
}

/** The specification of one launch as a document, and the files that it names. */
export function specDocument(
  kernel: string,
  { launches, buffers }: LaunchSpec,
): { readonly document: object; readonly files: ReadonlyMap<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  const { grid, block, dynamicLds, args } = launches[0]!;
  const written = args.map((argument, index) => {
    if (argument.kind === 'bytes') return { bytes: Buffer.from(argument.bytes).toString('hex') };
    const { element, length, fill, out } = buffers[argument.buffer]!;
    if (fill.kind !== 'bytes') throw new Error('every buffer of the corpus has its contents');
    const about = { buffer: element, length, ...(out ? { out } : {}) };
    if (fill.bytes.every((byte) => byte === 0)) return about;
    const file = `${kernel}.${index}.bin`;
    files.set(file, fill.bytes);
    return { ...about, fill: { file } };
  });
  return { document: { kernel, grid, block, dynamicLds, args: written }, files };
}
