import { expect, it } from '@jest/globals'
import { joinChanges, toRestorableValues } from '../../../queue/contacts/import/restorable-values.ts'

const bob = { oldValues: { first_name: 'Original' }, newValues: { first_name: 'Bob' } }

it('restores the value that a field had before the first row that changed it', () => {
  const robert = {
    oldValues: { first_name: 'Bob', email: null },
    newValues: { first_name: 'Robert', email: 'r@example.com' },
  }
  const changes = joinChanges([bob, robert])
  const current = { first_name: 'Robert', email: 'r@example.com' }
  expect(toRestorableValues(current, changes)).toEqual({ first_name: 'Original', email: null })
  expect(toRestorableValues({ ...current, first_name: 'Bob' }, changes)).toEqual({ email: null })
})

it('restores a value that was entered by someone else between two rows', () => {
  const robert = { oldValues: { first_name: 'Tim' }, newValues: { first_name: 'Robert' } }
  expect(toRestorableValues({ first_name: 'Robert' }, joinChanges([bob, robert]))).toEqual({
    first_name: 'Tim',
  })
})

it('restores each variable that several rows changed, and removes those that were new', () => {
  const changes = joinChanges([
    { oldValues: { variables: { roof: 'slate' } }, newValues: { variables: { roof: 'wood', plan: 'one' } } },
    { oldValues: { variables: { plan: 'one' } }, newValues: { variables: { plan: 'two' } } },
    // Someone removed the variable `plan` before the next change.
    { oldValues: { variables: { roof: 'wood' } }, newValues: { variables: { roof: 'tin', plan: 'three' } } },
  ])
  const current = { variables: { roof: 'tin', plan: 'three', size: 'big' } }
  expect(toRestorableValues(current, changes)).toEqual({ variables: { size: 'big', roof: 'slate' } })
})

it('restores a consent without a kind if the change is from before consents had kinds', () => {
  const changes = { oldValues: { consent_source: 'Form' }, newValues: { consent_source: 'Fair' } }
  const current = {
    consent_source: 'Fair',
    consent_at: '2026-05-01T09:00:00+00:00',
    consent_kind: 'written' as const,
  }
  expect(toRestorableValues(current, changes)).toEqual({ consent_source: 'Form', consent_kind: null })
})
