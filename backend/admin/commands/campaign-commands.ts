import type { CampaignStatus } from '@outdial/contract'
import { addNumberToDoNotCallList } from '../../calls/do-not-call.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../campaigns/campaign-status.ts'
import type { Deps } from '../../deps.ts'
import { addPhoneNumber, retirePhoneNumber } from '../../phone-numbers/phone-numbers.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { type Command, defineCommand, required, text } from '../command.ts'
import { campaignOption, idOption, requireWorkspace, workspaceOption } from '../command-options.ts'

export const addToDoNotCallCommand = defineCommand({
  name: 'do-not-call add',
  summary: 'Puts a number on the do-not-call list of a workspace: what waits for it ends as suppressed.',
  options: {
    workspace: workspaceOption,
    number: required(text, 'NUMBER', 'with its country, or as it is dialed in the country of the workspace'),
  },
  run: async (deps, { workspace, number }) => {
    await requireWorkspace(deps, workspace)
    const phoneNumber = await addNumberToDoNotCallList(deps, workspace, { phoneNumber: number }, null)
    return { note: `Workspace ${workspace} will not call ${phoneNumber}.` }
  },
})

type ChangeStatus = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  campaignId: number,
) => Promise<{ status: CampaignStatus }>

const defineStatusCommand = (name: string, summary: string, changeStatus: ChangeStatus) =>
  defineCommand({
    name,
    summary,
    options: { workspace: workspaceOption, id: campaignOption },
    run: async (deps, { workspace, id }) => {
      const campaign = await changeStatus(deps, workspace, id)
      return { note: `The campaign ${id} is ${campaign.status}.` }
    },
  })

export const campaignStatusCommands: readonly Command[] = [
  defineStatusCommand('pause-campaign', 'Makes no more calls of a campaign; they wait.', pauseCampaign),
  defineStatusCommand('resume-campaign', 'Lets the calls of a paused campaign go on.', resumeCampaign),
  defineStatusCommand(
    'archive-campaign',
    'Closes a campaign for good: what waits ends as canceled, and nothing can be queued.',
    archiveCampaign,
  ),
]

export const addPhoneNumberCommand = defineCommand({
  name: 'add-phone-number',
  summary: 'Adds a number that campaigns of a workspace can call from.',
  options: {
    workspace: workspaceOption,
    number: required(text, 'NUMBER', 'with its country, such as +12025550190'),
    label: required(text, 'LABEL', 'how the lists call it'),
  },
  run: async (deps, { workspace, number, label }) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addPhoneNumber(deps, workspace, { phone_number: number, label })
    return { record: { phone_number_id: id, label } }
  },
})

export const retirePhoneNumberCommand = defineCommand({
  name: 'retire-number',
  summary: 'Makes no more calls from a number; those of its campaigns wait for another one.',
  options: { workspace: workspaceOption, id: idOption('the number: see list-phone-numbers') },
  run: async (deps, { workspace, id }) => {
    await retirePhoneNumber(deps, workspace, id)
    return { note: `The phone number ${id} is retired.` }
  },
})

export const eraseContactCommand = defineCommand({
  name: 'erase-contact',
  summary: 'Erases a person for good: calls stay, without who was called and what was said.',
  options: {
    workspace: workspaceOption,
    contact: idOption('the contact, as the dashboard, Zapier and the API tell it'),
  },
  run: async (deps, { workspace, contact }) => {
    await requireWorkspace(deps, workspace)
    await eraseContact(deps, workspace, contact)
    return { note: `Contact ${contact} is erased.` }
  },
})
