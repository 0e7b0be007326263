/** All operations of the simulator by mnemonic. */
import type { Operation, OperationTable } from './operation.js';
import { scalarInteger } from './scalar-integer.js';
import { control } from './control.js';
import { vectorInteger } from './vector-integer.js';

const TABLES: readonly OperationTable[] = [control, scalarInteger, vectorInteger];

const OPERATIONS = new Map<string, Operation>();
for (const table of TABLES)
  for (const [mnemonic, operation] of Object.entries(table)) {
    if (OPERATIONS.has(mnemonic)) throw new Error(`two operations are called ${mnemonic}`);
    OPERATIONS.set(mnemonic, operation);
  }

export const findOperation = (mnemonic: string): Operation | null => OPERATIONS.get(mnemonic) ?? null;
