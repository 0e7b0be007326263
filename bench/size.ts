/** Prints the sizes of LLVM's WebAssembly module from its manifest. usage: node dist/bench/size.js */
import { readManifest } from '../src/binding/load.js';
import { printTable } from './support.js';

const manifest = await readManifest();
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
printTable(
  ['file', 'size'],
  [
    ['llvm.wasm (unpacked)', mib(manifest.module.bytes)],
    ['llvm.wasm.br (shipped)', mib(manifest.compressed.bytes)],
    ['llvm.mjs (loader)', mib(manifest.loader.bytes)],
  ],
);
