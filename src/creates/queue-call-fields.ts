import type { AddContact } from '@outdial/contract'
import { defineInputFields } from 'zapier-platform-core'
import { deduplicationKeyText, queueCallTexts as texts } from '../generated.ts'
import { timeZones } from '../values.ts'

export const inputFieldGroups = [
  { key: 'contact', label: 'Contact Details' },
  { key: 'call', label: 'Call Options' },
  { key: 'consent', label: 'Consent and Do Not Call' },
  { key: 'tracking', label: 'Tracking' },
]

const ifAlreadyQueued = {
  skip: 'Keep the Existing Call',
  queue: 'Queue Another Call',
} satisfies Record<NonNullable<AddContact['if_already_queued']>, string>

export const inputFields = defineInputFields([
  {
    key: 'campaign_id',
    ...texts.campaign_id,
    type: 'integer',
    required: true,
    dynamic: 'campaigns.id.label',
    search: 'find_campaign.id',
  },
  {
    key: 'phone_number',
    ...texts.phone_number,
    required: true,
  },
  {
    key: 'country',
    ...texts.country,
    placeholder: 'US',
    group: 'contact',
  },
  { key: 'first_name', ...texts.first_name, group: 'contact' },
  { key: 'last_name', ...texts.last_name, group: 'contact' },
  { key: 'email', ...texts.email, group: 'contact' },
  {
    key: 'external_reference',
    ...texts.external_id,
    group: 'contact',
  },
  {
    key: 'time_zone',
    ...texts.time_zone,
    choices: timeZones,
    group: 'contact',
  },
  {
    key: 'variables',
    ...texts.variables,
    dict: true,
    group: 'call',
  },
  {
    key: 'scheduled_at',
    ...texts.scheduled_at,
    type: 'datetime',
    group: 'call',
  },
  {
    key: 'if_already_queued',
    ...texts.if_already_queued,
    choices: ifAlreadyQueued,
    group: 'call',
  },
  {
    key: 'test',
    ...texts.test,
    type: 'boolean',
    group: 'call',
  },
  {
    key: 'consent_source',
    ...texts.consent_source,
    group: 'consent',
  },
  {
    key: 'consent_at',
    ...texts.consent_at,
    type: 'datetime',
    group: 'consent',
  },
  {
    key: 'do_not_call',
    ...texts.do_not_call,
    type: 'boolean',
    group: 'consent',
  },
  {
    key: 'metadata',
    ...texts.metadata,
    dict: true,
    group: 'tracking',
  },
  {
    key: 'deduplication_key',
    ...deduplicationKeyText,
    group: 'tracking',
  },
])
