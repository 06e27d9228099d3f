/**
 * The label of a field and its descriptions. The OpenAPI document and the dashboard's forms read this table; the
 * connector gets it by `npm run generate`. One field has one label everywhere.
 */
export interface FieldText {
  /** Sentence case, as the dashboard shows it. Zapier shows it in Title Case. */
  label: string
  /**
   * The label on pages of the dashboard, if they show the value differently: a link instead of an ID, a duration with
   * its unit, a filter in words, or “Phone number” for a call that may not have been placed yet.
   */
  dashboard?: string
  /** The text for developers in the OpenAPI document, in Markdown. */
  api?: string
  /** The text under the field of a dashboard form. Plain text. */
  form?: string
  /** The text under the field in the Zap editor, in Markdown. */
  zap?: string
  /** The label of the input in the Zap editor, if `label` ends in ID, because Zapier's labels of inputs must not. */
  zapLabel?: string
}

/** Checks that a table has the right shape, and keeps its keys in its type. */
const texts = <Name extends string>(table: Record<Name, FieldText>): Record<Name, FieldText> => table

/** Fields of a contact, as the API returns it. */
export const contactTexts = texts({
  id: { label: 'ID' },
  phone_number: { label: 'Phone number' },
  first_name: { label: 'First name' },
  last_name: { label: 'Last name' },
  email: { label: 'Email' },
  external_id: { label: 'External ID', api: 'The ID of this person in your own system.' },
  time_zone: {
    label: 'Time zone',
    api: 'IANA time zone, for example Europe/Berlin. Null if it was never set. Outdial then detects the time zone from the phone number.',
  },
  variables: { label: 'Variables', api: "Values for the agent's script, by name." },
  do_not_call: {
    label: 'Is on do-not-call list',
    dashboard: 'Do not call',
    api: 'True if the number is on the do-not-call list.',
  },
  consent: { label: 'Consent', api: 'Where, when, and how this person agreed to be called.' },
  'consent.source': { label: 'Consent source' },
  'consent.at': { label: 'Consent date' },
  'consent.kind': { label: 'Consent kind', api: "`written` or `oral`. Null if it isn't known." },
  created_at: { label: 'Created at' },
  updated_at: { label: 'Updated at' },
})

