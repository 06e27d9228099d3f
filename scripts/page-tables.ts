import { readFile } from 'node:fs/promises'
import {
  type EndedReasonText,
  endedReasonTexts,
  nextInLineText,
  type WaitingForText,
  waitingForTexts,
} from '@outdial/contract'
import { format, resolveConfig } from 'prettier'
import type { PlainInputField } from 'zapier-platform-core'
import { inputFields } from '../src/creates/queue-call-fields.ts'

export const zapBuildersPage = new URL('../docs/guides/zap-builders.md', import.meta.url)
export const supportPage = new URL('../docs/guides/support.md', import.meta.url)

/** Returns a Markdown table. Placeholders such as `{field}` are shown as code. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map(row).join('\n')

const row = (cells: readonly string[]): string =>
  `| ${cells.join(' | ').replaceAll(/\{\w+\}/g, (placeholder) => `\`${placeholder}\``)} |`

/** Returns docs/guides/zap-builders.md with the labels and help texts that the Zap editor shows for Queue Call. */
export async function generateZapBuildersPage(): Promise<string> {
  const fields: readonly PlainInputField[] = inputFields
  const rows = fields.flatMap(({ label, helpText }) =>
    label && helpText ? [[`**${label}**`, helpText]] : [],
  )
  return fillPage(zapBuildersPage, { 'Fields of Queue Call': table(['Field', 'Help text'], rows) })
}

/** Returns docs/guides/support.md with what a call can wait for and why it can end. */
export async function generateSupportPage(): Promise<string> {
  const waiting = Object.entries<WaitingForText>({ ...waitingForTexts, null: nextInLineText }).map(
    ([value, { meaning, support = '', action }]) => [
      value === 'null' ? value : `\`${value}\``,
      `${meaning} ${support}`,
      action,
    ],
  )
  const ended = Object.entries<EndedReasonText>(endedReasonTexts).map(
    ([value, { outcome, meaning, support = '' }]) => [
      `\`${outcome}\``,
      `\`${value}\``,
      `${meaning} ${support}`,
    ],
  )
  return fillPage(supportPage, {
    'Values of waiting_for': table(['`waiting_for`', 'Meaning', 'What to do'], waiting),
    'Values of ended_reason': table(['`outcome`', '`ended_reason`', 'Meaning'], ended),
  })
}

/** Returns a page with these tables, lists, or blocks of code between their markers, by the name in the marker. */
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
