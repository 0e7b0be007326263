/**
 * Records where waves spend their time while the replay runs: for each instruction, from when a wave came to it until
 * it came to the next, by what the wave did or waited for; and of the first waves, which block they were in when.
 *
 * Of what an `s_waitcnt` waits for, the replay knows when it is done. That time says which operation it was: the latest
 * of the wave that is done then.
 */
import type { LaneTrace } from '../profile/lane-trace.js';
import { WAITS, type Timeline, type TimelineWave, type Wait } from '../profile/profile.js';
import { addNested } from '../profile/lane-recorder.js';
import { TRACE_INDEX_BITS, type WaveTrace } from '../workgroup.js';
import { Kind, type StaticTiming } from './classify.js';

const INDEX_MASK = (1 << TRACE_INDEX_BITS) - 1;
/** Operations of a wave that are remembered: more than its counters hold together. */
const REMEMBERED = 256;
/** Spans of a time line. */
const MOST_SPANS = 20_000;

const column = (wait: Wait): number => WAITS.indexOf(wait);
const ISSUE = column('issue');
const UNIT = column('unit');
const RESULT = column('result');
const BARRIER = column('barrier');

const waitOn = (kind: number): number => {
  if (kind === Kind.Lds) return column('lds');
  if (kind === Kind.ScalarMemory) return column('scalarMemory');
  return column(kind === Kind.Message ? 'message' : 'vectorMemory');
};

/** Plain data. */
export interface RecordedTime {
  /** Cycles of waves: for each instruction, a column for each of `WAITS`. */
  readonly waits: Float64Array;
  /** By instruction. */
  readonly idleLaneCycles: Float64Array;
  /** By instruction that waited: cycles by the instruction that it waited for. */
  readonly waitedFor: Map<number, Map<number, number>>;
  /** Cycles of all waves from beginning to end. */
  waveCycles: number;
  timeline: Timeline | null;
}

export const noTime = (instructions: number): RecordedTime => ({
  waits: new Float64Array(instructions * WAITS.length),
  idleLaneCycles: new Float64Array(instructions),
  waitedFor: new Map(),
  waveCycles: 0,
  timeline: null,
});

/** Adds what another part of the launch recorded. Only one part has a time line. */
export function addTime(
  to: RecordedTime,
  { waits, idleLaneCycles, waitedFor, waveCycles, timeline }: RecordedTime,
): void {
  waits.forEach((cycles, index) => (to.waits[index]! += cycles));
  idleLaneCycles.forEach((cycles, index) => (to.idleLaneCycles[index]! += cycles));
  addNested(to.waitedFor, waitedFor);
  to.waveCycles += waveCycles;
  to.timeline ??= timeline;
}

/** A wave that is resident. */
interface ResidentWave {
  readonly trace: LaneTrace;
  readonly start: number;
  /** Of the instruction that it is at. */
  position: number;
  instruction: number;
  readonly done: Float64Array;
  readonly operations: Int32Array;
  started: number;
  /** In the time line; -1: it is not in it. */
  readonly line: number;
  span: Span | null;
}

/** Of a time line. */
interface Span {
  readonly block: number;
  readonly instruction: number;
  readonly lanes: number;
  readonly lowMask: number;
  readonly highMask: number;
  readonly start: number;
  end: number;
}

export class TimeRecorder {
  readonly time: RecordedTime;
  readonly #waves: ResidentWave[] = [];
  readonly #timeline: { waves: TimelineWave[]; spans: Span[][]; count: number } = { waves: [], spans: [], count: 0 };
  #recordsTimeline = false;

  /** @param blockOf by instruction: its basic block */
  constructor(
    private readonly code: StaticTiming,
    private readonly blockOf: Int32Array,
    private readonly waveSize: number,
  ) {
    this.time = noTime(blockOf.length);
  }

  /** Makes a time line of the waves that come, until the replay finishes. */
  keepTimeline(): void {
    this.#recordsTimeline = true;
  }

