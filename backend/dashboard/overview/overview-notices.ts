import type { TokenUse } from '../../calling/chats/token-usage.ts'
import { formatCount, formatPlural, type TimeFormats } from '../../platform/views/format.ts'
import type { ShorterRetention } from '../../privacy/change-retention.ts'
import { describePlaceholderIssues } from '../../queue/calls/greeting.ts'
import type { CallRules } from '../../queue/rules/call-rules.ts'
import { formatWebhookFilter } from '../integrations/subscription-texts.ts'
import type { LimitStop } from '../stories/limit-stops.ts'
import {
  type FirstSteps,
  type InactiveWithCalls,
  maxFailing,
  type selectFailingSubscriptions,
} from './overview-queries.ts'

type FailingSubscription = Awaited<ReturnType<typeof selectFailingSubscriptions>>[number]

interface Agent {
  id: number
  name: string
  greeting: string
  variables: string[]
}

interface PausedCampaign {
  id: number
  name: string
  paused_reason: string | null
}

/** Something that needs attention. */
export interface Notice {
  tone: 'bad' | 'warn' | 'mute'
  text: string
  path: string
  label: string
}

/** Returns a notice for each cause, most severe first: broken, failing, then paused on purpose. */
export function buildNotices(found: {
  paused: readonly PausedCampaign[]
  inactive: readonly InactiveWithCalls[]
  failing: readonly FailingSubscription[]
  exhausted: number
  maxExhausted: number
  pendingRetention: ShorterRetention | null
  /** True if calls are real, but the rules for calls were never set. */
  lacksRules: boolean
  /** Campaigns that only a limit stops, each with the sentence to show. */
  stops: readonly (LimitStop & { text: string })[]
  /** Live agents with braces in their greetings. */
  agents: readonly Agent[]
  /** Today's tokens. Undefined without a limit, and for members who aren't owners. */
  tokenUse: TokenUse | undefined
  timeFormats: Pick<TimeFormats, 'time' | 'timePhrase'>
}): Notice[] {
  const all = [
    ...[...Map.groupBy(found.paused, ({ paused_reason: reason }) => reason)].map(([reason, paused]) =>
      pausedNotice(reason, paused),
    ),
    ...greetingNotice(found.agents),
    ...found.inactive.map(inactiveNotice),
    ...stopNotices(found.stops),
    ...failingNotices(found.failing),
    ...exhaustedNotice(found.exhausted, found.maxExhausted),
    ...tokenNotice(found.tokenUse, found.timeFormats),
    ...retentionNotice(found.pendingRetention, found.timeFormats),
    ...(found.lacksRules ? [rulesNotice] : []),
  ]
  return all.sort((one, other) => toneOrder.indexOf(one.tone) - toneOrder.indexOf(other.tone))
}

const rulesNotice: Notice = {
  tone: 'warn',
  text: 'Set who may be called. Until then, only the do-not-call list, the types of numbers, and the settings of each campaign limit calls.',
  path: '/settings/rules',
  label: 'Open rules',
}

/** Returns one notice for the campaigns that the same limit stops until the same time. */
const stopNotices = (stops: readonly (LimitStop & { text: string })[]): Notice[] =>
  [...Map.groupBy(stops, ({ text }) => text)].map(([text, stopped]) => ({
    tone: 'warn',
    text: `${listNames(stopped.map(({ campaign }) => `“${campaign}”`))}: ${text}`,
    path: '/settings/rules',
    label: 'Open rules',
  }))

const toneOrder = ['bad', 'warn', 'mute']

/** Returns one notice for campaigns that were paused for the same reason. The reason is null if a person paused them. */
function pausedNotice(reason: string | null, paused: readonly PausedCampaign[]): Notice {
  const [first] = paused
  const names = listNames(paused.map(({ name }) => `“${name}”`))
  const isOne = paused.length === 1
  const link =
    isOne && first !== undefined
      ? { path: `/campaigns/${first.id}`, label: 'Open campaign' }
      : { path: '/campaigns?status=paused', label: 'Open campaigns' }
  if (reason !== null) return { tone: 'bad', text: `${isOne ? first?.name : names}: ${reason}`, ...link }
  const text = isOne ? `Campaign ${names} is paused.` : `${paused.length} campaigns are paused: ${names}.`
  return { tone: 'mute', text, ...link }
}

