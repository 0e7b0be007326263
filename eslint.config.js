// Layout is prettier's; these rules are about mistakes.
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'build/', 'wasm/', 'examples/', 'node_modules/'] },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js', '.dependency-cruiser.mjs'] } },
    },
    rules: {
      // `array[i]!` says that the index is known to be in range, whether or not the compiler asks for it.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // The inner loops assign in sequences.
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Interfaces are asynchronous where one implementation is.
      '@typescript-eslint/require-await': 'off',
      // Prettier breaks code, and leaves comments as they are.
      'max-len': ['error', { code: 100_000, comments: 120, ignoreUrls: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    },
  },
  {
    // What runs in browsers, too: see .dependency-cruiser.mjs.
    files: ['src/{ir,formats,analysis,melding,simulator,job,binding,frontend,pipeline,report,explorer}/**'],
    ignores: ['src/formats/offload/**', 'src/report/html/**/{page,document}.ts', 'src/report/json/**'],
    rules: { 'no-restricted-globals': ['error', 'process', 'Buffer', 'global', 'require', 'setImmediate'] },
  },
  { files: ['test/**'], rules: { '@typescript-eslint/unbound-method': 'off' } },
  { files: ['eslint.config.js', '.dependency-cruiser.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
