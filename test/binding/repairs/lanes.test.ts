/** What LLVM makes of moves between lanes (DPP) and is repaired (wasm/repairs/lanes.mjs). */
import { assembly, CPUS, stored, storing } from '../../support/repaired.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('binding/repairs/lanes', { tests: 4 });

/**
 * Each thread computes with a number of its own, `%x`, and with `%d`, which is that of its neighbour.
 *
 * @param operation of an i32, `%result`
 */
const withNeighbour = (operation: string): string =>
  storing(
    '%result',
    `%x = mul i32 %id, 74755
    %y = mul i32 %id, 20219
    %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %y, i32 177, i32 15, i32 15, i1 true)
    ${operation}`,
  );

/** quad_perm:[1,0,3,2] */
const neighbour = (id: number): number => id ^ 1;
const x = (id: number): number => Math.imul(id, 74755);
const y = (id: number): number => Math.imul(id, 20219);
const words = (of: (id: number) => number): Uint32Array => Uint32Array.from({ length: 64 }, (_, id) => of(id));

/** By operation: what it gives for `%x` and `%d`. */
const IN_REVERSE: Readonly<Record<string, (x: number, d: number) => number>> = {
  '%result = sub i32 %x, %d': (x, d) => x - d,
  '%n = and i32 %d, 31\n %result = shl i32 %x, %n': (x, d) => x << d,
  '%n = and i32 %d, 31\n %result = lshr i32 %x, %n': (x, d) => x >>> d,
  '%n = and i32 %d, 31\n %result = ashr i32 %x, %n': (x, d) => x >> d,
};

test('what subtracts or shifts a number by that of another lane', async () => {
  for (const cpu of ['gfx90a', 'gfx1030', ...CPUS])
    for (const [operation, compute] of Object.entries(IN_REVERSE)) {
      const expected = words((id) => compute(x(id), y(neighbour(id))));
      assert.equal(await stored(withNeighbour(operation), cpu), expected, `${cpu}: ${operation}`);
    }
});

/** The halves of the result, one exclusive-or the other. */
const WIDE = withNeighbour(`%wide = zext i32 %x to i64
    %n = and i32 %d, 63
    %n64 = zext i32 %n to i64
    %shifted = shl i64 %wide, %n64
    %lo = trunc i64 %shifted to i32
    %up = lshr i64 %shifted, 32
    %hi = trunc i64 %up to i32
    %result = xor i32 %lo, %hi`);

test('a shift of 64 bits by a number of another lane', async () => {
  const expected = words((id) => {
    const shifted = BigInt.asUintN(64, BigInt(x(id) >>> 0) << BigInt(y(neighbour(id)) & 63));
    return Number((shifted ^ (shifted >> 32n)) & 0xffff_ffffn);
  });
  for (const cpu of CPUS) assert.equal(await stored(WIDE, cpu), expected, cpu);
  // Nothing simulates it, and LLVM does not know the instruction when it reads it.
  assert.not.match(await assembly(WIDE, 'gfx1200'), /v_lshlrev_b64_dpp/);
});

test('two operations with each other, each with one number of another lane', async () => {
  const ir = storing(
    '%result',
    `%x = mul i32 %id, 74755
    %y = mul i32 %id, 20219
    %old = freeze i32 poison
    %dx = call i32 @llvm.amdgcn.update.dpp.i32(i32 %old, i32 %x, i32 177, i32 15, i32 15, i1 true)
    %dy = call i32 @llvm.amdgcn.update.dpp.i32(i32 %old, i32 %y, i32 177, i32 15, i32 15, i1 true)
    %a = xor i32 %x, %dy
    %b = xor i32 %y, %dx
    %result = mul i32 %a, %b`,
  );
  const expected = words((id) => Math.imul(x(id) ^ y(neighbour(id)), y(id) ^ x(neighbour(id))));
  for (const cpu of CPUS) assert.equal(await stored(ir, cpu), expected, cpu);
});

test('what can read other lanes still does so', async () => {
  const code = async (operation: string, cpu: string): Promise<string> => assembly(withNeighbour(operation), cpu);
  assert.match(await code('%result = sub i32 %d, %x', 'gfx906'), /v_sub_u32_dpp/);
  assert.match(await code('%n = and i32 %d, 31\n %result = shl i32 %x, %n', 'gfx1100'), /v_lshlrev_b32_dpp/);
});

test.run();
