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
  // This is more than the cores of a small machine, because many tests wait for browsers and processes.
  maxWorkers: 4,
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  // These settings are for `npm run test:coverage`. Files that no test loads count too.
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
  // The thresholds apply to the connector. A run with coverage that leaves out its tests fails here.
  coverageThreshold: { './src/': { lines: 100, branches: 99 }, './index.ts': { lines: 100, branches: 100 } },
  // The timeout is long, because it must not depend on the speed of the machine.
  testTimeout: 60_000,
}
