import type { Campaign } from '@outdial/contract'
import type { Bundle, PlainInputField, ZObject } from 'zapier-platform-core'
import { formatTimeZone } from '../../reading/time-zone.ts'
import { campaigns, readAll, selectNamed } from '../lists.ts'
import { nameToLabel } from '../title-case.ts'
import { isKeyPart, toText } from '../values.ts'

const prefix = 'variables__'

/**
 * Returns the fields that depend on the chosen campaign: a notice if it doesn't place calls now, and a field for each
 * variable of its agent's script. Other variables can be entered in the dictionary.
 *
 * The form also works without these fields, so no error is shown for a campaign that isn't found.
 */
export async function listCampaignFields(z: ZObject, bundle: Bundle): Promise<PlainInputField[]> {
  try {
    const campaign = await findCampaign(z, toText(bundle.inputData.campaign_id).trim())
    return campaign ? [...describeState(campaign), ...listVariableFields(campaign)] : []
  } catch (error) {
    // For this error, Zapier refreshes the token and asks for the fields again.
    if (error instanceof z.errors.RefreshAuthError) throw error
    return []
  }
}

async function findCampaign(z: ZObject, typed: string): Promise<Campaign | undefined> {
  // Text with braces refers to another step, whose value isn't known in the form.
  if (typed === '' || typed.includes('{{')) return undefined
  const all: Campaign[] = []
  for await (const campaign of readAll(z, campaigns, { order: 'newest' })) {
    if (String(campaign.id) === typed) return campaign
    all.push(campaign)
  }
  const [found, ...others] = selectNamed(campaigns, all, typed)
  // If several campaigns have the name, the form shows no fields, and the step rejects the name.
  return others.length === 0 ? found : undefined
}

function describeState(campaign: Campaign): PlainInputField[] {
  const helpText = stateText(campaign)
  return helpText === undefined ? [] : [{ key: 'about_campaign', type: 'copy', helpText }]
}

function stateText(campaign: Campaign): string | undefined {
  const { status, paused_reason, opens_at, time_zone } = campaign
  if (status === 'archived')
    return "**This campaign is archived**, so calls can't be queued in it. Choose another campaign."
  if (status === 'paused') {
    const reason = paused_reason === null ? '' : ` Reason: ${paused_reason}`
    return `**This campaign is paused.** Calls are queued, but not placed until the campaign is resumed.${reason}`
  }
  if (!opens_at) return undefined
  return `**This campaign is outside its calling hours** until ${formatTime(opens_at, time_zone)} in ${formatTimeZone(time_zone)}. Calls are queued, and placed within calling hours in the contact's time zone.`
}

/** Returns "Monday, November 30 at 9:00 AM". */
function formatTime(at: string, timeZone: string): string {
  const day = { weekday: 'long', month: 'long', day: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, ...day, hour: 'numeric', minute: '2-digit' })
  // Replaces the narrow space that Intl puts before AM and PM.
  return format.format(new Date(at)).replaceAll(/\s/g, ' ')
}

const listVariableFields = ({ agent_variables = [] }: Campaign): PlainInputField[] =>
  agent_variables.filter(isKeyPart).map(toVariableField)

const toVariableField = (name: string): PlainInputField => ({
  key: `${prefix}${name}`,
  label: nameToLabel(name),
  helpText: `The agent's script uses this value as \`${name}\`.`,
  group: 'variables',
})

/** Returns the fields for variables that have a value in this run. The errors of a step use their labels. */
export const readVariableFields = ({ inputData }: Bundle): PlainInputField[] =>
  Object.keys(inputData)
    .filter((key) => key.startsWith(prefix))
    .map((key) => toVariableField(key.slice(prefix.length)))