/** Returns one notice for the Live agents whose greetings have placeholders that can't be filled. */
function greetingNotice(agents: readonly Agent[]): Notice[] {
  const bad = agents.flatMap(({ greeting, variables, ...agent }) => {
    const issue = describePlaceholderIssues(greeting, variables)
    return issue === null ? [] : [{ ...agent, issue }]
  })
  const [first] = bad
  if (first === undefined) return []
  const names = listNames(bad.map(({ name }) => `“${name}”`))
  if (bad.length === 1) {
    const text = `The greeting of agent ${names} has to be corrected. ${first.issue}`
    return [{ tone: 'warn', text, path: `/agents/${first.id}`, label: 'Open agent' }]
  }
  const text = `The greetings of ${bad.length} agents have placeholders that can't be filled: ${names}.`
  return [{ tone: 'warn', text, path: '/agents', label: 'Open agents' }]
}

function inactiveNotice({ kind, id, name, status }: InactiveWithCalls): Notice {
  if (kind === 'number') {
    const text = `The phone number “${name}” is retired, and calls are waiting for it.`
    return { tone: 'warn', text, path: '/phone-numbers', label: 'Open phone numbers' }
  }
  const state = status === 'paused' ? 'is paused' : "isn't Live"
  const text = `The agent “${name}” ${state}, and calls are waiting for it.`
  return { tone: 'warn', text, path: `/agents/${id}`, label: 'Open agent' }
}

function failingNotices(failing: readonly FailingSubscription[]): Notice[] {
  const [disabled, retried] = [true, false].map((isDisabled) =>
    failing.filter(({ disabled_at: at }) => (at !== null) === isDisabled),
  )
  return [
    ...subscriptionNotice('bad', disabled, {
      one: ['was disabled after 5 days of failed deliveries', 'It no longer receives events.'],
      many: ['were disabled after 5 days of failed deliveries', 'They no longer receive events.'],
    }),
    ...subscriptionNotice('warn', retried, {
      one: ['is failing', 'Outdial is retrying its deliveries.'],
      many: ['are failing', 'Outdial is retrying their deliveries.'],
    }),
  ]
}

const maxNames = 3

/** Returns "A, B, C, and 5 more". */
function listNames(names: readonly string[]): string {
  const more = names.length - maxNames
  return andFormat.format([...names.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : [])])
}

function subscriptionNotice(
  tone: Notice['tone'],
  found: readonly FailingSubscription[] = [],
  texts: Record<'one' | 'many', [what: string, next: string]>,
): Notice[] {
  const [first] = found
  if (first === undefined) return []
  const names = listNames(found.map(nameSubscription))
  if (found.length === 1) {
    const [what, next] = texts.one
    const text = `A webhook ${what}: ${names}. ${next}`
    return [{ tone, text, path: `/integrations/webhooks/${first.id}`, label: 'Open subscription' }]
  }
  const [what, next] = texts.many
  const count = found.length === maxFailing ? `${maxFailing} or more` : String(found.length)
  const text = `${count} webhooks ${what}: ${names}. ${next}`
  return [{ tone, text, path: '/integrations/webhooks', label: 'Open webhooks' }]
}

/** Returns "Zapier at hooks.zapier.com (All completed calls)". Includes the filter, because all Zaps have the same host. */
function nameSubscription(subscription: FailingSubscription): string {
  const { target_url: target, app, key_name: keyName } = subscription
  const host = URL.canParse(target) ? new URL(target).host : target
  return `${app ?? `API key “${keyName ?? ''}”`} at ${host} (${formatWebhookFilter(subscription)})`
}

const andFormat = new Intl.ListFormat('en-US')

