/**
 * Profiles as JSON that viewers of time lines open: Chrome's trace-event format in its object form ("Trace Event
 * Format", Google), which Perfetto, chrome://tracing and speedscope read. Processes are launches, threads are waves,
 * and a complete event (`X`) is the time that a wave spent in a basic block with the same lanes active. A microsecond
 * of the viewer is a cycle. The profiles themselves are in `darmProfile`, which viewers leave alone.
 */
import type { LaunchProfile, Timeline } from '../../simulator/profile/profile.js';

export interface ProfiledLaunches {
  /** What tells the runs apart: `meld off`; empty if there is only one. */
  readonly title: string;
  readonly launches: readonly LaunchProfile[];
}

interface TraceEvent {
  readonly name: string;
  /** Complete, or metadata. */
  readonly ph: 'X' | 'M';
  readonly pid: number;
  readonly tid: number;
  readonly args: Readonly<Record<string, string | number>>;
  readonly cat?: string;
  /** Microseconds; here, cycles. */
  readonly ts?: number;
  readonly dur?: number;
}

export interface ProfileDocument {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: 'ms';
  readonly otherData: { readonly unit: string };
  readonly darmProfile: { readonly schema: 1; readonly runs: readonly ProfiledLaunches[] };
}

export function profileDocument(runs: readonly ProfiledLaunches[]): ProfileDocument {
  const all = runs.flatMap(({ title, launches }) => launches.map((profile) => ({ title, profile })));
  return {
    traceEvents: all.flatMap(({ title, profile }, process) =>
      profile.timeline === null ? [] : launchEvents(title, profile, profile.timeline, process + 1),
    ),
    displayTimeUnit: 'ms',
    otherData: { unit: 'a microsecond stands for a cycle of the estimate' },
    darmProfile: { schema: 1, runs },
  };
}

function launchEvents(title: string, profile: LaunchProfile, timeline: Timeline, pid: number): TraceEvent[] {
  const { kernel, waveSize, blocks, functions, instructions, lines } = profile;
  const process = title === '' ? kernel : `${kernel} (${title})`;
  return [
    { name: 'process_name', ph: 'M', pid, tid: 0, args: { name: process } },
    ...timeline.waves.map(({ workgroup, wave, simd }, tid): TraceEvent => {
      const name = `workgroup ${workgroup} wave ${wave}, SIMD ${simd}`;
      return { name: 'thread_name', ph: 'M', pid, tid: tid + 1, args: { name } };
    }),
    ...timeline.wave.map((wave, at): TraceEvent => {
      const block = timeline.block[at]!;
      const { function: own, first } = blocks[block]!;
      const active = timeline.lanes[at]!;
      const source = lines[instructions[first]!.line];
      return {
        name: `${functions[own]!.name} B${block}`,
        cat: active === waveSize ? 'all lanes' : 'idle lanes',
        ph: 'X',
        pid,
        tid: wave + 1,
        ts: timeline.start[at]!,
        dur: timeline.end[at]! - timeline.start[at]!,
        args: { lanes: active, of: waveSize, ...(source !== undefined && { source: `${source.file}:${source.line}` }) },
      };
    }),
  ];
}
