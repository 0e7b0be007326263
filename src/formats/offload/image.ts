/**
 * The images of offload containers, each for one target, and their ids. A bundle's ids have the form
 * `KIND-ARCH-VENDOR-OS-ENVIRONMENT-TARGET` (clang/docs/ClangOffloadBundler.rst, "Bundle Entry ID"). An OffloadBinary
 * has fields for these parts instead, from which such an id is put together.
 */
import { DarmError } from '../../errors.js';
import { sniffInput } from '../bitcode.js';

/** A range of bytes. */
export interface Span {
  readonly offset: number;
  readonly size: number;
}

export interface OffloadImage {
  /** The entry's id in the container: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-`. */
  readonly id: string;
  /** `host`, `hip`, `hipv4`, `openmp`, `cuda`, `sycl`, … */
  readonly kind: string;
  /** `amdgcn-amd-amdhsa`, with the environment if there is one. */
  readonly triple: string;
  /** Target id (`gfx90a:xnack-`). Empty for the host's image, and where the entry names no target. */
  readonly target: string;
  readonly bytes: Uint8Array;
  /** Where it is in its bundle or binary, uncompressed. */
  readonly span: Span;
}

/** The id of the empty entry that clang puts in front of the others. */
export const HOST_ID = 'host-x86_64-unknown-linux-gnu-';

/** The kind of an image's contents. */
export type ImageContent = 'empty' | 'bitcode' | 'text' | 'elf' | 'other';

export function imageContent(bytes: Uint8Array): ImageContent {
  const kind = sniffInput(bytes);
  if (kind === 'bitcode-wrapper') return 'bitcode';
  return kind === 'offload-bundle' ? 'other' : kind;
}

export type ImageName = Pick<OffloadImage, 'id' | 'kind' | 'triple' | 'target'>;

/** Splits an entry's id into its parts. Old ids have no environment: `hip-amdgcn-amd-amdhsa-gfx900`. */
export function parseImageId(id: string): ImageName {
  const [kind = '', arch = '', vendor = '', os = '', ...rest] = id.split('-');
  const old = /^(gfx|sm_)/.test(rest[0] ?? '');
  const environment = old ? '' : (rest[0] ?? '');
  const triple = [arch, vendor, os, environment].filter((part) => part !== '').join('-');
  return { id, kind, triple, target: rest.slice(old ? 0 : 1).join('-') };
}

/** Puts the id of an entry together. */
export function imageId(kind: string, triple: string, target: string): string {
  const [arch = '', vendor = '', os = '', ...environment] = triple.split('-');
  return `${kind}-${arch}-${vendor}-${os}-${environment.join('-')}-${target}`;
}

/** The id of an image to be written, from what the command line gives: a target id (`gfx906`) or a whole entry id. */
export function imageNameFor(target: string): ImageName {
  // Names of generic processors have hyphens, as entry ids do: `gfx9-4-generic`.
  if (/^gfx[0-9a-z-]+(:[a-z]+[+-])*$/.test(target)) return parseImageId(imageId('hipv4', 'amdgcn-amd-amdhsa', target));
  const name = parseImageId(target);
  if (!/^\w+-\w+-\w+-/.test(target) || name.triple === '')
    throw new DarmError(
      'usage',
      `'${target}' is neither a target id (gfx90a:xnack-) nor the id of an entry of a bundle`,
    );
  return name;
}
