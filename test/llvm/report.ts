/** Counts and tables of `npm run test:llvm`. Every failure is a line with the file's name. */
import path from 'node:path';
import { table } from '../../src/cli/table.js';
import type { Difference } from './classify.js';
import type { AnalysesQuestion, Answer, EqualQuestion, MeldQuestion } from './messages.js';

/** The fraction of the objects that native llc makes which must be the same bytes as ours. */
const MUST_BE_IDENTICAL = 0.98;

const nameOf = (question: { file: string; cpu: string }) =>
  `${path.basename(question.file)}${question.cpu && ` ${question.cpu}`}`;
const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300);

/** Indented by two spaces. */
function printTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  process.stdout.write(table('l', header, rows).replace(/^(?=.)/gm, '  '));
}

function count<K>(map: Map<K, number>, key: K, by = 1): void {
  map.set(key, (map.get(key) ?? 0) + by);
}

export class EqualityReport {
  readonly #counts = new Map<string, number>();
  readonly #differences: { question: EqualQuestion; difference: Difference }[] = [];
  readonly #lines: string[] = [];
  readonly #accepted: { file: string; cpu: string; sha256: string }[] = [];

  constructor(
    private readonly cpus: readonly string[],
    private readonly folder: string,
  ) {}

  readonly take = (question: EqualQuestion, answer: Answer): boolean => {
    count(this.#counts, `${question.cpu} ${answer.kind}`);
    if (answer.kind === 'refused' || answer.kind === 'trap')
      this.#lines.push(`${answer.kind}: ${nameOf(question)}: ${oneLine(answer.message)}`);
    if (answer.kind === 'identical' || answer.kind === 'different')
      this.#accepted.push({ file: question.file, cpu: question.cpu, sha256: answer.sha256 });
    if (answer.kind === 'different') this.#differences.push({ question, difference: answer.difference! });
    return answer.kind !== 'not-accepted';
  };

  /** The pairs both compilers accept, in the order they were asked. */
  identicalOrNot(): readonly { file: string; cpu: string; sha256: string }[] {
    return this.#accepted;
  }

  #of(cpu: string | null, ...kinds: Answer['kind'][]): number {
    const cpus = cpu === null ? this.cpus : [cpu];
    return cpus.reduce(
      (sum, c) => sum + kinds.reduce((all, kind) => all + (this.#counts.get(`${c} ${kind}`) ?? 0), 0),
      0,
    );
  }

  get #identicalFraction(): number {
    return this.passed / Math.max(1, this.#of(null, 'identical', 'different', 'refused', 'trap'));
  }

  get passed(): number {
    return this.#of(null, 'identical');
  }

  /** What is not identical counts only when it is too much; a trap always. */
  get failed(): number {
    const traps = this.#of(null, 'trap');
    return this.#identicalFraction >= MUST_BE_IDENTICAL ? traps : traps + this.#of(null, 'different', 'refused');
  }

  print(): void {
    console.log('\nObject files against native llc-23 (melding off, -O2):');
    const row = (cpu: string | null): (string | number)[] => [
      cpu ?? 'all',
      this.#of(cpu, 'not-accepted', 'identical', 'different', 'refused', 'trap'),
      this.#of(cpu, 'identical', 'different', 'refused', 'trap'),
      this.#of(cpu, 'identical'),
      this.#of(cpu, 'different'),
      this.#of(cpu, 'refused'),
      this.#of(cpu, 'trap'),
    ];
    printTable(
      ['', 'files', 'accepted by llc', 'identical', 'different', 'refused by us', 'traps'],
      [...this.cpus.map(row), row(null)],
    );
    console.log(
      `  ${(100 * this.#identicalFraction).toFixed(2)} % identical, at least ${100 * MUST_BE_IDENTICAL} % are asked for`,
    );
    const classes = new Map<string, number>();
    for (const { difference } of this.#differences) count(classes, difference.class);
    if (classes.size > 0) {
      console.log(`\nDifferences, by class (the files are in ${this.folder}):`);
      printTable(
        ['class', 'files'],
        [...classes].sort((a, b) => b[1] - a[1]),
      );
      for (const { question, difference } of this.#differences) {
        console.log(`  ${nameOf(question)}: ${difference.class} (${difference.where.slice(0, 4).join(', ')})`);
        for (const line of difference.excerpt) console.log(`      ${line}`);
      }
    }
    for (const line of this.#lines) console.log(`  ${line}`);
  }
}

export class AnalysesReport {
  #files = 0;
  #functions = 0;
  #blocks = 0;
  #values = 0;
  #divergent = 0;
  #cycles = 0;
  #refused = 0;
  readonly #lines: string[] = [];
  passed = 0;
  failed = 0;

  constructor(
    private readonly title: string,
    private readonly total: number,
  ) {}

  readonly take = (question: AnalysesQuestion, answer: Answer): boolean => {
    this.#files++;
    if (answer.kind === 'refused') {
      this.#refused++;
      this.#lines.push(`refused: ${nameOf(question)}: ${oneLine(answer.message)}`);
    } else if (answer.kind === 'compared') {
      for (const fn of answer.functions) {
        this.#functions++;
        this.#blocks += fn.blocks;
        this.#values += fn.values;
        this.#divergent += fn.divergentValues;
        this.#cycles += fn.cycles;
        if (fn.differences.length === 0) this.passed++;
        else this.failed++;
        for (const text of fn.differences) this.#lines.push(`DIFFERENT: ${nameOf(question)} '${fn.name}': ${text}`);
      }
    } else {
      this.failed++;
      this.#lines.push(`${answer.kind}: ${nameOf(question)}: ${'message' in answer ? oneLine(answer.message) : ''}`);
    }
    return true;
  };

  print(): void {
    console.log(`\nAnalyses against LLVM's, ${this.title}:`);
    printTable(
      ['', 'files', 'refused by us', 'functions', 'equal', 'blocks', 'values', 'divergent', 'cycles'],
      [
        [
          'all',
          `${this.#files} of ${this.total}`,
          this.#refused,
          this.#functions,
          this.passed,
          this.#blocks,
          this.#values,
          this.#divergent,
          this.#cycles,
        ],
      ],
    );
    for (const line of this.#lines) console.log(`  ${line}`);
  }
}

export class MeldReport {
  readonly #rows = new Map<string, { files: number; functions: number; melds: number; failed: number }>();
  readonly #lines: string[] = [];
  #notAccepted = 0;
  passed = 0;
  failed = 0;

  readonly take = (question: MeldQuestion, answer: Answer): boolean => {
    const model = question.profit === 'net' ? 'net' : `paper, threshold ${question.threshold}`;
    const row = this.#rows.get(model) ?? { files: 0, functions: 0, melds: 0, failed: 0 };
    this.#rows.set(model, row);
    if (answer.kind === 'not-accepted') {
      this.#notAccepted++;
      return true;
    }
    row.files++;
    const complaints =
      answer.kind === 'melded' ? answer.complaints : [`${answer.kind}: ${'message' in answer ? answer.message : ''}`];
    if (answer.kind === 'melded') {
      row.melds += answer.melds;
      row.functions += answer.functions;
    }
    if (complaints.length > 0) {
      row.failed++;
      this.failed++;
    } else this.passed++;
    for (const text of complaints) this.#lines.push(`FAILED: ${nameOf(question)} (${model}): ${oneLine(text)}`);
    return true;
  };

  print(): void {
    console.log(
      '\nMelding, on files that compile without (no crash, no hang, no function given up, equal bytes where nothing melds):',
    );
    if (this.#notAccepted > 0) console.log(`  ${this.#notAccepted} more files do not compile for their processor`);
    const rows = [...this.#rows].map(([model, row]) => [model, row.files, row.functions, row.melds, row.failed]);
    printTable(['profit', 'files', 'functions melded', 'melds', 'failed'], rows);
    for (const line of this.#lines) console.log(`  ${line}`);
  }
}
