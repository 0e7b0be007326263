import { f32, i32, inOut, line, out, u32 } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

const DEGREE = Math.PI / 180;

/** Latitude and longitude in radians: cities, of which most are in a few regions. */
function cities(d: Inputs, n: number): Float32Array {
  const regions = Array.from({ length: 8 }, () => [d.real(-40, 60), d.real(-170, 170)] as const);
  const places = new Float32Array(2 * n);
  for (let k = 0; k < n; k++) {
    const [latitude, longitude] = d.chance(0.8) ? d.pick(regions) : [d.real(-60, 70), d.real(-180, 180)];
    places.set([DEGREE * (latitude + d.normal()), DEGREE * (longitude + d.normal())], 2 * k);
  }
  return places;
}

/** Direction numbers for each dimension: from primitive polynomials over two elements. */
function directions(dimensions: number): Uint32Array {
  const numbers = new Uint32Array(32 * dimensions);
  const polynomials = [
    { degree: 0, taps: 0, first: [] },
    { degree: 1, taps: 0, first: [1] },
    { degree: 2, taps: 1, first: [1, 3] },
    { degree: 3, taps: 1, first: [1, 3, 1] },
  ];
  for (let dimension = 0; dimension < dimensions; dimension++) {
    const { degree, taps, first } = polynomials[dimension % polynomials.length]!;
    for (let bit = 0; bit < 32; bit++) {
      let value: number;
      if (degree === 0) value = 2 ** (31 - bit);
      else if (bit < degree) value = first[bit]! * 2 ** (31 - bit);
      else {
        const back = numbers[32 * dimension + bit - degree]!;
        value = back ^ (back >>> degree);
        for (let tap = 1; tap < degree; tap++)
          if (((taps >> (degree - 1 - tap)) & 1) === 1) value ^= numbers[32 * dimension + bit - tap]!;
      }
      numbers[32 * dimension + bit] = value;
    }
  }
  return numbers;
}

