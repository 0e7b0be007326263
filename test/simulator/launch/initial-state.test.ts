/** Registers at a wave's first instruction, against the tables of AMDGPUUsage.rst, "Initial Kernel Execution State". */
import { bindCode, type KernelCode } from '../../../src/simulator/code.js';
import type { LaunchDescriptor } from '../../../src/simulator/launch/descriptor.js';
import { parseDescriptor } from '../../../src/simulator/launch/descriptor.js';
import { initializeWave, userRegisters, type InitialState } from '../../../src/simulator/launch/initial-state.js';
import { Lds } from '../../../src/simulator/lds.js';
import { ADDRESS_HIGH, GlobalMemory } from '../../../src/simulator/memory.js';
import { simulatedTarget } from '../../../src/simulator/target.js';
import { EXEC, RegisterFile, Wave } from '../../../src/simulator/wave.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/initial-state', { tests: 9 });

interface Wanted {
  readonly properties?: number;
  readonly resources1?: number;
  readonly resources2?: number;
  readonly preload?: number;
  readonly privateSegmentBytes?: number;
}

/** A descriptor from the words that the hardware sees. */
function descriptor({
  properties = 0,
  resources1 = 0,
  resources2 = 0,
  preload = 0,
  privateSegmentBytes = 0,
}: Wanted): LaunchDescriptor {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(4, privateSegmentBytes, true);
  view.setBigInt64(16, -0x1_0000_0100n, true);
  view.setUint32(48, resources1, true);
  view.setUint32(52, resources2, true);
  view.setUint16(56, properties, true);
  view.setUint16(58, preload, true);
  return parseDescriptor(new Uint8Array(view.buffer));
}

const ADDRESSES = { dispatchPacket: 0x1000, queue: 0x2000, kernarg: 0x3000, scratch: 0x4000 };

function state(cpu: string, waveSize: 32 | 64, wanted: Wanted, more: Partial<InitialState> = {}): InitialState {
  return {
    target: simulatedTarget(cpu),
    waveSize,
    descriptor: descriptor(wanted),
    block: [64, 1, 1],
    addresses: ADDRESSES,
    scratchBytesPerWave: 1024,
    wavesPerWorkgroup: 1,
    kernarg: Uint32Array.of(100, 101, 102, 103),
    ...more,
  };
}

const codes = new Map<string, KernelCode>();

function wave(initial: InitialState, id = 0, workgroup: readonly [number, number, number] = [5, 6, 7]): Wave {
  const key = `${initial.target.cpu} ${initial.waveSize}`;
  const program = { instructions: [], base: { low: 0, high: 0 }, indexAt: () => -1 };
  const code = codes.get(key) ?? bindCode(program, initial.target, initial.waveSize, 256);
  codes.set(key, code);
  const memory = new GlobalMemory([], new ArrayBuffer(4096));
  const made = new Wave(new RegisterFile(code.registers), {
    id,
    memory,
    lds: new Lds(0, false),
    scratch: 0,
    scratchPerLane: 0,
  });
  initializeWave(made, code.layout, initial, userRegisters(initial), workgroup);
  return made;
}

const sgprs = (made: Wave, count: number): number[] => [...made.u32.subarray(0, count)];
const vgpr = (initial: InitialState, made: Wave, number: number): number[] => {
  const { layout } = codes.get(`${initial.target.cpu} ${initial.waveSize}`)!;
  return [...made.u32.subarray(layout.vgpr(number), layout.vgpr(number) + made.size)];
};

test('every user register, in order', () => {
  const initial = state('gfx906', 64, { properties: 0x7f, resources2: 16 << 1, privateSegmentBytes: 44 });
  const user = userRegisters(initial);
  assert.equal(user.slice(4), [
    0x1000,
    ADDRESS_HIGH,
    0x2000,
    ADDRESS_HIGH,
    0x3000,
    ADDRESS_HIGH,
    0,
    0,
    0x4000,
    ADDRESS_HIGH,
    44,
    0,
  ]);
  // Base, swizzle enable (bit 31 of word 1), index stride 64 (3 << 21) and add-tid (bit 23 of word 3).
  assert.is(user[0], 0x4000);
  assert.is(user[1], 0x80000000 + ADDRESS_HIGH);
  assert.is(user[2], 1024);
  assert.is((user[3]! >>> 21) & 7, 7);
});

test('registers that are not asked for take no place; those that nobody names are zero', () => {
  // gfx1100 pads: kernel arguments at s[0:1], workgroup id x at s15.
  const initial = state('gfx1100', 32, { properties: 8, resources2: (15 << 1) | (1 << 7) });
  const made = wave(initial);
  assert.equal(sgprs(made, 17), [0x3000, ADDRESS_HIGH, ...Array<number>(13).fill(0), 5, 0]);
});

