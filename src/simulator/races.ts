/**
 * Optional detection of data races in the LDS and in global memory, by happens-before in its simplest form: accesses of
 * one wavefront are ordered, those of one workgroup's wavefronts by the barriers between them, and those of different
 * workgroups not at all: a launch is one epoch for them. Two accesses to the same byte that are not ordered race when
 * one of them writes and they are not both atomic. (After Flanagan and Freund, "FastTrack", 2009, with epochs instead
 * of vector clocks.)
 *
 * - Lanes of one wavefront race only when one instruction stores different values to one byte from two lanes.
 * - Two stores of the same value do not race; programs set flags that way.
 * - Loads and stores with cache-coherence bits (glc, dlc, sc0, sc1) count as atomic: that is how compilers write atomic
 *   and volatile ones. The LDS has no such bits.
 * - Only barriers count as synchronisation. Accesses that are ordered by flags, fences or tickets are reported.
 * - Scalar loads, and global accesses of workgroups that run on other threads, are not seen.
 *
 * Kept per byte: the last plain store, and of plain loads and of atomics the last one, the last one of another
 * wavefront of the same workgroup, and one of another workgroup. Those suffice, because workgroups run one after the
 * other.
 */
import { AccessKind, byteAt, describe, type AccessDescription } from './access-description.js';
import { Fault } from './fault.js';
import type { GlobalMemory } from './memory.js';
import type { Instruction } from './program.js';

const STORE = 0;
const LOADS = 1;
const ATOMICS = 4;
const SLOTS = 7;
const PAGE_BITS = 10;
const PAGE = 1 << PAGE_BITS;

/** Bits of `cpol` (LLVM, SIDefines.h, CPol): GLC or SC0, DLC, SC1. */
const COHERENT = 1 | 4 | 16;

const RACE = 'a race: ';

/** Whether an error of a launch is that it has a race. */
export const isRace = (message: string): boolean => message.startsWith(RACE);

/** A set of accesses: one instruction, executed by one wavefront between two barriers. */
interface AccessEvent {
  readonly instruction: Instruction;
  readonly kind: AccessKind;
  readonly bytes: number;
  readonly workgroup: number;
  readonly wave: number;
  readonly epoch: number;
}

/** What the search needs of the wavefront that makes an access; every `Wave` has it. */
interface AccessingWave {
  readonly id: number;
  /** Active lanes; the first `active` entries count. */
  readonly lanes: Uint8Array;
  readonly active: number;
  readonly i32: Int32Array;
  readonly memory: GlobalMemory;
  readonly lds: { readonly u8: Uint8Array };
}

/** The memory that an access goes to. */
interface Place {
  readonly shadow: Shadow;
  readonly bytes: Uint8Array;
  /** Words from one word of an access to the next, see `Transfer`. */
  readonly step: number;
  /** For messages. */
  readonly nameOf: (x: number) => string;
}

/** What an access does to one byte. */
interface ByteAccess {
  readonly event: number;
  readonly kind: AccessKind;
  readonly isAtomic: boolean;
  /** It stores the value that is there already. */
  readonly sameValue: boolean;
}

/** For every byte of a memory, slots of event * 64 + lane, 0 where there is none; pages exist when they are touched. */
class Shadow {
  readonly #pages = new Map<number, Uint32Array>();

  pageOf(x: number): Uint32Array {
    const number = x >>> PAGE_BITS;
    let page = this.#pages.get(number);
    if (page === undefined) this.#pages.set(number, (page = new Uint32Array(SLOTS * PAGE)));
    return page;
  }
}

const MAX_EVENTS = 2 ** 26;

/** Of the workgroups of one launch that one thread executes. */
export class RaceDetector {
  readonly events: (AccessEvent | null)[] = [null];
  readonly memory = new Shadow();

  /** @param number identifies the workgroup */
  workgroup(number: number): Races {
    return new Races(this, number);
  }
}

/** The accesses of one workgroup. Goes into `Lds.races`; `barrier` is to be called at each barrier. */
export class Races {
  readonly #detector: RaceDetector;
  readonly #workgroup: number;
  readonly #lds = new Shadow();
  #epoch = 0;
  /** Events of this epoch, by wave and instruction. */
  readonly #current = new Map<number, number>();
  /** What the running instruction has stored so far. */
  readonly #stored = new Map<number, number>();

  constructor(detector: RaceDetector, workgroup: number) {
    this.#detector = detector;
    this.#workgroup = workgroup;
  }

  barrier(): void {
    this.#epoch++;
    this.#current.clear();
  }

