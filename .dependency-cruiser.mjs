/**
 * Who may import whom. Folders stand in layers; a folder imports itself and what stands below it. Type imports count.
 *
 * `npm run lint` runs this over src/ and workers/.
 */

/** From the bottom up. Each entry: a folder or file of src/, and what it may import beside itself. */
const MAY_IMPORT = {
  errors: [],
  process: ['errors'],
  http: ['errors'],
  'remote-cache': ['errors', 'http'],
  ir: ['errors'],
  formats: ['errors'],
  analysis: ['errors', 'ir'],
  melding: ['errors', 'ir', 'analysis'],
  simulator: ['errors', 'formats'],
  job: ['errors', 'ir', 'analysis', 'melding', 'simulator'],
  platform: ['errors', 'process', 'job'],
  binding: ['errors', 'platform', 'ir', 'formats', 'job'],
  frontend: ['errors', 'platform', 'job'],
  report: ['errors', 'ir', 'analysis', 'melding', 'job', 'simulator'],
  pipeline: ['errors', 'ir', 'formats', 'analysis', 'melding', 'job', 'binding'],
  workers: ['errors', 'process', 'formats', 'job', 'platform', 'binding', 'frontend', 'simulator', 'pipeline'],
  compiler: [
    ...['errors', 'process', 'http', 'remote-cache', 'formats', 'job', 'platform', 'binding', 'frontend', 'simulator'],
    'workers',
  ],
  explorer: ['errors', 'ir', 'formats', 'job', 'simulator', 'report', 'compiler'],
  'cache-server': ['errors', 'remote-cache', 'compiler'],
  batch: ['errors', 'process', 'formats', 'job', 'frontend', 'compiler'],
  fleet: ['errors', 'process', 'remote-cache', 'job', 'simulator', 'compiler', 'workers'],
  service: ['errors', 'explorer', 'http', 'remote-cache', 'formats', 'job', 'report', 'frontend', 'compiler'],
  client: ['errors', 'http', 'job', 'report', 'compiler'],
  cli: [
    ...['errors', 'process', 'http', 'remote-cache', 'formats', 'job', 'frontend', 'simulator'],
    'report',
    ...['workers', 'compiler', 'batch', 'service', 'cache-server', 'client', 'fleet'],
  ],
  index: ['errors', 'remote-cache', 'formats', 'melding', 'job', 'frontend', 'simulator', 'workers', 'compiler'],
};

/** Inside of melding, from the bottom up; `plan` and `rules` are files. */
const MELDING_MAY_IMPORT = {
  plan: ['rules'],
  rules: [],
  cost: ['plan', 'rules'],
  draft: ['plan', 'rules', 'cost'],
  decide: ['plan', 'rules', 'cost', 'draft'],
  apply: ['plan'],
};

/** What runs in browsers as it does in Node: all below the pool, the tasks of a worker, and the explorer. */
const FREE_OF_NODE = [
  '^src/(errors|ir|formats|analysis|melding|simulator|job|binding|frontend|pipeline|report|explorer)(/|\\.ts$)',
  '^src/platform/interface\\.ts$',
  '^src/workers/(tasks|executor|llvm-host|frontend-host)\\.ts$',
  '^src/compiler/(simulate|compile-source|link-libraries|llvm-code|retried)\\.ts$',
];
/** What the main thread of Node alone does: containers of device images, and files of the user's. */
const MAIN_THREAD_ONLY = ['^src/formats/offload/(?!magic)', '^src/report/html/(page|document|profile/page)\\.ts$'];

const place = (name) => `^src/${name}(/|\\.ts$)`;

export default {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Two files that import each other, on whatever way, are one file or want a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(MAY_IMPORT).map(([name, below]) => ({
      name: `layer-${name}`,
      comment: `${name} may import ${below.join(', ') || 'nothing of ours'} only.`,
      severity: 'error',
      from: { path: place(name) },
      to: { path: '^(src|workers)/', pathNot: [name, ...below].map(place) },
    })),
    ...Object.entries(MELDING_MAY_IMPORT).map(([name, below]) => ({
      name: `layer-melding-${name}`,
      comment: `melding/${name} may import ${below.join(', ') || 'nothing'} of melding only.`,
      severity: 'error',
      from: { path: place(`melding/${name}`) },
      to: { path: '^src/melding/', pathNot: [name, ...below].map((each) => place(`melding/${each}`)) },
    })),
    {
      name: 'free-of-node',
      comment: 'This runs in browsers, too. What it needs of Node goes through src/platform/interface.ts.',
      severity: 'error',
      from: { path: FREE_OF_NODE, pathNot: MAIN_THREAD_ONLY },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'free-of-node-below',
      comment: 'What runs in browsers imports nothing that does not.',
      severity: 'error',
      from: { path: FREE_OF_NODE, pathNot: MAIN_THREAD_ONLY },
      to: { path: ['^src/process/', '^src/platform/(node|disk)\\.ts$', ...MAIN_THREAD_ONLY] },
    },
    {
      name: 'every-source-has-a-layer',
      comment: 'Add the folder to MAY_IMPORT above.',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(MAY_IMPORT).map(place) },
      to: {},
    },
    {
      name: 'reachable',
      comment: 'Nothing that is shipped leads here: delete it, or move it to test/.',
      severity: 'error',
      from: { path: ['^src/(index|service/index|service/lambda|cli/main)\\.ts$', '^workers/'] },
      to: { path: '^src/', pathNot: '^src/(index|service/index|service/lambda|cli/main)\\.ts$', reachable: false },
    },
    {
      name: 'resolvable',
      comment: 'The import leads nowhere, or to a package that package.json does not name.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-packages',
      comment: 'Users do not install devDependencies. Optional peers stand there as well, for the tests.',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'], exportsFields: ['exports'], conditionNames: ['import'] },
  },
};
