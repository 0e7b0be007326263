/**
 * What references are made of. A reference says what a kernel of this folder computes, in exact arithmetic and without
 * anything of the compiler or the simulator: 32-bit integers wrap around, every binary32 operation rounds once.
 *
 * Most kernels here have one shape: a workgroup reads one element per thread, and what it leaves, one element per thread,
 * depends on those, on scalars and on the size of the grid. Their reference is a function of one workgroup's elements.
 */

export type ElementType = 'u32' | 'i32' | 'f32';

export interface ReferenceLaunch {
  /** Contents before the launch, by the argument's name. */
  readonly buffers: Readonly<Record<string, ArrayLike<number>>>;
  readonly scalars: Readonly<Record<string, number>>;
  /** In workgroups. */
  readonly grid: readonly [number, number, number];
  /** In work-items. */
  readonly block: readonly [number, number, number];
}

/** Contents after the launch of the buffers that are outputs, by the argument's name. */
export type ReferenceOutputs = Readonly<Record<string, Uint8Array | Uint32Array | Int32Array | Float32Array>>;

export interface Reference {
  /** Types of the kernel's scalar arguments. */
  readonly scalars: Readonly<Record<string, ElementType>>;
  readonly compute: (launch: ReferenceLaunch) => ReferenceOutputs;
}

/** @returns as many elements as there are threads */
export type WorkgroupReference = (elements: readonly number[], launch: ReferenceLaunch) => readonly number[];

interface Shape {
  /** The buffers; the kernels take (out, in), or sort in place. */
  readonly input?: string;
  readonly output?: string;
  readonly scalars?: Readonly<Record<string, ElementType>>;
}

const ARRAYS = { u32: Uint32Array, i32: Int32Array, f32: Float32Array };

/** The reference of a kernel from that of one workgroup. Grid and block have one dimension. */
export function byWorkgroup(
  type: ElementType,
  workgroup: WorkgroupReference,
  { input = 'in', output = 'out', scalars = {} }: Shape = {},
): Reference {
  return {
    scalars,
    compute(launch) {
      const [groups] = launch.grid;
      const [threads] = launch.block;
      const result = new ARRAYS[type](groups * threads);
      for (let group = 0; group < groups; group++) {
        const elements = Array.from({ length: threads }, (_, tid) => launch.buffers[input]![group * threads + tid]!);
        result.set(workgroup(elements, launch), group * threads);
      }
      return { [output]: result };
    },
  };
}

const threadCount = ({ grid, block }: ReferenceLaunch): number => grid[0] * block[0];

/** The reference of a kernel whose threads each leave one element in every output. Grid and block have one dimension. */
export function perThread<Name extends string>(
  outputs: Readonly<Record<Name, ElementType>>,
  compute: (thread: number, launch: ReferenceLaunch) => Readonly<Record<Name, number>>,
  scalars: Reference['scalars'] = {},
): Reference {
  return {
    scalars,
    compute(launch) {
      const results = Array.from({ length: threadCount(launch) }, (_, thread) => compute(thread, launch));
      return Object.fromEntries(
        (Object.entries(outputs) as [Name, ElementType][]).map(([name, type]) => [
          name,
          new ARRAYS[type](results.map((result) => result[name])),
        ]),
      );
    },
  };
}

/** The reference of a kernel whose threads each leave some bytes in `room` bytes of `out`, and in `lengths` how many. */
export function chunks(
  compute: (thread: number, launch: ReferenceLaunch) => readonly number[],
  scalars: Reference['scalars'],
): Reference {
  return {
    scalars,
    compute(launch) {
      const room = launch.scalars['room']!;
      const results = Array.from({ length: threadCount(launch) }, (_, thread) => compute(thread, launch));
      const out = new Uint8Array(results.length * room);
      results.forEach((bytes, thread) => out.set(bytes, thread * room));
      return { out, lengths: Uint32Array.from(results, ({ length }) => length) };
    },
  };
}

/** References of one kernel's block sizes, by the kernels' names. */
export const bySize = <Size extends number | string>(
  name: string,
  sizes: readonly Size[],
  reference: (size: Size) => Reference,
): Readonly<Record<string, Reference>> => Object.fromEntries(sizes.map((size) => [`${name}_${size}`, reference(size)]));

/**
 * A number modulo 2^32. Sums and products with small constants are exact before it is applied (below 2^53); other products
 * need `Math.imul`.
 */
export const u32 = (value: number): number => value >>> 0;

/** A number rounded to binary32: one operation on two such numbers in binary64, then this, rounds correctly. */
export const f32 = Math.fround;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => u32(total + value), 0);
