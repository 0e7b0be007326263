/** What is cold in a part, where it lies beside the package, and where it lies in a folder for temporary files. */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { DarmError } from '../../src/errors.js';
import { divide } from '../../src/platform/divide.js';
import type { FileFacts } from '../../src/platform/interface.js';
import { node } from '../../src/platform/node.js';
import { privateTemporaryFolder } from '../../src/process/files.js';
import { inFolder } from '../support/command.js';
import { CALLED, code, MODULE } from '../support/divided-module.js';
import { assert, suite } from '../support/suite.js';

const test = suite('platform/node', { tests: 5 });

const factsOf = (bytes: Uint8Array): FileFacts => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
const { called, cold } = divide(MODULE, CALLED);
const FACTS: FileFacts = {
  ...factsOf(called),
  division: { whole: factsOf(MODULE), cold: factsOf(cold), called: Buffer.from(CALLED).toString('base64') },
};
const NAME = `part.${FACTS.division!.cold.sha256.slice(0, 16)}.cold`;
const FORGED = new Uint8Array(cold.length);

interface Places {
  /** Of the package. */
  readonly packed: string;
  readonly beside: string;
  readonly temporary: string;
}

/** A package of one part, which is not unpacked yet, and a folder for temporary files. */
async function withPackage(use: (places: Places) => Promise<void>): Promise<void> {
  const before = { DARM_WASM: process.env['DARM_WASM'], TMPDIR: process.env['TMPDIR'] };
  await inFolder(async (folder) => {
    const wasm = path.join(folder, 'wasm');
    const packed = path.join(wasm, 'part.wasm.br');
    await mkdir(wasm);
    await writeFile(packed, brotliCompressSync(MODULE));
    Object.assign(process.env, { DARM_WASM: wasm, TMPDIR: folder });
    try {
      await use({
        packed,
        beside: path.join(wasm, NAME),
        temporary: path.join((await privateTemporaryFolder())!, NAME),
      });
    } finally {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });
}

test('in the folder for temporary files it is read when it is needed, not when it is found', () =>
  withPackage(async ({ packed, temporary }) => {
    await writeFile(temporary, FORGED);
    const found = await node.findCold('part', FACTS);
    await rm(packed);
    await writeFile(temporary, cold);
    assert.equal(node.readCold(found), cold);
  }));

test('there, bytes that are not those of the manifest are not used, but removed', () =>
  withPackage(async ({ temporary }) => {
    await writeFile(temporary, FORGED);
    const found = await node.findCold('part', FACTS);
    assert.equal(node.readCold(found), cold);
    assert.equal((await node.findCold('part', FACTS)) as Uint8Array, cold);
  }));

test('there, a file that has gone meanwhile is unpacked once more', () =>
  withPackage(async ({ temporary }) => {
    await writeFile(temporary, cold);
    const found = await node.findCold('part', FACTS);
    await rm(temporary);
    assert.equal(node.readCold(found), cold);
  }));

test('where the package has changed, too, that is an error', () =>
  withPackage(async ({ packed, temporary }) => {
    await writeFile(temporary, FORGED);
    const found = await node.findCold('part', FACTS);
    const other = Buffer.from(MODULE);
    const body = Buffer.from(code(0x20, 0, 0x10, 0));
    other[other.indexOf(body) + body.indexOf(0x10)] = 0x12; // a call at the end of a cold function
    await writeFile(packed, brotliCompressSync(other));
    assert.throws(
      () => node.readCold(found),
      (error: unknown) => error instanceof DarmError && error.code === 'internal' && /damaged/.test(error.message),
    );
  }));

test('beside the package it is trusted, and taken before what lies in the other folder', () =>
  withPackage(async ({ beside, temporary }) => {
    await writeFile(temporary, FORGED);
    await writeFile(beside, cold);
    const found = await node.findCold('part', FACTS);
    assert.equal(found, { file: beside, bytes: cold.length, checked: null });
    assert.equal(node.readCold(found), cold);
  }));

test.run();