test('workgroup ids, workgroup info and the scratch offset follow in this order', () => {
  const resources2 = (2 << 1) | (0b1111 << 7) | 1;
  const initial = state('gfx906', 64, { properties: 8, resources2 }, { block: [100, 1, 1], wavesPerWorkgroup: 2 });
  assert.equal(sgprs(wave(initial), 8), [0x3000, ADDRESS_HIGH, 5, 6, 7, 0x80000002, 0, 0]);
  assert.equal(sgprs(wave(initial, 1), 8), [0x3000, ADDRESS_HIGH, 5, 6, 7, 2, 1024, 0]);
  // Only y and z.
  const some = state('gfx906', 64, { resources2: 0b110 << 7 });
  assert.equal(sgprs(wave(some), 3), [6, 7, 0]);
});

test('where the hardware keeps the scratch address, no register has its offset', () => {
  for (const [cpu, waveSize] of [
    ['gfx942', 64],
    ['gfx1100', 32],
  ] as const) {
    const initial = state(cpu, waveSize, { resources2: (1 << 7) | 1 }, { wavesPerWorkgroup: 2 });
    assert.equal(sgprs(wave(initial, 1), 2), [5, 0], cpu);
  }
  for (const [cpu, waveSize] of [
    ['gfx90a', 64],
    ['gfx1030', 32],
  ] as const) {
    const initial = state(cpu, waveSize, { resources2: (1 << 7) | 1 }, { wavesPerWorkgroup: 4, block: [128, 1, 1] });
    assert.equal(sgprs(wave(initial, 1), 2), [5, 1024], cpu);
  }
});

test('preloaded kernel arguments', () => {
  // Two words from the second on, behind the kernel argument pointer.
  const initial = state('gfx942', 64, { properties: 8, resources2: (4 << 1) | (1 << 7), preload: 2 | (1 << 7) });
  assert.equal(sgprs(wave(initial), 6), [0x3000, ADDRESS_HIGH, 101, 102, 5, 0]);
});

test('work-item ids in three registers', () => {
  const initial = state('gfx906', 64, { resources2: 2 << 11 }, { block: [4, 8, 3], wavesPerWorkgroup: 2 });
  const made = wave(initial);
  const items = [...Array(64).keys()];
  assert.equal(
    vgpr(initial, made, 0),
    items.map((item) => item % 4),
  );
  assert.equal(
    vgpr(initial, made, 1),
    items.map((item) => (item >> 2) % 8),
  );
  assert.equal(
    vgpr(initial, made, 2),
    items.map((item) => item >> 5),
  );
  const onlyX = state('gfx906', 64, {}, { block: [4, 8, 3], wavesPerWorkgroup: 2 });
  assert.equal(vgpr(onlyX, wave(onlyX), 1), Array(64).fill(0));
});

test('packed work-item ids', () => {
  for (const [cpu, waveSize] of [
    ['gfx90a', 64],
    ['gfx942', 64],
    ['gfx1100', 32],
  ] as const) {
    const initial = state(
      cpu,
      waveSize,
      { resources2: 2 << 11 },
      { block: [4, 8, 8], wavesPerWorkgroup: 256 / waveSize },
    );
    const made = wave(initial, 1);
    const first = waveSize;
    assert.equal(
      vgpr(initial, made, 0).slice(0, 3),
      [0, 1, 2].map((x) => x | (((first >> 2) % 8) << 10) | ((first >> 5) << 20)),
    );
  }
});

test('lanes beyond the workgroup are off', () => {
  const masks = (waveSize: 32 | 64, items: number, id: number): number[] => {
    const cpu = waveSize === 64 ? 'gfx906' : 'gfx1030';
    const made = wave(state(cpu, waveSize, {}, { block: [items, 1, 1], wavesPerWorkgroup: 8 }), id);
    assert.is(made.active, Math.min(waveSize, items - id * waveSize));
    return [made.u32[EXEC]!, made.u32[EXEC + 1]!];
  };
  assert.equal(masks(64, 64, 0), [0xffffffff, 0xffffffff]);
  assert.equal(masks(64, 65, 1), [1, 0]);
  assert.equal(masks(64, 96, 1), [0xffffffff, 0]);
  assert.equal(masks(64, 97, 1), [0xffffffff, 1]);
  assert.equal(masks(64, 31, 0), [0x7fffffff, 0]);
  assert.equal(masks(32, 40, 1), [0xff, 0]);
});

test('the MODE register and the entry', () => {
  // round 32: 1, round 16/64: 2, denorm 32: 0, denorm 16/64: 1; dx10 clamp off, IEEE on.
  const resources1 = (1 << 12) | (2 << 14) | (0 << 16) | (1 << 18) | (1 << 23);
  const initial = state('gfx906', 64, { resources1 });
  assert.is(initial.descriptor.entryOffset, -0x1_0000_0100);
  const made = wave(initial);
  assert.equal(
    { ...made.mode },
    { roundF32: 1, roundF16F64: 2, denormF32: 0, denormF16F64: 1, dx10Clamp: false, ieee: true },
  );
  assert.not.ok(made.plainF32);
  assert.not.ok(made.plainF64);
});

test.run();
