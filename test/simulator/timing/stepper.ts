/**
 * A second implementation of the cycle estimate that steps through every cycle: the oracle of the random tests.
 * Shares only the classification of instructions with the real one.
 */
import type { TimingConstants } from '../../../src/simulator/timing/constants.js';
import { FIRST_SHARED_UNIT, Kind, Unit, type StaticTiming } from '../../../src/simulator/timing/classify.js';
import { NO_WAIT } from '../../../src/simulator/timing/waitcnt.js';
import type { Step } from './traces.js';

interface SteppedWave {
  readonly steps: readonly (readonly [number, number])[];
  readonly workgroup: SteppedWave[];
  readonly simd: number;
  position: number;
  ready: number;
  atBarrier: boolean;
  ended: boolean;
  readonly board: Map<number, number>;
  /** Completion times under each counter. */
  readonly outstanding: number[][];
}

/** @param places workgroups resident at once */
export function stepCycles(
  code: StaticTiming,
  constants: TimingConstants,
  places: number,
  workgroups: readonly (readonly (readonly Step[])[])[],
): number {
  const { simds, turn } = constants;
  const free = new Map<string, number>();
  const portOf = (simd: number, unit: number): string => `${unit < FIRST_SHARED_UNIT ? simd : 'cu'}/${unit}`;
  const waves: SteppedWave[] = [];
  const running: SteppedWave[][] = [];
  let next = 0;
  let ended = 0;

  const launch = (): void => {
    while (running.length < places && next < workgroups.length) {
      const workgroup: SteppedWave[] = [];
      for (const steps of workgroups[next++]!) {
        const load = Array.from({ length: simds }, (_, simd) => waves.filter((wave) => wave.simd === simd).length);
        const wave: SteppedWave = {
          steps: steps.map((step) => (typeof step === 'number' ? [step, 0] : step)),
          workgroup,
          simd: load.indexOf(Math.min(...load)),
          position: 0,
          ready: ended,
          atBarrier: false,
          ended: false,
          board: new Map(),
          outstanding: [[], [], [], []],
        };
        waves.push(wave);
        workgroup.push(wave);
      }
      running.push(workgroup);
    }
  };

  /** What the wave does by itself at this cycle. @returns whether it did anything */
  const internal = (wave: SteppedWave, time: number): boolean => {
    if (wave.ended || wave.atBarrier || wave.ready > time) return false;
    const [at] = wave.steps[wave.position]!;
    const cost = code.cost[at]!;
    switch (code.kind[at]) {
      case Kind.Delay:
        wave.ready += cost;
        wave.position++;
        return true;
      case Kind.Wait: {
        if (time < wave.ready + cost) return false;
        const over = wave.outstanding.some((times, counter) => {
          const allowed = code.waits[4 * at + counter]!;
          return allowed !== NO_WAIT && times.filter((completion) => completion > time).length > allowed;
        });
        if (over) return false;
        wave.ready = time;
        wave.position++;
        return true;
      }
      case Kind.Barrier:
        wave.atBarrier = true;
        wave.position++;
        return true;
      default:
        return false;
    }
  };

  const release = (time: number): boolean => {
    let any = false;
    for (const workgroup of running) {
      const live = workgroup.filter((wave) => !wave.ended || wave.ready > time);
      if (live.length === 0 || !live.every((wave) => wave.atBarrier)) continue;
      for (const wave of live) {
        wave.atBarrier = false;
        wave.ready = time + constants.barrier;
      }
      any = true;
    }
    return any;
  };

  const issue = (wave: SteppedWave, time: number): void => {
    const [at, transactions] = wave.steps[wave.position++]!;
    const kind = code.kind[at]!;
    if (kind === Kind.End) {
      wave.ended = true;
      wave.ready = time + turn;
      return;
    }
    const memory = kind !== Kind.Compute && kind !== Kind.Branch;
    const taken = Math.max(code.busy[at]!, memory ? transactions * code.busyPerTransaction[at]! : 0);
    free.set(portOf(wave.simd, code.unit[at]!), time + taken);
    if (code.secondUnit[at] !== Unit.None) free.set(portOf(wave.simd, code.secondUnit[at]!), time + turn);
    if (memory)
      wave.outstanding.forEach((times, counter) => {
        if ((code.counters[at]! >> counter) & 1) times.push(time + taken + code.latency[at]!);
      });
    for (const register of code.writes.subarray(code.writeStart[at], code.writeStart[at + 1]))
      wave.board.set(register, time + code.latency[at]!);
    const jumps = kind === Kind.Branch && wave.steps[wave.position]![0] !== at + 1;
    wave.ready = time + (jumps ? constants.branchTaken : code.cost[at]!);
  };

  const mayIssue = (wave: SteppedWave, time: number): boolean => {
    if (wave.ended || wave.atBarrier || wave.ready > time) return false;
    const [at] = wave.steps[wave.position]!;
    if (code.kind[at]! >= Kind.Wait) return false;
    const units = [code.unit[at]!, code.secondUnit[at]!];
    if (units.some((unit) => (free.get(portOf(wave.simd, unit)) ?? 0) > time)) return false;
    return code.reads
      .subarray(code.readStart[at], code.readStart[at + 1])
      .every((register) => (wave.board.get(register) ?? 0) <= time);
  };

  launch();
  for (let time = 0; running.length > 0; time++) {
    if (time > 1e6) throw new Error('this does not end');
    let busy = true;
    while (busy) {
      busy = waves.reduce((any, wave) => internal(wave, time) || any, false);
      busy = release(time) || busy;
    }
    const order = Array.from({ length: simds }, (_, simd) => simd);
    if (turn === 1 && time % 2 === 1) order.reverse();
    for (const simd of order) {
      if (time % turn !== simd % turn) continue;
      for (const wave of waves.filter((each) => each.simd === simd)) if (mayIssue(wave, time)) issue(wave, time);
      for (let place = running.length - 1; place >= 0; place--) {
        if (running[place]!.some((wave) => !wave.ended)) continue;
        running.splice(place, 1);
        ended = time + turn;
      }
      // A wave that has ended gives its slot back at once, even when its workgroup goes on.
      for (let at = waves.length - 1; at >= 0; at--) if (waves[at]!.ended) waves.splice(at, 1);
      launch();
    }
  }
  return ended;
}
