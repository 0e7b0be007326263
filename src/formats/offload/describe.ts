/** Describes a container's contents as plain data, for `darm bundle`, `darm inspect` and their JSON documents. */
import type { Container, Part } from './container.js';
import { imageContent, type ImageContent } from './image.js';

export interface ContainerPartInfo {
  readonly format: 'bundle' | 'text-bundle' | 'offload-binary';
  /** The method of compression and the version of the compressed format; null for a part that is not compressed. */
  readonly compression: { readonly method: 'zlib' | 'zstd'; readonly version: number } | null;
}

export interface ContainerImageInfo {
  /** Its index in the container, from 0. */
  readonly index: number;
  /** Index of its part. */
  readonly part: number;
  readonly id: string;
  readonly kind: string;
  readonly triple: string;
  readonly target: string;
  readonly content: ImageContent;
  /** Offset from the start of its bundle or binary, uncompressed. */
  readonly offset: number;
  readonly bytes: number;
}

export interface ContainerInfo {
  readonly kind: 'offload-container';
  readonly parts: readonly ContainerPartInfo[];
  readonly images: readonly ContainerImageInfo[];
}

export function describeContainer({ parts, images }: Container): ContainerInfo {
  const plain = parts.flatMap(({ part }) => plainParts(part));
  const partOf = plain.flatMap(({ count }, part) => Array.from({ length: count }, () => part));
  return {
    kind: 'offload-container',
    parts: plain.map(({ info }) => info),
    images: images.map(({ id, kind, triple, target, bytes, span }, index) => ({
      index,
      part: partOf[index]!,
      id,
      kind,
      triple,
      target,
      content: imageContent(bytes),
      offset: span.offset,
      bytes: bytes.length,
    })),
  };
}

function plainParts(
  part: Part,
  compression: ContainerPartInfo['compression'] = null,
): { info: ContainerPartInfo; count: number }[] {
  if (part.format !== 'compressed') return [{ info: { format: part.format, compression }, count: part.images.length }];
  const how = { method: part.compression, version: part.version };
  return part.contents.parts.flatMap((inner) => plainParts(inner.part, how));
}
