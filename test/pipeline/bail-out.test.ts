/** A mistake of ours in one function: its last good form stays, the failure is reported, and the rest goes on. */
import { LlvmModule } from '../../src/binding/module.js';
import { DarmError } from '../../src/errors.js';
import type { EditLog } from '../../src/job/edit-log.js';
import type { CompileResult } from '../../src/job/results.js';
import { compileExactly, compileModule, meldFunctions } from '../../src/pipeline/compile.js';
import { artifact, compile, kernel, runtime, SILENT, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/bail-out', { tests: 3, timeoutMs: 120_000 });
const OPTIONS = { emit: ['bc'], remarks: true, profit: 'paper' } as const;

/** Runs `work` while LLVM's verifier refuses a function when it is asked about it for the `round`th time. */
function refusing<T>(name: string, round: number, work: () => T): T {
  const { verify } = LlvmModule.prototype;
  let asked = 0;
  LlvmModule.prototype.verify = function (this: LlvmModule, asks: string): void {
    if (asks === name && ++asked === round) throw new DarmError('internal', 'refused by the test');
    verify.call(this, asks);
  };
  try {
    return work();
  } finally {
    LlvmModule.prototype.verify = verify;
  }
}

async function compileRefusing(input: Uint8Array, name: string, round: number): Promise<[CompileResult, string[]]> {
  const [rt, said] = [await runtime(), [] as string[]];
  const events = { progress() {}, diagnostic: (line: string) => void said.push(line) };
  const result = refusing(name, round, () => compileModule(rt, input, withDefaults(OPTIONS), events));
  return [result, said];
}

test('a function that fails in its first round goes out as it came in; the others are as ever', async () => {
  const input = await kernel('many.gfx906.O3');
  const whole = await compile(input, OPTIONS);
  const melded = whole.functions.filter(({ melds }) => melds.length > 0).map(({ name }) => name);
  const [first] = melded;
  assert.ok(melded.length > 1);
  const [result, said] = await compileRefusing(input, first!, 1);
  assert.equal(said, [`'${first}' is melded only in part: refused by the test`]);
  for (const fn of result.functions)
    if (fn.name !== first)
      assert.equal(
        fn,
        whole.functions.find(({ name }) => name === fn.name)!,
      );
    else assert.equal([fn.melds.length, fn.bailout], [0, 'refused by the test']);
  assert.ok(result.remarks.some((each) => each.kind === 'failure' && each.function === first));
  const others = await compile(input, { ...OPTIONS, functions: whole.functions.flatMap(({ name }) => (name === first ? [] : [name])) }); // prettier-ignore
  assert.equal(artifact(result, 'bc'), artifact(others, 'bc'));
});

test('a function that fails later keeps the rounds that went well', async () => {
  const input = await kernel('ms.gfx906.O3');
  const rt = await runtime();
  const options = withDefaults({ ...OPTIONS, functions: ['ms_64'] });
  const meld = (given: typeof options): EditLog => meldFunctions(rt, input, given, {}, SILENT)[0]!;
  const log = refusing('ms_64', 2, () => meld(options));
  assert.equal([log.rounds.length, log.bailout, log.isInPlace], [1, 'refused by the test', false]);
  const once = meld({ ...options, once: true });
  assert.equal(log.rounds, once.rounds);
  assert.equal(
    compileExactly(rt, input, options, [log]).artifacts,
    compileExactly(rt, input, options, [once]).artifacts,
  );
});

test('what has failed half-way is as it came in when the next function is looked at', async () => {
  const input = await kernel('many.gfx906.O3');
  const rt = await runtime();
  const melded = meldFunctions(rt, input, withDefaults(OPTIONS), {}, SILENT).filter(({ rounds }) => rounds.length > 0);
  const [first, second] = melded;
  const { open } = LlvmModule.prototype;
  const seen: string[] = [];
  LlvmModule.prototype.open = function (this: LlvmModule, name: string): ReturnType<typeof open> {
    if (name === second!.function) seen.push(this.look(first!.function).fingerprint);
    return open.call(this, name);
  };
  try {
    refusing(first!.function, 1, () => meldFunctions(rt, input, withDefaults(OPTIONS), {}, SILENT));
  } finally {
    LlvmModule.prototype.open = open;
  }
  assert.is(seen[0], first!.rounds[0]!.fingerprint);
});

test.run();
