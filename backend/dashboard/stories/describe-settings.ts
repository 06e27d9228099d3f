import { consentKindLabels } from '@outdial/contract'
import type { AllowedBy, CallSettings, DialedWith } from '../../platform/db/tables/call-tables.ts'
import {
  formatCallingHours,
  formatDate,
  formatPlural,
  formatRetryPolicy,
  languageName,
} from '../../platform/views/format.ts'
import { labels } from '../../platform/views/labels.ts'
import { describeMissing, findMissingNames } from '../../queue/calls/greeting.ts'

interface Fact {
  label: string
  value: string
}

type Settings = Partial<CallSettings>

const zoneSources: Record<CallSettings['time_zone_source'], string> = {
  contact: 'from the contact',
  number: 'from the phone number',
  campaign: 'from the campaign',
}

/** How each setting is shown, in this order. A setting that was erased or isn't set is omitted. */
const formats: {
  [Name in keyof CallSettings]: {
    label: string
    format: (value: NonNullable<CallSettings[Name]>, settings: Settings, timeZone: string) => string
  }
} = {
  campaign_name: { label: labels.call.campaign_name, format: String },
  calling_hours: { label: labels.campaign.calling_hours, format: formatCallingHours },
  time_zones: {
    label: labels.contact.time_zone,
    format: (zones, { time_zone_source: source }) => formatZones(zones, source),
  },
  // Shown together with the time zones, so it has no label.
  time_zone_source: { label: '', format: () => '' },
  campaign_time_zone: { label: 'Campaign time zone', format: String },
  retry: { label: labels.campaign.retry, format: formatRetryPolicy },
  max_concurrent_calls: { label: labels.campaign.max_concurrent_calls, format: String },
  agent_name: { label: labels.call.agent_name, format: String },
  language: { label: labels.agent.language, format: languageName },
  greeting: { label: 'Greeting', format: String },
  first_name: { label: labels.contact.first_name, format: String },
  last_name: { label: labels.contact.last_name, format: String },
  variables: {
    label: labels.contact.variables,
    format: (variables) =>
      Object.entries(variables)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
  },
  consent_source: { label: labels.contact['consent.source'], format: String },
  consent_at: {
    label: labels.contact['consent.at'],
    format: (at, _settings, timeZone) => formatDate('full', new Date(at), timeZone),
  },
  consent_kind: { label: labels.contact['consent.kind'], format: (kind) => consentKindLabels[kind] },
}

/** Returns the settings that were in effect when a call was queued. Empty for old calls, whose settings weren't stored. */
export const describeSettings = (settings: Settings | null, timeZone: string): Fact[] =>
  Object.keys(formats)
    .map((name) => describeSetting(settings ?? {}, name as keyof CallSettings, timeZone))
    .filter(({ value }) => value !== '')

function describeSetting<Name extends keyof CallSettings>(
  settings: Settings,
  name: Name,
  timeZone: string,
): Fact {
  const { label, format } = formats[name]
  const value = settings[name] ?? null
  return { label, value: value === null ? '' : format(value, settings, timeZone) }
}

/**
 * Returns the contact's local time when an attempt was dialed, why the rules allowed it, and which settings had changed since
 * the call was queued. Empty for old attempts, for which none of this was stored.
 *
 * @param timeZone of the workspace
 */
export function describeDialing(
  attempt: { started_at: Date; dialed_with: DialedWith | null },
  queuedWith: Settings | null,
  timeZone: string,
): string {
  const { local_times: localTimes, allowed, ...changed }: Partial<DialedWith> = attempt.dialed_with ?? {}
  const source = changed.time_zone_source ?? queuedWith?.time_zone_source
  const times = Object.keys(localTimes ?? {}).map(
    (zone) =>
      `${formatDate('minutes', attempt.started_at, zone)} local time (${formatZones([zone], source)})`,
  )
  return [
    times.length > 0 ? `Dialed at ${times.join(' and ')}.` : '',
    allowed === undefined ? '' : describeAllowed(allowed),
    describeSettingChanges(changed, queuedWith, timeZone),
  ]
    .filter(Boolean)
    .join(' ')
}

function describeAllowed({ consent, attempts, state, exempt }: AllowedBy): string {
  const facts = [
    consent === undefined ? 'no consent stored' : consentFacts[consent],
    `${attempts === 0 ? 'no call attempt' : formatPlural(attempts, 'call attempt')} in the 24 hours before`,
    ...(state === undefined ? [] : [`an area code of ${state}`]),
    ...(exempt === undefined ? [] : [exemptFacts[exempt]]),
  ]
  return `The rules allowed the call: ${facts.join(', ')}.`
}

const exemptFacts = { member: 'confirmed by a member', contact: 'asked for by the contact' }

const consentFacts = { written: 'written consent', oral: 'oral consent', any: 'consent' }

/**
 * Says which names in the greeting had no value in the last attempt that was answered. Null if all of them had one, or if that
 * isn't known: it wasn't stored for old calls, and is deleted if the contact is erased.
 */
export function describeMissingInGreeting(
  attempts: readonly { answered_at: Date | null; dialed_with: DialedWith | null }[],
  queuedWith: Settings | null,
): string | null {
  const attempt = attempts.findLast(({ answered_at: at }) => at !== null)
  if (attempt === undefined || attempt.dialed_with === null || queuedWith === null) return null
  const { greeting, first_name, last_name, variables } = { ...queuedWith, ...attempt.dialed_with }
  if (
    greeting === undefined ||
    first_name === undefined ||
    last_name === undefined ||
    variables === undefined
  )
    return null
  return describeMissing(findMissingNames(greeting, { first_name, last_name, variables }), 'had')
}

/** Maximum length of a shown value. Longer ones are cut. */
const maxValueLength = 120

/**
 * Returns the old and the new value of settings that changed after a call was queued. Empty if none did, or for old calls,
 * whose settings weren't stored.
 *
 * @param timeZone of the workspace
 */
export function describeSettingChanges(
  changed: Settings,
  queuedWith: Settings | null,
  timeZone: string,
): string {
  if (queuedWith === null) return ''
  const after = { ...queuedWith, ...changed }
  const changes = (Object.keys(formats) as (keyof CallSettings)[])
    .filter((name) => name in changed || (name === 'time_zones' && 'time_zone_source' in changed))
    .flatMap((name) => {
      const [before, now] = [queuedWith, after].map((each) => describeSetting(each, name, timeZone))
      // Omits values that only look different, such as a consent date without milliseconds, and values that were erased.
      if (now === undefined || now.label === '' || before?.value === now.value) return []
      return [`${now.label} from ${quote(before?.value)} to ${quote(now.value)}`]
    })
  return changes.length === 0 ? '' : `Changed since the call was queued: ${changes.join('; ')}.`
}

function quote(value = ''): string {
  if (value === '') return 'blank'
  const text = Array.from(value)
  return `“${text.length > maxValueLength ? `${text.slice(0, maxValueLength).join('')}…` : value}”`
}

const formatZones = (
  zones: readonly string[],
  source: CallSettings['time_zone_source'] | undefined,
): string => [zones.join(' and '), ...(source === undefined ? [] : [zoneSources[source]])].join(', ')
