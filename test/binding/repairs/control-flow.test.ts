/**
 * What LLVM does wrong with loops, and is repaired (wasm/repairs/control-flow.mjs). The other repairs of this kind show
 * in what kernels compute (test/melding/fixtures/structurizer-*).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_SIMULATION } from '../../../src/simulator/options.js';
import { simulate } from '../../../src/simulator/run.js';
import { FAMILIES } from '../../campaign/families.js';
import { specOf } from '../../fuzz/bench.js';
import { decoded } from '../../support/kernel-launch.js';
import { REPOSITORY } from '../../support/llvm.js';
import { CPUS, LEVELS, stored, storing } from '../../support/repaired.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('binding/repairs/control-flow', { tests: 8 });

/**
 * Three loops share the block `header`. Threads leave the first one at different times; `%b`, which it computes,
 * decides about the second.
 */
const SHARED_HEADER = storing(
  '%sum.3',
  `
    %seed = mul i32 %id, 74755
    br label %header
  header:
    %x = phi i32 [ %seed, %entry ], [ %next, %header ], [ %next, %middle ], [ %next, %outer ]
    %sum = phi i32 [ 0, %entry ], [ %sum.1, %header ], [ %sum.2, %middle ], [ %sum.3, %outer ]
    %m = mul i32 %x, 1664525
    %next = add i32 %m, 1013904223
    %low = and i32 %next, 805306368
    %a = icmp ne i32 %low, 0
    %high = and i32 %next, 1073741824
    %b = icmp ne i32 %high, 0
    %step = select i1 %b, i32 1, i32 3
    %sum.1 = add i32 %sum, %step
    br i1 %a, label %header, label %middle
  middle:
    %sum.2 = add i32 %sum, 256
    br i1 %b, label %header, label %outer
  outer:
    %sum.3 = add i32 %sum, 65536
    %c = icmp ult i32 %sum.3, 196608
    br i1 %c, label %header, label %end
  end:`,
);

function expectedSum(id: number): number {
  let sum = 0;
  for (let x = Math.imul(id, 74755); ;) {
    x = (Math.imul(x, 1664525) + 1013904223) | 0;
    const [a, b] = [(x & 805306368) !== 0, (x & 1073741824) !== 0];
    if (a) sum += b ? 1 : 3;
    else if (b) sum += 256;
    else if ((sum += 65536) >= 196608) return sum;
  }
}

test('a loop that shares its header is left for what each thread found', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => expectedSum(id));
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(SHARED_HEADER, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

/**
 * As in `SHARED_HEADER`. `%d`, which the first loop computes, is used behind all of them, and the last one is left by
 * all threads at once.
 */
const USED_BEHIND = SHARED_HEADER.replace(
  '%step =',
  '%d = icmp slt i32 %next, 0\n    %more = select i1 %d, i32 0, i32 8\n    %sum.0 = add i32 %sum, %more\n    %step =',
)
  .replace('add i32 %sum, %step', 'add i32 %sum.0, %step')
  .replace(
    '%c = icmp ult i32 %sum.3, 196608',
    `%at = getelementptr i32, ptr addrspace(1) %out, i32 64
    %flag = load volatile i32, ptr addrspace(1) %at
    %c = icmp ne i32 %flag, 0`,
  )
  .replace('%p =', '%last = select i1 %d, i32 16777216, i32 33554432\n    %result = or i32 %sum.3, %last\n    %p =')
  .replace('store i32 %sum.3', 'store i32 %result');

test('a condition that a loop with a shared header computes is the one each thread left it with', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => {
    let x = Math.imul(id, 74755);
    let sum = 0;
    for (;;) {
      x = (Math.imul(x, 1664525) + 1013904223) | 0;
      const [a, b] = [(x & 805306368) !== 0, (x & 1073741824) !== 0];
      if (a) sum += (x < 0 ? 0 : 8) + (b ? 1 : 3);
      else if (b) sum += 256;
      else return (sum + 65536) | (x < 0 ? 16777216 : 33554432);
    }
  });
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(USED_BEHIND, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

test('merging lane masks leaves a comparison to the branch behind it', async () => {
  const ir = await readFile(
    path.join(REPOSITORY, 'test', 'binding', 'fixtures', 'merged-behind-comparison.ll'),
    'utf8',
  );
  const spec = specOf(FAMILIES.retry.launch('k200_2', 201802));
  const options = { ...DEFAULT_SIMULATION, maxInstructions: 2e7, cycles: false };
  for (const mcpu of CPUS)
    for (const optimize of ['O1', 'O3'] as const) {
      const bytes = new TextEncoder().encode(ir.replaceAll('"gfx906"', `"${mcpu}"`));
      const { object, disassembly } = await decoded(bytes, { meld: 'off', optimize });
      const { buffers } = await simulate({ object, spec, options, disassembly: () => disassembly });
      const hash = createHash('sha256');
      for (const buffer of buffers) hash.update(buffer.bytes);
      // As the host leaves it (test/campaign/simulate.ts).
      assert.is(hash.digest('hex').slice(0, 16), 'e96ea9d2638678ec', `${mcpu} ${optimize}`);
    }
});

/** Two selects ask one uniform comparison. Between them, `%d` is computed, which is used behind the loop. */
const COMPARED_TWICE = storing(
  '%result',
  `
    %seed = mul i32 %id, 74755
    br label %header
  header:
    %x = phi i32 [ %seed, %entry ], [ %next, %even ], [ %next, %odd ]
    %n = phi i32 [ 0, %entry ], [ %n.1, %even ], [ %n.1, %odd ]
    %s = phi i32 [ 1, %entry ], [ %s.1, %even ], [ %s.1, %odd ]
    %t = phi i32 [ 3, %entry ], [ %t.1, %even ], [ %t.1, %odd ]
    %m = mul i32 %x, 1664525
    %next = add i32 %m, 1013904223
    %n.1 = add i32 %n, 1
    %early = icmp ult i32 %n.1, 5
    %s.1 = select i1 %early, i32 %s, i32 %n.1
    %d = icmp slt i32 %next, 0
    %low = and i32 %next, 805306368
    %a = icmp ne i32 %low, 0
    %t.1 = select i1 %early, i32 %t, i32 %s.1
    %bit = and i32 %n, 1
    %u = icmp eq i32 %bit, 0
    br i1 %u, label %even, label %odd
  even:
    br label %header
  odd:
    br i1 %a, label %header, label %end
  end:
    %last = select i1 %d, i32 65536, i32 131072
    %t.2 = shl i32 %t.1, 8
    %both = or i32 %s.1, %t.2
    %result = or i32 %both, %last`,
);

test('merging lane masks leaves a comparison to users on both sides of it', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => {
    let [x, s, t] = [Math.imul(id, 74755), 1, 3];
    for (let n = 0; ; n++) {
      x = (Math.imul(x, 1664525) + 1013904223) | 0;
      if (n + 1 >= 5) s = t = n + 1;
      if (n % 2 === 1 && (x & 805306368) === 0) return s | (t << 8) | (x < 0 ? 65536 : 131072);
    }
  });
  for (const mcpu of CPUS) assert.equal(await stored(COMPARED_TWICE, mcpu, { codegenLevel: 0 }), expected, mcpu);
});

