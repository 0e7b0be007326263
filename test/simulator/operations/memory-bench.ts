/** A wave with memory, LDS and scratch for the tests of memory instructions. All memory holds `pattern`. */
import { Lds } from '../../../src/simulator/lds.js';
import { GlobalMemory, MemoryPlan, ADDRESS_HIGH } from '../../../src/simulator/memory.js';
import { EXEC, RegisterFile, Wave } from '../../../src/simulator/wave.js';
import { ExecutionCounts, runWorkgroup } from '../../../src/simulator/workgroup.js';
import type { KernelCode } from '../../../src/simulator/code.js';
import { assemble } from '../../support/simulator.js';

export { ADDRESS_HIGH };

/** Byte `index` of every memory at first. */
export const pattern = (index: number): number => (index * 37 + (index >> 8) * 11 + 5) & 0xff;

/** `bytes` bytes of the pattern from `index` on, as a number of any size. */
export function patternValue(index: number, bytes: number): bigint {
  let value = 0n;
  for (let k = bytes - 1; k >= 0; k--) value = (value << 8n) | BigInt(pattern(index + k));
  return value;
}

export interface BenchOptions {
  readonly lds?: number;
  readonly tracked?: boolean;
  readonly exec?: readonly [low: number, high: number];
  readonly waveSize?: 32 | 64;
  readonly shared?: boolean;
  readonly scratchPerLane?: number;
  readonly waves?: number;
  readonly onBarrier?: () => void;
}

export const BUFFER_BYTES = 16384;

export class MemoryBench {
  readonly memory: GlobalMemory;
  readonly lds: Lds;
  readonly waves: readonly Wave[];
  /** Lower word of the address of 16 KiB that can be written, and of as much that cannot. */
  readonly buffer: number;
  readonly constant: number;
  readonly scratch: number;

  static async of(cpu: string, lines: readonly string[], options: BenchOptions = {}): Promise<MemoryBench> {
    return new MemoryBench(await assemble(cpu, lines, options.waveSize), options);
  }

  constructor(
    readonly code: KernelCode,
    readonly options: BenchOptions = {},
  ) {
    const { lds = 65536, tracked = false, exec, shared = false, scratchPerLane = 0, waves = 1 } = options;
    const plan = new MemoryPlan();
    this.buffer = plan.add('out', BUFFER_BYTES, true).start;
    this.constant = plan.add('in', BUFFER_BYTES, false).start;
    const { size } = code.registers;
    this.scratch = plan.add('scratch', Math.max(scratchPerLane * size * waves, 4), true).start;
    this.memory = new GlobalMemory(plan.regions, shared ? new SharedArrayBuffer(plan.end) : new ArrayBuffer(plan.end));
    for (const { start, size: bytes } of plan.regions)
      for (let index = 0; index < bytes; index++) this.memory.u8[start + index] = pattern(index);
    this.lds = new Lds(lds, tracked);
    if (!tracked) for (let index = 0; index < lds; index++) this.lds.u8[index] = pattern(index);
    this.waves = Array.from({ length: waves }, (_, id) => {
      const wave = new Wave(new RegisterFile(code.registers), {
        id,
        memory: this.memory,
        lds: this.lds,
        scratch: this.scratch + id * scratchPerLane * size,
        scratchPerLane,
      });
      if (exec !== undefined) {
        wave.u32[EXEC] = exec[0];
        wave.u32[EXEC + 1] = exec[1];
        wave.execChanged();
      }
      return wave;
    });
  }

  get wave(): Wave {
    return this.waves[0]!;
  }

  /** Sets a vector register of all lanes. */
  set(register: number, value: (lane: number) => number, wave = this.wave): this {
    for (let lane = 0; lane < wave.size; lane++) wave.u32[this.code.layout.vgpr(register) + lane] = value(lane);
    return this;
  }

  /** Sets a register pair to addresses in the memory's 4 GiB. */
  setAddress(register: number, low: (lane: number) => number, high = ADDRESS_HIGH): this {
    return this.set(register, low).set(register + 1, () => high);
  }

  /** Sets scalar registers from `register` on. */
  scalars(register: number, ...values: readonly number[]): this {
    values.forEach((value, index) => (this.wave.u32[register + index] = value));
    return this;
  }

  get(register: number, lane: number, wave = this.wave): number {
    return wave.u32[this.code.layout.vgpr(register) + lane]!;
  }

  /** `words` registers of a lane as one number. */
  value(register: number, lane: number, words: number): bigint {
    let value = 0n;
    for (let k = words - 1; k >= 0; k--) value = (value << 32n) | BigInt(this.get(register + k, lane));
    return value;
  }

  row(register: number, lanes: number = this.wave.size): number[] {
    return Array.from({ length: lanes }, (_, lane) => this.get(register, lane));
  }

  run(): ExecutionCounts {
    const counts = new ExecutionCounts(this.code.steps.length);
    const { onBarrier } = this.options;
    runWorkgroup({
      kernel: 'test',
      code: this.code,
      id: [0, 0, 0],
      waves: this.waves,
      counts,
      traces: null,
      budget: { left: 1e6 },
      ...(onBarrier === undefined ? {} : { onBarrier }),
    });
    return counts;
  }

  /** Sets all waves to the start again; registers and memory stay. */
  rewind(): this {
    for (const wave of this.waves) {
      wave.pc = 0;
      wave.state = 0;
    }
    return this;
  }
}

/** Bytes of little-endian data. */
export function bytesOf(value: bigint, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}
