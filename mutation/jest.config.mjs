import { fileURLToPath } from 'node:url'
import base from '../jest.config.mjs'

/** The tests of the connector. They need no database and no browser. */
export default {
  ...base,
  rootDir: '..',
  testMatch: ['<rootDir>/test/*.test.ts', '<rootDir>/test/{creates,publishing,searches,triggers}/*.test.ts'],
  // Stryker loads it, and doesn't know <rootDir>.
  testEnvironment: fileURLToPath(new URL('../test/support/environment.mjs', import.meta.url)),
  globalSetup: undefined,
  globalTeardown: undefined,
  reporters: undefined,
}