function exhaustedNotice(exhausted: number, max: number): Notice[] {
  if (exhausted === 0) return []
  const count = exhausted === max ? `${formatCount(max)} or more` : formatCount(exhausted)
  const text =
    exhausted === 1
      ? '1 webhook delivery failed. No retries are left.'
      : `${count} webhook deliveries failed. No retries are left.`
  return [{ tone: 'bad', text, path: '/integrations/webhooks', label: 'Open webhooks' }]
}

function tokenNotice(use: TokenUse | undefined, { timePhrase }: Pick<TimeFormats, 'timePhrase'>): Notice[] {
  if (use?.isNearLimit !== true) return []
  const limit = `today's ${formatCount(use.limit)} tokens`
  const share = Math.floor((100 * use.tokens) / use.limit)
  const text =
    share < 100
      ? `Chats with agents have used ${share}% of ${limit}. When all are used, no new chat can start until the next day begins ${timePhrase(use.endsAt)}.`
      : `Chats with agents have used ${limit}. New chats can start ${timePhrase(use.endsAt)}.`
  return [{ tone: 'warn', text, path: '/agents', label: 'Open agents' }]
}

function retentionNotice(
  pending: ShorterRetention | null,
  { time: formatTime }: Pick<TimeFormats, 'time'>,
): Notice[] {
  if (pending === null) return []
  const [time, age] = [formatTime(pending.at), formatPlural(pending.days, 'day')]
  const calls = formatPlural(pending.callCount, 'call')
  const text = `From ${time}, conversations older than ${age} are erased (${calls} now).`
  return [{ tone: 'warn', text, path: '/settings', label: 'Open settings' }]
}

export interface FirstStep {
  isDone: boolean
  title: string
  why: string
  path: string
  label: string
}

/** Lists the steps to a workspace's first call, in order. Returns none if all of them are done. */
export function listFirstSteps(
  steps: FirstSteps,
  rules: Pick<CallRules, 'hoursByLaw' | 'maxAttemptsPerDay'>,
): FirstStep[] {
  if (Object.values(steps).every(Boolean)) return []
  return [
    {
      isDone: steps.number,
      title: 'Add a phone number',
      why: 'Your contacts see this number when the agent calls. While calls are simulated, you can use any valid number.',
      path: '/phone-numbers/new',
      label: 'Add phone number',
    },
    {
      isDone: steps.agent,
      title: 'Create and publish an agent',
      why: 'Give the agent a name and a greeting, then publish it.',
      path: '/agents',
      label: 'Go to agents',
    },
    {
      isDone: steps.campaign,
      title: 'Create a campaign',
      why: `A campaign sets which agent makes the calls, from which number, and when. ${describeRules(rules)}`,
      path: '/campaigns/new',
      label: 'Create campaign',
    },
    {
      isDone: steps.call,
      title: 'Simulate a call',
      why:
        "Enter any phone number. No phone rings, and calling hours don't apply. This step is done when the call is completed. " +
        'With a number that ends in 0100, that takes about a minute, or a few seconds in a trial. ' +
        "If a call isn't answered, Outdial may retry it first.",
      path: '/calls/simulate',
      label: 'Simulate a call',
    },
    {
      isDone: steps.connection,
      title: 'Connect Zapier',
      why: 'Add and call contacts automatically from forms, spreadsheets, and your CRM.',
      path: '/integrations',
      label: 'Connect Zapier',
    },
  ]
}

/** Says which of the rules that a new workspace starts with are on. */
function describeRules({
  hoursByLaw,
  maxAttemptsPerDay: max,
}: Pick<CallRules, 'hoursByLaw' | 'maxAttemptsPerDay'>): string {
  const limits = [
    ...(max === null ? [] : [`a number has at most ${formatPlural(max, 'call attempt')} in 24 hours`]),
    ...(hoursByLaw ? ['numbers in the United States are only called in the hours by law'] : []),
  ].join(', and ')
  if (limits === '')
    return 'An owner decides under Settings → Who may be called how often and when numbers are called.'
  return `By the rules of this workspace, ${limits}. An owner can change that under Settings → Who may be called.`
}
