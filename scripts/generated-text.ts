import { readFile } from 'node:fs/promises'
import * as contract from '@outdial/contract'
import { format, resolveConfig } from 'prettier'
import { toOutputFields } from './output-fields.ts'

const root = new URL('..', import.meta.url)
export const generatedFile = new URL('src/generated.ts', root)

/** The answer to a contact that was just queued: the example call before it is placed. */
const contactAdded: contract.ContactAdded = {
  contact: contract.exampleContact,
  call: {
    ...contract.exampleCall,
    status: 'queued',
    outcome: null,
    ended_reason: null,
    attempts: 0,
    next_attempt_at: contract.exampleCall.queued_at,
    answered_at: null,
    ended_at: null,
    duration_seconds: null,
    summary: null,
    transcript: [],
    transcript_text: null,
    sentiment: 'unknown',
    goal_met: null,
    extracted: {},
  },
  contact_created: true,
  call_queued: true,
}

/** @returns the text of src/generated.ts: what the connector takes from the contract at build time */
export async function generateText(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string }
  const values = {
    version,
    sampleCampaign: contract.exampleCampaign,
    sampleCall: contract.exampleCall,
    sampleContactAdded: contactAdded,
    campaignFields: toOutputFields(contract.Campaign),
    callFields: toOutputFields(contract.Call),
    contactAddedFields: toOutputFields(contract.ContactAdded),
  }
  const lines = [
    '// Made from the contract by `npm run generate`; a test keeps it up to date. The connector ships no',
    '// schemas, so what it shows of them is written down here.',
    "import type { Call, Campaign, ContactAdded } from '@outdial/contract'",
    "import type { PlainOutputField } from 'zapier-platform-core'",
    '',
  ]
  const types: Partial<Record<keyof typeof values, string>> = {
    sampleCampaign: 'Campaign',
    sampleCall: 'Call',
    sampleContactAdded: 'ContactAdded',
    campaignFields: 'PlainOutputField[]',
    callFields: 'PlainOutputField[]',
    contactAddedFields: 'PlainOutputField[]',
  }
  for (const [name, value] of Object.entries(values)) {
    const type = types[name as keyof typeof values]
    lines.push(`export const ${name}${type ? `: ${type}` : ''} = ${JSON.stringify(value)}`, '')
  }
  const options = await resolveConfig(generatedFile)
  return format(lines.join('\n'), { ...options, parser: 'typescript' })
}
