import { readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')

export const readPage = (page: string): string => readFileSync(path.join(root, page), 'utf8')

/** Returns a page's code blocks in one language, without the indentation that they have inside a list. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...readPage(page).matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indentation = '', code = '']) => code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  )

/** Returns the commands of a shell block, each as a single line without its comment. */
const linesOf = (block: string): string[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => (line.split(/\s#/)[0] ?? '').trim())
    .filter((line) => line !== '')

/** Returns the commands of a page's shell blocks. */
export const shellCommands = (page: string): string[] => codeBlocks(page, 'sh').flatMap(linesOf)

const programs = 'npm|npx|node|git|docker|pg_dump|pg_restore|psql|createdb|tar|openssl|curl|cp'
const inlineCommand = new RegExp(`^(?:[A-Z_]+=\\S+ )*(?:${programs}) [^]`)

/**
 * Returns a page's commands in order, without duplicates: those in its shell blocks, and code spans that run a program with
 * arguments. Splits commands that are joined with `&&`.
 */
export function commandsIn(page: string): string[] {
  const text = readPage(page).replace(/^( *)```(\w*)\n[^]*?^ *```$/gm, (block, _, language) =>
    language === 'sh' ? block : '',
  )
  const found = text.split(/^ *```(?:sh)?$/m).flatMap((part, index) => {
    if (index % 2 === 1) return linesOf(part)
    const spans = [...part.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\s+/g, ' '))
    return spans.filter((span) => inlineCommand.test(span))
  })
  return [...new Set(found.flatMap((command) => command.split(' && ')))]
}

/** Returns the script and arguments of an `npm run admin` or `npm run support` command. Other commands give an empty list. */
export function programArguments(command: string): { script: string; args: string[] }[] {
  const [, script, rest] = /^(npm run (?:admin|support)) --(.*?)(?: <.*)?$/.exec(command) ?? []
  if (script === undefined || rest === undefined) return []
  const args = [...rest.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  return [{ script, args }]
}

/** Returns the sentences of a text. */
export const splitSentences = (text: string): string[] => text.trim().split(/(?<=\.\)?) (?=[A-Z(…])/)
