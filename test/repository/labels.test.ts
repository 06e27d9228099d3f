import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { labels as pageLabels } from '../../backend/platform/views/labels.ts'
import * as fieldTexts from '../../contract/field-texts.ts'
import { toTitleCase } from '../../src/title-case.ts'

const root = path.join(import.meta.dirname, '../..')
const files = globSync(['backend/{dashboard,platform/views}/**/*.ts', 'src/**/*.ts'], {
  cwd: root,
  exclude: ['src/generated.ts'],
})

/** Words that are labels of the contract's fields, but name something else in these files. */
// prettier-ignore
const exceptions: { files: RegExp; labels: string[]; reason: string }[] = [
  // Fields of objects that the API doesn't return
  { files: /account\/account-page/, labels: ['Name', 'Email'], reason: 'of a user' },
  { files: /sign-in\/new-user-fields|views\/pages\/sign-in/, labels: ['Email'], reason: 'of a user' },
  { files: /dashboard\/chats\//, labels: ['Contact', 'Event', 'Failed', 'Tuesday'], reason: 'of a chat' },
  { files: /settings\/rules-view/, labels: ['Source'], reason: 'of hours by law' },
  { files: /settings\/(member-pages|members-view)/, labels: ['Name', 'Email'], reason: 'of a member' },
  { files: /settings\/api-key-pages/, labels: ['Name'], reason: 'of an API key' },
  { files: /tools\/(http-tool|mcp-server)-pages|parameter-row/, labels: ['Name', 'URL'], reason: 'of a tool or parameter' },
  { files: /tools\/tool-view/, labels: ['URL'], reason: 'of a tool server' },
  { files: /callback-pages/, labels: ['Signing secret'], reason: 'of callback URLs' },
  { files: /integrations\/delivery-/, labels: ['Status', 'Duration', 'Created at', 'Event'], reason: 'of a delivery' },
  { files: /integrations\/webhook-|views\/badges/, labels: ['Failed', 'Canceled'], reason: 'statuses of deliveries' },
  { files: /webhook-list-view/, labels: ['Reason'], reason: 'why a subscription ended' },
  { files: /contacts\/contact-import-(page|labels)/, labels: ['Status', 'Failed'], reason: 'of an import' },
  { files: /contacts\/contact-import-view/, labels: ['Name'], reason: "the contact's full name" },
  { files: /knowledge\/knowledge-view/, labels: ['Updated at'], reason: 'of a document' },
  { files: /spreadsheets\//, labels: ['Name', 'Created at'], reason: 'of a spreadsheet' },
  { files: /(agent|phone-number)-pages/, labels: ['Status', 'Created at'], reason: "the API doesn't return these fields" },
  { files: /src\/authentication/, labels: ['Email'], reason: 'of a user' },
  // Objects themselves, in a column of links or above a section
  { files: /agents\/agent-pages/, labels: ['Agent'], reason: 'the agent' },
  { files: /campaign-list-view/, labels: ['Campaign'], reason: 'the campaign' },
  { files: /contact-list-page/, labels: ['Contact'], reason: 'the contact' },
  { files: /settings\/api-log-pages/, labels: ['Call', 'Contact', 'Campaign'], reason: 'what a request created' },
  { files: /call-facts|contact-calls|contact-form-view/, labels: ['Call'], reason: 'the call' },
  // Other labels
  { files: /campaign-(list-)?view/, labels: ['Outcomes'], reason: "the chart of a campaign's calls" },
  { files: /call-(facts|timeline)/, labels: ['Name', 'Failed'], reason: "the contact's full name; the result of a tool call" },
  { files: /call-transcript/, labels: ['Agent', 'Contact'], reason: 'speakers of the transcript' },
  { files: /call-steps/, labels: ['Answered'], reason: 'an event' },
  { files: /schema-fields/, labels: ['Name'], reason: 'in an example of JSON' },
  { files: /title-case/, labels: ['ID', 'URL'], reason: 'acronyms that Title Case keeps' },
]

const labels = collectLabels(fieldTexts)

it('no page and no file of the connector repeats a label of the contract, apart from the listed exceptions', () => {
  expect(files.length).toBeGreaterThan(150)
  expect(labels.size).toBeGreaterThan(80)
  const typed = files.flatMap((file) => findTypedLabels(file, readFileSync(path.join(root, file), 'utf8')))
  const isException = ({ file, label }: TypedLabel) =>
    exceptions.some((exception) => exception.files.test(file) && exception.labels.includes(label))
  expect(
    typed.filter((found) => !isException(found)).map(({ file, line, label }) => `${file}:${line}: ${label}`),
  ).toEqual([])

  const unused = exceptions.flatMap(({ files: pattern, labels: excepted }) =>
    excepted.filter((label) => !typed.some((found) => pattern.test(found.file) && found.label === label)),
  )
  expect(unused).toEqual([])
})

it('every label that pages show is defined', () => {
  const shown = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/\blabels\.(\w+)\.(\w+)/g)].map(
      ([, table = '', field = '']) => ({ file, table, field }),
    ),
  )
  const tables: Record<string, Record<string, string>> = pageLabels
  expect(shown.length).toBeGreaterThan(50)
  expect(shown.filter(({ table, field }) => tables[table]?.[field] === undefined)).toEqual([])
})

