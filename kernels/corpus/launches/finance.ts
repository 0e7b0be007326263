import { f32, groups, i32, line, out } from '../launch.js';
import type { Family } from '../family.js';

const date = (year: number, month: number, day: number): number => year * 10000 + month * 100 + day;

export const finance: Family = {
  black_scholes_book: (d) => {
    const n = d.count(2000);
    const [spot, strike, years] = [d.floats(n, 5, 30), d.floats(n, 1, 100), d.floats(n, 0.25, 10)];
    return line(n, 256, out.f32(n), spot, strike, years, d.flags(n, 0.5), f32(0.02), f32(0.3), i32(n));
  },
  binomial_american: (d) => {
    const n = d.count(24);
    return groups(n, 128, out.f32(n), d.floats(n, 80, 120), d.floats(n, 80, 120), i32(100));
  },
  barrier_paths: (d) => {
    const n = d.count(1000);
    return line(n, 128, out.f32(n), d.uints(n), f32(100), f32(100), f32(118), i32(64), i32(n));
  },
  implied_volatility: (d) => {
    const n = d.count(1000);
    const strike = d.floats(n, 70, 130);
    const price = strike.map((x) => Math.max(0.1, 100 - x) + d.real(1, 20));
    return line(n, 128, out.f32(n), out.i32(n), price, strike, i32(n));
  },
  accrued_interest: (d) => {
    const n = d.count(2000);
    const from = Int32Array.from({ length: n }, () =>
      date(d.whole(2000, 2010), d.whole(1, 12), d.pick([1, 15, 15, 30, 31])),
    );
    const to = from.map((each) => each + 10000 * d.whole(0, 5) + (d.chance(0.2) ? 31 - (each % 100) : 0));
    // Most bonds of a portfolio follow one convention.
    const convention = Uint8Array.from(from, () => (d.chance(0.7) ? 0 : d.whole(1, 3)));
    return line(n, 256, out.f32(n), from, to, convention, d.floats(n, 1, 8), i32(n));
  },
  progressive_tax: (d) => {
    const n = d.count(2000);
    const income = Float32Array.from({ length: n }, () => 5000 + d.skewed(300000) + d.real(0, 30000));
    return line(n, 256, out.f32(n), income, d.flags(n, 0.5), i32(n));
  },
};
