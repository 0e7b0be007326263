import * as assert from 'uvu/assert';
import { simulatedTarget } from '../../../src/simulator/target.js';
import { residentWorkgroups, type WaveResources } from '../../../src/simulator/timing/occupancy.js';
import { suite } from '../../support/suite.js';
import { resources } from './traces.js';

const test = suite('simulator/timing/occupancy', { tests: 5 });

const resident = (cpu: string, some: Partial<WaveResources>): number =>
  residentWorkgroups(simulatedTarget(cpu), resources(some));

// [VGPRs, workgroups of four waves], per LLVM's occupancy tables.
const check = (cpu: string, waveSize: 32 | 64, table: readonly (readonly [number, number])[]): void => {
  for (const [vgprs, expected] of table)
    assert.is(resident(cpu, { vgprs, waveSize, wavesPerWorkgroup: 4 }), expected, `${cpu}, ${vgprs} VGPRs`);
};

test('vector registers, GCN and CDNA', () => {
  const gcn = [
    [0, 10],
    [24, 10],
    [25, 9],
    [28, 9],
    [29, 8],
    [32, 8],
    [64, 4],
    [84, 3],
    [85, 2],
    [129, 1],
    [256, 1],
  ] as const;
  const cdna = [
    [64, 8],
    [65, 7],
    [72, 7],
    [128, 4],
    [129, 3],
    [256, 2],
    [264, 1],
    [512, 1],
  ] as const;
  check('gfx906', 64, gcn);
  check('gfx90a', 64, cdna);
  check('gfx942', 64, cdna);
});

test('vector registers, RDNA: half a work-group processor has two SIMDs', () => {
  check('gfx1030', 32, [
    [64, 8],
    [65, 6],
    [128, 4],
    [256, 2],
  ]);
  check('gfx1030', 64, [
    [32, 8],
    [33, 6],
    [64, 4],
    [128, 2],
  ]);
  check('gfx1100', 32, [
    [96, 8],
    [97, 6],
    [192, 4],
    [256, 2],
  ]);
});

test('scalar registers limit on generation 9 only', () => {
  const of = (cpu: string, sgprs: number): number => resident(cpu, { sgprs, wavesPerWorkgroup: 4 });
  assert.equal(
    [80, 81, 88, 89, 100, 102].map((sgprs) => of('gfx906', sgprs)),
    [10, 9, 9, 8, 8, 7],
  );
  assert.is(of('gfx1030', 106), 8);
});

test('LDS in its granules', () => {
  const of = (cpu: string, ldsBytes: number): number => resident(cpu, { ldsBytes });
  assert.equal(
    [65536, 32768, 32769, 8192, 1].map((bytes) => of('gfx906', bytes)),
    [1, 2, 1, 8, 40],
  );
  assert.is(of('gfx1030', 4097), 12);
});

test('waves and barriers', () => {
  const of = (cpu: string, wavesPerWorkgroup: number): number => resident(cpu, { wavesPerWorkgroup });
  assert.equal(
    [1, 2, 3, 7, 16].map((waves) => of('gfx906', waves)),
    [40, 16, 13, 5, 2],
  );
  assert.equal(
    [1, 2, 16].map((waves) => of('gfx90a', waves)),
    [32, 16, 2],
  );
  // One workgroup is always resident: whether it can run at all is checked elsewhere.
  assert.is(resident('gfx906', { vgprs: 256, wavesPerWorkgroup: 16 }), 1);
});

test.run();
