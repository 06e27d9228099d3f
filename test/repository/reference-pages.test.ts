import { expect, it } from '@jest/globals'
import { generateCallReasonsPage } from '../../scripts/call-reasons-page.ts'
import { generateInputFieldsPage } from '../../scripts/input-fields-page.ts'
import { generateLimitsPage } from '../../scripts/limits-page.ts'
import { generateOutputFieldsPage } from '../../scripts/output-fields-page.ts'
import { generateWebhooksPage } from '../../scripts/webhooks-page.ts'
import { readPage } from '../support/docs.ts'

const pages: [string, () => Promise<string>][] = [
  ['docs/reference/call-reasons.md', generateCallReasonsPage],
  ['docs/reference/input-fields.md', generateInputFieldsPage],
  ['docs/reference/limits.md', generateLimitsPage],
  ['docs/reference/output-fields.md', generateOutputFieldsPage],
  ['docs/reference/webhooks.md', generateWebhooksPage],
]

it.each(pages)('%s matches the code: run `npm run generate` if this fails', async (page, generate) => {
  expect(readPage(page)).toBe(await generate())
})
