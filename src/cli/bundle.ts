/** `darm bundle`: lists, reads and writes containers of device images. It does not compile anything. */
import { DarmError } from '../errors.js';
import { sniffInput } from '../formats/bitcode.js';
import { parseElf } from '../formats/elf.js';
import { MACHINE_AMDGPU, targetIdOf } from '../formats/elf-target.js';
import { writeBundle } from '../formats/offload/bundle.js';
import { writeCompressed, type CompressedVersion } from '../formats/offload/compressed.js';
import { readContainer, replaceImages, type Container } from '../formats/offload/container.js';
import { describeContainer } from '../formats/offload/describe.js';
import { embeddedContainer } from '../formats/offload/embedded.js';
import { HOST_ID, imageContent, imageNameFor, type ImageName } from '../formats/offload/image.js';
import { writeOffloadBinaries } from '../formats/offload/offload-binary.js';
import { selectImage } from '../formats/offload/select.js';
import type { BundleFlags, BundleInvocation, Pair } from './bundle-arguments.js';
import { artifactDocument } from './compile-report.js';
import { containerText } from './container-text.js';
import { checkOutputs } from './outputs.js';
import { checkSameSettings } from '../job/target-id.js';
import { readInput, writeOutput, writeStandardOutput } from '../process/files.js';

export async function runBundle(invocation: BundleInvocation): Promise<void> {
  checkFiles(invocation);
  const { input, images, flags } = invocation;
  if (input === null) return create(images, flags);
  const bytes = await readInput(input);
  const embedded = sniffInput(bytes) === 'elf' ? embeddedContainer(bytes) : null;
  if (embedded === null && sniffInput(bytes) !== 'offload-bundle')
    throw new DarmError('bad-input', 'this is not an offload bundle or fat binary, nor an ELF file that contains one');
  const container = await readContainer(embedded ?? bytes);
  if (flags.extract.length > 0) return extract(container, flags);
  if (flags.replace.length > 0) {
    if (embedded !== null) throw new DarmError('bad-input', 'the images of an ELF file can be taken out, not replaced');
    return replace(container, flags);
  }
  const info = describeContainer(container);
  await writeStandardOutput(flags.json ? JSON.stringify({ schema: 1, ...info }) + '\n' : containerText(info));
}

/** A container may be replaced by what becomes of it, where -o says so. */
function checkFiles({ input, images, flags }: BundleInvocation): void {
  const extracted = flags.extract.map(({ target, file }) => [`--extract ${target}=${file}`, file] as const);
  const read = [...images, ...flags.replace].map(({ file }) => file);
  const container = flags.extract.length > 0 && input !== null ? [input] : [];
  checkOutputs({ 'the output': flags.output, ...Object.fromEntries(extracted) }, [...container, ...read]);
}

async function extract({ images }: Container, flags: BundleFlags): Promise<void> {
  const chosen = flags.extract.map(({ target, file }) => ({ file, image: images[selectImage(images, target)]! }));
  const artifacts: object[] = [];
  for (const { file, image } of chosen) {
    await writeOutput(file, image.bytes);
    artifacts.push({ ...artifactDocument(file, imageContent(image.bytes), image.bytes), id: image.id });
  }
  await report(artifacts, flags);
}

async function replace(container: Container, flags: BundleFlags): Promise<void> {
  const replacements = new Map<number, Uint8Array>();
  for (const { target, file } of flags.replace) {
    const index = selectImage(container.images, target);
    if (replacements.has(index)) throw new DarmError('usage', `the image '${target}' is replaced twice`);
    replacements.set(index, await readImage(file, container.images[index]!.target));
  }
  await write(await replaceImages(container, replacements), flags);
}

async function create(pairs: readonly Pair[], flags: BundleFlags): Promise<void> {
  const names = namesOf(pairs);
  const images: (ImageName & { readonly bytes: Uint8Array })[] = [];
  for (const [index, name] of names.entries())
    images.push({ ...name, bytes: await readImage(pairs[index]!.file, name.target) });
  if (flags.type === 'offload-binary') return write(writeOffloadBinaries(images), flags);
  const host = images.some(({ kind }) => kind === 'host') ? [] : [{ id: HOST_ID, bytes: new Uint8Array(0) }];
  const bundle = writeBundle([...host, ...images]);
  const { compress, formatVersion } = flags;
  const version = Number(formatVersion) as CompressedVersion;
  await write(compress === 'none' ? bundle : await writeCompressed(bundle, compress, version), flags);
}

function namesOf(pairs: readonly Pair[]): ImageName[] {
  const names = pairs.map(({ target }) => imageNameFor(target));
  names.forEach(({ id, kind, triple }, index) => {
    if (names.findIndex((each) => each.id === id) < index)
      throw new DarmError('usage', `'${pairs[index]!.target}' is given twice`);
    const alike = names.filter((each) => each.kind === kind && each.triple === triple);
    checkSameSettings(alike.map(({ target }) => target));
  });
  return names;
}

/** Refuses a code object for another processor: HIP's runtime would ignore it without a message. */
async function readImage(file: string, target: string): Promise<Uint8Array> {
  const bytes = await readInput(file);
  if (target === '' || imageContent(bytes) !== 'elf') return bytes;
  const { machine, flags } = parseElf(bytes);
  const processor = (text: string): string => text.split(':')[0]!;
  const found = targetIdOf(flags);
  if (machine === MACHINE_AMDGPU && processor(found) !== processor(target))
    throw new DarmError('bad-target', `${file} is a code object for ${found}, not for ${target}`);
  return bytes;
}

async function write(bytes: Uint8Array, flags: BundleFlags): Promise<void> {
  const file = flags.output!;
  await writeOutput(file, bytes);
  await report([artifactDocument(file, 'fatbin', bytes)], flags);
}

async function report(artifacts: readonly object[], flags: BundleFlags): Promise<void> {
  if (flags.json) await writeStandardOutput(JSON.stringify({ schema: 1, artifacts }) + '\n');
}
