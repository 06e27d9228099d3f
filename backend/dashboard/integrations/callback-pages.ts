import type { Deps } from '../../deps.ts'
import { countCallbacks } from '../../webhooks/list-store.ts'
import { replayDeliveries } from '../../webhooks/replay.ts'
import { findWorkspaceSecret } from '../../webhooks/signing-secret-store.ts'
import { revealWorkspaceSecret, rotateWorkspaceSecret } from '../../webhooks/workspace-secret.ts'
import { act, form, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner, type Visit } from '../visit.ts'
import { DeliveryQuery, type DeliveryTable, readDeliveries } from './delivery-rows.ts'
import { secretPage } from './secret-page.ts'
import { replayedInWords } from './webhook-actions.ts'

interface CallbacksData {
  pending: number
  dead: number
  previousSecretUntil: Date | null
  table: DeliveryTable
}

const path = '/integrations/callbacks'
const page = template<CallbacksData>('dashboard/integrations/callbacks-page')
const back = { path, label: 'Callback URLs' }
const backTo = (visit: Visit) => pathTo(visit, path)

export const callbacksPage = (deps: Deps) =>
  show({
    path,
    query: DeliveryQuery,
    show: async (visit) => {
      const { pending, dead } = await countCallbacks(deps.db, visit.workspace.id)
      const { previousUntil } = await findWorkspaceSecret(deps.db, visit.workspace.id)
      const signsToo = previousUntil !== null && previousUntil > deps.clock.now()
      return page('Callback URLs', {
        pending,
        dead,
        previousSecretUntil: signsToo ? previousUntil : null,
        table: await readDeliveries(deps, visit, { subscriptionId: null, path, showTarget: true }),
      })
    },
  })

export const replayCallbacks = () =>
  act({
    path: `${path}/replay`,
    form: none,
    act: async (own, visit) => {
      const count = await replayDeliveries(own)(visit.workspace.id, { subscriptionId: null })
      return done(backTo(visit), replayedInWords(count))
    },
    back: backTo,
  })

const secretForm = template<{ what: 'reveal' | 'rotate' }>('dashboard/integrations/signing-secret-page')

export const revealSecret = () =>
  form({
    path: `${path}/reveal-secret`,
    query: none,
    form: none,
    isOnce: false,
    show: async (visit) => {
      requireOwner(visit)
      return secretForm('Show the signing secret', { what: 'reveal' })
    },
    submit: async (own, visit) => {
      requireOwner(visit)
      const { secret } = await revealWorkspaceSecret(own)(visit.workspace.id)
      return secretPage('The signing secret', {
        heading: 'The signing secret',
        lead: 'Whoever knows it can forge deliveries to your callback URLs. Keep it like a password.',
        label: 'Signing secret',
        secret,
        notes: ['It signs what is sent to callback URLs. Each subscription has a secret of its own.'],
        back,
      })
    },
  })

export const rotateOwnSecret = () =>
  form({
    path: `${path}/rotate-secret`,
    query: none,
    form: none,
    show: async (visit) => {
      requireOwner(visit)
      return secretForm('Rotate the signing secret', { what: 'rotate' })
    },
    submit: async (own, visit) => {
      requireOwner(visit)
      const { secret } = await rotateWorkspaceSecret(own)(visit.workspace.id)
      return secretPage('The new signing secret', {
        heading: 'The signing secret was rotated',
        lead: 'Give it to those who receive your callbacks.',
        label: 'Signing secret',
        secret,
        notes: ['For 24 hours every callback is signed with the old one as well.'],
        back,
      })
    },
  })
