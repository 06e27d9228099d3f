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
  summary:
    'Adds a phone number to a workspace\'s do-not-call list. Waiting calls to the number end with the outcome "suppressed".',
  options: {
    workspace: workspaceOption,
    number: required(
      text,
      'NUMBER',
      "phone number with its country code, or as dialed in the workspace's country",
    ),
  },
  run: async (deps, { workspace, number }) => {
    await requireWorkspace(deps, workspace)
    const phoneNumber = await addNumberToDoNotCallList(deps, workspace, { phoneNumber: number }, null)
    return { note: `${phoneNumber} is now on the do-not-call list of workspace ${workspace}.` }
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
      return { note: `Campaign ${id} is now ${campaign.status}.` }
    },
  })

export const campaignStatusCommands: readonly Command[] = [
  defineStatusCommand(
    'pause-campaign',
    'Pauses a campaign. Queued calls wait until you resume the campaign.',
    pauseCampaign,
  ),
  defineStatusCommand('resume-campaign', 'Resumes a paused campaign.', resumeCampaign),
  defineStatusCommand(
    'archive-campaign',
    'Permanently archives a campaign. Its waiting calls are canceled, and no more can be queued.',
    archiveCampaign,
  ),
]

export const addPhoneNumberCommand = defineCommand({
  name: 'add-phone-number',
  summary: 'Adds a phone number that campaigns of a workspace can call from.',
  options: {
    workspace: workspaceOption,
    number: required(text, 'NUMBER', 'phone number with its country code, for example +12025550190'),
    label: required(text, 'LABEL', 'label of the phone number'),
  },
  run: async (deps, { workspace, number, label }) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addPhoneNumber(deps, workspace, { phone_number: number, label })
    return { record: { phone_number_id: id, label } }
  },
})

export const retirePhoneNumberCommand = defineCommand({
  name: 'retire-number',
  summary: 'Retires a phone number. Calls in its campaigns wait until the campaigns have another number.',
  options: { workspace: workspaceOption, id: idOption('phone number ID (see list-phone-numbers)') },
  run: async (deps, { workspace, id }) => {
    await retirePhoneNumber(deps, workspace, id)
    return { note: `Phone number ${id} is now retired.` }
  },
})

export const eraseContactCommand = defineCommand({
  name: 'erase-contact',
  summary:
    "Permanently erases a contact. The contact's calls stay, but no longer show who was called or what was said.",
  options: {
    workspace: workspaceOption,
    contact: idOption('contact ID, from the dashboard, Zapier, or the API'),
  },
  run: async (deps, { workspace, contact }) => {
    await requireWorkspace(deps, workspace)
    await eraseContact(deps, workspace, contact)
    return { note: `Contact ${contact} erased.` }
  },
})
