/** What code generation moves down to the only side that uses it. */
import { analysesOf } from '../../src/analysis/analyses.js';
import { Sinking } from '../../src/analysis/sinking.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/sinking', { tests: 4 });

/** The names of what goes to each of the blocks. */
function sunk(text: string, blocks: readonly string[], names: readonly string[]): readonly (readonly string[])[] {
  const s = snapshot(text);
  const sinking = new Sinking(s.f, analysesOf(s.f));
  return blocks.map((b) => names.filter((name) => sinking.into(s.block(b)).includes(s.instr(name))));
}

test('work goes to the side that alone needs it, with what it is computed from', () => {
  const text = `
    arg %c i1 never
    arg %i i32 never
    arg %p ptr3 never
    entry:
      %a = mul %i 3
      %b = add %a 1
      %both = mul %i 5
      %after = mul %i 7
      %joined = mul %i 9
      br %c t f
    t:
      %x = add %b %both
      br join
    f:
      %y = add %i %both
      br join
    join:
      %z = phi [%x t] [%joined f]
      %w = add %z %after
      ret %w`;
  const names = ['%a', '%b', '%both', '%after', '%joined'];
  assert.equal(sunk(text, ['t', 'f', 'join'], names), [['%a', '%b'], ['%joined'], ['%after']]);
});

test('loads go only to the block behind, and not past a store', () => {
  const text = `
    arg %c i1 never
    arg %d i1 never
    arg %p ptr3 never
    arg %q ptr3 never
    entry:
      %early = load %p !as=3
      store 0 %q !as=3
      %late = load %p !as=3
      %far = load %q !as=3
      br %c t f
    t:
      %x = add %early %late
      br %d t1 t2
    t1:
      %y = add %far 1
      br t2
    t2:
      br f
    f:
      ret`;
  // LLVM looks again at what has gone down: from t, the load goes on to t1. Here it stays one block above.
  assert.equal(sunk(text, ['t', 't1', 'f'], ['%early', '%late', '%far']), [['%late', '%far'], [], []]);
});

test('what is convergent stays; what only seems so goes down later, without what was loaded for it', () => {
  const text = (flag: string): string => `
    arg %c i1 never
    arg %p ptr1 never
    entry:
      %l = load %p !as=1
      %s = sub %l 1
      %a = call @llvm.f %s ${flag}
      br %c t f
    t:
      %y = add %a 1
      br f
    f:
      ret`;
  const down = (flag: string) => sunk(text(flag), ['t'], ['%l', '%s', '%a']);
  assert.equal(down(''), [['%l', '%s', '%a']]);
  assert.equal(down('!+TakenForConvergent'), [['%s', '%a']]);
  assert.equal(down('!+Convergent'), [[]]);
});

test('nothing goes into a loop', () => {
  const text = `
    arg %c i1 never
    arg %i i32 never
    arg %n i32
    entry:
      %a = mul %i 3
      br head
    head:
      br loop
    loop:
      %k = phi [0 head] [%next loop]
      %next = add %k %a
      %d = icmp slt %next %n
      br %d loop out
    out:
      ret`;
  assert.equal(sunk(text, ['head', 'loop'], ['%a']), [['%a'], []]);
});

test.run();
