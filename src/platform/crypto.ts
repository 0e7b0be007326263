/** Node's cryptography. Loading it takes milliseconds, and most jobs need nothing of it. */
export const cryptography = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto');
