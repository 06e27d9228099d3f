import {
  codeOf,
  detailTexts,
  type ErrorCode,
  errorTable,
  type ErrorText,
  errorTexts,
  oauthErrorTexts,
  runtimeDetailTexts,
  runtimeErrorTexts,
  toolResultTexts,
} from '@outdial/contract'
import { format, resolveConfig } from 'prettier'
import { table } from './page-tables.ts'

const root = new URL('..', import.meta.url)
export const errorsPage = new URL('docs/reference/errors.md', root)

const textRows = (texts: Record<string, ErrorText>): string[][] =>
  Object.entries(texts).map(([key, { meaning, action, zapier = '' }]) => [
    `\`${codeOf(key)}\``,
    meaning,
    `${action} ${zapier}`.trim(),
  ])

/** Returns docs/reference/errors.md, which lists all error codes. */
export function generateErrorsPage(): Promise<string> {
  const errors = textRows(errorTexts).map(([code = '', ...texts]) => [
    code,
    String(errorTable[code.slice(1, -1) as ErrorCode].status),
    ...texts,
  ])
  return formatPage(`
<!-- Written by \`npm run generate\` from contract/error-texts.ts. -->

# Error codes

Every error response of the API has a \`code\`, a \`message\` that says what happened and what to do, and a \`request_id\`.
The request ID is also in the service's log. Errors about fields also have \`details\`, with a code for each field. In Zapier,
the step shows the message and the request ID. In the tables below, a word in braces stands for a value. For example,
\`{field}\` stands for the field's name.

## Errors

${table(['`code`', 'Status', 'Meaning', 'What to do'], errors)}

## Fields

Each entry in \`details\` has a \`code\` and one of these messages:

${table(['`code`', 'Meaning', 'What to do'], textRows(detailTexts))}

## Agent runtimes

Error responses between an [agent runtime](runtime.md) and Outdial can also have these codes and messages:

${table(['`code`', 'Meaning', 'What to do'], textRows(runtimeErrorTexts))}

The \`details\` of these responses, and the errors that an agent gets from a tool, can also have these codes and messages:

${table(['`code`', 'Meaning', 'What to do'], textRows(runtimeDetailTexts))}

### Tools

If a tool can't do its work, the agent gets one of these messages, or the reason from the service that the tool uses:

${table(
  ['Meaning', 'What to do'],
  textRows(toolResultTexts).map(([, ...texts]) => texts),
)}

## Connecting an app

When an app connects, Outdial can send these \`error_description\` values:

${table(['`error`', '`error_description`', 'What to do'], textRows(oauthErrorTexts))}

For requests that no correct app sends, the OAuth library sends other descriptions, which name the wrong parameter.
`)
}

async function formatPage(markdown: string): Promise<string> {
  const options = await resolveConfig(errorsPage)
  return format(markdown.trimStart(), { ...options, parser: 'markdown' })
}