/** Fields of `POST /contacts/`: Queue Call in Zapier, and the contact form in the dashboard. */
export const addContactTexts = texts({
  phone_number: {
    ...contactTexts.phone_number,
    api: 'E.164, or a national number together with `country`. With `do_not_call`, it can be text with several numbers, and each is added to the do-not-call list.',
    form: 'Include the country code, for example +1 202 555 0100.',
    zap: 'Include the country code, for example `+12025550100`, or set **Country**.',
  },
  campaign_id: {
    label: 'Campaign',
    api: 'The campaign that the call belongs to.',
    form: 'The campaign determines which agent calls, which number the agent calls from, and the calling hours.',
    zap: 'The campaign determines which agent calls, which number the agent calls from, and the calling hours.',
  },
  country: {
    label: 'Country',
    api: "Used when the phone number has no country code. Defaults to the workspace's country.",
    form: "Two-letter code or name, for example US. Used when the phone number doesn't start with a country code such as +1.",
    zap: "Used when the phone number doesn't start with a country code such as `+1`. Enter the country's two-letter code or its name, for example `US`. Defaults to your workspace's country.",
  },
  first_name: contactTexts.first_name,
  last_name: contactTexts.last_name,
  email: contactTexts.email,
  external_id: {
    ...contactTexts.external_id,
    zapLabel: 'External reference',
    form: "This person's ID in your CRM or another app.",
    zap: "This person's record ID in your CRM or another app. Outdial returns it with every call.",
  },
  time_zone: {
    ...contactTexts.time_zone,
    api: 'IANA time zone, for example Europe/Berlin, or another usual name of one, for example US/Eastern. American names and abbreviations, such as Eastern Time and EST, are accepted if the phone number is in the United States or Canada. The response has the IANA name. Detected from the phone number if omitted.',
    form: 'Calls are placed within calling hours in this time zone. Leave blank to detect it from the phone number.',
    zap: 'Calls are placed within calling hours in this time zone. Eastern Time, EST, and the like work only for numbers in the United States and Canada. Leave blank to detect the time zone from the phone number.',
  },
  variables: {
    ...contactTexts.variables,
    api: "Values for the agent's script, by name. Merged with the stored ones; null removes all of them.",
    form: 'Values that the agent uses, one per line: name = value.',
    zap: "Details for the agent's script. Put the variable's name on the left, for example `product`, and its value on the right. At most 100 variables, with at most 2,000 characters each.",
  },
  do_not_call: {
    label: 'Do not call',
    api: 'True adds the number to the do-not-call list. False never removes it.',
    form: "No campaign calls this number until it's removed from the list.",
    zap: "Choose **Yes** to add this number to the do-not-call list, so that it's never called. **No** doesn't remove it from the list.",
  },
  consent: contactTexts.consent,
  'consent.source': {
    ...contactTexts['consent.source'],
    form: 'Where this person agreed to be called, for example “Website form”.',
    zap: 'Where this person agreed to be called, for example `Website form`. Requires **Consent Date**.',
  },
  'consent.at': {
    ...contactTexts['consent.at'],
    form: 'When this person agreed to be called.',
    zap: "When this person agreed to be called, for example `2026-05-04 09:30`. A time without a time zone is in the Zap's time zone. Requires **Consent Source**.",
  },
  'consent.kind': {
    ...contactTexts['consent.kind'],
    api: "`written` or `oral`. If you omit it, the stored kind stays only if `source` and `at` are the same as the stored ones. Otherwise, it's cleared, and `warnings` says so.",
    form: 'How this person agreed to be called.',
    zap: 'How this person agreed to be called. Requires **Consent Source** and **Consent Date**. If you leave this blank, a saved kind stays only if the source and the date are the same as the saved ones.',
  },
  metadata: {
    label: 'Metadata',
    api: "Your own data. Returned unchanged with the call; the agent doesn't see it.",
    zap: "Your own data, for example `lead_id` on the left and the lead's ID on the right. The **Call Completed** trigger returns it unchanged. The agent doesn't see it. At most 50 entries, with at most 500 characters each.",
  },
  scheduled_at: {
    label: 'Earliest call time',
    api: "The call is placed at or after this time, within the campaign's calling hours. At most one year ahead.",
    form: "The call is placed at or after this time, within the campaign's calling hours.",
    zap: "The call is placed at or after this time, within the campaign's calling hours. For example `2026-05-04 09:30`, or a mapped date followed by `+1d`. A time without a time zone is in the Zap's time zone. If it has passed, or you leave this blank, the call is placed as soon as possible. Can't be more than one year ahead.",
  },
  if_already_queued: {
    label: 'If a call is waiting or in progress',
    api: 'What to do if a call to this contact is already waiting or in progress in this campaign. `skip` (default) returns that call. `queue` adds another.',
    zap: 'What to do if a call to this person is already waiting or in progress in this campaign. By default, no second call is queued. The step still succeeds, and its output **New Call Queued** is false.',
  },
  test: {
    label: 'Test call',
    api: 'True simulates the call, so no phone rings.',
    form: 'No phone rings.',
    zap: 'Choose **Yes** to simulate the call, so that no phone rings. Leave blank to simulate it only while you test this step in the Zap editor.',
  },
  callback_url: {
    label: 'Callback URL',
    api: 'The `call.completed` event of this call is also sent to this URL, no earlier than five seconds after the response. A call can have up to five: a request that returns an existing call adds its URL. Nothing is sent after the connection or API key ends. Requires the scopes `calls:read` and `webhooks:write`.',
  },
  lenient: {
    label: 'Lenient',
    api: "True leaves out optional values that can't be used instead of rejecting the request: `email`, `consent` (or only its `kind`), and entries of `variables` and `metadata`. The response lists them in `warnings`. Variables are saved under the names that the agent uses, even if capitalization, spaces, `_`, or `-` differ.",
  },
})

export interface EndedReasonText {
  outcome: keyof typeof outcomeTexts
  meaning: string
  /** Further sentences for docs/reference/call-reasons.md, in Markdown. */
  details?: string
}

