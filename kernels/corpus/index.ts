/** The corpus: its kernels, and what each is launched with. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { LaunchSpec } from '../../src/simulator/launch/spec.js';
import { kindFor, withData, type DataKind } from './coherent.js';
import type { Family } from './family.js';
import { Inputs } from './inputs.js';
import { launchSpec, type CorpusLaunch } from './launch.js';
import { audio } from './launches/audio.js';
import { biology } from './launches/biology.js';
import { chance } from './launches/chance.js';
import { codec } from './launches/codec.js';
import { compress } from './launches/compress.js';
import { control } from './launches/control.js';
import { darkroom } from './launches/darkroom.js';
import { database } from './launches/database.js';
import { finance } from './launches/finance.js';
import { flux } from './launches/flux.js';
import { footage } from './launches/footage.js';
import { geometry } from './launches/geometry.js';
import { graph } from './launches/graph.js';
import { hash } from './launches/hash.js';
import { hecdata } from './launches/hecdata.js';
import { hecmath } from './launches/hecmath.js';
import { hecml } from './launches/hecml.js';
import { hecsim } from './launches/hecsim.js';
import { image } from './launches/image.js';
import { linear } from './launches/linear.js';
import { llm } from './launches/llm.js';
import { neural } from './launches/neural.js';
import { numbers } from './launches/numbers.js';
import { pannotia } from './launches/pannotia.js';
import { parboil } from './launches/parboil.js';
import { parse } from './launches/parse.js';
import { particle } from './launches/particle.js';
import { physics } from './launches/physics.js';
import { polybench } from './launches/polybench.js';
import { quantities } from './launches/quantities.js';
import { ray } from './launches/ray.js';
import { rocmx } from './launches/rocmx.js';
import { rodinia } from './launches/rodinia.js';
import { scenes } from './launches/scenes.js';
import { search } from './launches/search.js';
import { shoc } from './launches/shoc.js';
import { sort } from './launches/sort.js';
import { sparse } from './launches/sparse.js';
import { stencil } from './launches/stencil.js';
import { streams } from './launches/streams.js';
import { transformer } from './launches/transformer.js';

const FAMILIES: Readonly<Record<string, Family>> = {
  audio,
  biology,
  chance,
  codec,
  compress,
  control,
  darkroom,
  database,
  finance,
  flux,
  footage,
  geometry,
  graph,
  hash,
  hecdata,
  hecmath,
  hecml,
  hecsim,
  image,
  linear,
  llm,
  neural,
  numbers,
  pannotia,
  parboil,
  parse,
  particle,
  physics,
  polybench,
  quantities,
  ray,
  rocmx,
  rodinia,
  scenes,
  search,
  shoc,
  sort,
  sparse,
  stencil,
  streams,
  transformer,
};

export const CORPUS_TARGETS = ['gfx906', 'gfx90a', 'gfx1030', 'gfx1100'] as const;

/** Constants of the cost model are fitted on one half, and figures are those of the other. */
export type Half = 'fit' | 'unseen';

export interface CorpusKernel {
  readonly name: string;
  /** The module that the kernel is in. */
  readonly family: string;
  readonly half: Half;
}

/** Of what data a kernel gets there are many: `seed` chooses, `size` scales; 1 and 1 are usual. */
export interface Setting {
  readonly seed: number;
  readonly size: number;
  /** Left out: `usual`. */
  readonly data?: DataKind;
}

/** By family and name. */
export const CORPUS: readonly CorpusKernel[] = Object.entries(FAMILIES)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .flatMap(([family, kernels]) => Object.keys(kernels).map((name) => ({ name, family, half: halfOf(name) })));

/** Fixed for ever: a kernel never changes its half, whatever else is in the corpus. */
function halfOf(name: string): Half {
  return createHash('sha256').update(name).digest()[0]! % 2 === 0 ? 'fit' : 'unseen';
}

export const corpusLaunch = ({ family, name }: CorpusKernel, { seed, size, data = 'usual' }: Setting): CorpusLaunch =>
  withData(FAMILIES[family]![name]!(new Inputs(name, seed, size)), kindFor(name, data));

export const corpusSpec = (kernel: CorpusKernel, setting: Setting): LaunchSpec =>
  launchSpec(kernel.name, corpusLaunch(kernel, setting));

/** What compiles a source; contraction is off, so that results compare bit for bit. */
const LANGUAGES = {
  hip: { language: 'hip', flags: ['-std=c++17', '-ffp-contract=off'] },
  cl: { language: 'opencl', flags: ['-cl-std=CL2.0', '-ffp-contract=off'] },
} as const;

export interface CorpusSource {
  readonly text: string;
  readonly options: (typeof LANGUAGES)[keyof typeof LANGUAGES];
}

/** The source of a family; which language it is in, its file's name says. */
export function corpusSource(family: string): CorpusSource {
  const at = (ending: string): URL => new URL(`../../../kernels/corpus/${family}.${ending}`, import.meta.url);
  const ending = existsSync(at('cl')) ? 'cl' : 'hip';
  return { text: readFileSync(at(ending), 'utf8'), options: LANGUAGES[ending] };
}

/** The bitcode of a family. */
export const corpusModule = (family: string, target: string): Uint8Array =>
  readFileSync(new URL(`../../../kernels/corpus/ir/${family}.${target}.bc`, import.meta.url));
