/**
 * The parts that references are made of. A reference computes the outputs of a kernel in `kernels/` without the
 * compiler and the simulator. Its arithmetic is exact: 32-bit integers wrap around, and each binary32 operation is
 * rounded once.
 *
 * Most kernels have the same form: a workgroup reads one element per thread and writes one element per thread, which
 * depends on the elements that it read, on scalars and on the size of the grid. The reference of such a kernel is a
 * function of one workgroup's elements.
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
  /** Names of the two buffers, by default `in` and `out`. They are the same for a kernel that works in place. */
  readonly input?: string;
  readonly output?: string;
  readonly scalars?: Readonly<Record<string, ElementType>>;
}

const ARRAYS = { u32: Uint32Array, i32: Int32Array, f32: Float32Array };

/** Makes the reference of a kernel from that of one workgroup. Grid and block have one dimension. */
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

/**
 * The reference of a kernel in which each thread writes one element of every output. Grid and block have one dimension.
 */
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

/**
 * The reference of a kernel in which each thread has `room` bytes of `out`, and writes to `lengths` how many it used.
 */
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

/** The references of one kernel at several block sizes, by the kernels' names. */
export const bySize = <Size extends number | string>(
  name: string,
  sizes: readonly Size[],
  reference: (size: Size) => Reference,
): Readonly<Record<string, Reference>> => Object.fromEntries(sizes.map((size) => [`${name}_${size}`, reference(size)]));

/**
 * A number modulo 2^32. Sums and products with small constants are exact (below 2^53); other products need `Math.imul`.
 */
export const u32 = (value: number): number => value >>> 0;

/**
 * Rounds to binary32. After one operation in binary64 on two binary32 numbers this gives the correctly rounded result.
 */
export const f32 = Math.fround;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => u32(total + value), 0);