/**
 * Two ways back to the header. `%first` is one value for all threads in the loop; the first thread leaves the inner of
 * the structurizer's loops later than the others, and all leave the outer one together.
 */
const TWO_WAYS_BACK = storing(
  '%result',
  `
    %zero = icmp eq i32 %id, 0
    %at = getelementptr i32, ptr addrspace(1) %out, i32 64
    %flag = load i32, ptr addrspace(1) %at
    %again = icmp ne i32 %flag, 0
    br label %header
  header:
    %first = phi i1 [ true, %entry ], [ false, %back ]
    %c = and i1 %first, %zero
    br i1 %c, label %back, label %other
  back:
    br label %header
  other:
    br i1 %again, label %back, label %end
  end:
    %result = select i1 %first, i32 1, i32 2`,
);

test('a loop with several ways back keeps one back edge', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => (id === 0 ? 2 : 1));
  for (const mcpu of CPUS) assert.equal(await stored(TWO_WAYS_BACK, mcpu), expected, mcpu);
});

/**
 * `%v` has a part that differs between threads. The others are scalar registers that are copied in the loop.
 *
 * @param loop from `entry`'s branch on, to the blocks `header` and `end`
 * @param back where threads go on that stay in the loop
 */
const partlyUniform = (loop: string, back: string): string =>
  storing(
    '%result',
    `
    %low = and i32 %id, 1
    %odd = icmp ne i32 %low, 0
    %start = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %id, i64 0
    ${loop}
    %n.1 = add i32 %n, 1
    %begins = icmp ult i32 %n, 2
    %c = and i1 %begins, %odd
    %set = or <4 x i32> %v, splat (i32 1)
    %moved = shufflevector <4 x i32> zeroinitializer, <4 x i32> %set, <4 x i32> <i32 5, i32 1, i32 7, i32 1>
    br i1 %c, label ${back}, label %end
  end:
    %big = icmp ugt i32 %id, 40
    %chosen = select i1 %big, <4 x i32> zeroinitializer, <4 x i32> %moved
    %a = extractelement <4 x i32> %chosen, i64 0
    %b = extractelement <4 x i32> %chosen, i64 2
    %shifted = shl i32 %b, 8
    %result = or i32 %a, %shifted`,
  );

