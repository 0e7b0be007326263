/**
 * Scratch memory for work on small parts of large functions: tables by block or by instruction that are lent and come
 * back empty. A new table would cost time for every block of the function. A lent one costs time for those that are
 * written. Without this, work on n small parts would take time that grows as n².
 */
import { NONE } from '../ir/ids.js';

export class Tables {
  private readonly free: Int32Array[] = [];

  /** @param size how many blocks or instructions there are */
  constructor(private readonly size: number) {}

  /** A table that holds `NONE` everywhere. */
  lend(): Int32Array {
    return this.free.pop() ?? new Int32Array(this.size).fill(NONE);
  }

  /** Takes a table back. It must hold `NONE` except where `written` says. */
  takeBack(table: Int32Array, written: readonly number[]): void {
    for (let k = 0; k < written.length; k++) table[written[k]] = NONE;
    this.free.push(table);
  }
}
