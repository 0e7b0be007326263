import fc from 'fast-check';
import { align } from '../../../src/melding/decide/alignment.js';
import type { Alignment, AlignmentProblem } from '../../../src/melding/decide/alignment.js';
import { alignChains, wholeBand } from '../../../src/melding/decide/chain-alignment.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/alignment', { tests: 8 });

/** A problem with a score for every cell. `-Infinity`: the two must not pair. */
type DenseProblem = Omit<AlignmentProblem, 'cells' | 'gains'> & { readonly score: (i: number, j: number) => number };

const alignDense = (p: DenseProblem): Alignment => {
  const all = Array.from({ length: p.countT * p.countF }, (_, cell) =>
    p.score(Math.floor(cell / p.countF), cell % p.countF),
  );
  // Every second impossible cell is left out. The others have a gain of `-Infinity`.
  const cells = [...all.keys()].filter((cell) => all[cell] > -Infinity || cell % 2 === 0);
  return align({ ...p, cells: Int32Array.from(cells), gains: Float64Array.from(cells, (cell) => all[cell]) });
};

/** The best total, by trying all monotone pairings. Each run of gaps costs the cheaper of speculation and guard. */
function bruteForce(p: DenseProblem): number {
  let best = -Infinity;
  const gapCost = (i: number, toI: number, j: number, toJ: number): number => {
    const run = (from: number, to: number, allowed: Uint8Array, guard: number): number => {
      if (from === to) return 0;
      const safe = allowed.subarray(from, to).every((x) => x === 1);
      return Math.min(guard, safe ? (to - from) * p.speculateCost : Infinity);
    };
    const guardedT = run(i, toI, new Uint8Array(p.countT), p.guardCost);
    const t = run(i, toI, p.speculatableT, Infinity);
    // If the T run is guarded, guarding the F run is cheaper.
    return Math.min(
      t + run(j, toJ, p.speculatableF, p.guardCost),
      guardedT + run(j, toJ, p.speculatableF, toI > i ? p.secondGuardCost : p.guardCost),
    );
  };
  const visit = (i: number, j: number, sum: number): void => {
    best = Math.max(best, sum - gapCost(i, p.countT, j, p.countF));
    for (let x = i; x < p.countT; x++)
      for (let y = j; y < p.countF; y++)
        if (p.score(x, y) > -Infinity) visit(x + 1, y + 1, sum - gapCost(i, x, j, y) + p.score(x, y));
  };
  visit(0, 0, 0);
  return best;
}

const problem = fc
  .record({ countT: fc.nat(5), countF: fc.nat(5) })
  .chain(({ countT, countF }) =>
    fc.record({
      countT: fc.constant(countT),
      countF: fc.constant(countF),
      scores: fc.array(fc.oneof(fc.constant(-Infinity), fc.integer({ min: -8, max: 40 })), {
        minLength: countT * countF,
        maxLength: countT * countF,
      }),
      t: fc.array(fc.nat(1), { minLength: countT, maxLength: countT }),
      f: fc.array(fc.nat(1), { minLength: countF, maxLength: countF }),
      speculateCost: fc.integer({ min: 0, max: 4 }),
      guardCost: fc.integer({ min: 0, max: 20 }),
      share: fc.integer({ min: 0, max: 4 }),
    }),
  )
  .map((r): DenseProblem => ({
    countT: r.countT,
    countF: r.countF,
    score: (i, j) => r.scores[i * r.countF + j],
    speculatableT: Uint8Array.from(r.t),
    speculatableF: Uint8Array.from(r.f),
    speculateCost: r.speculateCost,
    guardCost: r.guardCost,
    secondGuardCost: (r.guardCost * r.share) / 4,
  }));

test('is optimal', () => {
  fc.assert(
    fc.property(problem, (p) => assert.is(alignDense(p).total, bruteForce(p))),
    { numRuns: 600 },
  );
});

test('keeps both orders and pairs only what may pair', () => {
  fc.assert(
    fc.property(problem, (p) => {
      let last = -1;
      alignDense(p).partner.forEach((j, i) => {
        if (j < 0) return;
        assert.ok(j > last && j < p.countF);
        assert.ok(p.score(i, j) > -Infinity);
        last = j;
      });
    }),
  );
});

