/** The host's disk, as clang asks for it. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { FileKind, type FileFacts } from '../job/source.js';
import { cryptography } from './crypto.js';
import type { Disk } from './interface.js';

/** The largest file that can be included. */
const MAX_BYTES = 256 * 2 ** 20;

const KINDS = ['nothing', 'folder', 'file', 'other'] as const;

export const nodeDisk: Disk = {
  stat(file) {
    const facts = (kind: FileKind, size = 0): FileFacts => ({ kind, size, id: 0 });
    try {
      const found = statSync(file);
      if (found.isDirectory()) return facts(FileKind.Folder);
      // A device or a pipe may be endless. Files of the system have no size.
      if (!found.isFile() || found.size > MAX_BYTES) return facts(FileKind.Other);
      return facts(FileKind.File, found.size);
    } catch {
      return facts(FileKind.Nothing);
    }
  },
  read(file) {
    try {
      return readFileSync(file);
    } catch {
      return null;
    }
  },
  realPath(file) {
    try {
      return realpathSync.native(file);
    } catch {
      return path.resolve(file);
    }
  },
  absolute: (file) => path.resolve(file),
  hash: (content) => cryptography().createHash('sha256').update(content).digest('hex'),
  isUnchanged({ path: file, found, real = file }) {
    const word = KINDS[nodeDisk.stat(file).kind];
    if (word !== 'nothing' && nodeDisk.realPath(file) !== real) return false;
    if (word !== 'file' || found === 'file') return word === found;
    const content = nodeDisk.read(file);
    return content !== null && nodeDisk.hash(content) === found;
  },
};