  /** Before the access; throws Fault. `at` has the byte offsets of the active lanes. */
  inLds(wave: AccessingWave, at: Int32Array, access: AccessDescription): void {
    const place: Place = { shadow: this.#lds, bytes: wave.lds.u8, step: 1, nameOf: (x) => `LDS byte ${x}` };
    this.#look(wave, at, access, place);
  }

  /** @param step see `Transfer` */
  inMemory(wave: AccessingWave, at: Int32Array, access: AccessDescription, step: number): void {
    const { memory } = wave;
    const place: Place = {
      shadow: this.#detector.memory,
      bytes: memory.u8,
      step,
      nameOf: (x) => nameInMemory(memory, x),
    };
    this.#look(wave, at, access, place);
  }

  #look(wave: AccessingWave, at: Int32Array, access: AccessDescription, place: Place): void {
    const { shadow, bytes, step } = place;
    const coherent = (access.instruction.immediate('cpol') & COHERENT) !== 0;
    const isAtomic = access.kind === AccessKind.Atomic || coherent;
    const event = this.#eventOf(wave, access);
    this.#stored.clear();
    for (let k = 0; k < wave.active; k++) {
      const lane = wave.lanes[k]!;
      for (let index = 0; index < access.bytes; index++) {
        const x = byteAt(at[k]!, index, step);
        const value = access.stored === null ? -1 : access.stored(wave.i32, lane, index);
        const sameValue = value >= 0 && bytes[x] === value;
        const page = shadow.pageOf(x);
        const slots = (x & (PAGE - 1)) * SLOTS;
        let other = this.#conflict(page, slots, { event, kind: access.kind, isAtomic, sameValue });
        if (value >= 0 && !isAtomic) {
          const before = this.#stored.get(x);
          if (before !== undefined && before !== value) other = page[slots + STORE]!;
          this.#stored.set(x, value);
        }
        if (other !== 0) throw this.#fault(access, other, lane, place.nameOf(x));
        this.#note(page, slots, isAtomic, access.kind, event * 64 + lane);
      }
    }
  }

  #eventOf({ id }: AccessingWave, { instruction, kind, bytes }: AccessDescription): number {
    const { events } = this.#detector;
    const key = instruction.index * 64 + id;
    let event = this.#current.get(key);
    if (event === undefined) {
      event = events.length;
      if (event >= MAX_EVENTS) throw new Fault('the launch is too long for race detection');
      events.push({ instruction, kind, bytes, workgroup: this.#workgroup, wave: id, epoch: this.#epoch });
      this.#current.set(key, event);
    }
    return event;
  }

  /** An access in the slots that races with the new one; 0 where there is none. */
  #conflict(page: Uint32Array, slots: number, { event, kind, isAtomic, sameValue }: ByteAccess): number {
    const store = page[slots + STORE]!;
    if (store !== 0 && !(sameValue && kind === AccessKind.Write) && this.#isUnordered(store, event)) return store;
    if (kind !== AccessKind.Read) {
      for (let slot = LOADS; slot < LOADS + 3; slot++)
        if (page[slots + slot] !== 0 && this.#isUnordered(page[slots + slot]!, event)) return page[slots + slot]!;
    }
    if (!isAtomic) {
      for (let slot = ATOMICS; slot < ATOMICS + 3; slot++) {
        const atomic = page[slots + slot]!;
        if (atomic === 0 || !this.#isUnordered(atomic, event)) continue;
        // A coherent load does not write.
        if (kind !== AccessKind.Read || this.#detector.events[atomic >>> 6]!.kind !== AccessKind.Read) return atomic;
      }
    }
    return 0;
  }

  #isUnordered(other: number, event: number): boolean {
    const { events } = this.#detector;
    const a = events[other >>> 6]!;
    const b = events[event]!;
    return a.workgroup !== b.workgroup || (a.epoch === b.epoch && a.wave !== b.wave);
  }

  #note(page: Uint32Array, slots: number, isAtomic: boolean, kind: AccessKind, entry: number): void {
    if (!isAtomic && kind === AccessKind.Write) {
      page[slots + STORE] = entry;
      return;
    }
    const last = slots + (isAtomic ? ATOMICS : LOADS);
    const before = page[last]!;
    page[last] = entry;
    if (before === 0) return;
    const { events } = this.#detector;
    const a = events[before >>> 6]!;
    const b = events[entry >>> 6]!;
    if (a.workgroup !== b.workgroup) {
      page[last + 1] = 0;
      page[last + 2] = before;
    } else if (a.wave !== b.wave) page[last + 1] = before;
  }

  #fault(access: AccessDescription, other: number, lane: number, where: string): Fault {
    const event = this.#detector.events[other >>> 6]!;
    const { instruction, workgroup, wave } = event;
    const whose = workgroup === this.#workgroup ? '' : `workgroup ${workgroup}, `;
    const place = `pc 0x${instruction.offset.toString(16)} '${instruction.text}', ${whose}wave ${wave}, lane ${other & 63}`;
    return new Fault(`${RACE}${describe(access)} at ${where} and ${describe(event)} [${place}]`, lane);
  }
}

function nameInMemory(memory: GlobalMemory, x: number): string {
  const region = memory.regions.find(({ start, size }) => x >= start && x < start + size);
  return region === undefined ? `byte ${x}` : `byte ${x - region.start} of ${region.name}`;
}
