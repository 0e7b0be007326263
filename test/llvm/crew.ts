/** Worker processes that answer questions. One that dies or hangs is replaced, and the answer is a `trap`. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Question } from './messages.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const HEARTBEAT_MS = 60_000;

export class Crew {
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();

  constructor(
    readonly size: number,
    private readonly workerArguments: readonly string[],
    /** Time limit for each question. */
    private readonly limitSeconds: number,
  ) {}

  async #hire(): Promise<ChildProcess> {
    const child = fork(WORKER, [...this.workerArguments], { execArgv: ['--enable-source-maps'] });
    this.#all.add(child);
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => reject(new Error(`a worker process ended with ${code} before its first question`)));
    });
    child.removeAllListeners('exit');
    return child;
  }

  async #ask(question: Question): Promise<Answer> {
    const child = this.#idle.pop() ?? (await this.#hire());
    const answer = await new Promise<Answer>((resolve) => {
      const give = (reply: Answer) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(reply);
      };
      const timer = setTimeout(
        () => give({ kind: 'trap', message: `not finished after ${this.limitSeconds} s` }),
        this.limitSeconds * 1000,
      );
      child.once('message', (reply) => give(reply as Answer));
      child.once('exit', (code, signal) => give({ kind: 'trap', message: `the process ended with ${signal ?? code}` }));
      child.send(question);
    });
    if (answer.kind === 'trap' && /^(not finished|the process ended)/.test(answer.message)) this.#dismiss(child);
    else this.#idle.push(child);
    return answer;
  }

  #dismiss(child: ChildProcess): void {
    this.#all.delete(child);
    child.kill('SIGKILL');
  }

  /**
   * Asks questions in order until there are none left, `deadline` (in milliseconds of `performance.now()`) has passed,
   * or `enough` answers counted. There are never more open questions than answers that are still needed. So the
   * questions that were asked are always a prefix of the list, which does not depend on timing. Returns how many were
   * asked.
   */
  async run<T extends Question>(
    questions: readonly T[],
    deadline: number,
    enough: number,
    take: (question: T, answer: Answer) => boolean,
  ): Promise<number> {
    let [next, counted, underWay] = [0, 0, 0];
    const heartbeat = setInterval(
      () => console.error(`${questions[0]?.kind}: ${next} of ${questions.length} files`),
      HEARTBEAT_MS,
    );
    await new Promise<void>((resolve, reject) => {
      const step = (): void => {
        const more = () => next < questions.length && performance.now() < deadline && counted + underWay < enough;
        while (underWay < this.size && more()) {
          const question = questions[next++]!;
          underWay++;
          this.#ask(question).then((answer) => {
            underWay--;
            if (take(question, answer)) counted++;
            step();
          }, reject);
        }
        if (underWay === 0 && !more()) resolve();
      };
      step();
    });
    clearInterval(heartbeat);
    return next;
  }

  [Symbol.dispose](): void {
    for (const child of this.#all) this.#dismiss(child);
  }
}
