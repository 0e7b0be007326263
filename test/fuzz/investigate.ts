/** Reduces a failing kernel, finds out whose fault it is, and writes files for a person to read. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAMILIES } from '../campaign/families.js';
import { smallest, type Drawn, type Kernel } from '../campaign/random-kernel.js';
import { messageOf, type Bench } from './bench.js';
import { subjectOf, type Case } from './case.js';
import { check, optionsOf, type Finding, type Subject } from './check.js';
import { fixtureText } from './fixture.js';
import { triage, type Verdict } from './triage.js';
import { nameOf, siteOf } from './variants.js';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
export const FIXTURES = path.join(REPOSITORY, 'test', 'melding', 'fixtures');
export const SCRATCH = path.join(REPOSITORY, 'build', 'fuzz');

export interface Investigated {
  readonly verdict: Verdict;
  /** The folder or file; null if nothing was saved. */
  readonly saved: string | null;
}

/** The class of a failure, to tell apart those with different causes. */
export const classOf = ({ kind, how }: Pick<Finding, 'kind' | 'how'>): string =>
  kind === 'result' ? kind : `${kind} ${how.replace(/[%@'"][\w.]+'?|\d+/g, '').slice(0, 60)}`;

export interface Suspect {
  /** Seed of the campaign. */
  readonly campaign: number;
  readonly case: Case;
  readonly kernel: Drawn;
  /** The kernels of the module in which it fails: it alone if it fails alone. */
  readonly module: readonly Drawn[];
  /** What went wrong with that module. */
  readonly finding: Finding;
}

/** @param seconds for shrinking; 0 only finds out whose fault it is */
export async function investigate(
  bench: Bench,
  { campaign, case: c, kernel, module, finding }: Suspect,
  seconds: number,
): Promise<Investigated> {
  const { variant } = finding;
  const site = siteOf(variant);
  const { name, seed } = kernel;
  const moduleWith = (one: Kernel) => module.map((each) => (each === kernel ? { ...one, seed } : each));
  const subjectWith = async (one: Kernel): Promise<Subject> => {
    const subject = await subjectOf(bench, c, moduleWith(one), site);
    return { ...subject, launches: subject.launches.filter((launch) => launch.kernel === name) };
  };
  const failing = async (one: Kernel): Promise<Finding | null> => {
    const { findings } = await check(bench, await subjectWith(one), site, [variant]);
    return findings.find((each) => classOf(each) === classOf(finding)) ?? null;
  };
  const whose = async (subject: Subject): Promise<Verdict> =>
    finding.kind === 'result'
      ? triage(bench, subject, variant).catch((error: unknown) => ({ whose: 'open', notes: [messageOf(error)] }))
      : { whose: 'darm', notes: [] };

  let verdict = await whose(await subjectWith(kernel));
  if (seconds === 0) return { verdict, saved: null };
  let least: Kernel = kernel;
  if (verdict.whose !== 'llvm') {
    const small = await smallest(kernel, seconds, async (one) => (await failing(one)) !== null);
    const after = await whose(await subjectWith(small));
    // While the kernel shrank, another fault may have taken the place of this one.
    if (after.whose === verdict.whose) [least, verdict] = [small, after];
  }
  const how = (await failing(least))?.how ?? finding.how;
  const file = `fuzz-${campaign}-${name.slice(1)}`;
  const subject = await subjectWith(least);
  const what = [`${finding.kind}: ${how}`, `whose: ${verdict.whose}`, ...verdict.notes, nameOf(variant)].join('\n');
  const text = fixtureText({ what, family: c.family, kernel: name, seed, variant, ir: subject.ir });

  const folder = path.join(SCRATCH, file);
  await mkdir(folder, { recursive: true });
  const save = (what: string, content: string | Uint8Array): Promise<void> =>
    writeFile(path.join(folder, what), content);
  await save('kernel.ll', text);
  await save('whole.ll', FAMILIES[c.family].module(module));
  const plain = { ...optionsOf(variant), meld: 'off' } as const;
  for (const [build, options] of [['plain', plain], ['melded', optionsOf(variant)]] as const)
    try {
      await save(`${build}.ll`, await bench.text(subject.ir, options));
      await save(`${build}.s`, await bench.text(subject.ir, options, 'asm'));
      await save(`${build}.hsaco`, (await bench.code(subject.ir, options)).bytes);
    } catch (error) {
      await save(`${build}.error.txt`, messageOf(error));
    } // prettier-ignore
  if (verdict.whose === 'llvm') return { verdict, saved: folder };
  await mkdir(FIXTURES, { recursive: true });
  await writeFile(path.join(FIXTURES, `${file}.ll`), text);
  return { verdict, saved: path.join(FIXTURES, `${file}.ll`) };
}
