import type { PlainInputField } from 'zapier-platform-core'
import { createCampaign } from '../src/creates/create-campaign.ts'
import { queueCall } from '../src/creates/queue-call.ts'
import { callCompleted } from '../src/triggers/call-completed.ts'
import { fillPage, table } from './page-tables.ts'

export const inputFieldsPage = new URL('../docs/reference/input-fields.md', import.meta.url)

/** Returns docs/reference/input-fields.md with the labels and help texts that the Zap editor shows. */
export function generateInputFieldsPage(): Promise<string> {
  const steps = [queueCall, callCompleted, createCampaign]
  return fillPage(
    inputFieldsPage,
    Object.fromEntries(
      steps.map(({ display, operation }) => [
        `Fields of ${display.label}`,
        formatFields(operation.inputFields.filter((field) => typeof field === 'object')),
      ]),
    ),
  )
}

/** Returns a table of the fields with a help text. Leaves out other fields. */
const formatFields = (fields: readonly PlainInputField[]): string =>
  table(
    ['Field', 'Help text'],
    fields.flatMap(({ label, helpText }) => (label && helpText ? [[`**${label}**`, helpText]] : [])),
  )