test('empty sequences', () => {
  const none = {
    speculatableT: new Uint8Array(0),
    speculatableF: new Uint8Array(0),
    speculateCost: 1,
    guardCost: 10,
    secondGuardCost: 5,
  };
  assert.is(alignDense({ countT: 0, countF: 0, score: () => 0, ...none }).total, 0);
});

test('two runs of one group share the guard', () => {
  const t = new Uint8Array([0, 0]);
  const p = {
    countT: 2,
    countF: 2,
    score: () => -Infinity,
    speculatableT: t,
    speculatableF: t,
    speculateCost: 1,
    guardCost: 10,
    secondGuardCost: 4,
  };
  assert.is(alignDense(p).total, -14);
});

test('a short safe run is speculated, a long one guarded', () => {
  const of = (n: number): number =>
    alignDense({
      countT: n,
      countF: 0,
      score: () => -Infinity,
      speculatableT: new Uint8Array(n).fill(1),
      speculatableF: new Uint8Array(0),
      speculateCost: 1,
      guardCost: 4,
      secondGuardCost: 4,
    }).total;
  assert.is(of(3), -3);
  assert.is(of(9), -4);
});

function bruteChains(m: number, n: number, value: (i: number, j: number) => number, bonus: number): number {
  let best = 0;
  const visit = (i: number, j: number, sum: number, last: boolean): void => {
    best = Math.max(best, sum);
    for (let x = i; x < m; x++)
      for (let y = j; y < n; y++)
        if (value(x, y) > -Infinity)
          visit(x + 1, y + 1, sum + value(x, y) + (last && x === i && y === j ? bonus : 0), true);
  };
  visit(0, 0, 0, false);
  return best;
}

test('chains: optimal, in order, total adds up', () => {
  const input = fc.record({
    m: fc.nat(4),
    n: fc.nat(4),
    bonus: fc.nat(6),
    values: fc.array(fc.oneof(fc.constant(-Infinity), fc.integer({ min: -6, max: 10 })), {
      minLength: 16,
      maxLength: 16,
    }),
  });
  fc.assert(
    fc.property(input, ({ m, n, bonus, values }) => {
      const value = (i: number, j: number): number => values[i * 4 + j];
      const { pairs, total } = alignChains(wholeBand(m, n), n, value, bonus);
      assert.is(total, bruteChains(m, n, value, bonus));
      let sum = 0;
      pairs.forEach(([i, j], k) => {
        const before = pairs[k - 1];
        if (before) assert.ok(before[0] < i && before[1] < j);
        sum += value(i, j) + (before && before[0] === i - 1 && before[1] === j - 1 ? bonus : 0);
      });
      assert.is(sum, total);
    }),
    { numRuns: 500 },
  );
});

test('chains: a band is as if nothing else could pair', () => {
  const input = fc.record({
    n: fc.integer({ min: 1, max: 6 }),
    // Of each row: how far its run begins behind that of the row above, and how far it ends behind it.
    rows: fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { maxLength: 6 }),
    bonus: fc.nat(6),
    values: fc.array(fc.integer({ min: -6, max: 10 }), { minLength: 36, maxLength: 36 }),
  });
  fc.assert(
    fc.property(input, ({ n, rows, bonus, values }) => {
      const value = (i: number, j: number): number => values[i * 6 + j];
      const band = wholeBand(rows.length, n);
      for (let i = 0, first = 0, end = 0; i < rows.length; i++) {
        first = Math.min(n, first + rows[i][0]);
        end = Math.min(n, Math.max(first, end + rows[i][1]));
        band.first[i] = first;
        band.end[i] = end;
      }
      const inBand = (i: number, j: number): number =>
        j >= band.first[i] && j < band.end[i] ? value(i, j) : -Infinity;
      assert.equal(alignChains(band, n, value, bonus), alignChains(wholeBand(rows.length, n), n, inBand, bonus));
    }),
    { numRuns: 500 },
  );
});

test('chains: nothing to gain pairs nothing', () => {
  assert.equal(alignChains(wholeBand(3, 3), 3, () => -1, 0).pairs, []);
});

test.run();
