/**
 * The kernels that come at several block sizes, optimised, without and with melding: what the simulator leaves in the
 * output buffers is, byte for byte, what the kernel's reference says. Each module is for one target here; `npm run
 * test:kernels` has all sizes and targets and the early meld point.
 */
import { readSizedSpecs, type KernelLaunch } from '../../kernels/references/specs.js';
import type { JobOptions } from '../../src/job/options.js';
import { complaints, decoded } from '../support/kernel-launch.js';
import { kernel } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

/** In turn. */
const TARGETS = ['gfx906', 'gfx1100'] as const;
const FORMS: readonly Partial<JobOptions>[] = [{ meld: 'off' }, { profit: 'paper', threshold: 0.05 }, {}];

const MODULES = readSizedSpecs();

/**
 * Kernels in which melding may find nothing: sides with little in common, or (ms, nqu) that other edges enter as well.
 */
const MAY_STAY = ['hashjoin', 'interp', 'lz4ish', 'ms', 'nqu', 'rle', 'tokenizer'];
/** And kernels that the cost model lets stay, though something melds by the paper's measure. */
const DOES_NOT_PAY = ['dequant', 'raytri', 'sb2r', 'sb3r', 'sb4cr'];

/** Kernels that execute many instructions. */
const LARGE = ['lud', 'pcm', 'sb1r', 'sb2r', 'sb3r', 'sb3s', 'sb4cr', 'sb4r', 'srad'];

const threads = ({ spec }: KernelLaunch): number => spec.launches[0]!.block.reduce((product, size) => product * size);

const test = suite('simulator/sized-kernels', { tests: MODULES.size, timeoutMs: 60_000 });

for (const [index, [module, launches]] of [...MODULES].entries()) {
  const target = TARGETS[index % TARGETS.length]!;
  const register = LARGE.includes(module) ? test.long : test;
  register(`${module} ${target}`, async () => {
    // A block smaller than a wave, and where the kernel has one, a block larger than a wave.
    const sizes = launches.toSorted((a, b) => threads(a) - threads(b));
    const chosen = [sizes[0]!, sizes.find((each) => threads(each) > 64) ?? sizes.at(-1)!];
    const failures: string[] = [];
    for (const options of FORMS) {
      const code = await decoded(await kernel(`${module}.${target}.O3`), options);
      assert.is(code.object.kernels.length, launches.length);
      if (options.meld === 'off') assert.is(code.melds, 0);
      else if (!MAY_STAY.includes(module) && (options.profit === 'paper' || !DOES_NOT_PAY.includes(module)))
        assert.ok(code.melds > 0, 'nothing melds');
      for (const { spec } of chosen) failures.push(...(await complaints(code, spec)));
    }
    assert.equal(failures, []);
  });
}

test.run();
