import { expect, it } from '@jest/globals'
import { joinChanges, toRestorableValues } from '../../../queue/contacts/import/restorable-values.ts'

const bob = { oldValues: { first_name: 'Original' }, newValues: { first_name: 'Bob' } }

it('the undo of an import restores the value that a field had before the first row that changed it', () => {
  const robert = {
    oldValues: { first_name: 'Bob', email: null },
    newValues: { first_name: 'Robert', email: 'r@example.com' },
  }
  const changes = joinChanges([bob, robert])
  const current = { first_name: 'Robert', email: 'r@example.com' }
  expect(toRestorableValues(current, changes)).toEqual({ first_name: 'Original', email: null })
  expect(toRestorableValues({ ...current, first_name: 'Bob' }, changes)).toEqual({ email: null })
})

it("if someone changes a field between two rows of an import, the undo restores that person's value", () => {
  const robert = { oldValues: { first_name: 'Tim' }, newValues: { first_name: 'Robert' } }
  expect(toRestorableValues({ first_name: 'Robert' }, joinChanges([bob, robert]))).toEqual({
    first_name: 'Tim',
  })
})

it("if several rows change a contact's variables, the undo restores the earlier values, and removes variables that were new", () => {
  const changes = joinChanges([
    { oldValues: { variables: { roof: 'slate' } }, newValues: { variables: { roof: 'wood', plan: 'one' } } },
    { oldValues: { variables: { plan: 'one' } }, newValues: { variables: { plan: 'two' } } },
    // Someone removed the variable `plan` before the next change.
    { oldValues: { variables: { roof: 'wood' } }, newValues: { variables: { roof: 'tin', plan: 'three' } } },
  ])
  const current = { variables: { roof: 'tin', plan: 'three', size: 'big' } }
  expect(toRestorableValues(current, changes)).toEqual({ variables: { size: 'big', roof: 'slate' } })
})

it('if a change was recorded before consents had a kind, the undo restores the consent without a kind', () => {
  const changes = { oldValues: { consent_source: 'Form' }, newValues: { consent_source: 'Fair' } }
  const current = {
    consent_source: 'Fair',
    consent_at: '2026-05-01T09:00:00+00:00',
    consent_kind: 'written' as const,
  }
  expect(toRestorableValues(current, changes)).toEqual({ consent_source: 'Form', consent_kind: null })
})
