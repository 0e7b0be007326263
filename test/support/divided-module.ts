/** A module of four functions, of which two are cold: see platform/divide.ts. */

const text = (name: string): number[] => [name.length, ...Buffer.from(name)];
const section = (id: number, ...content: number[]): number[] => [id, content.length, ...content];
/** A function's body. */
export const code = (...body: number[]): number[] => [body.length + 2, 0, ...body, 0x0b];

/** Each function has one i32 and returns one. Function 0 is imported and adds one. */
export const MODULE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7f),
  ...section(
    2,
    ...[2, ...text('primary'), ...text('addOne'), 0x00, 0],
    ...[...text('primary'), ...text('table'), 0x01, 0x70, 0x00, 2],
  ),
  ...section(3, 4, 0, 0, 0, 0),
  // Functions 1 and 3 stand in the table.
  ...section(9, 2, 0, 0x41, 0, 0x0b, 1, 1, 0, 0x41, 1, 0x0b, 1, 3),
  ...section(
    10,
    4,
    ...code(0x20, 0, 0x10, 2), // 1, called: calls 2
    ...code(0x20, 0, 0x10, 0), // 2, cold: calls addOne
    ...code(0x20, 0, 0x10, 4), // 3, cold: calls 4
    ...code(0x20, 0, 0x41, 2, 0x6c), // 4, called: doubles
  ),
]);
/** A bit for each function of its own. */
export const CALLED = Uint8Array.from([0b1001]);
