/** What a module's text says of the device libraries. */
import { libraryCalls } from '../../src/pipeline/library-user.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/library-user', { tests: 2 });

const CALL = 'declare float @__ocml_sin_f32(float) #1';

test('functions that are declared and constants that are elsewhere are lacking', () => {
  const lacking = [
    CALL,
    'declare hidden range(i64 0, 7) i64 @__ockl_get_local_id(i32)',
    '@__oclc_ISA_version = external local_unnamed_addr addrspace(4) constant i32',
  ];
  for (const line of lacking) assert.ok(libraryCalls(`; ModuleID = 'input'\n${line}\n`) !== null, line);
  const rest = [
    'define internal float @__ocml_sin_f32(float %0) #1 {',
    '  %1 = call float @__ocml_sin_f32(float %0)',
    'declare float @__nv_sinf(float)',
    'declare float @sin__ocml_f32(float)',
    '@__oclc_ISA_version = internal addrspace(4) constant i32 9010',
    '@text = constant [30 x i8] c"declare float @__ocml_sin_f32("',
    '!7 = !{!"declare float @__ocml_sin_f32(float)"}',
  ];
  for (const line of rest) assert.is(libraryCalls(`; ModuleID = 'input'\n${line}\n`), null, line);
});

test('settings, the mode of floats and the version of code objects are those of the module', () => {
  assert.equal(libraryCalls(CALL), { settings: [], flushesDenormals: false, codeObjectVersion: 600 });
  const text = `${CALL}
attributes #0 = { nounwind denormal_fpenv(float: preservesign) "target-features"="+dpp,+wavefrontsize64,+xnack,-xnack" }
attributes #1 = { "target-features"="+cumode" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
`;
  assert.equal(libraryCalls(text), {
    settings: ['+wavefrontsize64', '-xnack'],
    flushesDenormals: true,
    codeObjectVersion: 500,
  });
  const flushes = (mode: string): boolean => libraryCalls(`${CALL}\nattributes #0 = { ${mode} }`)!.flushesDenormals;
  assert.ok(flushes('nounwind denormal_fpenv(preservesign)'));
  assert.ok(flushes('nounwind denormal_fpenv(dynamic, float: preservesign)'));
  assert.ok(flushes('nounwind "denormal-fp-math-f32"="preserve-sign,preserve-sign"'));
  assert.not.ok(flushes('nounwind denormal_fpenv(dynamic, float: ieee)'));
  assert.not.ok(flushes('nounwind denormal_fpenv(preservesign, float: ieee)'));
});

test.run();