/** Why a call ended, and the outcome that it has then. */
export const endedReasonTexts = {
  agent_hung_up: {
    outcome: 'answered',
    meaning: 'The agent hung up.',
    details: 'See `summary` and `transcript_text`.',
  },
  contact_hung_up: {
    outcome: 'answered',
    meaning: 'The contact hung up.',
    details: 'See `summary` and `transcript_text`.',
  },
  call_limit_reached: {
    outcome: 'answered',
    meaning: 'The call reached the 30-minute limit.',
    details: 'Outdial ended the call. See `summary` and `transcript_text`.',
  },
  voicemail_reached: { outcome: 'voicemail', meaning: 'Voicemail answered.' },
  ring_timeout: {
    outcome: 'no_answer',
    meaning: "The call wasn't answered.",
    details: 'Outdial waits 45 seconds for an answer.',
  },
  line_busy: { outcome: 'busy', meaning: 'The number was busy.' },
  contact_declined: { outcome: 'declined', meaning: 'The contact declined the call.' },
  line_failed: { outcome: 'failed', meaning: "The agent runtime couldn't place the call." },
  worker_lost: {
    outcome: 'failed',
    meaning: 'Outdial lost its connection to the call.',
    details: "It doesn't dial again, because the phone may have rung.",
  },
  do_not_call: { outcome: 'suppressed', meaning: 'The number is on the do-not-call list.' },
  number_type_not_allowed: {
    outcome: 'suppressed',
    meaning: "The workspace doesn't call premium-rate, shared-cost, personal, pager, or satellite numbers.",
    details: 'Owners can allow these numbers under **Settings → Who may be called**.',
  },
  destination_not_allowed: {
    outcome: 'suppressed',
    meaning: "The workspace doesn't call this country.",
    details: 'Owners can change the countries under **Settings → Who may be called**.',
  },
  consent_missing: {
    outcome: 'suppressed',
    meaning: "The contact hasn't given the consent that the campaign requires.",
    details:
      'Consent is required by the campaign itself or under **Settings → Who may be called**. Save the consent on the contact, then queue another call.',
  },
  consent_expired: {
    outcome: 'suppressed',
    meaning: "The contact's consent is too old for the campaign.",
    details:
      'The maximum age is set in the campaign or under **Settings → Who may be called**. After the contact consents again, queue another call.',
  },
  frequency: {
    outcome: 'suppressed',
    meaning: "This number can't be called again within 7 days.",
    details: 'It was called as often as **Settings → Who may be called** allows. Queue another call later.',
  },
  no_permitted_hour: {
    outcome: 'suppressed',
    meaning: 'The law, closed days, and the campaign leave no hour for a call within 7 days.',
    details: "Compare the campaign's calling hours with those under **Settings → Who may be called**.",
  },
  not_attempted_in_time: { outcome: 'expired', meaning: "The call couldn't be placed within 7 days." },
  campaign_archived: {
    outcome: 'canceled',
    meaning: 'The campaign was archived while the call was waiting.',
  },
  contact_erased: { outcome: 'canceled', meaning: 'The contact was erased while the call was waiting.' },
  canceled_by_user: { outcome: 'canceled', meaning: 'The call was canceled while it was waiting.' },
} satisfies Record<string, EndedReasonText>

export interface WaitingForText {
  label: string
  meaning: string
  /** Further sentences for docs/reference/call-reasons.md, in Markdown. */
  details?: string
  /** The action that support can take, in Markdown. */
  action: string
}

/** The reasons why a queued call waits: a label for lists, and sentences. */
export const waitingForTexts = {
  schedule: {
    label: 'Scheduled time',
    meaning: 'The call is scheduled for a later time.',
    details: 'The time is in `scheduled_at`.',
    action: 'Nothing.',
  },
  calling_hours: {
    label: 'Calling hours',
    meaning: 'The current time is outside calling hours or the hours by law, or the day is closed.',
    details:
      "All of these apply in the contact's time zone. The call can be placed at `next_attempt_at`. You can't extend the hours by law.",
    action: "Wait, or extend the campaign's calling hours.",
  },
  frequency: {
    label: 'Called as often as allowed',
    meaning: 'This number was called as often as allowed.',
    details: 'Attempts in all campaigns count. The call can be placed at `next_attempt_at`.',
    action:
      'Wait, or allow more call attempts under **Settings → Who may be called**. If the campaign itself allows only one conversation per number in 24 hours, you can change this in the campaign.',
  },
  number_limit: {
    label: "Day's calls used up",
    meaning: "The day's calls from the campaign's phone number are used up.",
    details: "Calls from the number continue when the next day begins in the workspace's time zone.",
    action:
      'Wait, or allow more calls per day from each of your numbers under **Settings → Who may be called**.',
  },
  minutes_limit: {
    label: "Month's minutes used up",
    meaning: "Fewer than 30 of the month's minutes are free, and a call can take that long.",
    details:
      'Each call in progress reserves 30 minutes. The workspace can call again when a call in progress ends early, or when the next month begins in its time zone.',
    action: 'Wait, or allow more minutes under **Settings → Who may be called**.',
  },
  concurrency: {
    label: 'Other calls in progress',
    meaning:
      "The campaign has reached its maximum number of concurrent calls, or another call to the contact's number is in progress.",
    action: 'Wait. If the campaign has reached its maximum, you can also raise the maximum.',
  },
  campaign_paused: {
    label: 'Campaign paused',
    meaning: 'The campaign is paused.',
    details: 'Its `paused_reason` says why.',
    action: 'Resume the campaign under **Campaigns**.',
  },
  agent_not_live: {
    label: 'Agent not Live',
    meaning: "The campaign's agent isn't Live.",
    details: "It's a draft or paused.",
    action: 'Publish or resume the agent under **Agents**.',
  },
  number_not_active: {
    label: 'Phone number retired',
    meaning: "The campaign's phone number is retired.",
    action: 'Activate the number under **Phone numbers**.',
  },
  retry: {
    label: 'Retry delay',
    meaning: "The last attempt didn't succeed, so another one follows.",
    details: 'The next attempt is at `next_attempt_at`.',
    action: 'Nothing.',
  },
} satisfies Record<string, WaitingForText>

