/** A thread of the campaign: checks one batch after the other and investigates failures. */
import { parentPort, workerData } from 'node:worker_threads';
import { Bench, messageOf } from './bench.js';
import type { Drawn } from '../campaign/random-kernel.js';
import { BATCH, caseOf, kernelOf, subjectOf, type Case } from './case.js';
import { check, type Finding } from './check.js';
import { classOf, investigate } from './investigate.js';
import type { Failure, Report, Setup, BatchRequest } from './messages.js';
import { nameOf, siteOf, type Variant } from './variants.js';

const { llvm, campaign, shrink } = workerData as Setup;
const bench = new Bench(llvm);
/** Number of saved failures, by class and by whose fault they are. A few of the same class are enough. */
const saved = new Map<string, number>();
const MOST_ALIKE = 3;

async function run({ batch }: BatchRequest): Promise<Report> {
  await bench.ready();
  const c = caseOf(batch);
  const kernels = Array.from({ length: BATCH }, (_, index) => kernelOf(c, campaign, batch * BATCH + index));
  const melded = new Set<string>();
  const unusable = new Map<string, string>();
  const variants: Report['variants'][number][] = [];
  const failures: Failure[] = [];
  for (const site of [0, 2]) {
    const mine = c.variants.slice(site, site + 2);
    const found = await checkAt(c, kernels, mine);
    for (const [name, why] of found.unusable) unusable.set(name, why);
    for (const variant of mine) {
      const names = kernels.filter(({ name }) => found.melded.get(variant)?.has(name));
      names.forEach(({ name }) => melded.add(name));
      variants.push({ name: nameOf(variant), melded: names.length });
    }
    for (const finding of found.findings) failures.push(await failureOf(c, kernels, finding, found.isTogether));
  }
  return {
    batch,
    kernels: kernels.length,
    melded: melded.size,
    unusable: [...unusable].map(([name, why]) => `${name}: ${why}`),
    variants,
    failures,
  };
}

/**
 * Checks all kernels at once and, if that fails, one after the other, so that each failure is attributed to a kernel.
 *
 * @returns in `isTogether`, whether the failures only occur with all kernels in one module
 */
async function checkAt(c: Case, kernels: readonly Drawn[], variants: readonly Variant[]) {
  const site = siteOf(variants[0]!);
  const checkThese = async (these: readonly Drawn[]) =>
    check(bench, await subjectOf(bench, c, these, site), site, variants);
  const all = await checkThese(kernels);
  if (all.findings.length === 0 && all.unusable.size === 0) return { ...all, isTogether: false };
  const findings: Finding[] = [];
  const unusable = new Map<string, string>();
  for (const one of kernels) {
    const alone = await checkThese([one]);
    // A failure in a device function counts as a failure of the kernel that it belongs to.
    findings.push(...alone.findings.map((finding) => ({ ...finding, kernel: one.name })));
    for (const [name, why] of alone.unusable) unusable.set(name, why);
  }
  // A kernel's code is another one where another kernel reads the LDS that it writes, for example.
  const isTogether = findings.length === 0;
  return { findings: isTogether ? all.findings : findings, unusable, melded: all.melded, isTogether };
}

async function failureOf(c: Case, kernels: readonly Drawn[], finding: Finding, isTogether: boolean): Promise<Failure> {
  const failure = {
    kernel: Number(finding.kernel.slice(1)),
    kind: finding.kind,
    class: classOf(finding),
    how: finding.how,
    variant: nameOf(finding.variant),
  };
  const one = kernels.find(({ name }) => name === finding.kernel);
  if (one === undefined) return { ...failure, whose: 'open', notes: ['only with other kernels'], saved: null };
  const suspect = { campaign, case: c, kernel: one, module: isTogether ? kernels : [one], finding };
  const first = await investigate(bench, suspect, 0);
  const alike = [`${first.verdict.whose} ${failure.class}`, `${first.verdict.whose} ${failure.class} ${one.name}`];
  const [count, ofKernel] = alike.map((key) => saved.get(key) ?? 0);
  if (count! >= MOST_ALIKE || ofKernel! > 0) return { ...failure, ...first.verdict, saved: null };
  alike.forEach((key) => saved.set(key, (saved.get(key) ?? 0) + 1));
  const { verdict, saved: file } = await investigate(bench, suspect, shrink);
  return { ...failure, ...verdict, saved: file };
}

parentPort!.on('message', (request: BatchRequest) => {
  void run(request)
    .catch((error: unknown): Report => {
      const failure: Failure = {
        kernel: request.batch * BATCH,
        kind: 'campaign',
        class: 'campaign',
        how: `of the campaign itself: ${messageOf(error)}`,
        variant: '',
        whose: 'open',
        notes: [],
        saved: null,
      };
      return { batch: request.batch, kernels: 0, melded: 0, unusable: [], variants: [], failures: [failure] };
    })
    .then((report) => parentPort!.postMessage(report));
});
