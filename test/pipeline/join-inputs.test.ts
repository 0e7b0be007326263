/** Operations in front of joins that LLVM 23's structurizer would move to the wrong place (src/pipeline/join-inputs.ts). */
import { LlvmModule } from '../../src/binding/module.js';
import { separateJoinInputs, type Caution } from '../../src/pipeline/join-inputs.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/join-inputs', { tests: 18 });

/** The kernel, as it is and afterwards. */
async function separated(body: string, caution: Caution = 'possible'): Promise<{ before: string; after: string }> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    const ir = `target triple = "amdgcn-amd-amdhsa"
      define amdgpu_kernel void @f(ptr addrspace(1) %out, i64 %x, i32 %c) {\n${body}
        %at = getelementptr i32, ptr addrspace(1) %out, i32 %id
        store i32 %v, ptr addrspace(1) %at
        ret void
      }
      declare i32 @llvm.amdgcn.workitem.id.x()`;
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu: 'gfx1100', features: '' }, 2);
    const before = text(module.text());
    separateJoinInputs(() => module.open('f'), caution);
    module.verify('f');
    return { before, after: text(module.text()) };
  });
}

/** A block that two branches lead to, in front of a join. @param input what it gives to the join */
const twoWays = (input: string): string => `
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %few = icmp ult i32 %id, 3
    br i1 %few, label %both, label %else
  else:
    %more = icmp ult i32 %id, 7
    br i1 %more, label %both, label %other
  both:
    ${input}
    br label %join
  other:
    br label %join
  join:
    %v = phi i32 [ %n, %both ], [ %id, %other ]`;

/** A switch of three ways to a join: `%b`, `%other`, `%third`. @param input what `%b` gives to the join */
const switched = (cases: 2 | 3, input = ''): string => `switch i32 %id, label %b [
      i32 1, label %other
      ${cases === 3 ? 'i32 3, label %other' : ''}
      i32 5, label %third
    ]
  b:
    ${input}
    br label %join
  other:
    br label %join
  third:
    br label %join
  join:`;

/** How many ways compute it: each has a block of its own. */
const waysOf = (text: string, input = 'trunc i64 %x to i32'): number =>
  [...text.matchAll(/^edge\d*:[^\n]*\n +%\S+ = ([^\n]+)\n +br label /gm)].filter(([, found]) => found === input).length;

test('each way into the block computes what the join takes', async () => {
  const { after } = await separated(twoWays('%n = trunc i64 %x to i32'));
  assert.is(waysOf(after), 2);
  assert.match(after, /%join\d* = phi i32 \[ %\d, %edge\d* \], \[ %\d, %edge\d* \]/);
  assert.match(after, /%v = phi i32 \[ %join\d*, %both \], \[ %id, %other \]/);
  assert.is(after.match(/trunc/g)?.length, 2);
});

test('what only the block needs is taken from in front of it, but not from in front of a loop', async () => {
  const above = twoWays('').replace('%few =', '%n = trunc i64 %x to i32\n %few =');
  assert.is(waysOf((await separated(above)).after), 2);
  // The other side needs it, too: LLVM leaves it where it is.
  const { before, after } = await separated(above.replace('[ %id, %other ]', '[ %n, %other ]'));
  assert.is(after, before);
  const loop = above
    .replace('br i1 %few', 'br label %head\n  head:\n    br i1 %few')
    .replace(
      '[ %id, %other ]',
      '[ %id, %other ]\n    %again = icmp ult i32 %v, 9\n    br i1 %again, label %head, label %end\n  end:',
    );
  const whole = await separated(loop);
  assert.is(whole.after, whole.before);
});

test('a block that LLVM may join with the one in front of it counts as that one', async () => {
  const folded = (input: string): string =>
    twoWays('store i32 1, ptr addrspace(1) %out')
      .replace(
        /br label %join\n {2}other:/,
        `%proven = icmp ult i32 %c, 9
    br i1 %proven, label %own, label %join
  own:
    ${input}
    br label %join
  other:`,
      )
      .replace('[ %n, %both ]', '[ 0, %both ], [ %n, %own ]');
  assert.is(waysOf((await separated(folded('%n = trunc i64 %x to i32'))).after), 2);
  // What the operation needs is only there, so LLVM leaves it where it is.
  const { before, after } = await separated(folded('%y = add i64 %x, 1\n %n = trunc i64 %y to i32'));
  assert.is(after, before);
  // As `llc` makes it: the shape is not there.
  const unmelded = await separated(folded('%n = trunc i64 %x to i32'), 'likely');
  assert.is(unmelded.after, unmelded.before);
});