  begin(wave: number, trace: WaveTrace, simd: number, time: number): void {
    const lanes = trace as LaneTrace;
    const { waves, spans } = this.#timeline;
    const line = this.#recordsTimeline ? waves.length : -1;
    if (this.#recordsTimeline) {
      waves.push({ workgroup: lanes.workgroup, wave: lanes.wave, simd });
      spans.push([]);
    }
    this.#waves[wave] = {
      trace: lanes,
      start: time,
      position: -1,
      instruction: -1,
      done: new Float64Array(REMEMBERED),
      operations: new Int32Array(REMEMBERED),
      started: 0,
      line,
      span: null,
    };
  }

  /** The wave comes to its next instruction. */
  next(wave: number): void {
    const state = this.#waves[wave]!;
    state.position++;
    state.instruction = state.trace.words[state.position]! & INDEX_MASK;
  }

  neededResult(wave: number, from: number, to: number): void {
    this.#spend(this.#waves[wave]!, RESULT, from, to);
  }

  issued(wave: number, ready: number, time: number, to: number): void {
    const state = this.#waves[wave]!;
    this.#spend(state, UNIT, ready, time);
    this.#spend(state, ISSUE, time, to);
  }

  waitedAtBarrier(wave: number, from: number, to: number): void {
    this.#spend(this.#waves[wave]!, BARRIER, from, to);
  }

  /** The instruction is an operation that counters count until it is done. */
  started(wave: number, done: number): void {
    const state = this.#waves[wave]!;
    const place = state.started++ % REMEMBERED;
    state.done[place] = done;
    state.operations[place] = state.instruction;
  }

  waitedForMemory(wave: number, from: number, done: number): void {
    if (done <= from) return;
    const state = this.#waves[wave]!;
    let place = state.started - 1;
    while (place > state.started - REMEMBERED && place > 0 && state.done[place % REMEMBERED] !== done) place--;
    const operation = state.operations[place % REMEMBERED]!;
    this.#spend(state, waitOn(this.code.kind[operation]!), from, done);
    let waited = this.time.waitedFor.get(state.instruction);
    if (waited === undefined) this.time.waitedFor.set(state.instruction, (waited = new Map<number, number>()));
    waited.set(operation, (waited.get(operation) ?? 0) + done - from);
  }

  end(wave: number, time: number): void {
    const state = this.#waves[wave]!;
    this.time.waveCycles += time - state.start;
    this.#closeSpan(state);
  }

  /** All waves have ended; those to come begin at time 0 again. */
  finish(): void {
    if (!this.#recordsTimeline) return;
    this.#recordsTimeline = false;
    const { waves, spans, count } = this.#timeline;
    const all = spans.flatMap((ofWave, wave) => ofWave.map((span) => ({ wave, ...span })));
    const column = (name: keyof Span | 'wave'): number[] => all.map((span) => span[name]);
    this.time.timeline = {
      waves,
      wave: column('wave'),
      block: column('block'),
      instruction: column('instruction'),
      lanes: column('lanes'),
      lowMask: column('lowMask'),
      highMask: column('highMask'),
      start: column('start'),
      end: column('end'),
      truncated: count >= MOST_SPANS,
    };
  }

  #spend(state: ResidentWave, wait: number, from: number, to: number): void {
    if (to <= from) return;
    const { instruction } = state;
    const lanes = state.trace.lanes[state.position]!;
    this.time.waits[instruction * WAITS.length + wait]! += to - from;
    this.time.idleLaneCycles[instruction]! += (to - from) * (this.waveSize - lanes);
    if (state.line < 0) return;
    const block = this.blockOf[instruction]!;
    const { masks } = state.trace;
    const lowMask = masks?.[2 * state.position] ?? 0;
    const highMask = masks?.[2 * state.position + 1] ?? 0;
    const { span } = state;
    if (span?.block === block && span.lowMask === lowMask && span.highMask === highMask) span.end = to;
    else {
      this.#closeSpan(state);
      state.span = { block, instruction, lanes, lowMask, highMask, start: from, end: to };
    }
  }

  #closeSpan(state: ResidentWave): void {
    const { span, line } = state;
    if (span === null || this.#timeline.count >= MOST_SPANS) return;
    this.#timeline.spans[line]!.push(span);
    this.#timeline.count++;
    state.span = null;
  }
}
