import { readFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'

/** Returns a Markdown table. Placeholders such as `{field}` are shown as code. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map(row).join('\n')

const row = (cells: readonly string[]): string =>
  `| ${cells.join(' | ').replaceAll(/\{\w+\}/g, (placeholder) => `\`${placeholder}\``)} |`

/** Returns a page with new tables, lists, or code blocks between its markers. `tables` has them by the markers' names. */
export async function fillPage(file: URL, tables: Record<string, string>): Promise<string> {
  const page = Object.entries(tables).reduce(
    (text, [name, content]) => {
      const start = `<!-- ${name}, written by \`npm run generate\` -->`
      const [before, rest = ''] = text.split(start)
      const end = rest.search(/<!-- End of the \w+ -->/)
      if (before === undefined || end === -1) throw new Error(`${file.pathname} has no markers for "${name}"`)
      return `${before}${start}\n\n${content}\n\n${rest.slice(end)}`
    },
    await readFile(file, 'utf8'),
  )
  return format(page, { ...(await resolveConfig(file)), parser: 'markdown' })
}
