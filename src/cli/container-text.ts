/** The contents of a container as a table, for `darm bundle` and `darm inspect`. */
import type { ContainerInfo, ContainerPartInfo } from '../formats/offload/describe.js';
import { table } from './table.js';

function partText({ format, compression }: ContainerPartInfo): string {
  return compression === null ? format : `${format}, ${compression.method} (version ${compression.version})`;
}

export function containerText({ parts, images }: ContainerInfo): string {
  const rows = images.map(({ index, part, id, target, content, offset, bytes }) => [
    index,
    target || '-',
    content,
    offset,
    bytes,
    id,
    partText(parts[part]!),
  ]);
  return table('rllrrll', ['image', 'target', 'content', 'offset', 'bytes', 'entry', 'in'], rows);
}
