/** The command line of `darm bundle`. */
import { Option, type Command } from 'commander';
import { DarmError } from '../errors.js';

/** `gfx906=a.hsaco` */
export interface Pair {
  readonly target: string;
  readonly file: string;
}

export interface BundleFlags {
  readonly json: boolean;
  readonly output?: string;
  readonly extract: readonly Pair[];
  readonly replace: readonly Pair[];
  readonly create: boolean;
  readonly type: 'bundle' | 'offload-binary';
  readonly compress: 'none' | 'zlib' | 'zstd';
  readonly formatVersion: '1' | '2' | '3';
}

export interface BundleInvocation {
  readonly command: 'bundle';
  /** The container that is read; null when one is created. */
  readonly input: string | null;
  /** What one is created from. */
  readonly images: readonly Pair[];
  readonly flags: BundleFlags;
}

function pair(text: string): Pair {
  const [target = '', ...file] = text.split('=');
  if (target === '' || file.join('=') === '') throw new DarmError('usage', `'${text}' is not of the form TARGET=FILE`);
  return { target, file: file.join('=') };
}
const collect = (text: string, pairs: readonly Pair[]): readonly Pair[] => [...pairs, pair(text)];

export function addBundleCommand(program: Command, found: (invocation: BundleInvocation) => void): void {
  program
    .command('bundle')
    .description('list, take out, replace or put together the images of offload bundles and fat binaries')
    .argument('[operands...]', 'FILE, or - for standard input; with --create: TARGET=FILE...')
    .option('-o, --output <file>', 'output file of --replace and --create, or - for standard output')
    .option('--extract <target=file>', 'write the image of a target to a file; may be repeated', collect, [])
    .option('--replace <target=file>', 'put a file in the place of the image of a target; may be repeated', collect, [])
    .option('--create', 'write a container that holds the files', false)
    .addOption(
      new Option('--type <type>', 'what --create writes').choices(['bundle', 'offload-binary']).default('bundle'),
    )
    .addOption(
      new Option('--compress <method>', 'compress the bundle that --create writes')
        .choices(['none', 'zlib', 'zstd'])
        .default('none'),
    )
    .addOption(
      new Option('--format-version <n>', 'version of a compressed bundle; older runtimes want 2')
        .choices(['1', '2', '3'])
        .default('3'),
    )
    .option('--json', 'print one JSON document on standard output', false)
    .action((operands: string[], flags: BundleFlags) => found(invocation(operands, flags)));
}

function invocation(operands: readonly string[], flags: BundleFlags): BundleInvocation {
  const usage = (message: string): DarmError => new DarmError('usage', message);
  const actions = [flags.create, flags.extract.length > 0, flags.replace.length > 0].filter(Boolean).length;
  if (actions > 1) throw usage('--create, --extract and --replace exclude each other');
  const writes = flags.create || flags.replace.length > 0;
  if (writes && flags.output === undefined) throw usage('--create and --replace need an output file: -o FILE');
  if (!writes && flags.output !== undefined) throw usage('-o is for --create and --replace');
  const toStandardOutput = [flags.output, ...flags.extract.map(({ file }) => file)].filter(
    (file) => file === '-',
  ).length;
  if (toStandardOutput + (flags.json ? 1 : 0) > 1) throw usage('only one thing can be written to standard output');
  if (flags.create) {
    if (operands.length === 0) throw usage('--create needs images: TARGET=FILE...');
    if (flags.type === 'offload-binary' && flags.compress !== 'none')
      throw usage('only bundles can be compressed, not an offload binary');
    return { command: 'bundle', input: null, images: operands.map(pair), flags };
  }
  if (operands.length !== 1) throw usage('one FILE is needed');
  return { command: 'bundle', input: operands[0]!, images: [], flags };
}