export const hecmath: Family = {
  geodesic_distance: (d) => {
    const n = d.count(1200);
    const from = cities(d, n);
    const to = cities(d, n);
    for (let k = 0; k < n; k++) {
      const [latitude, longitude] = [from[2 * k]!, from[2 * k + 1]!];
      const kind = d.fraction();
      if (kind < 0.04) to.set([latitude, longitude], 2 * k);
      else if (kind < 0.1)
        to.set(
          [-latitude + 0.002 * d.normal(), longitude + Math.PI * (longitude > 0 ? -1 : 1) + 0.002 * d.normal()],
          2 * k,
        );
    }
    return line(n, 256, out.f32(n), out.u8(n), from, to, i32(n));
  },
  interval_roots: (d) => {
    const n = d.count(640);
    const coefficients = new Float32Array(6 * n);
    for (let k = 0; k < n; k++) {
      // Roots, of which some are outside or close together, or two are not real.
      let polynomial = [d.real(0.5, 2)];
      const factor = (by: readonly number[]): void => {
        const product = new Array<number>(polynomial.length + by.length - 1).fill(0);
        for (const [a, left] of polynomial.entries())
          for (const [b, right] of by.entries()) product[a + b]! += left * right;
        polynomial = product;
      };
      const pair = d.fraction();
      if (pair < 0.5) factor([d.real(0.3, 2), d.real(-1, 1), 1]);
      else if (pair < 0.65) {
        const near = d.real(-1, 1);
        factor([-near, 1]);
        factor([-near - 0.02, 1]);
      } else for (let m = 0; m < 2; m++) factor([-d.real(-2, 2), 1]);
      for (let m = 0; m < 3; m++) factor([-d.real(-3, 3), 1]);
      for (let m = 0; m < 6; m++) coefficients[m * n + k] = polynomial[m]!;
    }
    return line(n, 64, out.i32(n), out.f32(5 * n), out.i32(n), coefficients, f32(-2), f32(2), i32(n));
  },
  bessel_order: (d) => {
    const n = d.count(1500);
    const argument = Float32Array.from({ length: n }, () => (d.chance(0.1) ? -1 : 1) * d.real(0, d.pick([3, 12, 30])));
    const order = Uint8Array.from({ length: n }, () => d.skewed(14));
    return line(n, 128, out.f32(n), argument, order, i32(n));
  },
  log_gamma: (d) => {
    const n = d.count(2000);
    const argument = Float32Array.from({ length: n }, () => {
      const kind = d.fraction();
      if (kind < 0.05) return -d.whole(0, 6);
      if (kind < 0.2) return -d.real(0, 8);
      return kind < 0.5 ? d.real(0, 3) : d.real(0, 60);
    });
    return line(n, 256, out.f32(n), inOut(new Int8Array(n)), argument, i32(n));
  },
  inverse_erf: (d) => {
    const n = d.count(2000);
    const argument = Float32Array.from({ length: n }, () => {
      const kind = d.fraction();
      if (kind < 0.02) return d.pick([-1, 1, 1.5]);
      return kind < 0.2 ? d.pick([-1, 1]) * (1 - d.real(0.0001, 0.02)) : d.real(-0.97, 0.97);
    });
    return line(n, 128, out.f32(n), out.i32(n), argument, i32(n));
  },
  chi_square_tail: (d) => {
    const n = d.count(1000);
    const freedom = d.ints(n, 1, 24);
    // Under the hypothesis about as large as the degrees of freedom, and far larger for what is significant.
    const statistic = Float32Array.from(freedom, (k) =>
      Math.max(0, k * (d.chance(0.2) ? d.real(1, 4) : 1 + 0.5 * d.normal())),
    );
    return line(n, 128, out.f32(n), out.i32(n), statistic, freedom, i32(n));
  },
  lomb_scargle: (d) => {
    const [stars, frequencies] = [d.count(16), 50];
    const [starts, times, values, mean] = [[0], [] as number[], [] as number[], [] as number[]];
    for (let star = 0; star < stars; star++) {
      const [samples, period, level] = [d.pick([6, 24, 48, 80]), d.real(0.7, 4), d.real(9, 13)];
      let time = 0;
      for (let k = 0; k < samples; k++) {
        time += d.chance(0.1) ? d.real(1, 3) : d.real(0.02, 0.2);
        const phase = time / period - Math.floor(time / period);
        times.push(time);
        values.push(level + (phase < 0.3 ? 0.4 * phase : 0.12 - 0.17 * (phase - 0.3)) + 0.02 * d.normal());
      }
      starts.push(times.length);
      mean.push(level + 0.06);
    }
    const n = stars * frequencies;
    const [at, seen] = [Float32Array.from(times), Float32Array.from(values)];
    const rest = [Int32Array.from(starts), Float32Array.from(mean), f32(0.1), f32(0.03), i32(frequencies), i32(n)];
    return line(n, 128, out.f32(n), at, seen, d.flags(at.length, 0.12), ...rest);
  },
  sobol_normals: (d) => {
    const [n, dimensions] = [d.count(500), 4];
    const { args, block } = line(
      n,
      128,
      out.f32(n * dimensions),
      directions(dimensions),
      i32(dimensions),
      u32(33),
      u32(d.whole(0, 2 ** 32 - 1)),
      i32(n),
    );
    return { grid: [Math.ceil(n / 128), dimensions], block, args };
  },
  adaptive_quadrature: (d) => {
    const n = d.count(768);
    const kinds = Uint8Array.from({ length: n }, () => d.pick([0, 0, 1, 2, 3]));
    const parameters = Float32Array.from(kinds, (kind) => (kind === 0 ? d.real(0.2, 6) : d.real(-0.5, 2)));
    const [from, to] = [d.floats(n, -1, 0.5), d.floats(n, 0.6, 2.5)];
    return line(n, 64, out.f32(n), out.i32(n), kinds, parameters, from, to, f32(0.008), i32(n));
  },
  kepler_orbits: (d) => {
    const n = d.count(1500);
    // Planets and asteroids, comets, and a few that do not come back.
    const eccentricity = Float32Array.from({ length: n }, () => {
      const kind = d.fraction();
      if (kind < 0.6) return d.real(0, 0.4);
      return kind < 0.8 ? d.real(0.8, 0.97) : kind < 0.88 ? 1 : d.real(1.02, 2.5);
    });
    return line(n, 128, out.f32(2 * n), out.i32(n), eccentricity, d.floats(n, -6, 6), d.floats(n, 0.3, 3), i32(n));
  },
};