/** The text for a queued call that waits for none of the reasons in `waitingForTexts`. */
export const nextInLineText: WaitingForText = {
  label: 'Next in line',
  meaning: "The call is about to be placed, or the agent runtime can't be reached.",
  action:
    'Wait. If the call still waits after a minute, ask the operator whether the agent runtime is available.',
}

/** Lists values and their meanings as a Markdown list. */
const listValues = (values: Record<string, { meaning: string }>): string =>
  ['Values:\n', ...Object.entries(values).map(([value, { meaning }]) => `- \`${value}\`: ${meaning}`)].join(
    '\n',
  )

const originTexts = {
  api_key: { meaning: 'A program used an API key.' },
  app: { meaning: 'A connected app, such as Zapier, queued it.' },
  member: { meaning: 'A member of the workspace queued it in the dashboard.' },
  import: { meaning: 'It was imported from a CSV file.' },
  scheduled_callback: { meaning: 'The contact asked an agent to be called back.' },
  call_again: { meaning: 'A member clicked “Call again” on an earlier call.' },
}

/** Fields of a call, as the API returns it. */
export const callTexts = texts({
  id: { label: 'ID' },
  status: { label: 'Status' },
  outcome: { label: 'Outcome', api: 'How the call ended. Null until it is completed.' },
  ended_reason: {
    label: 'End reason',
    api: `Why the call ended, in more detail than \`outcome\`. ${listValues(endedReasonTexts)}`,
  },
  waiting_for: {
    label: 'Waiting for',
    api: `What a queued call is waiting for. Null if nothing delays it, or if it's no longer queued. ${listValues(waitingForTexts)}`,
  },
  next_attempt_at: { label: 'Next attempt at', api: 'The earliest time of the next attempt.' },
  test: { label: 'Test call', api: 'True if the call is simulated, so no phone rings.' },
  campaign_id: { label: 'Campaign ID' },
  campaign_name: { label: 'Campaign name', dashboard: 'Campaign' },
  agent_id: { label: 'Agent ID' },
  agent_name: { label: 'Agent name', dashboard: 'Agent' },
  agent_version: {
    label: 'Agent version',
    api: 'The version of the agent that called, or that called last. Null before the first attempt, and for old calls.',
  },
  contact: { label: 'Contact' },
  from_number: { label: 'From number' },
  to_number: { label: 'Number called', dashboard: 'Phone number' },
  attempts: { label: 'Attempts made' },
  origin: {
    label: 'Queued by',
    api: 'Who or what queued the call. Null for calls that were queued before this was stored.',
  },
  'origin.kind': {
    label: 'Queued by',
    api: `What queued the call. ${listValues(originTexts)}`,
  },
  'origin.id': {
    label: 'Queued by (ID)',
    api: 'The ID of the API key, app, member, or import. For `scheduled_callback`, the ID of the agent. For `call_again`, the ID of the member.',
  },
  'origin.call_id': {
    label: 'Earlier call ID',
    api: 'The earlier call of a `scheduled_callback` or `call_again`, otherwise null.',
  },
  url: {
    label: 'Dashboard URL',
    api: "The call's page in the dashboard. Only members of the workspace can open it.",
  },
  scheduled_at: { label: 'Earliest call time', api: 'The time that was requested for the call.' },
  queued_at: { label: 'Queued at' },
  answered_at: { label: 'Answered at' },
  ended_at: { label: 'Ended at' },
  duration_seconds: {
    label: 'Duration (in seconds)',
    dashboard: 'Duration',
    api: 'From the answer to the end of the call.',
  },
  summary: { label: 'Summary' },
  transcript: { label: 'Transcript turns' },
  'transcript.role': { label: 'Transcript turn speaker' },
  'transcript.text': { label: 'Transcript turn text' },
  'transcript.at': { label: 'Transcript turn time' },
  transcript_text: { label: 'Full transcript', api: 'The transcript as text, one line per turn.' },
  sentiment: { label: 'Sentiment' },
  opted_out: {
    label: 'Contact opted out',
    api: 'True if the contact asked in this call not to be called again. False for test calls, and for opt-outs that were made elsewhere.',
  },
  goal_met: { label: 'Goal met', api: 'True if the agent reached the goal of the call. Null if unknown.' },
  extracted: { label: 'Extracted values', api: 'Values extracted from the conversation.' },
  recording_url: { label: 'Recording URL' },
  metadata: { label: 'Metadata', api: 'The metadata that the call was queued with.' },
})

/** Fields of the response to `POST /contacts/`. */
export const contactAddedTexts = texts({
  contact: { label: 'Contact' },
  call: { label: 'Call', api: 'The queued call, or the call that was already waiting or in progress.' },
  contact_created: { label: 'New contact created', api: 'False if the contact existed and was updated.' },
  call_queued: {
    label: 'New call queued',
    api: 'False if a call was already waiting or in progress.',
  },
  warnings: {
    label: 'Warnings',
    api: "What was left out with `lenient`, variables that aren't among the agent's, and variables of the agent that its greeting uses without a fallback, but for which the contact has no value. Empty if there is nothing. Like the `details` of an error.",
  },
})

