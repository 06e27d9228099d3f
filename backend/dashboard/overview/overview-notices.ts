import type { ShorterRetention } from '../../privacy/change-retention.ts'
import { formatCount, formatPlural } from '../../views/format.ts'
import type { FirstSteps, selectFailingSubscriptions } from './overview-queries.ts'

type FailingSubscription = Awaited<ReturnType<typeof selectFailingSubscriptions>>[number]

/** Something that needs attention. */
export interface Notice {
  tone: 'bad' | 'warn' | 'mute'
  text: string
  path: string
  label: string
}

/** Returns notices, most severe first: broken, failing, then paused on purpose. */
export function buildNotices(found: {
  paused: readonly { id: number; name: string; paused_reason: string | null }[]
  failing: readonly FailingSubscription[]
  exhausted: number
  maxExhausted: number
  pendingRetention: ShorterRetention | null
  formatTime: (at: Date) => string
}): Notice[] {
  const all = [
    ...found.paused.map(({ id, name, paused_reason }): Notice => {
      const path = `/campaigns/${id}`
      if (paused_reason === null) {
        return { tone: 'mute', text: `Campaign “${name}” is paused.`, path, label: 'Open campaign' }
      }
      return { tone: 'bad', text: `${name}: ${paused_reason}`, path, label: 'Open campaign' }
    }),
    ...found.failing.map(subscriptionNotice),
    ...exhaustedNotice(found.exhausted, found.maxExhausted),
    ...retentionNotice(found.pendingRetention, found.formatTime),
  ]
  return all.sort((one, other) => toneOrder.indexOf(one.tone) - toneOrder.indexOf(other.tone))
}

const toneOrder = ['bad', 'warn', 'mute']

function subscriptionNotice({ id, target_url, disabled_at }: FailingSubscription): Notice {
  const host = URL.canParse(target_url) ? new URL(target_url).host : target_url
  const path = `/integrations/webhooks/${id}`
  if (disabled_at !== null) {
    const text = `The webhook subscription for ${host} was disabled after 5 days of failed deliveries. It no longer receives events.`
    return { tone: 'bad', text, path, label: 'Open subscription' }
  }
  const text = `Webhook deliveries to ${host} are failing. Outdial is retrying them.`
  return { tone: 'warn', text, path, label: 'Open subscription' }
}

function exhaustedNotice(exhausted: number, max: number): Notice[] {
  if (exhausted === 0) return []
  const count = exhausted === max ? `${formatCount(max)} or more` : formatCount(exhausted)
  const text =
    exhausted === 1
      ? '1 webhook delivery failed. No retries are left.'
      : `${count} webhook deliveries failed. No retries are left.`
  return [{ tone: 'bad', text, path: '/integrations/webhooks', label: 'Open webhooks' }]
}

function retentionNotice(pending: ShorterRetention | null, formatTime: (at: Date) => string): Notice[] {
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
export function listFirstSteps(steps: FirstSteps): FirstStep[] {
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
      why: 'A campaign sets which agent makes the calls, from which number, and when.',
      path: '/campaigns/new',
      label: 'Create campaign',
    },
    {
      isDone: steps.contact,
      title: 'Add a contact and call them',
      why: 'The call is queued right away, and you can watch it here.',
      path: '/contacts/new',
      label: 'Add contact',
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
