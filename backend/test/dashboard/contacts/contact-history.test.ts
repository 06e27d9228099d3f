import { expect, it } from '@jest/globals'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { updateContact } from '../../../queue/contacts/update-contact.ts'
import { seedCall } from '../../support/calls.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

it('shows who changed which field of a contact, and deletes the values when the contact is erased', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { workspaceId, agentId } = user.seed
  const number = freshNumber()
  const { id, contact } = await seedCall(deps, user.seed, number, { variables: { roof: 'tin' } })
  const agent = { kind: 'agent', id: agentId, call_id: id } as const
  const fields = { last_name: 'Okafor', variables: { roof: 'slate' } }
  await updateContact(deps, workspaceId, contact.id, fields, agent)
  const edit = await user.open(`/contacts/${contact.id}/edit`)
  await user.browser.press(edit, 'Save', { first_name: 'Mia' })

  const { text } = await user.open(`/contacts/${contact.id}`)
  const history = text.slice(text.indexOf('History'))
  expect(history).toMatch(
    /Updated By Robin.*First name: Maya → Mia.*Updated By the agent Ava during call \d.*Last name: – → Okafor.*roof: tin → slate.*Created By/,
  )

  const consent = { 'consent.source': 'Form', 'consent.at': '2026-05-01', 'consent.kind': 'written' }
  await user.browser.press(await user.open(`/contacts/${contact.id}/edit`), 'Save', consent)
  await user.browser.press(await user.open(`/contacts/${contact.id}/edit`), 'Save', {
    'consent.kind': 'oral',
  })
  const { text: changed } = await user.open(`/contacts/${contact.id}`)
  expect(changed.slice(changed.indexOf('History'))).toMatch(
    /^History Updated By [^:]*Consent kind: Written → Oral [^→]*Updated By .*Consent source: – → Form Consent kind: – → Written/,
  )

  await eraseContact(deps, workspaceId, contact.id)
  const { db } = world.database
  const values = db.selectFrom('contact_change_values').select('change_id')
  expect(await values.where('contact_id', '=', contact.id).execute()).toEqual([])
  const log = db.selectFrom('contact_change').select(['kind', 'fields']).orderBy('id')
  expect(await log.where('contact_id', '=', contact.id).execute()).toEqual([
    { kind: 'created', fields: [] },
    { kind: 'updated', fields: ['last_name', 'variables'] },
    { kind: 'updated', fields: ['first_name'] },
    { kind: 'updated', fields: ['consent_source', 'consent_at', 'consent_kind'] },
    { kind: 'updated', fields: ['consent_kind'] },
  ])
})