/** Fields of `POST /calls/cancel`: Cancel Waiting Calls in Zapier. */
export const cancelCallsTexts = texts({
  phone_number: {
    ...contactTexts.phone_number,
    api: 'Text with one or more numbers: E.164, or national. The calls to each are canceled. Send either this or `contact_id`.',
    zap: 'The calls to this number are canceled. Include the country code, for example `+12025550100`, or set **Country**.',
  },
  contact_id: {
    label: 'Contact ID',
    api: 'The ID of the contact. Send either this or `phone_number`.',
  },
  country: addContactTexts.country,
  campaign_id: {
    label: 'Campaign',
    api: 'Only calls in this campaign.',
    zap: 'Only cancel calls in this campaign. Leave blank for all campaigns.',
  },
})

/** Fields of the response to `POST /calls/cancel`. */
export const callsCanceledTexts = texts({
  canceled: {
    label: 'Canceled call IDs',
    api: 'The IDs of the calls that were canceled. Empty if none was waiting.',
  },
  phone_numbers: {
    label: 'All phone numbers',
    api: 'The numbers that were found. Waiting calls to them are canceled.',
  },
  url: {
    label: 'Dashboard URL',
    api: 'The calls to the first of the numbers in the dashboard. Only members of the workspace can open it.',
  },
})

/** Fields of `POST /do-not-call/`: Add to Do-Not-Call List in Zapier. */
export const addToDoNotCallListTexts = texts({
  phone_number: {
    ...contactTexts.phone_number,
    api: 'Text with one or more numbers: E.164, or national together with `country`. Each is added.',
    zap: addContactTexts.phone_number.zap,
  },
  country: addContactTexts.country,
  reason: {
    label: 'Reason',
    api: "Why the number must not be called, for your workspace's members. Erased with the contact.",
    zap: 'Why this person must not be called, for example `Booked an appointment`. Shown in Outdial.',
  },
})

/** Fields of the response to `POST /do-not-call/`. */
export const doNotCallEntryTexts = texts({
  phone_number: { ...contactTexts.phone_number, api: 'The first of the numbers that were added.' },
  phone_numbers: { label: 'All phone numbers', api: 'All numbers that were added.' },
  do_not_call: { label: contactTexts.do_not_call.label, api: 'Always true.' },
  url: {
    label: 'Dashboard URL',
    api: "The first number's entry in the dashboard. Only members of the workspace can open it.",
  },
})

/** Fields of a number on the do-not-call list, as `GET /do-not-call/` returns it. */
export const doNotCallNumberTexts = texts({
  phone_number: contactTexts.phone_number,
  added_at: { label: 'Added at' },
  reason: { label: 'Reason', api: 'Why the number must not be called. Null if no reason was given.' },
  source: {
    label: 'Source',
    api: 'Where the number was added: `api` (also by a connected app, such as Zapier), `dashboard` (also by an import), or `call` (the contact opted out in a call).',
  },
})

/** The meanings of the values of `consent_required`. */
export const consentRequiredTexts = {
  none: { label: 'No consent required' },
  any: { label: 'Any consent' },
  written: { label: 'Written consent' },
}

