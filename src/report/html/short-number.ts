/** A number for readers: at most three decimals. */
export const shortNumber = (value: number): string => String(Math.round(value * 1000) / 1000);
