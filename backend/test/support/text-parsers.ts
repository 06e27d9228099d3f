import { globSync, readFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)

/** Modules whose texts are those of the operator, of developers, or of the database. */
const ownModules = /^backend\/(test|node_modules|platform\/db|admin|service\/demo|dashboard\/stories)\//

/** Matches the place where a declaration of a module begins. */
const declaration = /^(?=(?:export |async |const |function |class ))/m
const nameOf = /^(export )?(?:async )?(?:function\*?|const|class) (\w+)/

/** Parameters that can have a text of a stranger. */
const takesText =
  /^[^(]*\(([^)]*\b(?:string|unknown|Buffer|Uint8Array|IncomingHttpHeaders|IncomingMessage|URLSearchParams|FastifyRequest|body)\b)/

/** Matches code that takes long for some texts, except patterns, which a rule of ESLint checks. */
const parsing =
  /\bIntl\.\w+\((?!'en-US'|'timeZone')|\bURL\.(?:canParse|parse)\(|\bnew URL\((?!.*import\.meta)|\bDate\.parse\(|\bJSON\.parse\(|\bTemporal\.Plain\w+\.from\(|\bnew RegExp\(/

/** A function that parses text, by its name or by what it does. */
export interface TextParser {
  /** A module of the backend, the contract, or the package `reading`. */
  module: string
  name: string
  isExported: boolean
}

/** Finds the parsers of text in the code of the service, so that a list of them can be checked. */
export const listTextParsers = (): TextParser[] =>
  readModules().flatMap(({ module, code }) =>
    code.split(declaration).flatMap((part): TextParser[] => {
      const [, exported, name = ''] = nameOf.exec(part) ?? []
      const isNamedSo = /^(?:parse|read|decode)[A-Z]/.test(name) && takesText.test(part)
      if (name === '' || !(isNamedSo || parsing.test(part))) return []
      return [{ module, name, isExported: exported !== undefined }]
    }),
  )

/** Returns the names of the headers that the code reads from a request or response. */
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
