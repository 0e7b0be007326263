/**
 * What offload containers have in common: images, each for one target, and the names they go by. A bundle names an entry
 * `KIND-ARCH-VENDOR-OS-ENVIRONMENT-TARGET` (clang/docs/ClangOffloadBundler.rst, "Bundle Entry ID"); an OffloadBinary says
 * the same in fields, from which such a name is made up.
 */
import { DarmError } from '../../errors.js';
import { sniffInput } from '../bitcode.js';

/** Offset and size in bytes. */
export interface Span {
  readonly offset: number;
  readonly size: number;
}

export interface OffloadImage {
  /** The entry's name as it is written in the container: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-`. */
  readonly id: string;
  /** `host`, `hip`, `hipv4`, `openmp`, `cuda`, `sycl`, … */
  readonly kind: string;
  /** `amdgcn-amd-amdhsa`, with the environment if there is one. */
  readonly triple: string;
  /** Target id (`gfx90a:xnack-`), or empty: the host's, or none is named. */
  readonly target: string;
  readonly bytes: Uint8Array;
  /** Where in its (uncompressed) bundle or binary it lies. */
  readonly span: Span;
}

/** The entry that clang puts in front of the others, without contents. */
export const HOST_ID = 'host-x86_64-unknown-linux-gnu-';

/** What an image is made of, by its first bytes. */
export type ImageContent = 'empty' | 'bitcode' | 'text' | 'elf' | 'other';

export function imageContent(bytes: Uint8Array): ImageContent {
  const kind = sniffInput(bytes);
  if (kind === 'bitcode-wrapper') return 'bitcode';
  return kind === 'offload-bundle' ? 'other' : kind;
}

export type ImageName = Pick<OffloadImage, 'id' | 'kind' | 'triple' | 'target'>;

/** Takes an entry id apart. Old ones have no environment: `hip-amdgcn-amd-amdhsa-gfx900`. */
export function parseImageId(id: string): ImageName {
  const [kind = '', arch = '', vendor = '', os = '', ...rest] = id.split('-');
  const old = /^(gfx|sm_)/.test(rest[0] ?? '');
  const environment = old ? '' : (rest[0] ?? '');
  const triple = [arch, vendor, os, environment].filter((part) => part !== '').join('-');
  return { id, kind, triple, target: rest.slice(old ? 0 : 1).join('-') };
}

/** The id of an entry of which kind, triple and target are known. */
export function imageId(kind: string, triple: string, target: string): string {
  const [arch = '', vendor = '', os = '', ...environment] = triple.split('-');
  return `${kind}-${arch}-${vendor}-${os}-${environment.join('-')}-${target}`;
}

/** `gfx906`, or a whole entry id, as a command line names an image that is to be written. */
export function imageNameFor(target: string): ImageName {
  // What begins like a processor is one: generic ones have hyphens, too (`gfx9-4-generic`).
  if (/^gfx[0-9a-z-]+(:[a-z]+[+-])*$/.test(target)) return parseImageId(imageId('hipv4', 'amdgcn-amd-amdhsa', target));
  const name = parseImageId(target);
  if (!/^\w+-\w+-\w+-/.test(target) || name.triple === '')
    throw new DarmError(
      'usage',
      `'${target}' is neither a target id (gfx90a:xnack-) nor the id of an entry of a bundle`,
    );
  return name;
}
