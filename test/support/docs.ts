import { readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')

export const readPage = (page: string): string => readFileSync(path.join(root, page), 'utf8')

/** Returns the code blocks of a language, without the indentation that a list gives them. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...readPage(page).matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indentation = '', code = '']) => code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  )

/** Returns the commands of a page's shell blocks, each in one line and without its comment. */
export const shellCommands = (page: string): string[] =>
  codeBlocks(page, 'sh')
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')

/** Returns the arguments of an `npm run admin` command; undefined for other commands. */
export function adminArguments(command: string): string[][] | undefined {
  const [, rest] = /^npm run admin --(.*?)(?: <.*)?$/.exec(command) ?? []
  if (rest === undefined) return undefined
  return [[...rest.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')]
}
