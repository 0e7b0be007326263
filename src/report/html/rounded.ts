/** A figure for readers: at most three decimals. */
export const rounded = (value: number): string => String(Math.round(value * 1000) / 1000);
