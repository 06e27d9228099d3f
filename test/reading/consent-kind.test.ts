import { expect, it } from '@jest/globals'
import { readConsentKind } from '../../reading/consent-kind.ts'
import { consentKindCases, unreadableConsentKinds } from './cases/consent-kinds.ts'

it.each(consentKindCases)('reads %j as %s', (text, kind) => {
  expect(readConsentKind(text)).toBe(kind)
})

it.each(unreadableConsentKinds)('reads %j as no kind of consent', (text) => {
  expect(readConsentKind(text)).toBeUndefined()
})
