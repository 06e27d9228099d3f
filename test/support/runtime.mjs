import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SourceTextModule, SyntheticModule } from 'node:vm'
import JestRuntime from 'jest-runtime'

const require = createRequire(import.meta.url)
const circus = path.join(path.dirname(require.resolve('jest-circus/runner')), 'jestAdapterInit.js')

/**
 * Makes new instances of the modules in test folders for every test file, and shares all others, which Node loads once
 * per worker, as the service does. Jest's own runtime loads everything for every file, which was half of what the tests
 * cost. It measures the coverage of what it has loaded itself: then, it's all sources that are made for every file.
 */
export default class Runtime extends JestRuntime {
  #isPerFile
  #modules = new Map()
  #linked = Promise.resolve()

  constructor(config, environment, resolver, transformer, cacheFS, coverage, ...others) {
    super(config, environment, resolver, transformer, cacheFS, coverage, ...others)
    this.#isPerFile = coverage.collectCoverage ? isSource : isTest
  }

  /** Jest loads this test file, and nothing else of ours, through here. */
  async unstable_importModule(file) {
    return (await this.#import(pathToFileURL(file).href)).namespace
  }

  /** Jest's own modules are the worker's, too, except the one that collects the tests of a file. */
  requireInternalModule(from, to) {
    if (from === circus) delete require.cache[circus]
    // A `require` of its own, which would otherwise keep what it has loaded, and so all tests of all files.
    return createRequire(from)(to ?? from)
  }

  /** Jest would replace `process.getBuiltinModule`, which is Node's here. */
  installGetBuiltinModule() {}

  async #import(url) {
    const module = await this.#load(url)
    // One graph after the other: Node can't link a module that another graph is linking.
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
    // A path, as Jest's coverage expects.
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

/** By URL. */
const sharedModules = new Map()

const root = new URL('../../', import.meta.url).href

const isTest = (url) => url.startsWith(root) && /^(backend\/)?test\//.test(url.slice(root.length))

// fastify-type-provider-zod remembers schemas that it has seen, and those are ours.
const isSource = (url) => /^file:(?!.*\/node_modules\/(?!fastify-type-provider-zod\/))/.test(url)

function resolve(specifier, parent) {
  if (specifier === '@jest/globals' || isBuiltin(specifier)) return specifier
  const from = pathToFileURL(parent).href
  // Much faster than the general case, and what most imports are.
  if (/^\.\.?\//.test(specifier)) return new URL(specifier, from).href
  return import.meta.resolve(specifier, from)
}

/** Wraps the exports of a module that `vm` didn't make, so that modules of `vm` can import them. */
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