const COPIED_IN = {
  'a loop': partlyUniform(
    `br label %header
  header:
    %v = phi <4 x i32> [ %start, %entry ], [ %moved, %header ]
    %n = phi i32 [ 0, %entry ], [ 2, %header ]`,
    '%header',
  ),
  // The header that FixIrreducible makes comes behind all other blocks.
  'a loop that is entered at two places': partlyUniform(
    `%at = getelementptr i32, ptr addrspace(1) %out, i32 64
    %flag = load i32, ptr addrspace(1) %at
    %flagged = icmp ne i32 %flag, 0
    br i1 %flagged, label %before, label %header
  before:
    %v.before = phi <4 x i32> [ %start, %entry ], [ %moved, %header ]
    %n.before = phi i32 [ 0, %entry ], [ %n.1, %header ]
    %n.next = add i32 %n.before, 1
    br label %header
  header:
    %v = phi <4 x i32> [ %start, %entry ], [ %v.before, %before ]
    %n = phi i32 [ 0, %entry ], [ %n.next, %before ]`,
    '%before',
  ),
};

test('a copy of a scalar register stays in the loop that threads leave at different times', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => (id > 40 ? 0 : id % 2 ? 0x101 : 0x503));
  for (const mcpu of CPUS)
    for (const [where, ir] of Object.entries(COPIED_IN))
      for (const optimize of ['none', 'O3'] as const)
        assert.equal(await stored(ir, mcpu, { optimize }), expected, `${mcpu}, ${where}, ${optimize}`);
});

/** Threads enter the loop at `a` or at `b`, and `c` goes on to either. */
const ENTERED_TWICE = storing(
  '%scaled',
  `
    %low = and i32 %id, 1
    %odd = icmp ne i32 %low, 0
    br i1 %odd, label %a, label %b
  a:
    %n.a = phi i32 [ 0, %entry ], [ %n.1, %c ]
    %x.a = phi i32 [ 1, %entry ], [ %x.1, %c ]
    %added = add i32 %x.a, 3
    br label %c
  b:
    %n.b = phi i32 [ 0, %entry ], [ %n.1, %c ]
    %x.b = phi i32 [ 7, %entry ], [ %x.1, %c ]
    %scaled = mul i32 %x.b, 5
    %stays = icmp ult i32 %n.b, 6
    br i1 %stays, label %c, label %end
  c:
    %n = phi i32 [ %n.a, %a ], [ %n.b, %b ]
    %x = phi i32 [ %added, %a ], [ %scaled, %b ]
    %n.1 = add i32 %n, 1
    %x.1 = xor i32 %x, %id
    %shifted = lshr i32 %id, %n.1
    %bit = trunc i32 %shifted to i1
    br i1 %bit, label %a, label %b
  end:`,
);

function expectedOfTwo(id: number): number {
  let x = id % 2 ? 1 : 7;
  for (let n = 0; ;) {
    const isAtA = ((id >>> n) & 1) !== 0;
    x = isAtA ? x + 3 : Math.imul(x, 5);
    if (!isAtA && n >= 6) return x >>> 0;
    n++;
    x ^= id;
  }
}

test('what a loop that is entered at two places carries from one entry to the other', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => expectedOfTwo(id));
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(ENTERED_TWICE, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

/** The same, where threads that are at `b` also stay there. */
const STAYS_AT_ENTRY = storing(
  '%x.a1',
  `
    %low = and i32 %id, 1
    %odd = icmp ne i32 %low, 0
    br i1 %odd, label %a, label %b
  a:
    %n.a = phi i32 [ 0, %entry ], [ %n.b1, %b ]
    %x.a = phi i32 [ 1, %entry ], [ %x.b1, %b ]
    %x.a1 = xor i32 %x.a, 5
    %n.a1 = add i32 %n.a, 1
    %stays = icmp ult i32 %n.a1, 7
    br i1 %stays, label %b, label %end
  b:
    %n.b = phi i32 [ 0, %entry ], [ %n.a1, %a ], [ %n.b1, %b ]
    %x.b = phi i32 [ 7, %entry ], [ %x.a1, %a ], [ %x.b1, %b ]
    %scaled = mul i32 %x.b, 3
    %x.b1 = add i32 %scaled, %id
    %n.b1 = add i32 %n.b, 1
    %shifted = lshr i32 %id, %n.b1
    %bit = trunc i32 %shifted to i1
    br i1 %bit, label %b, label %a
  end:`,
);

function expectedOfStaying(id: number): number {
  let isAtA = id % 2 !== 0;
  let x = isAtA ? 1 : 7;
  for (let n = 1; ; n++) {
    x = isAtA ? x ^ 5 : Math.imul(x, 3) + id;
    if (isAtA && n >= 7) return x >>> 0;
    isAtA = !isAtA && ((id >>> n) & 1) === 0;
  }
}

test('what a loop carries from an entry to the same entry', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => expectedOfStaying(id));
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(STAYS_AT_ENTRY, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

test.run();
