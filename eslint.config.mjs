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
            // Agents still connect over SSE, and Outdial's own protocol handling needs the SDK's low-level server.
            { from: 'package', package: '@modelcontextprotocol/sdk', name: deprecatedButNeeded },
            // These are marked as deprecated only to prevent their use in production. The tests of the authorization server
            // need them.
            { from: 'package', package: 'oauth4webapi', name: ['nopkce', 'allowInsecureRequests'] },
          ],
        },
      ],
      // libphonenumber-js declares its class twice. TypeScript doesn't accept an instance of one declaration as the other.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-shadow': 'error',
      // The rule doesn't see when a function's body uses a type parameter, as in `dropdown<Agent>(…)`.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // The type of an SQL result is only asserted, so a conversion may be needed although the type says it isn't.
      '@typescript-eslint/no-unnecessary-type-conversion': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // An operation is async for its callers, even if it doesn't await anything now.
      '@typescript-eslint/require-await': 'off',
      // Some code rethrows a caught value of any type unchanged.
      '@typescript-eslint/only-throw-error': 'off',
      'no-console': 'error',
      'no-else-return': 'error',
      'object-shorthand': 'error',
      'outdial/html-slots': 'error',
      // Patterns are used on text from outside, so their time must not grow with the square of its length. Sticky patterns are
      // excepted, because they try only one start.
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
    // This test contains templates that the rule rejects.
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
