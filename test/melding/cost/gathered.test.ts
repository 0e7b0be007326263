/** Which data are loaded by an index that is loaded itself. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import { GATHERED, dependentLoads } from '../../../src/melding/cost/gathered.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/gathered', { tests: 3 });

function gathered(s: ReturnType<typeof snapshot>, names: readonly string[]): readonly string[] {
  const loads = dependentLoads(s.f, analysesOf(s.f));
  return names.filter((name) => loads[s.value(name)] === GATHERED);
}

/** Of the named values, those that are gathered, behind data that each thread loads by its number. */
const among = (lines: string, ...names: string[]): readonly string[] =>
  gathered(
    snapshot(`
      func kernel
      arg %n i32
      arg %p ptr1
      entry:
        %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
        %at = gep %p %tid
        %data = load %at !as=1
        ${lines}
        ret
    `),
    names,
  );

test('what an index leads to, and what is computed from that, is gathered', () => {
  const lines =
    '%i = mul %data 3\n %a = gep %p %i\n %far = load %a !as=1\n %sum = add %far %data\n %more = mul %sum %n';
  assert.equal(among(lines, '%data', '%i', '%a', '%far', '%sum', '%more'), ['%far', '%sum', '%more']);
});

test('addresses in the order of threads are none, whatever was loaded before', () => {
  // From a pointer that was loaded for all threads.
  const flat = '%q = load %p !as=0 !never\n %a = gep %q %tid\n %x = load %a !as=0';
  assert.equal(among(flat, '%q', '%x'), []);
  // Data only choose between two of them.
  const chosen = '%c = icmp slt %data %n\n %i = select %c %tid %n\n %a = gep %p %i\n %x = load %a !as=1';
  assert.equal(among(chosen, '%c', '%i', '%x'), []);
  // A uniform index.
  const uniform = '%u = load %p !as=1\n %a = gep %p %u\n %x = load %a !as=1';
  assert.equal(among(uniform, '%x'), []);
});

test('of what comes round a loop, one step is followed', () => {
  const s = snapshot(`
    func kernel
    arg %p ptr1
    entry:
      %tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX
      br loop
    loop:
      %node = phi [%tid entry] [%next loop]
      %at = gep %p %node
      %next = load %at !as=1
      %there = gep %p %next
      %key = load %there !as=1
      %c = icmp slt %key 7
      br %c loop out
    out:
      ret
    unreachable:
      %x = load %there !as=1
      ret
  `);
  assert.equal(gathered(s, ['%node', '%next', '%key', '%c', '%x']), ['%key', '%c']);
});

test.run();
