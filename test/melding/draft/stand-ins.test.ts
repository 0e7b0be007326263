import { Draft } from '../../../src/melding/draft/draft.js';
import { evaluate } from '../../../src/melding/draft/evaluate.js';
import type { Frame } from '../../../src/melding/draft/frame.js';
import { alignmentOf } from '../../../src/melding/draft/groups.js';
import { PairTable } from '../../../src/melding/draft/pair-facts.js';
import type { PlanOptions } from '../../../src/melding/plan.js';
import { diamondFrame } from '../../support/diamond-frame.js';
import type { BuiltSnapshot } from '../../support/snapshot-builder.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/draft/stand-ins', { tests: 4 });

/** The blocks `t` and `f` of a diamond, as a frame without pairs. */
function framed(t: string, f: string, options: Partial<PlanOptions> = {}): { frame: Frame; s: BuiltSnapshot } {
  const s = snapshot(`
    arg %c i1 never
    arg %i i32 never
    arg %p ptr3 never
    arg %q ptr3 never
    arg %g ptr1
    entry:
      %e = load %p !never
      br %c t f
    t:
      ${t}
      br join
    f:
      ${f}
      br join
    join:
      ret %e`);
  return { frame: diamondFrame(s, options), s };
}

test('loads of the other side and of the block of the branch stand in, the nearest first', () => {
  const { frame, s } = framed('%a = load %q !never', '%b = load %q !never\n%d = load %p !type=float !never');
  assert.equal(frame.standIns(s.instr('%a')), [s.instr('%b'), s.instr('%e')]);
  // Only loads of the same kind.
  assert.equal(frame.standIns(s.instr('%d')), []);
});

test('nothing stands in for other loads', () => {
  const none = (t: string, options: Partial<PlanOptions> = {}): void => {
    const { frame, s } = framed(t, '%b = load %p !never\n%h = load %g', options);
    assert.equal(frame.standIns(s.instr('%a')), [], t);
  };
  none('%a = load %q !never !+Volatile');
  none('%a = load %q !never !+Atomic');
  none('%a = load %g');
  none('%a = load %q !never', { unpredicate: 'always' });
  none('%a = load %q !never', { profit: 'paper' });
  none('%a = load %q !never', { mode: 'branch-fusion' });
});

test('threads must come to the stand-in', () => {
  const t = '%a = load %q !type=float !never';
  const call = 'call @f !+Call';
  const { frame, s } = framed(t, `${call}\n%b = load %p !type=float !never`);
  assert.equal(frame.standIns(s.instr('%a')), []);
  const { frame: other, s: returning } = framed(t, `${call} !+WillReturn\n%b = load %p !type=float !never`);
  assert.equal(other.standIns(returning.instr('%a')), [returning.instr('%b')]);
});

test('a stand-in whose address is not known yet is no help', () => {
  const t = '%a = load %q !type=float !never';
  const aligned = (f: string): { line: unknown; s: BuiltSnapshot } => {
    const { frame, s } = framed(t, f, { unpredicate: 'never' });
    const draft = new Draft(new PairTable(frame));
    const [line] = alignmentOf(draft, evaluate(draft).groups[0]).filter((each) => each.t === s.instr('%a'));
    return { line, s };
  };
  const { line, s } = aligned('%b = load %p !type=float !never');
  assert.equal(line, { t: s.instr('%a'), f: -1, speculate: true, standIn: s.instr('%b') });
  const { line: late, s: other } = aligned('%x = gep %p %i !type=ptr3 !never\n%b = load %x !type=float !never');
  assert.equal(late, { t: other.instr('%a'), f: -1 });
});

test.run();
