import { formatCount } from '../page/format.ts'
import type { FirstSteps, selectFailingSubscriptions } from './overview-queries.ts'

type FailingSubscription = Awaited<ReturnType<typeof selectFailingSubscriptions>>[number]

/** Something that needs somebody. */
export interface Notice {
  tone: 'bad' | 'warn' | 'mute'
  text: string
  path: string
  label: string
}

/** The gravest first: what is broken, what may break, what somebody stopped on purpose. */
export function buildNotices(found: {
  paused: readonly { id: number; name: string; paused_reason: string | null }[]
  failing: readonly FailingSubscription[]
  exhausted: number
  maxExhausted: number
}): Notice[] {
  const all = [
    ...found.paused.map(({ id, name, paused_reason }): Notice => {
      const path = `/campaigns/${id}`
      if (paused_reason === null) {
        return { tone: 'mute', text: `The campaign ${name} is paused.`, path, label: 'Open the campaign' }
      }
      return { tone: 'bad', text: `${name}: ${paused_reason}`, path, label: 'Open the campaign' }
    }),
    ...found.failing.map(subscriptionNotice),
    ...exhaustedNotice(found.exhausted, found.maxExhausted),
  ]
  return all.sort((one, other) => toneOrder.indexOf(one.tone) - toneOrder.indexOf(other.tone))
}

const toneOrder = ['bad', 'warn', 'mute']

function subscriptionNotice({ id, target_url, disabled_at }: FailingSubscription): Notice {
  const host = URL.canParse(target_url) ? new URL(target_url).host : target_url
  const path = `/integrations/webhooks/${id}`
  if (disabled_at !== null) {
    const text = `The webhook to ${host} failed for days and was disabled: it is told of no calls.`
    return { tone: 'bad', text, path, label: 'Open the webhook' }
  }
  const text = `The webhook to ${host} fails at the moment: its events are tried again.`
  return { tone: 'warn', text, path, label: 'Open the webhook' }
}

function exhaustedNotice(exhausted: number, max: number): Notice[] {
  if (exhausted === 0) return []
  const count = exhausted === max ? `${formatCount(max)} or more` : formatCount(exhausted)
  const text = exhausted === 1 ? '1 event could not be delivered.' : `${count} events could not be delivered.`
  return [{ tone: 'bad', text, path: '/integrations/webhooks', label: 'Look at the webhooks' }]
}

export interface FirstStep {
  isDone: boolean
  title: string
  why: string
  path: string
  label: string
}

/** What a new workspace needs for its first call, in order; none where all is there. */
export function listFirstSteps(steps: FirstSteps): FirstStep[] {
  if (Object.values(steps).every(Boolean)) return []
  return [
    {
      isDone: steps.number,
      title: 'Add a phone number',
      why: 'People see it ringing. On the simulated line any number will do.',
      path: '/phone-numbers/new',
      label: 'Add a number',
    },
    {
      isDone: steps.agent,
      title: 'Create an agent and make it live',
      why: 'It talks to your contacts: give it a name and a greeting, then publish it.',
      path: '/agents',
      label: 'Go to the agents',
    },
    {
      isDone: steps.campaign,
      title: 'Create a campaign',
      why: 'It says who calls from which number, at which hours, and how often.',
      path: '/campaigns/new',
      label: 'Create a campaign',
    },
    {
      isDone: steps.contact,
      title: 'Add a contact, and call them',
      why: 'The call is queued at once, and you can watch it here.',
      path: '/contacts/new',
      label: 'Add a contact',
    },
    {
      isDone: steps.connection,
      title: 'Connect Zapier',
      why: 'From then on forms, spreadsheets and your CRM add the contacts by themselves.',
      path: '/integrations',
      label: 'Connect Zapier',
    },
  ]
}
