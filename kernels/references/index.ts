/** The references by the kernels' names, and the outputs that they expect of a launch spec. */
import { ELEMENT_BYTES, getElement } from '../../src/simulator/launch/elements.js';
import { fillBuffer } from '../../src/simulator/launch/fill.js';
import type { LaunchSpec } from '../../src/simulator/launch/spec.js';
import { bit, bitonic } from './bitonic.js';
import { dct } from './dct.js';
import { lud } from './lud.js';
import * as many from './many.js';
import { ms, pcm } from './merging.js';
import { nqu } from './nqu.js';
import type { Reference } from './reference.js';
import { srad } from './srad.js';
import { random } from './synthetic-random.js';
import { sb1, sb2, sb3, synthetic } from './synthetic.js';
import { today } from './today/index.js';

export type { Reference, ReferenceLaunch, ReferenceOutputs } from './reference.js';

export const REFERENCES: Readonly<Record<string, Reference>> = {
  bitonic,
  sb1,
  sb2,
  sb3,
  many_atomics: many.manyAtomics,
  many_block_region: many.manyBlockRegion,
  many_calls: many.manyCalls,
  many_crosslane: many.manyCrosslane,
  many_diamond: many.manyDiamond,
  many_loops: many.manyLoops,
  many_nested: many.manyNested,
  many_quantize: many.manyQuantize,
  many_reduce: many.manyReduce,
  many_shortcircuit: many.manyShortcircuit,
  many_stream: many.manyStream,
  many_switch: many.manySwitch,
  many_uniform: many.manyUniform,
  ...bit,
  ...pcm,
  ...ms,
  ...lud,
  ...nqu,
  ...srad,
  ...dct,
  ...synthetic,
  ...random,
  ...today,
};

/**
 * Bytes of the output buffers, by name, after the launch of a spec in kernels/specs/. The initial contents come from
 * the simulator's code for fills (docs/launch-spec.md); no other part of the simulator is involved.
 */
export function expectedOutputs(spec: LaunchSpec): ReadonlyMap<string, Uint8Array> {
  const [launch, ...more] = spec.launches;
  const reference = REFERENCES[launch?.kernel ?? ''];
  if (launch === undefined || reference === undefined || more.length > 0)
    throw new Error(`there is no reference for ${spec.launches.map(({ kernel }) => kernel).join(', ')}`);
  const buffers: Record<string, ArrayLike<number>> = {};
  const scalars: Record<string, number> = {};
  for (const argument of launch.args) {
    if (argument.name === null) throw new Error('arguments of a spec with a reference have names');
    if (argument.kind === 'bytes') {
      const type = reference.scalars[argument.name];
      if (type === undefined) throw new Error(`the reference of ${launch.kernel} knows no ${argument.name}`);
      scalars[argument.name] = Number(getElement(viewOf(argument.bytes), type, 0));
    } else {
      const { element, length, fill } = spec.buffers[argument.buffer]!;
      const bytes = new Uint8Array(length * ELEMENT_BYTES[element]);
      fillBuffer(bytes, element, fill);
      const view = viewOf(bytes);
      buffers[argument.name] = Array.from({ length }, (_, index) =>
        Number(getElement(view, element, index * ELEMENT_BYTES[element])),
      );
    }
  }
  const outputs = reference.compute({ buffers, scalars, grid: launch.grid, block: launch.block });
  return new Map(Object.entries(outputs).map(([name, { buffer }]) => [name, new Uint8Array(buffer)]));
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
