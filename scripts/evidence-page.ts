import { readFileSync } from 'node:fs'
import path from 'node:path'
import { format, resolveConfig } from 'prettier'
import { parse } from 'yaml'
import * as z from 'zod'

const root = new URL('..', import.meta.url)
export const evidencePage = new URL('docs/project/evidence.md', root)
const readText = (file: string): string => readFileSync(new URL(file, root), 'utf8')

/**
 * The promises by page and heading. Each has the titles of its tests, by file, and the alerts that fire if the promise is
 * broken.
 */
const Evidence = z.record(
  z.string(),
  z.record(
    z.string(),
    z.array(
      z.strictObject({
        promise: z.string(),
        tests: z.record(z.string(), z.array(z.string())),
        alerts: z.array(z.string()).default([]),
      }),
    ),
  ),
)
type Entry = z.infer<typeof Evidence>[string][string][number]

/** Reads docs/project/evidence.yaml. */
export const readEvidence = (): z.infer<typeof Evidence> =>
  Evidence.parse(parse(readText('docs/project/evidence.yaml')))

/** Returns docs/project/evidence.md. */
export async function generateEvidencePage(): Promise<string> {
  const sections = Object.entries(readEvidence()).map(([page, groups]) => {
    const [, title] = /^# (.+)$/m.exec(readText(page)) ?? []
    const lists = Object.entries(groups).map(
      ([heading, entries]) => `### ${heading}\n\n${entries.map(describe).join('\n')}`,
    )
    return [`## [${title}](${path.relative('docs/project', page)})`, ...lists].join('\n\n')
  })
  const page = `
<!-- Written by \`npm run generate\` from docs/project/evidence.yaml. -->

# Evidence

Each promise on the pages below has tests that fail if it's broken, and some have an alert that fires if a running service
breaks it. A test's title follows the titles of its groups, as Jest prints them.

${sections.join('\n\n')}
`
  return format(page.trimStart(), { ...(await resolveConfig(evidencePage)), parser: 'markdown' })
}

/** Formats a promise as a list item, with its tests and alerts below. */
function describe({ promise, tests, alerts }: Entry): string {
  const titles = Object.entries(tests).flatMap(([file, names]) =>
    names.map((name) => `"${name}" (\`${file}\`)`),
  )
  const names = alerts.map((alert) => `\`${alert}\``).join(', ')
  const alertItems = alerts.length === 0 ? [] : [`${alerts.length === 1 ? 'Alert' : 'Alerts'}: ${names}`]
  return [`- ${promise}`, ...[...titles, ...alertItems].map((item) => `  - ${item}`)].join('\n')
}
