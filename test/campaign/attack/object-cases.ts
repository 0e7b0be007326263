/** The cases of the phase `objects`: code objects and containers, mutated or made, and what is asked about them. */
import { readFileSync } from 'node:fs';
import { createCompiler } from '../../../src/index.js';
import { bundleOf, everyContainer, offloadBinaryOf, packedBundleOf, textBundleOf } from '../../support/containers.js';
import { kernel, REPOSITORY } from '../../support/llvm.js';
import { tinyKernel } from '../../support/service.js';
import { drawFor } from '../../support/draw.js';
import { changedElf, expensiveElf } from './hostile-elf.js';
import { hostileContainer } from './hostile-containers.js';
import { mutateBytes } from './mutate-bytes.js';

export type ObjectKind = 'code object' | 'changed code object' | 'made code object' | 'container' | 'made container';
export type Question = 'inspect' | 'unsupported' | 'simulate' | 'compile';

export interface ObjectCase {
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
  readonly question: Question;
}

/** Sound files that the cases are made from. */
export interface ObjectCorpus {
  readonly elves: readonly Uint8Array[];
  readonly containers: readonly Uint8Array[];
}

/** Compiled here, so the files are the same in every process. */
export async function objectCorpus(): Promise<ObjectCorpus> {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const compiled = async (input: Uint8Array, mcpu: string, emit: 'hsaco' | 'obj' = 'hsaco'): Promise<Uint8Array> =>
    (await compiler.compile(input, { emit: [emit], mcpu })).artifacts[0]!.bytes;
  const tiny = new TextEncoder().encode(
    new TextDecoder().decode(tinyKernel(1)).replace(' "target-cpu"="gfx906"', ' #0') + 'attributes #0 = { nounwind }\n',
  );
  const fixture = (name: string): Uint8Array =>
    new Uint8Array(readFileSync(`${REPOSITORY}test/formats/fixtures/${name}`));
  const [gfx906, gfx90a, gfx1100] = [
    await compiled(tiny, 'gfx906'),
    await compiled(tiny, 'gfx90a'),
    await compiled(tiny, 'gfx1100'),
  ];
  const elves = [
    fixture('copy.gfx906.hsaco'),
    fixture('copy.gfx906.o'),
    gfx906,
    gfx90a,
    gfx1100,
    await compiled(tiny, 'gfx906', 'obj'),
    await compiled(await kernel('sb1.gfx906.O3'), 'gfx906'),
    await compiled(await kernel('sb1.gfx1100.O3'), 'gfx1100'),
    await compiled(await kernel('bitonic.gfx906.O3'), 'gfx906'),
  ];
  const bitcode = await kernel('sb1.gfx906.O3');
  const images = [
    { target: 'gfx906', bytes: gfx906 },
    { target: 'gfx1100', bytes: bitcode },
  ];
  const containers = [
    ...Object.values(await everyContainer()),
    bundleOf(...images),
    packedBundleOf(...images),
    offloadBinaryOf(...images),
    textBundleOf({ 'hip-amdgcn-amd-amdhsa--gfx906': new TextDecoder().decode(tinyKernel(2)) }),
  ];
  return { elves, containers };
}

const KINDS: readonly ObjectKind[] = ['code object', 'code object', 'code object', 'changed code object', 'changed code object', 'changed code object', 'container', 'container', 'made container']; // prettier-ignore

export function objectCase({ elves, containers }: ObjectCorpus, seed: number, number: number): ObjectCase {
  const draw = drawFor(seed + 1_000_000, number);
  const kind = draw.chance(0.02) ? 'made code object' : draw.pick(KINDS);
  const bytes = (): Uint8Array => {
    switch (kind) {
      case 'code object':
        return mutateBytes(draw.pick(elves), draw, draw.pick(elves));
      case 'changed code object':
        return changedElf(draw.pick(elves), draw);
      case 'made code object':
        return expensiveElf(draw);
      case 'container':
        return mutateBytes(draw.pick(containers), draw, draw.pick(containers));
      case 'made container':
        return hostileContainer(draw);
    }
  };
  const isContainer = kind === 'container' || kind === 'made container';
  const more = draw.below(12);
  const question = isContainer
    ? more === 0
      ? 'compile'
      : 'inspect'
    : more < 2
      ? 'simulate'
      : more < 5
        ? 'unsupported'
        : 'inspect';
  return { kind, bytes: bytes(), question };
}
