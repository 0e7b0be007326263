/** Prints the sizes of LLVM's WebAssembly code from its manifest. usage: node dist/bench/size.js */
import { readManifest } from '../src/binding/load.js';
import { printTable } from './support.js';

const manifest = await readManifest();
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const shipped = Object.values(manifest.compressed);
printTable(
  ['file', 'size'],
  [
    ['llvm.wasm, for a first compilation (unpacked)', mib(manifest.module.bytes)],
    ...Object.entries(manifest.further).flatMap(([part, { bytes, division }]) => [
      [`${part}.wasm (unpacked)`, mib(bytes)],
      ...(division
        ? [[`${part}.cold (unpacked), read when a function of it is called`, mib(division.cold.bytes)]]
        : []),
    ]),
    ['llvm.memory (unpacked)', mib(manifest.memory?.bytes ?? 0)],
    ...Object.entries(manifest.compressed).map(([name, { bytes }]) => [`${name} (shipped)`, mib(bytes)]),
    ['llvm.mjs (loader)', mib(manifest.loader.bytes)],
    ['all that is shipped', mib(shipped.reduce((sum, { bytes }) => sum + bytes, manifest.loader.bytes))],
  ],
);
