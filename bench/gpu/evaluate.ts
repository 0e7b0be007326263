/** Compares what the GPU left with what the simulator leaves, and both versions with each other. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Compiler } from '../../src/index.js';
import { ELEMENT_BYTES, getElement, isFloat } from '../../src/simulator/launch/elements.js';
import type { SimulatedBuffer } from '../../src/simulator/run.js';
import { median } from '../support.js';
import type { GpuModule } from './modules.js';
import { launchNames, type PreparedKernel, type VersionName } from './prepare.js';

/** What loader.py writes. */
export interface GpuResults {
  readonly device: string;
  readonly launches: Readonly<
    Record<string, { readonly times?: Readonly<Record<VersionName, readonly number[]>>; readonly error?: string }>
  >;
}

export interface GpuOutcome {
  readonly kernel: string;
  /** Medians in microseconds; null where melding changes nothing. */
  readonly plain: number | null;
  readonly melded: number | null;
  /** Of the plain version's times, every second: their median over that of the others. As much is noise. */
  readonly noise: number | null;
  /**
   * `equal`: the same bytes as the simulator of gfx906. `close`: the same but for few elements, where the hardware
   * rounds in its own way.
   */
  readonly simulator: 'equal' | 'close' | 'differs';
  /** Null when all is well. */
  readonly complaint: string | null;
}

const REFERENCE_TARGET = 'gfx906';

/** A code object of the same module, unmelded, for the simulator. */
export async function referenceCode(compiler: Compiler, { bitcode }: GpuModule): Promise<Uint8Array> {
  const { artifacts } = await compiler.compile(bitcode(REFERENCE_TARGET), { meld: 'off' });
  return artifacts[0]!.bytes;
}

/** Of a float's value. */
const TOLERANCE = 1e-3;
/** Share of the elements that may differ by more where the hardware's functions decide about ways. */
const MOST_ELSEWHERE = 0.05;

/** @param reference what `referenceCode` makes of the kernel's module */
export async function evaluate(
  compiler: Compiler,
  folder: string,
  results: GpuResults,
  reference: Uint8Array,
  { kernel, changed, approximate }: PreparedKernel,
): Promise<GpuOutcome> {
  const names = launchNames(kernel);
  const failed = (complaint: string): GpuOutcome => ({
    kernel: kernel.name,
    plain: null,
    melded: null,
    noise: null,
    simulator: 'differs',
    complaint,
  });
  const wanted = changed ? [names.checked, names.timed] : [names.checked];
  for (const name of wanted) {
    const error = results.launches[name]?.error;
    if (error !== undefined || results.launches[name] === undefined) return failed(error ?? `${name} did not run`);
  }
  const spec = kernel.checked;
  const outputs = spec.launches[0]!.args.flatMap((argument, index) =>
    argument.kind === 'buffer' && spec.buffers[argument.buffer]!.out ? [index] : [],
  );
  const read = (name: string, version: VersionName, index: number) =>
    readFile(path.join(folder, `${name}.${version}.${index}.bin`));
  for (const name of wanted)
    for (const index of outputs)
      if (!(await read(name, 'plain', index)).equals(await read(name, 'melded', index)))
        return failed(`${name}: argument ${index} differs between the versions`);

  const expected = (await compiler.simulate(reference, spec, { cycles: false })).buffers;
  const found = await Promise.all(outputs.map((index) => read(names.checked, 'plain', index)));
  const simulator = worst(expected.filter(({ out }) => out).map((buffer, at) => compare(buffer, found[at]!)));
  const { times } = results.launches[names.timed] ?? {};
  return {
    kernel: kernel.name,
    plain: times === undefined ? null : median(times.plain),
    melded: times === undefined ? null : median(times.melded),
    noise: times === undefined ? null : noiseOf(times.plain),
    simulator,
    complaint: simulator === 'equal' || approximate ? null : 'leaves other memory than the simulator',
  };
}

const noiseOf = (times: readonly number[]): number =>
  median(times.filter((_, at) => at % 2 === 0)) / median(times.filter((_, at) => at % 2 === 1));

type Likeness = GpuOutcome['simulator'];

const worst = (all: readonly Likeness[]): Likeness =>
  all.includes('differs') ? 'differs' : all.includes('close') ? 'close' : 'equal';

/** How the GPU's contents of a buffer agree with the simulator's. */
export function compare({ bytes, element }: Pick<SimulatedBuffer, 'bytes' | 'element'>, found: Uint8Array): Likeness {
  if (Buffer.compare(bytes, found) === 0) return 'equal';
  if (bytes.length !== found.length || !isFloat(element)) return 'differs';
  const size = ELEMENT_BYTES[element];
  const [a, b] = [bytes, found].map((each) => new DataView(each.buffer, each.byteOffset, each.byteLength));
  let elsewhere = 0;
  for (let at = 0; at < bytes.length; at += size) {
    const [x, y] = [Number(getElement(a!, element, at)), Number(getElement(b!, element, at))];
    const isNear = Math.abs(x - y) <= TOLERANCE * Math.max(1e-3, Math.abs(x), Math.abs(y));
    const same = Object.is(x, y) || (isNear && Number.isFinite(x) && Number.isFinite(y));
    if (!same) elsewhere++;
  }
  return elsewhere <= MOST_ELSEWHERE * (bytes.length / size) ? 'close' : 'differs';
}
