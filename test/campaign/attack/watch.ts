/**
 * Runs cases in a child process and watches it. A case that takes too long, or with which the process ends, is a
 * failure; the campaign goes on in a new process with the next case.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HOST_SECRET } from './hostile-assembly.js';

export type SubjectName = 'modules' | 'objects';

export interface Verdict {
  readonly kind: string;
  readonly outcome: string;
  /** What is wrong, or null. */
  readonly complaint: string | null;
}

/** Runs the case with a number. Made once per process. */
export type Judge = (number: number) => Promise<Verdict>;

/** A message of the child: of a case that has ended, or (with number -1) that it is ready. */
export interface Report extends Partial<Verdict> {
  readonly number: number;
  /** Bytes. */
  readonly resident: number;
}

export interface WatchOptions {
  readonly subject: SubjectName;
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Cases at the same time. */
  readonly width: number;
  /** Longest time of one case. */
  readonly hangMs: number;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
  /** Asked before each case: whether to stop early. */
  readonly stop: () => boolean;
  /** MiB of V8's heap in the child. */
  readonly heap: number;
  readonly onVerdict: (number: number, verdict: Verdict) => void;
  readonly onMemory: (bytes: number) => void;
}

const SUBJECT = fileURLToPath(new URL('./subject.js', import.meta.url));
const START_MS = 300_000;

class Child {
  readonly process: ChildProcess;
  readonly exit: Promise<string>;
  readonly #waiting = new Map<number, (report: Report) => void>();
  #errors = '';

  constructor({ subject, seed, heap }: WatchOptions) {
    this.process = fork(SUBJECT, [subject, String(seed)], {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      execArgv: [`--max-old-space-size=${heap}`],
      env: { ...process.env, HOST_SECRET },
    });
    this.process.stdin!.on('error', () => {});
    this.process.stdin!.end(`${HOST_SECRET}\n`.repeat(100));
    this.process.stderr!.on('data', (chunk: Buffer) => (this.#errors = (this.#errors + chunk.toString()).slice(-2000)));
    this.exit = once(this.process, 'exit').then(([code, signal]) => `${String(code ?? signal)}: ${this.#said()}`);
    this.process.on('message', (report: Report) => {
      const give = this.#waiting.get(report.number);
      this.#waiting.delete(report.number);
      give?.(report);
    });
  }

  #said(): string {
    const line = this.#errors.split('\n').find((each) => /FATAL|Error|error/.test(each));
    return (line ?? this.#errors.trim().slice(0, 200)).trim();
  }

  reported(number: number): Promise<Report> {
    return new Promise((resolve) => this.#waiting.set(number, resolve));
  }

  /** The report of a case, or how the process failed at it. */
  async run(number: number, limitMs: number): Promise<Report | string> {
    const report = this.reported(number);
    if (number >= 0 && this.process.connected) this.process.send({ number }, () => {});
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer after ${limitMs / 1000} s`), limitMs);
    });
    const ended = this.exit.then((how) => `the process ended with ${how}`);
    try {
      return await Promise.race([report, ended, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exit;
  }
}

async function start(options: WatchOptions): Promise<Child> {
  const child = new Child(options);
  const ready = await child.run(-1, START_MS);
  if (typeof ready === 'string') {
    await child.end();
    throw new Error(`the process for ${options.subject} does not start: ${ready}`);
  }
  return child;
}

/** The result is the number of cases that were run. */
export async function watch(options: WatchOptions): Promise<number> {
  const { first, count, width, hangMs, onVerdict, onMemory } = options;
  let child: Child | null = await start(options);
  let next = first;
  const more = (): boolean => next < first + count && performance.now() < options.deadline && !options.stop();
  /** Cases that were running when a process failed. Each runs again alone, which shows whose fault it was. */
  const suspects: number[] = [];

  const runAlone = async (number: number): Promise<void> => {
    child ??= await start(options);
    const report = await child.run(number, hangMs);
    if (typeof report !== 'string') return onVerdict(number, report as Verdict);
    onVerdict(number, { kind: 'process', outcome: 'process', complaint: report });
    await child.end();
    child = null;
  };
  const runMany = async (): Promise<void> => {
    const current = (child ??= await start(options));
    let failed = false;
    const lane = async (): Promise<void> => {
      while (!failed && more()) {
        const number = next++;
        const report = await current.run(number, hangMs);
        if (typeof report === 'string') {
          failed = true;
          suspects.push(number);
          return;
        }
        onVerdict(number, report as Verdict);
        if (number % 16 === 0) onMemory(report.resident);
      }
    };
    await Promise.all(Array.from({ length: width }, lane));
    if (!failed) return;
    await current.end();
    child = null;
  };
  while (more()) {
    await runMany();
    for (const number of suspects.splice(0)) await runAlone(number);
  }
  await child?.end();
  return next - first;
}
