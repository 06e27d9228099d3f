import { fileURLToPath } from 'node:url'
import base from '../jest.config.mjs'

/** Jest's settings for the connector's tests, which need neither a database nor a browser. */
export default {
  ...base,
  rootDir: '..',
  testMatch: ['<rootDir>/test/*.test.ts', '<rootDir>/test/{creates,publishing,searches,triggers}/*.test.ts'],
  // A full path, because Stryker loads this file and doesn't know <rootDir>.
  testEnvironment: fileURLToPath(new URL('../test/support/environment.mjs', import.meta.url)),
  globalSetup: undefined,
  globalTeardown: undefined,
  reporters: undefined,
}
