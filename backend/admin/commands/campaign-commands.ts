import type { CampaignStatus } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../platform/core/errors.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { formatPlural } from '../../platform/views/format.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { countStoredData, describeErasure } from '../../privacy/stored-data.ts'
import { addNumbersToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { countQueuedCalls } from '../../queue/calls/find-calls.ts'
import { rescheduleCampaign } from '../../queue/calls/reschedule-calls.ts'
import {
  archiveCampaign,
  lockCallsToCancel,
  pauseCampaign,
  resumeCampaign,
} from '../../queue/campaigns/campaign-status.ts'
import { requireCampaign } from '../../queue/campaigns/campaigns.ts'
import { findContact } from '../../queue/contacts/find-contacts.ts'
import { addPhoneNumber, retirePhoneNumber } from '../../queue/phone-numbers/phone-numbers.ts'
import { selectActiveCampaigns } from '../admin-queries.ts'
import { type Command, defineCommand, optional, required, text } from '../command.ts'
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
    const phoneNumbers = await addNumbersToDoNotCallList(
      deps,
      workspace,
      { phoneNumber: number },
      {
        source: 'dashboard',
        reason: null,
      },
    )
    const are = phoneNumbers.length === 1 ? 'is' : 'are'
    return {
      note: `${phoneNumbers.join(', ')} ${are} now on the do-not-call list of workspace ${workspace}.`,
    }
  },
})

type ChangeStatus = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
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
]

/**
 * Pauses all campaigns. Operators use it after they restore a backup and before any worker starts: calls that wait in the
 * backup may already have been made.
 */
export const pauseAllCampaignsCommand = defineCommand({
  name: 'pause-all-campaigns',
  summary:
    'Pauses every active campaign of every workspace, and lists them. Use it after you restored a backup, before you start Outdial.',
  options: {
    reason: required(text, 'TEXT', 'sentence that the dashboard and the API show as the reason'),
  },
  run: async (deps, { reason }) => {
    const campaigns = await selectActiveCampaigns(deps.db)
    const rows = []
    for (const { workspace_id: workspaceId, id, name } of campaigns) {
      await pauseCampaign(deps, workspaceId, id, reason)
      const waitingCalls = await countQueuedCalls(deps.db, workspaceId, id)
      rows.push({ workspace_id: workspaceId, campaign_id: id, name, waiting_calls: waitingCalls })
    }
    return { rows, note: `Paused: ${formatPlural(rows.length, 'campaign')}.` }
  },
})

/** Throws an error that describes the effects of a command, unless `--confirm` was given with the expected value. */
const requireConfirmation = (confirm: string | undefined, expected: string, effects: string): void => {
  if (confirm === expected) return
  throw new FormError(
    'validation_failed',
    `${effects} To confirm, add --confirm ${JSON.stringify(expected)}.`,
  )
}

export const archiveCampaignCommand = defineCommand({
  name: 'archive-campaign',
  summary: 'Permanently archives a campaign. Its waiting calls are canceled, and no more can be queued.',
  options: {
    workspace: workspaceOption,
    id: campaignOption,
    confirm: optional(text, 'NAME', "campaign's name, required if calls are waiting"),
  },
  run: async (deps, { workspace, id, confirm }) => {
    const archived = await inTransaction(deps, async (tx) => {
      const { name } = await requireCampaign(tx, workspace, id)
      const callCount = await lockCallsToCancel(tx, workspace, id)
      const waiting = formatPlural(callCount, 'waiting call')
      if (callCount > 0)
        requireConfirmation(confirm, name, `Archiving this campaign cancels ${waiting}. You can't undo this.`)
      await archiveCampaign(tx, workspace, id)
      return { note: `Campaign ${id} is now archived.${callCount > 0 ? ` Canceled: ${waiting}.` : ''}` }
    })
    // Cancels the remaining calls, because the transaction canceled only the first batch.
    await rescheduleCampaign(deps, { workspaceId: workspace, campaignId: id })
    return archived
  },
})

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
    confirm: optional(text, 'NUMBER', "contact's phone number"),
  },
  run: async (deps, { workspace, contact: id, confirm }) => {
    await requireWorkspace(deps, workspace)
    return inTransaction(deps, async (tx) => {
      const contact = await findContact(tx.db, workspace, id)
      if (contact === undefined) throw notFound('contact')
      const stored = await countStoredData(tx.db, workspace, contact)
      requireConfirmation(confirm, contact.phone_number, describeErasure(stored).join(' '))
      await eraseContact(tx, workspace, id)
      return { note: `Contact ${id} erased.` }
    })
  },
})
