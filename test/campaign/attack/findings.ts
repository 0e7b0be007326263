/** What a phase found: counts, failures with their inputs, and memory over time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../../support/llvm.js';

const FOLDER = path.join(REPOSITORY, 'build', 'attack');
const MIB = 2 ** 20;
/** After so many failures something is broken in general, and a phase stops. */
const MOST_FAILURES = 40;
/** Largest ratio of the memory in the second half of a phase to that in the first. */
const MOST_GROWTH = 1.3;
/** Samples that are too few to say anything about growth. */
const FEW_SAMPLES = 20;

export interface FailedInput {
  readonly bytes: Uint8Array | string;
  /** With the dot. */
  readonly extension: string;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

export class Findings {
  passed = 0;
  failed = 0;
  readonly #outcomes = new Map<string, number>();
  readonly #memory: number[] = [];

  constructor(
    readonly phase: string,
    readonly seed: number,
  ) {}

  get hopeless(): boolean {
    return this.failed >= MOST_FAILURES;
  }

  /** One thing that was tried and held. `outcome` is counted for the report. */
  pass(outcome?: string): void {
    this.passed++;
    if (outcome !== undefined) this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** One thing that did not hold. `number` is that of a seeded case, which the message says how to repeat. */
  fail(name: string, complaint: string, number?: number, input?: FailedInput): void {
    this.failed++;
    console.log(`FAIL ${this.phase}, ${name}: ${complaint.slice(0, 2000)}`);
    const again = number === undefined ? ` --only '${name}'` : ` --first ${number} --cases 1`;
    console.log(`     npm run test:attack -- --phase ${this.phase} --seed ${this.seed}${again}`);
    if (input !== undefined) console.log(`     ${this.#save(name, input)}`);
  }

  #save(name: string, { bytes, extension }: FailedInput): string {
    mkdirSync(FOLDER, { recursive: true });
    const file = path.join(FOLDER, `${this.phase}-${this.seed}-${name.replace(/[^\w.-]+/g, '-')}${extension}`);
    writeFileSync(file, bytes);
    return path.relative(process.cwd(), file);
  }

  memory(bytes: number): void {
    this.#memory.push(bytes / MIB);
  }

  /** Judges the memory and prints the closing lines of the phase. */
  close(seconds: number): void {
    const samples = this.#memory.slice(Math.ceil(this.#memory.length / 10));
    const [first, second] = [samples.slice(0, samples.length >> 1), samples.slice(samples.length >> 1)].map(median) as [number, number]; // prettier-ignore
    if (samples.length >= FEW_SAMPLES && second > first * MOST_GROWTH)
      this.fail('memory', `grows: ${first.toFixed(0)} MiB in the first half, ${second.toFixed(0)} MiB in the second`);
    const memory = samples.length < 2 ? '' : `; memory ${first.toFixed(0)} MiB, then ${second.toFixed(0)} MiB`;
    const outcomes = [...this.#outcomes].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`);
    console.log(`${this.phase}: ${this.passed + this.failed} tried in ${seconds.toFixed(0)} s, ${this.failed} failures${memory}`); // prettier-ignore
    if (outcomes.length > 0) console.log(`  ${outcomes.join(', ')}`);
  }
}
