import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { findDelivery, selectTries } from './webhook-queries.ts'
import { plainHeaders } from '../../webhooks/deliver.ts'
import { replayDeliveries } from '../../webhooks/replay.ts'
import { act, none, show } from '../page/page-route.ts'
import { deliverySign, type Sign } from '../page/badges.ts'
import { done, template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { millisecondsInWords } from './in-words.ts'
import { replayedInWords } from './webhook-actions.ts'

interface ShownTry {
  number: number
  at: Date
  sign: Sign
  error: string
  duration: string
}

interface DeliveryData {
  delivery: {
    id: number
    name: string
    subscriptionId: number | null
    callId: number | null
    targetUrl: string
    sign: Sign
    createdAt: Date
    finishedAt: Date | null
    nextTryAt: Date | null
    canReplay: boolean
    isDisabled: boolean
    body: string
  }
  tries: ShownTry[]
  headers: string
}

const page = template<DeliveryData>('dashboard/integrations/delivery-page')

export const deliveryPage = (deps: Deps) =>
  show({
    path: '/integrations/deliveries/:id',
    query: none,
    show: async ({ workspace, id }) => {
      const row = await findDelivery(deps.db, workspace.id, id)
      if (row === undefined) throw notFound('There is no such delivery.')
      const tries = await selectTries(deps.db, workspace.id, id)
      const isDisabled = row.disabled_at !== null
      return page('Delivery', {
        delivery: {
          id: row.id,
          name: row.call_id === null ? 'Test event' : `Event of call ${row.call_id}`,
          subscriptionId: row.subscription_id,
          callId: row.call_id,
          targetUrl: row.target_url,
          sign: deliverySign(row.status, tries.length),
          createdAt: row.created_at,
          finishedAt: row.finished_at,
          nextTryAt: row.next_try_at,
          canReplay: row.status === 'dead' && !isDisabled,
          isDisabled,
          body: pretty(row.body),
        },
        tries: tries.map((one) => ({
          number: one.number,
          at: one.at,
          sign: signOfStatus(one.status_code),
          error: one.error ?? '',
          duration: millisecondsInWords(one.duration_ms),
        })),
        headers: headersInText(row.event_id, tries[0]?.at ?? null),
      })
    },
  })

export const replayOne = () =>
  act({
    path: '/integrations/deliveries/:id/replay',
    form: none,
    act: async (own, visit) => {
      if (!(await findDelivery(own.db, visit.workspace.id, visit.id)))
        throw notFound('There is no such delivery.')
      const count = await replayDeliveries(own)(visit.workspace.id, { deliveryId: visit.id })
      return done(deliveryPath(visit), replayedInWords(count))
    },
    back: (visit) => deliveryPath(visit),
  })

const deliveryPath = (visit: Visit) => pathTo(visit, `/integrations/deliveries/${visit.id}`)

function signOfStatus(status: number | null): Sign {
  if (status === null) return { tone: 'bad', text: 'No answer' }
  return { tone: status >= 200 && status < 300 ? 'good' : 'bad', text: `HTTP ${status}` }
}

/** As they were sent with the last try. The signature is left out: who has it could send the body once more. */
function headersInText(eventId: string, triedAt: Date | null): string {
  const headers: Record<string, string> = { ...plainHeaders, 'webhook-id': eventId }
  if (triedAt !== null) headers['webhook-timestamp'] = String(Math.floor(triedAt.getTime() / 1000))
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Bodies are sent as one line; people read them folded out. */
function pretty(body: string): string {
  const value: unknown = JSON.parse(body)
  return JSON.stringify(value, null, 2)
}
