/** Worker processes that answer tasks; one that dies or hangs is replaced, and its task answered with a `trap`. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Task } from './tasks.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const HEARTBEAT_MS = 60_000;

export class Crew {
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();

  constructor(
    readonly size: number,
    private readonly workerArguments: readonly string[],
    /** Of each task. */
    private readonly limitSeconds: number,
  ) {}

  async #hire(): Promise<ChildProcess> {
    const child = fork(WORKER, [...this.workerArguments], { execArgv: ['--enable-source-maps'] });
    this.#all.add(child);
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => reject(new Error(`a worker process ended with ${code} before its first task`)));
    });
    child.removeAllListeners('exit');
    return child;
  }

  async #ask(task: Task): Promise<Answer> {
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
      child.send(task);
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
   * Answers tasks in order until there are none, `deadline` (milliseconds of `performance.now()`) has passed, or `enough`
   * answers counted. Never more tasks are under way than could still count, so that the tasks that were asked are a prefix
   * of the list that does not depend on timing. Returns how many tasks were asked.
   */
  async run<T extends Task>(
    tasks: readonly T[],
    deadline: number,
    enough: number,
    take: (task: T, answer: Answer) => boolean,
  ): Promise<number> {
    let [next, counted, underWay] = [0, 0, 0];
    const heartbeat = setInterval(
      () => console.error(`${tasks[0]?.kind}: ${next} of ${tasks.length} files`),
      HEARTBEAT_MS,
    );
    await new Promise<void>((resolve, reject) => {
      const step = (): void => {
        const more = () => next < tasks.length && performance.now() < deadline && counted + underWay < enough;
        while (underWay < this.size && more()) {
          const task = tasks[next++]!;
          underWay++;
          this.#ask(task).then((answer) => {
            underWay--;
            if (take(task, answer)) counted++;
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