test('a branch whose two ways lead to one block is one way', async () => {
  const { after } = await separated(
    twoWays('br i1 poison, label %own, label %own\n  own:\n    %n = trunc i64 %x to i32').replace(
      '%n, %both',
      '%n, %own',
    ),
  );
  assert.is(waysOf(after), 2);
});

test('an element at an index that the run decides stays where it is', async () => {
  const element = (index: string): string =>
    twoWays('%n = extractelement <4 x i32> %w, i32 %k').replace(
      '%few =',
      `%w = load <4 x i32>, ptr addrspace(1) %out\n %k = ${index}\n %few =`,
    );
  const { before, after } = await separated(element('add i32 %c, 1'));
  assert.is(after, before);
  // LLVM finds out that this one is 0.
  assert.is(waysOf((await separated(element('and i32 %c, 0'))).after, 'extractelement <4 x i32> %w, i32 %k'), 2);
});

test('joins that nothing reaches are left alone, even if they all take one value', async () => {
  const dead = (k: number): string => `
  a${k}:
    br i1 poison, label %both${k}, label %b${k}
  b${k}:
    br i1 poison, label %both${k}, label %other${k}
  both${k}:
    br label %dead${k}
  other${k}:
    br label %dead${k}
  dead${k}:
    %p${k} = phi i32 [ %n, %both${k} ], [ 0, %other${k} ]
    br label %end`;
  const body = `
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %n = trunc i64 %x to i32
    br label %end${dead(1)}${dead(2)}
  end:
    %v = phi i32 [ %id, %entry ], [ %p1, %dead1 ], [ %p2, %dead2 ]`;
  for (const caution of ['possible', 'likely'] as const) {
    const { before, after } = await separated(body, caution);
    assert.is(after, before);
  }
});

test('a loop that nothing reaches ends the walk up', async () => {
  const { before, after } = await separated(
    `
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    br label %join
  around:
    br i1 poison, label %around, label %never
  never:
    %n = trunc i64 %x to i32
    br label %join
  join:
    %v = phi i32 [ %n, %never ], [ %id, %entry ]`.replace(
      'br i1 poison, label %around, label %never',
      'br label %back\n  back:\n    br i1 poison, label %around, label %never',
    ),
  );
  assert.is(after, before);
});

test('copies in front of a join that several ways lead to go up to these', async () => {
  const { after } = await separated(`
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %few = icmp ult i32 %id, 3
    br i1 %few, label %both, label %else
  else:
    %more = icmp ult i32 %id, 7
    br i1 %more, label %both, label %third
  both:
    store i32 1, ptr addrspace(1) %out
    br label %last
  third:
    %odd = icmp ult i32 %id, 9
    br i1 %odd, label %last, label %other
  last:
    %n = trunc i64 %x to i32
    br label %join
  other:
    br label %join
  join:
    %v = phi i32 [ %n, %last ], [ %id, %other ]`);
  assert.is(waysOf(after), 3);
});

test('a value that something else needs, too, stays one value', async () => {
  const { after } = await separated(twoWays('%n = freeze i32 undef\n store i32 %n, ptr addrspace(1) %out'));
  assert.is(waysOf(after, 'freeze i32 undef'), 2);
  assert.match(after, /store i32 %join\d*, ptr addrspace\(1\) %out/);
});

test('a row of joins takes one copy and one phi for each of them', async () => {
  const joins = 40;
  const level = (k: number): string => `
  level${k}:
    %c${k} = icmp ult i32 %id, ${k + 1}
    br i1 %c${k}, label %${k + 1 < joins ? `level${k + 1}` : 'last'}, label %side${k}
  side${k}:
    br label %join${k}
  join${k}:
    %p${k} = phi i32 [ ${k + 1 < joins ? `%n${k + 1}, %join${k + 1}` : '1, %last'} ], [ ${k}, %side${k} ]
    %n${k} = trunc i64 %x to i32
    store i32 %p${k}, ptr addrspace(1) %out
    br label %${k > 0 ? `join${k - 1}` : 'end'}`;
  const body = Array.from({ length: joins }, (_, k) => level(k)).join('');
  const { after } = await separated(`
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    br label %level0${body}
  last:
    br label %join${joins - 1}
  end:
    %v = add i32 %n0, 0`);
  const trunks = after.match(/trunc i64 %x to i32/g)!.length;
  assert.ok(trunks > joins && trunks <= (joins * joins) / 2 + 2 * joins, String(trunks));
});

