/** Changes the connector in many small ways, and runs its tests for each change. */
export default {
  mutate: ['src/**/*.ts', '!src/generated.ts'],
  testRunner: 'jest',
  testRunnerNodeArgs: [
    `--import=${new URL('preload.mjs', import.meta.url).href}`,
    '--experimental-vm-modules',
    '--experimental-import-meta-resolve',
    '--disable-warning=ExperimentalWarning',
  ],
  jest: { configFile: 'mutation/jest.config.mjs', enableFindRelatedTests: false },
  // Node ignores types, so mutants need no `@ts-nocheck`. Adding it would change files that tests compare.
  disableTypeChecks: false,
  coverageAnalysis: 'perTest',
  ignorePatterns: [
    '*',
    '!index.ts',
    '!jest.config.mjs',
    '!package.json',
    '!tsconfig.json',
    '!.prettierrc.json',
    '!contract/**',
    '!docs/**',
    '!mutation/*.mjs',
    '!scripts/**',
    '!src/**',
    '!test/**',
  ],
  tempDirName: 'mutation/.stryker-tmp',
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: 'mutation/report.json' },
  clearTextReporter: { reportTests: false, logTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
  timeoutMS: 20_000,
  // A new process after 25 mutants: each mutant loads all modules again, and Node never frees them.
  maxTestRunnerReuse: 25,
  concurrency: 2,
}