it('the check of labels finds one that a page repeats as an element, an attribute, a value, or a line', () => {
  const page = `<th scope="col">Attempts made</th>
<p>Attempts made by now</p>
<input value="\${search}" placeholder="External ID">
\${field({ form, label: 'Time zone', hint: "The contact's Time zone" })}
<dt>\${isWaiting ? 'Waiting for' : labels.call.outcome}</dt>
<dt>
Goal met
</dt>
<small>Variables: \${variables}</small>
/** Shows "Time zone". */`
  const found = findTypedLabels('backend/platform/views/page.ts', page).map(
    ({ line, label }) => `${line}: ${label}`,
  )
  expect(found).toEqual([
    '1: Attempts made',
    '3: External ID',
    '4: Time zone',
    '5: Waiting for',
    '7: Goal met',
    '9: Variables',
  ])
})

it('the check of labels finds one that the connector repeats in Title Case', () => {
  const code = `const fields = [{ key: 'name', label: 'Attempts Made' }]
export const createCampaign = {
  noun: 'Campaign',
}
/** Shows "Time Zone". */`
  expect(findTypedLabels('src/creates/call.ts', code)).toEqual([
    { file: 'src/creates/call.ts', line: 1, label: 'Attempts Made' },
  ])
})

interface TypedLabel {
  file: string
  line: number
  label: string
}

/** Returns the labels in a file that are the whole text of an element, an attribute, or a string. */
function findTypedLabels(file: string, text: string): TypedLabel[] {
  const isPage = /^backend\/(?:dashboard|platform\/views)\//.test(file)
  const isConnector = file.startsWith('src/')
  const known = [...labels].map((label) => escape(isConnector ? toTitleCase(label) : label)).join('|')
  const inString = new RegExp(`(${isPage ? '[\'"`]' : "['`]"})(?<label>${known}):?\\1`, 'g')
  const inElement = new RegExp(`(^|>)\\s*(?<label>${known}):?\\s*(?=<|\\$\\{|$)`, 'g')
  return text.split('\n').flatMap((code, index) => {
    // In the connector, an operation's noun names an object, not a field.
    if (isConnector && /^\s*noun: /.test(code)) return []
    // Comments may quote labels.
    if (isPage && /^\s*(?:\/?\*|\/\/)/.test(code)) return []
    const matches = [...code.matchAll(inString), ...(isPage ? code.matchAll(inElement) : [])]
    return matches.map(({ groups }) => ({ file, line: index + 1, label: groups?.label ?? '' }))
  })
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns all labels in nested tables of texts. */
function collectLabels(table: object): Set<string> {
  const found = Object.entries(table).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'object' && value !== null) return [...collectLabels(value)]
    const isLabel = name === 'label' || name === 'dashboard' || table === fieldTexts.weekdayLabels
    return isLabel && typeof value === 'string' ? [value] : []
  })
  return new Set(found)
}
