import regexp from 'eslint-plugin-regexp'
import importSort from 'eslint-plugin-simple-import-sort'
import tseslint from 'typescript-eslint'
import { htmlSlotsRule } from './scripts/html-slots-rule.ts'

const deprecatedButNeeded = ['Server', 'SSEClientTransport', 'SSEServerTransport']

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'build/',
      'node_modules/',
      '.outdial/',
      'coverage/',
      'mutation/.stryker-tmp/',
      'backend/platform/views/assets/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: {
      regexp,
      'simple-import-sort': importSort,
      outdial: { rules: { 'html-slots': htmlSlotsRule } },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': 'off', // `void | Promise<void>` is what callbacks return
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          allow: [
            // Agents still connect over SSE, and our own protocol handling needs the low-level server.
            { from: 'package', package: '@modelcontextprotocol/sdk', name: deprecatedButNeeded },
            // Marked deprecated to prevent use in production. Tests of an authorization server need them.
            { from: 'package', package: 'oauth4webapi', name: ['nopkce', 'allowInsecureRequests'] },
          ],
        },
      ],
      // libphonenumber-js declares its class twice, so one isn't an instance of the other.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-shadow': 'error',
      // The rule ignores uses of a type parameter in the body, as in `dropdown<Agent>(…)`.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // SQL results have the type that the query asserts, so a conversion may be needed even if the type says it isn't.
      '@typescript-eslint/no-unnecessary-type-conversion': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // An operation is async for its callers, whether or not it awaits anything today.
      '@typescript-eslint/require-await': 'off',
      // Thrown values of any type are rethrown unchanged.
      '@typescript-eslint/only-throw-error': 'off',
      'no-console': 'error',
      'no-else-return': 'error',
      'object-shorthand': 'error',
      'outdial/html-slots': 'error',
      // Patterns meet text of strangers, so their time must not grow with the square of its length. A sticky pattern
      // doesn't try other starts.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
      'simple-import-sort/imports': ['error', { groups: [['^node:', '^@?\\w', '^\\.\\.', '^\\.']] }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', 'backend/platform/db/migrations/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { projectService: false } },
    rules: { '@typescript-eslint/no-require-imports': 'off', '@typescript-eslint/no-dynamic-delete': 'off' },
  },
  {
    // This test writes what the tag must reject.
    files: ['backend/test/views/html.test.ts'],
    rules: { 'outdial/html-slots': 'off' },
  },
  {
    files: ['backend/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression:matches([callee.name=/^(stream|generate)(Text|Object)$/], [callee.property.name=/^(stream|generate)(Text|Object)$/]) > ObjectExpression > Property[key.name="model"]:matches([value.type="Literal"], [value.type="TemplateLiteral"])',
          message: "Pass a model of createEndpoint: the package sends a name to Vercel's gateway.",
        },
      ],
    },
  },
  {
    // These files write to the terminal.
    files: [
      'scripts/**',
      'backend/main.ts',
      'backend/admin/**',
      'demo/**',
      'examples/**',
      'test/support/*.mjs',
    ],
    rules: { 'no-console': 'off' },
  },
)
