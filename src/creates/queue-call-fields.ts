import type { AddContact, ConsentKind } from '@outdial/contract'
import { defineInputFields } from 'zapier-platform-core'
import { consentKindLabels, deduplicationKeyText, queueCallTexts as texts } from '../generated.ts'
import { yesOrNo } from '../read-input.ts'

export const inputFieldGroups = [
  { key: 'contact', label: 'Contact Details' },
  { key: 'variables', label: 'Script Variables' },
  { key: 'call', label: 'Call Options' },
  { key: 'consent', label: 'Consent and Do Not Call' },
  { key: 'tracking', label: 'Tracking' },
]

export const ifAlreadyQueued = {
  skip: 'Keep the Existing Call',
  queue: 'Queue Another Call',
} satisfies Record<NonNullable<AddContact['if_already_queued']>, string>

export const inputFields = defineInputFields([
  {
    key: 'about_tests',
    type: 'copy',
    helpText: `When you test this step in the Zap editor, the call is simulated and no phone rings, unless **${texts.test.label}** is **No** and **${texts.do_not_call.label}** isn't **Yes**. Testing doesn't block a number or use up a deduplication key. When the Zap is on, phones ring unless **${texts.test.label}** is **Yes** or your Outdial server simulates all calls.`,
  },
  {
    key: 'campaign_id',
    ...texts.campaign_id,
    required: true,
    dynamic: 'open_campaigns.id.label',
    search: 'find_campaign.id',
    altersDynamicFields: true,
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
    dynamic: 'time_zones.id.label',
    group: 'contact',
  },
  {
    key: 'variables',
    ...texts.variables,
    dict: true,
    group: 'variables',
  },
  {
    key: 'scheduled_at',
    ...texts.scheduled_at,
    // Isn't a datetime field, because Zapier would have the person called at once: it converts text that it can't read
    // to the current time. It would also convert "in 2 hours" to another time in a replay.
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
    choices: yesOrNo,
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
    // Isn't a datetime field either, because Zapier would invent consent: it converts "n/a" to the current time.
    group: 'consent',
  },
  {
    key: 'consent_kind',
    ...texts.consent_kind,
    choices: consentKindLabels satisfies Record<ConsentKind, string>,
    group: 'consent',
  },
  {
    key: 'do_not_call',
    ...texts.do_not_call,
    choices: yesOrNo,
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
