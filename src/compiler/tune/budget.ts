/** Most trials of `darm tune` per kernel and meld point. */
export const DEFAULT_BUDGET = 64;
