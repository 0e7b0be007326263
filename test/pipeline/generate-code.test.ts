import { CPUS, LEVELS, stored, storing } from '../support/repaired.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/generate-code', { tests: 2 });

/** Counts on in a block, and takes the bit of that number. */
const step = (at: string): string => `%n.${at}1 = add i32 %n.${at}, 1
    %bits.${at} = lshr i32 %bits, %n.${at}1
    %bit.${at} = trunc i32 %bits.${at} to i1`;

/** The same, up to a count at which the loop ends. */
const bounded = (at: string): string => `${step(at)}
    %short.${at} = icmp ult i32 %n.${at}1, 20
    %on.${at} = and i1 %bit.${at}, %short.${at}`;

/**
 * Threads enter the loop at `a` or at `b`, go from one to the other, and leave `b` for `d`, `c`, and `b` again. So
 * there are two loops in each other with the same header once it is a natural one. What `b` gets from `a` goes with
 * those threads only that come from there.
 */
const KEPT = storing(
  '%result',
  `
    %bits = mul i32 %id, -1640531535
    %low = and i32 %id, 5
    %starts = icmp eq i32 %low, 0
    %kept = icmp ult i32 %id, 20
    br i1 %starts, label %a, label %b
  a:
    %n.a = phi i32 [ 0, %entry ], [ %n.b1, %b ]
    ${step('a')}
    br i1 %bit.a, label %b, label %c
  b:
    %n.b = phi i32 [ 0, %entry ], [ %n.a1, %a ], [ %n.c1, %c ]
    %kept.b = phi i1 [ %kept, %entry ], [ true, %a ], [ %kept.c, %c ]
    ${bounded('b')}
    br i1 %on.b, label %a, label %d
  d:
    %n.d = phi i32 [ %n.b1, %b ], [ %n.d1, %d ]
    ${bounded('d')}
    br i1 %on.d, label %d, label %c
  c:
    %n.c = phi i32 [ %n.a1, %a ], [ %n.d1, %d ]
    %kept.c = phi i1 [ %bit.a, %a ], [ %kept.b, %d ]
    ${bounded('c')}
    br i1 %on.c, label %b, label %end
  end:
    %count = shl i32 %n.c1, 1
    %last = zext i1 %kept.c to i32
    %result = or i32 %count, %last`,
);

function expectedOf(id: number): number {
  const bit = (n: number): boolean => ((Math.imul(id, -1640531535) >>> n) & 1) !== 0;
  let at = (id & 5) === 0 ? 'a' : 'b';
  let kept = id < 20;
  for (let n = 1; ; n++) {
    if (at === 'a') {
      kept = bit(n);
      at = kept ? 'b' : 'c';
    } else if (at === 'b') at = bit(n) && n < 20 ? 'a' : 'd';
    else if (at === 'd') at = bit(n) && n < 20 ? 'd' : 'c';
    else if (bit(n) && n < 20) at = 'b';
    else return (n << 1) | (kept ? 1 : 0);
  }
}

test('a condition that threads carry out of a loop that is entered at two places', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => expectedOf(id));
  for (const mcpu of CPUS)
    for (const codegenLevel of LEVELS)
      assert.equal(await stored(KEPT, mcpu, { codegenLevel }), expected, `${mcpu} -O${codegenLevel}`);
});

/** The loop is entered at `a`, to which an invoke leads, and at `b`. */
const INVOKES = `${storing(
  '%n.b1',
  `
    %starts = icmp ult i32 %id, 20
    br i1 %starts, label %a, label %b
  a:
    %n.a = phi i32 [ 0, %entry ], [ %n.b1, %b ]
    invoke void @g() to label %b unwind label %thrown
  b:
    %n.b = phi i32 [ 7, %entry ], [ %n.a, %a ]
    %n.b1 = add i32 %n.b, 1
    %again = icmp ult i32 %n.b1, %id
    br i1 %again, label %a, label %end
  thrown:
    %lost = landingpad { ptr, i32 } cleanup
    unreachable
  end:`,
).replace('%out) {', '%out) personality ptr @personality {')}
  define internal void @g() noinline {
    call void asm sideeffect "", ""()
    ret void
  }
  declare i32 @personality(...)`;

test('an invoke in a loop that is entered at two places', async () => {
  const expected = Uint32Array.from({ length: 64 }, (_, id) => Math.max(id, id < 20 ? 1 : 8));
  for (const codegenLevel of LEVELS)
    assert.equal(await stored(INVOKES, 'gfx906', { codegenLevel }), expected, `-O${codegenLevel}`);
});

test.run();
