import { DarmError } from '../errors.js';
import { divide } from './divide.js';
import type { Division, FileFacts } from './interface.js';
import { repair } from './repair.js';

/** The extension of what is cold in a part. */
export const COLD = 'cold';

/** The file that a part is shipped in. */
export const packedName = (part: string, extension: string): string =>
  `${part}.${extension === COLD ? 'wasm' : extension}.br`;

/** Of the files that it becomes. */
export const extensionsOf = ({ division }: FileFacts, extension: string): readonly string[] =>
  division === undefined ? [extension] : ['wasm', COLD];

/** The part's own facts describe the functions called, where it is divided. */
export const factsOf = (facts: FileFacts, extension: string): FileFacts =>
  extension === COLD ? facts.division!.cold : facts;

export const DAMAGED = 'the compiled module is damaged: its hash is not the one in manifest.json';

export interface UnpackedFile {
  readonly extension: string;
  readonly facts: FileFacts;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * What a file of the package becomes when it has been unpacked: it is repaired and, where the manifest says so,
 * divided.
 *
 * @param bytes they are changed
 * @throws DarmError `internal` when they are not those of the manifest
 */
export async function unpackedFiles(
  bytes: Uint8Array<ArrayBuffer>,
  facts: FileFacts,
  extension: string,
  sha256: (bytes: Uint8Array) => string | Promise<string>,
): Promise<readonly UnpackedFile[]> {
  const { division } = facts;
  const whole = division?.whole ?? facts;
  const check = async (file: Uint8Array, expected: FileFacts): Promise<void> => {
    if ((await sha256(file)) !== expected.sha256) throw new DarmError('internal', DAMAGED);
  };
  repair(bytes, whole);
  await check(bytes, whole);
  if (division === undefined) return [{ extension, facts, bytes }];
  const { called, cold } = divide(bytes, bitsOf(division.called));
  const files = [
    { extension: 'wasm', facts, bytes: called },
    { extension: COLD, facts: division.cold, bytes: cold },
  ];
  for (const file of files) await check(file.bytes, file.facts);
  return files;
}

/** Only what is cold in a part that is divided, and unchecked. @param bytes they are changed */
export function unpackedCold(bytes: Uint8Array<ArrayBuffer>, { whole, called }: Division): Uint8Array<ArrayBuffer> {
  repair(bytes, whole);
  return divide(bytes, bitsOf(called)).cold;
}

const bitsOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
