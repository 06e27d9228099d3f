import tseslint from 'typescript-eslint'

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'build/',
      'node_modules/',
      '.outdial/',
      '**/*.mjs',
      '**/*.cjs',
      'backend/views/assets/',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      'no-else-return': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // Their business is the terminal.
    files: ['scripts/**', 'backend/main.ts', 'backend/admin/**', 'demo/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
)
