/**
 * Some of a module's functions, by name: those in `only` (all, when it is absent) that are not in `except`. The
 * functions of one job are divided into subsets, one for each worker thread.
 */
export interface FunctionSubset {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

export const ALL_FUNCTIONS: FunctionSubset = {};

export const isInSubset = ({ only, except }: FunctionSubset, name: string): boolean =>
  (only === undefined || only.includes(name)) && except?.includes(name) !== true;
