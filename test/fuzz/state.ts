/** The results of a campaign so far. They are written to build/fuzz/, so that the same command continues from there. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { moduleFolder } from '../../src/platform/node.js';
import { writeAtomically } from '../../src/process/files.js';
import { REPOSITORY, SCRATCH } from './investigate.js';
import type { Failure, Report } from './messages.js';
import { COMBINATIONS } from './variants.js';

interface Data {
  /** Hash of all code: results of different code are not added up. */
  readonly build: string;
  /** The next batch, and those that were begun but not ended. */
  next: number;
  begun: number[];
  seconds: number;
  batches: number;
  kernels: number;
  melded: number;
  unusable: string[];
  failures: Failure[];
  /** By the variant's name: number of builds, and of melded kernels. */
  variants: Record<string, [builds: number, melded: number]>;
}

function buildHash(): string {
  const hash = createHash('sha256');
  for (const folder of ['src', 'test/campaign', 'test/fuzz'].map((name) => path.join(REPOSITORY, 'dist', name)))
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (file.endsWith('.js')) hash.update(file).update(readFileSync(path.join(folder, file)));
  hash.update(readFileSync(path.join(moduleFolder(), 'manifest.json')));
  return hash.digest('hex').slice(0, 16);
}

export class State {
  readonly #file: string;
  readonly #data: Data;
  /** Why it starts over although there are earlier results, or null. */
  readonly restarted: string | null = null;

  constructor(campaign: number) {
    const build = buildHash();
    this.#file = path.join(SCRATCH, `campaign-${campaign}.json`);
    mkdirSync(SCRATCH, { recursive: true });
    let data: Data | null = null;
    try {
      data = JSON.parse(readFileSync(this.#file, 'utf8')) as Data;
      if (data.build !== build) this.restarted = 'the code has changed since';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.restarted = (error as Error).message;
    }
    const empty = { build, next: 0, begun: [], seconds: 0, batches: 0, kernels: 0, melded: 0, unusable: [], failures: [], variants: {} }; // prettier-ignore
    this.#data = data !== null && this.restarted === null ? data : empty;
    this.#unfinished = [...this.#data.begun];
  }
  readonly #unfinished: number[];

  get data(): Readonly<Data> {
    return this.#data;
  }

  begin(): number {
    const again = this.#unfinished.shift();
    if (again !== undefined) return again;
    this.#data.begun.push(this.#data.next);
    return this.#data.next++;
  }

  end(report: Report, seconds: number): void {
    const data = this.#data;
    data.begun = data.begun.filter((batch) => batch !== report.batch);
    data.seconds += seconds;
    data.batches++;
    data.kernels += report.kernels;
    data.melded += report.melded;
    data.unusable.push(...report.unusable);
    data.failures.push(...report.failures);
    for (const { name, melded } of report.variants) {
      const [builds, before] = data.variants[name] ?? [0, 0];
      data.variants[name] = [builds + 1, before + melded];
    }
  }

  /** Saves follow each other, so that the last one stays. */
  save(): Promise<void> {
    this.#saved = this.#saved.then(() => writeAtomically(this.#file, JSON.stringify(this.#data, null, 1)));
    return this.#saved;
  }
  #saved: Promise<void> = Promise.resolve();

  print(): void {
    const { batches, kernels, melded, unusable, failures, variants, seconds } = this.#data;
    const ours = failures.filter(({ whose }) => whose !== 'llvm');
    const percent = (part: number, of: number): string => `${((100 * part) / Math.max(1, of)).toFixed(1)} %`;
    console.log(`\n${kernels} kernels in ${batches} batches, ${(seconds / 60).toFixed(1)} minutes, ${((60 * kernels) / Math.max(1, seconds)).toFixed(0)} kernels a minute`); // prettier-ignore
    console.log(`${melded} of them melded in some variant (${percent(melded, kernels)})`);
    this.#printCoverage(variants);
    const reasons = new Map<string, number>();
    for (const why of unusable) {
      const reason = why
        .replace(/^\w+: /, '')
        .replace(/\d+/g, 'N')
        .slice(0, 120);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    console.log(`${unusable.length} not usable, because their unmelded build fails`);
    for (const [reason, count] of reasons) console.log(`  ${count}: ${reason}`);
    const notOurs = failures.filter((failure) => !ours.includes(failure));
    const kernelsOfLlvm = new Set(notOurs.map(({ kernel }) => kernel)).size;
    console.log(
      `${kernelsOfLlvm} kernels that LLVM compiles wrongly unmelded (${notOurs.length} melded builds differ from that)`,
    );
    for (const name of new Set(ours.map((failure) => failure.class))) {
      const list = ours.filter((failure) => failure.class === name);
      console.log(`  ${list.length} × ${name}`);
      for (const { saved, variant, how } of list.filter((each) => each.saved !== null))
        console.log(`      ${path.relative(REPOSITORY, saved!)} (${variant}): ${how.slice(0, 160)}`);
    }
    console.log(`${kernels} kernels, ${ours.length} failures`);
  }

  #printCoverage(variants: Data['variants']): void {
    const names = Object.keys(variants);
    console.log(`${names.length} of ${COMBINATIONS} combinations of options; builds, and kernels melded per build:`);
    const options = [
      'point',
      'optimize',
      'target',
      'mode',
      'profit',
      'threshold',
      'replication',
      'unpredicate',
      'versions',
      'plan',
    ];
    const order = [1, 2, 0, 3, 4, 5, 6, 7, 8, 9];
    for (const [index, title] of options.entries()) {
      const sums = new Map<string, [number, number]>();
      for (const name of names) {
        const value = name.split(' ')[order[index]!]!;
        const [builds, melded] = sums.get(value) ?? [0, 0];
        sums.set(value, [builds + variants[name]![0], melded + variants[name]![1]]);
      }
      const cells = [...sums].map(
        ([value, [builds, melded]]) => `${value} ${builds} (${(melded / builds).toFixed(2)})`,
      );
      console.log(`  ${title}: ${cells.join(', ')}`);
    }
  }
}
