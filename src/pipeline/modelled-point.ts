/**
 * The better meld point (`--meld-point auto`). The module is melded at both, and what the functions gain by the cost
 * model is compared: at each point over the same code without melds. That the passes in front of an early meld change
 * this code, too, is not seen here. Where code size is the profit, the code itself says it.
 */
import type { LlvmRuntime } from '../binding/runtime.js';
import { NO_EVENTS } from '../job/events.js';
import { ALL_FUNCTIONS } from '../job/function-subset.js';
import type { JobOptions } from '../job/options.js';
import { chosenCode, meldInPlace, meldSubset } from './compile.js';
import { Compilation, inFreshHeap } from './compilation.js';

/** Whether the meld point may depend on code that is generated. */
export const isJudgedByCode = ({ meldPoint, profit }: JobOptions): boolean =>
  meldPoint === 'auto' && profit !== 'paper';

export function modelledPoint(runtime: LlvmRuntime, bytes: Uint8Array, options: JobOptions): 'early' | 'late' {
  if (options.optimize === 'none' || options.meld === 'off') return 'late';
  /** The logarithm of the product: nobody knows how often each function runs, so all count alike. */
  const gainAt = (meldPoint: 'early' | 'late'): number =>
    inFreshHeap(runtime, () => {
      const compilation = new Compilation(runtime, bytes, { ...options, meldPoint }, NO_EVENTS, { judges: true });
      const { logs } = meldSubset(compilation, ALL_FUNCTIONS);
      return logs.reduce((sum, { gain }) => sum + Math.log(gain), 0);
    });
  /** Bytes of all functions. */
  const sizeAt = (meldPoint: 'early' | 'late'): number =>
    inFreshHeap(runtime, () => {
      const compilation = new Compilation(runtime, bytes, { ...options, meldPoint, emit: [], stats: false }, NO_EVENTS);
      const { module, logs } = meldInPlace(compilation);
      const { code } = chosenCode(compilation, logs, module, 'sizes').emitted;
      return [...(code?.sizes.values() ?? [])].reduce((sum, size) => sum + size, 0);
    });
  const isEarly = options.profit === 'size' ? sizeAt('early') < sizeAt('late') : gainAt('early') > gainAt('late');
  return isEarly ? 'early' : 'late';
}
