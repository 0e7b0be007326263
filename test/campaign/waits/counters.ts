/** The counters of outstanding memory operations that AMD's processors have, and what waits for them. */

/** A counter, under the name that the assembler has for it: `vmcnt`, `loadcnt` ... */
export type Counter = string;

/** Which counter an operation raises until it is done. */
export interface Family {
  /** 9 to 12. */
  readonly generation: number;
  /** Loads, and atomics that return the old value. */
  readonly load: Counter;
  /** Stores, and other atomics. Before gfx10 they share the counter of loads. */
  readonly store: Counter;
  readonly lds: Counter;
  /** Scalar loads and messages. */
  readonly scalar: Counter;
  readonly sample: Counter;
  readonly rayTracing: Counter;
}

const GFX10 = {
  load: 'vmcnt',
  store: 'vscnt',
  lds: 'lgkmcnt',
  scalar: 'lgkmcnt',
  sample: 'vmcnt',
  rayTracing: 'vmcnt',
};
const GFX12 = {
  ...{ load: 'loadcnt', store: 'storecnt', lds: 'dscnt', scalar: 'kmcnt' },
  ...{ sample: 'samplecnt', rayTracing: 'bvhcnt' },
};

/** @throws Error for gfx12.5, which has more counters, and for what is newer or older */
export function familyOf(cpu: string): Family {
  const [, digits] = /^gfx(9|1[0-2])[0-9a-f]{2}$/.exec(cpu) ?? [];
  if (digits === undefined || /^gfx125/.test(cpu)) throw new Error(`the checker of waits does not know ${cpu}`);
  const generation = Number(digits);
  if (generation === 9) return { generation, ...GFX10, store: 'vmcnt' };
  return { generation, ...(generation === 12 ? GFX12 : GFX10) };
}

/** At most `count` operations of a counter may be outstanding behind a wait. */
export interface Limit {
  readonly counter: Counter;
  readonly count: number;
}

/** What gfx12 has two counters in one wait for: six bits for the lower one. */
const COMBINED = /^s_wait_(loadcnt|storecnt)_dscnt$/;
/** Of exports, of registers that the vector unit has not written yet, of addresses that are being translated. */
const NOT_OF_MEMORY = /^s_waitcnt_(depctr|expcnt)$|^s_wait_(alu|expcnt|xcnt|event)$/;

/** Null where the instruction is not a wait. */
export function limitsOf(mnemonic: string, args: string, family: Family): readonly Limit[] | null {
  if (NOT_OF_MEMORY.test(mnemonic)) return [];
  const count = Number(args.split(',').at(-1));
  if (mnemonic === 's_waitcnt') {
    if (count === 0) return [...new Set([family.load, family.lds])].map((counter) => ({ counter, count }));
    const named = [...args.matchAll(/(\w+)\((\d+)\)/g)];
    return named.length === 0 ? null : named.map(([, counter, limit]) => ({ counter: counter!, count: Number(limit) }));
  }
  if (mnemonic === 's_wait_idle')
    return ['load', 'store', 'lds', 'scalar', 'sample', 'rayTracing'].map((each) => ({
      counter: family[each as 'load'],
      count: 0,
    }));
  const [, upper] = COMBINED.exec(mnemonic) ?? [];
  if (upper !== undefined)
    return [
      { counter: upper, count: count >> 8 },
      { counter: 'dscnt', count: count & 63 },
    ];
  const [, counter] = /^s_wait(?:cnt)?_(vmcnt|vscnt|lgkmcnt|(?:load|store|ds|km|sample|bvh)cnt)$/.exec(mnemonic) ?? [];
  return counter === undefined || Number.isNaN(count) ? null : [{ counter, count }];
}
