/** The public API with worker threads: results do not depend on their number, and a failure ends only its own job. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  compileContainer,
  compileFatBinary,
  createCompiler,
  DarmError,
  parseSpec,
  readContainer,
  type Compiler,
  type CompilerOptions,
  type Progress,
} from '../../src/index.js';
import { readSpecs } from '../../kernels/references/specs.js';
import { assert, suite } from '../support/suite.js';
import { kernel } from '../support/llvm.js';

const test = suite('compiler', { tests: 24, timeoutMs: 120_000 });

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function using<T>(options: CompilerOptions, use: (compiler: Compiler) => Promise<T>): Promise<T> {
  const compiler = createCompiler({ tierPolicy: 'short', ...options });
  try {
    return await use(compiler);
  } finally {
    await compiler.close();
  }
}

async function failure(promise: Promise<unknown>): Promise<DarmError> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, DarmError);
    return error as DarmError;
  }
  throw new Error('it succeeded');
}

const text = (ir: string): Uint8Array => new TextEncoder().encode(ir);
const EMPTY_KERNEL = text(
  'target triple = "amdgcn-amd-amdhsa"\n' + 'define amdgpu_kernel void @nothing() "target-cpu"="gfx906" { ret void }\n',
);

test.long('the same bytes with no, one and three workers', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const hashes = new Set<string>();
  for (const threads of [0, 1, 3]) {
    await using({ threads }, async (compiler) => {
      const result = await compiler.compile(bytes, { emit: ['hsaco', 'bc'] });
      assert.ok(result.functions.length >= 8);
      assert.ok(result.functions.some(({ melds }) => melds.length > 0));
      assert.equal(
        result.artifacts.map(({ kind }) => kind),
        ['hsaco', 'bc'],
      );
      hashes.add(result.artifacts.map((artifact) => hash(artifact.bytes)).join());
    });
  }
  assert.is(hashes.size, 1);
});

test.long('the same bytes early, with one and two workers', async () => {
  const bytes = await kernel('many.gfx906.early');
  const hashes = new Set<string>();
  for (const threads of [1, 2]) {
    await using({ threads }, async (compiler) => {
      const { artifacts } = await compiler.compile(bytes, { optimize: 'O3', meldPoint: 'early' });
      hashes.add(hash(artifacts[0]!.bytes));
    });
  }
  assert.is(hashes.size, 1);
});

test.long('a code object is for one processor: what functions and job name must agree', async () => {
  const module = (...cpus: (string | null)[]): Uint8Array =>
    new TextEncoder().encode(
      'target triple = "amdgcn-amd-amdhsa"\n' +
        cpus
          .map(
            (cpu, i) =>
              `define amdgpu_kernel void @k${i}() ${cpu === null ? '' : `"target-cpu"="${cpu}"`} { ret void }`,
          )
          .join('\n'),
    );
  for (const threads of [0, 2]) {
    await using compiler = createCompiler({ threads, tierPolicy: 'short' });
    const messageFor = (input: Uint8Array, mcpu: string | null): Promise<string> =>
      compiler.compile(input, { mcpu }).then(
        ({ target }) => target,
        (error: DarmError) => `${error.code}: ${error.message}`,
      );
    assert.is(await messageFor(module('gfx906', 'gfx906'), 'gfx906'), 'gfx906');
    assert.is(await messageFor(module('gfx906', null), null), 'gfx906');
    assert.is(await messageFor(module(null, null), 'gfx1100'), 'gfx1100');
    assert.is(
      await messageFor(module('gfx906', 'gfx908'), null),
      "bad-target: function 'k1' is for gfx908, 'k0' for gfx906",
    );
    assert.is(
      await messageFor(module('gfx906', 'gfx908'), 'gfx906'),
      "bad-target: function 'k1' is for gfx908, the job for gfx906",
    );
    assert.is(
      await messageFor(module(null, 'gfx906'), 'gfx1100'),
      "bad-target: function 'k1' is for gfx906, the job for gfx1100",
    );
    for (const nobody of [module(null), module()])
      assert.is(await messageFor(nobody, null), 'bad-target: neither the module nor --mcpu names a processor');
    assert.is((await compiler.compile(module(), { emit: ['ll'] })).target, 'amdgcn');
  }
});

test.long('the same bytes in any order of jobs', async () => {
  const names = ['bitonic.gfx906.O3', 'sb2.gfx906.O3', 'many.gfx1100.O3', 'sb1.gfx1100.O3'];
  const kernels = new Map(await Promise.all(names.map(async (name) => [name, await kernel(name)] as const)));
  const expected = new Map<string, string>();
  await using({ threads: 2 }, async (compiler) => {
    const orders = [names, [...names].reverse(), [names[2]!, names[0]!, names[0]!, names[3]!, names[1]!]];
    for (const order of orders) {
      const jobs = order.map(async (name) => {
        const { artifacts } = await compiler.compile(kernels.get(name)!);
        const found = hash(artifacts[0]!.bytes);
        assert.is(found, expected.get(name) ?? found, name);
        expected.set(name, found);
      });
      await Promise.all(jobs);
    }
  });
  assert.is(new Set(expected.values()).size, names.length);
});

test('unknown and impossible options are refused by name', async () => {
  await using({ threads: 1 }, async (compiler) => {
    const refuse = async (options: object): Promise<string> => {
      const error = await failure(compiler.compile(EMPTY_KERNEL, options));
      assert.is(error.code, 'usage');
      return error.message;
    };
    assert.match(await refuse({ emmit: ['bc'] }), /unknown option "emmit" in compile\(\)/);
    assert.match(await refuse({ toString: 1 }), /unknown option "toString"/);
    assert.match(await refuse({ emit: [] }), /option "emit" in compile\(\) must be an array that is not empty/);
    assert.match(await refuse({ emit: ['exe'] }), /option "emit" .* must be one of "hsaco", "obj"/);
    assert.match(await refuse({ emit: ['bc', 'bc'] }), /twice/);
    assert.match(await refuse({ threshold: 0.6 }), /option "threshold" .* from 0 to 0.5/);
    assert.match(await refuse({ threshold: NaN }), /option "threshold"/);
    assert.match(await refuse({ meldPoint: 'early' }), /early meld point .* optimisation level/);
    const plan = '{"format":"darm-plan","version":0}';
    assert.match(
      await refuse({ plan, profit: 'size' }),
      /a plan in compile\(\) is about cycles, the profit size about bytes/,
    );
    assert.match((await failure(compiler.analyze(EMPTY_KERNEL, { foo: 1 } as object))).message, /"foo" in analyze\(\)/);
  });
  assert.throws(() => createCompiler({ treads: 2 } as object), /unknown option "treads" in createCompiler\(\)/);
  assert.throws(() => createCompiler({ threads: -1 }), /option "threads"/);
  assert.throws(() => createCompiler({ memoryLimit: 1 }), /option "memoryLimit"/);
  // Options may be inherited.
  assert.throws(() => createCompiler(Object.create({ threads: 99_999 }) as object), /option "threads"/);
  await using({ threads: 0 }, async (compiler) => {
    const { artifacts } = await compiler.compile(EMPTY_KERNEL, Object.create({ emit: ['asm'] }) as object);
    assert.is(artifacts[0]!.kind, 'asm');
    const source = Object.create({ language: 'opencl', mcpu: 'gfx906', emit: ['asm'] }) as { language: 'opencl' };
    assert.is((await compiler.compile('kernel void k() {}', source)).artifacts[0]!.kind, 'asm');
  });
});

/** Bytes that somebody else has now. */
function transferred(): Uint8Array {
  const bytes = EMPTY_KERNEL.slice();
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

/** An array of one element that is not there. */
const HOLE = new Array<never>(1);

test('what has the wrong type is refused by each call, in one way', async () => {
  await using({ threads: 0 }, async (compiler) => {
    const module = EMPTY_KERNEL;
    const wrong = <T>(value: unknown): T => value as T;
    const source = { language: 'opencl', mcpu: 'gfx906' } as const;
    const calls: Record<string, () => Promise<unknown>> = {
      options: () => compiler.compile(module, wrong(null)),
      'options in an array': () => compiler.compile(module, wrong([])),
      'options in an array, to analyze': () => compiler.analyze(module, wrong([])),
      'no options, to analyze': () => compiler.analyze(module, wrong(null)),
      'options, text': () => compiler.compile(module, wrong('O3')),
      'options of source': () => compiler.translate('', wrong(undefined)),
      defines: () => compiler.preprocess('', { ...source, defines: wrong({ N: {} }) }),
      disk: () => compiler.preprocess('', { ...source, disk: wrong('no') }),
      call: () => compiler.compile(module, {}, wrong(null)),
      'misspelt call': () => compiler.compile(module, {}, wrong({ time: 5 })),
      signal: () => compiler.compile(module, {}, { signal: wrong({}) }),
      timeout: () => compiler.analyze(module, {}, { timeout: wrong('10') }),
      callback: () => compiler.compile(module, {}, { onProgress: wrong(5) }),
      'no module': () => compiler.inspect(wrong(undefined)),
      'a Proxy of a module': () => compiler.inspect(new Proxy(module, {})),
      'a module that was transferred': () => compiler.inspect(transferred()),
      'a code object that was transferred': () => compiler.simulate(transferred(), { buffers: [], launches: [] }),
      'a Proxy of a source': () => compiler.preprocess(new Proxy(module, {}), source),
      'code object': () => compiler.unsupportedOperations(wrong('kernel.hsaco')),
      'no spec': () => compiler.simulate(module, wrong({ kernel: 'nothing' })),
      'no specs': () => compiler.tune(module, {}, wrong(undefined)),
      'specs that are none': () => compiler.tune(module, {}, { specs: [wrong({})] }),
      'a spec without launches': () => compiler.simulate(module, { buffers: [], launches: [] }),
      'a launch of no size': () => compiler.simulate(module, { buffers: [], launches: [wrong({ kernel: 'k' })] }),
      'tolerance that is none': () => compiler.tune(module, {}, { specs: [], tolerance: { f32: wrong('x') } }),
      'text of a spec': async () => parseSpec('{}', wrong(undefined)),
      container: () => readContainer(wrong('bundle')),
      targets: () => compileFatBinary(compiler, module, wrong('gfx906')),
      'targets with a hole': () => compileFatBinary(compiler, module, HOLE),
      'a list with a hole': () => compiler.compile(module, { emit: HOLE }),
      'flags with a hole': () => compiler.preprocess('', { ...source, flags: HOLE }),
      'specs with a hole': () => compiler.tune(module, {}, { specs: HOLE }),
      'options of a container': () => compileContainer(compiler, module, wrong(null)),
    };
    for (const [name, call] of Object.entries(calls))
      assert.is((await failure(call())).code, 'usage', `${name}: another error`);
    const noSpecs = await failure(compiler.tune(module, {}, wrong({})));
    assert.is(noSpecs.message, 'tune() needs the option "specs"');
  });
});

test('IR text may be a string', async () => {
  await using({ threads: 0 }, async (compiler) => {
    const { artifacts } = await compiler.compile(new TextDecoder().decode(EMPTY_KERNEL));
    assert.equal(artifacts, (await compiler.compile(EMPTY_KERNEL)).artifacts);
  });
});

test('an option that is undefined counts as not given', async () => {
  await using({ threads: 0 }, async (compiler) => {
    const options = { emit: undefined, mcpu: undefined } as object;
    assert.is((await compiler.compile(EMPTY_KERNEL, options)).artifacts[0]!.kind, 'hsaco');
  });
});

test('a time-out ends the job on the calling thread, too, and the next job has a sound LLVM', async () => {
  await using({ threads: 0 }, async (compiler) => {
    // LLVM's assembler pads without an end after a byte in front of the first instruction.
    const endless = new TextDecoder().decode(EMPTY_KERNEL).replace('define', 'module asm ".byte 7"\ndefine');
    const error = await failure(compiler.compile(text(endless), {}, { timeout: 500 }));
    assert.is(error.code, 'timeout');
    assert.match(error.message, /limit of 0.5 s/);
    const soon = await failure(compiler.compile(text(endless), {}, { timeout: 0.0001 }));
    assert.is(soon.message, 'the job took longer than its limit of 0.0001 ms');
    await compiler.compile(EMPTY_KERNEL, {}, { timeout: 2_000_000_000 });
  });
});

test('a time-out ends the job, and its worker is replaced', async () => {
  await using({ threads: 1, timeout: 1 }, async (compiler) => {
    const error = await failure(compiler.compile(await kernel('many.gfx906.early'), { optimize: 'O3', meld: 'off' }));
    assert.is(error.code, 'timeout');
    assert.match(error.message, /limit of 0.001 s/);
  });
  await using({ threads: 1, timeout: 20_000 }, async (compiler) => {
    const options = { optimize: 'O3', emit: ['hsaco', 'asm', 'obj', 'll'], stats: true } as const;
    const jobs = [kernel('many.gfx906.early'), kernel('many.gfx1100.early')].map(async (bytes) =>
      failure(compiler.compile(await bytes, options, { timeout: 50 })),
    );
    for (const error of await Promise.all(jobs)) assert.is(error.code, 'timeout');
    assert.is((await compiler.compile(EMPTY_KERNEL, { emit: ['bc'] })).target, 'gfx906');
  });
});

test('an AbortSignal ends a running, a waiting and a future job, and its reason is the cause', async () => {
  await using({ threads: 1 }, async (compiler) => {
    const bytes = await kernel('many.gfx906.early');
    const stop = new AbortController();
    const reason = new Error('enough');
    const running = failure(
      compiler.compile(bytes, { optimize: 'O3' }, { signal: stop.signal, onProgress: () => stop.abort(reason) }),
    );
    const waiting = failure(compiler.compile(bytes, {}, { signal: stop.signal }));
    const other = compiler.compile(EMPTY_KERNEL);
    const ended = [await running, await waiting];
    ended.push(await failure(compiler.compile(bytes, {}, { signal: stop.signal })));
    for (const { code, cause } of ended) {
      assert.is(code, 'aborted');
      assert.is(cause, reason);
    }
    assert.is((await other).target, 'gfx906');
  });
});

test.long('progress is reported before the result', async () => {
  const bytes = await kernel('many.gfx906.O3');
  for (const threads of [0, 1, 2]) {
    await using({ threads }, async (compiler) => {
      const seen: Progress[] = [];
      const result = await compiler.compile(bytes, {}, { onProgress: (progress) => seen.push(progress) });
      const melded = seen.filter(({ phase }) => phase === 'meld').map((progress) => progress.function);
      assert.equal(melded.sort(), result.functions.map(({ name }) => name).sort());
      assert.is(seen.at(-1)!.phase, 'emit');
    });
  }
});

test.long('what a callback throws is what the call fails with', async () => {
  const bytes = await kernel('bitonic.gfx906.O3');
  for (const threads of [0, 1]) {
    await using({ threads }, async (compiler) => {
      const own = new Error('enough');
      const callbacks: (() => void)[] = [
        () => {
          throw own;
        },
        () => Promise.reject(own),
      ];
      for (const onProgress of callbacks) {
        const thrown: unknown = await compiler.compile(bytes, {}, { onProgress }).catch((error: unknown) => error);
        assert.is(thrown, own);
      }
      assert.is((await compiler.compile(bytes)).target, 'gfx906');
    });
  }
});

test('bytes that the caller gives away while they wait are the fault of the call', async () => {
  for (const threads of [0, 1])
    await using({ threads }, async (compiler) => {
      const bytes = new Uint8Array(await kernel('sb1.gfx906.O3'));
      const running = compiler.compile(bytes, { emit: ['bc'] });
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
      const { code, message } = await failure(running);
      assert.is(code, 'usage');
      assert.match(message, /the bytes are gone: they must stay as they are until the job is done/);
      assert.is((await compiler.compile(await kernel('sb1.gfx906.O3'))).artifacts.length, 1);
    });
});

test('bad input does not harm the pool', async () => {
  await using({ threads: 2 }, async (compiler) => {
    const good = await kernel('sb1.gfx906.O3');
    const expected = hash((await compiler.compile(good)).artifacts[0]!.bytes);
    const jobs: Promise<void>[] = [];
    for (let round = 0; round < 4; round++) {
      jobs.push(
        failure(compiler.compile(good.subarray(0, 1000 + round))).then((error) => assert.is(error.code, 'bad-input')),
        failure(compiler.compile(text('define void @f( {'))).then((error) => {
          assert.is(error.code, 'bad-input');
          assert.is(error.location?.line, 1);
        }),
        compiler.compile(good).then(({ artifacts }) => assert.is(hash(artifacts[0]!.bytes), expected)),
      );
    }
    await Promise.all(jobs);
  });
});

test.long('out of memory is an error of its own, and the next job works', async () => {
  // Five million bytes of text take many times as much memory as a module.
  const lines = Array.from({ length: 200_000 }, (_, i) => `@g${i} = addrspace(1) global i32 ${i}`);
  const huge = text(`target triple = "amdgcn-amd-amdhsa"\n${lines.join('\n')}\n`);
  await using({ threads: 1, memoryLimit: 64 * 2 ** 20 }, async (compiler) => {
    assert.is((await failure(compiler.compile(huge, { emit: ['bc'] }))).code, 'out-of-memory');
    assert.is((await compiler.compile(EMPTY_KERNEL)).target, 'gfx906');
  });
});

test.long('analyze changes nothing and agrees with a session', async () => {
  const bytes = await kernel('bitonic.gfx906.O3');
  await using({ threads: 1 }, async (compiler) => {
    const result = await compiler.analyze(bytes);
    assert.is(result.functions.length, 1);
    assert.ok(result.functions[0]!.divergentBranches > 0);
    const session = await compiler.open(bytes);
    assert.equal(await session.analyze(), result);
    assert.equal(
      (await session.info()).functions.map(({ name }) => name),
      ['bitonic'],
    );
    assert.is((await failure(session.analyze({ nonsense: 1 } as object))).code, 'usage');
    assert.equal(await session.analyze(), result);
    await session.close();
    assert.is((await failure(session.info())).code, 'usage');
  });
});

test('what waits for the calling thread is aborted when the compiler is closed', async () => {
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const bytes = await kernel('bitonic.gfx906.O3');
  await compiler.compile(bytes);
  const jobs = [1, 2].map(() => failure(compiler.compile(bytes)));
  await compiler.close();
  for (const job of jobs) assert.is((await job).code, 'aborted');
});

test('what a callback throws is the error of its call, also later', async () => {
  const { spec, kernel: name } = readSpecs(['bitonic'])[0]!;
  const error = new Error('mine');
  const thrower = (): never => {
    throw error;
  };
  await using({ threads: 0 }, async (compiler) => {
    const { artifacts } = await compiler.compile(await kernel('bitonic.gfx906.O3'), { meld: 'off' });
    assert.is(spec.launches[0]!.kernel, name);
    for (const callback of [() => Promise.reject(error), thrower]) {
      const thrown = await compiler
        .simulate(artifacts[0]!.bytes, spec, {}, { onInstruction: callback as () => void })
        .catch((each: unknown) => each);
      assert.is(thrown, error);
    }
  });
});

test('a question that is aborted while it waits for another one does not end the session', async () => {
  const bytes = await kernel('bitonic.gfx906.O3');
  await using({ threads: 0 }, async (compiler) => {
    const session = await compiler.open(bytes);
    const stop = new AbortController();
    let isAnswered = false;
    const first = session.analyze().finally(() => (isAnswered = true));
    const second = failure(session.analyze({}, { signal: stop.signal }));
    const third = session.info();
    stop.abort();
    assert.is((await second).code, 'aborted');
    assert.is(isAnswered, false);
    assert.is((await first).functions.length, 1);
    assert.is((await third).functions.length, 1);
  });
});

test('a process does not end while questions of a session wait', async () => {
  const base64 = Buffer.from(await kernel('bitonic.gfx906.O3')).toString('base64');
  const script = `
    import { createCompiler } from '${new URL('../../src/index.js', import.meta.url).href}';
    const session = await createCompiler({ threads: 0 }).open(Buffer.from('${base64}', 'base64'));
    void session.info();
    const { functions } = await session.analyze();
    console.log(functions.length);`;
  for (const flags of [['--input-type=module'], ['--expose-gc', '--input-type', 'module']]) {
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' });
    assert.equal([stdout, stderr], ['1\n', '']);
  }
});

test('a session ends with its time limit, its signal or its compiler', async () => {
  const bytes = await kernel('many.gfx906.early');
  await using({ threads: 1, timeout: 5 }, async (compiler) => {
    const session = await compiler.open(bytes);
    assert.is((await failure(session.analyze({ optimize: 'O3' }))).code, 'timeout');
    assert.is((await failure(session.info())).code, 'timeout');
  });
  const compiler = createCompiler({ threads: 1 });
  const third = await compiler.open(bytes);
  const cut = failure(third.analyze({ optimize: 'O3' }));
  await third.close();
  assert.is((await cut).code, 'aborted');
  assert.is((await failure(third.info())).code, 'usage');
  const [first, second] = [await compiler.open(bytes), await compiler.open(bytes)];
  const stop = new AbortController();
  const asked = failure(first!.analyze({ optimize: 'O3' }, { signal: stop.signal }));
  stop.abort('enough');
  assert.equal([(await asked).code, (await asked).cause], ['aborted', 'enough']);
  const open = failure(second!.analyze({ optimize: 'O3' }));
  await compiler.close();
  assert.is((await open).code, 'aborted');
});

test('inspects code objects and modules', async () => {
  const bytes = await kernel('bitonic.gfx906.O3');
  await using({ threads: 1 }, async (compiler) => {
    const module = await compiler.inspect(bytes);
    assert.is(module.kind, 'module');
    const { artifacts } = await compiler.compile(bytes);
    const info = await compiler.inspect(artifacts[0]!.bytes);
    if (info.kind !== 'code-object') throw new Error('no code object');
    assert.is(info.target, 'gfx906');
    assert.is(info.linked, true);
    assert.equal(
      info.kernels.map(({ name }) => name),
      ['bitonic'],
    );
    assert.ok(info.kernels[0]!.descriptor !== null);
    assert.ok(info.kernels[0]!.codeBytes! > 100);
  });
});

test('close ends jobs, is idempotent, and nothing starts afterwards', async () => {
  const compiler = createCompiler({ threads: 1 });
  const bytes = await kernel('many.gfx906.early');
  const codes: Promise<string>[] = [];
  await new Promise<void>((started) => {
    const running = compiler.compile(bytes, { optimize: 'O3' }, { onProgress: () => started() });
    for (const job of [running, compiler.compile(bytes)]) codes.push(failure(job).then(({ code }) => code));
  });
  await compiler.close();
  assert.equal(await Promise.all(codes), ['aborted', 'aborted']);
  await compiler.close();
  assert.is((await failure(compiler.compile(EMPTY_KERNEL))).code, 'usage');
  const other = createCompiler({ threads: 1 });
  const begun = [failure(other.compile(EMPTY_KERNEL)), failure(other.analyze(EMPTY_KERNEL))];
  // Whoever closes it again waits for the same.
  const ended = other.close();
  assert.is(other.close(), ended);
  await ended;
  assert.equal(
    (await Promise.all(begun)).map(({ code }) => code),
    ['aborted', 'aborted'],
  );
  await compiler[Symbol.asyncDispose]();
});

test.run();
