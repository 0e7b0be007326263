/** What a module defines and mentions, from its text. */
import { irDefinitions } from '../../src/formats/ir-definitions.js';
import { assert, suite } from '../support/suite.js';

const test = suite('formats/ir-definitions', { tests: 2 });

const MODULE = `; ModuleID = 'x'
@lds = internal unnamed_addr addrspace(3) global [64 x float] poison, align 4
@table = private constant [2 x ptr] [ptr @"odd name", ptr @state]
@state = protected local_unnamed_addr addrspace(1) externally_initialized global i32 0, align 4
@symbol = addrspace(4) externally_initialized constant i32 7
@elsewhere = external hidden addrspace(4) constant i32
@other = alias i32, ptr @state

declare i32 @declared()

define internal i32 @"odd name"(i32 %x) #0 {
  %y = call i32 @declared()
  ret i32 %y
}

define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  store i32 0, ptr addrspace(3) @lds
  ret void
}
!0 = !{ptr @k}
`;

test('definitions in module order', () => {
  const seen = irDefinitions(MODULE).map((each) => [
    each.name,
    each.kind,
    each.local,
    each.constant,
    each.addressSpace,
  ]);
  assert.equal(seen, [
    ['lds', 'variable', true, false, 3],
    ['table', 'variable', true, true, 0],
    ['state', 'variable', false, false, 1],
    ['symbol', 'variable', false, false, 4],
    ['other', 'alias', false, true, 0],
    ['odd name', 'function', true, true, 0],
    ['k', 'function', false, true, 0],
  ]);
});

test('what they mention', () => {
  const mentions = Object.fromEntries(irDefinitions(MODULE).map((each) => [each.name, [...each.mentions]]));
  assert.equal(mentions['table'], ['odd name', 'state']);
  assert.equal(mentions['odd name'], ['declared']);
  assert.equal(mentions['k'], ['lds']);
});

test.run();