/** Fields of a campaign, as the API returns it. */
export const campaignTexts = texts({
  id: { label: 'ID' },
  name: { label: 'Name', form: 'For example “Website leads”.', zap: 'For example `Website leads`.' },
  status: { label: 'Status' },
  agent_id: { label: 'Agent ID', dashboard: 'Agent' },
  agent_name: { label: 'Agent name' },
  phone_number_id: { label: 'Phone number ID', dashboard: 'Phone number' },
  phone_number: { label: 'Phone number', api: 'The number that the agent calls from.' },
  time_zone: {
    label: 'Time zone',
    api: "IANA time zone, used for contacts whose own time zone is unknown. Defaults to the workspace's.",
    form: "Used when a contact's time zone is unknown.",
    zap: "Used when a contact's time zone is unknown. Defaults to your workspace's time zone.",
  },
  calling_hours: {
    label: 'Calling hours',
    api: "When contacts may be called, in the contact's time zone. Omitted parts default to the workspace's calling hours.",
  },
  'calling_hours.days': {
    label: 'Calling days',
    zap: "The days to call on. Defaults to your workspace's calling days.",
  },
  'calling_hours.start': {
    label: 'Calling hours start',
    api: 'HH:MM, 00:00 to 23:59.',
    form: "The earliest time to call, in the contact's time zone.",
    zap: "The earliest time to call, in the contact's time zone, for example `09:00`. Defaults to your workspace's calling hours.",
  },
  'calling_hours.end': {
    label: 'Calling hours end',
    api: 'HH:MM, up to 24:00. If it is before the start, calling hours end on the next day.',
    form: "The latest time to start a call, up to 24:00. If it's before the start, calling hours end on the next day.",
    zap: "The latest time to start a call, for example `17:00`, or `24:00` for midnight. If it's before **Calling Hours Start**, calling hours end on the next day. Defaults to your workspace's calling hours.",
  },
  max_concurrent_calls: {
    label: 'Maximum concurrent calls',
    api: 'From 1 to 100. Defaults to 5.',
    form: 'How many calls may be in progress at the same time, from 1 to 100.',
    zap: 'How many calls may be in progress at the same time, from 1 to 100. Defaults to 5.',
  },
  retry: { label: 'Retries', api: 'When and how often an unsuccessful call is retried.' },
  'retry.max_attempts': {
    label: 'Maximum attempts',
    api: 'Including the first attempt, from 1 to 10. Defaults to 3.',
    form: 'How many times to call each contact in total, from 1 to 10.',
    zap: 'How many times to call each contact in total, from 1 to 10. Defaults to 3.',
  },
  'retry.delay_minutes': {
    label: 'Minutes between attempts',
    api: 'From 1 to 1440. Defaults to 60.',
    form: 'From 1 to 1440 (one day).',
    zap: 'From 1 to 1440 (one day). Defaults to 60.',
  },
  'retry.on': {
    label: 'Outcomes to retry',
    api: 'Outcomes after which the contact is called again. Defaults to `no_answer` and `busy`.',
    form: 'Contacts are called again after these outcomes.',
    zap: 'Contacts are called again after these outcomes. Defaults to No Answer and Busy.',
  },
  consent_required: {
    label: 'Required consent',
    api: 'The consent without which a contact is not called: `none`, `any` kind, or `written`. Defaults to `none`. The workspace can require more.',
    form: "Contacts who haven't given it aren't called. The workspace can require more.",
    zap: "Contacts who haven't given it aren't called. Defaults to No Consent Required. Your workspace can require more.",
  },
  consent_max_age_days: {
    label: 'Maximum age of consent (in days)',
    api: 'Contacts whose consent is older are not called, from 1 to 3650. Null, the default, is any age. Applies if the campaign or the workspace requires consent.',
    form: 'From 1 to 3650. Leave blank for any age. Applies if consent is required.',
    zap: 'From 1 to 3650. Leave blank for any age. Applies if the campaign or your workspace requires consent.',
  },
  closed_on_federal_holidays: {
    label: 'Closed on federal holidays',
    api: "True places no calls on federal holidays of the United States, by the contact's local date. Defaults to false.",
    form: "Holidays of the United States, by the contact's local date.",
    zap: "Choose **Yes** to place no calls on federal holidays of the United States, by the contact's local date. Defaults to No.",
  },
  one_conversation_per_day: {
    label: 'One conversation per number in 24 hours',
    api: 'True waits 24 hours after each conversation with a number, in any campaign, before this campaign calls it. Defaults to false.',
    form: 'After a conversation with a number, in any campaign, this campaign waits 24 hours before it calls that number.',
    zap: 'Choose **Yes** to wait 24 hours after each conversation with a number, in any campaign, before this campaign calls it. Defaults to No.',
  },
  paused_reason: { label: 'Pause reason', api: "Why the campaign was paused. Null if it isn't paused." },
  opens_at: {
    label: 'Opens at',
    api: "When the campaign's calling hours next begin in its own time zone. Null while they're open. Contacts are called within calling hours in their own time zone.",
  },
  agent_variables: {
    label: 'Agent variables',
    api: "The names of the variables in the agent's script. Send their values in `variables` of each contact.",
  },
  url: {
    label: 'Dashboard URL',
    api: "The campaign's page in the dashboard. Only members of the workspace can open it.",
  },
  created_at: { label: 'Created at' },
})

/** Filters and order of `GET /campaigns/`. */
export const campaignQueryTexts = texts({
  status: {
    label: campaignTexts.status.label,
    api: 'Only campaigns with one of these statuses. By default, all campaigns.',
  },
  order: {
    label: 'Order',
    api: '`newest` returns the newest campaigns first. By default, the oldest are first.',
  },
})

/** Fields of `POST /campaigns/`: Create Campaign in Zapier, and the campaign form of the dashboard. */
export const createCampaignTexts = texts({
  ...campaignTexts,
  agent_id: {
    label: 'Agent',
    api: 'The ID of the agent that calls. It must be Live.',
    form: 'Only Live agents are listed.',
    zap: 'The voice agent that calls your contacts. Only Live agents are listed.',
  },
  phone_number_id: {
    label: 'Phone number',
    api: 'The ID of the phone number to call from. It must be active.',
    form: 'The number your contacts see when the agent calls.',
    zap: 'The number your contacts see when the agent calls.',
  },
})

