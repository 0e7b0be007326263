/** LLVM's code, for one compiler: loaded when it is first needed, and again after a failure. */
import { arrived, loadLlvm, type ComingCode, type LlvmCode, type Make } from '../binding/load.js';
import { DarmError } from '../errors.js';
import { Retried } from './retried.js';

export class LlvmLoader {
  readonly #make: () => Promise<Make | undefined>;
  readonly #code = new Retried(() => this.#load());
  #prepared: boolean | null = null;

  /** @param make how the parts are compiled; by default, lazily */
  constructor(make: () => Promise<Make | undefined> = () => Promise.resolve(undefined)) {
    this.#make = make;
  }

  /** Whether it was prepared; null before it is loaded. */
  get prepared(): boolean | null {
    return this.#prepared;
  }

  /** What an instance is made of, parts perhaps on their way. @throws DarmError `io` */
  coming(): Promise<ComingCode> {
    return this.#code.get();
  }

  /** The same, when all of it is there: it can be posted to other threads. @throws DarmError `io` */
  async arrived(): Promise<LlvmCode> {
    return arrived(await this.coming());
  }

  async close(): Promise<void> {
    await this.#code.take();
  }

  async #load(): Promise<ComingCode> {
    const code = await loadLlvm(await this.#make()).catch(cannotLoad);
    const parts = code.parts.catch((error: Error) => {
      void this.#code.take();
      return cannotLoad(error);
    });
    const noted = parts.then(({ prepared }) => void (this.#prepared = prepared));
    // It is reported where it is waited for.
    noted.catch(() => {});
    return { ...code, parts };
  }
}

function cannotLoad(error: Error): never {
  throw error instanceof DarmError ? error : new DarmError('io', `cannot load LLVM: ${error.message}`);
}
