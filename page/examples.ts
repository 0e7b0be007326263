/** The examples of the page: kernels of this repository with their launches, as the build puts them into one file. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createCompiler } from '../src/compiler/compiler.js';
import type { ExploreJob } from '../src/explorer/protocol.js';

export interface Example {
  readonly id: string;
  readonly title: string;
  readonly job: Omit<ExploreJob, 'source'> & { readonly source: string };
  /** A launch specification, as JSON. */
  readonly spec: string;
}

/** Melded early: the loops are still there to be seen. */
const SOURCE = { options: { mcpu: 'gfx1100', meldPoint: 'early' }, flags: ['-gline-tables-only'] } as const;

interface Origin {
  readonly id: string;
  readonly title: string;
  readonly language: 'hip' | 'opencl';
  readonly source: string;
  readonly spec: string;
  /** The kernel's name in the source, where the launch is one of several. */
  readonly kernel?: string;
}

const own = (id: string, title: string, language: Origin['language'], extension: string): Origin => ({
  id,
  title,
  language,
  source: `page/examples/${id}.${extension}`,
  spec: `page/examples/${id}.json`,
});

const kernel = (id: string, title: string, more: Partial<Origin> = {}): Origin => ({
  id,
  title,
  language: 'hip',
  source: `kernels/${id}.hip`,
  spec: `kernels/specs/${id}.json`,
  ...more,
});

const ORIGINS: readonly Origin[] = [
  kernel('bitonic', 'Bitonic sort: two regions become one'),
  kernel('sb1', 'SB1 of the paper: a diamond'),
  kernel('sb2', 'SB2 of the paper: a region on either side'),
  kernel('sb3', 'SB3 of the paper: three regions against two'),
  kernel('mandelbrot', 'Mandelbrot set or burning ship: a loop on either side', {
    spec: 'kernels/specs/mandelbrot_128.json',
    kernel: 'mandelbrot',
  }),
  own('border', 'A border test that must not meld', 'hip', 'hip'),
  own('scale', 'OpenCL: two scalings', 'opencl', 'cl'),
];

/** @param root of the repository */
export async function examples(root: string): Promise<Example[]> {
  const text = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');
  const sources = ORIGINS.map(async ({ id, title, language, source, spec, kernel: name }) => {
    const launch = await text(spec);
    return {
      id,
      title,
      job: { source: await text(source), language, ...SOURCE },
      spec: name === undefined ? launch : launch.replace(/"kernel": "[^"]*"/, `"kernel": "${name}"`),
    };
  });
  const ir: Example = {
    id: 'bitonic-ir',
    title: 'Bitonic sort as optimised IR',
    job: {
      source: await irText(path.join(root, 'kernels/ir/bitonic.gfx1100.O3.bc')),
      language: 'ir',
      options: {},
      flags: [],
    },
    spec: await text('kernels/specs/bitonic.json'),
  };
  const [first, ...rest] = await Promise.all(sources);
  return [first!, ir, ...rest];
}

async function irText(file: string): Promise<string> {
  const compiler = createCompiler({ threads: 0 });
  try {
    const { artifacts } = await compiler.compile(await readFile(file), { meld: 'off', emit: ['ll'] });
    return new TextDecoder().decode(artifacts[0]!.bytes);
  } finally {
    await compiler.close();
  }
}