/** Fields of an agent, as the API returns it, and of the agent form in the dashboard. */
export const agentTexts = texts({
  id: { label: 'ID' },
  name: { label: 'Name', form: 'The name the agent introduces itself with, for example “Ava”.' },
  language: { label: 'Language', api: 'BCP 47, for example en-US.' },
  variables: {
    label: 'Variables',
    api: "The names of the variables in the agent's script.",
    form: 'Names of the values that the agent needs for each contact, separated by commas. Enter the values on each contact, import them, or send them from a Zap.',
  },
  results: {
    label: 'Results',
    api: "What the agent finds out in its conversations. Each answered call has these values in `extracted`: null if the conversation doesn't say.",
    form: 'What the agent finds out in each conversation. Zaps get each result as a separate field.',
  },
})

/** Fields of a phone number that calls are placed from, as the API returns it. */
export const phoneNumberTexts = texts({
  id: { label: 'ID' },
  phone_number: {
    label: 'Phone number',
    form: 'Include the country code. While calls are simulated, you can use any valid number.',
  },
  label: {
    label: 'Label',
    form: 'The name shown in Outdial and in Zapier, for example “Sales, Washington”.',
  },
  country: { label: 'Country' },
})

/** Fields that only the response to `POST /campaigns/` has. */
export const campaignCreatedTexts = texts({
  warnings: {
    label: contactAddedTexts.warnings.label,
    api: 'Settings that the rules of the workspace leave no room for: calling hours outside the hours by law, and retries after the last call attempt that a number may have. Empty if there are none. Like the `details` of an error.',
  },
})

/** Fields of a webhook subscription, as the API returns it. */
export const subscriptionTexts = texts({
  id: { label: 'ID' },
  target_url: { label: 'URL', api: 'An https URL.' },
  event: { label: 'Event' },
  filter: {
    label: 'Filter',
    dashboard: 'Events',
    api: 'Which calls are sent; by default, all of them. Responses leave out `goal_met`, `opted_out`, and `test` if they select all calls.',
  },
  secret: {
    label: 'Signing secret',
    api: 'Verifies the signatures of deliveries. The key is the base64-decoded part after `whsec_`.',
  },
  created_at: { label: 'Created at' },
})

/** Settings of a workspace, some of which are defaults for contacts and campaigns. Only the dashboard shows them. */
export const workspaceTexts = texts({
  name: { label: 'Name' },
  country: { label: addContactTexts.country.label },
  time_zone: { label: campaignTexts.time_zone.label },
  calling_hours: { label: campaignTexts.calling_hours.label },
  calls_special_numbers: { label: 'Premium-rate and satellite numbers' },
  countries: {
    label: 'Countries',
    form: 'Names or two-letter codes, separated by commas, for example United States, Canada. Leave blank to call every country.',
  },
  consent_required: {
    label: campaignTexts.consent_required.label,
    form: "Contacts who haven't given it aren't called. Campaigns can require more, but not less.",
  },
  consent_max_age_days: {
    label: campaignTexts.consent_max_age_days.label,
    form: 'From 1 to 3650. Leave blank for any age. Campaigns can set a lower maximum.',
  },
  max_attempts_per_day: {
    label: 'Call attempts per number in 24 hours',
    form: 'Attempts of all campaigns count, answered or not. Further calls to the number wait.',
  },
  max_attempts_per_30_days: {
    label: 'Call attempts per number in 30 days',
    form: "A call that can't be placed within 7 days ends with the outcome “suppressed”.",
  },
  max_attempts_per_own_number: {
    label: 'Calls per day from each of your numbers',
    form: "Call attempts on a day in the workspace's time zone. Numbers that call much more than 150 times a day are often marked as spam. Leave blank for any number.",
  },
  max_minutes_per_month: {
    label: 'Minutes per month',
    form: "Minutes of conversation with contacts in a calendar month, in the workspace's time zone. A call in progress counts as 30 minutes until it ends, so with fewer than 30 minutes left, no call starts. Leave blank for any number.",
  },
  hours_by_law: { label: 'Hours by law' },
  closed_dates: {
    label: 'Closed days',
    form: "Days on which no calls are placed, by the contact's local date, for example 2026-12-25, 2027-01-01.",
  },
})

