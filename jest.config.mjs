export default {
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/backend/test/**/*.test.ts'],
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  runtime: '<rootDir>/test/support/runtime.mjs',
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  modulePathIgnorePatterns: ['dist', 'build', '.outdial', 'mutation/.stryker-tmp'].map(
    (folder) => `<rootDir>/${folder}`,
  ),
  globalSetup: '<rootDir>/test/support/setup.mjs',
  globalTeardown: '<rootDir>/test/support/teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/skipped-reporter.mjs'],
  // More workers than a small machine has cores, because many tests wait for browsers and processes.
  maxWorkers: 4,
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  // Settings for `npm run test:coverage`. Coverage includes files that no test loads.
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'index.ts',
    'src/**/*.ts',
    'contract/**/*.ts',
    'reading/**/*.ts',
    'backend/**/*.ts',
    '!**/test/**',
  ],
  coverageReporters: ['text-summary', 'html', 'json-summary'],
  coverageDirectory: 'coverage',
  // The thresholds apply to the connector. A run with coverage fails if it leaves out the connector's tests.
  coverageThreshold: { './src/': { lines: 100, branches: 99 }, './index.ts': { lines: 100, branches: 100 } },
  // A long timeout, so that tests don't fail on a slow machine.
  testTimeout: 60_000,
}
