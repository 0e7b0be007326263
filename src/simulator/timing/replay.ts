/**
 * Replays traces of wavefronts on one compute unit: a discrete simulation that goes from one issue turn at which
 * something can happen to the next (docs/cycle-model.md is the model).
 *
 * Each wave knows when its next instruction may issue as far as the wave itself is concerned (`ready`), and which units
 * it needs; each unit knows when it is free. A wave is asleep until it is ready and then waits for its unit; at a
 * SIMD's turn each free unit takes the oldest wave that waits for it. Completion times of memory operations are known
 * when they issue, so waiting for a counter, and everything else that a wave does by itself, is worked out ahead
 * without an event.
 *
 * Invariants: time never goes back; within one turn a unit takes one instruction and a wave issues one. All state is in
 * flat arrays, nothing is allocated while running, and nothing depends on anything but the traces and their order.
 */
import { TRACE_INDEX_BITS, type WaveTrace } from '../workgroup.js';
import { FIRST_INTERNAL_KIND, FIRST_SHARED_UNIT, Kind, Unit, UNITS, type StaticTiming } from './classify.js';
import type { TimingConstants } from './constants.js';
import { Outstanding } from './outstanding.js';
import type { TimeRecorder } from './time-recorder.js';

const INDEX_MASK = (1 << TRACE_INDEX_BITS) - 1;
/** Most waves of a SIMD: a set of them is the bits of one word. */
const SLOTS = 32;
const VECTOR_UNITS = (1 << Unit.Vector) | (1 << Unit.Transcendental) | (1 << Unit.Matrix);
const NO_WORDS = new Uint32Array(0);

export class Replay {
  readonly #code: StaticTiming;
  readonly #constants: TimingConstants;
  readonly #wavesPerWorkgroup: number;
  readonly #places: number;
  /** Told where waves spend their time; null: nobody asks. */
  readonly #recorder: TimeRecorder | null;

  /** When each unit is free: the SIMDs' own, SIMD by SIMD, then the shared ones. */
  readonly #free: Float64Array;
  readonly #nextTurn: Float64Array;
  /** Waves of each SIMD, oldest first: `#resident[s]` of them from `s * SLOTS`. */
  readonly #order: Int32Array;
  readonly #resident: Int32Array;
  /**
   * Sets of waves of a SIMD, bit k for the k-th oldest: those not yet ready, and those ready, by the unit they wait
   * for.
   */
  readonly #asleep: Int32Array;
  readonly #queued: Int32Array;
  /** The set of units for which waves of a SIMD are queued. */
  readonly #pending: Int32Array;
  /** When the first of the waves that are asleep gets ready. */
  readonly #earliest: Float64Array;

  // Per wave; workgroup place p has the waves from p * wavesPerWorkgroup.
  readonly #words: Uint32Array[];
  readonly #position: Int32Array;
  /** -1 when the wave has ended. */
  readonly #simd: Int32Array;
  readonly #ready: Float64Array;
  /** The instruction that is next, and its transactions. */
  readonly #next: Int32Array;
  readonly #transactions: Int32Array;
  /** When each register can be read. */
  readonly #board: Float64Array;
  readonly #outstanding: Outstanding;
  /** When a wave came to the barrier, -1 when it is not there. */
  readonly #arrived: Float64Array;

  // Per place.
  readonly #live: Int32Array;
  readonly #waiting: Int32Array;
  readonly #vacant: number[] = [];

  /** The turn that is being looked at. */
  #now = 0;
  /** When the latest workgroup ended. */
  #ended = 0;
  #retired = false;

  /** @param places workgroups that the compute unit holds at once */
  constructor(
    code: StaticTiming,
    constants: TimingConstants,
    places: number,
    wavesPerWorkgroup: number,
    recorder: TimeRecorder | null = null,
  ) {
    const { simds } = constants;
    const waves = places * wavesPerWorkgroup;
    if (waves > simds * SLOTS) throw new Error(`${waves} waves on ${simds} SIMDs`);
    this.#code = code;
    this.#constants = constants;
    this.#places = places;
    this.#wavesPerWorkgroup = wavesPerWorkgroup;
    this.#recorder = recorder;
    this.#free = new Float64Array(simds * FIRST_SHARED_UNIT + UNITS - FIRST_SHARED_UNIT);
    this.#nextTurn = new Float64Array(simds).fill(Infinity);
    this.#order = new Int32Array(simds * SLOTS);
    this.#resident = new Int32Array(simds);
    this.#asleep = new Int32Array(simds);
    this.#queued = new Int32Array(simds * UNITS);
    this.#pending = new Int32Array(simds);
    this.#earliest = new Float64Array(simds).fill(Infinity);
    this.#words = Array.from({ length: waves }, () => NO_WORDS);
    this.#position = new Int32Array(waves);
    this.#simd = new Int32Array(waves);
    this.#ready = new Float64Array(waves);
    this.#next = new Int32Array(waves);
    this.#transactions = new Int32Array(waves);
    this.#board = new Float64Array(waves * code.registers);
    this.#outstanding = new Outstanding(waves);
    this.#arrived = new Float64Array(waves).fill(-1);
    this.#live = new Int32Array(places);
    this.#waiting = new Int32Array(places);
    for (let place = places - 1; place >= 0; place--) this.#vacant.push(place);
  }

