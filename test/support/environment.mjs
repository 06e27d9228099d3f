import { ModuleMocker } from 'jest-mock'

// Jest gives a worker half a second to exit, then reports that it "has failed to exit gracefully". On a busy machine,
// freeing the tests' memory can take longer, so a worker that has nothing left to do exits immediately.
if (process.send) process.once('beforeExit', () => process.exit())

/**
 * Runs tests in Node's own context, as the service runs, instead of in one `vm` context per file. So Node can load dependencies
 * once per worker (`runtime.mjs`), and all modules share the same `Error` and `Array`. Restores what a file changed in the
 * process, so that the order of files doesn't matter.
 */
export default class Environment {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #before = {
    globals: Object.getOwnPropertyDescriptors(globalThis),
    env: { ...process.env },
    exit: process.exit,
    exitCode: process.exitCode,
    schemaIds: new Set(schemasById().keys()),
  }

  #hasOwnSchemas

  constructor({ globalConfig }) {
    this.#hasOwnSchemas = globalConfig.collectCoverage || process.env.OUTDIAL_TEST_NEW_SOURCES
  }

  async setup() {}

  async teardown() {
    const { globals, env, exit, exitCode, schemaIds } = this.#before
    for (const key of Object.getOwnPropertySymbols(globalThis)) if (isOfCircus(key)) delete globalThis[key]
    for (const [key, descriptor] of Object.entries(globals)) {
      if (descriptor.configurable) Object.defineProperty(globalThis, key, descriptor)
    }
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    process.exit = exit
    process.exitCode = exitCode
    for (const [id, schema] of this.#hasOwnSchemas ? schemasById() : []) {
      if (!schemaIds.has(id)) globalThis.__zod_globalRegistry.remove(schema)
    }
  }

  exportConditions = () => ['node', 'node-addons']

  /** Jest requires this method. Nothing calls it, because `runtime.mjs` needs no context. */
  getVmContext = () => null
}

/** Returns true for a property in which jest-circus stores state of one test file, such as its `jest.setTimeout`. */
const isOfCircus = (key) => /^[A-Z_]+$/.test(key.description)

/**
 * Returns Zod's global map of schemas with an ID. A test file that has loaded its own sources must leave no schemas in it,
 * because they'd appear in the OpenAPI document of the next file.
 */
const schemasById = () => globalThis.__zod_globalRegistry?._idmap ?? new Map()
