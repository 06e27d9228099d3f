export default {
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/backend/test/**/*.test.ts'],
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  runtime: '<rootDir>/test/support/runtime.mjs',
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/.outdial'],
  globalSetup: '<rootDir>/test/support/start-database.mjs',
  globalTeardown: '<rootDir>/test/support/stop-database.mjs',
  reporters: ['default', '<rootDir>/test/support/tell-skipped.mjs'],
  // More than the cores of a small machine: many tests wait, for browsers and for processes.
  maxWorkers: 3,
  testTimeout: 20_000,
}