test('what LLVM does not move stays', async () => {
  const moved = [
    '%n = mul i32 %id, 5',
    '%y = add i64 %x, 1\n %n = trunc i64 %y to i32',
    '%n = load i32, ptr addrspace(1) %out',
  ];
  for (const input of moved) {
    const { before, after } = await separated(twoWays(input));
    assert.is(after, before);
  }
});

test('a block with one way into it stays', async () => {
  const { before, after } = await separated(
    twoWays('%n = trunc i64 %x to i32').replace('label %both, label %else', 'label %join, label %else').replace('[ %id, %other ]', '[ %id, %other ], [ %id, %entry ]'), // prettier-ignore
  );
  assert.is(after, before);
});

test('a switch in front of the block becomes branches: code generation makes several ways of one', async () => {
  const { after } = await separated(`
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    ${switched(3, '%n = trunc i64 %x to i32')}
    %v = phi i32 [ %n, %b ], [ %id, %other ], [ 7, %third ]`);
  assert.not.match(after, /switch/);
  assert.is(after.match(/trunc i64 %x to i32/g)?.length, 1, 'there is one way into each block now');
});

test('without melds, only where the join has two ways in and what it takes is free', async () => {
  const shape = twoWays('%n = trunc i64 %x to i32');
  assert.is(waysOf((await separated(shape, 'likely')).after), 2);
  const third = shape
    .replace('label %both, label %else', 'label %first, label %else')
    .replace('  both:', '  first:\n    %odd = icmp ult i32 %id, 2\n    br i1 %odd, label %both, label %join\n  both:')
    .replace('[ %id, %other ]', '[ %id, %other ], [ 3, %first ]');
  for (const body of [third, twoWays('%n = add i32 %id, 7')]) {
    const { before, after } = await separated(body, 'likely');
    assert.is(after, before);
  }
});

test('also what only its use makes free: a load extends what it loads', async () => {
  const loaded = twoWays('%n = sext i16 %loaded to i32').replace(
    '%few =',
    '%loaded = load i16, ptr addrspace(1) %out\n %few =',
  );
  for (const caution of ['likely', 'possible'] as const)
    assert.is(waysOf((await separated(loaded, caution)).after, 'sext i16 %loaded to i32'), 2);
});

test('a switch in front of a wide vector, which LLVM takes apart, becomes branches', async () => {
  const vectors = (type: string): string => `
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %wide = bitcast i64 %x to ${type}
    store ${type} %wide, ptr addrspace(1) %out
    ${switched(2)}
    %all = phi ${type} [ %wide, %b ], [ zeroinitializer, %other ], [ zeroinitializer, %third ]
    %same = bitcast ${type} %all to i64
    %v = trunc i64 %same to i32`;
  assert.not.match((await separated(vectors('<2 x i32>'))).after, /switch/);
  assert.match((await separated(vectors('i64'))).after, /switch/);
});

test('without melds, too, where two blocks lead to the join and the vector comes from in front of one', async () => {
  const vectors = (taken: string): string => `
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %wide = bitcast i64 %x to <2 x i32>
    switch i32 %id, label %other [
      i32 1, label %b
      i32 5, label %b
    ]
  b:
    %own = add <2 x i32> %wide, %wide
    br label %join
  other:
    br label %join
  join:
    %all = phi <2 x i32> [ ${taken}, %b ], [ zeroinitializer, %other ]
    %v = extractelement <2 x i32> %all, i32 0`;
  assert.not.match((await separated(vectors('%wide'), 'likely')).after, /switch/);
  for (const stays of ['%own', '<i32 1, i32 2>']) {
    const { before, after } = await separated(vectors(stays), 'likely');
    assert.is(after, before);
  }
});

test('edges that are not those of a branch or switch stay', async () => {
  const asm = twoWays('%n = trunc i64 %x to i32').replace(
    'br i1 %few, label %both, label %else',
    'callbr void asm "", "!i"() to label %else [label %both]',
  );
  for (const caution of ['likely', 'possible'] as const) {
    const { before, after } = await separated(asm, caution);
    assert.is(after, before);
  }
});

test.run();