  /**
   * Starts a workgroup as soon as there is a place; until then the others run. Its traces are read until it has ended,
   * which may be as late as `finish`.
   */
  add(traces: readonly WaveTrace[]): void {
    if (traces.length > this.#wavesPerWorkgroup)
      throw new Error(`a workgroup of ${traces.length} waves instead of ${this.#wavesPerWorkgroup}`);
    if (traces.length === 0) return;
    for (const trace of traces) this.#check(trace);
    while (this.#vacant.length === 0) this.#step();
    const place = this.#vacant.pop()!;
    this.#live[place] = traces.length;
    traces.forEach((trace, number) => this.#startWave(place * this.#wavesPerWorkgroup + number, trace));
    for (let number = 0; number < traces.length; number++) this.#resume(place * this.#wavesPerWorkgroup + number);
  }

  /** Runs everything to its end. @returns cycles since the first workgroup began; the next one begins at 0 again */
  finish(): number {
    while (this.#vacant.length < this.#places) this.#step();
    const cycles = this.#ended;
    this.#recorder?.finish();
    this.#free.fill(0);
    this.#now = this.#ended = 0;
    this.#vacant.length = 0;
    for (let place = this.#places - 1; place >= 0; place--) this.#vacant.push(place);
    return cycles;
  }

  #check(trace: WaveTrace): void {
    const last = trace.length === 0 ? -1 : trace.words[trace.length - 1]! & INDEX_MASK;
    if (last < 0 || this.#code.kind[last] !== Kind.End)
      throw new Error('a trace that does not end with the end of its program');
  }

  #startWave(wave: number, trace: WaveTrace): void {
    const { simds } = this.#constants;
    const { registers } = this.#code;
    let simd = 0;
    for (let other = 1; other < simds; other++) if (this.#resident[other]! < this.#resident[simd]!) simd = other;
    const slot = this.#resident[simd]!++;
    this.#order[simd * SLOTS + slot] = wave;
    this.#asleep[simd]! |= 1 << slot;
    this.#simd[wave] = simd;
    this.#words[wave] = trace.words;
    this.#position[wave] = 0;
    this.#ready[wave] = this.#ended;
    this.#arrived[wave] = -1;
    this.#board.fill(0, wave * registers, (wave + 1) * registers);
    this.#outstanding.clear(wave);
    this.#recorder?.begin(wave, trace, simd, this.#ended);
  }

  /** The turn that comes next. */
  #step(): void {
    const nextTurn = this.#nextTurn;
    const { simds } = this.#constants;
    let simd = 0;
    let time = nextTurn[0]!;
    for (let other = 1; other < simds; other++) {
      const at = nextTurn[other]!;
      // Where SIMDs have their turns at the same time, they go first alternately.
      if (at < time || (at === time && (at & 1) === 1)) {
        time = at;
        simd = other;
      }
    }
    if (time === Infinity) throw new Error('waves wait at a barrier that others never reach');
    this.#now = time;
    this.#turn(simd, time);
  }

  #turn(simd: number, time: number): void {
    const free = this.#free;
    const queued = this.#queued;
    const queues = simd * UNITS;
    this.#nextTurn[simd] = Infinity;
    if (this.#earliest[simd]! <= time) this.#rouse(simd, time);

    let next = Infinity;
    for (let left = this.#pending[simd]! & ~VECTOR_UNITS; left !== 0; left &= left - 1) {
      const unit = 31 - Math.clz32(left & -left);
      const port = this.#portOf(simd, unit);
      // At most once for a real unit, which is then taken.
      while (free[port]! <= time && queued[queues + unit] !== 0) this.#issueOldest(simd, queued[queues + unit]!, time);
      if (queued[queues + unit] !== 0) next = Math.min(next, free[port]!);
    }
    if ((this.#pending[simd]! & VECTOR_UNITS) !== 0) next = Math.min(next, this.#vectorTurn(simd, time));

    if (this.#retired) this.#removeRetired(simd);
    this.#wake(simd, Math.max(time + this.#constants.turn, Math.min(next, this.#earliest[simd]!)));
  }

  /**
   * The three units that share the vector issue: the oldest wave whose own unit is free.
   * @returns when one of the waves that are left may issue
   */
  #vectorTurn(simd: number, time: number): number {
    const free = this.#free;
    const queued = this.#queued;
    const vector = simd * UNITS + Unit.Vector;
    const transcendental = simd * UNITS + Unit.Transcendental;
    const matrix = simd * UNITS + Unit.Matrix;
    const own = simd * FIRST_SHARED_UNIT;
    const issue = own + Unit.Vector;
    if (free[issue]! <= time) {
      let candidates = queued[vector]!;
      if (free[own + Unit.Transcendental]! <= time) candidates |= queued[transcendental]!;
      if (free[own + Unit.Matrix]! <= time) candidates |= queued[matrix]!;
      if (candidates !== 0) this.#issueOldest(simd, candidates, time);
    }
    if (queued[vector] !== 0) return free[issue]!;
    let next = Infinity;
    if (queued[transcendental] !== 0) next = free[own + Unit.Transcendental]!;
    if (queued[matrix] !== 0) next = Math.min(next, free[own + Unit.Matrix]!);
    return Math.max(next, free[issue]!);
  }

  /** Moves the waves whose time has come from those asleep to the queues of their units. */
  #rouse(simd: number, time: number): void {
    const { unit } = this.#code;
    let asleep = this.#asleep[simd]!;
    let earliest = Infinity;
    for (let left = asleep; left !== 0; left &= left - 1) {
      const bit = left & -left;
      const wave = this.#order[simd * SLOTS + 31 - Math.clz32(bit)]!;
      const ready = this.#ready[wave]!;
      if (ready <= time) {
        const queue = unit[this.#next[wave]!]!;
        asleep ^= bit;
        this.#queued[simd * UNITS + queue]! |= bit;
        this.#pending[simd]! |= 1 << queue;
      } else if (ready < earliest) earliest = ready;
    }
    this.#asleep[simd] = asleep;
    this.#earliest[simd] = earliest;
  }

  /** @param candidates a set of waves that wait for a unit which is free */
  #issueOldest(simd: number, candidates: number, time: number): void {
    const bit = candidates & -candidates;
    const wave = this.#order[simd * SLOTS + 31 - Math.clz32(bit)]!;
    const queue = this.#code.unit[this.#next[wave]!]!;
    const others = this.#queued[simd * UNITS + queue]! ^ bit;
    this.#queued[simd * UNITS + queue] = others;
    if (others === 0) this.#pending[simd]! ^= 1 << queue;
    this.#asleep[simd]! |= bit;
    this.#issue(simd, wave, time);
    const ready = this.#ready[wave]!;
    if (ready < this.#earliest[simd]!) this.#earliest[simd] = ready;
  }

  /** Makes sure that a SIMD has a turn at or after a time. */
  #wake(simd: number, time: number): void {
    const { turn } = this.#constants;
    const earliest = Math.max(time, this.#now);
    const aligned = turn === 1 ? earliest : simd + Math.ceil((earliest - simd) / turn) * turn;
    if (aligned < this.#nextTurn[simd]!) this.#nextTurn[simd] = aligned;
  }

  #issue(simd: number, wave: number, time: number): void {
    const { kind, unit, secondUnit, busy, busyPerTransaction, latency, cost, counters, writeStart, writes } =
      this.#code;
    const { turn, branchTaken } = this.#constants;
    const free = this.#free;
    const recorder = this.#recorder;
    const at = this.#next[wave]!;
    const what = kind[at]!;
    let taken = busy[at]!;
    let hold = cost[at]!;
    if (what === Kind.Compute) {
      const board = wave * this.#code.registers;
      const ready = time + latency[at]!;
      const end = writeStart[at + 1]!;
      for (let k = writeStart[at]!; k < end; k++) this.#board[board + writes[k]!] = ready;
    } else if (what === Kind.Branch) {
      if ((this.#words[wave]![this.#position[wave]!]! & INDEX_MASK) !== at + 1) hold = branchTaken;
    } else if (what === Kind.End) {
      recorder?.issued(wave, this.#ready[wave]!, time, time + turn);
      recorder?.end(wave, time + turn);
      this.#endWave(wave, time + turn);
      return;
    } else {
      taken = Math.max(taken, this.#transactions[wave]! * busyPerTransaction[at]!);
      this.#outstanding.add(wave, counters[at]!, time + taken + latency[at]!);
      recorder?.started(wave, time + taken + latency[at]!);
    }
    recorder?.issued(wave, this.#ready[wave]!, time, time + hold);
    free[this.#portOf(simd, unit[at]!)] = time + taken;
    if (secondUnit[at] !== Unit.None) free[this.#portOf(simd, secondUnit[at]!)] = time + turn;
    this.#ready[wave] = time + hold;
    this.#prepare(wave);
  }

  /** Goes through what the wave does by itself, up to the next instruction that needs a unit. */
  #prepare(wave: number): void {
    const { kind, cost, waits, readStart, reads, registers } = this.#code;
    const words = this.#words[wave]!;
    const recorder = this.#recorder;
    let position = this.#position[wave]!;
    let ready = this.#ready[wave]!;
    for (;;) {
      const word = words[position++]!;
      const at = word & INDEX_MASK;
      const what = kind[at]!;
      recorder?.next(wave);
      if (what < FIRST_INTERNAL_KIND) {
        const reached = ready;
        const board = wave * registers;
        const end = readStart[at + 1]!;
        for (let k = readStart[at]!; k < end; k++) {
          const known = this.#board[board + reads[k]!]!;
          if (known > ready) ready = known;
        }
        recorder?.neededResult(wave, reached, ready);
        this.#next[wave] = at;
        this.#transactions[wave] = word >>> TRACE_INDEX_BITS;
        this.#position[wave] = position;
        this.#ready[wave] = ready;
        return;
      }
      if (what === Kind.Barrier) {
        this.#position[wave] = position;
        this.#arrive(wave, ready);
        return;
      }
      const reached = ready;
      ready += cost[at]!;
      recorder?.issued(wave, reached, reached, ready);
      if (what === Kind.Wait) {
        const done = Math.max(ready, this.#outstanding.waitedFor(wave, waits, 4 * at));
        recorder?.waitedForMemory(wave, ready, done);
        ready = done;
      }
    }
  }

  #portOf(simd: number, unit: number): number {
    if (unit < FIRST_SHARED_UNIT) return simd * FIRST_SHARED_UNIT + unit;
    return this.#constants.simds * FIRST_SHARED_UNIT + unit - FIRST_SHARED_UNIT;
  }

  #arrive(wave: number, time: number): void {
    const place = Math.floor(wave / this.#wavesPerWorkgroup);
    this.#arrived[wave] = time;
    this.#ready[wave] = Infinity;
    this.#waiting[place]!++;
    this.#releaseIfComplete(place, time);
  }

  /** Lets the waves of a workgroup go on when all that still run are at the barrier. @param time of the latest event */
  #releaseIfComplete(place: number, time: number): void {
    const arrived = this.#arrived;
    if (this.#waiting[place] !== this.#live[place]) return;
    const first = place * this.#wavesPerWorkgroup;
    const end = first + this.#wavesPerWorkgroup;
    let latest = time;
    for (let wave = first; wave < end; wave++) latest = Math.max(latest, arrived[wave]!);
    this.#waiting[place] = 0;
    for (let wave = first; wave < end; wave++) {
      if (arrived[wave]! < 0) continue;
      const passed = latest + this.#constants.barrier;
      this.#recorder?.waitedAtBarrier(wave, arrived[wave]!, passed);
      arrived[wave] = -1;
      this.#ready[wave] = passed;
      this.#resume(wave);
    }
  }

  /** Prepares a wave that no turn is looking at. */
  #resume(wave: number): void {
    this.#prepare(wave);
    const simd = this.#simd[wave]!;
    const ready = this.#ready[wave]!;
    if (ready < this.#earliest[simd]!) this.#earliest[simd] = ready;
    this.#wake(simd, ready);
  }

  #endWave(wave: number, time: number): void {
    const place = Math.floor(wave / this.#wavesPerWorkgroup);
    this.#simd[wave] = -1;
    this.#ready[wave] = Infinity;
    this.#words[wave] = NO_WORDS;
    this.#retired = true;
    if (--this.#live[place]! > 0) {
      this.#releaseIfComplete(place, time);
      return;
    }
    this.#ended = time;
    this.#vacant.push(place);
  }

  #removeRetired(simd: number): void {
    const first = simd * SLOTS;
    for (let slot = this.#resident[simd]! - 1; slot >= 0; slot--) {
      if (this.#simd[this.#order[first + slot]!] !== -1) continue;
      this.#order.copyWithin(first + slot, first + slot + 1, first + this.#resident[simd]!--);
      this.#asleep[simd] = without(this.#asleep[simd]!, slot);
      for (let queue = simd * UNITS; queue < (simd + 1) * UNITS; queue++)
        this.#queued[queue] = without(this.#queued[queue]!, slot);
    }
    this.#retired = false;
  }
}

/** The set without `slot`, with the members behind it moved down by one. */
function without(set: number, slot: number): number {
  const below = (1 << slot) - 1;
  return (set & below) | ((set >>> 1) & ~below);
}
