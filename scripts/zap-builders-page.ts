import { readFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'
import type { PlainInputField } from 'zapier-platform-core'
import { inputFields } from '../src/creates/queue-call-fields.ts'

export const zapBuildersPage = new URL('../docs/for-zap-builders.md', import.meta.url)

const start = '<!-- Fields of Queue Call, written by `npm run generate` -->'
const end = '<!-- End of the fields -->'

/** Returns docs/for-zap-builders.md with the labels and help texts that the Zap editor shows for Queue Call. */
export async function generateZapBuildersPage(): Promise<string> {
  const page = await readFile(zapBuildersPage, 'utf8')
  const [before, rest] = page.split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`${zapBuildersPage.pathname} has no markers`)
  const fields: readonly PlainInputField[] = inputFields
  const rows = fields.flatMap(({ label, helpText }) => (helpText ? [`| **${label}** | ${helpText} |`] : []))
  const table = ['| Field | Help text |', '| --- | --- |', ...rows].join('\n')
  const options = await resolveConfig(zapBuildersPage)
  return format(`${before}${start}\n\n${table}\n\n${end}${after}`, { ...options, parser: 'markdown' })
}
