/**
 * Optimised code of those parts of LLVM and of clang that are needed at once, made once and kept in a folder, so that a
 * new process need not compile it. V8 hands such code out and takes it back where it has the runtime functions that its
 * own tests use: in Node 20 to 24. It refuses code of another version of V8, for another processor or made with other
 * flags. Whatever does not fit is not used; only `darm --version --verbose` tells (`whyNone`).
 *
 * Code that somebody else wrote would run as ours. So the folder must belong to the user (or to root), and nobody else
 * may write to it. Whether a file is damaged, a hash of its code tells.
 */
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { FileFacts, ModulePart } from '../platform/interface.js';
import { cryptography } from '../platform/crypto.js';
import { compileBytes } from '../platform/compile.js';
import { DarmError } from '../errors.js';
import { ioError, isWritableByUserOnly, makeFolder, writeAtomically } from '../process/files.js';
import { countNoCalls, optimizeJavaScriptLate, withoutPolicy } from './tier-policy.js';

/** `$DARM_PREPARED_DIR`, else a folder among the user's caches. */
export function preparedFolder(): string {
  const named = process.env['DARM_PREPARED_DIR'];
  if (named) return path.resolve(named);
  return path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'darm', 'prepared');
}

const fileName = ({ sha256 }: FileFacts): string =>
  `${sha256.slice(0, 16)}.${process.version}-${process.platform}-${process.arch}.code`;

/**
 * What V8 leaves out when it compiles everything with its optimising compiler. All are on otherwise; without baseline
 * code, V8 sets those about tiers by itself.
 */
const FLAGS = ['liftoff', 'wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];
/** A tenth of the code. Taking code in costs more than LLVM's loops gain. */
FLAGS.push('wasm-loop-unrolling', 'wasm-loop-peeling');

/** Bytes of the hash in front of the code. */
const HASH_BYTES = 16;

/**
 * GMAC, with a key that is no secret: processors compute it six times as fast as SHA-256, and the process waits for it.
 */
function hashOf(code: Uint8Array): Buffer {
  const cipher = cryptography().createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)).setAAD(code);
  cipher.final();
  return cipher.getAuthTag();
}

export interface PreparedFile {
  readonly file: string;
  /** Of the code, without the hash. */
  readonly bytes: number;
}

/** The module of a part from prepared code; null when there is none that fits. */
export async function readPrepared(
  part: Pick<ModulePart, 'use'>,
  facts: FileFacts,
): Promise<WebAssembly.Module | null> {
  try {
    const folder = preparedFolder();
    if (!isTrusted(folder)) return null;
    const { wanted, code } = readCode(path.join(folder, fileName(facts)));
    optimizeJavaScriptLate();
    countNoCalls();
    if (!hashOf(code).equals(wanted)) return null;
    const take = 'return %DeserializeWasmModule(code, bytes)';
    const module = await part.use((bytes) => withoutPolicy(() => natively(take, { code: code.buffer, bytes })));
    return module instanceof WebAssembly.Module ? module : null;
  } catch {
    return null;
  }
}

/** Each in a buffer of its own, as V8 takes code: copying some 25 MB costs more than reading them. */
function readCode(file: string): { wanted: Uint8Array; code: Uint8Array<ArrayBuffer> } {
  const opened = openSync(file, 'r');
  try {
    const wanted = new Uint8Array(HASH_BYTES);
    const code = new Uint8Array(fstatSync(opened).size - HASH_BYTES);
    for (const part of [wanted, code])
      if (readSync(opened, part) !== part.length) throw new RangeError('the file was cut while it was read');
    return { wanted, code };
  } finally {
    closeSync(opened);
  }
}

/** Calls a runtime function of V8. A V8 that does not have it throws a SyntaxError. */
function natively(body: string, values: Readonly<Record<string, unknown>>): unknown {
  v8.setFlagsFromString('--allow-natives-syntax');
  try {
    const call = vm.compileFunction(body, Object.keys(values)) as (...given: unknown[]) => unknown;
    return call(...Object.values(values));
  } finally {
    v8.setFlagsFromString('--no-allow-natives-syntax');
  }
}

/**
 * Compiles a module with V8's optimising compiler and writes the code into the folder. LLVM takes half a minute of
 * processor time. It sets flags of V8: for a process of its own.
 *
 * @throws DarmError `usage` when V8 does not hand out code, `io`
 */
export async function writePrepared(bytes: Uint8Array<ArrayBuffer>, facts: FileFacts): Promise<PreparedFile> {
  const folder = preparedFolder();
  // Asked first: a V8 without the function is no reason to compile.
  if (!handsOutCode()) throw new DarmError('usage', NOT_HANDED_OUT);
  await makeFolder(folder, 0o700).catch((error: unknown) => {
    throw ioError('make', folder, error);
  });
  if (!isTrusted(folder)) throw new DarmError('io', distrusted(folder));
  optimizeJavaScriptLate();
  // Inlining without counts makes three times as much code.
  countNoCalls();
  for (const flag of FLAGS) v8.setFlagsFromString(`--no-${flag}`);
  const module = await compileBytes(bytes);
  for (const flag of FLAGS) v8.setFlagsFromString(`--${flag}`);
  const code = new Uint8Array(natively('return %SerializeWasmModule(module)', { module }) as ArrayBuffer);
  const file = path.join(folder, fileName(facts));
  await writeAtomically(file, Buffer.concat([hashOf(code), code]), 0o644).catch((error: unknown) => {
    throw ioError('write', file, error);
  });
  return { file, bytes: code.length };
}

const NOT_HANDED_OUT = `Node ${process.version} does not hand out optimised code; Node 22 and 24 do`;

const distrusted = (folder: string): string =>
  `${folder} is not used: it belongs to somebody else, or others can write to it`;

/** For a process that finds no code that fits, what there is instead, or has to be done. */
export function whyNone(): string {
  if (!handsOutCode()) return NOT_HANDED_OUT;
  const folder = preparedFolder();
  try {
    if (!isTrusted(folder)) return distrusted(folder);
    const others = readdirSync(folder).filter((name) => name.endsWith('.code')).length;
    if (others > 0)
      return `what is in ${folder} is for another version of darm or Node, or damaged: darm prepare makes it anew`;
  } catch {
    // There is no such folder.
  }
  return 'darm prepare makes it';
}

function isTrusted(folder: string): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && isWritableByUserOnly(found, { orRoot: true });
}

function handsOutCode(): boolean {
  try {
    natively('return () => %SerializeWasmModule(0)', {});
    return true;
  } catch {
    return false;
  }
}
