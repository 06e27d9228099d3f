import { globSync, readFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)

/** Matches modules that read only texts of the operator, developers, or the database. */
const ownModules = /^backend\/(test|node_modules|platform\/db|admin|service\/demo|dashboard\/stories)\//

/** Matches the start of each declaration of a module. */
const declaration = /^(?=(?:export |async |const |function |class ))/m
const nameOf = /^(export )?(?:async )?(?:function\*?|const|class) (\w+)/

/** Matches a function with a parameter that can contain text from outside. */
const takesText =
  /^[^(]*\(([^)]*\b(?:string|unknown|Buffer|Uint8Array|IncomingHttpHeaders|IncomingMessage|URLSearchParams|FastifyRequest|body)\b)/

/** Matches code that takes long for some texts. Regular expressions aren't included, because an ESLint rule checks them. */
const parsing =
  /\bIntl\.\w+\((?!'en-US'|'timeZone')|\bURL\.(?:canParse|parse)\(|\bnew URL\((?!.*import\.meta)|\bDate\.parse\(|\bJSON\.parse\(|\bTemporal\.Plain\w+\.from\(|\bnew RegExp\(/

/** A function that parses text. It's recognized by its name or by its code. */
export interface TextParser {
  /** The path of a module in the backend, the contract, or the package `reading`. */
  module: string
  name: string
  isExported: boolean
}

/** Finds the service's parsers of text, so that a test can compare them with its list. */
export const listTextParsers = (): TextParser[] =>
  readModules().flatMap(({ module, code }) =>
    code.split(declaration).flatMap((part): TextParser[] => {
      const [, exported, name = ''] = nameOf.exec(part) ?? []
      const isNamedSo = /^(?:parse|read|decode)[A-Z]/.test(name) && takesText.test(part)
      if (name === '' || !(isNamedSo || parsing.test(part))) return []
      return [{ module, name, isExported: exported !== undefined }]
    }),
  )

/** Returns the names of the headers that the service's code reads from requests or responses. */
export const listReadHeaders = (): string[] => [
  ...new Set(
    readModules().flatMap(({ code }) =>
      [...code.matchAll(/\bheaders(?:\.(?!length|map|ts\b)(\w+)\b(?!\()|\['([a-z-]+)'\])/g)].map(
        ([, word, name]) => word ?? name ?? '',
      ),
    ),
  ),
]

const readModules = () =>
  globSync(['backend/**/*.ts', 'contract/*.ts', 'reading/*.ts'], { cwd: root.pathname })
    .filter((module) => !ownModules.test(module))
    .sort()
    .map((module) => ({
      module: module.replace('backend/', ''),
      code: withoutComments(readFileSync(new URL(module, root), 'utf8')),
    }))

const withoutComments = (code: string): string => code.replace(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '')