/** Filters of `GET /calls/`, of webhook subscriptions, and of Call Completed in Zapier. */
export const filterTexts = texts({
  campaign_id: {
    label: 'Campaign',
    api: 'Only calls in this campaign.',
    zap: 'Only trigger for calls in this campaign. Leave blank for all campaigns.',
  },
  agent_id: {
    label: 'Agent',
    api: 'Only calls made by this agent.',
    zap: 'Only trigger for calls made by this agent. Leave blank for all agents.',
  },
  outcome: {
    label: 'Outcomes',
    api: 'Only calls with one of these outcomes.',
    zap: 'Only trigger for these outcomes. Leave blank for all outcomes.',
  },
  contact_id: { label: 'Contact ID', api: 'Only calls to this contact.' },
  phone_number: {
    label: contactTexts.phone_number.label,
    api: "Only calls to this number: E.164, with `+` encoded as `%2B`, or a national number in the workspace's country.",
  },
  external_id: {
    label: contactTexts.external_id.label,
    api: 'Only calls to contacts that have this external ID now.',
  },
  goal_met: {
    label: callTexts.goal_met.label,
    api: 'Only calls whose `goal_met` has this value. By default, all calls.',
    zap: 'Only trigger for calls that met their goal, or that missed it. Leave blank for all calls.',
  },
  opted_out: {
    label: callTexts.opted_out.label,
    api: 'Only calls whose `opted_out` has this value. A webhook subscription accepts only true. By default, all calls.',
  },
  test: {
    label: 'Test calls',
    api: 'Whether test calls are selected: `include` (default), `exclude`, or `only` (and no real calls).',
  },
})

/** Fields of the Call Completed trigger in Zapier that the API has in another form. */
export const triggerTexts = texts({
  include_test_calls: {
    label: 'Include test calls',
    zap: 'Choose **Yes** to trigger for test calls as well. By default, only real calls trigger.',
  },
})

/** The fields that the steps in Zapier add to a call. */
export const flatCallTexts = texts({
  outcome_label: { label: 'Outcome in words' },
  reached: { label: 'Person answered' },
  recording: { label: 'Recording' },
  transcript_file: { label: 'Transcript file' },
})

/** The field that Cancel Waiting Calls in Zapier adds to the response. */
export const canceledCountText: FieldText = { label: 'Number of canceled calls' }

/** Fields of Find Call in Zapier. */
export const findCallTexts = texts({
  call: {
    label: 'Call',
    zap: 'The ID of a call, for example from an earlier step. If you enter one, the other fields are ignored.',
  },
  phone_number: {
    ...contactTexts.phone_number,
    zap: 'Enter this or **External Reference**. Include the country code, for example `+12025550100`, or set **Country**.',
  },
  country: addContactTexts.country,
  external_id: {
    label: 'External reference',
    zap: "Enter this or **Phone Number**. This person's record ID in your CRM or another app, as it was saved by **Queue Call**.",
  },
  campaign_id: { label: 'Campaign', zap: 'Only find calls in this campaign. Leave blank for all campaigns.' },
  include_test_calls: {
    label: 'Include test calls',
    zap: 'Choose **Yes** to find test calls as well. By default, only real calls are found, except while you test this step in the Zap editor.',
  },
})

/** Fields of Find Campaign in Zapier, except the name. */
export const findCampaignTexts = texts({
  partial_match: {
    label: 'Include partial matches',
    zap: 'Choose **Yes** to also find campaigns whose name contains the text. By default, only an exact name is found.',
  },
  include_archived: {
    label: 'Include archived',
    zap: "Choose **Yes** to also find archived campaigns. Leave blank in **Find or Create Campaign**, because an archived campaign doesn't take calls.",
  },
})

/** Fields of Find Do-Not-Call Number in Zapier. */
export const findDoNotCallNumberTexts = texts({
  phone_number: {
    ...contactTexts.phone_number,
    zap: 'Include the country code, for example `+12025550100`, or set **Country**. Nothing is found if the number is not on the do-not-call list.',
  },
  country: addContactTexts.country,
})

/** Days of the week, in order. */
export const weekdayLabels = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** How a person agreed to be called. */
export const consentKindLabels = {
  written: 'Written',
  oral: 'Oral',
}

/** Outcomes of a call. In lists of choices, `detail` follows the label. */
export const outcomeTexts = {
  answered: { label: 'Answered' },
  voicemail: { label: 'Voicemail' },
  no_answer: { label: 'No answer' },
  busy: { label: 'Busy' },
  declined: { label: 'Declined' },
  failed: { label: 'Failed', detail: 'technical error' },
  suppressed: { label: 'Suppressed', detail: 'number must not be called' },
  expired: { label: 'Expired', detail: 'not placed within 7 days' },
  canceled: { label: 'Canceled', detail: 'before it was placed' },
} satisfies Record<string, { label: string; detail?: string }>

/** Returns the text of an outcome in a list of choices: "Failed (technical error)". */
export function formatOutcomeChoice(outcome: keyof typeof outcomeTexts): string {
  const { label, detail }: { label: string; detail?: string } = outcomeTexts[outcome]
  return detail === undefined ? label : `${label} (${detail})`
}

/** The field of Queue Call that becomes the `Idempotency-Key` header. */
export const deduplicationKeyText = {
  label: 'Deduplication Key',
  helpText:
    "A unique value for this call, for example the form entry's ID. If this step runs again with the same value in this campaign within 24 hours, no second call is queued.",
}
