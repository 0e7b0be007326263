/** What runs on a GPU: the modules of the corpus and those of the paper, each kernel with its data. */
import { readFileSync } from 'node:fs';
import { CORPUS, corpusModule, corpusSource, corpusSpec, type Setting } from '../../kernels/corpus/index.js';
import type { LaunchSpec } from '../../src/index.js';
import { BENCHMARKS, configurations, type Benchmark } from '../paper/catalogue.js';
import { kernelPath } from '../support.js';

export interface GpuKernel {
  readonly name: string;
  /** What it is launched on, once and with one kernel, to be compared with the simulator. */
  readonly checked: LaunchSpec;
  /** What times are taken with. Its data may be large, so it is made when it is wanted. */
  readonly timed: () => LaunchSpec;
}

export interface GpuModule {
  readonly name: string;
  readonly kernels: readonly GpuKernel[];
  /** Optimised bitcode. */
  readonly bitcode: (target: string) => Uint8Array;
}

export interface Settings {
  readonly checked: Setting;
  readonly timed: Setting;
}

/**
 * @param wanted by the kernel's name
 * @returns only modules that have such kernels; the paper's have one size of data
 */
export function gpuModules(wanted: (kernel: string) => boolean, { checked, timed }: Settings): GpuModule[] {
  // There is no PTX of OpenCL: its library is AMD's.
  const hip = [...new Set(CORPUS.map(({ family }) => family))].filter(
    (family) => corpusSource(family).options.language === 'hip',
  );
  const families = hip.map((name): GpuModule => ({
    name,
    kernels: CORPUS.filter((each) => each.family === name && wanted(each.name)).map((each) => ({
      name: each.name,
      checked: corpusSpec(each, checked),
      timed: () => corpusSpec(each, timed),
    })),
    bitcode: (target) => corpusModule(name, target),
  }));
  const isPaper = ({ group }: Benchmark) => group === 'synthetic' || group === 'real';
  const paper = BENCHMARKS.filter(isPaper).map((benchmark): GpuModule => ({
    name: benchmark.module,
    kernels: configurations(benchmark)
      .map(({ size, spec }) => ({ name: `${benchmark.module}_${size}`, checked: spec, timed: () => spec }))
      .filter(({ name }) => wanted(name)),
    bitcode: (target) => readFileSync(kernelPath(`${benchmark.module}.${target}.O3`)),
  }));
  return [...families, ...paper].filter(({ kernels }) => kernels.length > 0);
}
