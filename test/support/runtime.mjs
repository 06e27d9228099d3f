import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SourceTextModule, SyntheticModule } from 'node:vm'
import JestRuntime from 'jest-runtime'

const require = createRequire(import.meta.url)
const circus = path.join(path.dirname(require.resolve('jest-circus/runner')), 'jestAdapterInit.js')

/**
 * Creates new instances of the modules in test folders for every test file. Node loads all other modules once per worker, as
 * the service does. Jest's own runtime loads all modules for every file, which took half of a run's time.
 *
 * With coverage, every file gets new instances of all sources, because Jest measures only modules that its runtime has loaded.
 * The mutation tester also needs new instances for each mutant, so it sets OUTDIAL_TEST_NEW_SOURCES.
 */
export default class Runtime extends JestRuntime {
  #isPerFile
  #modules = new Map()
  #linked = Promise.resolve()

  constructor(config, environment, resolver, transformer, cacheFS, coverage, ...others) {
    super(config, environment, resolver, transformer, cacheFS, coverage, ...others)
    this.#isPerFile = coverage.collectCoverage || process.env.OUTDIAL_TEST_NEW_SOURCES ? isSource : isTest
  }

  /** Loads the test file. Jest calls this method for no other module of the project. */
  async unstable_importModule(file) {
    return (await this.#import(pathToFileURL(file).href)).namespace
  }

  /** Shares Jest's own modules between files, too, except the one that collects a file's tests. */
  requireInternalModule(from, to) {
    if (from === circus) delete require.cache[circus]
    // Creates a new `require` each time. A shared one would keep all modules that it has loaded, and so the tests of all files.
    return createRequire(from)(to ?? from)
  }

  /** Does nothing. Jest's method would replace `process.getBuiltinModule`, but here Node's own function must stay. */
  installGetBuiltinModule() {}

  async #import(url) {
    const module = await this.#load(url)
    // Links one module graph at a time, because Node can't link a module that's already being linked as part of another graph.
    const link = async () => {
      if (module.status !== 'unlinked') return
      await module.link((specifier, parent) => this.#load(resolve(specifier, parent.identifier)))
    }
    this.#linked = this.#linked.then(link, link)
    await this.#linked
    await module.evaluate()
    return module
  }

  #load(url) {
    if (url === '@jest/globals') return share(this.#modules, url, () => this.requireModuleOrMock('', url))
    if (!this.#isPerFile(url)) return share(sharedModules, url, () => import(url))
    if (!this.#modules.has(url)) this.#modules.set(url, this.#compile(url))
    return this.#modules.get(url)
  }

  #compile(url) {
    // Jest's coverage expects a path, not a URL.
    const identifier = fileURLToPath(url)
    const meta = { url, filename: identifier, dirname: path.dirname(identifier) }
    return new SourceTextModule(this.transformCache.transform(identifier, { supportsStaticESM: true }), {
      identifier,
      initializeImportMeta: (target) =>
        Object.assign(target, meta, { resolve: (specifier) => resolve(specifier, identifier) }),
      importModuleDynamically: (specifier) => this.#import(resolve(specifier, identifier)),
    })
  }
}

/** The shared modules, by URL. */
const sharedModules = new Map()

const root = new URL('../../', import.meta.url).href

const isTest = (url) => url.startsWith(root) && /^(backend\/)?test\//.test(url.slice(root.length))

// Includes fastify-type-provider-zod, because it caches the project's schemas.
const isSource = (url) => /^file:(?!.*\/node_modules\/(?!fastify-type-provider-zod\/))/.test(url)

function resolve(specifier, parent) {
  if (specifier === '@jest/globals' || isBuiltin(specifier)) return specifier
  const from = pathToFileURL(parent).href
  // Most imports are relative. For these, creating a URL is much faster than `import.meta.resolve`.
  if (/^\.\.?\//.test(specifier)) return new URL(specifier, from).href
  return import.meta.resolve(specifier, from)
}

/** Wraps the exports of a module that `vm` didn't create, so that `vm` modules can import them. */
function share(modules, url, load) {
  const wrap = async () => {
    const exports = await load()
    const names = Object.keys(exports)
    const setExports = () => names.forEach((name) => module.setExport(name, exports[name]))
    const module = new SyntheticModule(names, setExports, { identifier: url })
    await module.link(() => {})
    await module.evaluate()
    return module
  }
  if (!modules.has(url)) modules.set(url, wrap())
  return modules.get(url)
}
