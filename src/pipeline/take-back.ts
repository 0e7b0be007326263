/**
 * What happens when no code can be generated from melded functions: those at fault go out as they came in. Melding
 * merges values and live ranges, and LLVM may run out of registers, of stack or of memory on what comes out, although
 * it compiled what went in.
 *
 * The functions at fault are found by trying, always in the same order, so the same melds are taken back on every
 * machine and whichever workers melded. Each attempt emits with some of the edit logs, from a heap like a fresh
 * instance's.
 */
import { DarmError } from '../errors.js';
import { hasEdits, type EditLog } from '../job/edit-log.js';
import type { Events } from '../job/events.js';
import type { CompileResult } from '../job/results.js';
import { keptSwitches, refusedMelds } from './collect-remarks.js';
import { withoutMelds } from './record-history.js';

export interface FailedEmission {
  /** The logs with which emission failed. */
  readonly logs: readonly EditLog[];
  /** Emits with these edits and no others; throws a `DarmError`. */
  readonly emitWith: (logs: readonly EditLog[]) => Promise<CompileResult>;
  /** Whether melds may be the cause of an error. What else goes wrong ends the search. */
  readonly isFault: (error: unknown) => error is DarmError;
  readonly events: Events;
}

/**
 * Emits without the melds that cannot be emitted.
 *
 * @throws DarmError that of emission without melds, if that fails, too: then melding is not at fault
 */
export async function emitWithoutFaults(failed: FailedEmission): Promise<CompileResult> {
  const { logs, emitWith, events } = failed;
  await emitWith([]);
  const takeBack = (faults: ReadonlyMap<EditLog, DarmError>): EditLog[] =>
    logs.map((log) => {
      const error = faults.get(log);
      if (error === undefined) return log;
      events.diagnostic(`'${log.function}' goes out as it came in: ${reasonOf(error)}`);
      return takenBack(log, error);
    });
  const melded = logs.filter(hasEdits).sort((a, b) => a.position - b.position);
  const faults = new Map<EditLog, DarmError>();
  await findFaults(failed, melded, faults);
  const result = await attempt(failed, takeBack(faults));
  if (!(result instanceof DarmError)) return result;
  // What can be emitted alone may fail together. Then nothing says which function is at fault.
  return emitWith(takeBack(new Map(melded.map((log) => [log, faults.get(log) ?? result]))));
}

/** Finds the logs that cannot be emitted alone. By halving, since few of many functions are at fault. */
async function findFaults(
  failed: FailedEmission,
  logs: readonly EditLog[],
  faults: Map<EditLog, DarmError>,
): Promise<void> {
  const result = await attempt(failed, logs);
  if (!(result instanceof DarmError)) return;
  if (logs.length === 1) return void faults.set(logs[0]!, result);
  const middle = logs.length >> 1;
  await findFaults(failed, logs.slice(0, middle), faults);
  await findFaults(failed, logs.slice(middle), faults);
}

async function attempt(
  { emitWith, isFault }: FailedEmission,
  logs: readonly EditLog[],
): Promise<CompileResult | DarmError> {
  try {
    return await emitWith(logs);
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
}

const reasonOf = ({ message }: DarmError): string => `no code can be generated from what melding made: ${message}`;

/** The log of a function that goes out as it came in. */
function takenBack(log: EditLog, error: DarmError): EditLog {
  const bailout = reasonOf(error);
  const { history, ...rest } = cutBack(log, 0, bailout);
  return { ...rest, history: history && { ...history, bailout }, bailout };
}

/** The log of a function with its first rounds only. @param why the others are taken back */
export function cutBack<Log extends Pick<EditLog, 'rounds' | 'history'>>(
  log: Log,
  count: number,
  why: string,
): Log & Pick<EditLog, 'isInPlace'> {
  const { rounds, history } = log;
  const { remarks } = rounds[count]!;
  const kept = rounds.slice(count).some(({ lowered }) => lowered.length > 0) ? keptSwitches(remarks, why) : remarks;
  const after = history && (history.steps[count]?.before ?? history.after);
  return {
    ...log,
    rounds: rounds.slice(0, count),
    gain: 1,
    lastRemarks: refusedMelds(kept, why),
    history: history && { ...history, steps: history.steps.slice(0, count), after: withoutMelds(after!, why) },
    isInPlace: false,
  };
}
