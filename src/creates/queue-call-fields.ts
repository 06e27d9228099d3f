import type { AddContact } from '@outdial/contract'
import { defineInputFields } from 'zapier-platform-core'
import { timeZones } from '../values.ts'

export const inputFieldGroups = [
  { key: 'contact', label: 'About the Contact' },
  { key: 'call', label: 'About the Call' },
  { key: 'consent', label: 'Consent' },
  { key: 'tracking', label: 'Tracking' },
]

const ifAlreadyQueued = {
  skip: 'Keep the Call That Is Waiting',
  queue: 'Queue Another Call',
} satisfies Record<NonNullable<AddContact['if_already_queued']>, string>

export const inputFields = defineInputFields([
  {
    key: 'campaign_id',
    label: 'Campaign',
    type: 'integer',
    required: true,
    dynamic: 'campaigns.id.label',
    search: 'find_campaign.id',
    helpText: 'It decides which agent calls, from which number and at what times.',
  },
  {
    key: 'phone_number',
    label: 'Phone Number',
    required: true,
    helpText:
      'In any usual spelling. A number that does not start with + is read as one of the country below.',
  },
  {
    key: 'country',
    label: 'Country',
    placeholder: 'US',
    group: 'contact',
    helpText: 'Two letters, for example US or DE. Empty: the country of your workspace.',
  },
  { key: 'first_name', label: 'First Name', group: 'contact' },
  { key: 'last_name', label: 'Last Name', group: 'contact' },
  { key: 'email', label: 'Email', group: 'contact' },
  {
    key: 'external_reference',
    label: 'Your Reference',
    group: 'contact',
    helpText: 'What your own system calls this person, for example the number of the record in your CRM.',
  },
  {
    key: 'time_zone',
    label: 'Time Zone',
    choices: timeZones,
    group: 'contact',
    helpText:
      'People are called at decent hours on their own clock. Empty: worked out from the phone number.',
  },
  {
    key: 'variables',
    label: 'Variables',
    dict: true,
    group: 'call',
    helpText:
      "What the agent should know, by the names that its script uses: for example product on the left, and the form's answer on the right.",
  },
  {
    key: 'scheduled_at',
    label: 'Call Not Before',
    type: 'datetime',
    group: 'call',
    helpText: 'Empty: as soon as the calling hours of the campaign allow. At most a year ahead.',
  },
  {
    key: 'if_already_queued',
    label: 'If a Call Is Already Waiting',
    choices: ifAlreadyQueued,
    group: 'call',
    helpText:
      'What happens if this person already waits for a call of this campaign. Empty: nobody is called twice.',
  },
  {
    key: 'test',
    label: 'Test Call',
    type: 'boolean',
    group: 'call',
    helpText: 'Yes: the call is simulated and no phone rings. Everything else happens as it will later.',
  },
  {
    key: 'consent_source',
    label: 'Consent Source',
    group: 'consent',
    helpText: 'Where the person agreed to be called, for example "Website form". Needs the time below.',
  },
  {
    key: 'consent_at',
    label: 'Consent Given At',
    type: 'datetime',
    group: 'consent',
    helpText: 'When the person agreed to be called. Needs the source above.',
  },
  {
    key: 'do_not_call',
    label: 'Do Not Call',
    type: 'boolean',
    group: 'consent',
    helpText:
      'Yes: the number is never called again, this time included. No: a number that is blocked stays blocked.',
  },
  {
    key: 'metadata',
    label: 'Metadata',
    dict: true,
    group: 'tracking',
    helpText:
      'Comes back unchanged when the call is over, for example the lead that it belongs to. The agent does not see it.',
  },
  {
    key: 'deduplication_key',
    label: 'Deduplication Key',
    group: 'tracking',
    helpText:
      'Something that is different for every call that you want, for example the ID of the form entry. If this step runs twice with the same key within a day, one call is made.',
  },
])
